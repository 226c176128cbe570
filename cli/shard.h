/* SPDX-License-Identifier: BSD-2-Clause */
/* shard.h: find the shard of a key. */
#ifndef CLI_SHARD_H
#define CLI_SHARD_H

#include <petal.h>

/* An empty filter whose hash of a key determines the shard. */
petal_filter *shard_hasher(void);

/* floor(hash * shards / 2^64) */
uint64_t      shard_number(uint64_t hash, uint64_t shards);

/* Print the shard of one key, or of each line of the files. */
void          shard_print_key(uint64_t shards, const char *key);
void          shard_print_lines(uint64_t shards, char **files, size_t n);

#endif
