# shard.bats: tests of petal shard.
load common

# shards N: prints NUMBER<TAB>LINE for every line, computed with another hash library.
shards() {
    /usr/bin/python3 -c '
import sys, xxhash
n = int(sys.argv[1])
for line in sys.stdin.buffer:
    line = line.rstrip(b"\n")
    number = xxhash.xxh3_64_intdigest(line, seed=0x7368617264) * n >> 64
    sys.stdout.buffer.write(b"%d\t%s\n" % (number, line))' "$1"
}

# parts N: writes each line of standard input to the file part-NUMBER of its shard.
parts() {
    for ((i = 0; i < $1; i++)); do
        : >part-$i
    done
    shards "$1" | awk -F '\t' '{ print substr($0, length($1) + 2) > ("part-" $1) }'
}

# files: lists all files except those of bats.
files() {
    ls -A | grep -v '^separate-stderr' || true
}

# refused MESSAGE OPTION...: fails with status 2 and this message, and creates no file.
refused() {
    before=$(files)
    run --separate-stderr petal shard "${@:2}"
    is "$status" 2
    is "$output" ""
    one_sentence "$stderr"
    is "$stderr" "petal: $1"
    is "$(files)" "$before"
}

@test "shard distributes lines over filters and reports it" {
    keys in 10000 >in
    run --separate-stderr petal shard -N 8 -o f-%d.petal in
    is "$status" 0
    is "$output" ""
    bytes=$(cat f-*.petal | wc -c)
    is "$stderr" "petal: f-%d.petal: 10,000 keys from 10,000 lines; 8 blocked filters, $(
        /usr/bin/python3 -c "print('%.3g' % ($bytes / 1000))") kB in total, rate 1%; $(
        shards 8 <in | cut -f1 | sort | uniq -c | sort -n | awk '
            function text(n) { return sprintf("%d,%03d", n / 1000, n % 1000) }
            NR == 1 { least = $1 } END { print text(least) " to " text($1) }') keys in each"
    is "$(ls f-* | wc -l)" 8
    petal verify f-*.petal
}

@test "every key is in the filter of its shard, which is the one that build makes" {
    keys in 20000 >in
    parts 7 <in
    for kind in classic partitioned blocked split counting ribbon; do
        petal shard --quiet --force -N 7 -k $kind -p 0.1% -o f-%d.petal in
        for i in 0 1 2 3 4 5 6; do
            is "$(petal check -c f-$i.petal part-$i)" "$(wc -l <part-$i)"
            petal build --quiet --force -k $kind -p 0.1% -o same.petal part-$i
            cmp f-$i.petal same.petal
        done
    done
}

@test "a scalable filter has room for the keys of its shard, and then grows" {
    keys in 20000 >in
    parts 3 <in
    petal shard --quiet -N 3 -k scalable -o f-%d.petal in
    for i in 0 1 2; do
        is "$(petal check -c f-$i.petal part-$i)" "$(wc -l <part-$i)"
        is "$(figure "$(petal info --json f-$i.petal)" "r['capacity'], r['stages']")" \
            "$(wc -l <part-$i) 1"
    done
    keys more 20000 | petal add --quiet f-0.petal
    is "$(keys more 20000 | petal check -c f-0.petal)" 20000
}

@test "a kind that depends on the order gets its keys in the order of the input" {
    { keys in 5000; keys in 100; } >in
    petal shard --quiet -N 1 -k scalable -o f-%d.petal in
    petal build --quiet -k scalable -n 5000 -o same.petal in
    cmp f-0.petal same.petal
}

@test "--of prints the shard of a key, or of each line" {
    { keys in 1000; echo; echo 'ä ö'; echo -; printf 'a\tb\n'; } >in
    for n in 1 2 3 64 1000 65535 65536; do
        petal shard --of - -N $n in >all
        shards $n <in | cmp - all
    done
    is "$(petal shard --of rose -N 64)" "$(echo rose | shards 64 | cut -f1)"
    is "$(petal shard --of '' -N 64)" "$(echo | shards 64 | cut -f1)"
    is "$(petal shard -N 64 --of - <in)" "$(shards 64 <in)"
    is "$(petal shard -N 64 --of - -f 2 -d , <<<"x,rose,y")" \
        "$(petal shard --of rose -N 64)$(printf '\tx,rose,y')"
    is "$(printf 'rose\0tulip\0' | petal shard -N 9 --of - -0 | tr '\0' '\n')" \
        "$(printf 'rose\ntulip\n' | shards 9)"
    run --separate-stderr petal shard --json -N 64 --of rose
    is "$(figure "$output" "r['key'], r['shard']")" "rose $(petal shard --of rose -N 64)"
    is_json "$(petal shard --json -N 64 --of - in)"
    closed_pipe shard -N 64 --of - in
}

