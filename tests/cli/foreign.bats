#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Filters of other programs in every command that has a filter.

load common

FOREIGN="redisbloom guava spark dcso libbloom"

@test "filters of other programs are built, asked, changed and merged" {
    seq 1000 >keys
    seq 1001 1500 >more
    for kind in $FOREIGN; do
        petal build -k "$kind" -n 2000 -o "$kind.petal" keys
        is "$(petal check "$kind.petal" keys | wc -l)" 1000
        cp "$kind.petal" "$kind-2.petal"
        petal add "$kind-2.petal" more
        is "$(petal check "$kind-2.petal" more | wc -l)" 500
        petal merge -o "$kind-3.petal" "$kind.petal" "$kind-2.petal"
        is "$(cat keys more | petal check "$kind-3.petal" | wc -l)" 1500
        petal verify "$kind-3.petal"
        petal info --json "$kind-3.petal" | grep "\"kind\": \"$kind\""
    done
}

@test "explain shows the probes of filters of other programs" {
    for kind in $FOREIGN; do
        echo rose | petal build -k "$kind" -n 100 -o "$kind.petal"
        run --separate-stderr petal explain "$kind.petal" rose
        is "$status" 0
        has "$output" "verdict  maybe"
        run --separate-stderr petal explain "$kind.petal" tulip
        is "$status" 1
        has "$output" "verdict  no"
    done
}

@test "the rate of filters of other programs is measured" {
    seq 1000 >keys
    for kind in $FOREIGN; do
        petal build -k "$kind" -n 1000 -o "$kind.petal" keys
        petal measure "$kind.petal" >measured
    done
}

@test "where the number of keys is needed, the command says so" {
    run --separate-stderr petal build -k guava -o x.petal /dev/null
    is "$status" 2
    is "$stderr" "petal: -k guava: give the number of keys with -n"
}

@test "commands that store hashes say that a kind takes none" {
    run --separate-stderr petal shard -k spark -N 4 -o s%d.petal /dev/null
    is "$status" 2
    has "$stderr" "-k spark: cannot be used here"
    run --separate-stderr petal seen -k guava x.petal /dev/null
    is "$status" 2
    has "$stderr" "-k guava: cannot be used here"
}

@test "plan and compare list petal's own kinds, unless another is named" {
    run --separate-stderr petal plan -n 1000
    is "$status" 0
    ! printf '%s' "$output" | grep guava
    run --separate-stderr petal plan -n 1000 -k guava
    is "$status" 0
    has "$output" "guava"
}
