#!/usr/bin/env bats
# lists.bats: tests of how lists in all formats are read.
load common

# model SAMPLE: compares petal with the list that a sample was made from.
model() {
    /usr/bin/python3 "$BATS_TEST_DIRNAME/lists_model.py" "$PETAL" "$1"
}

# found FORM MESSAGE LINE...: auto reads a list of these lines and says MESSAGE first.
found() {
    local form=$1 message=$2
    shift 2
    printf '%s\n' "$@" >found.txt
    is "$(petal normalize --form "$form" found.txt 2>&1 >found.keys | head -n 1)" "$message"
}

# reads FORM LIST KEYS LINE: this line, after a good one, gives these keys (one per line) and no skip.
reads() {
    local good=192.0.2.77
    [ "$1" = ip ] || good=$(sample "$2")
    printf '%s\n%b\n' "$good" "$4" >reads.txt
    is "$(petal normalize --form "$1" --list "$2" reads.txt 2>errors | tail -n +2)" "$3"
    is "$(cat errors)" ""
}

# skips FORM LIST REASON LINE: this line, after a good one, gives no key and counts once as REASON.
skips() {
    local good=192.0.2.77 report
    [ "$1" = ip ] || good=$(sample "$2")
    printf '%s\n%b\n' "$good" "$4" >skips.txt
    is "$(petal normalize --quiet --form "$1" --list "$2" skips.txt | wc -l)" 1
    report=$(petal build --json --force --form "$1" --list "$2" -o skips.petal skips.txt 2>errors)
    is "$(figure "$report" "r['skipped']")" "{'$3': 1}"
}

# sample LIST: prints a good line of this format.
sample() {
    case $1 in
    hosts) echo "0.0.0.0 good.example" ;;
    adblock) echo "||good.example^" ;;
    dnsmasq) echo "address=/good.example/0.0.0.0" ;;
    unbound) echo 'local-zone: "good.example" static' ;;
    rpz) echo "good.example CNAME ." ;;
    jsonl) echo '{"url": "http://good.example/"}' ;;
    *) echo good.example ;;
    esac
}

# ---- Every format, compared with the model ----

@test "plain lists are read exactly" { model plain; }
@test "lists of domains are read exactly" { model domains; }
@test "hosts files are read exactly" { model hosts; }
@test "AdBlock rules are read exactly" { model adblock; }
@test "settings of dnsmasq are read exactly" { model dnsmasq; }
@test "settings of Unbound are read exactly" { model unbound; }
@test "response policy zones are read exactly" { model rpz; }
@test "a list of several formats is read exactly" { model mixed; }
@test "lists of addresses are read exactly" { model ip; }
@test "netsets of FireHOL are read exactly" { model firehol; }
@test "the DROP list of Spamhaus is read exactly" { model spamhaus; }
@test "tables are read exactly" { model csv; }
@test "exports of MISP are read exactly for URLs" { model misp; }
@test "exports of MISP are read exactly for addresses" { model misp_ip; }
@test "dumps of URLhaus are read exactly" { model urlhaus; }
@test "tables of STIX patterns are read exactly" { model stix_csv; }
@test "STIX bundles are read exactly" { model stix; }
@test "lines of JSON are read exactly" { model jsonl; }
@test "JSON documents are read exactly" { model json; }
@test "the ranges of AWS are read exactly" { model aws; }
@test "the ranges of Google Cloud are read exactly" { model gcp; }

# ---- What petal says ----

@test "auto says which format it found" {
    found url "petal: found.txt: read as a hosts file (--list hosts)" "# x" "0.0.0.0 a.example"
    found url "petal: found.txt: read as a list of AdBlock rules (--list adblock)" "! x" "||a.example^"
    found url "petal: found.txt: read as settings of dnsmasq (--list dnsmasq)" "address=/a.example/"
    found url "petal: found.txt: read as settings of Unbound (--list unbound)" "server:" \
        'local-zone: "a.example" static'
    found url "petal: found.txt: read as a response policy zone (--list rpz)" "a.example CNAME ."
    found url "petal: found.txt: read as a table (--list csv)" "id,url" "1,a.example"
    found ip "petal: found.txt: read as a table (--list csv)" "id,ip" "1,192.0.2.7"
    found url "petal: found.txt: read as JSON, one document per line (--list jsonl)" '{"url": "a.example"}' '{}'
    found ip "petal: found.txt: read as a JSON document (--list json)" '{' '"ip_prefix": "192.0.2.0/24"' '}'
}

