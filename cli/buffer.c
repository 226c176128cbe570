/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer.c: a byte buffer that grows.
 *
 * The buffer doubles when it is full.  If memory runs out, the program ends, so callers
 * need no checks.
 */
#include "buffer.h"

#include "print.h"

#include <petal.h>

#include <stdlib.h>
#include <string.h>

void buffer_reserve(struct buffer *b, size_t len)
{
    if (b->bytes && len <= b->room - b->len) /* `bytes` is not NULL even if it is empty */
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
