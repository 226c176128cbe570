# spell.bats: tests of petal spell.
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf '%s\n' hello dog dogs "don't" Paris café the quick über привет NASA >words
    petal build --quiet -p 1e-9 -o words.petal words
}

# spell TEXT OPTIONS...: prints the unknown words of a text, each once.
spell() {
    local text=$1
    shift
    printf '%b' "$text" | petal spell --quiet --list "$@" words.petal | paste -sd ' '
}

@test "spell prints unknown words with file, line and column" {
    printf 'hello wrold\nthe quikc dog\n\n  teh\n' >a
    printf 'the the wrold' >b
    run --separate-stderr petal spell --quiet words.petal a b
    is "$status" 0
    is "$stderr" ""
    is "$output" "a:1:7: wrold
a:2:5: quikc
a:4:3: teh
b:1:9: wrold"
}

@test "the expected number of accepted words depends on the lookups" {
    petal build --quiet -k classic -p 5% --force -o words.petal words
    printf "the wrold Quikc teh's\n" >a
    run --separate-stderr petal spell -c words.petal a
    is "$output" 3
    p=$(petal info --json words.petal | /usr/bin/python3 -c '
import json, sys
p = json.loads(sys.stdin.read())["fpr_estimate"]
print("%.3g accepted because of false positives (rate %.3g%% per lookup)" % (5 * p / (1 - p), 100 * p))')
    is "$stderr" "petal: 3 of 4 words certainly not in the dictionary; about $p"
}

@test "columns count characters, not bytes" {
    printf 'café “dog” — wrold\n' >a
    is "$(petal spell --quiet words.petal a)" "a:1:14: wrold"
}

@test "a word is accepted in capitals and capitalised, a name only capitalised" {
    is "$(spell 'Hello HELLO DOGS Paris PARIS NASA')" ""
    is "$(spell 'hELLO paris Nasa heLLo')" "hELLO paris Nasa heLLo"
}

@test "capitals beyond ASCII are recognised" {
    is "$(spell 'CAFÉ Café Über ÜBER ПРИВЕТ Привет')" ""
    is "$(spell 'cafÉ üBER пРИВЕТ')" "cafÉ üBER пРИВЕТ"
}

@test "a possessive 's is accepted only at the end of a word" {
    is "$(spell "dog's Dog's DOG'S dogs' Paris's NASA's 'dog'")" ""
    is "$(spell "dog's'dog wrold's dog't")" "dog's'dog wrold's dog't"
}

@test "a typographic apostrophe is the same as a plain one" {
    is "$(spell 'don’t Don’t DON’T dog’s ‘dog’ ‘dogs’')" ""
    is "$(spell 'won’t')" "won’t"
}

@test "a dictionary may have typographic apostrophes" {
    echo 'won’t' | petal build --quiet -p 1e-9 --force -o words.petal
    is "$(spell 'won’t')" ""
}

@test "text with a digit, @ or ://, and single letters, are skipped" {
    is "$(spell 'a x 3rd zzz9 9zzz me@zzz.org <http://zzz.org/zzz> x.y-z\n')" ""
    is "$(spell 'zzz/yyy (xxx) www:vvv 2uuu-ttt')" "zzz yyy xxx www vvv"
}

@test "dashes, quotes, dots and spaces of all kinds end a word" {
    is "$(spell 'dog—dog–dog…dog«dog»dog\u00a0dog\u202fdog„dog“ \ufeffdog dog×dog ¿dog?')" ""
    is "$(spell '1998—zzz')" "zzz"
}

@test "--count prints the number, --list each word once in order" {
    printf 'zzz yyy zzz\nZZZ xxx yyy\n' >a
    is "$(petal spell --quiet -c words.petal a a)" 12
    is "$(petal spell --quiet --list words.petal a a)" "zzz
yyy
ZZZ
xxx"
    is "$(petal spell --quiet --list --count words.petal a a)" 4
}

@test "--json prints each word with its position" {
    printf 'the "wrold"\nteh\n' >a
    run --separate-stderr petal spell --quiet --json words.petal a
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "$output" '{"file": "a", "line": 1, "column": 6, "word": "wrold"}
{"file": "a", "line": 2, "column": 1, "word": "teh"}'
    run --separate-stderr petal spell --quiet --json --count words.petal a
    is_json "$output"
    has "$output" '{"words": 3, "unknown": 2, "accepted_expected": '
}

@test "a dictionary of form word ignores case" {
    petal build --quiet -p 1e-9 --form word --force -o words.petal words
    is "$(spell 'hELLO paris Nasa DON’T cafÉ dOG’s')" ""
    is "$(spell 'wrold')" "wrold"
}

@test "compressed input and standard input are read" {
    printf 'the wrold\n' | gzip >a.gz
    is "$(petal spell --quiet words.petal a.gz)" "a.gz:1:5: wrold"
    is "$(petal spell --quiet words.petal - <a.gz)" "standard input:1:5: wrold"
    is "$(petal spell --quiet words.petal <a.gz)" "standard input:1:5: wrold"
}

@test "a simpler program finds the same words, with any number of threads" {
    /usr/bin/python3 - <<'END'
import random, re

random.seed(7)
words = {line.rstrip("\n") for line in open("words")}
bits = ["hello", "Dog", "DOGS", "dog's", "paris", "don't", "zz'z", "'the'", "a", "me@zzz",
        "x1y", "http://zzz", "wrold", "caf\u00e9", "CAF\u00c9S", "quick,", "(teh)", "o'"]
text = "".join(random.choice(bits) + random.choice("   \n") for _ in range(120000))
open("text", "w").write(text)

def passes(word):
    for w in {word, re.sub("'[sS]$", "", word)}:
        tries = {w}
        if w == w.capitalize() or w == w.upper():
            tries |= {w.lower(), w.capitalize()}
        if tries & words:
            return True
    return False

with open("expected", "w") as expected:
    for number, line in enumerate(text.splitlines(), 1):
        for token in re.finditer(r"\S+", line):
            if re.search(r"[0-9@]|://", token[0]):
                continue
            for word in re.finditer(r"[^\W\d_]+(?:'[^\W\d_]+)*", token[0]):
                if len(word[0]) > 1 and not passes(word[0]):
                    column = token.start() + word.start() + 1
                    print(f"text:{number}:{column}: {word[0]}", file=expected)
END
    [ "$(wc -l <expected)" -gt 10000 ]
    for threads in 1 4; do
        petal spell --quiet --threads $threads words.petal text | cmp - expected
    done
}

@test "a word longer than 256 bytes is looked up only as it is" {
    z=$(printf '%255s' '' | tr ' ' z)
    printf '%s\n' "z$z" "zz$z" | petal build --quiet -p 1e-9 --force -o words.petal
    is "$(spell "z$z Z$z zz$z Zz$z")" "Zz$z"
}

@test "lines and words may have a megabyte, and bytes that are not text" {
    /usr/bin/python3 -c '
import random
random.seed(3)
open("line", "w").write("the zzz " * 125000)
open("word", "w").write("the " + "z" * 2**20 + " dog")
open("bytes", "wb").write(bytes(random.randrange(256) for _ in range(300000)) +
                          b"\nteh\xe2\x80\n\xf0\x9f\nthe caf\xe9\xc3")'
    is "$(petal spell --quiet words.petal line | tail -n 1)" "line:1:999997: zzz"
    is "$(petal spell --quiet -c words.petal line)" 125000
    is "$(petal spell --quiet words.petal word | wc -c)" $((2**20 + 11))
    petal spell --quiet --list words.petal bytes | tail -n 3 >unknown
    is "$(head -n 1 unknown | od -An -tx1 | tr -d ' ')" 746568e2800a
    is "$(tail -n 1 unknown | od -An -tx1 | tr -d ' ')" 636166e9c30a
    is_json "$(petal spell --quiet --json words.petal bytes)"
}

@test "no unknown word, or empty input, exits with 1" {
    run --separate-stderr petal spell words.petal words
    is "$status" 1
    is "$output" ""
    has "$stderr" "petal: 0 of 11 words certainly not in the dictionary; about 0 accepted"
    run --separate-stderr petal spell words.petal </dev/null
    is "$status" 1
    is "$output" ""
    run --separate-stderr petal spell --quiet --count words.petal </dev/null
    is "$status" 1
    is "$output" 0
}

@test "a missing file or invalid option is an error" {
    run petal spell
    is "$status" 2
    is "$output" "petal: an argument is missing; usage: petal spell [options] DICTIONARY [FILE...]"
    run petal spell missing.petal words
    is "$status" 2
    is "$output" "petal: missing.petal: No such file or directory"
    run petal spell words words.petal
    is "$status" 2
    is "$output" "petal: words: not a petal filter"
    run petal spell words.petal missing
    is "$status" 2
    is "$output" "petal: missing: No such file or directory"
    run petal spell --threads 1000 words.petal words
    is "$status" 2
    is "$output" "petal: --threads 1,000: at most 256"
    echo example.com | petal build --quiet -n 10 --form url -o urls.petal
    run petal spell urls.petal words
    is "$status" 2
    is "$output" "petal: urls.petal: not a dictionary: its keys are URLs or addresses; build one from a list of words"
}

@test "a closed pipe is not an error" {
    yes zzz | head -n 100000 >a
    closed_pipe spell --quiet --threads 1 words.petal a
    closed_pipe spell --quiet --threads 1 --json words.petal a
}
