# build.bats: tests of petal build.
load common

# limit N P: a number that N trials with probability P exceed less than once in 10^9 runs, by
# Chernoff's bound.
limit() {
    /usr/bin/python3 -c '
import math, sys
n, p = float(sys.argv[1]), float(sys.argv[2])
def unlikely(x):
    q = x / n
    return n * (q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))) > math.log(1e9)
x = int(n * p) + 1
while not unlikely(x):
    x += 1
print(x)' "$1" "$2"
}

# refused OPTION...: fails with one message and creates no file.
refused() {
    run --separate-stderr petal build -o x.petal "$@"
    is "$status" 2
    is "$output" ""
    one_sentence "$stderr"
    [ ! -e x.petal ]
}

@test "build creates a filter from lines and reports it" {
    keys in 1000 >in
    run --separate-stderr petal build -p 1% -o f.petal in
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: f.petal: 1,000 keys from 1,000 lines; blocked filter, 1.54 kB, 10.24 bits per key, rate 1%"
    is "$(petal check -c f.petal in)" 1000
    petal verify f.petal
}

@test "--quiet prints nothing" {
    keys in 10 >in
    run petal build --quiet -o f.petal in
    is "$status" 0
    is "$output" ""
    [ -s f.petal ]
}

@test "--json prints the figures, and nothing on standard error" {
    (keys in 1000; keys in 500) >in
    run --separate-stderr petal build --json -p 0.1% -o f.petal in
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "$(figure "$output" "r['file'], r['lines'], r['refused'], r['capacity'], r['keys_added'], r['kind'], r['fpr']")" \
        "f.petal 1500 0 1000 1000 blocked 0.001"
    is "$(figure "$output" "r['image_bytes']")" "$(wc -c <f.petal)"
    is "$(figure "$output" "abs(r['keys_estimate'] / 1000 - 1) < 0.05")" True
}

@test "a JSON report has no duplicate names" {
    echo a | petal build --json --form url -o f.petal >report
    /usr/bin/python3 - <<'PYTHON'
import json
def once(pairs):
    names = [name for name, value in pairs]
    assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)
json.loads(open("report").read(), object_pairs_hook=once)
PYTHON
}

@test "duplicates are dropped and do not change the size" {
    (keys in 1000; keys in 1000; keys in 10) | petal build --quiet -o twice.petal
    keys in 1000 | petal build --quiet -o once.petal
    cmp twice.petal once.petal
}

@test "the order of the lines does not change the file" {
    keys in 3000 >in
    sort -r in >reversed
    petal build --quiet -o a.petal in
    petal build --quiet -o b.petal reversed
    cmp a.petal b.petal
}

@test "the file is the same for any number of threads, with and without -n" {
    keys http://example.org/some/where/page 60000 >in
    for threads in 1 2 8; do
        petal build --quiet --threads $threads -o exact$threads.petal in
        petal build --quiet --threads $threads -n 60000 -o streamed$threads.petal in
        petal build --quiet --threads $threads -k counting -o counting$threads.petal in
        petal build --quiet --threads $threads -k scalable -o scalable$threads.petal in
    done
    for way in exact streamed counting scalable; do
        cmp ${way}1.petal ${way}2.petal
        cmp ${way}1.petal ${way}8.petal
    done
}

@test "-n with the exact number gives the same answers as no -n" {
    keys in 5000 >in
    keys out 20000 >out
    petal build --quiet -o exact.petal in
    petal build --quiet -n 5000 -o streamed.petal in
    petal check exact.petal in out >exact
    petal check streamed.petal in out >streamed
    cmp exact streamed
}

@test "every kind finds all members and keeps its false positive rate" {
    keys in 2000 >in
    keys out 20000 >out
    most=$(limit 20000 0.01)
    for kind in classic partitioned blocked split counting scalable ribbon; do
        for size in "" "-n 2000"; do
            petal build --quiet --force -k $kind $size -p 1% -o f.petal in
            is "$kind $(petal check -c f.petal in)" "$kind 2000"
            is "$(petal check -v f.petal in)" ""
            nonmembers=$(petal check -c f.petal out) || is "$?" 1
            [ "$nonmembers" -le "$most" ] || { echo "$kind: $nonmembers of 20000"; return 1; }
        done
    done
}

