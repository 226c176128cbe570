#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packages.sh: the four packages in a new Debian system, where chroot.sh starts this as root.
#
# They are in /petal.  Each is installed and used for what it is for.  After they are removed,
# no file of theirs is left.
set -eu
cd /petal
passed=0

ok() {
    passed=$((passed + 1))
    echo "ok: $*"
}

# run COMMAND...: its output is shown only if it fails.
run() {
    if ! "$@" >log 2>&1; then
        cat log >&2
        exit 1
    fi
}

# expect WANTED COMMAND...: runs the command, which must print just this.
expect() {
    wanted=$1
    shift
    got=$("$@")
    if [ "$got" != "$wanted" ]; then
        echo "$*: printed '$got', not '$wanted'" >&2
        exit 1
    fi
}

apt() { run apt-get -y --no-install-recommends "$@"; }
files() { find / -xdev -path /petal -prune -o -path /var -prune -o ! -type d -print | sort; }

apt install gcc libc6-dev pkg-config redis-server
files >before

apt install ./petal_*.deb
printf 'rose\ntulip\n' >flowers.txt
run petal build -o flowers.petal flowers.txt
expect "rose
tulip" petal check flowers.petal flowers.txt
gzip -k flowers.txt
expect "rose
tulip" petal check flowers.petal flowers.txt.gz
echo '{"name": "rose"}' >flower.json
expect '{"name": "rose"}' petal check -f .name flowers.petal flower.json
expect '{"name": "rose"}' unshare --mount --propagation unchanged sh -c \
    'umount /proc && petal check -f .name flowers.petal flower.json'
[ -f /usr/share/man/man1/petal.1.gz ] && [ -d /usr/share/doc/petal/docs ]
run bash -c '. /usr/share/bash-completion/completions/petal && complete -p petal'
[ -f /usr/share/zsh/vendor-completions/_petal ] && [ -f /usr/share/fish/vendor_completions.d/petal.fish ]
ok "petal: build and check, also of a packed file, and of JSON with and without /proc; manual page, documentation, completion"

# Its message names the package of a library that is only recommended.
status=0
petal guard flowers.petal --sqlite flowers.db --query 'SELECT 1 WHERE ? = 1' 2>message || status=$?
sqlite=$(sed -n 's/.*(Debian package \(.*\)), which guard needs; install it$/\1/p' message)
[ "$status" = 2 ] && dpkg -s petal | grep -q "^Recommends:.* $sqlite"
apt install "$sqlite"
petal guard flowers.petal --sqlite flowers.db --query 'SELECT 1 WHERE ? = 1' 2>message || true
expect "petal: flowers.db: No such file or directory" cat message
apt remove "$sqlite"
ok "petal: says which package guard needs"

apt install ./libpetal1_*.deb ./libpetal-dev_*.deb
[ -f /usr/share/man/man3/petal_add.3.gz ]
# shellcheck disable=SC2046 # flags are words
cc -o shared program.c $(pkg-config --cflags --libs petal)
expect "1 0" ./shared
[ -f /usr/share/man/man3/petal_new.3.gz ]
ok "libpetal-dev: a program, with pkg-config; manual pages"
cc -o static program.c -l:libpetal.a -lm -lpthread
cc -o shared program.c -lpetal
expect "1 0" ./static
ldd ./shared | grep -q 'libpetal.so.1 => '
ok "libpetal-dev: a program, without; shared and static"
apt remove libpetal-dev
expect "1 0" ./shared
ok "libpetal1: a program runs without libpetal-dev"

hiredis=$(dpkg -s petal | sed -n 's/^Recommends:.*\(libhiredis[^ ,]*\).*/\1/p') # for push
apt install ./petal-redis_*.deb "$hiredis"
module=$(dpkg -L petal-redis | grep '/petal\.so$')
grep -q "^ *loadmodule $module$" /usr/share/doc/petal-redis/README.Debian
port=$((5000 + $$ % 5000))
while :; do # until the port is one that nobody has
    redis-server --port "$port" --bind 127.0.0.1 --save '' --loadmodule "$module" >server.log 2>&1 &
    server=$!
    while kill -0 "$server" 2>log && ! grep -q 'Ready to accept' server.log; do
        sleep 0.05
    done
    grep -q 'Ready to accept' server.log && break
    if ! grep -q 'in use' server.log; then
        cat server.log >&2
        exit 1
    fi
    port=$((port + 1))
done
trap 'kill "$server"' EXIT
expect 1 redis-cli -p "$port" BF.ADD seen rose
run petal push flowers.petal "redis://127.0.0.1:$port/flowers"
expect "1
0" redis-cli -p "$port" BF.MEXISTS flowers rose oak
ok "petal-redis: a server loads the module, and petal pushes a filter into it"
kill "$server"
wait "$server"
trap - EXIT

apt remove --autoremove petal petal-redis libpetal1 "$hiredis"
if dpkg-query -W '*petal*' 2>log; then
    exit 1
fi
files >after
diff before after
ok "removed: no file is left"
echo "$passed passed, 0 failed"
