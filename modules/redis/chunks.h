/* SPDX-License-Identifier: BSD-2-Clause */
/* chunks.h: a filter as numbered chunks, as SCANDUMP returns and LOADCHUNK takes them. */
#ifndef REDIS_CHUNKS_H
#define REDIS_CHUNKS_H

#include "petal.h"
#include "server.h"

/* The number of a chunk in the arguments of a command, which was checked before. */
uint64_t chunks_number(const RedisModuleString *text);

/* Replies with one chunk and its number. */
int reply_chunk(RedisModuleCtx *ctx, uint64_t number, const char *bytes, size_t len);

/* Replies with the chunk that follows this number; 0 is before the first.  Returns false
 * and does not reply if there is none. */
bool chunks_next(RedisModuleCtx *ctx, petal_filter *filter, uint64_t number);

/* The same in two steps: which bytes of the image, of `total`, make up this chunk, and the
 * reply with them.  The first returns false if the chunks of this filter are no parts of its
 * image. */
bool chunks_part(const petal_filter *filter, uint64_t number, size_t total, size_t *from,
                 size_t *len);
bool chunks_reply(RedisModuleCtx *ctx, uint64_t number, size_t total, const char *bytes,
                  size_t len);

/* Takes a chunk.  The filter is stored at the key when all chunks have arrived and are
 * valid.  Returns an error of loads.h, or 0 or more. */
int chunks_put(RedisModuleCtx *ctx, RedisModuleString *name, uint64_t number,
               petal_key chunk);

#endif