@test "auto says nothing about a list of plain keys" {
    found url "" a.example http://b.example/x
    found ip "" 192.0.2.7 2001:db8::/32
}

@test "the example of the page is as the page shows it" {
    printf '# ads\n0.0.0.0 ads.example tracker.example\n||shop.example/track/^\n*.spam.example\n' >block.txt
    run --separate-stderr petal normalize --form url block.txt
    is "$status" 0
    is "$output" "ads.example/
tracker.example/
shop.example/track/
spam.example/"
    is "$stderr" "petal: block.txt: read as a list of AdBlock rules (--list adblock)
petal: skipped 1 comment"
}

@test "the column that has the keys is named" {
    printf 'date,type,value\n2026-11-01,domain,evil.example\n' >a.csv
    run --separate-stderr petal normalize --form url a.csv
    is "$status" 0
    is "$output" "evil.example/"
    is "$stderr" 'petal: a.csv: read as a table (--list csv)
petal: a.csv: the keys are in column "value"; choose another with -f'
}

@test "a table in which no column is known is an error that names the columns" {
    printf 'x,foo\na.example,1\n' >a.csv
    run --separate-stderr petal build --form url --list csv -o a.petal a.csv
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "choose one with -f"
    has "$stderr" "x,foo"
    [ ! -e a.petal ]
}

@test "entries that are skipped are named with line and reason, and counted" {
    printf '%s\n' "||a.example^" "" "! why" "@@||b.example^" "||c.example^\$script" >rules.txt
    run --separate-stderr petal build --form url -o a.petal rules.txt
    is "$status" 0
    has "$stderr" "petal: rules.txt:4: an exception; a filter has no exceptions: @@||b.example^; skipped"
    has "$stderr" "petal: rules.txt:5: the rule applies only under conditions: ||c.example^\$script; skipped"
    has "$stderr" "petal: skipped 1 blank line, 1 comment, 1 exception (@@), 1 rule"
    is "$(grep -c "rules.txt:[235]:" <<<"$stderr")" 1
}

@test "the first ten entries that are skipped are named" {
    { seq -f 'b*d%.0f.example' 15; echo ok.example; } >many.txt
    run --separate-stderr petal build --form url -o a.petal many.txt
    is "$status" 0
    is "$(grep -c '; skipped$' <<<"$stderr")" 10
    has "$stderr" "many.txt:10: a wildcard is only possible at the start, as in *.example.com: b*d10.example; skipped"
    has "$stderr" "petal: skipped 15 wildcards within names"
}

@test "one line counts all skipped entries, unless each was named" {
    printf '%s\n' ok.example 'b*d.example' >one.txt
    run --separate-stderr petal build --form url -o a.petal one.txt
    is "${#stderr_lines[@]}" 2
    echo '# why' >>one.txt
    run --separate-stderr petal build --force --form url -o a.petal one.txt
    has "$stderr" "petal: skipped 1 comment, 1 wildcard within a name"
}

@test "skipped entries are named in the order of the file, with their text" {
    printf '%s\n' ok.example "http://" "b*d.example" "not a name" >order.txt
    run --separate-stderr petal build --form url -o a.petal order.txt
    is "$(sed -n 's/.*order.txt:\([0-9]*\):.*/\1/p' <<<"$stderr" | tr '\n' ' ')" "2 3 4 "
    has "$stderr" "not a name; skipped"
}

@test "--strict names the first wrong line and writes nothing" {
    printf '%s\n' "# fine" ok.example "" "b*d.example" >a.txt
    run --separate-stderr petal build --strict --form url -o a.petal a.txt
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "a.txt:4: a wildcard"
    has "$stderr" "b*d.example; omit --strict to skip such lines"
    [ ! -e a.petal ]
}

