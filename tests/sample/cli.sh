#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cli.sh PETAL: the command handles the sample kinds by their abilities.
set -eu
petal=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0

# says STATUS TEXT COMMAND...: the command must exit with STATUS and print TEXT somewhere.
says() {
    status=$1 wanted=$2 ended=0
    shift 2
    "$@" >said 2>&1 || ended=$?
    if [ "$ended" != "$status" ] || ! grep -qF -- "$wanted" said; then
        echo "$*: exited with $ended, expected $status and '$wanted', but printed:" >&2
        cat said >&2
        exit 1
    fi
    passed=$((passed + 1))
}

# sorted is built once, from all its keys.
seq 1000 >keys
says 0 "sorted" "$petal" help kinds
says 0 "sorted" "$petal" plan -n 1000 -p 1%
says 0 "A sorted" "$petal" plan -n 1000 -p 1% -k sorted
says 0 "1,000 keys from 1,000 lines; sorted filter" "$petal" build -k sorted -p 1% -o f.petal keys
says 0 "built once" "$petal" info f.petal
says 0 "1000" "$petal" check -c f.petal keys
says 0 "one value is the fingerprint of the key" "$petal" explain f.petal 7
says 1 "no value is the fingerprint of the key" "$petal" explain f.petal seven
says 0 '"verdict": "maybe"' "$petal" explain --json f.petal 7
says 0 "sorted" "$petal" compare -p 1% keys
says 0 "f.petal" "$petal" verify f.petal
says 2 "cannot" "$petal" merge -o g.petal f.petal f.petal
says 2 "built" "$petal" add f.petal keys
says 2 "built" "$petal" seen -k sorted s.petal keys
says 0 "2 sorted filters" "$petal" shard -N 2 -k sorted -o shard-%d.petal keys

# recent forgets its oldest keys, and depends on their order.
seq 1001 1100 >later
says 0 "recent" "$petal" help kinds
says 0 "forget" "$petal" plan -n 1000 -p 1% -k recent
says 0 "recent filter" "$petal" build -k recent -n 1000 -p 1% -o r.petal keys
says 0 "can        forget" "$petal" info r.petal
says 0 "1000" "$petal" check -c r.petal keys
says 0 "" "$petal" add r.petal later
says 0 "1000" "$petal" check -c r.petal keys # now in the older generation
says 0 "100" "$petal" check -c r.petal later
says 0 "no cell of generation 2 is 0" "$petal" explain r.petal 7
says 0 "no cell of generation 1 is 0" "$petal" explain r.petal 1100
says 1 "every generation has a cell that is 0" "$petal" explain r.petal seven
says 0 '"generation": 2' "$petal" explain --json r.petal 7
says 0 "r.petal" "$petal" verify r.petal
says 2 "cannot" "$petal" merge -o g.petal r.petal r.petal
says 0 "recent" "$petal" compare -p 1% keys
says 0 "recent" "$petal" build -k recent -n 100 -p 0.001% -o last.petal keys # in this order
seq 901 1000 >last
says 0 "100" "$petal" check -c last.petal last
seq 500 >first
says 1 "0" "$petal" check -c last.petal first
echo "$passed passed, 0 failed"
