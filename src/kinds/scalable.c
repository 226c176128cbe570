/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scalable.c: a filter that grows: n need not be known.
 *
 * A chain of stages, each a filter of 512-bit blocks (blocked.h), each `growth` times
 * the one before.  Keys go into the newest; when it holds what it was made for, a
 * larger one is added.  A key is present if any stage has it, so the rates of the
 * stages add up, and each is given a share of the promise such that no number of
 * stages exceeds it:
 *
 *   no maximum known:  stage j gets p (6/pi^2) / (j+1)^2, which sums to p;
 *   a maximum known:   nine tenths of p among the stages that reach it, each in
 *                      proportion to its capacity, which is the cheapest way to share
 *                      (minimise the sum of c_i log 1/p_i); the stage that reaches the
 *                      maximum is no larger than needed, or than the first; beyond it,
 *                      the last tenth, as above.
 *
 * After the cells the image keeps a table of the stages, 32 bytes each: blocks,
 * capacity, keys, k.  Cells never move when the filter grows; the table moves behind
 * the new ones.
 *
 *   Almeida, Baquero, Preguica, Hutchison: "Scalable Bloom Filters", 2007.
 */
#include "core/image.h"
#include "core/refusal.h"
#include "kinds/blocked/blocked.h"

#define ENTRY_LEN      32
#define STAGES_MAX     40
#define RATE_MIN       1e-6 /* what blocks with 16 probes can honour */
#define GROWTH_MAX     32768
#define CAPACITY_MAX   (((uint64_t)1 << 62) - 1)
#define FIRST_CAPACITY 16384
#define LEVEL_STAGES   8                  /* so many stages may be alike, growth 1 */
#define KEYS_PER_BLOCK (256 * BLOCK_BITS) /* at 1/256 bit a key, the least there is */
#define SIX_BY_PI_2    0.6079271018540267

/* ---- What the stages will be ---- */

struct stage {
    uint64_t capacity;
    double rate;
};

static struct stage scalable_stage(const petal_shape *shape, uint32_t wanted)
{
    const uint64_t first = shape->capacity_first;
    uint64_t capacity = first, sum = 0, mine = 0;
    uint32_t reach = 0; /* how many stages it takes to the maximum */
    for (uint32_t i = 0; i <= wanted || sum < shape->capacity_max; i++) {
        const uint64_t growth = shape->growth == 1 && i >= LEVEL_STAGES ? 2 : shape->growth;
        if (i > 0)
            capacity = capacity > CAPACITY_MAX / growth ? CAPACITY_MAX : capacity * growth;
        uint64_t here = capacity;
        if (sum < shape->capacity_max) {
            const uint64_t left = shape->capacity_max - sum;
            here = left > capacity ? capacity : left > first ? left : first;
            sum += here;
            reach = i + 1;
        }
        mine = i == wanted ? here : mine;
    }
    const double rate = petal__lookup_rate(shape);
    if (wanted < reach)
        return (struct stage){ mine, 0.9 * rate * (double)mine / (double)sum };
    const double j = wanted - reach + 1, share = reach ? 0.1 : 1;
    return (struct stage){ mine, share * rate * SIX_BY_PI_2 / (j * j) };
}

static const struct petal__rule scalable_rule = {
    .rate = petal__blocks_rate,
    .k_min = 1,
    .k_max = BLOCK_K_MAX,
    .k_liked = 8,
    .granule = BLOCK_BITS,
    .cells_max = BLOCKS_MAX * BLOCK_BITS,
    .fpr_min = RATE_MIN,
};

/* A stage takes only keys that it does not yet seem to have, and these set more bits
 * than random ones would: to gather so many of them it meets at most capacity / (1 - rate)
 * random keys, and must be large enough for those. */
static int scalable_size(struct stage stage, petal_shape *size, petal_refusal *why)
{
    if (!(stage.rate >= RATE_MIN))
        return petal__refuse_with(
            why, PETAL_E_FLOOR, "fpr",
            "is too low: the first stage would need a rate below #; raise it, or leave out "
            "capacity if capacity_max is given",
            RATE_MIN, 0);
    if (stage.capacity >= scalable_rule.cells_max) /* or it might not fit when divided */
        return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity",
                                  "must be below # with this kind",
                                  (double)scalable_rule.cells_max, 0);
    const petal_options want = {
        .capacity = (uint64_t)((double)stage.capacity / (1 - stage.rate)) + 1,
        .fpr = stage.rate,
    };
    *size = (petal_shape){ .counter_bits = 1 };
    return petal__size(&want, &scalable_rule, size, why);
}

