/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sizing.c: computes how large a filter must be, for every kind that has a rate.
 *
 * No kind inverts its formula.  Instead, the smallest size that keeps the promised rate is
 * found by searching, in steps of 1/256 bit per key.  That is fine enough to waste nothing.
 * It is also coarse enough that the last digit of a C library's log() never decides, so
 * every machine makes the same filter (G7).  At each size, the best k is found by walking
 * downhill from a guess.
 *
 * A 64-bit hash limits the rate: a key has the same hash as one of n others with
 * probability n / 2^64.  If that would use up more than a hundredth of the promised rate,
 * the options are rejected.
 */
#include "kinds/sizing.h"

#include "core/refusal.h"

#include <math.h>

#define STEPS_PER_BIT 256 /* steps for each bit per key */
#define KEYS_MAX \
    ((uint64_t)1 << 62) /* more than fit anywhere, and a double can be cast back */
#define TWO_64 18446744073709551616.0

/* A filter under consideration. */
struct trial {
    uint64_t cells;
    uint64_t n;
    uint32_t k;
    double rate;
};

/* Rounds to whole granules.  If rows are to be rounded up, that happens only at the end.
 * Otherwise a smaller size could have the lower rate, and the search would go astray. */
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

/* A guess from which to search for the best k. */
static uint32_t sizing_guess(const struct petal__rule *rule, uint64_t cells, uint64_t n,
                             double fpr)
{
    double guess = petal_math_best_k((double)cells, (double)n) + 0.5;
    if (fpr > 0)
        guess = rule->k_liked ? rule->k_liked : petal_math_k(fpr);
    return sizing_clamp(rule, guess);
}

/* Finds the k with the lowest rate at this size, or the first one found that keeps to fpr,
 * walking downhill from a guess.  If k is given, it is used as it is. */
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

/* What to search for.  Either n is given and the search finds the cells, or the other way
 * round.  Both are tried in steps of bits per key. */
struct search {
    const struct petal__rule *rule;
    uint64_t cells, n;
    uint32_t k; /* 0: choose the best */
    double fpr;
    uint32_t guess; /* the best k so far */
    uint64_t asked; /* the cells of the last trial, before they were rounded */
    struct trial tried;
};

/* Does every further step lower the rate?  Not always: at high rates a step is large, and
 * if rows must be rounded, one more step does not always help.  Then the search starts
 * from nothing, which takes longer but does not depend on the guess.  With a given k,
 * every step helps. */
static bool sizing_is_smooth(const struct search *s)
{
    const double limit = s->k ? 1 : s->rule->granule == 1 ? 0.5 : 0.01;
    return s->rule->granule && s->fpr <= limit;
}

static uint64_t sizing_cells(const struct search *s, uint64_t steps)
{
    return s->cells ? s->cells : (s->n * steps + STEPS_PER_BIT - 1) / STEPS_PER_BIT;
}

/* Is the rate low enough with this many steps?  If so, it is the best trial so far. */
static bool sizing_enough(struct search *s, uint64_t steps, struct trial *best)
{
    const uint64_t cells = sizing_cells(s, steps);
    const uint64_t n = s->cells ? s->cells * STEPS_PER_BIT / steps : s->n;
    if (s->tried.n != n || s->asked != cells) /* different steps may give the same */
        s->tried = sizing_best(s->rule, cells, n, s->k, s->guess, s->fpr, !s->cells);
    s->asked = cells;
    if (sizing_is_smooth(s))
        s->guess = s->tried.k;
    if (s->tried.rate > s->fpr)
        return false;
    *best = s->tried;
    return true;
}

/* `low` steps are too few, or none at all; `high` steps are enough. */
struct bracket {
    uint64_t low, high;
};

/* Finds a bracket, beginning at the guess and doubling the distance, or from nothing if the
 * search is not smooth.  Returns PETAL_E_SHAPE if even `most` steps are too few. */
static int sizing_bracket(struct search *s, uint64_t guess, uint64_t most,
                          struct bracket *b, struct trial *best)
{
    b->low = 0;
    b->high = guess < 1 ? 1 : guess < most ? guess : most;
    uint64_t distance = sizing_is_smooth(s) ? 1 : b->high;
    for (; !sizing_enough(s, b->high, best); distance *= 2) {
        if (b->high == most)
            return PETAL_E_SHAPE;
        b->low = b->high;
        b->high = most - b->high < distance ? most : b->high + distance;
    }
    for (; sizing_is_smooth(s) && b->low == 0 && b->high > distance; distance *= 2) {
        if (sizing_enough(s, b->high - distance, best))
            b->high -= distance;
        else
            b->low = b->high - distance;
    }
    return PETAL_OK;
}

static void sizing_bisect(struct search *s, struct bracket b, struct trial *best)
{
    const struct petal__rule *rule = s->rule;
    while (b.high - b.low > 1) {
        const uint64_t middle = b.low + (b.high - b.low) / 2;
        const bool same =
            !s->cells && rule->granule && /* different steps may give the same blocks */
            sizing_round(rule, sizing_cells(s, middle), 0, true) == best->cells;
        *(same || sizing_enough(s, middle, best) ? &b.high : &b.low) = middle;
    }
}

