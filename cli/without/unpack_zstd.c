/* SPDX-License-Identifier: BSD-2-Clause */
/* unpack_zstd.c: replaces the other unpack_zstd.c if libzstd is missing. */
#include "unpack.h"

void zstd_start(struct source *s)
{
    source_fail(s, "compressed with zstd, but this petal was built without libzstd; "
                   "decompress it first");
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