/* What does not concern the sizes of stages. */
static int scalable_check(const petal_options *want, const petal_shape *shape,
                          petal_refusal *why)
{
    if (want->bits)
        return petal__refuse(why, PETAL_E_SHAPE, "bits",
                             "does not apply to this kind, which grows; use capacity");
    if (want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, "hashes",
                             "does not apply to this kind: each stage has its own");
    if (shape->growth > GROWTH_MAX)
        return petal__refuse_with(why, PETAL_E_SHAPE, "growth", "must be at most #",
                                  GROWTH_MAX, 0);
    if (!(petal__lookup_rate(shape) > 0 && petal__lookup_rate(shape) < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->capacity > CAPACITY_MAX || want->capacity_max > CAPACITY_MAX)
        return petal__refuse_with(why, PETAL_E_CAPACITY,
                                  want->capacity > CAPACITY_MAX ? "capacity"
                                                                : "capacity_max",
                                  "must be at most #", (double)CAPACITY_MAX, 0);
    return want->capacity_max && want->capacity > want->capacity_max
               ? petal__refuse(why, PETAL_E_CAPACITY, "capacity",
                               "is above capacity_max; leave one of them out")
               : PETAL_OK;
}

static int scalable_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    shape->fpr = (want->fpr != 0 ? want->fpr : 0.01) *
                 (shape->match_lookups ? shape->match_lookups : 1);
    shape->growth = want->growth ? want->growth : 2;
    shape->capacity_first = want->capacity ? want->capacity : FIRST_CAPACITY;
    if (!want->capacity && want->capacity_max && want->capacity_max < FIRST_CAPACITY)
        shape->capacity_first = want->capacity_max;
    shape->capacity_max = want->capacity_max;
    int rc = scalable_check(want, shape, why);
    if (rc < 0)
        return rc;

    /* Left to us, the first stage is large enough for its share of the rate. */
    struct stage first = scalable_stage(shape, 0);
    while (!want->capacity && first.rate < RATE_MIN &&
           first.capacity < want->capacity_max) {
        const uint64_t twice = shape->capacity_first * 2;
        shape->capacity_first = twice < want->capacity_max ? twice : want->capacity_max;
        first = scalable_stage(shape, 0);
    }
    petal_shape size;
    rc = scalable_size(first, &size, why);
    shape->capacity = shape->capacity_first = first.capacity;
    shape->bits = size.bits;
    shape->hashes = size.hashes;
    return rc;
}

static bool scalable_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits % BLOCK_BITS == 0 && shape->growth > 0 &&
           shape->growth <= GROWTH_MAX && shape->fpr > 0 && shape->capacity_first > 0 &&
           shape->capacity_first <= CAPACITY_MAX && shape->capacity <= CAPACITY_MAX &&
           shape->capacity_max <= CAPACITY_MAX && shape->hashes > 0 &&
           shape->hashes <= BLOCK_K_MAX;
}

/* Every stage filled in its turn, as far as n goes. */
static double scalable_fpr(const petal_shape *shape, double n)
{
    double pass = 1;
    for (uint32_t i = 0; n > 0 && i < STAGES_MAX; i++) {
        const struct stage stage = scalable_stage(shape, i);
        petal_shape size;
        if (scalable_size(stage, &size, NULL) < 0)
            return 1;
        const double here = n < (double)stage.capacity ? n : (double)stage.capacity;
        pass *= 1 - petal__blocks_rate(size.bits, size.hashes, here);
        n -= here;
    }
    return n > 0 ? 1 : 1 - pass;
}

/* One more stage, if there can be. */
static int scalable_next(const petal_shape *shape, uint32_t stages, struct stage *next,
                         petal_shape *size)
{
    *next = scalable_stage(shape, stages);
    return stages == STAGES_MAX || scalable_size(*next, size, NULL) < 0 ||
                   size->bits > PETAL__BITS_MAX - shape->bits ||
                   next->capacity > CAPACITY_MAX - shape->capacity
               ? PETAL_E_FULL
               : PETAL_OK;
}

static int scalable_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages)
{
    for (*stages = 1; shape->capacity < n; ++*stages) {
        struct stage next;
        petal_shape size;
        if (scalable_next(shape, *stages, &next, &size) < 0)
            return PETAL_E_FULL;
        shape->bits += size.bits;
        shape->capacity += next.capacity;
    }
    return PETAL_OK;
}

/* ---- The table of stages ---- */

struct entry {
    uint64_t blocks, capacity, keys;
    uint32_t k;
};

static inline uint8_t *entry_at(const petal_filter *f, uint32_t i)
{
    return petal__tail(f) + (size_t)i * ENTRY_LEN;
}

static inline struct entry entry_read(const uint8_t *tail, uint32_t i)
{
    const uint8_t *at = tail + (size_t)i * ENTRY_LEN;
    return (struct entry){ load_le64(at), load_le64(at + 8), load_le64(at + 16),
                           load_le32(at + 24) };
}

