#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make-guava.sh: makes guava-* and spark-* again.  Needs openjdk-17-jdk-headless and libguava-java.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
jar=/usr/share/java/guava.jar
javac -cp "$jar" -d "$folder" MakeGuava.java
java -cp "$jar:$folder" MakeGuava .
cmp guava-string.filter guava-bytes.filter # the same keys: one of the two is enough
rm guava-bytes*