@test "an unknown list format is an error that names all formats" {
    echo a.example >a.txt
    run --separate-stderr petal build --list nonsense -o a.petal a.txt
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "--list nonsense"
    for format in auto plain domains hosts adblock dnsmasq unbound rpz ip csv jsonl json; do
        has "$stderr" " $format"
    done
}

@test "--list and --extract exclude each other" {
    echo a.example >a.txt
    run --separate-stderr petal build --list hosts --extract url -o a.petal a.txt
    is "$status" 2
    is "$stderr" "petal: --list and --extract cannot be combined: both say what a key is"
}

@test "a list without a key is an error, and nothing is written" {
    printf '%s\n' "! only" "@@||a.example^" >a.txt
    run --separate-stderr petal build --form url -o a.petal a.txt
    is "$status" 2
    has "$stderr" "petal: a.petal: not written: no line of the input is a key"
    [ ! -e a.petal ]
    run --separate-stderr petal normalize --quiet --form url a.txt
    is "$status" 1
    is "$output" ""
}

@test "petal help lists describes every format" {
    run --separate-stderr petal help lists
    is "$status" 0
    for format in auto plain domains hosts adblock dnsmasq unbound rpz ip csv jsonl json; do
        grep -q "^  $format " <<<"$output"
    done
}

# ---- The form ----

@test "the form follows from the format of the list" {
    echo "0.0.0.0 a.example" >hosts.txt
    petal build --quiet --list hosts -o hosts.petal hosts.txt
    grep -q '^  form  *url$' <<<"$(petal info hosts.petal)"
    echo "192.0.2.0 - 192.0.2.255 ; why" >ip.txt
    petal build --quiet --list ip -o ip.petal ip.txt
    grep -q '^  form  *ip$' <<<"$(petal info ip.petal)"
    is "$(petal check ip.petal <<<192.0.2.200)" 192.0.2.200
}

@test "without a form and --list, lines are bytes" {
    printf '%s\n' "# a" "*.b.example" "0.0.0.0 c.example" >a.txt
    run --separate-stderr petal normalize a.txt
    is "$output" "$(cat a.txt)"
    has "$stderr" "looks like a hosts file" # however short its first line is
}

@test "--list json without --form reads the ranges of AWS completely" {
    printf '{"prefixes": [{"ip_prefix": "192.0.2.0/24"}],\n"ipv6_prefixes": [{"ipv6_prefix": "2001:db8::/32"}]}\n' >aws.json
    is "$(petal normalize --quiet --list json aws.json)" "192.0.2.0/24
2001:db8::/32"
}

# ---- The wrong field ----

squid() {
    for i in $(seq "$1"); do
        echo "1700000000.1 100 10.0.0.$i TCP_MISS/200 1000 GET http://site$i.example/a - DIRECT/192.0.2.4 text/html"
    done >squid.log
    echo evil.example >urls.txt
    petal build --quiet --force --form url -o url.petal urls.txt
}

@test "a field that has no names is noticed, and a better one suggested" {
    squid 20
    run --separate-stderr petal check url.petal -f 6 squid.log
    is "$status" 1
    is "$stderr" "petal: 100% of the keys look wrong: for example, GET has no dot; field 7 looks better: try -f 7"
    run --separate-stderr petal check url.petal -f 7 squid.log
    is "$stderr" ""
}

@test "a few keys without a dot are not remarked on" {
    squid 19
    run --separate-stderr petal check url.petal -f 6 squid.log
    is "$stderr" ""
    squid 30
    sed -i '1,4s/GET/a.example/' squid.log # 26 of 30: below 90%
    run --separate-stderr petal check url.petal -f 6 squid.log
    is "$stderr" ""
    squid 30
    sed -i '1,3s/GET/a.example/' squid.log # 27 of 30: 90%
    run --separate-stderr petal check url.petal -f 6 squid.log
    has "$stderr" "90% of the keys look wrong"
}

@test "the remark about a key without a dot is true" {
    squid 25
    run --separate-stderr petal check url.petal squid.log
    if grep -q 'for example, .*\..* has no dot' <<<"$stderr"; then
        echo "$stderr"
        return 1
    fi
}