@test "the false positive rate is that of the formula" {
    keys in 5000 >in
    keys out 50000 >out
    petal build --quiet -k classic -p 2% -o f.petal in
    rate=$(figure "$(petal info --json f.petal)" \
        "(1 - __import__('math').exp(-r['hashes'] * 5000 / r['bits'])) ** r['hashes']")
    is "$(figure "$(petal info --json f.petal)" "r['hashes']")" 6
    [ "$(petal check -c f.petal out)" -le "$(limit 50000 "$rate")" ]
    [ "$(petal check -vc f.petal out)" -le "$(limit 50000 "$(figure 0 "1 - $rate")")" ]
}

@test "every form finds all members" {
    seq -f 'http://host%.0f.example.org/a/b?c' 500 >url
    seq -f '10.1.%.0f.0/24' 0 255 >ip
    seq -f 'wort%.0fß' 500 >word
    for form in url ip word; do
        petal build --quiet --form $form -o $form.petal $form
        is "$form $(petal check -c $form.petal $form)" "$form $(wc -l <$form)"
        is "$(petal check -v $form.petal $form)" ""
    done
}

@test "a counting filter counts repeated keys" {
    printf 'a\nb\na\na\n' | petal build --quiet -k counting -o exact.petal
    printf 'a\nb\na\na\n' | petal build --quiet -k counting -n 10 -o streamed.petal
    for f in exact streamed; do
        is "$(printf 'a\nb\nc\n' | petal count $f.petal)" "$(printf '3\ta\n1\tb\n0\tc')"
    done
}

@test "the report of a counting filter counts distinct keys" {
    yes a | head -100 >in
    run --separate-stderr petal build -k counting -n 100 -o f.petal in
    has "$stderr" "about 1 key from 100 lines"
}

@test "a bitmap takes integers and reports other lines" {
    printf '3\n5\nfoo\n-1\n007\n3\n99999999999999999999\n' >in
    run --separate-stderr petal build -k bitmap -o b.petal in
    is "$status" 0
    is "${stderr_lines[0]}" "petal: in:3: not an integer that the bitmap can hold: foo; skipped"
    is "${stderr_lines[1]}" "petal: in:4: not an integer that the bitmap can hold: -1; skipped"
    is "${stderr_lines[2]}" "petal: in:5: not an integer that the bitmap can hold: 007; skipped"
    is "${stderr_lines[3]}" "petal: in:7: not an integer that the bitmap can hold: 99999999999999999999; skipped"
    is "${stderr_lines[4]}" "petal: b.petal: 2 keys from 7 lines; bitmap filter, 328 B"
    is "$(seq 0 9 | petal check b.petal)" "$(printf '3\n5')"
    run --separate-stderr petal build -k bitmap --strict -o c.petal in
    is "$status" 2
    is "$stderr" "petal: in:3: not an integer that the bitmap can hold: foo; omit --strict to skip such lines"
    [ ! -e c.petal ]
}

@test "a bitmap with -m takes the integers below it and counts them exactly" {
    run --separate-stderr bash -c "seq 0 5 | \"$PETAL\" build -k bitmap -m 4 -o b.petal"
    is "$status" 0
    has "$stderr" "petal: standard input:5: not an integer that the bitmap can hold: 4; skipped"
    has "$stderr" "petal: b.petal: 4 keys from 6 lines; bitmap filter, 328 B"
}

@test "an integer too large for any bitmap is an error" {
    run --separate-stderr bash -c "echo 4611686018427387904 | \"$PETAL\" build -k bitmap -o b.petal"
    is "$status" 2
    one_sentence "$stderr"
    [ ! -e b.petal ]
}

@test "a scalable filter needs no size and keeps its rate" {
    keys in 50000 >in
    keys out 20000 >out
    petal build --quiet -k scalable -p 1% -o f.petal in
    is "$(petal check -c f.petal in)" 50000
    [ "$(petal check -c f.petal out)" -le "$(limit 20000 0.01)" ]
}

@test "lines that are not URLs are reported and skipped, or fail with --strict" {
    printf 'evil.com\nno url\nnot a url at all\nhttp://good.net/a?b\n' >urls
    run --separate-stderr petal build --form url -o u.petal urls
    is "$status" 0
    is "${stderr_lines[0]}" "petal: urls:2: not a URL: no url; skipped"
    is "${stderr_lines[1]}" "petal: urls:3: not a URL: not a url at all; skipped"
    has "${stderr_lines[2]}" "petal: u.petal: 2 keys from 4 lines; blocked filter"
    is "${#stderr_lines[@]}" 3
    run --separate-stderr petal build --strict --form url -o v.petal urls
    is "$status" 2
    is "$stderr" "petal: urls:2: not a URL: no url; omit --strict to skip such lines"
    [ ! -e v.petal ]
}

