/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * redisbloom.h: what the redisbloom*.c files share: the links of a chain.
 *
 * A RedisBloom filter is a chain of links, each with its own array of bits.  In our image
 * the arrays follow each other, each in whole words of 64 bits.  The tail has the options of
 * the chain in its first 64 bytes, and then 64 bytes for each link.
 */
#ifndef PETAL_KINDS_FOREIGN_REDISBLOOM_H
#define PETAL_KINDS_FOREIGN_REDISBLOOM_H

#include "kinds/foreign/foreign.h"

#define LINKS_MAX 64    /* of a chain */
#define LINK_LEN  64    /* in the tail; the options take as much */

enum { /* options of a chain */
       CHAIN_NOROUND = 1,       /* the number of bits need not be a power of two */
       CHAIN_ENTRIES_ARE_BITS = 2,
       CHAIN_FORCE64 = 4,       /* hashes of 64 bits */
       CHAIN_FIXED = 8,         /* does not grow */
       CHAIN_ALL = 15
};

struct link {
    uint64_t bits, capacity, keys;
    double   error, per_key;    /* the rate that it was made for, and bits per key */
    uint32_t hashes, n2;        /* n2 > 0: probes are taken modulo 2^n2 */
};

struct chain {
    uint32_t options, growth;
};

static inline uint64_t link_room(const struct link *link)
{
    return round_up(link->bits, 64);
}

static inline uint8_t *link_at(const petal_filter *f, uint32_t i)
{
    return petal__tail(f) + (size_t)LINK_LEN * (1 + i);
}

static inline struct link link_read(const uint8_t *at)
{
    return (struct link){ .bits = load_le64(at),
                          .capacity = load_le64(at + 8),
                          .keys = load_le64(at + 16),
                          .error = load_le_double(at + 24),
                          .per_key = load_le_double(at + 32),
                          .hashes = load_le32(at + 40),
                          .n2 = load_le32(at + 44) };
}

static inline void link_write(uint8_t *at, const struct link *link)
{
    store_le64(at, link->bits);
    store_le64(at + 8, link->capacity);
    store_le64(at + 16, link->keys);
    store_le_double(at + 24, link->error);
    store_le_double(at + 32, link->per_key);
    store_le32(at + 40, link->hashes);
    store_le32(at + 44, link->n2);
}

static inline struct chain chain_of(const petal_filter *f)
{
    return (struct chain){ load_le32(petal__tail(f)), load_le32(petal__tail(f) + 4) };
}

/* ---- redisbloom_plan.c ---- */

int    petal__redisbloom_plan(const petal_options *want, petal_shape *shape,
                              petal_refusal *why);
bool   petal__redisbloom_fits(const petal_shape *shape);
double petal__redisbloom_fpr(const petal_shape *shape, double n);
int    petal__redisbloom_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages);

/* Is this a link whose lookups take bounded work, within bounds? */
bool   petal__redisbloom_link_fits(const struct link *link);

/* The first link of a filter, and the link after `last`.  Returns 0 or PETAL_E_FULL. */
int    petal__redisbloom_first(const petal_shape *shape, struct link *link);
int    petal__redisbloom_next(const struct link *last, uint32_t growth, struct link *link);

/* ---- redisbloom_file.c: struct petal__foreign ---- */

extern const struct petal__foreign petal__redisbloom_foreign OWN;

#endif