@test "shards have about the same number of keys" {
    keys in 100000 >in
    run --separate-stderr petal shard --json -N 16 -o f-%d in
    # binomial: within six standard deviations of the mean
    is "$(figure "$output" "all(abs(r[k] - 6250) < 6 * math.sqrt(6250) for k in ('keys_least', 'keys_most'))")" \
        True
    is "$(figure "$output" "r['keys'], r['shards'], r['files']")" "100000 16 f-%d"
}

@test "the filter of a shard keeps its rate, because its hash is another one" {
    keys in 20000 >in
    petal shard --quiet -N 16 -o f-%d.petal in
    for i in 0 7 15; do
        petal measure -n 100000 f-$i.petal >/dev/null
    done
}

@test "duplicates count once in the report and in the size" {
    keys in 5000 >in
    petal shard --quiet -N 4 -o once-%d in
    run --separate-stderr petal shard -N 4 -o twice-%d in in - <<<"in-1"
    has "$stderr" "petal: twice-%d: 5,000 keys from 10,001 lines; 4 blocked filters"
    petal shard --quiet -N 4 -k ribbon -o ribbon-once-%d in
    petal shard --quiet -N 4 -k ribbon -o ribbon-twice-%d in in
    for i in 0 1 2 3; do
        cmp once-$i twice-$i
        cmp ribbon-once-$i ribbon-twice-$i
    done
}

@test "a counting filter counts repeated keys and is not larger" {
    keys in 1000 >in
    petal shard --quiet -N 2 -k counting -o once-%d in
    petal shard --quiet -N 2 -k counting -o twice-%d in in
    is "$(wc -c <once-0)" "$(wc -c <twice-0)"
    is "$(petal count twice-$(petal shard -N 2 --of in-7) - <<<in-7)" "$(printf '2\tin-7')"
}

@test "every shard has a file, even without keys" {
    echo rose >in
    for kind in blocked classic counting scalable ribbon; do
        petal shard --quiet --force -N 20 -k $kind -o $kind-%d in
        petal build --quiet --force -k $kind -n 1 -o none /dev/null
        is "$(ls $kind-* | wc -l)" 20
        mine=$(petal shard -N 20 --of rose)
        for ((i = 0; i < 20; i++)); do
            if [ $i = "$mine" ]; then
                is "$(petal check $kind-$i in)" rose
            else
                cmp none $kind-$i
            fi
        done
    done
    run --separate-stderr petal shard -N 3 -o empty-%d /dev/null
    is "$status" 0
    has "$stderr" "petal: empty-%d: 0 keys from 0 lines; 3 blocked filters, 984 B in total, rate 1%; 0 to 0 keys"
}

@test "there can be one shard, or very many" {
    keys in 3000 >in
    petal shard --quiet -N 1 -o one-%d in
    petal build --quiet -o all in
    cmp one-0 all
    mkdir many
    petal shard --quiet -N 2000 -o many/%d in
    is "$(ls many | sort -n | tr '\n' ' ')" "$(seq 0 1999 | tr '\n' ' ')"
    is "$(shards 2000 <in | while read -r number key; do
        [ "$key" != in-7 ] || petal check many/$number - <<<"$key"
    done)" in-7
}

@test "the files are the same for any number of threads and any order" {
    keys http://example.org/some/where/page 60000 >in
    sort -r in >reversed
    for kind in blocked counting ribbon; do
        petal shard --quiet -N 5 -k $kind --threads 1 -o $kind-1-%d in
        for threads in 2 8; do
            petal shard --quiet -N 5 -k $kind --threads $threads -o $kind-$threads-%d reversed
            for i in 0 1 2 3 4; do
                cmp $kind-1-$i $kind-$threads-$i
            done
        done
    done
}

