/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch.c: hashes many keys in groups and prefetches their cells before they are used.
 *
 * A filter larger than the cache is limited by the latency of memory, unless many accesses
 * are in flight at once.  So hashes go through a ring buffer: a group of keys is hashed,
 * its cache lines are prefetched while an earlier group is used, and it is used itself a
 * few groups later.  A filter that fits into the cache needs no prefetching; its groups are
 * used at once.
 */
#include "bulk/batch.h"

#include "core/hash.h"

/* The cache lines of a group are prefetched between the lookups of an earlier one.  Hashing
 * is a pause in the stream of prefetches.  It should be short (GROUP_MIN) if the filter
 * fits into no cache; if it does, larger groups cost fewer instructions. */
#define GROUP_MIN 16
#define GROUP_MAX 32
#define LAG       96 /* keys between prefetching and use */
#define RING      (LAG + GROUP_MAX)

/* Larger than the nearer caches?  A filter that grows may become so during a batch. */
static inline bool batch_is_far(const petal_filter *f)
{
    return f->ops->fetch_many && petal__cells_len(&f->shape) > PETAL__NEAR_LEN;
}

static void batch_points(const petal_filter *f, const struct petal__keys *keys, size_t at,
                         size_t n, uint64_t *points)
{
    for (size_t i = 0; i < n; i++)
        points[i] = keys->list
                        ? f->ops->point(keys->list[at + i].data, keys->list[at + i].len)
                        : f->ops->point(keys->column + (at + i) * keys->width, keys->width);
}

const uint64_t *petal__batch_hash(const petal_filter *f, const struct petal__keys *keys,
                                  size_t at, size_t n, uint64_t *buffer)
{
    const petal_shape *shape = &f->shape;
    if (keys->hashes)
        return keys->hashes + at;
    if (f->ops->point)
        batch_points(f, keys, at, n, buffer);
    else if (keys->list)
        petal__hash_many(f->simd, shape->hash, shape->seed, keys->list + at, n, buffer);
    else
        petal__hash_column(f->simd, shape->hash, shape->seed,
                           keys->column + at * keys->width, keys->width, n, buffer);
    return buffer;
}

static inline size_t batch_group_len(size_t at, size_t n, size_t most)
{
    return n - at < most ? n - at : most;
}

/* Processes keys as long as the filter fits into the nearer caches, or all of them. Returns
 * how many. */
static size_t batch_near(const petal_filter *f, const struct petal__keys *keys, size_t n,
                         bool all, petal__use_fn *use, void *context)
{
    uint64_t buffer[BATCH_MAX];
    size_t at = 0;
    for (size_t count; at < n && (all || !batch_is_far(f)); at += count) {
        count = batch_group_len(at, n, BATCH_MAX);
        use(context, petal__batch_hash(f, keys, at, count, buffer), at, count, NULL);
    }
    return at;
}

void petal__batch_plain(const petal_filter *f, const struct petal__keys *keys, size_t n,
                        petal__use_fn *use, void *context)
{
    batch_near(f, keys, n, true, use, context);
}

static void batch_far(const petal_filter *f, const struct petal__keys *keys, size_t from,
                      size_t n, petal__use_fn *use, void *context)
{
    const bool large = petal__cells_len(&f->shape) > PETAL__LARGE_LEN;
    const size_t group = large ? GROUP_MIN : GROUP_MAX;
    uint64_t ring[RING];
    const uint64_t *groups[RING / GROUP_MIN];
    for (size_t at = from, slot = 0; at < n + LAG; at += group) {
        const uint64_t *later = NULL;
        if (at < n) {
            const size_t count = batch_group_len(at, n, group);
            later = petal__batch_hash(f, keys, at, count, ring + slot * group);
            groups[slot] = later;
            if (at < from + LAG || count < group) { /* use() will not do it */
                f->ops->fetch_many(f, later, count);
                later = NULL;
            }
        }
        slot = slot * group == LAG ? 0 : slot + 1; /* the oldest group */
        if (at >= from + LAG)
            use(context, groups[slot], at - LAG, batch_group_len(at - LAG, n, group),
                later);
    }
}

void petal__batch(const petal_filter *f, const struct petal__keys *keys, size_t n,
                  petal__use_fn *use, void *context)
{
    const size_t done = batch_near(f, keys, n, false, use, context);
    if (done < n)
        batch_far(f, keys, done, n, use, context);
}