static inline struct entry entry_get(const petal_filter *f, uint32_t i)
{
    return entry_read(petal__tail(f), i);
}

static void entry_put(petal_filter *f, uint32_t i, struct entry e)
{
    uint8_t *at = entry_at(f, i);
    store_le64(at, e.blocks);
    store_le64(at + 8, e.capacity);
    store_le64(at + 16, e.keys);
    store_le32(at + 24, e.k);
}

static inline struct blocks entry_blocks(struct entry e)
{
    return (struct blocks){ e.blocks, e.k };
}

static size_t scalable_tail_len(uint32_t stages)
{
    return (size_t)round_up((uint64_t)stages * ENTRY_LEN, 64);
}

static void scalable_first(petal_filter *f)
{
    memset(petal__tail(f), 0, scalable_tail_len(1));
    entry_put(f, 0,
              (struct entry){ f->shape.bits / BLOCK_BITS, f->shape.capacity, 0,
                              f->shape.hashes });
}

static int scalable_start(petal_filter *f)
{
    const int rc = petal__image_alloc(f);
    if (rc == PETAL_OK)
        scalable_first(f);
    return rc;
}

/* Back to the first stage, in the memory of all. */
static void scalable_clear(petal_filter *f)
{
    memset(f->cells, 0, (size_t)petal__cells_len(&f->shape));
    f->shape.bits = entry_get(f, 0).blocks * BLOCK_BITS;
    f->shape.capacity = f->shape.capacity_first;
    f->stages = 1;
    scalable_first(f);
}

/* Neither blocks nor keys of all stages can overflow. */
_Static_assert(BLOCKS_MAX < CAPACITY_MAX / KEYS_PER_BLOCK / STAGES_MAX, "they add up");

/* The table says where the cells are, so that it is checked whatever the trust. */
static bool scalable_sound(const petal_filter *f)
{
    uint64_t blocks = 0, capacity = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct entry e = entry_get(f, i);
        if (e.blocks == 0 || e.blocks > BLOCKS_MAX || e.k == 0 || e.k > BLOCK_K_MAX ||
            e.capacity == 0 || e.capacity > e.blocks * KEYS_PER_BLOCK ||
            load_le32(entry_at(f, i) + 28) != 0)
            return false;
        blocks += e.blocks;
        capacity += e.capacity;
    }
    for (size_t at = (size_t)f->stages * ENTRY_LEN; at < scalable_tail_len(f->stages); at++)
        if (petal__tail(f)[at] != 0)
            return false;
    return blocks * BLOCK_BITS == f->shape.bits && capacity == f->shape.capacity &&
           entry_get(f, 0).capacity == f->shape.capacity_first &&
           entry_get(f, 0).k == f->shape.hashes;
}

/* ---- Using it ---- */

static inline const struct blocks_kernels *scalable_kernels(const petal_filter *f)
{
    return f->kernels;
}

/* From the newest stage, which has the most keys, to the oldest. */
static bool scalable_contains(const petal_filter *f, uint64_t hash)
{
    const uint8_t *end = petal__cells_end(f), *cells = end, *tail = petal__tail(f);
    for (uint32_t i = f->stages; f->stages > 1 && i-- > 0;) {
        const struct entry e = entry_read(tail, i);
        cells -= e.blocks * BLOCK_BYTES;
        petal__blocks_fetch(cells, entry_blocks(e), hash);
    }
    cells = end;
    for (uint32_t i = f->stages; i-- > 0;) {
        const struct entry e = entry_read(tail, i);
        cells -= e.blocks * BLOCK_BYTES;
        if (scalable_kernels(f)->contains(cells, entry_blocks(e), hash))
            return true;
    }
    return false;
}

/* A line of each stage. */
static void scalable_fetch_many(const petal_filter *f, const uint64_t *hashes, size_t n)
{
    const uint8_t *cells = f->cells, *tail = petal__tail(f);
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct entry e = entry_read(tail, i);
        for (size_t j = 0; j < n; j++)
            petal__blocks_fetch(cells, entry_blocks(e), hashes[j]);
        cells += e.blocks * BLOCK_BYTES;
    }
    HAS_EFFECT();
}

#define GROUP 64

static void scalable_lookup(const petal_filter *f, const uint64_t *hashes, size_t n,
                            bool *found)
{
    const uint8_t *cells = f->cells, *tail = petal__tail(f);
    memset(found, 0, n * sizeof *found);
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct entry e = entry_read(tail, i);
        bool here[GROUP];
        scalable_kernels(f)->contains_many(cells, entry_blocks(e), hashes, n, here, NULL);
        for (size_t j = 0; j < n; j++)
            found[j] |= here[j];
        cells += e.blocks * BLOCK_BYTES;
    }
}