@test "lines that are not addresses or words are reported" {
    printf '10.0.0.0/8\nfoo\n300.1.1.1\n::1\n' >ips
    run --separate-stderr petal build --form ip -o i.petal ips
    is "${stderr_lines[0]}" "petal: ips:2: not an address: foo; skipped"
    is "${stderr_lines[1]}" "petal: ips:3: not an address: 300.1.1.1; skipped"
    run --separate-stderr bash -c "printf 'word\n\n' | \"$PETAL\" build --form word -o w.petal"
    is "${stderr_lines[0]}" "petal: standard input:2: not a word; skipped"
}

@test "empty lines and comments in a list of URLs are counted, but no error" {
    printf '# bad hosts\n\nevil.com\n' >urls
    run --separate-stderr petal build --form url -o u.petal urls
    is "$status ${stderr_lines[0]}" "0 petal: skipped 1 blank line, 1 comment"
    is "${stderr_lines[1]}" "petal: u.petal: 1 key from 3 lines; blocked filter, 328 B, 512.00 bits per key, rate 1%"
    run --separate-stderr petal check -c u.petal urls
    is "$output $stderr" "1 petal: skipped 1 blank line, 1 comment"
    run --separate-stderr petal build --strict --force --form url -o u.petal urls
    is "$status" 0
}

@test "after ten skipped lines only the total is reported" {
    seq 1 20 >in
    run --separate-stderr petal build --form ip -o i.petal in
    is "$status" 2
    [ ! -e i.petal ]
    is "${stderr_lines[9]}" "petal: in:10: not an address: 10; skipped"
    is "${stderr_lines[10]}" "petal: skipped 20 invalid keys (not an address)"
    has "${stderr_lines[11]}" "petal: 100% of the keys look wrong: for example, 1 is not an address"
    is "${stderr_lines[12]}" "petal: i.petal: not written: no line of the input is a key"
    is "${#stderr_lines[@]}" 13
    run --separate-stderr petal build --quiet --force --form ip -o i.petal in
    is "$stderr" "petal: i.petal: not written: no line of the input is a key"
}

@test "all spellings of a URL, address or word are one key" {
    printf 'http://Evil.com/\nevil.com\nhttp://evil.com/#top\n' >urls
    is "$(figure "$(petal build --form url --json -o u.petal urls)" "r['capacity']")" 1
    printf '::1\n0:0::1\n' >ips
    is "$(figure "$(petal build --form ip --json -o i.petal ips)" "r['capacity']")" 1
    printf 'Word\nWORD\nword\n' >words
    is "$(figure "$(petal build --form word --json -o w.petal words)" "r['capacity']")" 1
}

@test "empty input makes an empty filter" {
    run --separate-stderr petal build -o e.petal /dev/null
    is "$status" 0
    has "$stderr" "petal: e.petal: 0 keys from 0 lines; blocked filter"
    run petal check e.petal <<<"a"
    is "$status" 1
    is "$(figure "$(petal info --json e.petal)" "r['keys_added'], r['cells_set']")" "0 0"
    for kind in classic counting scalable bitmap; do
        petal build --quiet -k $kind -o $kind.petal /dev/null
        run petal check $kind.petal <<<"1"
        is "$status" 1
    done
}

@test "the report of one line and one key uses the singular" {
    run --separate-stderr petal build -o f.petal - <<<"a"
    has "$stderr" "petal: f.petal: 1 key from 1 line; blocked filter"
}

@test "more keys than -n are reported" {
    keys in 1000 >in
    run --separate-stderr petal build -n 100 -o f.petal in
    is "$status" 0
    is "${stderr_lines[1]}" "petal: f.petal: so full that it answers maybe to everything; it was planned for 100 keys, so rebuild it with a larger -n"
    is "$(petal check -c f.petal in)" 1000
}

@test "numbers, rates and sizes may have units" {
    keys in 100 >in
    petal build --quiet -n 1000 -p 0.01 -o a.petal in
    petal build --quiet -n 1e3 -p 1% -o b.petal in
    petal build --quiet -n 1K -p 1e-2 -o c.petal in
    petal build --quiet --capacity=1000 --fpr 1% --output d.petal in
    for f in b c d; do
        cmp a.petal $f.petal
    done
    petal build --quiet -m 8KiB -n 1000 -o e.petal in
    petal build --quiet -m 65536 -n 1000 -o f.petal in
    cmp e.petal f.petal
}

