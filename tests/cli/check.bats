# check.bats: tests of petal check.
load common

# flowers: f.petal has rose and tulip; the input has more lines.
flowers() {
    printf 'rose\ntulip\n' | petal build --quiet -o f.petal
    printf 'oak\nrose\nelm\ntulip\nrose\n' >in
}

# bad_addresses, bad_urls: filters of prefixes, folders and domains.
bad_addresses() {
    printf '10.0.0.0/8\n1.2.3.4\n2001:db8::/32\n' | petal build --quiet --form ip -o ip.petal
}

bad_urls() {
    printf 'evil.com\nhttp://bad.org/dir/\n' | petal build --quiet --form url -o url.petal
}

@test "check prints the lines that may be in the filter, in order" {
    flowers
    run --separate-stderr petal check f.petal in
    is "$status" 0
    is "$stderr" ""
    is "$output" "$(printf 'rose\ntulip\nrose')"
    is "$(petal check f.petal <in)" "$output"
    is "$(petal check f.petal - <in)" "$output"
}

@test "-v prints the lines that are certainly not in the filter" {
    flowers
    run --separate-stderr petal check -v f.petal in
    is "$status" 0
    is "$output" "$(printf 'oak\nelm')"
    is "$(petal check --no f.petal in)" "$output"
}

@test "-c prints only the number of lines" {
    flowers
    is "$(petal check -c f.petal in)" 3
    is "$(petal check -vc f.petal in)" 2
    is "$(petal check --count f.petal in in)" 6
}

@test "-q prints nothing and sets the status" {
    flowers
    run petal check -q f.petal in
    is "$status $output" "0 "
    run petal check -q f.petal - <<<"oak"
    is "$status $output" "1 "
    run petal check -q -v f.petal - <<<"rose"
    is "$status $output" "1 "
    run petal check -qc f.petal - <<<"oak"
    is "$status $output" "1 "
    run petal check -qc f.petal - <<<"rose"
    is "$status $output" "0 "
}

@test "-q does not wait for the rest of the input" {
    flowers
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import subprocess, sys
from limits import LIMIT_SECONDS
p = subprocess.Popen([sys.argv[1], "check", "-q", "f.petal"], stdin=subprocess.PIPE)
p.stdin.write(b"oak\nrose\n")
p.stdin.flush()
assert p.wait(LIMIT_SECONDS) == 0
PYTHON
}

@test "-n prints line numbers, which restart in each file" {
    flowers
    is "$(petal check -n f.petal in)" "$(printf '2:rose\n4:tulip\n5:rose')"
    is "$(petal check -vn f.petal in)" "$(printf '1:oak\n3:elm')"
    is "$(petal check --line-number f.petal in in | tail -1)" 5:rose
}

@test "no match exits with 1, also for empty input" {
    flowers
    run --separate-stderr petal check f.petal - <<<"oak"
    is "$status $output$stderr" "1 "
    run --separate-stderr petal check f.petal /dev/null
    is "$status $output$stderr" "1 "
    run --separate-stderr petal check -v f.petal /dev/null
    is "$status" 1
    run --separate-stderr petal check -c f.petal /dev/null
    is "$status $output" "1 0"
}

@test "-F queries several filters and prints the names of those that match" {
    printf 'rose\nelm\n' | petal build --quiet -o a.petal
    printf 'tulip\nelm\n' | petal build --quiet -o b.petal
    printf 'oak\nrose\nelm\ntulip\n' >in
    is "$(petal check -F b.petal a.petal in)" \
        "$(printf 'a.petal\trose\na.petal,b.petal\telm\nb.petal\ttulip')"
    is "$(petal check --filter b.petal -n a.petal in | head -1)" "$(printf 'a.petal\t2:rose')"
    is "$(petal check -F b.petal -v a.petal in)" oak
    is "$(petal check -F b.petal -c a.petal in)" "$(printf 'a.petal:2\nb.petal:2')"
    run petal check -F b.petal -q a.petal - <<<"tulip"
    is "$status" 0
    run petal check -F b.petal -q a.petal - <<<"oak"
    is "$status" 1
}

