#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demo.sh BUILD: checks visits against a list of bad URLs, with the petal command.
#
# Lines that begin with "$" are commands as you would type them, followed by their output.
set -eu
petal=$(cd "$1" && pwd)/cli/petal
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

petal() { "$petal" "$@"; }
show() { # show COMMAND: prints and runs it
    printf '\n$ %s\n' "$1"
    eval "$1" 2>&1 || [ $? = 1 ] # 1: no line was selected
}

seq -f 'http://host-%.0f.example/page' 1 200000 | sed 's/\([37]\)\.example/\1.login.example/' >bad.txt
printf '%s\n' https://HOST-42.example:443/page http://news.example/today \
    http://www.host-11.example/page?from=mail http://host-5000001.example/ >visits.txt

echo "A list of 200,000 bad URLs is $(($(wc -c <bad.txt) / 1000)) kB.  How large is a filter for it?"
show 'petal plan -n 200000 -p 0.1%'
echo
echo 'Build one.  With --form url, it does not matter how a URL is written, and a site matches all of its pages.'
show 'petal build --form url -p 0.1% -o bad.petal bad.txt'
show 'petal info bad.petal'
echo
echo 'Which of these visits may be bad, and which URL of the list do they match?  Which are certainly not bad?'
show 'cat visits.txt'
show 'petal check --why bad.petal visits.txt'
show 'petal check -v bad.petal visits.txt'
echo
echo 'Measure the false positive rate.'
show 'petal measure bad.petal'
echo
echo 'How much time does the filter save, in front of a database that takes half a second?'
show 'petal plan --cost -p 0.1%'
printf '\nTo continue: petal help, or docs/command.md.  The command is %s\n' "$petal"
