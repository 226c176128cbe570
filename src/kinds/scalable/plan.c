/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c: how many keys each stage takes, at which rate, and how large it is.
 *
 * The rates of the stages add up.  Each stage gets a share of the requested rate p, such
 * that the sum never exceeds p:
 *
 *   no maximum known:  stage j gets p (6/pi^2) / (j+1)^2, which sums to p;
 *   a maximum known:   the stages up to the maximum share nine tenths of p, each in
 *                      proportion to its capacity.  That is the cheapest way to share
 *                      (it minimises the sum of c_i log 1/p_i).  The stage that reaches
 *                      the maximum is no larger than needed, but at least as large as
 *                      the first.  Stages beyond the maximum share the last tenth, as
 *                      above.
 */
#include "core/refusal.h"
#include "kinds/scalable/scalable.h"

#define RATE_MIN       1e-6 /* the lowest that blocks with 16 probes can reach */
#define GROWTH_MAX     32768
#define CAPACITY_MAX   (((uint64_t)1 << 62) - 1)
#define FIRST_CAPACITY 16384
#define LEVEL_STAGES   8 /* with growth 1, later stages double anyway */
#define SIX_BY_PI_2    0.6079271018540267

/* What a stage gets: so many keys, at this rate. */
struct share {
    uint64_t capacity;
    double rate;
};

static struct share plan_stage(const petal_shape *shape, uint32_t wanted)
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
        return (struct share){ chosen, 0.9 * rate * (double)chosen / (double)sum };
    const double j = wanted - reach + 1, share = reach ? 0.1 : 1;
    return (struct share){ chosen, share * rate * SIX_BY_PI_2 / (j * j) };
}

static const struct petal__rule plan_rule = {
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
static int plan_size(struct share stage, petal_shape *size, petal_refusal *why)
{
    if (!(stage.rate >= RATE_MIN))
        return petal__refuse_with(
            why, PETAL_E_FLOOR, "fpr",
            "needs a first stage with a rate below #; raise it, or leave capacity out",
            RATE_MIN, 0);
    if (stage.capacity >= plan_rule.cells_max) /* keeps the division below in range */
        return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity",
                                  "must be below # with this kind",
                                  (double)plan_rule.cells_max, 0);
    const petal_options want = {
        .capacity = (uint64_t)((double)stage.capacity / (1 - stage.rate)) + 1,
        .fpr = stage.rate,
    };
    *size = (petal_shape){ .counter_bits = 1 };
    return petal__size(&want, &plan_rule, size, why);
}

/* Checks the options that do not affect the sizes of stages. */
static int plan_check(const petal_options *want, const petal_shape *shape,
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

int petal__scalable_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    shape->fpr = (want->fpr != 0 ? want->fpr : 0.01) *
                 (shape->match_lookups ? shape->match_lookups : 1);
    shape->growth = want->growth ? want->growth : 2;
    shape->capacity_first = want->capacity ? want->capacity : FIRST_CAPACITY;
    if (!want->capacity && want->capacity_max && want->capacity_max < FIRST_CAPACITY)
        shape->capacity_first = want->capacity_max;
    shape->capacity_max = want->capacity_max;
    int rc = plan_check(want, shape, why);
    if (rc < 0)
        return rc;

    /* If the first capacity is ours to choose, make it large enough for its share of
     * the rate. */
    struct share first = plan_stage(shape, 0);
    while (!want->capacity && first.rate < RATE_MIN &&
           first.capacity < want->capacity_max) {
        const uint64_t twice = shape->capacity_first * 2;
        shape->capacity_first = twice < want->capacity_max ? twice : want->capacity_max;
        first = plan_stage(shape, 0);
    }
    petal_shape size = { 0 };
    rc = plan_size(first, &size, why);
    if (rc < 0)
        return rc;
    shape->capacity = shape->capacity_first = first.capacity;
    shape->bits = size.bits;
    shape->hashes = size.hashes;
    return PETAL_OK;
}

bool petal__scalable_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits % BLOCK_BITS == 0 && shape->growth > 0 &&
           shape->growth <= GROWTH_MAX && shape->fpr > 0 && shape->capacity_first > 0 &&
           shape->capacity_first <= CAPACITY_MAX && shape->capacity <= CAPACITY_MAX &&
           shape->capacity_max <= CAPACITY_MAX && shape->hashes > 0 &&
           shape->hashes <= BLOCK_K_MAX;
}

/* The rate after n keys have filled one stage after the other. */
double petal__scalable_fpr(const petal_shape *shape, double n)
{
    double pass = 1;
    for (uint32_t i = 0; n > 0 && i < SCALABLE_STAGES; i++) {
        const struct share stage = plan_stage(shape, i);
        petal_shape size = { 0 };
        if (plan_size(stage, &size, NULL) < 0)
            return 1;
        const double stage_keys = n < (double)stage.capacity ? n : (double)stage.capacity;
        pass *= 1 - petal__blocks_rate(size.bits, size.hashes, stage_keys);
        n -= stage_keys;
    }
    return n > 0 ? 1 : 1 - pass;
}

int petal__scalable_next(const petal_shape *shape, uint32_t stages, struct stage_plan *next)
{
    const struct share share = plan_stage(shape, stages);
    petal_shape size = { 0 };
    if (stages == SCALABLE_STAGES || plan_size(share, &size, NULL) < 0 ||
        size.bits > PETAL__BITS_MAX - shape->bits ||
        share.capacity > CAPACITY_MAX - shape->capacity)
        return PETAL_E_FULL;
    *next = (struct stage_plan){ share.capacity, (uint32_t)(size.bits / BLOCK_BITS),
                                 (uint16_t)size.hashes, (uint16_t)stages };
    return PETAL_OK;
}

int petal__scalable_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages)
{
    for (*stages = 1; shape->capacity < n; ++*stages) {
        struct stage_plan next;
        if (petal__scalable_next(shape, *stages, &next) < 0)
            return PETAL_E_FULL;
        shape->bits += (uint64_t)next.blocks * BLOCK_BITS;
        shape->capacity += next.capacity;
    }
    return PETAL_OK;
}
