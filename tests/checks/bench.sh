#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench.sh BENCH: checks that the benchmark runs, that report.py can read its figures, and that
# wrong options of all benchmarks give one line and status 2.  It does not check any speed.
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
planning=$(dirname "$bench")/planning
"$planning" --quick | grep -q '^blocked .* plan '

wrong() { # COMMAND [ARGUMENT...]
    status=0
    "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ] && [ ! -s "$folder/out" ] && return
    echo "$*: status $status, and:" >&2
    cat "$folder/out" "$folder/err" >&2
    exit 1
}
for bad in '--bits none' '--peer /nowhere.so' '--quick --n 5' '--short --quick' '--only nobody' 'word'; do
    # shellcheck disable=SC2086
    wrong "$bench" $bad
done
wrong "$planning" --wrong
wrong "$(dirname "$bench")/urls" --wrong
for script in command logs redis pauses sql; do
    wrong "$root/bench/$script.py" --quick "$folder" --wrong
    wrong "$root/bench/$script.py" "$folder/none"
done
wrong "$root/bench/goals.py" --quick --wrong
wrong "$root/bench/goals.py" --scale none
wrong "$root/bench/sql.py" "$folder" --only join,none
for script in report charts; do
    wrong "$root/bench/$script.py" --wrong
done
echo "ok: a run, a report, six pictures, wrong arguments of ten programs"
