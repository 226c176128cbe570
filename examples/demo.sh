#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demo.sh BUILD: a list of bad URLs in front of a browser, with the command.
#
# Each line that begins "$" is what you would type; what follows is what it prints.
set -eu
petal=$(cd "$1" && pwd)/cli/petal
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

petal() { "$petal" "$@"; }
show() { # show COMMAND: prints it, then runs it
    printf '\n$ %s\n' "$1"
    eval "$1" 2>&1 || [ $? = 1 ] # 1: nothing was selected
}

seq -f 'http://host-%.0f.example/page' 1 200000 | sed 's/\([37]\)\.example/\1.login.example/' >bad.txt
printf '%s\n' https://HOST-42.example:443/page http://news.example/today \
    http://www.host-11.example/page?from=mail http://host-5000001.example/ >visits.txt

echo "200,000 bad URLs, $(($(wc -c <bad.txt) / 1000)) kB.  How small can a filter of them be?"
show 'petal plan -n 200000 -p 0.1%'
echo
echo 'Make one.  As URLs, so that spellings do not matter and a site covers its pages.'
show 'petal build --form url -p 0.1% -o bad.petal bad.txt'
show 'petal info bad.petal'
echo
echo 'Which of these visits may be bad, and why?  And which certainly are not?'
show 'cat visits.txt'
show 'petal check --why bad.petal visits.txt'
show 'petal check -v bad.petal visits.txt'
echo
echo 'Is the rate true?'
show 'petal measure bad.petal'
echo
echo 'What does it save, in front of a database that takes half a second?'
show 'petal plan --cost -p 0.1%'
printf '\nMore: petal help, docs/command.md.  The command: %s\n' "$petal"
