/* SPDX-License-Identifier: BSD-2-Clause */
/* unpack_gzip.c: no zlib: files packed by gzip cannot be read. */
#include "unpack.h"

void gzip_start(struct source *s)
{
    source_fail(
        s,
        "packed with gzip, but this petal was built without zlib; unpack the file first");
}

size_t gzip_read(struct source *s, char *to, size_t room)
{
    (void)s, (void)to, (void)room;
    return 0;
}

void gzip_end(struct source *s)
{
    (void)s;
}
