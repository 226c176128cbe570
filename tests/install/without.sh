#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# without.sh PETAL LIBRARY...: test a command that was built without these libraries.
# without.sh --load "FILE (Debian package PACKAGE)" PETAL LIBRARY...: test one that cannot load them.
#
# Everything that needs none of them works.  Everything else names the missing library.
# If PETAL_EMULATOR is set, the command runs under it.
set -eu
missing=
if [ "$1" = --load ]; then
    missing=$2
    shift 2
fi
command=$1
shift
petal() { ${PETAL_EMULATOR:-} "$command" "$@"; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0

# refuses MESSAGE COMMAND...: the command exits with status 2 and prints only this message.
refuses() {
    wanted="petal: $1"
    shift
    status=0
    got=$("$@" 2>&1 </dev/null) || status=$?
    if [ "$status" != 2 ] || [ "$got" != "$wanted" ]; then
        echo "$*: status $status, printed '$got', not '$wanted'" >&2
        exit 1
    fi
    passed=$((passed + 1))
    echo "ok: $wanted"
}

# why LIBRARY, remedy LIBRARY: parts of a message.
why() {
    if [ -n "$missing" ]; then
        echo "this petal cannot load $missing"
    else
        echo "this petal was built without $1"
    fi
}
remedy() {
    if [ -n "$missing" ]; then
        echo "install it"
    else
        echo "rebuild it with $1"
    fi
}

printf 'rose\ntulip\n' >flowers.txt
petal build --quiet -o flowers.petal flowers.txt
[ "$(petal check flowers.petal flowers.txt)" = "rose
tulip" ]
passed=$((passed + 1))
for library in "$@"; do
    case $library in
    zlib)
        printf '\037\213\010\000' >flowers.gz
        refuses "flowers.gz: compressed with gzip, but $(why zlib); decompress it first" \
            petal check flowers.petal flowers.gz
        ;;
    zstd)
        printf '\050\265\057\375' >flowers.zst
        refuses "flowers.zst: compressed with zstd, but $(why libzstd); decompress it first" \
            petal check flowers.petal flowers.zst
        ;;
    sqlite)
        refuses "flowers.db: $(why SQLite), which guard needs; $(remedy SQLite)" \
            petal guard flowers.petal --sqlite flowers.db --query 'SELECT 1 WHERE ? = 1'
        ;;
    hiredis)
        refuses "$(why hiredis), which push and pull need; $(remedy hiredis)" \
            petal push flowers.petal redis://localhost/flowers
        refuses "$(why hiredis), which push and pull need; $(remedy hiredis)" \
            petal pull -o pulled.petal redis://localhost/flowers
        ;;
    pcre2)
        refuses "--extract a+: $(why PCRE2), so it has no regular expressions; url, ip and domain work" \
            petal check --extract a+ flowers.petal flowers.txt
        ;;
    simdjson)
        refuses "$(why simdjson), so it cannot read JSON" \
            petal check -f .name flowers.petal flowers.txt
        ;;
    *)
        echo "without.sh: unknown library $library" >&2
        exit 2
        ;;
    esac
done
echo "$passed passed, 0 failed"
