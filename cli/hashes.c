/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hashes.c: store many 64-bit hashes, and return them in the order that suits a filter.
 *
 * Hashes are distributed by their first byte into 256 partitions, each a list of chunks.
 * The hashes of a partition fall into the same part of a filter, small enough for the
 * cache.  To drop duplicates, a partition is distributed over buckets of a few hashes each,
 * which are then sorted.  Partitions are independent, so several threads can do this.  A
 * partition that has grown large is sorted early, so an input with many duplicates takes no
 * more memory than its distinct keys.
 *
 * For a filter whose cells depend on the order of the additions, all hashes stay in one
 * partition, in the order of the input.  Distinct hashes are counted in a sorted copy.
 * Duplicates stay too: adding a key again does not change such a filter.
 */
#define _POSIX_C_SOURCE 200809L
#include "hashes.h"

#include "args.h"
#include "print.h"
#include "system.h"

#include <petal_host.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PARTITIONS 256
#define CHUNK      4095       /* hashes; with the pointer, 32 KiB */
#define LARGE      (1u << 20) /* hashes in a partition that is sorted early */
#define FEW        24         /* up to this many hashes use insertion sort */
#define BITS_MAX   16
#define COPIES_ALL UINT32_MAX
#define ENDS       ((uint64_t)1 << BITS_MAX) /* the most buckets */
#define SLAB       ((size_t)2 << 20)         /* bytes; a huge page of chunks */

struct chunk {
    struct chunk *next;
    uint64_t at[CHUNK];
};

struct partition {
    struct chunk *first, *last;
    uint64_t n;
    size_t last_n;  /* in the last chunk */
    uint64_t large; /* sort it when n reaches this */
    uint64_t distinct;
};

struct hashes {
    struct hashes_need need;
    struct partition partitions[PARTITIONS];
    unsigned next;    /* partition to sort */
    uint64_t largest; /* n of the largest partition */
    struct slab *slabs;
};

struct slab {
    struct slab *next;
    struct chunk *free; /* not yet used */
    struct chunk *end;
};

static _Noreturn void hashes_fail(void)
{
    fail("out of memory: the keys take 8 bytes per line; use -n or -m to bound it");
}

static void *hashes_memory(size_t len)
{
    void *memory = malloc(len ? len : 1);
    if (!memory)
        hashes_fail();
    return memory;
}

struct hashes_need hashes_need_of(petal_kind kind, bool insert_only)
{
    const petal_shape shape = { .kind = kind, .insert_only = insert_only };
    const unsigned can = petal_shape_abilities(&shape);
    return (struct hashes_need){ .copies = !(can & PETAL_CAN_COUNT) ? 1
                                           : can & PETAL_CAN_LIST   ? PETAL_COPIES_MAX
                                                                    : COPIES_ALL,
                                 .order = can & PETAL_IS_ORDERED };
}

uint64_t hashes_capacity(petal_kind kind, uint64_t distinct, uint64_t kept)
{
    const uint64_t keys = petal_abilities(kind) & PETAL_CAN_LIST ? kept : distinct;
    return (keys ? keys : 1) + (uint64_t)ceil((double)keys * wanted_room);
}

struct hashes *hashes_new(struct hashes_need need)
{
    struct hashes *h = hashes_memory(sizeof *h);
    *h = (struct hashes){ .need = need };
    for (unsigned i = 0; i < PARTITIONS; i++)
        h->partitions[i].large = LARGE;
    return h;
}

/* ---- One partition ---- */

/* Chunks are allocated many at a time and freed all together. */
static struct chunk *hashes_chunk(struct hashes *h)
{
    if (!h->slabs || h->slabs->free == h->slabs->end) {
        struct slab *slab = hashes_memory(sizeof *slab);
        struct chunk *chunks = aligned_alloc(SLAB, SLAB);
        if (!chunks)
            hashes_fail();
        system_huge_pages(chunks, SLAB);
        *slab = (struct slab){ h->slabs, chunks, chunks + SLAB / sizeof *chunks };
        h->slabs = slab;
    }
    return h->slabs->free++;
}

static void partition_grow(struct hashes *h, struct partition *partition)
{
    struct chunk *chunk = partition->last ? partition->last->next : partition->first;
    if (!chunk) {
        chunk = hashes_chunk(h);
        chunk->next = NULL;
        *(partition->last ? &partition->last->next : &partition->first) = chunk;
    }
    partition->last = chunk;
    partition->last_n = 0;
}

