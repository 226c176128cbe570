/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * redisbloom.c: the filter of RedisBloom, the module for Redis.
 *
 * It is a chain of links, each an array of bits with k probes.  A key is in the filter if
 * all its probes in one of the links are set.  New keys go into the newest link.  When that
 * has as many keys as it was made for, a larger one follows (redisbloom_plan.c), unless the
 * filter was made not to grow: then it is full.  The probes are a + i b, with two hashes
 * of 64 bits by MurmurHash64A, or of 32 bits by Murmur 2 in filters of its first versions.
 *
 * A chain that grows is copied to a larger image.  This takes time in proportion to its
 * size, but happens seldom.
 *
 * Checked against the real module, both ways, except for the hashes of 32 bits.
 */
#include "kinds/foreign/redisbloom.h"

#include "core/bits.h"
#include "core/image.h"
#include "kinds/foreign/murmur.h"

#include <math.h>

#define SEED_32 0x9747B28C

/* ---- One link ---- */

static void chain_hash(const petal_filter *f, const uint8_t *key, size_t len, uint64_t h[2])
{
    if (chain_of(f).options & CHAIN_FORCE64) {
        h[0] = murmur_64a(key, len, MURMUR_64A);
        h[1] = murmur_64a(key, len, h[0]);
    } else {
        h[0] = murmur_2(key, len, SEED_32);
        h[1] = murmur_2(key, len, (uint32_t)h[0]);
    }
}

static inline uint64_t link_probe(const struct link *link, const uint64_t h[2], uint64_t i)
{
    const uint64_t x = h[0] + i * h[1];
    return link->n2 ? x & (((uint64_t)1 << link->n2) - 1) : x % link->bits;
}

static bool link_contains(const uint8_t *cells, const struct link *link,
                          const uint64_t h[2])
{
    for (uint32_t i = 0; i < link->hashes; i++)
        if (!bit_get(cells, link_probe(link, h, i)))
            return false;
    return true;
}

/* ---- The chain ---- */

static bool chain_contains(const petal_filter *f, const uint64_t h[2])
{
    uint64_t end = f->shape.bits;
    for (uint32_t i = f->stages; i-- > 0;) { /* the newest has the most keys */
        const struct link link = link_read(link_at(f, i));
        end -= link_room(&link);
        if (link_contains(f->cells + end / 8, &link, h))
            return true;
    }
    return false;
}

static bool redisbloom_contains(const petal_filter *f, const uint8_t *key, size_t len)
{
    uint64_t h[2];
    chain_hash(f, key, len, h);
    return chain_contains(f, h);
}

/* Adds an empty link.  Returns 0, or an error with nothing changed. */
static int chain_grow(petal_filter *f)
{
    const struct chain chain = chain_of(f);
    const struct link last = link_read(link_at(f, f->stages - 1));
    struct link link;
    if (chain.options & CHAIN_FIXED || f->stages == LINKS_MAX || chain.growth == 0 ||
        petal__redisbloom_next(&last, chain.growth, &link) < 0 ||
        link_room(&link) > PETAL__BITS_MAX - f->shape.bits)
        return PETAL_E_FULL;
    petal_filter grown = *f;
    grown.stages++;
    grown.shape.bits += link_room(&link);
    grown.shape.capacity += link.capacity;
    petal__image_measure(&grown.shape, grown.stages, f->sections.len);
    int rc = petal__image_may_grow(f, &grown.shape);
    if (rc == PETAL_OK)
        rc = petal__image_alloc(&grown);
    if (rc < 0)
        return rc;
    grown.tail_copy = NULL;
    memcpy(grown.cells, f->cells, (size_t)(f->shape.bits / 8));
    memcpy(petal__tail(&grown), petal__tail(f), (size_t)LINK_LEN * (1 + f->stages));
    link_write(link_at(&grown, f->stages), &link);
    petal__image_release(f);
    *f = grown;
    return PETAL_OK;
}

