/* SPDX-License-Identifier: BSD-2-Clause */
/* unpack_gzip.c: replaces the other unpack_gzip.c if zlib is missing. */
#include "unpack.h"

void gzip_start(struct source *s)
{
    source_fail(s,
                "compressed with gzip, but this petal was built without zlib; decompress "
                "it first");
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
