/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regions.c: adds very many keys to a filter made of blocks, in several threads.
 *
 * The hashes are first sorted by the region of the cells that they belong to.  Threads
 * divide the keys of a round among them, each with its own buffers, and then the regions.
 * A region is small enough for the cache, and is fetched once for all of its hashes.  This
 * pays off if several keys fall on every cache line, so each round sorts that many keys.
 * Within a region the hashes keep their order, so the cells and the count are the same as
 * if the keys were added one by one, for any number of threads.
 *
 * One thread does not sort: batches that prefetch are faster than that.
 *
 * The buffers of a thread are a chain of chunks for each region.  Their number is
 * sufficient however the hashes fall: as many chunks as the keys fill, plus one partly
 * filled chunk for each region.
 *
 * Only the calling thread allocates memory.
 */
#include "bulk/regions.h"

#include "core/memory.h"
#include "os/os.h"

#define THREADS_KEYS_MIN   ((size_t)1 << 20) /* with fewer keys, threads do not pay off */
#define REGION_SHIFT       12                /* 2^12 blocks per region: 256 KiB */
#define REGIONS_MAX        2048
#define REGIONS_PER_THREAD 4 /* regions per thread, at least */

/* Keys per cache line that are sorted in one round.  Their buffers take about as much
 * memory as the filter, but half a gigabyte at most. */
#define ROUND_KEYS_PER_LINE 8
#define ROUND_MIN           ((uint64_t)1 << 20)
#define ROUND_MAX           ((uint64_t)1 << 26)

#define CHUNK     256         /* words; the first is the index of the next chunk */
#define CHUNK_LEN (CHUNK - 1) /* hashes */

struct buffers {
    uint64_t *chunks; /* first one for each region, then the chunks that continue them */
    uint64_t **ends;  /* where the next hash of each region goes */
    size_t used;
};

struct regions {
    petal_filter *f;
    const struct petal__keys *keys;
    size_t from, n; /* the keys of this round */
    uint64_t blocks;
    unsigned shift; /* a region is 2^shift blocks */
    unsigned regions_n, threads;
    struct buffers *buffers;
    _Alignas(8) int64_t added;
};

/* A thread handles the items from regions_first(d, n, thread) up to regions_first(d, n,
 * thread + 1). */
static inline size_t regions_first(const struct regions *d, size_t n, unsigned thread)
{
    return n / d->threads * thread + (n % d->threads) * thread / d->threads;
}

/* ---- Sorting ---- */

static inline uint64_t *buffers_chunk(const struct buffers *buffers, uint64_t i)
{
    return buffers->chunks + i * CHUNK;
}

static inline void buffers_put(struct buffers *buffers, uint64_t region, uint64_t hash)
{
    uint64_t *end = buffers->ends[region];
    *end++ = hash;
    if ((uintptr_t)end % (CHUNK * sizeof *end) == 0) { /* the chunk is full */
        end[-CHUNK] = buffers->used;
        end = buffers_chunk(buffers, buffers->used++) + 1;
    }
    buffers->ends[region] = end;
}

static void regions_sort(void *context, unsigned thread)
{
    const struct regions *d = context;
    struct buffers *buffers = &d->buffers[thread];
    const size_t end = d->from + regions_first(d, d->n, thread + 1);
    for (unsigned p = 0; p < d->regions_n; p++)
        buffers->ends[p] = buffers_chunk(buffers, p) + 1;
    buffers->used = d->regions_n;
    const uint64_t mask = d->f->ops->place_mask;
    for (size_t at = d->from + regions_first(d, d->n, thread), count; at < end;
         at += count) {
        uint64_t buffer[BATCH_MAX];
        count = end - at < BATCH_MAX ? end - at : BATCH_MAX;
        const uint64_t *hashes = petal__batch_hash(d->f, d->keys, at, count, buffer);
        for (size_t i = 0; i < count; i++)
            buffers_put(buffers, place_below(d->blocks, hashes[i] & mask) >> d->shift,
                        hashes[i]);
    }
}

/* ---- Adding ---- */

/* The hashes in one chunk of one region. */
struct run {
    const uint64_t *hashes;
    size_t n;
    size_t region, chunk;
    unsigned thread; /* whose buffers the chunk is in */
};

static struct run run_at(const struct regions *d, size_t region, unsigned thread,
                         size_t chunk)
{
    const struct buffers *buffers = &d->buffers[thread];
    const uint64_t *first = buffers_chunk(buffers, chunk) + 1;
    const size_t last = (size_t)(buffers->ends[region] - first);
    return (struct run){ first, last < CHUNK_LEN ? last : CHUNK_LEN, region, chunk,
                         thread };
}

/* Returns the next chunk of this region and thread, or the first of the next thread, or the
 * first of the next region. */
