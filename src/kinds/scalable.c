/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scalable.c: a filter that grows, for when the number of keys is not known in advance.
 *
 * It is a chain of stages.  Each stage is a filter of 512-bit blocks (blocked.h) and is
 * `growth` times as large as the one before.  Keys go into the newest stage.  When that
 * holds as many keys as it was made for, a larger stage is added.  A key is reported if any
 * stage reports it, so the rates of the stages add up.  Each stage gets a share of the
 * requested rate p, such that the sum never exceeds p:
 *
 *   no maximum known:  stage j gets p (6/pi^2) / (j+1)^2, which sums to p;
 *   a maximum known:   the stages up to the maximum share nine tenths of p, each in
 *                      proportion to its capacity.  That is the cheapest way to share
 *                      (it minimises the sum of c_i log 1/p_i).  The stage that reaches
 *                      the maximum is no larger than needed, but at least as large as
 *                      the first.  Stages beyond the maximum share the last tenth, as
 *                      above.
 *
 * Behind the cells, the image has a table of the stages with 32 bytes each: blocks,
 * capacity, keys, k.  Cells never move within the image when the filter grows.  The table
 * moves behind the new cells.
 *
 *   Almeida, Baquero, Preguica, Hutchison: "Scalable Bloom Filters", 2007.
 */
#include "core/image.h"
#include "core/refusal.h"
#include "kinds/blocked/blocked.h"
#include "kinds/unseen.h"

#define ENTRY_LEN      32
#define STAGES_MAX     40
#define RATE_MIN       1e-6 /* the lowest that blocks with 16 probes can reach */
#define GROWTH_MAX     32768
#define CAPACITY_MAX   (((uint64_t)1 << 62) - 1)
#define FIRST_CAPACITY 16384
#define LEVEL_STAGES   8                  /* with growth 1, later stages double anyway */
#define KEYS_PER_BLOCK (256 * BLOCK_BITS) /* at 1/256 bit per key, the minimum */
#define SIX_BY_PI_2    0.6079271018540267

/* ---- Planning the stages ---- */

struct stage {
    uint64_t capacity;
    double rate;
};

