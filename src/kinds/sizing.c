/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sizing.c: how large a filter must be, for every kind that has a rate.
 *
 * No kind inverts its formula.  The least size that holds the promise is searched
 * for, in steps of 1/256 bit a key: that is fine enough to cost nothing, and coarse
 * enough that the last digit of a C library's log() decides nothing, so that every
 * machine makes the same filter (G7).  At each size the best k is found by walking
 * downhill.
 *
 * A 64-bit hash sets a floor: a key shares its hash with one of n others with
 * probability n / 2^64.  What would use up a hundredth of the promise is refused.
 */
#include "kinds/sizing.h"

#include "core/refusal.h"

#include <math.h>

#define STEPS  256 /* to the bit a key */
#define TWO_64 18446744073709551616.0

/* One filter under consideration. */
struct trial {
    uint64_t cells;
    uint64_t n;
    uint32_t k;
    double rate;
};

/* Whole granules.  Rows are made whole at the end when they are to be rounded up, since
 * otherwise a smaller size could be the better one, and the search would go astray. */
static uint64_t sizing_round(const struct petal__rule *rule, uint64_t cells, uint32_t k,
                             bool up)
{
    const uint32_t granule = rule->granule ? rule->granule : up ? 1 : k;
    const uint64_t down = cells / granule * granule;
    return up || down == 0 ? round_up(cells ? cells : 1, granule) : down;
}

static struct trial sizing_at(const struct petal__rule *rule, uint64_t cells, uint64_t n,
                              uint32_t k, bool up)
{
    struct trial t = { sizing_round(rule, cells, k, up), n, k, 0 };
    const double rate = rule->rate(t.cells, k, (double)n);
    t.rate = rate > rule->rate_floor ? rate : rule->rate_floor;
    return t;
}

static uint32_t sizing_clamp(const struct petal__rule *rule, double k)
{
    return k > rule->k_max ? rule->k_max : k < rule->k_min ? rule->k_min : (uint32_t)k;
}

/* Where to begin to look for the best k. */
static uint32_t sizing_guess(const struct petal__rule *rule, uint64_t cells, uint64_t n,
                             double fpr)
{
    double guess = petal_math_best_k((double)cells, (double)n) + 0.5;
    if (fpr > 0)
        guess = rule->k_liked ? rule->k_liked : petal_math_k(fpr);
    return sizing_clamp(rule, guess);
}

/* The k with the least rate at this size, or the first found that keeps to fpr, walking
 * downhill from a guess; k itself if that is given. */
static struct trial sizing_best(const struct petal__rule *rule, uint64_t cells, uint64_t n,
                                uint32_t k, uint32_t guess, double fpr, bool up)
{
    struct trial best = sizing_at(rule, cells, n, k ? k : guess, up);
    for (int step = -1; step <= 1 && !k; step += 2) {
        while (best.rate > fpr &&
               (step < 0 ? best.k > rule->k_min : best.k < rule->k_max)) {
            const struct trial next =
                sizing_at(rule, cells, n, best.k + (uint32_t)step, up);
            if (next.rate >= best.rate)
                break;
            best = next;
        }
    }
    return best;
}

/* Either n is given and the cells follow from the bits a key, or the other way about. */
struct question {
    const struct petal__rule *rule;
    uint64_t cells, n;
    uint32_t k; /* 0: any */
    double fpr;
    uint32_t guess; /* the best k so far */
    struct trial tried;
};

/* At high rates a step is large, and where rows are made whole one more does not always
 * help: then the search takes the long way, from nothing, and does not depend on where a
 * guess was.  With a given k it always helps. */
static bool sizing_is_smooth(const struct question *q)
{
    const double limit = q->k ? 1 : q->rule->granule == 1 ? 0.5 : 0.01;
    return q->rule->granule && q->fpr <= limit;
}

static uint64_t sizing_cells(const struct question *q, uint64_t steps)
{
    return q->cells ? q->cells : (q->n * steps + STEPS - 1) / STEPS;
}

/* Is the rate low enough with so many steps?  If so, it is the best answer yet. */
static bool sizing_enough(struct question *q, uint64_t steps, struct trial *best)
{
    const uint64_t cells = sizing_cells(q, steps);
    const uint64_t n = q->cells ? q->cells * STEPS / steps : q->n;
    if (!q->cells || q->tried.n != n) /* many steps, but the same number of keys */
        q->tried = sizing_best(q->rule, cells, n, q->k, q->guess, q->fpr, !q->cells);
    if (sizing_is_smooth(q))
        q->guess = q->tried.k;
    if (q->tried.rate > q->fpr)
        return false;
    *best = q->tried;
    return true;
}

