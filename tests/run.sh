#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh: makes the builds that the tests need, and runs the tests of each.
#
#     run.sh check [LABELS]  one build and nearly all of its tests, or those with these labels
#     run.sh test            every feature once: the release build, and the package for JavaScript
#     run.sh test-all        the long tests, the other builds, and the targets of make help
#     run.sh busy [LABELS]   run.sh test, or its tests with these labels, while other programs keep
#                            the machine busy
#     run.sh soak [HOURS]    each scaled test for about that long, and tests too slow for test-all
#     run.sh coverage [LABELS]
#                            reports which lines and branches the tests reach
#     run.sh windows         builds for Windows and runs the tests under Wine
#
# The labels of the tests (functions.cmake) and the test presets (CMakePresets.json) decide which tests
# each command runs.  The results go to build/results/; report.py prints them as a table.
set -eu
cd "$(dirname "$0")/.."
jobs=$(tools/processors.sh)
started=$(date +%s)
failed=
unset CTEST_PARALLEL_LEVEL MAKEFLAGS MAKELEVEL
export PYTHONDONTWRITEBYTECODE=1 # no files in the source tree

say() {
    printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - started))"
}

# quietly WHAT COMMAND...: shows the end of what the command prints, if it fails.
quietly() {
    say "$1: building"
    began=$(date +%s)
    log=build/$1.log
    built=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        echo "run.sh: building failed; all of it is in $log" >&2
        exit 1
    fi
    echo "$(($(date +%s) - began)) building: $built" >>"$results/steps"
}

makes() { # PRESET [CMAKE-OPTION...]
    cmake --preset "$@" && cmake --build --preset "$1" -j "$jobs"
}

# build PRESET [CMAKE-OPTION...]
build() {
    quietly "$1" makes "$@"
}

# tests PRESET [CTEST-OPTION...]
tests() {
    say "$1: testing"
    preset=$1
    shift
    run_tests "$preset" --preset "$preset" "$@"
}

# run_tests NAME CTEST-OPTION...: all are run, even if one fails.
run_tests() {
    name=$1
    shift
    ctest "$@" --show-only=json-v1 >"$results/$name.json"
    ctest "$@" -j "$jobs" --output-junit "$PWD/$results/$name.xml" --output-on-failure \
        --test-output-size-passed 10000000 --test-output-size-failed 10000000 || failed=1
}

# both PRESET [CMAKE-OPTION...]
both() {
    build "$@"
    tests "$1"
}

# status: the state of the source tree, with files that git ignores, except build/.
status() {
    [ ! -e .git ] || git status --porcelain --ignored | grep -v '^!! build/$' || true
}

# lint: the linters, unless this machine lacks one of them.
lint() {
    say "linting"
    began=$(date +%s)
    status=0
    tools/lint.sh check || status=$?
    case $status in 0 | 77) ;; *) failed=1 ;; esac
    echo "$(($(date +%s) - began)) linting" >>"$results/steps"
}

# busy PRESET [CTEST-OPTION...]: the tests in another order, beside programs that keep the processors and
# the disk busy.
busy() {
    others=
    i=0
    while [ $i -lt $((2 * jobs)) ]; do
        timeout 7200 sh -c 'while :; do :; done' &
        others="$others $!"
        i=$((i + 1))
    done
    timeout 7200 sh -c "while :; do dd if=/dev/zero of=$results/busy bs=1M count=200 conv=fsync; done" \
        2>"$results/busy.log" &
    others="$others $!"
    # shellcheck disable=SC2064,SC2086 # the processes that are there now, each a word
    trap "kill $others" EXIT
    tests "$@" --schedule-random
    trap - EXIT
    # shellcheck disable=SC2086
    kill $others
    rm -f "$results/busy" "$results/busy.log"
}

begin() {
    rm -rf "$results"
    mkdir -p "$results"
    status >"$results/before"
}

# end: the table.  The tests leave nothing behind in the source tree.
end() {
    status >"$results/after"
    if ! diff "$results/before" "$results/after" >&2; then
        echo 'run.sh: the tests changed the source tree' >&2
        failed=1
    fi
    tests/report.py "$results" || failed=1
    [ -z "$failed" ] || exit 1
}

command=${1:-}
results=build/results/${command:-none}
[ $# = 0 ] || shift
begin
case $command in
check)
    lint
    build test
    tests check ${1:+-L "$1"}
    ;;
test)
    build test
    quietly wheel cmake --build --preset wheel
    tests test
    both js
    ;;
test-all)
    build test
    tests long
    for preset in asan tsan msan s390x aarch64 i686 musl wasm windows; do
        both $preset
    done
    both targets
    ;;
busy)
    build test
    quietly wheel cmake --build --preset wheel
    build js
    busy test ${1:+-L "$1" --no-tests=ignore}
    busy js ${1:+-L "$1" --no-tests=ignore}
    ;;
soak)
    hours=${1:-1}
    soaked=scaled
    presets='test'
    if [ "$hours" != 0 ]; then # 0 only shows that it works
        soaked='scaled|soak|slow-asan|slow-msan'
        presets='test asan msan s390x aarch64 i686 musl'
    fi
    for preset in $presets; do
        build "$preset" "-DPETAL_SOAK=$hours"
        say "$preset: soaking"
        run_tests "$preset" --test-dir "build/$preset" -L "^($soaked)\$"
    done
    ;;
coverage)
    build coverage
    find build/coverage -name '*.gcda' -delete
    tests coverage ${1:+-L "$1"}
    gcovr --root . --object-directory build/coverage --filter src/ --filter cli/ --filter modules/ \
        --exclude-throw-branches --print-summary --txt build/coverage/report.txt
    cat build/coverage/report.txt
    ;;
windows)
    both windows
    ;;
*)
    echo "usage: run.sh check [LABELS] | test | test-all | busy [LABELS] | soak [HOURS] | coverage [LABELS] | windows" >&2
    exit 2
    ;;
esac
end