@test "a filter can be written to standard output and read from standard input" {
    keys in 100 >in
    is "$(petal build --quiet -o - in | petal check -c - in)" 100
    petal build --quiet -o f.petal in
    petal build --quiet -o - in | cmp - f.petal
}

@test "only the filter is written to standard output" {
    keys in 100 >in
    petal build --json -o - in >f.petal 2>errors || is "$?" 2
    [ ! -s f.petal ] || petal verify f.petal
}

@test "lines come from standard input, several files, and \"-\"" {
    keys a 10 >a
    keys b 10 >b
    cat a b | petal build --quiet -o all.petal
    petal build --quiet -o files.petal a b
    petal build --quiet -o dash.petal a - <b
    cmp all.petal files.petal
    cmp all.petal dash.petal
}

@test "the last line of each file may lack its newline" {
    printf 'a\nb' >ab
    printf 'c' >c
    petal build --quiet -o f.petal ab c
    is "$(printf 'a\nb\nc\nbc\n' | petal check f.petal)" "$(printf 'a\nb\nc')"
}

@test "compressed files are decompressed" {
    keys in 30000 >in
    petal build --quiet -o plain.petal in
    gzip -k in
    zstd -q in
    zstd -q --no-check in -o unchecked.zst
    split -l 10000 in part-
    for part in part-aa part-ab part-ac; do
        gzip -c $part
    done >members.gz
    for part in part-aa part-ab part-ac; do
        zstd -qc $part
    done >members.zst
    for f in in.gz in.zst unchecked.zst members.gz members.zst; do
        petal build --quiet --force -o packed.petal $f
        cmp plain.petal packed.petal
        petal build --quiet --force -o packed.petal <$f
        cmp plain.petal packed.petal
    done
    petal build --quiet --force -o packed.petal part-aa members.gz part-ab in.zst
    cmp plain.petal packed.petal
}

@test "compressed files may be empty or end without a newline" {
    gzip -c </dev/null >empty.gz
    zstd -qc </dev/null >empty.zst
    printf a | gzip >a.gz
    printf b | zstd -q >b.zst
    run --separate-stderr petal build --json -o f.petal empty.gz a.gz empty.zst b.zst
    is "$(figure "$output" "r['lines']")" 2
}

@test "a truncated or damaged compressed file is an error and keeps the old filter" {
    keys in 30000 >in
    gzip -k in
    zstd -q in
    head -c $(($(wc -c <in.gz) / 2)) in.gz >cut.gz
    head -c $(($(wc -c <in.zst) / 2)) in.zst >cut.zst
    head -c $(($(wc -c <in.gz) - 4)) in.gz >tail.gz
    (head -c 5000 in.gz; head -c 100 /dev/zero; tail -c +5101 in.gz) >bad.gz
    (head -c 5000 in.zst; head -c 100 /dev/zero; tail -c +5101 in.zst) >bad.zst
    echo old | petal build --quiet -o f.petal
    cp f.petal before
    for f in cut.gz cut.zst tail.gz; do
        run --separate-stderr petal build --force -o f.petal $f
        is "$status $stderr" "2 petal: $f: the compressed file is truncated"
    done
    for f in bad.gz bad.zst; do
        run --separate-stderr petal build --force -o f.petal $f
        is "$status $stderr" "2 petal: $f: the compressed data is damaged"
    done
    cmp f.petal before
    is "$(ls -A | grep -c '^\.')" 0
}

@test "a CR before the newline is not part of the key" {
    printf 'a\r\nb\r\n' | petal build --quiet -o f.petal
    printf 'a\nb\n' | petal build --quiet -o g.petal
    cmp f.petal g.petal
    printf 'a\rb\n' | petal build --quiet -o h.petal
    is "$(printf 'a\rb\n' | petal check -c h.petal)" 1
}

@test "-0 reads keys that end in NUL and may contain newlines" {
    printf 'a\nb\0c\r\0' | petal build --quiet -0 -o f.petal
    printf 'c\r\0a\nb\0b\0a\0' | petal check -0 f.petal >found
    printf 'c\r\0a\nb\0' | cmp - found
}