static inline void partition_put(struct hashes *h, struct partition *partition,
                                 uint64_t hash)
{
    if (!partition->last || partition->last_n == CHUNK)
        partition_grow(h, partition);
    partition->last->at[partition->last_n++] = hash;
    partition->n++;
}

/* The chunk after `p`, or the first for NULL; NULL after the last. */
static const struct chunk *partition_chunks(const struct partition *partition,
                                            const struct chunk *p, size_t *n)
{
    p = p == NULL ? partition->first : p == partition->last ? NULL : p->next;
    if (!partition->last)
        return NULL;
    *n = p == partition->last ? partition->last_n : CHUNK;
    return p;
}

static void partition_sort_few(uint64_t *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t hash = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1] > hash; j--)
            at[j] = at[j - 1];
        at[j] = hash;
    }
}

/* In-place radix sort, by the byte at this shift, then by the next lower byte. */
static void partition_sort(uint64_t *at, size_t n, int shift)
{
    if (n <= FEW || shift < 0) {
        partition_sort_few(at, shift < 0 ? 0 : n);
        return;
    }
    size_t ends[256] = { 0 }, next[256], start = 0;
    for (size_t i = 0; i < n; i++)
        ends[at[i] >> shift & 255]++;
    for (unsigned b = 0; b < 256; b++) {
        next[b] = start;
        start = ends[b] += start;
    }
    for (unsigned b = 0; b < 256; b++)
        while (next[b] < ends[b]) {
            uint64_t hash = at[next[b]];
            unsigned where = hash >> shift & 255;
            while (where != b) {
                const uint64_t other = at[next[where]];
                at[next[where]++] = hash;
                hash = other;
                where = hash >> shift & 255;
            }
            at[next[b]++] = hash;
        }
    for (size_t b = 0, from = 0; b < 256; from = ends[b++])
        if (ends[b] - from > 1)
            partition_sort(at + from, ends[b] - from, shift - 8);
}

/* The number of bits that select a bucket, for about sixteen hashes in each. */
static unsigned partition_bits(uint64_t n)
{
    unsigned bits = 1;
    while (bits < BITS_MAX && n >> bits > 16)
        bits++;
    return bits;
}

/* Distributes the hashes by the bits after their first byte.  Bucket b ends at ends[b]. */
static void partition_spread(const struct partition *partition, unsigned bits,
                             uint64_t *all, uint64_t *ends)
{
    const unsigned shift = 56 - bits, mask = (1u << bits) - 1;
    uint64_t start = 0;
    size_t n;
    memset(ends, 0, sizeof *ends << bits);
    for (const struct chunk *p = NULL; (p = partition_chunks(partition, p, &n));)
        for (size_t i = 0; i < n; i++)
            ends[p->at[i] >> shift & mask]++;
    for (unsigned b = 0; b <= mask; b++) {
        const uint64_t count = ends[b];
        ends[b] = start;
        start += count;
    }
    for (const struct chunk *p = NULL; (p = partition_chunks(partition, p, &n));)
        for (size_t i = 0; i < n; i++)
            all[ends[p->at[i] >> shift & mask]++] = p->at[i];
}

/* Sorts a partition, and drops duplicates unless they are needed.  Never needs more chunks
 * than it has.  `room` is for its hashes and ENDS more. */
static void partition_finish(struct hashes *h, struct partition *partition, uint64_t *room)
{
    const unsigned bits = partition_bits(partition->n);
    uint64_t *ends = room, *all = room + ENDS;
    partition_spread(partition, bits, all, ends);
    for (uint64_t b = 0, from = 0; b < (uint64_t)1 << bits; from = ends[b++])
        partition_sort(all + from, (size_t)(ends[b] - from), 48);
    const uint64_t n = partition->n;
    partition->last = NULL;
    partition->n = partition->distinct = 0;
    uint32_t copies = 0;
    for (uint64_t i = 0; i < n; i++) {
        const bool again = i > 0 && all[i] == all[i - 1];
        partition->distinct += !again;
        copies = again ? copies + (copies < h->need.copies) : 0;
        if (copies < h->need.copies)
            partition_put(h, partition, all[i]);
    }
    partition->large = 2 * partition->n > LARGE ? 2 * partition->n : LARGE;
}

static uint64_t *partition_room(uint64_t n)
{
    return hashes_memory((size_t)(n + ENDS) * sizeof(uint64_t)); /* they are in memory */
}

/* ---- All partitions ---- */

