/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer.c: bytes in memory that grow as more are put in.
 *
 * Room doubles when it runs out.  Without memory the program ends, so callers have nothing
 * to check.
 */
#include "buffer.h"

#include "print.h"

#include <petal.h>

#include <stdlib.h>
#include <string.h>

void buffer_reserve(struct buffer *b, size_t len)
{
    if (b->bytes && len <= b->room - b->len) /* never NULL, even if it is empty */
        return;
    size_t room = b->room ? 2 * b->room : 1 << 16;
    while (room - b->len < len)
        room *= 2;
    b->bytes = realloc(b->bytes, room);
    if (!b->bytes)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
    b->room = room;
}

void buffer_put(struct buffer *b, const void *bytes, size_t len)
{
    buffer_reserve(b, len);
    if (len > 0)
        memcpy(b->bytes + b->len, bytes, len);
    b->len += len;
}
