# push.bats: tests of petal push and pull, with a fake server.
#
# fake_redis.py sends the filter in NAME.has, writes what it received to NAME.got, and logs
# commands to NAME.log.  The real server is tested in tests/redis.
load common

fake=$BATS_TEST_DIRNAME/fake_redis.py
unset PETAL_REDIS_PASSWORD

# server NAME RULE...: starts a server; $NAME is its port.
server() {
    /usr/bin/python3 "$fake" "$@" 3>&- &
    servers="$servers $!"
    until [ -e "$1.port" ]; do
        kill -0 $! # it still runs
        sleep 0.02
    done
    printf -v "$1" %s "$(cat "$1.port")"
}

teardown() {
    for server in $servers; do
        kill "$server" 2>/dev/null || true
    done
}

# large NAME SEED: builds a filter of three chunks, 4 MiB each except the last.
large() {
    seq 100 | petal build --quiet -m 9MiB -O seed="$2" -o "$1"
}

# small: builds small.petal, a filter of one chunk.
small() {
    keys in 1000 | petal build --quiet -o small.petal
}

# refused MESSAGE COMMAND...: fails with status 2 and this message, and prints nothing else.
refused() {
    run --separate-stderr petal "${@:2}"
    is "$status" 2
    is "$output" ""
    one_sentence "$stderr"
    is "$stderr" "petal: $1"
}

# not_there FILE...: fails if one of the files, or a file that starts with a dot, exists.
not_there() {
    for file; do
        [ ! -e "$file" ]
    done
    is "$(ls -A | grep '^\.')" ""
}

# ---- Without a server ----

@test "an invalid address is an error that does not repeat it" {
    small
    form="write the address as redis://[[user]:password@]host[:port]/key[?db=N]"
    while IFS='|' read -r address why; do
        refused "$why; $form" push small.petal "$address"
        refused "$why; $form" pull -o new.petal "$address"
    done <<'END'
secret|not a redis:// address
http://secret/key|not a redis:// address
redis:/secret/key|not a redis:// address
redis://secret|address: the key is missing
redis://secret/|address: the key is missing
redis://secret/?db=1|address: the key is missing
redis://:secret@/key|address: the host is missing
redis://:secret@:6379/key|address: the host is missing
redis:///secret|address: the host is missing
redis://:secret@h:0/key|address: the port is not a number from 1 to 65535
redis://:secret@h:65536/key|address: the port is not a number from 1 to 65535
redis://h:secret/key|address: the port is not a number from 1 to 65535
redis://h:1:2/secret|address: the port is not a number from 1 to 65535
redis://h:/secret|address: the port is not a number from 1 to 65535
redis://h:99999999999999999999/secret|address: the port is not a number from 1 to 65535
redis://[::1/secret|address: [ is not followed by an IPv6 address and ]
redis://[::1]x/secret|address: [ is not followed by an IPv6 address and ]
redis://[]/secret|address: the host is missing
redis://:secret%@h/key|address: % is not followed by two hexadecimal digits
redis://:secret%2@h/key|address: % is not followed by two hexadecimal digits
redis://h/secret%gg|address: % is not followed by two hexadecimal digits
redis://h/secret?db=x|address: only db=N may follow ?
redis://h/secret?db=|address: only db=N may follow ?
redis://h/secret?db=-1|address: only db=N may follow ?
redis://h/secret?timeout=3|address: only db=N may follow ?
redis://user:sec/ret@h/key|address: @ after the first /; write @ as %40 and / as %2F
redis://secret@h/key|address: the user has no password
END
    not_there new.petal
}

@test "rediss:// is an error: TLS is not supported" {
    small
    sentence="rediss://: TLS is not supported; use redis:// through a tunnel"
    refused "$sentence" push small.petal rediss://h/key
    refused "$sentence" pull -o new.petal rediss://:secret@h/key
}

