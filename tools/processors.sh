#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# processors.sh: print how many processors a build may use, on any Unix.
nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
