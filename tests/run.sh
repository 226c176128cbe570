#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh: makes the builds that the tests need, and runs the tests of each.
#
#     run.sh check           one build and nearly all of its tests
#     run.sh test            all builds, as in CI
#     run.sh soak HOURS      the same programs with larger numbers, to run for that long
#     run.sh coverage        reports which lines and branches the tests reach
#     run.sh lab             builds the lab
#     run.sh js              builds the package for JavaScript, tests it and packs it
#     run.sh windows         builds for Windows and runs the tests under Wine
set -eu
cd "$(dirname "$0")/.."
jobs=$(tools/processors.sh)
started=$(date +%s)

say() {
    printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - started))"
}

# build PRESET [CMAKE-OPTION...]
build() {
    say "$1: building"
    preset=$1
    shift
    mkdir -p "build/$preset"
    log=build/$preset/build.log
    if ! { cmake --preset "$preset" "$@" && cmake --build "build/$preset" -j "$jobs"; } >"$log" 2>&1
    then
        cat "$log" >&2
        exit 1
    fi
}

# tests PRESET [CTEST-OPTION...]
tests() {
    say "$1: testing"
    preset=$1
    shift
    ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --no-tests=error \
        --no-label-summary "$@"
}

# windows PROGRAMS [CTEST-OPTION...]
windows() {
    build windows "-DPETAL_PROGRAMS=$1"
    shift
    tests windows "$@"
}

all_builds() {
    # the release build, with gcc, and all long tests
    build test "-DPETAL_PROGRAMS=$1" "-DPETAL_QUERIES=$2" "-DPETAL_KILLS=$3" "-DPETAL_FILES=$4" \
        "-DPETAL_LARGE=$6" -DPETAL_RIBBON=20000 -DPETAL_QUICK=2000000 "-DPETAL_QUOTIENT=$(($1 / 200))"
    tests test -E "$skip"
    # clang with the address and undefined behaviour sanitizers, and fuzzing
    build asan "-DPETAL_PROGRAMS=$(($1 / 20))" "-DPETAL_FUZZ_SECONDS=$5" -DPETAL_KILLS=200 \
        -DPETAL_QUERIES=1 -DPETAL_FILES=300
    tests asan -E "install|rates|large|valkey|redis_(clients|cluster|replicas)|$skip_asan"
    build tsan
    tests tsan -R \
        'shared_test|slot_test|held_test|batch_test|ribbon_threads|example_(build_threads|reload)|cli_(build|check)'
    build msan "-DPETAL_PROGRAMS=$(($1 / 50))"
    tests msan -L 'unit|portable' -E "$skip_msan"
    for machine in s390x aarch64 i686; do # big-endian, ARM, 32-bit
        build "$machine" "-DPETAL_PROGRAMS=$(($1 / 100))"
        tests "$machine"
    done
    build musl "-DPETAL_PROGRAMS=$(($1 / 20))" # another C library
    tests musl
    build wasm # no operating system
    tests wasm
    build js # the same as a package for JavaScript
    tests js
}

case ${1:-} in
check)
    build test -DPETAL_PROGRAMS=200000 -DPETAL_QUERIES=20 -DPETAL_KILLS=200 -DPETAL_FILES=300 \
        -DPETAL_RIBBON=2000
    # without the tests that build petal again in other ways, and without the longest
    tests test -E '^(embed|without|dist|reproducible|amalgamation|tree_test|sample_calls|rates|python.*)$'
    ;;
test)
    # these take longest for what they add; `soak` runs them
    skip='^(reproducible|valkey_damage|without)$'
    skip_asan='tree_test|inline|sample_[^f]|cli_(compare|logs|join|lists|push|seen|shard)'
    skip_msan='^(inline|kernels|plan_test|batch_test|numbers_test|parquet_test|relocate_test)$'
    all_builds 1000000 100 2000 2000 10 2000000
    say "all builds passed"
    ;;
soak)
    hours=${2:-1}
    skip='^$' skip_asan='^$' skip_msan='^$'
    all_builds $((hours * 100000000)) $((hours * 20000)) $((hours * 100000)) \
        $((hours * 100000)) $((hours * 3600)) 1000000000
    ;;
coverage)
    build coverage -DPETAL_PROGRAMS=20000 -DPETAL_QUERIES=5 -DPETAL_KILLS=100 -DPETAL_FILES=300
    find build/coverage -name '*.gcda' -delete
    tests coverage -E install
    gcovr --root . --object-directory build/coverage --filter src/ --filter cli/ --filter modules/ --exclude-throw-branches \
        --print-summary --txt build/coverage/report.txt
    cat build/coverage/report.txt
    ;;
lab)
    build js
    echo "build/lab/petal-lab.html: open this page in a browser, or run build/default/cli/petal lab --web"
    ;;
js)
    build js
    tests js
    npm pack --silent --pack-destination build/js ./build/js/package
    ls build/js/petal-filter-*.tgz
    ;;
windows)
    windows 50000 -E '^same' # there may be no build `test` to compare with
    ;;
*)
    echo "usage: run.sh check | test | soak HOURS | coverage | lab | js | windows" >&2
    exit 2
    ;;
esac