@test "a failed connection is an error with host, port and reason" {
    small
    refused "redis://127.0.0.1:1: cannot connect: Connection refused" \
        push small.petal redis://:secret@127.0.0.1:1/key
    refused "redis://127.0.0.1:1: cannot connect: Connection refused" \
        pull -o new.petal redis://127.0.0.1:1/key
    run --separate-stderr petal push small.petal redis://no..such..host/key
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "petal: redis://no..such..host:6379: cannot connect: "
    run --separate-stderr petal push small.petal 'redis://[::1]:1/key'
    has "$stderr" "petal: redis://[::1]:1: cannot connect: "
    not_there new.petal
}

@test "a missing or damaged file is an error before anything is sent" {
    server a
    refused "nowhere: No such file or directory" push nowhere redis://127.0.0.1:$a/key
    echo text >text
    refused "text: not a petal filter" push text redis://127.0.0.1:$a/key
    large large.petal 1
    printf x | dd of=large.petal bs=1 seek=5000000 conv=notrunc status=none
    refused "large.petal: corrupt: header, contents and checksums do not agree; rebuild it or restore a copy" \
        push large.petal redis://127.0.0.1:$a/key
    is "$(cat a.log)" ""
}

@test "a wrong usage is an error, and an existing output is not replaced" {
    small
    refused "an argument is missing; usage: petal push [options] FILTER redis://HOST/KEY" push small.petal
    refused "an argument is missing; usage: petal pull -o FILE [options] redis://HOST/KEY" pull -o x
    refused "-o FILE is required" pull redis://h/key
    refused "small.petal: file exists; use --force to overwrite it" \
        pull -o small.petal redis://127.0.0.1:1/key
    refused "--json: the filter already goes to standard output; write it to a file" \
        pull --json -o - redis://127.0.0.1:1/key
}

# ---- Push and pull ----

@test "push sends a filter in chunks and reports it" {
    large large.petal 1
    server a
    run --separate-stderr petal push large.petal redis://127.0.0.1:$a/bad
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: redis://127.0.0.1:$a/bad: about 100 keys; blocked filter, 9.44 MB"
    cmp large.petal a.got
    total=$(wc -c <large.petal)
    is "$(cat a.log)" "PETAL.LOADCHUNK bad 0 $total <4194304>
PETAL.LOADCHUNK bad 4194304 $total <4194304>
PETAL.LOADCHUNK bad 8388608 $total <$((total - 8388608))>"
}

@test "pull fetches a filter in chunks, checks it, and writes it in one step" {
    large a.has 1
    server a
    run --separate-stderr petal pull -o new.petal redis://127.0.0.1:$a/bad
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: new.petal: from redis://127.0.0.1:$a/bad: about 100 keys; blocked filter, 9.44 MB"
    cmp a.has new.petal
    is "$(cat a.log)" "PETAL.DUMP bad 0 4194304
PETAL.DUMP bad 4194304 4194304
PETAL.DUMP bad 8388608 4194304"
    petal pull --quiet -o - redis://127.0.0.1:$a/bad | cmp - new.petal
    echo old >new.petal
    petal pull --quiet --force -o new.petal redis://127.0.0.1:$a/bad
    cmp a.has new.petal
    not_there
}

@test "push and pull preserve filters of every kind, also from standard input" {
    for kind in classic partitioned blocked split counting scalable ribbon; do
        keys $kind 1000 | petal build --quiet -k $kind -o $kind.petal
    done
    keys in 0 | petal build --quiet -k ribbon -o none.petal
    seq 100 | petal build --quiet -k bitmap -o bitmap.petal
    server a
    for kind in classic partitioned blocked split counting scalable ribbon none bitmap; do
        petal push --quiet - redis://127.0.0.1:$a/key <$kind.petal
        cmp $kind.petal a.got
        mv a.got a.has
        petal pull --quiet --force -o back.petal redis://127.0.0.1:$a/key
        cmp $kind.petal back.petal
    done
}