static int redisbloom_add(petal_filter *f, const uint8_t *key, size_t len)
{
    uint64_t h[2];
    chain_hash(f, key, len, h);
    if (chain_contains(f, h))
        return 0;
    struct link link = link_read(link_at(f, f->stages - 1));
    if (link.keys >= link.capacity) {
        const int rc = chain_grow(f);
        if (rc < 0)
            return rc;
        link = link_read(link_at(f, f->stages - 1));
    }
    uint8_t *cells = f->cells + (f->shape.bits - link_room(&link)) / 8;
    for (uint32_t i = 0; i < link.hashes; i++)
        bit_set(cells, link_probe(&link, h, i));
    link.keys++;
    link_write(link_at(f, f->stages - 1), &link);
    return 1;
}

static size_t redisbloom_probes(const petal_filter *f, const uint8_t *key, size_t len,
                                uint64_t *cells, uint32_t *groups, size_t max)
{
    uint64_t h[2], first = 0;
    size_t n = 0;
    chain_hash(f, key, len, h);
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct link link = link_read(link_at(f, i));
        for (uint32_t j = 0; j < link.hashes; j++, n++)
            if (n < max) {
                cells[n] = first + link_probe(&link, h, j);
                if (groups)
                    groups[n] = i;
            }
        first += link_room(&link);
    }
    return n;
}

/* ---- From new to free ---- */

static size_t redisbloom_tail_len(uint32_t stages)
{
    return (size_t)LINK_LEN * (1 + stages);
}

static int redisbloom_start(petal_filter *f)
{
    struct link link;
    if (petal__redisbloom_first(&f->shape, &link) < 0)
        return PETAL_E_SHAPE;
    link.bits = f->shape.bits; /* a shape that was read may have its own */
    link.hashes = f->shape.hashes;
    const int rc = petal__image_alloc(f);
    if (rc < 0)
        return rc;
    const uint32_t fixed = f->shape.growth ? 0 : CHAIN_FIXED;
    store_le32(petal__tail(f), CHAIN_NOROUND | CHAIN_FORCE64 | fixed);
    store_le32(petal__tail(f) + 4, f->shape.growth ? f->shape.growth : 2);
    link_write(link_at(f, 0), &link);
    return PETAL_OK;
}

/* Keeps only the first link, in the memory that the filter has. */
static void redisbloom_clear(petal_filter *f)
{
    uint8_t options[LINK_LEN];
    struct link first = link_read(link_at(f, 0));
    const uint64_t body = petal__cells_len(&f->shape) + redisbloom_tail_len(f->stages);
    memcpy(options, petal__tail(f), LINK_LEN);
    memset(f->cells, 0, (size_t)body);
    first.keys = 0;
    f->stages = 1;
    f->shape.bits = link_room(&first);
    f->shape.capacity = first.capacity;
    memcpy(petal__tail(f), options, LINK_LEN);
    link_write(link_at(f, 0), &first);
}

/* ---- The whole filter ---- */

static double link_estimate(const petal_filter *f, const struct link *link, uint64_t first,
                            uint64_t *set)
{
    *set = petal__bits_count_range(f->cells, first, first + link->bits);
    const double m = (double)(link->n2 ? (uint64_t)1 << link->n2 : link->bits);
    return petal__keys_for(m, (double)*set, 1 / m) / link->hashes;
}

static void redisbloom_measure(const petal_filter *f, petal_stats *stats)
{
    double pass = 1;
    uint64_t first = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct link link = link_read(link_at(f, i));
        const double m = (double)(link.n2 ? (uint64_t)1 << link.n2 : link.bits);
        uint64_t set;
        const double keys = link_estimate(f, &link, first, &set);
        if (set > 0)
            pass *= 1 - fmin(1, pow((double)set / m, link.hashes) +
                                    petal__array_extra(m, keys));
        stats->cells_set += set;
        stats->keys_estimate += keys;
        first += link_room(&link);
    }
    stats->fpr_estimate = 1 - pass;
}

/* Two chains can be merged if each link has its like. */
static bool redisbloom_alike(const petal_filter *a, const petal_filter *b)
{
    if (a->shape.bits != b->shape.bits || a->stages != b->stages ||
        chain_of(a).options != chain_of(b).options)
        return false;
    for (uint32_t i = 0; i < a->stages; i++) {
        const struct link x = link_read(link_at(a, i)), y = link_read(link_at(b, i));
        if (x.bits != y.bits || x.hashes != y.hashes || x.n2 != y.n2 ||
            x.capacity != y.capacity)
            return false;
    }
    return true;
}

