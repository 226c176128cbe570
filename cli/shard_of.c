/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shard_of.c: which shard a key belongs to.
 *
 * A key belongs to shard floor(h · N / 2^64), where h is the XXH3-64 of its bytes with a
 * seed of our own.  Whoever asks works that out, and asks one filter; no list says what is
 * where.  It must not be the hash of the filter: keys of one shard would then agree in
 * their first bits, and crowd into a few blocks of their filter.
 */
#include "shard.h"

#include "args.h"
#include "json.h"
#include "keys.h"
#include "print.h"

#include <inttypes.h>

#define SEED 0x7368617264 /* "shard"; others compute it too: it never changes */

petal_filter *shard_numberer(void)
{
    const petal_options o = { .capacity = 1, .hash = PETAL_HASH_FAST, .seed = { SEED } };
    petal_filter *hasher;
    const int rc = petal_new(&o, &hasher);
    if (rc < 0)
        fail("%s", petal_strerror(rc));
    return hasher;
}

/* In two steps of 32 bits. */
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

struct telling {
    petal_filter *hasher;
    uint64_t shards;
};

static int shard_print_line(void *context, const struct line *line)
{
    const struct telling *t = context;
    const uint64_t hash = petal_hash(t->hasher, line->key, line->key_len);
    shard_print(shard_number(hash, t->shards), line->key, line->key_len);
    if (!json) {
        out_bytes("\t", 1);
        out_line(line->text, line->text_len, line_separator);
    }
    return 0;
}

void shard_tell_lines(uint64_t shards, char **files, size_t n)
{
    struct telling t = { shard_numberer(), shards };
    struct lines *lines = lines_open(files, n);
    keys_each(t.hasher, lines, shard_print_line, NULL, &t);
    lines_close(lines);
    petal_free(t.hasher);
}

void shard_tell(uint64_t shards, const char *key)
{
    petal_filter *hasher = shard_numberer();
    const size_t len = strlen(key);
    shard_print(shard_number(petal_hash(hasher, key, len), shards), key, len);
    if (!json)
        out("\n");
    petal_free(hasher);
}