/* Steps of which the lower are too few, or none, and the higher enough. */
struct bracket {
    uint64_t low, high;
};

/* PETAL_E_SHAPE if even `most` steps are too few.  From a guess, in leaps that double; or,
 * if that is not smooth, from nothing. */
static int sizing_bracket(struct question *q, uint64_t guess, uint64_t most,
                          struct bracket *b, struct trial *best)
{
    b->low = 0;
    b->high = guess < 1 ? 1 : guess < most ? guess : most;
    uint64_t leap = sizing_is_smooth(q) ? 1 : b->high;
    for (; !sizing_enough(q, b->high, best); leap *= 2) {
        if (b->high == most)
            return PETAL_E_SHAPE;
        b->low = b->high;
        b->high = most - b->high < leap ? most : b->high + leap;
    }
    for (; sizing_is_smooth(q) && b->low == 0 && b->high > leap; leap *= 2) {
        if (sizing_enough(q, b->high - leap, best))
            b->high -= leap;
        else
            b->low = b->high - leap;
    }
    return PETAL_OK;
}

static void sizing_bisect(struct question *q, struct bracket b, struct trial *best)
{
    const struct petal__rule *rule = q->rule;
    while (b.high - b.low > 1) {
        const uint64_t middle = b.low + (b.high - b.low) / 2;
        const bool same =
            !q->cells && rule->granule && /* many steps, but the same blocks */
            sizing_round(rule, sizing_cells(q, middle), 0, true) == best->cells;
        *(same || sizing_enough(q, middle, best) ? &b.high : &b.low) = middle;
    }
}

/* The fewest steps that keep the rate at or below fpr. */
static int sizing_search(struct question *q, uint64_t guess, struct trial *best)
{
    const struct petal__rule *rule = q->rule;
    if (!q->cells && q->n >= rule->cells_max)
        return PETAL_E_SHAPE;
    const uint64_t most = q->cells ? q->cells * STEPS : rule->cells_max * STEPS / q->n;
    struct bracket b;
    q->guess = sizing_guess(rule, q->cells, q->n, q->fpr);
    const int rc = sizing_bracket(q, guess, most, &b, best);
    if (rc == PETAL_OK)
        sizing_bisect(q, b, best);
    return rc;
}

/* The same, by way of an estimate where the rate takes time. */
static int sizing_find(struct question *q, struct trial *best)
{
    uint64_t guess = (uint64_t)(STEPS * 1.45 * log2(1 / q->fpr)) + 1;
    if (q->rule->estimate && sizing_is_smooth(q)) {
        struct petal__rule quick = *q->rule;
        quick.rate = quick.estimate;
        struct question rough = *q;
        rough.rule = &quick;
        struct trial t;
        if (sizing_search(&rough, guess, &t) == PETAL_OK)
            guess = q->cells ? t.n ? q->cells * STEPS / t.n : guess
                             : (t.cells * STEPS + q->n - 1) / q->n;
    }
    return sizing_search(q, guess, best);
}

/* Fewer probes are faster: the liked k, if the rate can bear it, or else the least. */
static void sizing_quicken(const struct petal__rule *rule, double limit, struct trial *t)
{
    if (rule->k_liked) {
        const struct trial liked = sizing_at(rule, t->cells, t->n, rule->k_liked, true);
        if (liked.rate <= limit) {
            *t = liked;
            return;
        }
    }
    uint32_t low = rule->granule ? rule->k_min - 1 : t->k - 1; /* too few, or none */
    while (t->k - low > 1) { /* up to the best k, each more makes the rate lower */
        const uint32_t k = low + (t->k - low) / 2;
        const struct trial fewer = sizing_at(rule, t->cells, t->n, k, true);
        if (fewer.rate > limit)
            low = k;
        else
            *t = fewer;
    }
}

/* A rate that was worked out is promised with 16 significant bits, rounded up, so
 * that the promise, which is part of the image, is the same everywhere. */
static double sizing_promise(const struct trial *t)
{
    const double floor_rate = (double)t->n * 100 / TWO_64;
    const double rate = t->rate > floor_rate ? t->rate : floor_rate;
    int exponent;
    const double fraction = frexp(rate, &exponent);
    const double promise = ldexp(ceil(fraction * 65536) / 65536, exponent);
    return promise < 1 ? promise : 1;
}