@test "-f selects a field, separated by tabs by default" {
    printf 'x\tone\ty\nx\ttwo\n' | petal build --quiet -f 2 -o tab.petal
    is "$(printf 'one\ntwo\nx\ny\n' | petal check tab.petal)" "$(printf 'one\ntwo')"
    printf 'x,one,y\r\nx,two\r\nx,\r\n' | petal build --quiet -f 2 -d , -o comma.petal
    is "$(printf 'one\ntwo\n\nx\n' | petal check comma.petal)" "$(printf 'one\ntwo\n')"
}

@test "a line without the field is reported and skipped, or fails with --strict" {
    printf 'a,b\nc\nd,e\n' >in.csv
    run --separate-stderr petal build -f 2 -d , -o f.petal in.csv in.csv
    is "$status" 0
    is "${stderr_lines[0]}" "petal: in.csv:2: the line has no field 2; skipped"
    is "${stderr_lines[1]}" "petal: in.csv:2: the line has no field 2; skipped"
    has "${stderr_lines[2]}" "petal: f.petal: 2 keys from 6 lines"
    run --separate-stderr petal build --strict -f 2 -d , -o g.petal in.csv
    is "$status $stderr" "2 petal: in.csv:2: the line has no field 2; omit --strict to skip such lines"
    [ ! -e g.petal ]
}

@test "a line of 1 MB is a key, a line of 20 MB is skipped" {
    head -c 1000000 /dev/zero | tr '\0' a >long
    petal build --quiet -o f.petal long
    is "$(petal check -c f.petal long)" 1
    head -c 20000000 /dev/zero | tr '\0' a >longer
    run --separate-stderr petal build --force -o f.petal longer
    is "$status ${stderr_lines[0]}" "2 petal: longer: the line is longer than 16 MiB; skipped"
    is "${stderr_lines[1]}" "petal: f.petal: not written: no line of the input is a key"
    is "$(petal check -c f.petal long)" 1
    (echo a; cat longer; echo; echo b) >some
    run --separate-stderr petal build --force -o f.petal some
    is "$status ${stderr_lines[0]}" "0 petal: some: the line is longer than 16 MiB; skipped"
    is "$(printf 'a\nb\nc\n' | petal check f.petal)" "$(printf 'a\nb')"
}

@test "a key may contain any bytes" {
    /usr/bin/python3 -c '
import random, sys
random.seed(7)
for i in range(500):
    line = bytes(b for b in random.randbytes(30) if b not in b"\r\n")
    sys.stdout.buffer.write(line + b"\n")' >binary
    petal build --quiet -o f.petal binary
    petal check f.petal binary | cmp - binary
}

@test "an existing file is replaced only with --force" {
    echo precious >f.petal
    cp f.petal before
    run --separate-stderr petal build -o f.petal - <<<"a"
    is "$status $stderr" "2 petal: f.petal: file exists; use --force to overwrite it"
    cmp f.petal before
    petal build --quiet --force -o f.petal - <<<"a"
    petal verify f.petal
    ln -s nowhere link.petal
    run --separate-stderr petal build -o link.petal - <<<"a"
    is "$status $stderr" "2 petal: link.petal: file exists; use --force to overwrite it"
}

@test "a replaced file keeps its mode, and a symbolic link stays a link" {
    petal build --quiet -o f.petal - <<<"a"
    chmod 600 f.petal
    ln -s f.petal link.petal
    petal build --quiet --force -o link.petal - <<<"b"
    [ -L link.petal ]
    is "$(stat -c %a f.petal)" 600
    is "$(printf 'a\nb\n' | petal check f.petal)" b
}

@test "a keyed hash has a random seed, which is not shown" {
    keys in 100 >in
    petal build --quiet -O hash=keyed -o a.petal in
    petal build --quiet -O hash=keyed -o b.petal in
    run cmp -s a.petal b.petal
    is "$status" 1
    is "$(petal check -c a.petal in)" 100
    is "$(figure "$(petal info --json a.petal)" "r.get('seed')")" None
}

@test "missing files and options are reported before any work" {
    refused nope
    is "$stderr" "petal: nope: No such file or directory"
    refused .
    is "$stderr" "petal: .: Is a directory"
    run --separate-stderr petal build -o nowhere/f.petal /dev/null
    is "$status $stderr" "2 petal: nowhere/f.petal: No such file or directory"
    run --separate-stderr petal build -o "" /dev/null
    is "$status" 2
    one_sentence "$stderr"
    run --separate-stderr petal build /dev/null
    is "$status $stderr" "2 petal: -o FILE is required"
}

