#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# again_test.sh guava | dcso: today's version of the other program writes the same files.
#
# Fetches Guava from Maven Central, or builds DCSO bloom from the Go module proxy, and makes its files
# again: each must be the recorded one, byte for byte, which is the one that petal writes
# (exchange_files_test.c).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/made"
cp "$here"/*.keys "$folder/made"

case $1 in
guava)
    # Maven looks up which version is the newest one
    mvn -q -B dependency:copy -Dartifact=com.google.guava:guava:LATEST:jar "-DoutputDirectory=$folder"
    mvn -q -B dependency:copy -Dartifact=com.google.guava:failureaccess:LATEST:jar "-DoutputDirectory=$folder"
    version=$(basename "$folder"/guava-*.jar .jar)
    "$here/make-guava.sh" "$folder/made" "$(printf '%s:' "$folder"/*.jar)"
    ;;
dcso)
    version=v0.2.4 # the module has no list of its versions
    cd "$folder"
    go mod init again
    go mod edit "-require=github.com/DCSO/bloom@$version"
    go build -mod=mod -o bin/bloom github.com/DCSO/bloom/bloom
    PATH=$folder/bin:$PATH "$here/make-dcso.sh" "$folder/made"
    ;;
esac

rm "$folder"/made/*.keys
passed=0
for file in "$folder"/made/*; do
    cmp "$file" "$here/$(basename "$file")"
    passed=$((passed + 1))
done
echo "$1 $version: the same files"
echo "$passed passed, 0 failed"
