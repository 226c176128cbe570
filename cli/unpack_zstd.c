/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack_zstd.c: decompress zstd files with libzstd.
 *
 * A file may contain several frames, one after another.
 */
#include "load.h"
#include "print.h"
#include "text.h"
#include "unpack.h"

#include <zstd.h>

/* clang-format off */
#define FUNCTIONS(F)                                                               \
    F(ZSTD_, createDStream)     F(ZSTD_, initDStream)      F(ZSTD_, freeDStream)   \
    F(ZSTD_, decompressStream)  F(ZSTD_, isError)
/* clang-format on */
LOAD(zstd, FUNCTIONS)

void zstd_start(struct source *s)
{
    const char *why = zstd_load();
    if (why) {
        source_fail(s,
                    text_format("compressed with zstd, but %s; decompress it first", why));
        return;
    }
    if (!s->zstd && !(s->zstd = zstd.createDStream()))
        fail_memory();
    zstd.initDStream(s->zstd);
}

size_t zstd_read(struct source *s, char *to, size_t room)
{
    ZSTD_outBuffer out = { to, room, 0 };
    while (s->zstd && out.pos == 0 && source_refill(s)) {
        ZSTD_inBuffer in = { s->packed, s->packed_len, s->packed_at };
        const size_t rc = zstd.decompressStream(s->zstd, &out, &in);
        if (zstd.isError(rc)) {
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
    if (s->zstd)
        zstd.freeDStream(s->zstd);
    s->zstd = NULL;
}
