/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shard_of.c: find the shard of a key.
 *
 * A key belongs to shard floor(h · N / 2^64), where h is the XXH3-64 of its bytes with a
 * seed of our own.  A client computes this number and queries one filter; no directory is
 * needed. The hash must differ from the hash of the filters.  Otherwise the keys of a shard
 * would have the same first bits, and crowd into a few blocks of their filter.
 */
#include "shard.h"

#include "args.h"
#include "json.h"
#include "keys.h"
#include "print.h"

#include <inttypes.h>

#define SEED 0x7368617264 /* "shard"; never changes, because other programs use it too */

petal_filter *shard_hasher(void)
{
    const petal_options o = { .capacity = 1, .hash = PETAL_HASH_FAST, .seed = { SEED } };
    petal_filter *hasher;
    const int rc = petal_new(&o, &hasher);
    if (rc < 0)
        fail("%s", petal_strerror(rc));
    return hasher;
}

/* The multiplication in two steps of 32 bits. */
uint64_t shard_number(uint64_t hash, uint64_t shards)
{
    return ((hash >> 32) * shards + ((hash & UINT32_MAX) * shards >> 32)) >> 32;
}

static void shard_print(uint64_t number, const void *key, size_t len)
{
    if (!json) {
        out("%" PRIu64, number);
        return;
    }
    json_open(NULL, '{');
    json_bytes("key", key, len);
    json_count("shard", number);
    json_close();
}

struct printing {
    petal_filter *hasher;
    uint64_t shards;
};

static void shard_print_batch(void *context, struct batch *batch)
{
    const struct printing *t = context;
    for (size_t i = 0; i < batch->keys_n; i++) {
        const petal_key *key = &batch->keys[i];
        const struct span line = batch->records[batch->places[i].record].text;
        const uint64_t hash = petal_hash(t->hasher, key->data, key->len);
        shard_print(shard_number(hash, t->shards), key->data, key->len);
        if (!json) {
            out_bytes("\t", 1);
            out_line(line.at, line.len, line_separator);
        }
    }
}

void shard_print_lines(uint64_t shards, char **files, size_t n)
{
    struct printing t = { shard_hasher(), shards };
    struct lines *lines = keys_open(files, n, SELECT_LOG, t.hasher);
    keys_each(lines, shard_print_batch, NULL, &t);
    lines_close(lines);
    petal_free(t.hasher);
}

void shard_print_key(uint64_t shards, const char *key)
{
    petal_filter *hasher = shard_hasher();
    const size_t len = strlen(key);
    shard_print(shard_number(petal_hash(hasher, key, len), shards), key, len);
    if (!json)
        out("\n");
    petal_free(hasher);
}