@test "all shards share one random seed" {
    keys in 1000 >in
    petal shard --quiet -N 4 -O hash=keyed -o a-%d in
    petal shard --quiet -N 4 -O hash=keyed -o b-%d in
    seed() {
        od -An -tx1 -j48 -N16 "$1"
    }
    for i in 1 2 3; do
        is "$(seed a-$i)" "$(seed a-0)"
    done
    [ "$(seed a-0)" != "$(seed b-0)" ]
    for ((i = 0; i < 4; i++)); do
        petal shard -N 4 --of - in | sed -n "s/^$i\t//p" >part
        is "$(petal check -c a-$i part)" "$(wc -l <part)"
    done
}

@test "keys can be fields, NUL-separated, and from files, compressed or not" {
    keys in 2000 >in
    petal shard --quiet -N 3 -o f-%d in
    gzip -k in
    petal shard --quiet -N 3 -o g-%d in.gz
    zstd -q in
    petal shard --quiet -N 3 -o h-%d - <in.zst
    sed 's/^/x,/' in | petal shard --quiet -N 3 -f 2 -d , -o i-%d
    tr '\n' '\0' <in | petal shard --quiet -N 3 -0 -o j-%d
    for f in g h i j; do
        for n in 0 1 2; do
            cmp f-$n $f-$n
        done
    done
    run --separate-stderr petal shard -N 3 -f 2 -d , -o k-%d - <<<"$(printf 'a,b\nc\n')"
    is "${stderr_lines[0]}" "petal: standard input:2: the line has no field 2; skipped"
    has "${stderr_lines[1]}" "petal: k-%d: 1 key from 1 line; 3 blocked filters"
}

@test "--quiet prints nothing, --json prints the figures" {
    keys in 1000 >in
    run petal shard --quiet -N 3 -o f-%d in
    is "$status $output" "0 "
    run --separate-stderr petal shard --json -N 3 -k ribbon -p 0.1% -o g-%d in in
    is "$stderr" ""
    is "$(figure "$output" "r['lines'], r['keys'], r['kind'], r['fpr'], r['image_bytes']")" \
        "2000 1000 ribbon 0.001 $(cat g-* | wc -c)"
}

@test "%d in the name is the number, and %% is a percent sign" {
    echo rose >in
    mkdir 0 1
    petal shard --quiet -N 2 -o '%d/100%%d.petal' in
    petal verify 0/100%d.petal 1/100%d.petal
    petal shard --quiet -N 2 -o '%%%%%d%%' in
    petal verify %%0% %%1%
}

@test "a name without exactly one %d is an error" {
    for name in f.petal - 'f-%d-%d' '%%d'; do
        refused "-o $name: the name must contain %d once, for the number of the shard" -N 2 -o "$name"
    done
    for name in f-%i %s-%d %d% %03d; do
        refused "-o $name: only %d, the number of the shard, or %% may follow a %" \
            -N 2 -o "$name"
    done
    refused "-o NAME is required, such as -o bad-%d.petal" -N 2
    refused "-o: File name too long" -N 2 -o "$(head -c 4090 /dev/zero | tr '\0' x)%d"
}

@test "invalid options are an error before anything is read" {
    refused "-N N, the number of shards, is required" -o f-%d nowhere
    refused "-N N, the number of shards, is required" --of rose
    refused "-N 65,537: at most 65,536 shards are possible" -N 65537 -o f-%d nowhere
    refused "-N 65,537: at most 65,536 shards are possible" -N 65537 --of rose
    refused "-N 0: not a number from 1 on" -N 0 -o f-%d nowhere
    for form in url ip word; do
        for how in "--form $form" "-O form=$form"; do
            refused "--form: only raw keys can be sharded; parents of a URL or address would be in other shards" \
                -N 2 $how -o f-%d nowhere
        done
    done
    refused "-k bitmap: each bitmap would be as large as one of all keys; use petal build" \
        -N 2 -k bitmap -o f-%d nowhere
    for option in capacity=1000 bits=8000; do
        refused "-O: capacity and bits cannot be set; the size of each filter follows from its keys" \
            -N 2 -O $option -o f-%d nowhere
    done
    refused "-m: no such option; see petal help shard" -N 2 -m 1MiB -o f-%d nowhere
    refused "-n: no such option; see petal help shard" -N 2 -n 1000 -o f-%d nowhere
    refused "-p 2: must be above 0 and below 1" -N 2 -p 2 -o f-%d nowhere
    refused "-p 1e-09: must be at least 0.0001 with this kind; leave the kind out to go lower" \
        -N 2 -k blocked -p 1e-9 -o f-%d nowhere
    refused "--of and -o cannot be combined; --of writes no filters" -N 2 --of rose -o f-%d
    refused "too many arguments; usage: petal shard -N N -o NAME-%d [options] [FILE...]" -N 2 --of rose tulip
    run --separate-stderr petal shard -N 2 -k ribbon -O hashes=4 -o f-%d nowhere
    is "$status" 2
    one_sentence "$stderr"
    [[ $stderr != *nowhere* ]]
}

