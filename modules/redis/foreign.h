/* SPDX-License-Identifier: BSD-2-Clause */
/* foreign.h: filters of RedisBloom, in its own formats. */
#ifndef REDIS_FOREIGN_H
#define REDIS_FOREIGN_H

#include "filter.h"

#define FOREIGN_TYPE    "MBbloom--"     /* RedisBloom's type of filters, and its version */
#define FOREIGN_VERSION 4

/* The kind of filters that hash keys as RedisBloom does. */
petal_kind foreign_kind(void);

/* Is it a filter of that kind, and can RedisBloom's type hold all of it?  It has no notes,
 * and its keys are as they are. */
bool foreign_is(const petal_filter *filter);

/* ---- Chunks ---- */

/* Is this the header of a filter, which BF.SCANDUMP returns first?  Stores the length of
 * the whole. */
bool foreign_is_header(const void *bytes, size_t len, uint64_t *total);

/* How many of these bytes are the header of a filter that has `total` bytes.  0 if they do
 * not begin with one. */
size_t foreign_header_len(const void *bytes, size_t len, uint64_t total);

/* Replies with the chunk that follows this number; 0 is before the first.  Returns false
 * and does not reply if there is none. */
bool foreign_next(RedisModuleCtx *ctx, const petal_filter *filter, uint64_t number);

/* The lines of BF.DEBUG. */
int foreign_debug(RedisModuleCtx *ctx, const petal_filter *filter);

/* ---- Files ---- */

void foreign_save(RedisModuleIO *io, const petal_filter *filter);
void foreign_rewrite(RedisModuleIO *io, RedisModuleString *key, const petal_filter *filter);

/* Returns NULL, and logs why, if there is none. */
petal_filter *foreign_load(RedisModuleIO *io, int version);

#endif