# ---- Lines that are easily misread: what the page says ----

@test "two addresses that are no netmask are not a range to the end of the internet" {
    skips ip ip bad_mask "10.0.0.0 255.0.255.0"
    skips ip ip bad_mask "10.0.0.0/255.0.255.0"
}

@test "a range with blanks that is wrong is skipped, not its first address added" {
    skips ip ip bad_range "192.0.2.19 - 192.0.2.10"
    skips ip ip bad_range "192.0.2.1 - 2001:db8::1"
}

@test "a range followed by columns is the range" {
    reads ip ip "192.0.2.10/31
192.0.2.12/30
192.0.2.16/30" "192.0.2.10 - 192.0.2.19 100 2026-11-01"
}

@test "a prefix with blanks around its slash is not a single address" {
    printf '10.0.0.0 / 8\n' >a.txt
    run --separate-stderr petal normalize --form ip a.txt
    [ "$output" != 10.0.0.0 ]
    printf '10.0.0.0 /8\n' >a.txt
    run --separate-stderr petal normalize --form ip a.txt
    [ "$output" != 10.0.0.0 ]
}

@test "other text beside an address is an error, after columns of numbers too" {
    skips ip ip text_after "192.0.2.7 bad guy"
    skips ip ip text_after "192.0.2.7 12 bad guy"
}

@test "auto and --list hosts read the same from a hosts file" {
    printf '0.0.0.0 a.example\n0.0.0.0 -b.example\n0.0.0.0 192.0.2.7\n' >hosts.txt
    is "$(petal normalize --quiet --form url hosts.txt)" "$(petal normalize --quiet --list hosts hosts.txt)"
}

@test "AdBlock patterns never become a key that means something else" {
    skips url adblock pattern "||ads."
    skips url adblock pattern "||a.example//"
}

@test "comments are handled in lines of JSON" {
    skips url jsonl comment "# why"
}

@test "comments above a table are counted" {
    printf '# a dump\n#\n# id,url\n"1","http://a.example/"\n' >a.csv
    report=$(petal build --json --form url -o a.petal a.csv 2>errors)
    is "$(figure "$report" "r['skipped'].get('comment')")" 2
}

@test "a filter of URLs takes IPv6 addresses of a table" {
    printf '%s\n' type,value ip-dst,192.0.2.7 ip-dst,2001:db8::7 >a.csv
    is "$(petal normalize --quiet --form url a.csv)" "192.0.2.7/
[2001:db8::7]/"
}

# ---- Lines that are easily misread: the page does not say, this is what a user would expect ----

@test "the line 0.0.0.0 0.0.0.0 of hosts files is no error, with --list and without" {
    skips url hosts local_name "0.0.0.0 0.0.0.0"
    skips url auto local_name "0.0.0.0 0.0.0.0"
}

@test "the start of a response policy zone is no key and no error" {
    printf '%s\n' '$TTL 300' '@ IN SOA localhost. root.localhost. (' '    2026110101 ; serial' '    3600' \
        '    300 )' '  IN NS localhost.' 'evil.example IN CNAME .' >zone
    is "$(petal normalize --quiet --list rpz zone)" evil.example/
    is "$(petal normalize --quiet --form url zone)" evil.example/
    petal build --quiet --strict --list rpz -o a.petal zone
}

@test "names in a zone with an origin lose the origin" {
    printf '%s\n' '$ORIGIN rpz.example.' '@ IN SOA a. b. 1 2 3 4 5' 'evil.example.rpz.example. CNAME .' >zone
    is "$(petal normalize --quiet --list rpz zone)" evil.example/
}

@test "every line of a list is either a key or counted" {
    skips url dnsmasq syntax "address=/a.example"
    skips url jsonl no_field '{"other": "a.example"}'
}

@test "a domain that Unbound answers normally is no key" {
    skips url unbound passthru 'local-zone: "a.example" always_transparent'
    skips url unbound passthru 'local-zone: "10.in-addr.arpa." nodefault'
}