@test "-F with --json names the filters of each line and counts each filter" {
    printf 'rose\nelm\n' | petal build --quiet -o a.petal
    printf 'tulip\nelm\n' | petal build --quiet -o b.petal
    run --separate-stderr petal check --json -F b.petal a.petal - <<<"$(printf 'oak\nelm\n')"
    is "$output" '{"file": "standard input", "line": 2, "text": "elm", "answer": "maybe", "key": "elm", "normalized": "elm", "matched": "elm", "filters": ["a.petal", "b.petal"]}'
    run --separate-stderr petal check --json -c -F b.petal a.petal - <<<"$(printf 'oak\nelm\n')"
    is_json "$output"
    has "$output" '"lines": 2, "maybe": 1, "no": 1'
    has "$output" b.petal
}

@test "--json prints each line with its answer, maybe or no" {
    flowers
    run --separate-stderr petal check --json f.petal in
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "${lines[0]}" '{"file": "in", "line": 2, "text": "rose", "answer": "maybe", "key": "rose", "normalized": "rose", "matched": "rose", "filters": ["f.petal"]}'
    is "${#lines[@]}" 3
    is "$(petal check --json -v f.petal in | head -1)" '{"file": "in", "line": 1, "text": "oak", "answer": "no", "key": "oak", "normalized": "oak"}'
    is "$(petal check --json -c f.petal in)" '{"lines": 5, "maybe": 3, "no": 2, "skipped": {}}'
    is "$(petal check --json -vc f.petal in)" '{"lines": 5, "maybe": 3, "no": 2, "skipped": {}}'
}

@test "--json is valid JSON for any bytes in a key" {
    printf 'a"b\\c\td\nne\377w\n\303\251\n\001\177\n' >odd
    petal build --quiet -o f.petal odd
    petal check --json f.petal odd >report
    is_json "$(cat report)"
    is "$(/usr/bin/python3 -c '
import json
print(ascii([json.loads(line)["key"] for line in open("report", encoding="utf-8")]))')" \
        "['a\"b\\\\c\\td', 'ne\\ufffdw', '\\xe9', '\\x01\\x7f']"
}

@test "an address matches its prefixes, and --why prints which one" {
    bad_addresses
    printf '10.1.2.3\n11.1.1.1\n2001:db8::5\n1.2.3.4\n10.5.0.0/16\n' >in
    run --separate-stderr petal check --why ip.petal in
    is "$status" 0
    is "$output" "$(printf '10.1.2.3\t10.0.0.0/8\n2001:db8::5\t2001:db8::/32\n1.2.3.4\t1.2.3.4\n10.5.0.0/16\t10.0.0.0/8')"
    is "$(petal check -v ip.petal in)" 11.1.1.1
    is "$(petal check --exact ip.petal in)" 1.2.3.4
    is "$(petal check --json ip.petal - <<<10.1.2.3)" \
        '{"file": "standard input", "line": 1, "text": "10.1.2.3", "answer": "maybe", "key": "10.1.2.3", "normalized": "10.1.2.3", "matched": "10.0.0.0/8", "filters": ["ip.petal"]}'
}

@test "a URL matches its folders and parent domains, and --why prints which one" {
    bad_urls
    printf 'http://www.evil.com/x\nhttp://bad.org/dir/y\nhttp://bad.org/\nEVIL.com\n' >in
    run --separate-stderr petal check --why url.petal in
    is "$status" 0
    is "$output" "$(printf 'http://www.evil.com/x\tevil.com/\nhttp://bad.org/dir/y\tbad.org/dir/\nEVIL.com\tevil.com/')"
    is "$(petal check --exact --why url.petal in)" "$(printf 'EVIL.com\tevil.com/')"
    is "$(petal check -v url.petal in)" http://bad.org/
    is "$(petal check -v --exact url.petal in | wc -l)" 3
}

