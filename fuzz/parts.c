/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.c: fuzzes how the Redis module reassembles a filter that a client sends in parts:
 * any sequence of parts gives one run of bytes or is rejected, and memory is allocated for
 * the bytes received, not for the announced length (G3).
 *
 * The input is the announced length, followed by parts, each with the offset it claims and
 * its length.  A complete run goes to the validator, as it does in the module.
 */
#include "parts.h"

#include "core/portable.h"
#include "petal.h"
#include "server.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The bytes received so far, which bound every allocation. */
static size_t received;

static void *server_realloc(void *old, size_t len)
{
    if (len > 2 * received && len > (16 << 10))
        abort();
    void *block = realloc(old, len);
    if (!block)
        abort();
    return block;
}

void *(*RedisModule_Realloc)(void *, size_t) = server_realloc;
void (*RedisModule_Free)(void *) = free;

/* Reads the next `width` bytes of the input as a number.  Bytes beyond its end are 0. */
static uint64_t take(const uint8_t **data, size_t *len, size_t width)
{
    uint64_t n = 0;
    for (size_t i = 0; i<width && * len> 0; i++, ++*data, --*len)
        n |= (uint64_t) * *data << 8 * i;
    return n;
}

static void check(const struct parts *parts)
{
    if (parts->len > parts->room || parts->room > parts->total)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct parts parts = { .total = take(&data, &len, 8) };
    received = 0;
    while (len > 0 && !parts_complete(&parts)) {
        const uint64_t has_offset = take(&data, &len, 1);
        const uint64_t at = has_offset & 1 ? take(&data, &len, 8) : parts.len;
        size_t n = (size_t)take(&data, &len, 2);
        n = n < len ? n : len;
        received = parts.len + n;
        const size_t before = parts.len;
        const bool fits = at == before && n <= parts.total - before;
        if (parts_put(&parts, at, data, n) != fits || parts.len != before + (fits ? n : 0))
            abort();
        check(&parts);
        if (fits && n > 0 && memcmp(parts.bytes + before, data, n) != 0)
            abort();
        data += n;
        len -= n;
    }
    petal_filter *f;
    if (parts_complete(&parts) &&
        petal_view(parts.bytes, parts.len, PETAL_COPY, &f) == PETAL_OK)
        petal_free(f);
    parts_free(&parts);
    return 0;
}
