/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch.c: many keys, hashed in groups, whose cells are fetched before they are used.
 *
 * A filter beyond the cache answers as fast as memory does, if enough is asked of it at
 * once.  So the hashes go round a ring: a group is hashed, its cache lines are asked for
 * while an earlier group is used, and it is used itself when some more groups have been.
 * What fits into the cache needs no fetching, and is used at once.
 */
#include "bulk/batch.h"

#include "core/hash.h"

/* Long keys take as long to hash as memory to answer: it is asked after every group of
 * them. Otherwise it is asked between look-ups, and hashing is a pause, which should be
 * short where memory itself is waited for; before that, larger groups cost fewer steps. */
#define GROUP_MIN 16
#define GROUP_MAX 32
#define LAG       96 /* keys between fetching and using */
#define RING      (LAG + GROUP_MAX)
#define LONG_KEY  16

static inline bool batch_is_slow(const petal_filter *f, const struct petal__keys *keys)
{
    const size_t len = keys->list ? keys->list[0].len : keys->width;
    return !keys->hashes && (len > LONG_KEY || f->shape.hash == PETAL_HASH_KEYED);
}

/* A filter that grows may become so. */
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
                                  size_t at, size_t n, uint64_t *room)
{
    const petal_shape *shape = &f->shape;
    if (keys->hashes)
        return keys->hashes + at;
    if (f->ops->point)
        batch_points(f, keys, at, n, room);
    else if (keys->list)
        petal__hash_many(shape->hash, shape->seed, keys->list + at, n, room);
    else
        petal__hash_column(shape->hash, shape->seed, keys->column + at * keys->width,
                           keys->width, n, room);
    return room;
}

static inline size_t batch_some(size_t at, size_t n, size_t most)
{
    return n - at < most ? n - at : most;
}

/* As long as the filter is near; how many keys that were. */
static size_t batch_near(const petal_filter *f, const struct petal__keys *keys, size_t n,
                         petal__use_fn *use, void *context)
{
    uint64_t room[BATCH_MAX];
    size_t at = 0;
    for (size_t some; at < n && !batch_is_far(f); at += some) {
        some = batch_some(at, n, BATCH_MAX);
        use(context, petal__batch_hash(f, keys, at, some, room), at, some, NULL);
    }
    return at;
}

static void batch_far(const petal_filter *f, const struct petal__keys *keys, size_t from,
                      size_t n, petal__use_fn *use, void *context)
{
    const bool slow = batch_is_slow(f, keys);
    const bool large = petal__cells_len(&f->shape) > PETAL__LARGE_LEN;
    const size_t group = slow || large ? GROUP_MIN : GROUP_MAX;
    uint64_t ring[RING];
    const uint64_t *groups[RING / GROUP_MIN];
    for (size_t at = from, turn = 0; at < n + LAG; at += group) {
        const uint64_t *later = NULL;
        if (at < n) {
            const size_t some = batch_some(at, n, group);
            later = petal__batch_hash(f, keys, at, some, ring + turn * group);
            groups[turn] = later;
            if (slow || at < from + LAG || some < group) { /* nobody to do it meanwhile */
                f->ops->fetch_many(f, later, some);
                later = NULL;
            }
        }
        turn = turn * group == LAG ? 0 : turn + 1; /* where the oldest group is */
        if (at >= from + LAG)
            use(context, groups[turn], at - LAG, batch_some(at - LAG, n, group), later);
    }
}

void petal__batch(const petal_filter *f, const struct petal__keys *keys, size_t n,
                  petal__use_fn *use, void *context)
{
    const size_t done = batch_near(f, keys, n, use, context);
    if (done < n)
        batch_far(f, keys, done, n, use, context);
}
