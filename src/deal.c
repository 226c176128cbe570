/*
 * deal.c: very many additions to a filter in blocks.
 *
 * In a filter larger than the cache every addition waits for memory.  So the hashes are
 * dealt out first, by the part of the cells that they belong to, each small enough for the
 * cache; then a part is fetched once for all of its hashes.  That pays where several keys
 * fall on every cache line, so a round takes so many of them.  Threads first share the keys
 * of a round, each with a hand of its own, then the parts.  Within a part the hashes keep
 * their order, so that cells and count are those of adding one by one, for any number of
 * threads.
 *
 * A hand is a chain of chunks for each part.  However the hashes fall, what it has room for
 * suffices: as many chunks as its keys fill, and one for every part that is not full.
 *
 * Memory comes from the thread that calls, and from no other.
 */
#include "deal.h"

#include "memory.h"
#include "system.h"

#define FOR_THREADS ((size_t)1 << 20) /* fewer keys are not worth a thread */
#define WORTH       4                 /* keys a cache line, for dealing out to pay */
#define PART_SHIFT  12                /* blocks in a part of the cells: 256 KiB */
#define PARTS_MAX   2048
#define PER_THREAD  4 /* parts, at least */

/* Keys a cache line, dealt out at a time: in as much memory as the filter has, but half a
 * gigabyte at most. */
#define ROUND     8
#define ROUND_MIN ((uint64_t)1 << 20)
#define ROUND_MAX ((uint64_t)1 << 26)

#define CHUNK     256         /* words; the first is the number of the next chunk */
#define CHUNK_LEN (CHUNK - 1) /* hashes */

struct hand {
    uint64_t *chunks; /* those of the parts first, then those that follow them */
    uint64_t **ends;  /* where the next hash of each part goes */
    size_t used;
};

struct deal {
    petal_filter *f;
    const struct petal__keys *keys;
    size_t from, n; /* the keys of this round */
    uint64_t blocks;
    unsigned shift; /* a part is 2^shift blocks */
    unsigned parts, threads;
    struct hand *hands;
    _Alignas(8) int64_t added;
};

/* What one thread has of n things: from its first to the first of the next. */
static inline size_t deal_first(const struct deal *d, size_t n, unsigned thread)
{
    return n / d->threads * thread + (n % d->threads) * thread / d->threads;
}

/* ---- Dealing out ---- */

static inline uint64_t *hand_chunk(const struct hand *hand, uint64_t i)
{
    return hand->chunks + i * CHUNK;
}

static inline void hand_take(struct hand *hand, uint64_t part, uint64_t hash)
{
    uint64_t *end = hand->ends[part];
    *end++ = hash;
    if ((uintptr_t)end % (CHUNK * sizeof *end) == 0) { /* the chunk is full */
        end[-CHUNK] = hand->used;
        end = hand_chunk(hand, hand->used++) + 1;
    }
    hand->ends[part] = end;
}

static void deal_out(void *context, unsigned thread)
{
    const struct deal *d = context;
    struct hand *hand = &d->hands[thread];
    const size_t end = d->from + deal_first(d, d->n, thread + 1);
    for (unsigned p = 0; p < d->parts; p++)
        hand->ends[p] = hand_chunk(hand, p) + 1;
    hand->used = d->parts;
    const uint64_t mask = d->f->ops->place_mask;
    for (size_t at = d->from + deal_first(d, d->n, thread), some; at < end; at += some) {
        uint64_t room[BATCH_MAX];
        some = end - at < BATCH_MAX ? end - at : BATCH_MAX;
        const uint64_t *hashes = petal__batch_hash(d->f, d->keys, at, some, room);
        for (size_t i = 0; i < some; i++)
            hand_take(hand, place_below(d->blocks, hashes[i] & mask) >> d->shift,
                      hashes[i]);
    }
}

/* ---- Adding ---- */

/* Some hashes of one part, and what comes after them. */
struct run {
    const uint64_t *hashes;
    size_t n;
    size_t part, chunk;
    unsigned hand;
};

static struct run deal_run(const struct deal *d, size_t part, unsigned hand, size_t chunk)
{
    const struct hand *h = &d->hands[hand];
    const uint64_t *first = hand_chunk(h, chunk) + 1;
    const size_t last = (size_t)(h->ends[part] - first);
    return (struct run){ first, last < CHUNK_LEN ? last : CHUNK_LEN, part, chunk, hand };
}

