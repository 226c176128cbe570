#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# need-postgres.sh: install PostgreSQL and its development files, without a cluster.
#
#     need-postgres.sh
#
# Debian's package creates a cluster and starts its server, which nobody here uses: the tests start
# servers of their own.  If PostgreSQL is not installed yet, this is turned off meanwhile.  Does nothing if
# everything is there.
set -eu
tools=$(dirname "$0")

if ! command -v dpkg-query >/dev/null; then
    exec "$tools/need.sh" postgresql postgresql-server-dev
fi
"$tools/need.sh" postgresql-common
# the version of this release: 15 in Debian 12
version=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1)
version=${version:-15}
if ! dpkg-query -W -f '${Status}' "postgresql-$version" 2>/dev/null | grep -q ' installed'; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    settings=/etc/postgresql-common/createcluster.conf
    $as_root sed -i.petal 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' $settings
    # shellcheck disable=SC2064 # as they are now
    trap "$as_root mv $settings.petal $settings" EXIT
    trap 'exit 130' INT TERM HUP # so that this does it, too
fi
"$tools/need.sh" "postgresql-$version" "postgresql-server-dev-$version"
