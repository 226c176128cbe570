/*
 * deal.c: very many additions to a filter in blocks.
 *
 * In a filter larger than the cache every addition waits for memory.  So the hashes are
 * dealt out first, by the part of the cells that they belong to, each small enough for the
 * cache; two passes over them, and the additions are as fast as in a small filter.  That
 * pays where several keys fall on every cache line, so that a round takes so many of them.
 * Threads first share the keys, then the parts.  Within a part the hashes keep their order,
 * so that cells and count are those of adding one by one, for any number of threads.
 *
 * Memory comes from the thread that calls, and from no other.
 */
#include "deal.h"

#include "memory.h"
#include "system.h"

#define FOR_THREADS 65536                /* fewer keys are not worth a thread */
#define LARGE_CELLS ((uint64_t)16 << 20) /* what fits into the cache */
#define WORTH       2                    /* keys a block, for dealing out to pay */
#define ROUND       4                    /* keys a block, dealt out at a time ... */
#define ROUND_MIN   ((uint64_t)1 << 20)
#define ROUND_MAX   ((uint64_t)1 << 26) /* ... in half a gigabyte at most */
#define PART_SHIFT  12                  /* blocks in a part of the cells: 256 KiB */
#define PARTS_MAX   2048

struct deal {
    petal_filter *f;
    const struct petal__keys *keys;
    size_t from, n;         /* the keys of this round */
    const uint64_t *hashes; /* of these keys */
    uint64_t *room;         /* for them, where they are not hashed already */
    uint64_t *dealt;        /* the hashes again, part by part */
    size_t *at;             /* for each thread and part: how many, then where they go */
    uint64_t blocks;
    unsigned shift; /* a part is 2^shift blocks */
    unsigned parts, threads;
    _Alignas(8) int64_t added;
};

static inline uint64_t deal_part(const struct deal *d, uint64_t hash)
{
    return place_below(d->blocks, hash & d->f->ops->place_mask) >> d->shift;
}

/* What one thread has of n things: from its first to the first of the next. */
static inline size_t deal_first(const struct deal *d, size_t n, unsigned thread)
{
    return n / d->threads * thread + (n % d->threads) * thread / d->threads;
}

static void deal_count(void *context, unsigned thread)
{
    const struct deal *d = context;
    size_t *counts = d->at + (size_t)thread * d->parts;
    const size_t first = deal_first(d, d->n, thread), end = deal_first(d, d->n, thread + 1);
    if (d->room)
        petal__batch_hash(d->f, d->keys, d->from + first, end - first, d->room + first);
    for (size_t i = first; i < end; i++)
        counts[deal_part(d, d->hashes[i])]++;
}

static void deal_out(void *context, unsigned thread)
{
    const struct deal *d = context;
    size_t *at = d->at + (size_t)thread * d->parts;
    const size_t end = deal_first(d, d->n, thread + 1);
    for (size_t i = deal_first(d, d->n, thread); i < end; i++)
        d->dealt[at[deal_part(d, d->hashes[i])]++] = d->hashes[i];
}

struct addition {
    petal_filter *f;
    int64_t added;
};

static void deal_use(void *context, const uint64_t *hashes, size_t at, size_t n,
                     const uint64_t *later)
{
    struct addition *a = context;
    (void)at;
    a->added += a->f->ops->add_many(a->f, hashes, n, NULL, later);
}

/* By now the last thread's hashes of a part end where the part ends. */
static void deal_add(void *context, unsigned thread)
{
    struct deal *d = context;
    const size_t *ends = d->at + (size_t)(d->threads - 1) * d->parts;
    const size_t first = deal_first(d, d->parts, thread);
    const size_t end = deal_first(d, d->parts, thread + 1);
    const size_t from = first > 0 ? ends[first - 1] : 0;
    if (first == end)
        return;
    struct addition a = { d->f, 0 };
    const struct petal__keys mine = { .hashes = d->dealt + from };
    petal__batch(d->f, &mine, ends[end - 1] - from, deal_use, &a);
    __atomic_fetch_add(&d->added, a.added, __ATOMIC_RELAXED);
}

static void deal_round(struct deal *d)
{
    d->hashes = d->room ? d->room : d->keys->hashes + d->from;
    memset(d->at, 0, (size_t)d->parts * d->threads * sizeof *d->at);
    petal__system_threads(d->threads, deal_count, d);
    size_t start = 0;
    for (size_t p = 0; p < d->parts; p++)
        for (size_t thread = 0; thread < d->threads; thread++) {
            const size_t count = d->at[thread * d->parts + p];
            d->at[thread * d->parts + p] = start;
            start += count;
        }
    petal__system_threads(d->threads, deal_out, d);
    petal__system_threads(d->threads, deal_add, d);
}

static void deal_all(struct deal *d, size_t n, size_t most)
{
    for (d->from = 0; d->from < n; d->from += d->n) {
        d->n = n - d->from < most ? n - d->from : most;
        deal_round(d);
    }
}

/* Parts that fit into the cache, and some for every thread. */
static void deal_parts(struct deal *d)
{
    while (d->shift > 0 && d->blocks >> d->shift < 4 * d->threads)
        d->shift--;
    while ((d->blocks - 1) >> d->shift >= PARTS_MAX)
        d->shift++;
    d->parts = (unsigned)((d->blocks - 1) >> d->shift) + 1;
    d->threads = d->threads < d->parts ? d->threads : d->parts;
}

static size_t deal_round_of(const struct deal *d, size_t n)
{
    uint64_t most = ROUND * d->blocks;
    most = most < ROUND_MIN ? ROUND_MIN : most > ROUND_MAX ? ROUND_MAX : most;
    return n < most ? n : (size_t)most;
}

bool petal__deal(petal_filter *f, const struct petal__keys *keys, size_t n, int64_t *added)
{
    if (!f->ops->place_mask || n < FOR_THREADS)
        return false;
    struct deal d = { .f = f,
                      .keys = keys,
                      .blocks = f->shape.bits / f->shape.block_bits,
                      .shift = PART_SHIFT,
                      .threads = f->threads ? f->threads : 1 };
    const bool worth = petal__cells_len(&f->shape) > LARGE_CELLS && n / WORTH >= d.blocks;
    if (d.threads == 1 && !worth)
        return false;
    deal_parts(&d);
    const size_t most = deal_round_of(&d, n);
    void *room = NULL, *dealt = NULL;
    if (!keys->hashes)
        d.room = petal__memory_cells(most * sizeof *d.room, &room);
    d.dealt = petal__memory_cells(most * sizeof *d.dealt, &dealt);
    d.at = petal__memory_get((size_t)d.parts * d.threads * sizeof *d.at);
    const bool fits = d.dealt && d.at && (d.room || keys->hashes);
    if (fits)
        deal_all(&d, n, most);
    petal__memory_free(room);
    petal__memory_free(dealt);
    petal__memory_free(d.at);
    *added = d.added;
    return fits;
}