@test "--why prints a long match in full" {
    long=http://example.org/$(head -c 5000 /dev/zero | tr '\0' a)
    echo "$long" | petal build --quiet --form url -o f.petal
    is "$(echo "$long" | petal check --why f.petal | cut -f2 | wc -c)" 5013
}

@test "a word is found in any letter case" {
    printf 'Rose\nIt’s\n' | petal build --quiet --form word -o w.petal
    is "$(printf "rose\nROSE\nit's\noak\n" | petal check w.petal)" \
        "$(printf "rose\nROSE\nit's")"
}

@test "lines that are not keys are reported, and are neither maybe nor no" {
    bad_addresses
    printf '10.1.2.3\nfoo\n11.1.1.1\n' >in
    run --separate-stderr petal check -c ip.petal in
    is "$status" 0
    is "$output" 1
    is "$stderr" "petal: in:2: not an address: foo; skipped"
    run --separate-stderr petal check -vc ip.petal in
    is "$output" 1
    run --separate-stderr petal check --quiet ip.petal in
    is "$stderr" ""
    run --separate-stderr petal check --strict ip.petal in
    is "$status" 2
    is "$stderr" "petal: in:2: not an address: foo; omit --strict to skip such lines"
}

@test "a bitmap answers no to integers beyond its size" {
    seq 0 9 | petal build --quiet -k bitmap -o b.petal
    is "$(seq 8 12 | petal check b.petal)" "$(printf '8\n9')"
    is "$(seq 8 12 | petal check -v b.petal)" "$(printf '10\n11\n12')"
    run --separate-stderr petal check -v b.petal - <<<"$(printf '11\nfoo\n')"
    is "$output" 11
    is "$stderr" "petal: standard input:2: not an integer that the bitmap can hold: foo; skipped"
}

@test "with -f the key is a field, and the whole line is printed" {
    printf 'rose\n' | petal build --quiet -o f.petal
    printf '1,rose,x\r\n2,oak\r\n3\r\n4,rose' >in.csv
    run --separate-stderr petal check -f 2 -d , f.petal in.csv
    is "$status" 0
    is "$stderr" "petal: in.csv:3: the line has no field 2; skipped"
    petal check --quiet -f 2 -d , f.petal in.csv >found
    printf '1,rose,x\r\n4,rose\n' | cmp - found
    run --separate-stderr petal check --strict -f 2 -d , f.petal in.csv
    is "$status $stderr" "2 petal: in.csv:3: the line has no field 2; omit --strict to skip such lines"
    is "$(petal check --quiet -f 2 -d , -n f.petal in.csv | tail -1)" 4:4,rose
    is "$(printf 'a\trose\n' | petal check -c -f 2 f.petal)" 1
    is "$(printf 'a\trose\n' | petal check -c -f 2 -d '\t' f.petal)" 1
}

@test "lines without the field are reported in order, with any number of threads" {
    # The first such line is near the end of a block, and the next block starts with one.
    (seq -f 'k%013.0f,rose' 3271; seq -f 'k%018.0f' 20000) >in
    echo rose | petal build --quiet -o f.petal
    petal check -c --threads 1 -f 2 -d , f.petal in >count 2>remarks
    is "$(head -1 remarks)" "petal: in:3272: the line has no field 2; skipped"
    for i in 1 2 3 4 5 6 7 8 9 10; do
        petal check -c --threads 8 -f 2 -d , f.petal in >count8 2>remarks8
        cmp count count8
        cmp remarks remarks8
        run --separate-stderr petal check --strict --threads 8 -f 2 -d , f.petal in
        is "$status $stderr" "2 petal: in:3272: the line has no field 2; omit --strict to skip such lines"
    done
}