static struct stage scalable_stage(const petal_shape *shape, uint32_t wanted)
{
    const uint64_t first = shape->capacity_first;
    uint64_t capacity = first, sum = 0, chosen = 0;
    uint32_t reach = 0; /* the number of stages that reach the maximum */
    for (uint32_t i = 0; i <= wanted || sum < shape->capacity_max; i++) {
        const uint64_t growth = shape->growth == 1 && i >= LEVEL_STAGES ? 2 : shape->growth;
        if (i > 0)
            capacity = capacity > CAPACITY_MAX / growth ? CAPACITY_MAX : capacity * growth;
        uint64_t stage_capacity = capacity;
        if (sum < shape->capacity_max) {
            const uint64_t rest = shape->capacity_max - sum;
            stage_capacity = rest > capacity ? capacity : rest > first ? rest : first;
            sum += stage_capacity;
            reach = i + 1;
        }
        chosen = i == wanted ? stage_capacity : chosen;
    }
    const double rate = petal__lookup_rate(shape);
    if (wanted < reach)
        return (struct stage){ chosen, 0.9 * rate * (double)chosen / (double)sum };
    const double j = wanted - reach + 1, share = reach ? 0.1 : 1;
    return (struct stage){ chosen, share * rate * SIX_BY_PI_2 / (j * j) };
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

/* A stage only takes keys that it does not report yet, and such keys set more bits than
 * random keys would.  To collect `capacity` of them it sees at most capacity / (1 - rate)
 * random keys, so it is made large enough for that many. */
static int scalable_size(struct stage stage, petal_shape *size, petal_refusal *why)
{
    if (!(stage.rate >= RATE_MIN))
        return petal__refuse_with(
            why, PETAL_E_FLOOR, "fpr",
            "needs a first stage with a rate below #; raise it, or leave capacity out",
            RATE_MIN, 0);
    if (stage.capacity >= scalable_rule.cells_max) /* keeps the division below in range */
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

/* Checks the options that do not affect the sizes of stages. */
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

    /* If the first capacity is ours to choose, make it large enough for its share of
     * the rate. */
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

/* The rate after n keys have filled one stage after the other. */
static double scalable_fpr(const petal_shape *shape, double n)
{
    double pass = 1;
    for (uint32_t i = 0; n > 0 && i < STAGES_MAX; i++) {
        const struct stage stage = scalable_stage(shape, i);
        petal_shape size;
        if (scalable_size(stage, &size, NULL) < 0)
            return 1;
        const double stage_keys = n < (double)stage.capacity ? n : (double)stage.capacity;
        pass *= 1 - petal__blocks_rate(size.bits, size.hashes, stage_keys);
        n -= stage_keys;
    }
    return n > 0 ? 1 : 1 - pass;
}

/* Plans one more stage.  Returns PETAL_E_FULL if there can be none. */
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

/* Keeps only the first stage, empty, in the memory of all stages. */
static void scalable_clear(petal_filter *f)
{
    memset(f->cells, 0, (size_t)petal__cells_len(&f->shape));
    f->shape.bits = entry_get(f, 0).blocks * BLOCK_BITS;
    f->shape.capacity = f->shape.capacity_first;
    f->stages = 1;
    scalable_first(f);
}

/* Neither the blocks nor the keys of all stages can overflow. */
_Static_assert(BLOCKS_MAX < CAPACITY_MAX / KEYS_PER_BLOCK / STAGES_MAX, "they add up");

/* The table says where the cells are, so it is checked even for trusted images. */
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

/* ---- Adding and looking up ---- */

static inline const struct blocks_kernels *scalable_kernels(const petal_filter *f)
{
    return f->kernels;
}

/* Searches from the newest stage, which has the most keys, to the oldest.  All blocks are
 * prefetched first, if the filter does not fit into the nearer caches. */
static bool scalable_contains(const petal_filter *f, uint64_t hash)
{
    const uint8_t *end = petal__cells_end(f), *cells = end, *tail = petal__tail(f);
    const bool far = petal__cells_len(&f->shape) > PETAL__NEAR_LEN;
    for (uint32_t i = f->stages; far && i-- > 0;) {
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

/* The plan of the next stage.  Computing it takes a thousand times as long as adding a key,
 * so it is kept: otherwise a filter that has no memory to grow would compute it again for
 * every key. */
struct plan {
    uint64_t capacity;
    uint32_t blocks;
    uint16_t k, stage; /* stage 0: not computed yet */
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
    *plan = (struct plan){ next.capacity, (uint32_t)(size.bits / BLOCK_BITS),
                           (uint16_t)size.hashes, (uint16_t)f->stages };
    return PETAL_OK;
}

static int scalable_grow(petal_filter *f)
{
    struct plan *plan = f->state;
    int rc = scalable_plan_next(f, plan);
    if (rc == PETAL_OK)
        rc = petal__extend(f, (uint64_t)plan->blocks * BLOCK_BITS, plan->capacity);
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

/* ---- Many keys: the stages answer for a whole group, one after the other ---- */

/* Looks up the keys in all stages before this one, whose cells begin here. */
static void unseen_search_before(struct unseen *u, const petal_filter *f, uint32_t stage,
                                 const uint8_t *cells)
{
    while (stage-- > 0 && u->n > 0) {
        const struct entry e = entry_get(f, stage);
        cells -= e.blocks * BLOCK_BYTES;
        unseen_search(u, cells, entry_blocks(e));
    }
}

static size_t scalable_contains_many(const petal_filter *f, const uint64_t *hashes,
                                     size_t n, bool *found, const uint64_t *later)
{
    struct unseen u;
    (void)later; /* NULL, as there is no fetch_many() */
    size_t total = 0;
    for (size_t at = 0; at < n; at += u.taken) {
        unseen_start(&u, f->kernels, hashes + at, n - at);
        unseen_search_before(&u, f, f->stages, petal__cells_end(f));
        total += unseen_report(&u, found + at);
    }
    return total;
}

/* Keys that an older stage reports are not new.  Of the others, the newest stage takes as
 * many as it has room for.  If it has none, only keys that it reports are taken. */
static size_t scalable_add_some(petal_filter *f, const uint64_t *hashes, size_t n,
                                signed char *result, int64_t *added)
{
    struct entry e = entry_get(f, f->stages - 1);
    uint8_t *cells = petal__cells_end(f) - e.blocks * BLOCK_BYTES;
    const uint64_t room = e.keys < e.capacity ? e.capacity - e.keys : 0;
    struct unseen u;
    unseen_start(&u, f->kernels, hashes, room > 0 || n < UNSEEN_FEW ? n : UNSEEN_FEW);
    unseen_search_before(&u, f, f->stages - 1, cells);
    if (room == 0)
        unseen_search(&u, cells, entry_blocks(e));
    unseen_limit(&u, room);
    const int64_t fresh = unseen_add(&u, cells, entry_blocks(e), result);
    e.keys += (uint64_t)fresh;
    entry_put(f, f->stages - 1, e);
    *added += fresh;
    return u.taken;
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
    .words = { .summary = "grows as keys are added; no need to know how many",
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
    .add_some = scalable_add_some,
    .contains_many = scalable_contains_many,
    .tail_len = scalable_tail_len,
    .state_len = sizeof(struct plan),
    .attach = scalable_attach,
    .stages_max = STAGES_MAX,
    .start = scalable_start,
    .clear = scalable_clear,
    .sound = scalable_sound,
};
