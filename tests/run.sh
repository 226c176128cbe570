#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh: makes the builds that the tests need, and runs the tests of each.
#
#     run.sh check [LABEL...]     most tests of the release build; or only those of run.sh test that
#                                 have one of these labels
#     run.sh test                 every feature once: the release build, and the package for JavaScript
#     run.sh test-all             the long tests, the other builds, and the targets of make help
#     run.sh busy [LABEL...]      run.sh test, or only its tests with one of these labels, while other
#                                 programs keep the machine busy
#     run.sh soak [HOURS]         the scaled tests for longer, each fuzz target for this many hours, and
#                                 tests too slow for test-all
#     run.sh coverage [LABEL...]  reports which lines and branches the tests reach
#     run.sh windows              builds for Windows and runs the tests under Wine
#
# The labels of the tests (functions.cmake) and the test presets (CMakePresets.json) decide which tests
# each command runs.  The results go to build/results/; report.py prints them as a table.
set -eu
cd "$(dirname "$0")/.."
jobs=$(tools/processors.sh)
started=$(date +%s)
limit=1800 # seconds that a test may take: only one that hangs does
unset CTEST_PARALLEL_LEVEL MAKEFLAGS MAKELEVEL
export PYTHONDONTWRITEBYTECODE=1 # no files in the source tree

say() {
    printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - started))"
}

# For report.py: what failed, and what was left out, beside the tests themselves
failed() { # WHAT
    echo "$*" >>"$results/failed"
}

skipped() { # PRESET WHAT WHY
    echo "$1: $2: $3" >>"$results/skipped"
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
        failed "building $built"
        return 1
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

# run_tests NAME CTEST-OPTION...: all are run, even if one fails, which report.py then sees.
run_tests() {
    name=$1
    shift
    ctest "$@" --show-only=json-v1 >"$results/$name.json"
    # one more than there are processors: tests of servers wait now and then
    ctest "$@" -j $((jobs + 1)) --timeout "$limit" --output-junit "$PWD/$results/$name.xml" \
        --output-on-failure --test-output-size-passed 10000000 --test-output-size-failed 10000000 ||
        grep -q 'status="fail"\|Unable to find' "$results/$name.xml" || failed "testing $name"
}

# lacks [NEED...]: prints the first NEED, a command or a file, that this machine lacks.  Fails if it lacks none.
lacks() {
    for needed in "$@"; do
        if ! command -v "$needed" >/dev/null && [ ! -e "$needed" ]; then
            echo "$needed"
            return 0
        fi
    done
    return 1
}

# both PRESET [NEED...]: builds and tests.  Skipped if this machine lacks a NEED.
both() {
    preset=$1
    shift
    if needed=$(lacks "$@"); then
        skipped "$preset" "all tests" "no $needed"
    elif build "$preset"; then
        tests "$preset"
    fi
}

# build_test: builds what most tests need.  Without it, nothing can be tested.
build_test() {
    build test || finish
    quietly wheel cmake --build --preset wheel || :
}

js_needs='clang wasm-ld wasm-opt node npm /usr/lib/wasm32-wasi'

# choose [LABEL...]: sets `only` to what tells ctest to run the tests that have one of these labels, and
# `chosen` to the presets that have some.  Without labels, these are all.
choose() {
    only=
    chosen='test js'
    [ $# != 0 ] || return 0
    labels=$(echo "$*" | tr ' ' '\n')
    only="-L ^($(echo "$labels" | paste -s -d '|'))\$"
    chosen=
    known=
    # shellcheck disable=SC2086 # words
    for preset in test js; do
        if [ $preset = js ] && needed=$(lacks $js_needs); then
            echo "run.sh: there are no tests of the package for JavaScript without $needed" >&2
            continue
        fi
        cmake --preset $preset >"$results/$preset.log" 2>&1 || build $preset || finish
        its=$(ctest --test-dir build/$preset --print-labels | sed -n 's/^  //p')
        known=$(printf '%s\n' $known $its | sort -u)
        ! echo "$labels" | grep -qxF "$its" || chosen="$chosen $preset"
    done
    if unknown=$(echo "$labels" | grep -vxF "$known"); then
        echo "run.sh: no test has the label $(echo "$unknown" | paste -s -d ' ');" \
            "there are $(echo "$known" | paste -s -d ' ')" >&2
        exit 2
    fi
}

# run_chosen HOW: builds, and runs the chosen tests.  HOW is `tests` or `busy`.
run_chosen() {
    # shellcheck disable=SC2086 # words
    for preset in $chosen; do
        if [ "$preset" = test ]; then
            build_test
            "$1" test $only
        elif needed=$(lacks $js_needs); then
            skipped js "all tests" "no $needed"
        elif build js; then
            "$1" js $only
        fi
    done
}

# status: the state of the source tree, with files that git ignores, except build/.
status() {
    [ -e .git ] || return 0
    git status --porcelain --ignored | grep -v '^!! build/$' || true
    git diff | cksum
}

# lint: the linters, unless this machine lacks one of them.
lint() {
    say "linting"
    began=$(date +%s)
    status=0
    tools/lint.sh check >"$results/lint" || status=$?
    cat "$results/lint"
    case $status in
    0) ;;
    77) skipped check linting "$(sed -n 's/^skipped: //p' "$results/lint")" ;;
    *) failed linting ;;
    esac
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
    trap "kill $others 2>/dev/null || :" EXIT
    trap 'exit 130' INT TERM HUP # so that this ends them, too
    tests "$@" --schedule-random
    trap - EXIT INT TERM HUP
    # shellcheck disable=SC2086
    kill $others 2>/dev/null || :
    rm -f "$results/busy" "$results/busy.log"
}