@test "a CR is not part of the key, but stays in the line" {
    printf 'rose\n' | petal build --quiet -o f.petal
    printf 'rose\r\noak\r\n' | petal check f.petal >found
    printf 'rose\r\n' | cmp - found
}

@test "-0 reads and prints lines that end in NUL" {
    printf 'ro\nse\0' | petal build --quiet -0 -o f.petal
    printf 'oak\0ro\nse' | petal check -0 f.petal >found
    printf 'ro\nse\0' | cmp - found
}

@test "a damaged compressed input is an error after the lines before the damage" {
    keys in 30000 >in
    petal build --quiet -o f.petal in
    gzip -k in
    zstd -q in
    is "$(petal check -c f.petal in.gz)" 30000
    is "$(petal check -c f.petal in.zst)" 30000
    is "$(cat in.gz in.gz | petal check -c f.petal)" 60000
    head -c $(($(wc -c <in.gz) / 2)) in.gz >cut.gz
    run --separate-stderr petal check f.petal cut.gz
    is "$status $stderr" "2 petal: cut.gz: the compressed file is truncated"
    petal check f.petal cut.gz >some 2>/dev/null || is "$?" 2
    [ -s some ]
    head -c "$(wc -c <some)" in | cmp - some
    head -c $(($(wc -c <in.zst) / 2)) in.zst >cut.zst
    run --separate-stderr petal check -c f.petal cut.zst
    is "$status $stderr" "2 petal: cut.zst: the compressed file is truncated"
    is "$output" ""
}

@test "all lines before an error are printed, with any number of threads" {
    keys in 100000 >in
    petal build --quiet -o f.petal in
    gzip -c in | head -c 150000 >cut.gz
    petal check --threads 1 f.petal cut.gz >one 2>/dev/null || is "$?" 2
    head -c "$(wc -c <one)" in | cmp - one
    for i in 1 2 3 4 5 6 7 8; do
        petal check --threads 8 f.petal cut.gz >eight 2>/dev/null || is "$?" 2
        cmp one eight
    done
}

@test "the output is the same for any number of threads" {
    keys http://example.org/some/folder/page 100000 >all
    awk 'NR % 2' all >half
    petal build --quiet -o f.petal half
    for threads in 1 2 8; do
        petal check --threads $threads f.petal all >maybe$threads
        petal check --threads $threads -v f.petal all >no$threads
        petal check --threads $threads -f 2 -d p f.petal all 2>/dev/null >field$threads || is "$?" 1
    done
    for way in maybe no field; do
        cmp ${way}1 ${way}2
        cmp ${way}1 ${way}8
    done
    sort -t- -k2n maybe1 no1 | cmp - all
    is "$(grep -cxFf <(head -50 half) maybe1)" 50
}

@test "every member is a maybe, and no line is both maybe and no" {
    keys in 3000 >in
    keys out 3000 >out
    petal build --quiet -p 5% -o f.petal in
    cat in out >all
    petal check f.petal all >maybe
    petal check -v f.petal all >no
    is "$(cat maybe no | sort)" "$(sort all)"
    is "$(comm -12 <(sort in) <(sort no))" ""
}

@test "a line may be long, empty or binary" {
    head -c 1000000 /dev/zero | tr '\0' a >long
    (printf '\n\377\376\n'; cat long) >odd
    petal build --quiet -o f.petal odd
    is "$(petal check -c f.petal odd)" 3
    printf '\n' | petal check -c f.petal
    head -c 20000000 /dev/zero | tr '\0' a >longer
    run --separate-stderr petal check f.petal longer
    is "$status $stderr" "1 petal: longer: the line is longer than 16 MiB; skipped"
}

