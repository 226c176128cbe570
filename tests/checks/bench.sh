#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench.sh BENCH: checks that the benchmark runs, that report.py can read its figures, and that
# wrong options give one line and status 2.  It does not check any speed.
set -eu
bench=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$bench" --keys ints,urls --n 1e3,2e3,3e3,4e3 --rounds 1 --json "$folder/a.json" >"$folder/table" 2>"$folder/err"
grep -q '^petal .*blocked, k = ' "$folder/table"
"$bench" --keys links,addresses,words --n 1e3 --rounds 1 --only 'petal url' --only 'petal ip' --only 'petal word' \
    >"$folder/table" 2>"$folder/err"
for form in url ip word; do
    grep -q "^petal $form " "$folder/table"
done
"$bench" --n 1e3 --bits 8,10,12 --ops hit --rounds 1 --only petal --seed 2 --json "$folder/b.json" >/dev/null 2>&1
"$root/bench/report.py" --svg "$folder/svg" "$folder/a.json" "$folder/b.json" >"$folder/report"
grep -q '^| petal ' "$folder/report"
for picture in growth-one growth-batched bars-ints bars-urls summary-light summary-dark; do
    grep -q '</svg>' "$folder/svg/$picture.svg"
done
"$root/bench/goals.py" --help >/dev/null
for bad in '--bits none' '--peer /nowhere.so' '--quick --n 5' '--only nobody' 'word'; do
    status=0
    # shellcheck disable=SC2086
    "$bench" $bad >/dev/null 2>"$folder/err" || status=$?
    [ "$status" = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ]
done
echo "ok: a run, a report, six pictures, five wrong arguments"