@test "--json prints the figures, --quiet prints nothing" {
    small
    server a
    run --separate-stderr petal push --json small.petal "redis://:secret@127.0.0.1:$a/key?db=2"
    is "$stderr" ""
    is "$(figure "$output" "r['server'], r['kind'], r['capacity']")" \
        "redis://127.0.0.1:$a/key?db=2 blocked 1000"
    mv a.got a.has
    run --separate-stderr petal pull --json -o new.petal redis://127.0.0.1:$a/key
    is "$stderr" ""
    is "$(figure "$output" "r['server'], r['file'], r['kind'], r['capacity']")" \
        "redis://127.0.0.1:$a/key new.petal blocked 1000"
    run petal push --quiet small.petal redis://127.0.0.1:$a/key
    is "$status $output" "0 "
}

# ---- Addresses ----

# logged ADDRESS COMMANDS: a push to the address starts with these commands.
logged() {
    : >a.log
    petal push --quiet small.petal "$1"
    is "$(cut -d' ' -f-3 a.log)" "$2"
}

@test "the user, password, database and key of the address are decoded" {
    small
    server a
    at=127.0.0.1:$a
    logged redis://$at/key "PETAL.LOADCHUNK key 0"
    logged redis://:secret@$at/key "AUTH secret
PETAL.LOADCHUNK key 0"
    logged redis://me:secret@$at/key "AUTH me secret
PETAL.LOADCHUNK key 0"
    logged "redis://m%65:%40%3a%2f%25:@:@$at/k%65y%2F%40?db=3" "AUTH me @:/%:@:
SELECT 3
PETAL.LOADCHUNK key/@ 0"
    logged "redis://$at/bad:{3}/x" "PETAL.LOADCHUNK bad:{3}/x 0"
    logged "redis://$at/a%20b?db=0" "PETAL.LOADCHUNK a b"
    export PETAL_REDIS_PASSWORD=hidden
    logged redis://$at/key "AUTH hidden
PETAL.LOADCHUNK key 0"
    logged redis://me@$at/key "AUTH me hidden
PETAL.LOADCHUNK key 0"
    logged redis://:secret@$at/key "AUTH secret
PETAL.LOADCHUNK key 0"
}

@test "a key may contain any bytes" {
    small
    server a
    petal push --quiet small.petal "redis://127.0.0.1:$a/a%00%0d%0ab"
    is "$(head -c 21 a.log | tail -c 5 | od -An -tx1)" " 61 00 0d 0a 62"
}

@test "no error shows the password, even if the server repeats it" {
    small
    server a "AUTH 0 1 -ERR unknown command 'AUTH', with args beginning with: 'secret'" \
        "AUTH 1 2 -WRONGPASS invalid username-password pair or user is disabled."
    refused "redis://127.0.0.1:$a: the server rejected the password" \
        push small.petal redis://:secret@127.0.0.1:$a/key
    refused "redis://127.0.0.1:$a: WRONGPASS invalid username-password pair or user is disabled." \
        push small.petal redis://me:secret@127.0.0.1:$a/key
    is "$(grep -c PETAL a.log)" 0
}

@test "a server that requires a password is not sent the filter first" {
    small
    server a "PING 0 2 -NOAUTH Authentication required." "PING 2 3 -NOPERM no permissions"
    refused "redis://127.0.0.1:$a: NOAUTH Authentication required. Give the password in the address or in PETAL_REDIS_PASSWORD" \
        push small.petal redis://127.0.0.1:$a/key
    refused "redis://127.0.0.1:$a: NOAUTH Authentication required. Give the password in the address or in PETAL_REDIS_PASSWORD" \
        pull -o new.petal redis://127.0.0.1:$a/key
    is "$(cat a.log)" ""
    petal push --quiet small.petal redis://127.0.0.1:$a/key # PING may be forbidden
    cmp small.petal a.got
}

@test "a database that does not exist is an error" {
    small
    server a "SELECT 0 9 -ERR DB index is out of range"
    refused "redis://127.0.0.1:$a/key?db=99: DB index is out of range" \
        push small.petal "redis://127.0.0.1:$a/key?db=99"
}

# ---- Errors of the server ----