/* The next chunk of this part and hand, or the next hand, or the next part. */
static struct run deal_next(const struct deal *d, const struct run *run, size_t end)
{
    const struct hand *hand = &d->hands[run->hand];
    if (run->n == CHUNK_LEN)
        return deal_run(d, run->part, run->hand, (size_t)hand_chunk(hand, run->chunk)[0]);
    if (run->hand + 1 < d->threads)
        return deal_run(d, run->part, run->hand + 1, run->part);
    if (run->part + 1 < end)
        return deal_run(d, run->part + 1, 0, run->part + 1);
    return (struct run){ .part = end };
}

static void deal_add(void *context, unsigned thread)
{
    struct deal *d = context;
    const struct petal_ops *ops = d->f->ops;
    const size_t first = deal_first(d, d->parts, thread);
    const size_t end = deal_first(d, d->parts, thread + 1);
    int64_t added = 0;
    if (first == end)
        return;
    for (struct run run = deal_run(d, first, 0, first); run.part < end;) {
        const struct run next = deal_next(d, &run, end);
        const bool later = next.n >= run.n;
        if (!later)
            ops->fetch_many(d->f, next.hashes, next.n);
        added += ops->add_many(d->f, run.hashes, run.n, NULL, later ? next.hashes : NULL);
        run = next;
    }
    __atomic_fetch_add(&d->added, added, __ATOMIC_RELAXED);
}

/* ---- All of it ---- */

/* In rounds of equal length. */
static void deal_all(struct deal *d, size_t n, size_t most)
{
    const size_t rounds = (n - 1) / most + 1;
    for (size_t i = 0; i < rounds; i++, d->from += d->n) {
        d->n = n / rounds + (i < n % rounds);
        petal__system_threads(d->threads, deal_out, d);
        petal__system_threads(d->threads, deal_add, d);
    }
}

static inline uint64_t deal_lines(const struct deal *d)
{
    return petal__cells_len(&d->f->shape) / 64;
}

/* How many keys at a time. */
static size_t deal_round(const struct deal *d, size_t n)
{
    uint64_t most = ROUND * deal_lines(d);
    most = most < ROUND_MIN ? ROUND_MIN : most > ROUND_MAX ? ROUND_MAX : most;
    return n < most ? n : (size_t)most;
}

/* Parts that fit into the cache, and some for every thread; but not so many threads that
 * their chunks, one for each part at least, would mostly be empty. */
static void deal_parts(struct deal *d, size_t most)
{
    while (d->threads > 1 && (size_t)d->threads * d->threads * PER_THREAD * CHUNK > most)
        d->threads--;
    while (d->shift > 0 && d->blocks >> d->shift < PER_THREAD * d->threads)
        d->shift--;
    while ((d->blocks - 1) >> d->shift >= PARTS_MAX)
        d->shift++;
    d->parts = (unsigned)((d->blocks - 1) >> d->shift) + 1;
    const size_t hands = most / ((size_t)d->parts * CHUNK) + 1;
    d->threads = d->threads < d->parts ? d->threads : d->parts;
    d->threads = d->threads < hands ? d->threads : (unsigned)hands;
}

/* The hands, in one piece of memory: chunks, then ends, then the hands themselves. */
static void *deal_memory(struct deal *d, size_t most)
{
    const size_t chunks = most / d->threads / CHUNK_LEN + 2 + d->parts;
    const size_t chunk_len = CHUNK * sizeof(uint64_t);
    const size_t ends_len = d->parts * sizeof(uint64_t *);
    void *block;
    uint8_t *at = petal__memory_cells(
        chunk_len + d->threads * (chunks * chunk_len + ends_len + sizeof(struct hand)),
        &block);
    if (!at)
        return NULL;
    at += chunk_len - (uintptr_t)at % chunk_len; /* a full chunk is known by its address */
    uint8_t *ends = at + d->threads * chunks * chunk_len;
    d->hands = (void *)(ends + d->threads * ends_len);
    for (unsigned i = 0; i < d->threads; i++)
        d->hands[i] = (struct hand){ (void *)(at + i * chunks * chunk_len),
                                     (void *)(ends + i * ends_len), 0 };
    return block;
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
    const uint64_t lines = deal_lines(&d);
    const bool worth = petal__cells_len(&f->shape) > PETAL__LARGE_LEN && n / WORTH >= lines;
    const size_t most = deal_round(&d, n);
    if (n < lines) /* every thread would fetch nearly all of them */
        d.threads = 1;
    deal_parts(&d, most);
    if (d.threads == 1 && !worth)
        return false;
    void *memory = deal_memory(&d, most);
    if (!memory)
        return false;
    deal_all(&d, n, most);
    petal__memory_free(memory);
    *added = d.added;
    return true;
}