/* Finds the smallest number of steps that keeps the rate at or below fpr. */
static int sizing_search(struct search *s, uint64_t guess, struct trial *best)
{
    const struct petal__rule *rule = s->rule;
    assert(s->cells || s->n); /* petal__size() has refused a shape without both */
    if (!s->cells && s->n >= rule->cells_max)
        return PETAL_E_SHAPE;
    const uint64_t most =
        s->cells ? s->cells * STEPS_PER_BIT : rule->cells_max * STEPS_PER_BIT / s->n;
    struct bracket b;
    s->guess = sizing_guess(rule, s->cells, s->n, s->fpr);
    const int rc = sizing_bracket(s, guess, most, &b, best);
    if (rc == PETAL_OK)
        sizing_bisect(s, b, best);
    return rc;
}

/* Does the same, but if rate() is slow, first finds a good guess by means of estimate(). */
static int sizing_find(struct search *s, struct trial *best)
{
    uint64_t guess = (uint64_t)(STEPS_PER_BIT * 1.45 * log2(1 / s->fpr)) + 1;
    if (s->rule->estimate && sizing_is_smooth(s)) {
        struct petal__rule fast = *s->rule;
        fast.rate = fast.estimate;
        struct search rough = *s;
        rough.rule = &fast;
        struct trial t;
        if (sizing_search(&rough, guess, &t) == PETAL_OK)
            guess = s->cells ? t.n ? s->cells * STEPS_PER_BIT / t.n : guess
                             : (t.cells * STEPS_PER_BIT + s->n - 1) / s->n;
    }
    return sizing_search(s, guess, best);
}

/* Uses k_liked if that costs at most a hundredth of the cells. */
static void sizing_prefer_k(const struct search *s, struct trial *t)
{
    struct search liked = *s;
    struct trial trial;
    liked.k = s->rule->k_liked;
    if (sizing_find(&liked, &trial) == PETAL_OK && trial.cells <= t->cells + t->cells / 100)
        *t = trial;
}

/* Fewer probes are faster, so use k_liked if the rate allows it, or else the smallest k
 * that does. */
static void sizing_reduce_k(const struct petal__rule *rule, double limit, struct trial *t)
{
    if (rule->k_liked) {
        const struct trial liked = sizing_at(rule, t->cells, t->n, rule->k_liked, true);
        if (liked.rate <= limit) {
            *t = liked;
            return;
        }
    }
    /* One probe less is mostly too few.  Below the best k, every probe lowers the rate. */
    uint32_t low = rule->granule ? rule->k_min - 1 : t->k - 1; /* too few, or none */
    for (uint32_t k = t->k - 1; t->k - low > 1; k = low + (t->k - low) / 2) {
        const struct trial fewer = sizing_at(rule, t->cells, t->n, k, true);
        if (fewer.rate > limit)
            low = k;
        else
            *t = fewer;
    }
}

/* A computed rate is rounded up to 16 significant bits.  It is part of the image, so it
 * must be the same on every machine. */
static double sizing_promise(const struct trial *t)
{
    const double floor_rate = (double)t->n * 100 / TWO_64;
    const double rate = t->rate > floor_rate ? t->rate : floor_rate;
    int exponent;
    const double fraction = frexp(rate, &exponent);
    const double promise = ldexp(ceil(fraction * 65536) / 65536, exponent);
    return promise < 1 ? promise : 1;
}

/* Rejects a rate or a number of probes that this kind does not accept. */
static int sizing_check_rate(const petal_options *want, const struct petal__rule *rule,
                             uint32_t lookups, petal_refusal *why)
{
    if (want->fpr != 0 && !(want->fpr > 0 && want->fpr < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->fpr != 0 && want->fpr < rule->fpr_min)
        return petal__refuse_with(
            why, PETAL_E_FLOOR, "fpr",
            lookups ? "must be at least # with this kind and # lookups per match; lower "
                      "match_lookups, or leave the kind out"
                    : "must be at least # with this kind; leave the kind out to go lower",
            rule->fpr_min * (lookups ? lookups : 1), lookups);
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
    if (want->capacity > KEYS_MAX)
        return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity", "must be at most #",
                                  (double)KEYS_MAX, 0);
    return want->bits || want->capacity ? PETAL_OK
                                        : petal__refuse(why, PETAL_E_CAPACITY, "capacity",
                                                        "is required unless bits is given");
}

static int sizing_refuse_size(const struct search *s, uint32_t counter_bits,
                              petal_refusal *why)
{
    return s->cells ? petal__refuse(
                          why, PETAL_E_SHAPE, "bits",
                          "is too small for a single key at this fpr; raise one of them")
                    : petal__refuse_with(why, PETAL_E_CAPACITY, "capacity",
                                         "is too large: the filter would exceed # bits",
                                         (double)s->rule->cells_max * counter_bits, 0);
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
    if (cells && !n && fpr == 0 && want->hashes) { /* half full: n = (m/k) ln 2 */
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
        struct search s = {
            .rule = rule, .cells = cells, .n = n, .k = want->hashes, .fpr = fpr
        };
        if (sizing_find(&s, &t) < 0)
            return sizing_refuse_size(&s, shape->counter_bits, why);
        if (!cells && !want->hashes && rule->k_liked && t.k != rule->k_liked)
            sizing_prefer_k(&s, &t);
    }
    if (!want->hashes)
        sizing_reduce_k(rule, fpr > 0 ? fpr : rule->k_liked ? t.rate * 1.04 : t.rate, &t);
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
        return set > 0; /* a single cell says no more */
    return log1p(-(set < m ? set : m - 0.5) / m) / log1p(-hit);
}