@test "a server without the module has its own message" {
    small
    server a "PETAL.LOADCHUNK 0 9 -ERR unknown command 'PETAL.LOADCHUNK', with args beginning with: 'key' '0' " \
        "PETAL.DUMP 0 9 -ERR unknown command \`PETAL.DUMP\`, with args beginning with: \`key\`, "
    refused "redis://127.0.0.1:$a: unknown command 'PETAL.LOADCHUNK'; load petal's module into the server" \
        push small.petal redis://127.0.0.1:$a/key
    refused "redis://127.0.0.1:$a: unknown command \`PETAL.DUMP\`; load petal's module into the server" \
        pull -o new.petal redis://127.0.0.1:$a/key
    not_there new.petal
}

@test "other errors of the server are printed as they are" {
    small
    cp small.petal a.has
    server a "PETAL.DUMP 0 1 -ERR not found" \
        "PETAL.DUMP 1 2 -WRONGTYPE Operation against a key holding the wrong kind of value" \
        "PETAL.DUMP 2 3 :7" "PETAL.LOADCHUNK 0 1 -OOM command not allowed" \
        "PETAL.LOADCHUNK 1 2 $(printf -- '-ERR \033[31mred')" "PETAL.LOADCHUNK 2 3 :7"
    at=redis://127.0.0.1:$a/key
    refused "$at: not found" pull -o new.petal $at
    refused "$at: WRONGTYPE Operation against a key holding the wrong kind of value" \
        pull -o new.petal $at
    refused "$at: unexpected reply from the server" pull -o new.petal $at
    refused "$at: OOM command not allowed" push small.petal $at
    refused "$at: ?[31mred" push small.petal $at
    refused "$at: unexpected reply from the server" push small.petal $at
    not_there new.petal
}

@test "a server that is not Redis is an error" {
    small
    server a "PETAL.LOADCHUNK 0 1 HTTP/1.1 400 Bad Request"
    run --separate-stderr petal push small.petal redis://127.0.0.1:$a/key
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "petal: redis://127.0.0.1:$a: not a Redis server: "
}

@test "a lost connection is an error, and push can be repeated" {
    large large.petal 1
    cp large.petal a.has
    server a "PETAL.LOADCHUNK 1 2 close" "PETAL.DUMP 2 3 close"
    sentence="redis://127.0.0.1:$a: connection lost: Server closed the connection; it is safe to try again"
    refused "$sentence" push large.petal redis://127.0.0.1:$a/key
    refused "$sentence" pull -o new.petal redis://127.0.0.1:$a/key
    not_there new.petal a.got
    petal push --quiet large.petal redis://127.0.0.1:$a/key
    cmp large.petal a.got
    petal pull --quiet -o new.petal redis://127.0.0.1:$a/key
    cmp large.petal new.petal
}

@test "push starts over at most five times if the server lost the load" {
    large large.petal 1
    none="-ERR no load of this key is in progress; start at offset 0"
    server a "PETAL.LOADCHUNK 1 2 $none" "PETAL.LOADCHUNK 4 5 $none"
    petal push --quiet large.petal redis://127.0.0.1:$a/key
    cmp large.petal a.got
    is "$(cut -d' ' -f3 a.log | tr '\n' ' ')" "0 4194304 0 4194304 8388608 0 4194304 8388608 "
    server b "PETAL.LOADCHUNK 0 1 +OK" "PETAL.LOADCHUNK 1 99 $none"
    refused "redis://127.0.0.1:$b/key: no load of this key is in progress; start at offset 0" \
        push large.petal redis://127.0.0.1:$b/key
    is "$(wc -l <b.log)" 7 # two chunks, then the first five times
    not_there b.got
}

@test "push and pull try again if the server is busy" {
    small
    cp small.petal a.has
    server a "PETAL.LOADCHUNK 0 1 -TRYAGAIN Multiple keys request during rehashing of slot" \
        "PETAL.LOADCHUNK 1 2 -CLUSTERDOWN The cluster is down" \
        "PETAL.DUMP 0 2 -LOADING Redis is loading the dataset in memory" \
        "PETAL.DUMP 2 3 -MASTERDOWN Link with MASTER is down"
    petal push --quiet small.petal redis://127.0.0.1:$a/key
    is "$(wc -l <a.log)" 3
    cmp small.petal a.got
    petal pull --quiet -o new.petal redis://127.0.0.1:$a/key
    is "$(wc -l <a.log)" 7
    cmp small.petal new.petal
}

