/* SPDX-License-Identifier: BSD-2-Clause */
/* mman.h: empty.  The command uses it for huge pages only, where the system has them. */
