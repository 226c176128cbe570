/* SPDX-License-Identifier: BSD-2-Clause */
/* shard.h: which shard a key belongs to. */
#ifndef CLI_SHARD_H
#define CLI_SHARD_H

#include <petal.h>

/* An empty filter: its hash of a key says which shard the key belongs to. */
petal_filter *shard_numberer(void);

/* floor(hash * shards / 2^64) */
uint64_t      shard_number(uint64_t hash, uint64_t shards);

/* Prints the shard of one key, or of each line of the files. */
void          shard_tell(uint64_t shards, const char *key);
void          shard_tell_lines(uint64_t shards, char **files, size_t n);

#endif
