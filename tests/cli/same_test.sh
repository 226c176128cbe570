#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# same_test.sh PETAL OTHER [EMULATOR]: the command of another machine gives what ours gives.
#
# PETAL is the command of this machine, OTHER that of the other one, which runs under EMULATOR.
# Both build a filter of every kind and every form: no byte differs (G7).  Both look up the same
# keys, members and others, and find the same ones.  Both write the same manual page.
set -eu
petal=$1
other=$2
emulator=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir here there
passed=0

here() { (cd here && "$petal" "$@"); }
there() { (cd there && $emulator "$other" "$@"); }

# same ARGUMENT...: both print the same, and end with the same status.
same() {
    { here "$@" 2>&1 || echo "status $?"; } >here/printed
    { there "$@" 2>&1 || echo "status $?"; } >there/printed
    diff here/printed there/printed
}

# builds NAME KEYS OPTION...: the same filter, which then finds the same.
builds() {
    name=$1
    keys=$2
    shift 2
    same build "$@" -o "$name.petal" "$folder/$keys"
    cmp "here/$name.petal" "there/$name.petal"
    same check "$name.petal" "$folder/more-$keys"
    same info "$name.petal"
    passed=$((passed + 1))
    echo "ok: $name"
}

names() { sed -n 's/^  \([a-z0-9]\{1,\}\) .*/\1/p'; }

seq 0 2999 >numbers # any kind takes them
seq 0 5999 >more-numbers
seq -f '10.0.0.%.0f' 0 255 >addresses # and any form these or numbers
sed 's/^10/11/' addresses | cat addresses - >more-addresses
for kind in $(here help kinds | names); do
    # kinds of other programs do not find out how many keys there are
    case $(here build -k "$kind" -o probe.petal --force /dev/null 2>&1) in
    *"with -n") builds "$kind" numbers -k "$kind" -n 3000 ;;
    *) builds "$kind" numbers -k "$kind" ;;
    esac
done
for form in $(here help forms | names); do
    keys=addresses
    here build --form "$form" -o probe.petal --force "$folder/addresses" >/dev/null 2>&1 || keys=numbers
    builds "$form" "$keys" --form "$form"
done
same help --man
same help --bash
same help --zsh
same help --fish
passed=$((passed + 1))
echo "ok: manual page and completions"
echo "$passed passed, 0 failed"