begin() {
    rm -rf "$results"
    mkdir -p "$results"
    status >"$results/before"
}

# end: the table.  The tests leave nothing behind in the source tree.  make check does not look, because
# the tree may change for another reason: somebody works in it.
end() {
    status >"$results/after"
    if [ "$command" != check ] && ! changes=$(diff "$results/before" "$results/after"); then
        failed 'the source tree changed meanwhile; a test may have done it:' \
            "$(echo "$changes" | sed -n 's/^[<>] *//p' | paste -s -d ' ')"
    fi
    tests/report.py "$results"
}

# finish: the same, when the rest cannot be tested.
finish() {
    end || :
    exit 1
}

command=${1:-}
case $command in
check | test | test-all | busy | soak | coverage | windows) ;;
*)
    echo "usage: run.sh check [LABEL...] | test | test-all | busy [LABEL...] | soak [HOURS] | coverage [LABEL...] | windows" >&2
    exit 2
    ;;
esac
shift
results=build/results/$command
begin
case $command in
check)
    choose "$@"
    lint
    if [ $# = 0 ]; then
        limit=300 # each takes less than half a minute, and somebody waits
        build test || finish
        tests check
    else
        run_chosen tests
    fi
    ;;
test)
    choose
    run_chosen tests
    ;;
test-all)
    build_test
    tests long
    runtime=$(clang -print-runtime-dir 2>/dev/null || :) # the sanitizers of clang
    both asan clang "$runtime"
    both tsan clang "$runtime"
    both msan clang "$runtime"
    both s390x s390x-linux-gnu-gcc qemu-s390x
    both aarch64 aarch64-linux-gnu-gcc qemu-aarch64
    both i686 i686-linux-gnu-gcc qemu-i386
    both musl musl-gcc
    both wasm clang wasm-ld node /usr/lib/wasm32-wasi
    both windows x86_64-w64-mingw32-gcc-win32 wine
    both targets
    ;;
busy)
    choose "$@"
    run_chosen busy
    ;;
soak)
    hours=${1:-1}
    limit=10000000
    soaked=scaled
    presets='test'
    if [ "$hours" != 0 ]; then # 0 only shows that it works
        soaked='scaled|slow-asan|slow-msan'
        presets='test asan msan s390x aarch64 i686 musl'
    fi
    for preset in $presets; do
        build "$preset" "-DPETAL_SOAK=$hours" || continue
        say "$preset: soaking"
        run_tests "$preset" --test-dir "build/$preset" -L "^($soaked)\$"
        cmake --preset "$preset" >/dev/null # without the hours
    done
    ;;
coverage)
    choose "$@"
    build coverage || finish
    find build/coverage -name '*.gcda' -delete
    # shellcheck disable=SC2086 # two words, or none
    tests coverage $only
    gcovr --root . --object-directory build/coverage --filter src/ --filter cli/ --filter modules/ \
        --exclude-throw-branches --print-summary --txt build/coverage/report.txt
    cat build/coverage/report.txt
    ;;
windows)
    both windows
    ;;
esac
end