@test "a missing output folder is reported before the input is read" {
    echo | gzip | head -c 10 >broken
    run --separate-stderr petal build -o nowhere/f.petal broken
    is "$stderr" "petal: nowhere/f.petal: No such file or directory"
}

@test "an invalid option is an error that names it" {
    refused --bogus
    is "$stderr" "petal: --bogus: no such option; see petal help build"
    refused -Z
    is "$stderr" "petal: -Z: no such option; see petal help build"
    refused --quiet=1
    is "$stderr" "petal: --quiet=1: takes no value; see petal help build"
    refused --kind
    is "$stderr" "petal: --kind: needs a value; see petal help build"
    refused -n
    is "$stderr" "petal: -n: needs a value; see petal help build"
    refused -d , /dev/null
    is "$stderr" "petal: -d needs -f N, the number of the field"
    refused -f 2 -d '' /dev/null
    refused -d , /dev/null
    refused -f name /dev/null
    refused -f 1,.a /dev/null
    refused --no-header /dev/null
    refused --list nonsense /dev/null
    refused --list hosts --extract url /dev/null
    refused --extract '(' /dev/null
    is "$stderr" "petal: --extract (: not url, ip or domain, and not a regular expression: missing closing parenthesis at character 2"
}

@test "an invalid value is an error that shows valid ones" {
    refused -n many /dev/null
    is "$stderr" "petal: -n many: not a number from 1 to 1.8e19, such as 1000000, 1e6 or 1M"
    refused -n -5 /dev/null
    is "$stderr" "petal: -n -5: not a number from 1 to 1.8e19, such as 1000000, 1e6 or 1M"
    refused --capacity '1 000' /dev/null
    is "$stderr" "petal: --capacity 1 000: not a number from 1 to 1.8e19, such as 1000000, 1e6 or 1M"
    refused -p often /dev/null
    is "$stderr" "petal: -p often: not a rate such as 0.01, 1% or 1e-2"
    refused -m huge /dev/null
    is "$stderr" "petal: -m huge: not a size such as 64MiB, 8Mb or 1000000 (bits)"
    refused -k magic /dev/null
    is "$stderr" "petal: -k magic: not a kind of filter: $(petal help kinds | sed -n 's/^  \([a-z]*\) .*/\1/p' | xargs)"
    refused --form poem /dev/null
    is "$stderr" "petal: --form poem: not a form: raw, url, ip, word, int32, int64, float, double or utf16"
    refused -O colour=red /dev/null
    is "$stderr" "petal: -O colour=red: colour is not one of petal's options; see petal help options"
    refused --threads two /dev/null
    is "$stderr" "petal: --threads two: not a number from 1 on"
    refused --threads 1000 /dev/null
    is "$stderr" "petal: --threads 1,000: at most 256"
}

@test "zero is not a valid rate, field or size" {
    refused -p 0 /dev/null
    refused -m 0 /dev/null
    refused -f 0 /dev/null
}

@test "an impossible filter is an error before anything is read" {
    refused -p 2 /dev/null
    is "$stderr" "petal: -p 2: must be above 0 and below 1"
    refused -n 1e15 /dev/null
    refused -p 1e-300 /dev/null
    has "$stderr" "petal: -p 1e-300: is lower than 64-bit hashes can promise"
    refused -m 1 -n 1000000 -p 1% /dev/null
}

@test "a closed pipe is not an error" {
    keys in 200000 >in
    closed_pipe build --quiet -o - in
}

@test "build --room leaves room for more keys" {
    keys in 1000 | petal build --quiet --room 20% -o f.petal
    is "$(petal info --json f.petal | grep -o "\"capacity\": [0-9]*" | cut -d" " -f2)" 1200
    keys in 1000 | petal build --quiet --room 1.5 --force -o f.petal
    is "$(petal info --json f.petal | grep -o "\"capacity\": [0-9]*" | cut -d" " -f2)" 2500
    for refused in "-k ribbon|a ribbon takes no more keys once it is built" \
                   "-k bitmap|set the size of a bitmap with -m" \
                   "-k scalable|a filter that grows needs none"; do
        run --separate-stderr petal build --room 20% ${refused%|*} --force -o f.petal /dev/null
        is "$status" 2
        is "$stderr" "petal: --room: ${refused#*|}"
    done
    run --separate-stderr petal build --room 20% -n 100 --force -o f.petal /dev/null
    is "$stderr" "petal: --room cannot be combined with -n or -m, which say how much room there is"
}