static struct run run_next(const struct regions *d, const struct run *run, size_t end)
{
    const struct buffers *buffers = &d->buffers[run->thread];
    if (run->n == CHUNK_LEN)
        return run_at(d, run->region, run->thread,
                      (size_t)buffers_chunk(buffers, run->chunk)[0]);
    if (run->thread + 1 < d->threads)
        return run_at(d, run->region, run->thread + 1, run->region);
    if (run->region + 1 < end)
        return run_at(d, run->region + 1, 0, run->region + 1);
    return (struct run){ .region = end };
}

static void regions_add(void *context, unsigned thread)
{
    struct regions *d = context;
    const struct petal_ops *ops = d->f->ops;
    const size_t first = regions_first(d, d->regions_n, thread);
    const size_t end = regions_first(d, d->regions_n, thread + 1);
    int64_t added = 0;
    if (first == end)
        return;
    for (struct run run = run_at(d, first, 0, first); run.region < end;) {
        const struct run next = run_next(d, &run, end);
        const bool later = next.n >= run.n;
        if (!later)
            ops->fetch_many(d->f, next.hashes, next.n);
        added += ops->add_many(d->f, run.hashes, run.n, NULL, later ? next.hashes : NULL);
        run = next;
    }
    __atomic_fetch_add(&d->added, added, __ATOMIC_RELAXED);
}

/* ---- The whole batch ---- */

/* Runs rounds of equal length, of at most `most` keys. */
static void regions_rounds(struct regions *d, size_t n, size_t most)
{
    const size_t rounds = (n - 1) / most + 1;
    for (size_t i = 0; i < rounds; i++, d->from += d->n) {
        d->n = n / rounds + (i < n % rounds);
        petal__os_threads(d->threads, regions_sort, d);
        petal__os_threads(d->threads, regions_add, d);
    }
}

static inline uint64_t regions_lines(const struct regions *d)
{
    return petal__cells_len(&d->f->shape) / 64;
}

/* Returns how many keys to sort in one round. */
static size_t regions_round(const struct regions *d, size_t n)
{
    uint64_t most = ROUND_KEYS_PER_LINE * regions_lines(d);
    most = most < ROUND_MIN ? ROUND_MIN : most > ROUND_MAX ? ROUND_MAX : most;
    return n < most ? n : (size_t)most;
}

/* Chooses regions that fit into the cache and are enough for every thread.  Reduces
 * the number of threads if their chunks, at least one for each region, would mostly
 * be empty. */
static void regions_divide(struct regions *d, size_t most)
{
    while (d->threads > 1 &&
           (size_t)d->threads * d->threads * REGIONS_PER_THREAD * CHUNK > most)
        d->threads--;
    while (d->shift > 0 && d->blocks >> d->shift < REGIONS_PER_THREAD * d->threads)
        d->shift--;
    while ((d->blocks - 1) >> d->shift >= REGIONS_MAX)
        d->shift++;
    d->regions_n = (unsigned)((d->blocks - 1) >> d->shift) + 1;
    const size_t buffers = most / ((size_t)d->regions_n * CHUNK) + 1;
    d->threads = d->threads < d->regions_n ? d->threads : d->regions_n;
    d->threads = d->threads < buffers ? d->threads : (unsigned)buffers;
}

/* Allocates all buffers as one piece of memory: chunks, then ends, then the
 * buffer structs. */
static void *regions_memory(struct regions *d, size_t most)
{
    assert(d->threads > 0);
    const size_t chunks = most / d->threads / CHUNK_LEN + 2 + d->regions_n;
    const size_t chunk_len = CHUNK * sizeof(uint64_t);
    const size_t ends_len = d->regions_n * sizeof(uint64_t *);
    void *block;
    uint8_t *at = petal__memory_cells(
        chunk_len + d->threads * (chunks * chunk_len + ends_len + sizeof(struct buffers)),
        &block);
    if (!at)
        return NULL;
    /* Align the chunks, since buffers_put() recognizes a full chunk by its address. */
    at += chunk_len - (uintptr_t)at % chunk_len;
    uint8_t *ends = at + d->threads * chunks * chunk_len;
    d->buffers = (void *)(ends + d->threads * ends_len);
    for (unsigned i = 0; i < d->threads; i++)
        d->buffers[i] = (struct buffers){ (void *)(at + i * chunks * chunk_len),
                                          (void *)(ends + i * ends_len), 0 };
    return block;
}

bool petal__add_by_region(petal_filter *f, const struct petal__keys *keys, size_t n,
                          int64_t *added)
{
    if (!OS_HAS_THREADS || !f->ops->place_mask || n < THREADS_KEYS_MIN)
        return false;
    struct regions d = { .f = f,
                         .keys = keys,
                         .blocks = f->shape.bits / f->shape.block_bits,
                         .shift = REGION_SHIFT,
                         .threads = f->threads ? f->threads : 1 };
    if (n < regions_lines(&d)) /* every thread would fetch nearly all lines */
        return false;
    const size_t most = regions_round(&d, n);
    regions_divide(&d, most);
    if (d.threads == 1)
        return false;
    void *memory = regions_memory(&d, most);
    if (!memory)
        return false;
    regions_rounds(&d, n, most);
    petal__memory_free(memory);
    *added = d.added;
    return true;
}
