#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# need-postgres.sh: install PostgreSQL and its development files, without a cluster.
#
#     need-postgres.sh
#
# Debian's package creates a cluster and starts its server, which nobody here uses: the tests start
# servers of their own.  If PostgreSQL is not installed yet, this is turned off first.  Does nothing if
# everything is there.
set -eu
tools=$(dirname "$0")
packages='postgresql-15 postgresql-server-dev-15'

command -v dpkg-query >/dev/null || exec "$tools/need.sh" $packages
if ! dpkg-query -W -f '${Status}' postgresql-15 2>/dev/null | grep -q ' installed'; then
    "$tools/need.sh" postgresql-common
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' \
        /etc/postgresql-common/createcluster.conf
fi
# shellcheck disable=SC2086 # one word per package
exec "$tools/need.sh" $packages