@test "push gives up on a busy server after ten seconds" {
    small
    server a "PETAL.LOADCHUNK 0 999 -LOADING Redis is loading the dataset in memory"
    began=$(date +%s)
    refused "redis://127.0.0.1:$a/key: LOADING Redis is loading the dataset in memory" \
        push small.petal redis://127.0.0.1:$a/key
    is "$(wc -l <a.log)" 101
    [ $(($(date +%s) - began)) -ge 9 ]
}

# ---- A cluster ----

@test "after MOVED the whole filter goes to the named server" {
    large large.petal 1
    cp large.petal b.has
    server b
    server a "PETAL.LOADCHUNK 1 2 -MOVED 3999 127.0.0.1:$b" "PETAL.DUMP 0 1 -MOVED 3999 :$b"
    run --separate-stderr petal push large.petal "redis://me:secret@127.0.0.1:$a/key"
    is "$status" 0
    has "$stderr" "petal: redis://127.0.0.1:$b/key: about 100 keys; blocked filter, 9.44 MB"
    is "$(cut -d' ' -f-3 a.log)" "AUTH me secret
PETAL.LOADCHUNK key 0
PETAL.LOADCHUNK key 4194304"
    is "$(cut -d' ' -f-3 b.log)" "AUTH me secret
PETAL.LOADCHUNK key 0
PETAL.LOADCHUNK key 4194304
PETAL.LOADCHUNK key 8388608"
    cmp large.petal b.got
    not_there a.got
    petal pull --quiet -o new.petal redis://127.0.0.1:$a/key
    cmp large.petal new.petal
}

@test "after ASK each command follows ASKING" {
    large large.petal 1
    cp large.petal a.has
    cp large.petal b.has
    server b "PETAL.LOADCHUNK 1 2 -TRYAGAIN not yet"
    server a "PETAL.LOADCHUNK 0 1 -ASK 3999 127.0.0.1:$b" "PETAL.DUMP 1 2 -ASK 3999 :$b"
    petal push --quiet large.petal redis://127.0.0.1:$a/key
    is "$(cut -d' ' -f-3 b.log)" "ASKING
PETAL.LOADCHUNK key 0
ASKING
PETAL.LOADCHUNK key 4194304
ASKING
PETAL.LOADCHUNK key 4194304
ASKING
PETAL.LOADCHUNK key 8388608"
    is "$(grep -c ASKING a.log)" 0
    cmp large.petal b.got
    : >b.log
    petal pull --quiet -o new.petal redis://127.0.0.1:$a/key
    cmp large.petal new.petal
    is "$(cut -d' ' -f-3 b.log)" "ASKING
PETAL.DUMP key 0
ASKING
PETAL.DUMP key 4194304
ASKING
PETAL.DUMP key 8388608"
}

@test "MOVED after ASK ends ASKING" {
    small
    server c
    server b "PETAL.LOADCHUNK 0 1 -MOVED 3999 127.0.0.1:$c"
    server a "PETAL.LOADCHUNK 0 1 -ASK 3999 127.0.0.1:$b"
    petal push --quiet small.petal redis://127.0.0.1:$a/key
    is "$(cut -d' ' -f1 b.log | tr '\n' ' ')" "ASKING PETAL.LOADCHUNK "
    is "$(cut -d' ' -f1 c.log)" PETAL.LOADCHUNK
    cmp small.petal c.got
}