@test "an existing file is an error without --force, and no file is written" {
    keys in 100 >in
    echo old >f-2
    refused "f-2: file exists; use --force to overwrite it" -N 4 -o f-%d nowhere
    is "$(cat f-2)" old
    petal shard --quiet --force -N 4 -o f-%d in
    petal verify f-0 f-1 f-2 f-3
    mkdir g-3
    refused "g-3: Is a directory" --force -N 4 -o g-%d nowhere
    refused "away/0: No such file or directory" -N 4 -o away/%d nowhere
}

@test "an error in the input writes no file and keeps old ones" {
    seq 20000 >numbers
    gzip -c numbers | head -c 20000 >cut.gz
    refused "cut.gz: the compressed file is truncated" -N 4 -o f-%d numbers cut.gz
    refused "nowhere: No such file or directory" -N 4 -o f-%d numbers nowhere
    petal shard --quiet -N 2 -o old-%d numbers
    cp old-0 kept
    refused "cut.gz: the compressed file is truncated" --force -N 2 -o old-%d cut.gz
    cmp old-0 kept
    printf 'a,b\nc\n' >in
    refused "in:2: the line has no field 2; omit --strict to skip such lines" -N 2 --strict -f 2 -d , -o g-%d in
}

@test "a file that cannot be written is an error with the number written" {
    seq 1000 >in
    mkdir 0 1 2
    limited() {
        (ulimit -f "$1" && trap '' XFSZ && exec "$PETAL" "${@:2}")
    }
    run --separate-stderr limited 4 shard -N 1 -o big-%d -p 1e-9 in
    is "$status" 2
    one_sentence "$stderr"
    is "$stderr" \
        "petal: big-0: the file could not be written: File too large; wrote 0 of 1 filters"
    is "$(files | tr '\n' ' ')" "0 1 2 in "
    # Most of these keys are in the last shard, so only that one is too large.
    petal shard -N 3 --of - in | awk '$1 < 2 && seen[$1]++ < 5 || $1 == 2 { print $2 }' >uneven
    run --separate-stderr limited 1 shard -N 3 -o %d/f -p 1e-9 uneven
    is "$status" 2
    is "$stderr" \
        "petal: 2/f: the file could not be written: File too large; wrote 2 of 3 filters"
    is "$(ls -A 2)" ""
    petal verify 0/f 1/f
}

@test "too little memory is an error and leaves no file" {
    seq 3000000 >in
    limited() {
        (ulimit -v "$1" && exec "$PETAL" "${@:2}")
    }
    [ -z "$SANITIZED" ] || skip "makes no sense: a sanitizer takes all the room there is"
    for room in 30000; do
        run --separate-stderr limited $room shard --threads 1 -N 4 -o f-%d in
        is "$status" 2
        one_sentence "$stderr"
        has "$stderr" "out of memory"
        is "$(files)" in
    done
}

@test "Ctrl-C during reading leaves no file" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import signal, subprocess, sys
from limits import LIMIT_SECONDS
p = subprocess.Popen([sys.argv[1], "shard", "-N", "4", "-o", "f-%d"], stdin=subprocess.PIPE,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
p.stdin.write(b"".join(b"line %d\n" % i for i in range(100000)))
p.stdin.flush()
p.send_signal(signal.SIGINT)
assert p.wait(LIMIT_SECONDS) == -signal.SIGINT
PYTHON
    is "$(ls -A)" ""
}

@test "shard --room leaves room for more keys in each filter" {
    keys in 1000 >in
    petal shard --quiet -N 3 -o 'a-%d' in
    petal shard --quiet -N 3 --room 20% -o 'b-%d' in
    for i in 0 1 2; do
        n=$(petal info --json a-$i | grep -o "\"capacity\": [0-9]*" | cut -d" " -f2)
        is "$(petal info --json b-$i | grep -o "\"capacity\": [0-9]*" | cut -d" " -f2)" $((n + (n + 4) / 5))
    done
    refused "--room: a ribbon takes no more keys once it is built" -N 3 -k ribbon --room 20% -o 'c-%d' in
}
