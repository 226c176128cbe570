#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lint.sh: format all code, or check that it is formatted and that the linters find nothing.
#
#     tools/lint.sh check     lists what is wrong; status 1 if anything is, 77 if a tool is missing
#     tools/lint.sh format    formats everything
#     tools/lint.sh tidy      runs clang-tidy over the C code, which takes minutes
#     tools/lint.sh headers   lists the headers that are code
#
# C is formatted by clang-format, Python by black, and JavaScript, TypeScript, CSS and JSON by
# Biome.  Each version of a formatter gives different results, so this script needs those of
# Debian 12 and of tools/lint/package-lock.json.  The linters are flake8, Biome and shellcheck.
# shellcheck disable=SC2317 # start() calls the functions that check
set -eu
cd "$(dirname "$0")/.."
clang_format=clang-format-14
clang_tidy=clang-tidy-14
black_version=23
biome=build/npm-lint/node_modules/.bin/biome
tidy=build/tidy

# Files of these names that git knows, or would add.
files() {
    git ls-files -co --exclude-standard -- "$@" | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}

# The headers that are code: those with a function body, apart from tools/lint/interfaces.
headers() {
    files '*.h' | xargs -d '\n' grep -l '^{' | grep -vxFf tools/lint/interfaces
}

c_files() {
    files '*.c' '*.cc'
    headers
}

has() {
    command -v "$1" >/dev/null 2>&1 && return
    missing="$missing $1"
    return 1
}

has_black() {
    has black || return 1
    case $(black --version) in
    "black, $black_version."*) return 0 ;;
    esac
    missing="$missing black-$black_version"
    return 1
}

has_biome() {
    has node || return 1
    [ -x $biome ] && return
    missing="$missing biome (tools/need-npm.sh tools/lint build/npm-lint)"
    return 1
}

# Starts a check.  Its output is shown at the end, if it fails.
start() {
    name=$1
    shift
    { "$@" >"$folder/$name" 2>&1 || touch "$folder/$name.failed"; } &
}

check_c() {
    c_files | xargs -d '\n' -n 60 -P 2 "$clang_format" --dry-run -Werror
}

check_python() { # names the files; `make format` mends them
    files '*.py' '*.pyi' | xargs -d '\n' black -l 92 --check
}

check_flake8() {
    files '*.py' | xargs -d '\n' flake8 --jobs 1
}

check_web() {
    $biome check --colors=off --error-on-warnings --max-diagnostics=50 .
}

check_shell() {
    files '*.sh' '*.bash' .ci/run | xargs -d '\n' -n 12 -P 2 shellcheck
}

check() {
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    ! has_black || start python check_python
    ! has $clang_format || start c check_c
    ! has flake8 || start flake8 check_flake8
    ! has_biome || start web check_web
    ! has shellcheck || start shell check_shell
    wait
    status=0
    for failed in "$folder"/*.failed; do
        [ -e "$failed" ] || continue
        cat "${failed%.failed}"
        status=1
    done
    [ $status = 0 ] || echo 'lint: make format fixes the formatting; the rest is up to you'
}

format() {
    ! has $clang_format || c_files | xargs -d '\n' -n 60 -P 2 "$clang_format" -i
    ! has_black || files '*.py' '*.pyi' | xargs -d '\n' black -q -l 92
    # Some files need a second pass.
    ! has_biome || { $biome format --write . && $biome format --write .; } >/dev/null
    status=0
}

# Compiles for this machine in a debug build: its assertions tell clang-tidy what cannot happen.
tidy() {
    has cmake && has $clang_tidy || return 0
    cmake -S . -B $tidy -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_COMPILER=cc -DPETAL_BENCH=OFF -DPETAL_EXAMPLES=OFF >/dev/null
    status=0
    sed -n 's/^ *"file": "\(.*\)",*$/\1/p' $tidy/compile_commands.json | sort -u |
        grep -E '/(src|cli|modules)/' |
        xargs -n 4 -P "$(tools/processors.sh)" $clang_tidy -p $tidy --quiet 2>/dev/null || status=1
}

if ! git ls-files --error-unmatch README.md >/dev/null 2>&1; then
    echo 'skipped: not a git checkout: git tells which files there are'
    exit 77
fi
missing=
status=77
case ${1-} in
check) check ;;
format) format ;;
tidy) tidy ;;
headers) headers && exit ;;
*) echo 'lint.sh check|format|tidy|headers' >&2 && exit 2 ;;
esac
if [ -n "$missing" ]; then
    echo "skipped: not installed:$missing"
    [ $status != 0 ] || status=77
fi
exit $status