@test "a table without a header does not lose its keys" {
    printf '2026-11-01,domain,evil.example\n2026-11-02,domain,bad.example\n' >a.csv
    run --separate-stderr petal normalize --form url a.csv
    if [ "$output" = domain/ ]; then
        echo "the type is read as the key"
        return 1
    fi
}

@test "a table of one column has a header, too" {
    printf 'url\nhttp://a.example/\nhttp://b.example/\n' >a.csv
    is "$(petal normalize --quiet --list csv --form url a.csv)" "a.example/
b.example/"
    is "$(petal normalize --quiet --form url a.csv)" "a.example/
b.example/"
}

@test "a quote that is never closed does not lose the rest of a table quietly" {
    { echo url,x; echo '"b.example,2'; seq -f 'c%.0f.example,1' 5000; } >a.csv
    run --separate-stderr petal normalize --form url a.csv
    [ "$(wc -l <<<"$output")" -ge 4999 ] || has "$stderr" 5000
}

@test "a JSON array of texts is a list of keys" {
    printf '["a.example",\n"b.example"]\n' >a.json
    is "$(petal normalize --quiet --list json --form url a.json)" "a.example/
b.example/"
}

@test "the type of an entry is respected in JSON, too" {
    printf '%s\n' '{"type": "domain", "indicator": "a.example"}' '{"type": "md5", "indicator": "abcd"}' >a.jsonl
    is "$(petal normalize --quiet --form url a.jsonl)" a.example/
}

@test "a STIX pattern of a file is an entry of another type" {
    printf "%s\n" "id,pattern" "1,[domain-name:value = 'a.example']" "2,[file:hashes.MD5 = 'abcd']" >a.csv
    report=$(petal build --json --form url -o a.petal a.csv 2>errors)
    is "$(figure "$report" "r['skipped']")" "{'other_type': 1}"
}

@test "all values of a STIX set are keys" {
    printf "%s\n" "id,pattern" "1,\"[domain-name:value IN ('a.example', 'b.example')]\"" >a.csv
    is "$(petal normalize --quiet --form url a.csv)" "a.example/
b.example/"
}

# ---- Hostile files ----

@test "damaged lists, tables and JSON never crash the command" {
    cat >damage.py <<'PYTHON'
"""Runs petal on many damaged files, all formats each, and requires an ordinary exit status."""
import random, subprocess, sys
from limits import LIMIT_SECONDS
PETAL = sys.argv[1]
SEEDS = [
    b"0.0.0.0 ads.example b.example # c\n||x.example/a/^$all\n@@||y^\n*.z.example\naddress=/a/b/1\n",
    b'$ORIGIN x.\n@ SOA (\n1 2 )\nbad.x. CNAME .\nlocal-zone: "a" static\nlocal-data: "b A 1.2.3.4"\n',
    b"192.0.2.1 - 192.0.2.9\n10.4.*.*\n10.0.0.0 255.0.0.0\n::-::ff\n[::1]:2\nfe80::1%e/64\n1.2.3.4/24 ; x\n",
    b'# id,url,type\n"1","http://a.example/""x""","url"\n2,[url:value = \'http://b/\'],domain|ip\n',
    b'{"a": {"url": "http://x.example/", "type": "url"}, "ip_prefix": ["1.2.3.0/24", 7]}\n',
    b"\xef\xbb\xbfhxxp://evil[.]example/a\r\n\r\n-\n.\n*.\n/*\n||\n||^\n|\n#\n!\n[\n",
]
FORMATS = "auto plain domains hosts adblock dnsmasq unbound rpz ip csv jsonl json".split()
WAYS = [["--list", f] for f in FORMATS] + [
    ["--csv", "-f", "2"], ["-f", ".a.url,.ip_prefix[]"], ["-f", "2,1"], ["-f", "1", "-d", "::"],
    ["--extract", "url"], ["--extract", "ip"], ["--extract", "domain"], ["--extract", "([a-z]+)[.]x?"]]
r = random.Random(5)

def damaged():
    data = bytearray(b"".join(r.choice(SEEDS) for _ in range(r.randrange(1, 4))))
    for _ in range(r.randrange(12)):
        at = r.randrange(len(data))
        how = r.random()
        if how < 0.4:
            data[at] = r.choice(b'\0\n\r\t "\'#/|^*$@[](){}.,:;-%=\\\xff0a')
        elif how < 0.7:
            del data[at:at + r.randrange(1, 9)]
        else:
            data[at:at] = data[at:at + r.randrange(30)] * r.randrange(1, 3)
        data = data or bytearray(b"\n")
    return bytes(data)

for i in range(40):
    open("damaged", "wb").write(damaged())
    for way in WAYS:
        form = r.choice(["url", "ip", "raw"])
        done = subprocess.run([PETAL, "normalize", "--form", form, "--parents", *way, "damaged"],
                              capture_output=True, timeout=LIMIT_SECONDS)
        assert done.returncode in (0, 1, 2), (i, way, form, done)
        assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, (i, way, form, done)
PYTHON
    /usr/bin/python3 damage.py "$PETAL"
}

