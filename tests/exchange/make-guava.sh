#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make-guava.sh [TO [JARS]]: makes guava-* and spark-* again, in this folder or in TO, which has the keys.
# Needs openjdk-17-jdk-headless, and libguava-java unless JARS are given.
set -eu
cd "$(dirname "$0")"
to=${1:-.}
jars=${2:-/usr/share/java/guava.jar}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
javac -cp "$jars" -d "$folder" MakeGuava.java
java -cp "$jars:$folder" MakeGuava "$to"
cmp "$to/guava-string.filter" "$to/guava-bytes.filter" # the same keys: one of the two is enough
rm "$to"/guava-bytes*
