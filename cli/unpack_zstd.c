/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack_zstd.c: decompress zstd files with libzstd.
 *
 * A file may contain several frames, one after another.
 */
#include "print.h"
#include "unpack.h"

#include <zstd.h>

void zstd_start(struct source *s)
{
    if (!s->zstd && !(s->zstd = ZSTD_createDStream()))
        fail_memory();
    ZSTD_initDStream(s->zstd);
}

size_t zstd_read(struct source *s, char *to, size_t room)
{
    ZSTD_outBuffer out = { to, room, 0 };
    while (out.pos == 0 && source_refill(s)) {
        ZSTD_inBuffer in = { s->packed, s->packed_len, s->packed_at };
        const size_t rc = ZSTD_decompressStream(s->zstd, &out, &in);
        if (ZSTD_isError(rc)) {
            source_fail(s, "the compressed data is damaged");
            break;
        }
        s->packed_at = in.pos;
        s->inside = rc != 0;
    }
    return out.pos;
}

void zstd_end(struct source *s)
{
    ZSTD_freeDStream(s->zstd);
    s->zstd = NULL;
}
