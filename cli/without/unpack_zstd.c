/* SPDX-License-Identifier: BSD-2-Clause */
/* unpack_zstd.c: no zstd: files packed by zstd cannot be read. */
#include "unpack.h"

void zstd_start(struct source *s)
{
    source_fail(
        s,
        "packed with zstd, but this petal was built without zstd; unpack the file first");
}

size_t zstd_read(struct source *s, char *to, size_t room)
{
    (void)s, (void)to, (void)room;
    return 0;
}

void zstd_end(struct source *s)
{
    (void)s;
}