@test "the filter or the lines can come from standard input, not both" {
    flowers
    is "$(petal check -c - in <f.petal)" 3
    is "$(petal check -F - -c f.petal in <f.petal)" "$(printf 'f.petal:3\n-:3')"
    run --separate-stderr petal check - <f.petal
    is "$status $stderr" "2 petal: standard input can be read only once"
    run --separate-stderr petal check - - <f.petal
    is "$status $stderr" "2 petal: standard input can be read only once"
    run --separate-stderr petal check -F - - in <f.petal
    is "$status $stderr" "2 petal: standard input can be read only once"
}

@test "a filter can come from a pipe, or the error says why not" {
    flowers
    run --separate-stderr petal check -c <(cat f.petal) in
    [ "$status $output" = "0 3" ] || has "$stderr" "regular file"
}

@test "a missing or damaged filter, or another file, is an error" {
    flowers
    head -c 100 f.petal >cut.petal
    : >empty.petal
    run --separate-stderr petal check nope in
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    run --separate-stderr petal check in in
    is "$status $output$stderr" "2 petal: in: not a petal filter"
    run --separate-stderr petal check cut.petal in
    is "$status $output$stderr" "2 petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
    run --separate-stderr petal check empty.petal in
    is "$status $output" "2 "
    one_sentence "$stderr"
    run --separate-stderr petal check - in <in
    is "$status $output$stderr" "2 petal: standard input: not a petal filter"
    run --separate-stderr petal check - in <cut.petal
    is "$status $output$stderr" "2 petal: standard input: truncated: bytes are missing at the end; rebuild it or restore a copy"
    run --separate-stderr petal check -F nope f.petal in
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    run --separate-stderr petal check -q nope in
    is "$status $stderr" "2 petal: nope: No such file or directory"
    (head -c 300 f.petal; printf '\377'; tail -c +302 f.petal) >damaged.petal
    run --separate-stderr petal check damaged.petal in
    is "$status $output$stderr" "2 petal: damaged.petal: corrupt: header, contents and checksums do not agree; rebuild it or restore a copy"
}

@test "a missing input is reported before any work" {
    flowers
    run --separate-stderr petal check f.petal in nope
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    run --separate-stderr petal check f.petal .
    is "$status $output$stderr" "2 petal: .: Is a directory"
    run --separate-stderr petal check f.petal -- -nope
    is "$status $output$stderr" "2 petal: -nope: No such file or directory"
}

@test "an invalid option is an error that names it" {
    flowers
    run --separate-stderr petal check
    is "$status $stderr" "2 petal: an argument is missing; usage: petal check [options] FILTER [FILE...]"
    run --separate-stderr petal check --bogus f.petal
    is "$status $stderr" "2 petal: --bogus: no such option; see petal help check"
    run --separate-stderr petal check f.petal in -F
    is "$status $stderr" "2 petal: -F: needs a value; see petal help check"
    run --separate-stderr petal check --threads=x f.petal in
    is "$status" 2
    has "$stderr" "petal: --threads x: not a number"
    run --separate-stderr petal check -f 0 f.petal in
    is "$status" 2
    has "$stderr" "petal: -f 0: "
    run --separate-stderr petal check -d , f.petal in
    is "$status $stderr" "2 petal: -d needs -f N, the number of the field"
    run --separate-stderr petal check $(yes -- '-F f.petal' | head -65) f.petal in
    is "$status" 2
    one_sentence "$stderr"
}

@test "options may follow the files, and -- ends them" {
    flowers
    is "$(petal check f.petal in -c)" 3
    cp in ./-c
    is "$(petal check f.petal -- -c | wc -l)" 3
}

@test "a closed pipe is not an error" {
    seq 200000 >in
    petal build --quiet -o f.petal in
    closed_pipe check f.petal in
    closed_pipe check --threads 1 f.petal in
    closed_pipe check -n f.petal in
    closed_pipe check --json f.petal in
    closed_pipe check -c f.petal in
}