void hashes_put(struct hashes *h, const uint64_t *some, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct partition *partition = &h->partitions[h->need.order ? 0 : some[i] >> 56];
        partition_put(h, partition, some[i]);
        if (partition->n >= partition->large && h->need.copies < COPIES_ALL &&
            !h->need.order) {
            uint64_t *room = partition_room(partition->n);
            partition_finish(h, partition, room);
            free(room);
        }
    }
}

static void *hashes_sort_some(void *context)
{
    struct hashes *h = context;
    uint64_t *room = partition_room(h->largest);
    for (unsigned i; (i = __atomic_fetch_add(&h->next, 1, __ATOMIC_RELAXED)) < PARTITIONS;)
        partition_finish(h, &h->partitions[i], room);
    free(room);
    return NULL;
}

/* The number of distinct hashes if all stay in one partition, in the order of the input. */
static uint64_t hashes_distinct(const struct hashes *h)
{
    uint64_t *copy = hashes_memory((size_t)(h->partitions[0].n + 1) * sizeof *copy);
    size_t n, all = 0;
    for (const struct chunk *p = NULL; (p = partition_chunks(&h->partitions[0], p, &n));
         all += n)
        memcpy(copy + all, p->at, n * sizeof *copy);
    const uint64_t distinct =
        hashes_arrange(copy, &all, (struct hashes_need){ .copies = 1 });
    free(copy);
    return distinct;
}

uint64_t hashes_sort(struct hashes *h, unsigned threads)
{
    if (h->need.order)
        return hashes_distinct(h);
    pthread_t others[THREADS_MAX];
    unsigned started = 0;
    h->next = 0;
    h->largest = 0;
    for (unsigned i = 0; i < PARTITIONS; i++)
        h->largest = h->partitions[i].n > h->largest ? h->partitions[i].n : h->largest;
    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, hashes_sort_some, h) == 0)
        started++;
    hashes_sort_some(h);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    uint64_t distinct = 0;
    for (unsigned i = 0; i < PARTITIONS; i++)
        distinct += h->partitions[i].distinct;
    return distinct;
}

uint64_t hashes_kept(const struct hashes *h)
{
    uint64_t kept = 0;
    for (unsigned i = 0; i < PARTITIONS; i++)
        kept += h->partitions[i].n;
    return kept;
}

void hashes_each(const struct hashes *h,
                 void (*each)(void *context, const uint64_t *some, size_t n), void *context)
{
    for (unsigned i = 0; i < PARTITIONS; i++) {
        const struct partition *partition =
            &h->partitions[i / 2 + (i % 2) * (PARTITIONS / 2)];
        size_t n;
        for (const struct chunk *p = NULL; (p = partition_chunks(partition, p, &n));)
            each(context, p->at, n);
    }
}

void hashes_free(struct hashes *h)
{
    for (struct slab *slab = h->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab->end - SLAB / sizeof(struct chunk));
        free(slab);
    }
    free(h);
}

/* ---- In one array ---- */

/* Rotates the first byte by `by` bits.  By one, it makes the two halves of the
 * partitions alternate, as in hashes_each(). */
static inline uint64_t hashes_rotate(uint64_t hash, unsigned by)
{
    const unsigned partition = (unsigned)(hash >> 56);
    const uint8_t rotated = (uint8_t)(partition << by | partition >> (8 - by));
    return (uint64_t)rotated << 56 | hash << 8 >> 8;
}

/* As hashes_arrange(), if the hashes stay in the order of the input. */
static uint64_t hashes_arrange_copy(const uint64_t *some, size_t n)
{
    uint64_t *copy = malloc((n + 1) * sizeof *copy);
    if (!copy)
        fail_memory();
    memcpy(copy, some, n * sizeof *copy);
    const uint64_t distinct = hashes_arrange(copy, &n, (struct hashes_need){ .copies = 1 });
    free(copy);
    return distinct;
}

uint64_t hashes_arrange(uint64_t *some, size_t *n, struct hashes_need need)
{
    if (need.order)
        return hashes_arrange_copy(some, *n);
    uint64_t distinct = 0, last = 0;
    uint32_t copies = 0;
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        some[i] = hashes_rotate(some[i], 1);
    partition_sort(some, *n, 56);
    for (size_t i = 0; i < *n; i++) {
        const uint64_t hash = hashes_rotate(some[i], 7);
        const bool again = i > 0 && hash == last;
        distinct += !again;
        copies = again ? copies + (copies < need.copies) : 0;
        if (copies < need.copies)
            some[kept++] = hash;
        last = hash;
    }
    *n = kept;
    return distinct;
}
