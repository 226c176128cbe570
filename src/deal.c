/*
 * deal.c: very many additions to a filter in blocks.
 *
 * In a filter larger than the cache every addition waits for memory.  So the hashes are
 * dealt out first, by the part of the cells that they belong to, each small enough for the
 * cache; two passes over them, and the additions are as fast as in a small filter.  Threads
 * first share the hashes, then the parts.  Within a part the hashes keep their order, so
 * that cells and count are those of adding one by one, for any number of threads.
 *
 * Memory comes from the thread that calls, and from no other.
 */
#include "deal.h"

#include "memory.h"
#include "system.h"

#define FOR_THREADS 65536                /* fewer hashes are not worth a thread */
#define MANY_HASHES ((size_t)1 << 20)    /* nor, with one thread, dealing out */
#define LARGE_CELLS ((uint64_t)16 << 20) /* what fits into the cache */
#define PART_SHIFT  12                   /* blocks in a part of the cells: 256 KiB */
#define PARTS_MAX   2048

struct deal {
    petal_filter *f;
    const uint64_t *hashes;
    size_t n;
    uint64_t *dealt; /* the hashes again, part by part */
    size_t *at;      /* for each thread and part: how many, then where they go */
    uint64_t blocks;
    unsigned shift; /* a part is 2^shift blocks */
    unsigned parts, threads;
    _Alignas(8) int64_t added;
};

static inline uint64_t deal_part(const struct deal *d, uint64_t hash)
{
    return place_below(d->blocks, hash) >> d->shift;
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
    const size_t end = deal_first(d, d->n, thread + 1);
    for (size_t i = deal_first(d, d->n, thread); i < end; i++)
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

/* By now the last thread's hashes of a part end where the part ends. */
static void deal_add(void *context, unsigned thread)
{
    struct deal *d = context;
    const size_t *ends = d->at + (size_t)(d->threads - 1) * d->parts;
    const size_t first = deal_first(d, d->parts, thread);
    const size_t end = deal_first(d, d->parts, thread + 1);
    size_t from = first > 0 ? ends[first - 1] : 0;
    int64_t added = 0;
    for (size_t p = first; p < end; from = ends[p++])
        added += d->f->ops->add_many(d->f, d->dealt + from, ends[p] - from, NULL);
    __atomic_fetch_add(&d->added, added, __ATOMIC_RELAXED);
}

static void deal_run(struct deal *d)
{
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

bool petal__deal(petal_filter *f, const uint64_t *hashes, size_t n, int64_t *added)
{
    struct deal d = { .f = f,
                      .hashes = hashes,
                      .n = n,
                      .blocks = f->shape.bits / f->shape.block_bits,
                      .shift = PART_SHIFT,
                      .threads = f->threads ? f->threads : 1 };
    const bool large = petal__cells_len(&f->shape) > LARGE_CELLS && n >= MANY_HASHES;
    if (n < FOR_THREADS || (d.threads == 1 && !large))
        return false;
    while (d.shift > 0 && d.blocks >> d.shift < 4 * d.threads)
        d.shift--;
    while ((d.blocks - 1) >> d.shift >= PARTS_MAX)
        d.shift++;
    d.parts = (unsigned)((d.blocks - 1) >> d.shift) + 1;
    d.threads = d.threads < d.parts ? d.threads : d.parts;
    d.dealt = petal__memory_get(n * sizeof *d.dealt);
    d.at = petal__memory_get((size_t)d.parts * d.threads * sizeof *d.at);
    const bool room = d.dealt && d.at;
    if (room)
        deal_run(&d);
    petal__memory_free(d.dealt);
    petal__memory_free(d.at);
    *added = d.added;
    return room;
}