@test "-H prints the file name of each line" {
    printf 'rose\n' | petal build --quiet -o f.petal
    printf 'oak\nrose\n' >a
    printf 'rose\n' | gzip >b.gz
    is "$(petal check -H f.petal a b.gz)" "$(printf 'a:rose\nb.gz:rose')"
    is "$(petal check -Hn f.petal a b.gz)" "$(printf 'a:2:rose\nb.gz:1:rose')"
    is "$(petal check -H --json f.petal a)" \
        '{"file": "a", "line": 2, "text": "rose", "answer": "maybe", "key": "rose", "normalized": "rose", "matched": "rose", "filters": ["f.petal"]}'
}

@test "lines of every length are printed completely" {
    /usr/bin/python3 -c '
for n in list(range(0, 200)) + [1000, 65535, 65536, 70000]:
    print("x" * n)' >in
    awk 'NR % 2' in | petal build --quiet -o f.petal
    petal check f.petal in >maybes
    petal check -v f.petal in >noes
    awk 'NR % 2' in | sort >members
    sort maybes | comm -23 members - | cmp - /dev/null # every member is there
    sort maybes noes | cmp - <(sort in)                # every line occurs once
}

# The block that is read next begins on a page, and what was left of a line goes before it.
@test "lines that cross pages, blocks and reads are found as a model finds them" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import random, subprocess, sys
from limits import LIMIT_SECONDS
chance = random.Random(1)
PAGE, BLOCK = 4096, 128 << 10
ends = [b"\n"] * 8 + [b"\r\n"]

def some(longest, size):
    text = b""
    while len(text) < size:
        n = chance.randrange(longest + 1)
        text += bytes(chance.choices(b"abcdefgh", k=min(n, 8))) + b"x" * (n - 8) + chance.choice(ends)
    return text

def near(place):        # a line that ends next to it
    return b"".join(b"y" * (place - 1 + d) + b"\n" + b"%d\r\n\n" % d for d in range(-2, 3))

inputs = [some(n, 300_000) for n in (0, 1, 2, 3, 15, 40, 63, 64, 65, 130, 5000, 200_000)]
inputs += [near(PAGE), near(BLOCK), near(2 * BLOCK + PAGE), near(1_000_000), b"", b"\n", b"\r\n", b"z", b"z\r"]
inputs += [text[:-1] for text in inputs[:4]] + [b"\xef\xbb\xbf" + inputs[5]]

def run(*args, data, pieces=None):
    p = subprocess.Popen([sys.argv[1], *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if pieces is None:
        out = p.communicate(data)[0]
    else:
        import threading
        def feed():
            for i in range(0, len(data), pieces):
                p.stdin.write(data[i:i + pieces])
                p.stdin.flush()
            p.stdin.close()
        thread = threading.Thread(target=feed)
        thread.start()
        out = p.stdout.read()
        thread.join()
        p.wait(LIMIT_SECONDS)
    return out

for i, text in enumerate(inputs):
    text = text.removeprefix(b"\xef\xbb\xbf")
    lines = text.split(b"\n")[:-1] + ([text.split(b"\n")[-1]] if text and text[-1:] != b"\n" else [])
    keys = [line.removesuffix(b"\r") for line in lines]
    members = set(keys[::2])
    with open("members", "wb") as file:
        file.writelines(key + b"\n" for key in members)
    with open("in", "wb") as file:
        file.write(inputs[i])
    subprocess.run([sys.argv[1], "build", "--quiet", "--force", "-n", "100000", "-p", "1e-9", "-k", "classic",
                    "-o", "f.petal", "members"], check=True)
    want = b"".join(line + b"\n" for line, key in zip(lines, keys) if key in members)
    for threads in "1", "2":
        check = ["check", "--threads", threads, "f.petal"]
        assert run(*check, "in", data=b"") == want, (i, threads)
        assert run(*check, "-c", "in", data=b"") == b"%d\n" % want.count(b"\n"), (i, threads)
    assert run(*check, data=inputs[i]) == want, i
    assert run(*check, data=inputs[i], pieces=50_001) == want, i
PYTHON
}