# ---- What an analyst tripped over ----

@test "a hosts file never becomes the prefix of every address" {
    printf '0.0.0.0 0.0.0.0\n0.0.0.0 ads.example\n192.0.2.1\n' >hosts
    is "$(petal normalize --quiet --form ip hosts)" 192.0.2.1
}

@test "an empty list never replaces a filter" {
    echo a.example | petal build --quiet --form url -o f.petal
    cp f.petal before
    run --separate-stderr petal build --force --form url -o f.petal /dev/null
    is "$status $stderr" "2 petal: f.petal: not overwritten: the input is empty"
    cmp f.petal before
}

@test "a web page, a binary file or a filter is not a list" {
    echo a.example | petal build --quiet --form url -o f.petal
    printf '<!DOCTYPE html>\na.example\n' >page
    run --separate-stderr petal build --form url -o g.petal page
    is "$status $stderr" "2 petal: page: a web page, not a list; was it downloaded without an error?"
    printf 'a.example\n\0\1\2b.example\n' >archive
    run --separate-stderr petal build --form url -o g.petal archive
    is "$status $stderr" "2 petal: archive: a binary file, not a list; if it is an archive, unpack it first"
    run --separate-stderr petal check f.petal f.petal
    is "$status $stderr" "2 petal: f.petal: a filter, not a list of keys; petal check -F f.petal queries one more filter"
    [ ! -e g.petal ]
}

@test "a hosts file without --form is pointed out" {
    printf '0.0.0.0 a.example\n' >hosts
    run --separate-stderr petal build -o f.petal hosts
    is "${stderr_lines[0]}" "petal: hosts: looks like a hosts file, but every line is a key as it is; use --form url to read it as one"
}

@test "blanks between a delimiter and a quote do not matter" {
    printf '"d", "ioc_value", "ioc_type"\n"x", "a, b.example" , "domain"\n"x", "c.example", "domain"\n"y", "aabb", "md5_hash"\n' >a.csv
    is "$(petal normalize --quiet --list csv --form raw -f ioc_value a.csv)" "a, b.example
c.example
aabb"
    is "$(petal normalize --quiet --form url a.csv)" c.example/
}

@test "quotes around a field of a log, and harmless spellings in it, do not hide a hit" {
    echo evil.example | petal build --quiet --form url -p 1e-6 -o f.petal
    printf '%s\n' '1 "http://evil.example/a"' '2 hxxp://evil[.]example/x' '3 "-"' >log
    is "$(petal check --quiet -f 2 -c f.petal log)" 2
    is "$(echo 'see hxxp://evil[.]example/x.' | petal check --extract url -c f.petal)" 1
}

@test "text after a URL is not a part of its host" {
    printf 'http://p.example and text\n' >a.txt
    run --separate-stderr petal normalize --form url a.txt
    is "$status $output" "1 "
    is "$stderr" "petal: a.txt:1: other text beside the key: http://p.example and text; skipped"
}

@test "first and last address in columns are a range" {
    printf '198.51.100.0\t198.51.100.255\t24\t2000\n' >block.txt
    is "$(petal normalize --form ip block.txt)" 198.51.100.0/24
}
