/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hashes.c: very many hashes, 8 bytes each, in the order that suits a filter.
 *
 * They are dealt out by their first byte into 256 heaps as they come, each a chain of
 * pieces.  The hashes of a heap fall into the same part of a filter, small enough for the
 * cache.  To drop duplicates a heap is spread over so many buckets that each holds a few
 * hashes, which are then sorted; heaps are independent, so that several threads can do it.
 * A heap that has grown large is settled on the way: an input that repeats itself takes no
 * more memory than its different keys.
 *
 * For a filter whose cells depend on the order of the additions, all hashes stay in one
 * heap, as they came.  Its duplicates are counted in a sorted copy, and stay as well: to
 * such a filter a key that it has makes no difference.
 */
#define _POSIX_C_SOURCE 200809L
#include "hashes.h"

#include "args.h"
#include "print.h"
#include "system.h"

#include <petal.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HEAPS    256
#define PIECE    4095       /* with the rest of a piece, 32 KiB */
#define LARGE    (1u << 20) /* hashes in a heap that is sorted on the way */
#define FEW      24         /* hashes that are sorted by moving each to its place */
#define BITS_MAX 16
#define ENDS     ((uint64_t)1 << BITS_MAX) /* buckets at most */
#define SLAB     ((size_t)2 << 20)         /* a huge page full of pieces */

struct piece {
    struct piece *next;
    uint64_t at[PIECE];
};

struct heap {
    struct piece *first, *last;
    uint64_t n; /* of which in the last piece: */
    size_t last_n;
    uint64_t large; /* when to sort it next */
    uint64_t different;
};

struct hashes {
    struct hashes_need need;
    struct heap heaps[HEAPS];
    unsigned next;    /* heap to be settled */
    uint64_t largest; /* of all heaps */
    struct slab *slabs;
};

struct slab {
    struct slab *next;
    struct piece *free; /* not yet used */
    struct piece *end;
};

static void *hashes_memory(size_t len)
{
    void *memory = malloc(len ? len : 1);
    if (!memory)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
    return memory;
}

struct hashes_need hashes_need_of(petal_kind kind)
{
    const unsigned can = petal_abilities(kind);
    return (struct hashes_need){ .repeats = can & PETAL_CAN_COUNT,
                                 .order = can & PETAL_IS_ORDERED };
}

struct hashes *hashes_new(struct hashes_need need)
{
    struct hashes *h = hashes_memory(sizeof *h);
    *h = (struct hashes){ .need = need };
    for (unsigned i = 0; i < HEAPS; i++)
        h->heaps[i].large = LARGE;
    return h;
}

/* ---- One heap ---- */

/* Pieces come many at a time, and never go. */
static struct piece *hashes_piece(struct hashes *h)
{
    if (!h->slabs || h->slabs->free == h->slabs->end) {
        struct slab *slab = hashes_memory(sizeof *slab);
        struct piece *pieces = aligned_alloc(SLAB, SLAB);
        if (!pieces)
            fail("%s", petal_strerror(PETAL_E_MEMORY));
        system_huge_pages(pieces, SLAB);
        *slab = (struct slab){ h->slabs, pieces, pieces + SLAB / sizeof *pieces };
        h->slabs = slab;
    }
    return h->slabs->free++;
}

static void heap_grow(struct hashes *h, struct heap *heap)
{
    struct piece *piece = heap->last ? heap->last->next : heap->first;
    if (!piece) {
        piece = hashes_piece(h);
        piece->next = NULL;
        *(heap->last ? &heap->last->next : &heap->first) = piece;
    }
    heap->last = piece;
    heap->last_n = 0;
}

static inline void heap_put(struct hashes *h, struct heap *heap, uint64_t hash)
{
    if (!heap->last || heap->last_n == PIECE)
        heap_grow(h, heap);
    heap->last->at[heap->last_n++] = hash;
    heap->n++;
}

/* One piece after the other: its hashes, NULL after the last. */
static const struct piece *heap_pieces(const struct heap *heap, const struct piece *p,
                                       size_t *n)
{
    p = p == NULL ? heap->first : p == heap->last ? NULL : p->next;
    if (!heap->last)
        return NULL;
    *n = p == heap->last ? heap->last_n : PIECE;
    return p;
}

static void heap_sort_few(uint64_t *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t hash = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1] > hash; j--)
            at[j] = at[j - 1];
        at[j] = hash;
    }
}