/* The keys of a link are estimated afterwards: they say when the chain grows. */
static int redisbloom_merge(petal_filter *into, const petal_filter *other,
                            enum petal_merge how)
{
    uint64_t first = 0, set;
    if (how == PETAL__INTERSECT && into->stages > 1)
        return PETAL_E_MISMATCH; /* a common key may be in different links */
    (how == PETAL__UNION ? petal__bits_or : petal__bits_and)(
        into->cells, other->cells, petal__cells_len(&into->shape));
    for (uint32_t i = 0; i < into->stages; i++) {
        struct link link = link_read(link_at(into, i));
        link.keys = (uint64_t)(link_estimate(into, &link, first, &set) + 0.5);
        if (link.keys > link.capacity && i + 1 < into->stages)
            link.keys = link.capacity;
        link_write(link_at(into, i), &link);
        first += link_room(&link);
    }
    into->counted = false;
    return PETAL_OK;
}

/* Bits between the end of an array and the end of its last word. */
static bool link_is_padded(const petal_filter *f, const struct link *link, uint64_t first)
{
    return link->bits % 64 == 0 || petal__bits_count_range(f->cells, first + link->bits,
                                                           first + link_room(link)) == 0;
}

/* Are the unused bytes of the tail 0? */
static bool chain_is_padded(const petal_filter *f)
{
    const uint8_t *tail = petal__tail(f);
    for (size_t i = 0; i < redisbloom_tail_len(f->stages); i++)
        if (i % LINK_LEN >= (i < LINK_LEN ? 8 : 48) && tail[i])
            return false;
    return true;
}

static bool redisbloom_sound(const petal_filter *f)
{
    const struct chain chain = chain_of(f);
    uint64_t bits = 0, capacity = 0;
    if (chain.options > CHAIN_ALL || chain.growth > UINT16_MAX ||
        f->shape.growth != (chain.options & CHAIN_FIXED ? 0 : chain.growth) ||
        !chain_is_padded(f))
        return false;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct link link = link_read(link_at(f, i));
        if (!petal__redisbloom_link_fits(&link) ||
            link_room(&link) > f->shape.bits - bits ||
            link.capacity > f->shape.capacity - capacity || !link_is_padded(f, &link, bits))
            return false;
        if (i == 0 &&
            (link.capacity != f->shape.capacity_first || link.hashes != f->shape.hashes))
            return false;
        bits += link_room(&link);
        capacity += link.capacity;
    }
    return bits == f->shape.bits && capacity == f->shape.capacity;
}

const struct petal_ops petal__redisbloom = {
    .kind = (petal_kind)PETAL_REDISBLOOM,
    .name = "redisbloom",
    .abilities = PETAL_CAN_MERGE | PETAL_CAN_GROW | PETAL_IS_STAGED | PETAL_IS_ORDERED |
                 PETAL_NEEDS_KEYS,
    .words = { .summary = "the filter of RedisBloom, for Redis",
               .hashes = "probe",
               .stage = "link",
               .group = "link",
               .rule = PETAL_RULE_ANY },
    .takes = PETAL__TAKES_GROWTH,
    .plan = FULL(petal__redisbloom_plan),
    .fits = petal__redisbloom_fits,
    .fpr = FULL(petal__redisbloom_fpr),
    .grow = FULL(petal__redisbloom_grow_to),
    .start = FULL(redisbloom_start),
    .clear = FULL(redisbloom_clear),
    .add = FULL(petal__keys_add),
    .contains = petal__keys_contains,
    .probes = FULL(petal__keys_probes),
    .add_key = FULL(redisbloom_add),
    .contains_key = redisbloom_contains,
    .probes_key = FULL(redisbloom_probes),
    .foreign = &petal__redisbloom_foreign,
    .measure = FULL(redisbloom_measure),
    .merge = FULL(redisbloom_merge),
    .alike = FULL(redisbloom_alike),
    .tail_len = redisbloom_tail_len,
    .stages_max = LINKS_MAX,
    .sound = redisbloom_sound,
};
