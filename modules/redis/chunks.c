/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chunks.c: a filter as numbered chunks, as SCANDUMP returns and LOADCHUNK takes them.
 *
 * Chunk 1 is the length of the image, as 8 bytes.  All other chunks are parts of the image.
 * Their number is 1 plus the bytes of the image up to and including the chunk.
 *
 * Filters of RedisBloom have RedisBloom's chunks, which begin with a longer one: see
 * foreign.c.
 */
#include "chunks.h"

#include "foreign.h"
#include "loads.h"
#include "parts.h"

uint64_t chunks_number(const RedisModuleString *text)
{
    long long number = 0;
    RedisModule_StringToLongLong(text, &number);
    return (uint64_t)number;
}

int reply_chunk(RedisModuleCtx *ctx, uint64_t number, const char *bytes, size_t len)
{
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithLongLong(ctx, (long long)number);
    return RedisModule_ReplyWithStringBuffer(ctx, bytes, len);
}

bool chunks_part(const petal_filter *filter, uint64_t number, size_t total, size_t *from,
                 size_t *len)
{
    const uint64_t at = number > 0 ? number - 1 : total;
    *from = at < total ? (size_t)at : total;
    *len = total - *from < PART_MAX ? total - *from : PART_MAX;
    return !foreign_is(filter);
}

bool chunks_reply(RedisModuleCtx *ctx, uint64_t number, size_t total, const char *bytes,
                  size_t len)
{
    char length[8];
    if (number == 0) {
        for (int i = 0; i < 8; i++)
            length[i] = (char)((uint64_t)total >> 8 * i);
        reply_chunk(ctx, 1, length, sizeof length);
    } else if (len > 0) {
        reply_chunk(ctx, number + len, bytes, len);
    }
    return number == 0 || len > 0;
}

bool chunks_next(RedisModuleCtx *ctx, petal_filter *filter, uint64_t number)
{
    size_t total, from, len;
    if (foreign_is(filter))
        return foreign_next(ctx, filter, number);
    const char *image = petal_bytes(filter, &total);
    chunks_part(filter, number, total, &from, &len);
    return chunks_reply(ctx, number, total, image + from, len);
}

static int chunks_first(RedisModuleCtx *ctx, RedisModuleString *name, petal_key chunk)
{
    const uint8_t *bytes = chunk.data;
    uint64_t total = 0;
    loads_forget(ctx, name);
    if (foreign_is_header(bytes, chunk.len, &total))
        return loads_put(ctx, name, 0, total, bytes, chunk.len);
    if (chunk.len != 8)
        return LOADS_E_ORDER;
    for (int i = 7; i >= 0; i--)
        total = total << 8 | bytes[i];
    return loads_put(ctx, name, 0, total, "", 0);
}

int chunks_put(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t number,
               petal_key chunk)
{
    uint64_t total, before;
    if (number == 1)
        return chunks_first(ctx, name, chunk);
    if (!loads_in_progress(ctx, name, &total, &before))
        return LOADS_E_NONE;
    return loads_put(ctx, name, before + number - 1 - chunk.len, total, chunk.data,
                     chunk.len);
}