/* By the byte at this shift, each hash straight to where it belongs, then by the next. */
static void heap_sort(uint64_t *at, size_t n, int shift)
{
    if (n <= FEW || shift < 0) {
        heap_sort_few(at, shift < 0 ? 0 : n);
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
            heap_sort(at + from, ends[b] - from, shift - 8);
}

/* How many bits tell the buckets apart: some sixteen hashes in each. */
static unsigned heap_bits(uint64_t n)
{
    unsigned bits = 1;
    while (bits < BITS_MAX && n >> bits > 16)
        bits++;
    return bits;
}

/* All hashes of a heap by the bits after their first byte; ends[b] is where bucket b ends.
 */
static void heap_spread(const struct heap *heap, unsigned bits, uint64_t *all,
                        uint64_t *ends)
{
    const unsigned shift = 56 - bits, mask = (1u << bits) - 1;
    uint64_t start = 0;
    size_t n;
    memset(ends, 0, sizeof *ends << bits);
    for (const struct piece *p = NULL; (p = heap_pieces(heap, p, &n));)
        for (size_t i = 0; i < n; i++)
            ends[p->at[i] >> shift & mask]++;
    for (unsigned b = 0; b <= mask; b++) {
        const uint64_t count = ends[b];
        ends[b] = start;
        start += count;
    }
    for (const struct piece *p = NULL; (p = heap_pieces(heap, p, &n));)
        for (size_t i = 0; i < n; i++)
            all[ends[p->at[i] >> shift & mask]++] = p->at[i];
}

/* In order, and unless they are to stay, without duplicates.  It never needs more pieces
 * than it has.  `room` is for all its hashes and ENDS more. */
static void heap_settle(struct hashes *h, struct heap *heap, uint64_t *room)
{
    const unsigned bits = heap_bits(heap->n);
    uint64_t *ends = room, *all = room + ENDS;
    heap_spread(heap, bits, all, ends);
    for (uint64_t b = 0, from = 0; b < (uint64_t)1 << bits; from = ends[b++])
        heap_sort(all + from, (size_t)(ends[b] - from), 48);
    const uint64_t n = heap->n;
    heap->last = NULL;
    heap->n = heap->different = 0;
    for (uint64_t i = 0; i < n; i++) {
        const bool again = i > 0 && all[i] == all[i - 1];
        heap->different += !again;
        if (h->need.repeats || !again)
            heap_put(h, heap, all[i]);
    }
    heap->large = 2 * heap->n > LARGE ? 2 * heap->n : LARGE;
}

static uint64_t *heap_room(uint64_t n)
{
    return hashes_memory((size_t)(n + ENDS) * sizeof(uint64_t)); /* they are in memory */
}

/* ---- All of them ---- */

void hashes_put(struct hashes *h, const uint64_t *some, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct heap *heap = &h->heaps[h->need.order ? 0 : some[i] >> 56];
        heap_put(h, heap, some[i]);
        if (heap->n >= heap->large && !h->need.repeats && !h->need.order) {
            uint64_t *room = heap_room(heap->n);
            heap_settle(h, heap, room);
            free(room);
        }
    }
}

static void *hashes_settle_some(void *context)
{
    struct hashes *h = context;
    uint64_t *room = heap_room(h->largest);
    for (unsigned i; (i = __atomic_fetch_add(&h->next, 1, __ATOMIC_RELAXED)) < HEAPS;)
        heap_settle(h, &h->heaps[i], room);
    free(room);
    return NULL;
}

/* How many different hashes are in the one heap of those that stay as they came. */
static uint64_t hashes_different(const struct hashes *h)
{
    uint64_t *copy = hashes_memory((size_t)(h->heaps[0].n + 1) * sizeof *copy);
    size_t n, all = 0;
    for (const struct piece *p = NULL; (p = heap_pieces(&h->heaps[0], p, &n)); all += n)
        memcpy(copy + all, p->at, n * sizeof *copy);
    const uint64_t different = hashes_arrange(copy, &all, (struct hashes_need){ 0 });
    free(copy);
    return different;
}

uint64_t hashes_settle(struct hashes *h, unsigned threads)
{
    if (h->need.order)
        return hashes_different(h);
    pthread_t others[THREADS_MAX];
    unsigned started = 0;
    h->next = 0;
    h->largest = 0;
    for (unsigned i = 0; i < HEAPS; i++)
        h->largest = h->heaps[i].n > h->largest ? h->heaps[i].n : h->largest;
    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, hashes_settle_some, h) == 0)
        started++;
    hashes_settle_some(h);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    uint64_t different = 0;
    for (unsigned i = 0; i < HEAPS; i++)
        different += h->heaps[i].different;
    return different;
}

void hashes_each(const struct hashes *h,
                 void (*each)(void *context, const uint64_t *some, size_t n), void *context)
{
    for (unsigned i = 0; i < HEAPS; i++) {
        const struct heap *heap = &h->heaps[i / 2 + (i % 2) * (HEAPS / 2)];
        size_t n;
        for (const struct piece *p = NULL; (p = heap_pieces(heap, p, &n));)
            each(context, p->at, n);
    }
}

void hashes_free(struct hashes *h)
{
    for (struct slab *slab = h->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab->end - SLAB / sizeof(struct piece));
        free(slab);
    }
    free(h);
}

/* ---- In one array ---- */

/* The first byte turned by so many bits: by one, the two halves of the heaps come in turn,
 * as hashes_each() has them. */
static inline uint64_t hashes_turn(uint64_t hash, unsigned by)
{
    const unsigned heap = (unsigned)(hash >> 56);
    const uint8_t turned = (uint8_t)(heap << by | heap >> (8 - by));
    return (uint64_t)turned << 56 | hash << 8 >> 8;
}

/* As hashes_arrange(), of those that stay as they came. */
static uint64_t hashes_arrange_copy(const uint64_t *some, size_t n)
{
    uint64_t *copy = hashes_memory(n * sizeof *copy);
    memcpy(copy, some, n * sizeof *copy);
    const uint64_t different = hashes_arrange(copy, &n, (struct hashes_need){ 0 });
    free(copy);
    return different;
}

uint64_t hashes_arrange(uint64_t *some, size_t *n, struct hashes_need need)
{
    if (need.order)
        return hashes_arrange_copy(some, *n);
    uint64_t different = 0, last = 0;
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        some[i] = hashes_turn(some[i], 1);
    heap_sort(some, *n, 56);
    for (size_t i = 0; i < *n; i++) {
        const uint64_t hash = hashes_turn(some[i], 7);
        const bool again = i > 0 && hash == last;
        different += !again;
        if (need.repeats || !again)
            some[kept++] = hash;
        last = hash;
    }
    *n = kept;
    return different;
}
