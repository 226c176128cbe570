/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack_gzip.c: decompress gzip files with zlib.
 *
 * A file may contain several members, one after another.
 */
#include "load.h"
#include "print.h"
#include "text.h"
#include "unpack.h"

#include <stdlib.h>
#include <zlib.h>

#define FUNCTIONS(F) F(, inflateInit2_) F(, inflate) F(, inflateReset) F(, inflateEnd)
LOAD(zlib, FUNCTIONS)

void gzip_start(struct source *s)
{
    const char *why = zlib_load();
    if (why) {
        source_fail(s,
                    text_format("compressed with gzip, but %s; decompress it first", why));
        return;
    }
    gzip_end(s);
    s->gzip = calloc(1, sizeof(z_stream));
    if (!s->gzip ||
        zlib.inflateInit2_(s->gzip, 15 + 16, ZLIB_VERSION, (int)sizeof(z_stream)) != Z_OK)
        fail_memory();
}

size_t gzip_read(struct source *s, char *to, size_t room)
{
    z_stream *z = s->gzip;
    if (!z)
        return 0;
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)room;
    while (z->avail_out == room && source_refill(s)) {
        if (!s->inside && s->begun && s->packed[s->packed_at] == 0) {
            s->packed_at++; /* zero padding may follow the last member */
            continue;
        }
        if (!s->inside)
            zlib.inflateReset(z);
        s->begun = true;
        s->inside = true;
        z->next_in = (Bytef *)s->packed + s->packed_at;
        z->avail_in = (uInt)(s->packed_len - s->packed_at);
        const int rc = zlib.inflate(z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END) {
            source_fail(s, "the compressed data is damaged");
            break;
        }
        s->packed_at = s->packed_len - z->avail_in;
        s->inside = rc != Z_STREAM_END;
    }
    return room - z->avail_out;
}

void gzip_end(struct source *s)
{
    if (s->gzip)
        zlib.inflateEnd(s->gzip);
    free(s->gzip);
    s->gzip = NULL;
}