/* Is there a k, and a rate, that this kind does not take? */
static int sizing_check_rate(const petal_options *want, const struct petal__rule *rule,
                             uint32_t lookups, petal_refusal *why)
{
    if (want->fpr != 0 && !(want->fpr > 0 && want->fpr < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->fpr != 0 && want->fpr < rule->fpr_min)
        return petal__refuse_with(
            why, PETAL_E_FLOOR, "fpr",
            "must be at least # with this kind; leave the kind out to go lower",
            rule->fpr_min * (lookups ? lookups : 1), 0);
    if (want->fpr != 0 && want->fpr < 100 / TWO_64)
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "is lower than 64-bit hashes can promise");
    if (want->hashes && (want->hashes < rule->k_min || want->hashes > rule->k_max))
        return petal__refuse_with(why, PETAL_E_SHAPE, "hashes",
                                  rule->k_min == rule->k_max
                                      ? "must be # with this kind"
                                      : "must be from # to # with this kind",
                                  rule->k_min, rule->k_max);
    return PETAL_OK;
}

static int sizing_check_bits(const petal_options *want, const struct petal__rule *rule,
                             uint32_t counter_bits, petal_refusal *why)
{
    const uint64_t cells = want->bits / counter_bits;
    if (want->bits % counter_bits)
        return petal__refuse_with(why, PETAL_E_SHAPE, "bits",
                                  "must be a multiple of counter_bits (#)", counter_bits,
                                  0);
    if (cells > rule->cells_max)
        return petal__refuse_with(why, PETAL_E_SHAPE, "bits",
                                  "must be at most # with this kind",
                                  (double)rule->cells_max * counter_bits, 0);
    if (rule->granule && cells && cells < rule->granule)
        return petal__refuse_with(why, PETAL_E_SHAPE, "bits",
                                  "must be at least #, the size of one block",
                                  (double)rule->granule * counter_bits, 0);
    if (!rule->granule && cells && want->hashes && want->bits % want->hashes)
        return petal__refuse_with(why, PETAL_E_SHAPE, "bits",
                                  "must be a multiple of hashes (#), because bits is the "
                                  "size of all rows together",
                                  want->hashes, 0);
    return want->bits || want->capacity ? PETAL_OK
                                        : petal__refuse(why, PETAL_E_CAPACITY, "capacity",
                                                        "is required unless bits is given");
}

static int sizing_refuse_size(const struct question *q, uint32_t counter_bits,
                              petal_refusal *why)
{
    return q->cells ? petal__refuse(
                          why, PETAL_E_SHAPE, "bits",
                          "is too small for a single key at this fpr; raise one of them")
                    : petal__refuse_with(why, PETAL_E_CAPACITY, "capacity",
                                         "is too large: the filter would exceed # bits",
                                         (double)q->rule->cells_max * counter_bits, 0);
}

int petal__size(const petal_options *want, const struct petal__rule *rule,
                petal_shape *shape, petal_refusal *why)
{
    int rc = sizing_check_rate(want, rule, shape->match_lookups, why);
    if (rc == PETAL_OK)
        rc = sizing_check_bits(want, rule, shape->counter_bits, why);
    if (rc < 0)
        return rc;

    const uint64_t cells = want->bits / shape->counter_bits;
    uint64_t n = want->capacity;
    double fpr = want->fpr;
    if (cells && !n && fpr == 0 && want->hashes) { /* filled half: n = (m/k) ln 2 */
        n = (uint64_t)((double)cells / want->hashes * 0.6931);
        n = n ? n : 1;
    } else if (fpr == 0 && !(cells && n)) {
        fpr = 0.01;
    }

    struct trial t;
    if (cells && n) {
        t = sizing_best(rule, cells, n, want->hashes, sizing_guess(rule, cells, n, 0), 0,
                        false);
        if (fpr > 0 && t.rate > fpr)
            return petal__refuse(
                why, PETAL_E_SHAPE, "bits",
                "is too small for this capacity and fpr; give two of the three");
    } else {
        struct question q = {
            .rule = rule, .cells = cells, .n = n, .k = want->hashes, .fpr = fpr
        };
        if (sizing_find(&q, &t) < 0)
            return sizing_refuse_size(&q, shape->counter_bits, why);
    }
    if (!want->hashes)
        sizing_quicken(rule, fpr > 0 ? fpr : rule->k_liked ? t.rate * 1.04 : t.rate, &t);
    if (fpr > 0 && (double)t.n / TWO_64 > fpr / 100)
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "is lower than 64-bit hashes can promise for so many keys");

    shape->capacity = t.n;
    shape->bits = round_up(t.cells, rule->granule ? 1 : t.k) * shape->counter_bits;
    shape->hashes = t.k;
    shape->fpr = fpr > 0 ? fpr : sizing_promise(&t);
    return PETAL_OK;
}

double petal__keys_for(double m, double set, double hit)
{
    if (hit >= 1)
        return set > 0; /* one cell: it says no more */
    return log1p(-(set < m ? set : m - 0.5) / m) / log1p(-hit);
}
