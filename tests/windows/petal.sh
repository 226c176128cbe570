#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# petal.sh ARGUMENT...: the command under Wine, for tests that expect one program.
# PETAL_EXE says where it is.
exec "$(dirname "$0")/wine.sh" "$PETAL_EXE" "$@"