static size_t scalable_contains_many(const petal_filter *f, const uint64_t *hashes,
                                     size_t n, bool *found, const uint64_t *later)
{
    size_t total = 0;
    if (later)
        scalable_fetch_many(f, later, n);
    for (size_t at = 0; at < n; at += GROUP)
        scalable_lookup(f, hashes + at, n - at < GROUP ? n - at : GROUP, found + at);
    for (size_t i = 0; i < n; i++)
        total += found[i];
    return total;
}

/* What stage this one is to be, which takes a thousand times as long to find as to add a
 * key: not to be done again for every key that comes to a filter that has no memory to
 * grow. */
struct plan {
    uint64_t blocks, capacity;
    uint32_t k, stage; /* stage 0: nobody has asked yet */
};

static void scalable_attach(petal_filter *f)
{
    f->kernels = &petal__blocked_kernels(f->simd)->blocks;
    *(struct plan *)f->state = (struct plan){ 0 };
}

static int scalable_plan_next(const petal_filter *f, struct plan *plan)
{
    if (plan->stage == f->stages)
        return PETAL_OK;
    struct stage next;
    petal_shape size;
    if (scalable_next(&f->shape, f->stages, &next, &size) < 0)
        return PETAL_E_FULL;
    *plan = (struct plan){ size.bits / BLOCK_BITS, next.capacity, size.hashes, f->stages };
    return PETAL_OK;
}

static int scalable_grow(petal_filter *f)
{
    struct plan *plan = f->state;
    int rc = scalable_plan_next(f, plan);
    if (rc == PETAL_OK)
        rc = petal__extend(f, plan->blocks * BLOCK_BITS, plan->capacity);
    if (rc < 0)
        return rc;
    entry_put(f, f->stages - 1, (struct entry){ plan->blocks, plan->capacity, 0, plan->k });
    return PETAL_OK;
}

static int scalable_add(petal_filter *f, uint64_t hash)
{
    if (scalable_contains(f, hash))
        return 0;
    struct entry e = entry_get(f, f->stages - 1);
    if (e.keys >= e.capacity) {
        const int rc = scalable_grow(f);
        if (rc < 0)
            return rc;
        e = entry_get(f, f->stages - 1);
    }
    e.keys++;
    entry_put(f, f->stages - 1, e);
    uint8_t *cells = petal__cells_end(f) - e.blocks * BLOCK_BYTES;
    return scalable_kernels(f)->add(cells, entry_blocks(e), hash);
}

static size_t scalable_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max)
{
    size_t n = 0;
    uint64_t first = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct entry e = entry_get(f, i);
        const size_t from = n;
        n += petal__blocks_probes(entry_blocks(e), hash, n < max ? cells + n : NULL,
                                  n < max ? max - n : 0);
        for (size_t j = from; j < n && j < max; j++) {
            cells[j] += first;
            if (groups)
                groups[j] = i;
        }
        first += e.blocks * BLOCK_BITS;
    }
    return n;
}

static void scalable_measure(const petal_filter *f, petal_stats *stats)
{
    const uint8_t *cells = f->cells;
    double pass = 1, keys = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct entry e = entry_get(f, i);
        petal__blocks_measure(cells, entry_blocks(e), stats);
        pass *= 1 - stats->fpr_estimate;
        keys += stats->keys_estimate;
        cells += e.blocks * BLOCK_BYTES;
    }
    stats->fpr_estimate = 1 - pass;
    stats->keys_estimate = keys;
}

const struct petal_ops petal__scalable = {
    .kind = PETAL_SCALABLE,
    .name = "scalable",
    .abilities = PETAL_CAN_GROW | PETAL_IS_STAGED | PETAL_IS_ORDERED,
    .words = { .summary = "grows as keys come: nobody need know how many",
               .hashes = "probe",
               .stage = "stage",
               .group = "stage",
               .rule = PETAL_RULE_ANY },
    .takes = PETAL__TAKES_GROWTH,
    .block_cells = BLOCK_BITS,
    .plan = scalable_plan,
    .fits = scalable_fits,
    .fpr = scalable_fpr,
    .grow = scalable_grow_to,
    .add = scalable_add,
    .contains = scalable_contains,
    .probes = scalable_probes,
    .measure = scalable_measure,
    .contains_many = scalable_contains_many,
    .fetch_many = scalable_fetch_many,
    .tail_len = scalable_tail_len,
    .state_len = sizeof(struct plan),
    .attach = scalable_attach,
    .stages_max = STAGES_MAX,
    .start = scalable_start,
    .clear = scalable_clear,
    .sound = scalable_sound,
};
