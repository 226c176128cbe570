/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.c: an image that arrives in chunks, in order.
 *
 * The sender announces the total length, which is not trusted.  The buffer is never larger
 * than twice the data that has arrived (or ROOM_MIN), and never larger than the total.
 */
#include "parts.h"

#include "server.h"

#include <string.h>

#define ROOM_MIN ((uint64_t)16 << 10)

static void parts_grow(struct parts *parts, size_t len)
{
    uint64_t room = 2 * ((uint64_t)parts->len + len);
    if (room < ROOM_MIN)
        room = ROOM_MIN;
    if (room > parts->total)
        room = parts->total;
    parts->bytes = RedisModule_Realloc(parts->bytes, (size_t)room);
    parts->room = (size_t)room;
}

bool parts_put(struct parts *parts, uint64_t at, const void *bytes, size_t len)
{
    if (at != parts->len || len > parts->total - parts->len)
        return false;
    if (len > parts->room - parts->len)
        parts_grow(parts, len);
    if (len > 0)
        memcpy(parts->bytes + parts->len, bytes, len);
    parts->len += len;
    return true;
}

bool parts_complete(const struct parts *parts)
{
    return parts->len == parts->total;
}

void parts_free(struct parts *parts)
{
    RedisModule_Free(parts->bytes);
    *parts = (struct parts){ 0 };
}
