#!/bin/sh
# cli.sh PETAL: the command, with the sample kind in its library, treats it by what it can do.
set -eu
petal=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0

# says TEXT COMMAND...: the command prints this somewhere.
says() {
    wanted=$1
    shift
    "$@" >said 2>&1 || true
    if ! grep -qF -- "$wanted" said; then
        echo "$*: does not say '$wanted', but:" >&2
        cat said >&2
        exit 1
    fi
    passed=$((passed + 1))
}

seq 1000 >keys
says "sorted" "$petal" help kinds
says "sorted" "$petal" plan -n 1000 -p 1%
says "A sorted" "$petal" plan -n 1000 -p 1% -k sorted
says "1,000 keys in a sorted filter" "$petal" build -k sorted -p 1% -o f.petal keys
says "built once" "$petal" info f.petal
says "1000" "$petal" check -c f.petal keys
says "one value is its fingerprint" "$petal" explain f.petal 7
says "no value is its fingerprint" "$petal" explain f.petal seven
says '"verdict": "maybe"' "$petal" explain --json f.petal 7
says "sorted" "$petal" compare -p 1% keys
says "f.petal" "$petal" verify f.petal
says "cannot" "$petal" merge -o g.petal f.petal f.petal
says "built" "$petal" add f.petal keys
says "built" "$petal" seen -k sorted s.petal keys
says "2 sorted filters" "$petal" shard -N 2 -k sorted -o shard-%d.petal keys
echo "$passed passed, 0 failed"