@test "too many redirections are an error" {
    small
    cp small.petal a.has
    server a "PETAL.DUMP 0 16 -MOVED 3999 :PORT" "PETAL.LOADCHUNK 0 99 -ASK 3999 127.0.0.1:PORT"
    petal pull --quiet -o new.petal redis://127.0.0.1:$a/key
    is "$(wc -l <a.log)" 17
    cmp small.petal new.petal
    refused "redis://127.0.0.1:$a/key: redirected more than 16 times; check the cluster" \
        push small.petal redis://127.0.0.1:$a/key
    is "$(grep -c PETAL.LOADCHUNK a.log)" 17
}

@test "a redirection to no reachable server is an error" {
    small
    server a "PETAL.LOADCHUNK 0 1 -MOVED 3999 127.0.0.1:1" "PETAL.LOADCHUNK 1 2 -MOVED 3999" \
        "PETAL.LOADCHUNK 2 3 -MOVED 3999 host:x" "PETAL.LOADCHUNK 3 4 -MOVED 1 :99999"
    refused "redis://127.0.0.1:1: cannot connect: Connection refused" \
        push small.petal redis://127.0.0.1:$a/key
    refused "redis://127.0.0.1:$a/key: MOVED 3999" push small.petal redis://127.0.0.1:$a/key
    refused "redis://127.0.0.1:$a/key: MOVED 3999 host:x" \
        push small.petal redis://127.0.0.1:$a/key
    refused "redis://127.0.0.1:$a/key: MOVED 1 :99999" \
        push small.petal redis://127.0.0.1:$a/key
}

# ---- Damaged replies ----

@test "a reply that is not a filter is an error, and nothing is written" {
    small
    echo text >text
    head -c 255 small.petal >short
    printf '\x89PETAL\r\n%248s' '' >spaces
    { head -c 16 small.petal; printf '\xff\x00\x00\x00\x00\x00\x00\x00'; tail -c +25 small.petal; } >less
    { head -c 16 small.petal; printf '\xff\xff\xff\xff\xff\xff\xff\x7f'; tail -c +25 small.petal; } >vast
    : >empty
    cp small.petal a.has
    server a "PETAL.DUMP 0 1 text" "PETAL.DUMP 1 2 short" "PETAL.DUMP 2 3 spaces" \
        "PETAL.DUMP 3 4 less" "PETAL.DUMP 4 5 vast" "PETAL.DUMP 5 6 empty"
    for what in text short spaces less vast empty; do
        refused "redis://127.0.0.1:$a/key: not a petal filter" \
            pull -o new.petal redis://127.0.0.1:$a/key
    done
    is "$(wc -l <a.log)" 6
    not_there new.petal
}

@test "a damaged or truncated filter is an error after it was fetched in one piece" {
    large a.has 1
    printf x | dd of=a.has bs=1 seek=5000000 conv=notrunc status=none
    server a
    refused "redis://127.0.0.1:$a/key: corrupt: header, contents and checksums do not agree; rebuild it or restore a copy" \
        pull -o new.petal redis://127.0.0.1:$a/key
    is "$(tail -1 a.log)" "PETAL.DUMP key"
    truncate -s 6000000 a.has
    refused "redis://127.0.0.1:$a/key: truncated: bytes are missing at the end; rebuild it or restore a copy" \
        pull -o new.petal redis://127.0.0.1:$a/key
    is "$(tail -1 a.log)" "PETAL.DUMP key"
    not_there new.petal
}

@test "a filter that changes between two chunks is fetched again in one piece" {
    large a.has 1
    large other 2
    seq 10 | petal build --quiet -o shorter
    cmp -s a.has other && return 1
    server a "PETAL.DUMP 0 1 other" "PETAL.DUMP 4 5 other" "PETAL.DUMP 5 6 shorter"
    petal pull --quiet -o new.petal redis://127.0.0.1:$a/key
    cmp a.has new.petal
    is "$(cut -d' ' -f-3 a.log)" "PETAL.DUMP key 0
PETAL.DUMP key 4194304
PETAL.DUMP key 8388608
PETAL.DUMP key"
    petal pull --quiet --force -o new.petal redis://127.0.0.1:$a/key # it became shorter
    cmp a.has new.petal
    is "$(tail -1 a.log)" "PETAL.DUMP key"
}
