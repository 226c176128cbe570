#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# redis-demo.sh BUILD: filters in a Redis server, and a filter file that moves in and out.
#
# Starts a temporary server with the module on a free port of 127.0.0.1, and stops it at the end.
# Lines that begin with "$" are commands as you would type them, followed by their output.
# shellcheck disable=SC2016 # show() expands what it shows
set -eu
build=$(cd "$1" && pwd)
module=$build/modules/redis/petal.so
folder=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server"
    wait
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM
cd "$folder"

petal() { "$build/cli/petal" "$@"; }
redis() { redis-cli -p "$port" --no-raw "$@"; }
show() { # show COMMAND: prints and runs it; redis() stands for redis-cli
    eval "printf '\n$ %s\n' \"$1\""
    eval "$(echo "$1" | sed 's/^redis-cli -p \$port/redis/')" 2>&1
}

# Tries ports until one is free: the server does not start on a port that is in use.  These are below those
# that systems and tests give to others.
port=$((5000 + $$ % 5000))
while :; do
    redis-server --port "$port" --bind 127.0.0.1 --save '' --loadmodule "$module" >log 2>&1 &
    server=$!
    while kill -0 "$server" 2>kill.log && ! grep -q 'Ready to accept' log; do
        sleep 0.05
    done
    grep -q 'Ready to accept' log && break
    server=
    if ! grep -q 'in use' log; then
        cat log >&2
        exit 1
    fi
    port=$((port + 1))
done

echo "Started a server:  redis-server --port $port --loadmodule $module"
echo
echo 'BF.ADD creates a filter that grows, keeps its error rate, and has its own secret hash key.'
show 'redis-cli -p $port BF.ADD seen rose'
show 'redis-cli -p $port BF.ADD seen rose'
show 'redis-cli -p $port BF.MEXISTS seen rose tulip'
echo
echo 'Build a filter of 200,000 bad URLs in the shell, and load it into the server.'
seq -f 'http://host-%.0f.example/page' 1 200000 | sed 's/\([37]\)\.example/\1.login.example/' >bad.txt
show 'petal build --form url -p 0.1% -o bad.petal bad.txt'
show 'petal push bad.petal redis://127.0.0.1:$port/bad'
show 'redis-cli -p $port PETAL.MATCH bad https://HOST-42.example:443/page http://news.example/today'
show 'redis-cli -p $port MEMORY USAGE bad'
echo
echo 'Add to it in the server, and save it as a file again.'
show 'redis-cli -p $port PETAL.ADD bad evil.example'
show 'petal pull redis://127.0.0.1:$port/bad -o back.petal'
show 'echo http://www.evil.example/login | petal check --why back.petal'
show 'redis-cli -p $port INFO bf_filters'
printf '\nTo continue: docs/redis.md.  The module is %s\n' "$module"
