/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c: from options to tables, and from a table to the next larger one.
 *
 * A fingerprint is never changed, so all tables of a stage have the same range U.  A larger
 * table has more lines, with fewer fingerprints each.
 *
 * A fixed filter (growth 0) doubles its homes, and remainders lose a bit.  The rate is n /
 * U: as promised at the planned capacity, and higher after that.
 *
 * In a growing filter, U = 420 a 2^v.  Homes are 1, 2, 3, then 4, 5, 6, 7, then 8, 10, 12,
 * 14 times a, and so on, so a table grows by a quarter, a fifth, a sixth and a seventh.  A
 * line has 105, 84, 70 or 60 times a power of two fingerprints.  The odd part of Q tells
 * which of the four it is.  The value of `growth` is only remembered.
 *
 * With a maximum, U is such that the maximum has the requested rate.  Without one, a filter
 * has up to five stages, which share the rate, and the range of each is 64 times that of
 * the stage before.  Each range divides the next.
 */
#include "core/refusal.h"
#include "kinds/quotient/quotient.h"

#include <math.h>

#define GROWTH         4 /* unless the options have another value */
#define GROWTH_MAX     32768
#define FACTOR         420 /* divided by 1 to 7 without a remainder */
#define FIRST_CAPACITY 1024
#define SMALL_CAPACITY 128
#define CAPACITY_MAX   ((uint64_t)1 << 50)
#define LIMIT_MAX      0x1p60        /* more keys than any filter has */
#define ROUNDED        (1 - 0x1p-40) /* so that the first stage surely takes its capacity */
#define STAGE_RATE_MAX 0.0625 /* the largest table of a stage has room for 0.083 of U */
#define STAGE_MIN      4096   /* keys of a first stage, or more if the capacity is larger */
#define STAGE_FIRST_MAX \
    4096              /* homes that a new stage begins with, so that it takes no time */
#define FIRST_SPARE 4 /* times as large a first table as needed makes U more exact */

/* ---- Steps ---- */

/* Which multiple are the homes of a growing table: 4, 5, 6 or 7?  The first tables of a
 * small filter have 1, 2 or 3 times as many, which count as 4, 4 and 6 halves or quarters.
 */
static uint32_t plan_multiple(const struct table *t)
{
    const uint32_t odd = t->quotients >> __builtin_ctz(t->quotients);
    return odd == 105 ? 4 : odd == 21 ? 5 : odd == 35 ? 6 : odd == 15 ? 7 : 0;
}

/* What a table has in common with the one that it replaces. */
static bool plan_inherit(const struct table *t, struct table *next)
{
    next->copies_max = t->copies_max;
    return true;
}

/* A table of the same range with to / from times as many homes. */
static bool plan_resize(const struct table *t, uint64_t from, uint64_t to,
                        struct table *resized)
{
    const uint64_t values = (uint64_t)t->quotients << t->r;
    return from && to && t->homes % from == 0 && values % to == 0 &&
           petal__table_split(resized, t->homes / from * to, values / to * from) &&
           plan_inherit(t, resized);
}

bool petal__quotient_larger(const petal_shape *shape, const struct table *t,
                            struct table *larger)
{
    if (!shape->growth)
        return petal__table_shape(larger, t->homes * 2, t->quotients, t->r - 1u) &&
               plan_inherit(t, larger);
    const uint32_t m = plan_multiple(t);
    const uint32_t from = m && t->homes % m == 0 ? m
                          : m == 6               ? 3
                          : m == 4               ? 2 - t->homes % 2
                                                 : 0;
    return plan_resize(t, from, from + 1, larger);
}

bool petal__quotient_smaller(const petal_shape *shape, const struct table *t,
                             struct table *smaller)
{
    if (!shape->growth)
        return t->homes % 2 == 0 &&
               petal__table_shape(smaller, t->homes / 2, t->quotients, t->r + 1u) &&
               plan_inherit(t, smaller);
    const uint32_t m = plan_multiple(t);
    const uint64_t even = (t->homes | 8) & -(t->homes | 8); /* 1, 2, 4 or 8 divides it */
    const uint64_t from = m == 4 ? even : m == 6 && t->homes % 6 ? 3 : m;
    return from && plan_resize(t, from, from - 1, smaller);
}

bool petal__quotient_next_stage(const petal_shape *shape, const struct table *t,
                                struct table *next)
{
    struct table smaller;
    const uint64_t room = petal__table_room(t) / 16;
    if (!petal__table_split(next, t->homes, ((uint64_t)t->quotients << t->r) << STAGE_BITS))
        return false;
    plan_inherit(t, next);
    while (petal__quotient_smaller(shape, next, &smaller) &&
           (petal__table_room(&smaller) >= room || next->homes > STAGE_FIRST_MAX))
        *next = smaller;
    return true;
}

/* Room for a first capacity.  If that is small, the filter begins with one line and grows
 * in no time, because most small filters stay smaller still. */
static uint64_t plan_first_room(uint64_t capacity)
{
    return capacity <= SMALL_CAPACITY ? 1 : capacity;
}

bool petal__quotient_first(const petal_shape *shape, const struct table *t,
                           struct table *first)
{
    struct table next;
    *first = *t;
    if (!shape->growth) {
        bool found = true;
        for (int32_t step = shape->steps; found && step != 0; step += step > 0 ? -1 : 1) {
            found = (step > 0 ? petal__quotient_smaller
                              : petal__quotient_larger)(shape, first, &next);
            *first = next;
        }
        return found;
    }
    const uint64_t room = plan_first_room(shape->capacity_first);
    while (petal__table_room(first) < room) {
        if (!petal__quotient_larger(shape, first, &next))
            return false;
        *first = next;
    }
    while (petal__quotient_smaller(shape, first, &next) && petal__table_room(&next) >= room)
        *first = next;
    return true;
}

/* Stages share the rate.  The first gets most of it, because many filters never have
 * another; the last are for more keys than most filters ever have.  No stage gets more than
 * its largest table has room for. */
static double plan_stage_rate(double rate, uint32_t stage)
{
    static const double shares[STAGES_MAX] = { 7, 3, 3, 2, 1 };
    return fmin(rate * (shares[stage] / 16), STAGE_RATE_MAX);
}

uint64_t petal__quotient_stage_limit(const petal_shape *shape, uint32_t stage)
{
    if (!quotient_is_staged(shape))
        return UINT64_MAX;
    const double range = ldexp((double)shape->fingerprints, (int)(STAGE_BITS * stage));
    const double most = range * plan_stage_rate(petal__lookup_rate(shape), stage);
    return most < 1 ? 1 : most < LIMIT_MAX ? (uint64_t)most : (uint64_t)LIMIT_MAX;
}

uint32_t petal__quotient_stages(const petal_shape *shape)
{
    uint64_t limits = 0;
    for (uint32_t stage = 0; stage < STAGES_MAX; stage++) {
        const uint64_t limit = petal__quotient_stage_limit(shape, stage);
        if (shape->capacity - limits <= limit)
            return stage + 1;
        limits += limit;
    }
    return STAGES_MAX;
}

void petal__quotient_fill(petal_shape *shape, uint32_t stages, const struct table *t,
                          uint64_t before)
{
    if (!shape->growth && shape->hashes) /* a doubling takes a bit off the remainders */
        shape->steps += (int32_t)shape->hashes - t->r;
    shape->bits = (before + table_len(t)) * 8;
    shape->hashes = t->r;
    shape->quotients = t->quotients;
    shape->fingerprints = table_range(t) >> STAGE_BITS * (stages - 1);
    if (!shape->growth)
        return;
    struct table smaller;
    const bool grown = stages > 1 || (petal__quotient_smaller(shape, t, &smaller) &&
                                      petal__table_room(&smaller) >=
                                          plan_first_room(shape->capacity_first));
    const uint64_t room = petal__table_room(t);
    uint64_t most = petal__quotient_stage_limit(shape, stages - 1);
    if (shape->capacity_max)
        most = shape->capacity_max;
    shape->capacity = room < most ? room : most;
    for (uint32_t i = 0; i + 1 < stages; i++)
        shape->capacity += petal__quotient_stage_limit(shape, i);
    if (!grown || shape->capacity < shape->capacity_first)
        shape->capacity = shape->capacity_first;
}

/* ---- Options ---- */

static int plan_check(const petal_options *want, bool grows, petal_refusal *why)
{
    if (want->fpr != 0 && !(want->fpr > 0 && want->fpr < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->fpr != 0 && want->fpr < 1 / (double)RANGE_MAX)
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "is lower than this kind can promise for one key");
    if (want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, "hashes",
                             "does not apply to this kind, which has no probes");
    if (want->growth > GROWTH_MAX)
        return petal__refuse_with(why, PETAL_E_SHAPE, "growth", "must be at most #",
                                  GROWTH_MAX, 0);
    if (grows && want->bits)
        return petal__refuse(why, PETAL_E_SHAPE, "bits",
                             "does not apply to a filter that grows; use capacity");
    if (want->capacity > CAPACITY_MAX || want->capacity_max > CAPACITY_MAX)
        return petal__refuse_with(why, PETAL_E_CAPACITY,
                                  want->capacity > CAPACITY_MAX ? "capacity"
                                                                : "capacity_max",
                                  "must be at most #", (double)CAPACITY_MAX, 0);
    if (want->capacity_max && want->capacity > want->capacity_max)
        return petal__refuse(why, PETAL_E_CAPACITY, "capacity",
                             "is above capacity_max; leave one of them out");
    if (want->bits && want->bits < LINE_BITS)
        return petal__refuse_with(why, PETAL_E_SHAPE, "bits",
                                  "must be at least #, the size of one line", LINE_BITS, 0);
    return want->bits > PETAL__BITS_MAX
               ? petal__refuse_with(why, PETAL_E_SHAPE, "bits", "must be at most #",
                                    (double)PETAL__BITS_MAX, 0)
               : PETAL_OK;
}

/* The homes of a table for n keys with a rate: enough for its elements, and for its range.
 */
static double plan_homes(double n, double rate, uint64_t values, double load)
{
    const double by_load = ceil(n / load), by_range = ceil(n / (rate * (double)values));
    const double homes = by_load > by_range ? by_load : by_range;
    return homes < 1 ? 1 : homes;
}

/* Doubles m for as often as a table can be halved: it must keep a home, and room. */
static double plan_unit(double m, double homes, double halves)
{
    for (double n = 2; n <= halves && 2 * m <= homes; n *= 2)
        m *= 2;
    return m;
}

/* The smallest table for `most` keys with this rate, which can shrink to one for `first`.
 * It has a m 2^j homes, where m is 4 to 7 and j is how often it must be halved. */
static bool plan_growing(double first, double most, double rate, struct table *t)
{
    static const uint8_t line_values[] = { 105, 84, 70, 60 }; /* of m = 4, 5, 6, 7 */
    t->homes = 0;
    for (uint32_t i = 0; i < 4 * 33; i++) {
        const uint64_t values = (uint64_t)line_values[i % 4] << i / 4;
        struct table line;
        if (!petal__table_split(&line, 64, values))
            continue;
        const double load = (double)petal__table_room(&line) / 64;
        const double homes = plan_homes(most, rate, values, load);
        const double halves = homes * load / (first * FIRST_SPARE);
        const double unit = plan_unit(4 + i % 4, homes, halves);
        const double total = ceil(homes / unit) * unit;
        if (total * (double)values <= (double)RANGE_MAX &&
            (t->homes == 0 || total < (double)t->homes))
            petal__table_split(t, (uint64_t)total, values);
    }
    return t->homes > 0;
}

/* Finds the fixed table from any two of capacity, bits and rate. */
static int plan_fixed(const petal_options *want, double rate, uint64_t *n, struct table *t,
                      petal_refusal *why)
{
    *n = want->capacity;
    const uint64_t lines = want->bits / LINE_BITS;
    if (!want->bits)
        return petal__table_for(t, *n, rate)
                   ? PETAL_OK
                   : petal__refuse(why, PETAL_E_FLOOR, "fpr",
                                   "is too low for so many keys with this kind");
    if (!petal__table_within(t, lines, n, rate))
        return petal__refuse(why, PETAL_E_SHAPE, "bits",
                             want->capacity
                                 ? "is too small for this capacity; raise it"
                                 : "is too small for a single key at this fpr; raise it");
    return want->capacity && want->fpr > 0 &&
                   (double)*n / (double)table_range(t) > want->fpr
               ? petal__refuse(
                     why, PETAL_E_SHAPE, "bits",
                     "is too small for this capacity and fpr; give two of the three")
               : PETAL_OK;
}

/* A computed rate is rounded up to 16 significant bits. */
static double plan_promise(uint64_t n, const struct table *t)
{
    int exponent;
    const double fraction = frexp((double)n / (double)table_range(t), &exponent);
    const double promise = ldexp(ceil(fraction * 65536) / 65536, exponent);
    return promise < 1 ? promise : 1;
}

static int plan_grows(const petal_options *want, petal_shape *shape, double rate,
                      petal_refusal *why)
{
    struct table t;
    uint64_t first = want->capacity;
    if (!first)
        first = want->capacity_max / 1024 > FIRST_CAPACITY ? want->capacity_max / 1024
                : want->capacity_max && want->capacity_max < FIRST_CAPACITY
                    ? want->capacity_max
                    : FIRST_CAPACITY;
    shape->growth = want->growth ? want->growth : GROWTH;
    shape->capacity_max = want->capacity_max;
    const double most = want->capacity_max  ? (double)want->capacity_max
                        : first > STAGE_MIN ? (double)first
                                            : STAGE_MIN;
    if (!plan_growing((double)plan_first_room(first), most,
                      want->capacity_max ? rate : plan_stage_rate(rate, 0) * ROUNDED, &t))
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "is too low for so many keys with this kind");
    const uint32_t lookups = shape->match_lookups; /* of a match, whose rate is set later */
    shape->fpr = rate;
    shape->match_lookups = 0;
    shape->capacity_first = first;
    petal__quotient_first(shape, &t, &t);
    petal__quotient_fill(shape, 1, &t, 0);
    shape->match_lookups = lookups;
    return PETAL_OK;
}

int petal__quotient_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    const bool grows =
        want->growth || want->capacity_max || !(want->capacity || want->bits);
    const double rate = want->fpr != 0 ? want->fpr : 0.01;
    int rc = plan_check(want, grows, why);
    if (rc < 0)
        return rc;
    shape->insert_only = want->insert_only;
    if (grows)
        return plan_grows(want, shape, rate, why);
    struct table t;
    rc = plan_fixed(want, rate, &shape->capacity, &t, why);
    if (rc < 0)
        return rc;
    petal__quotient_fill(shape, 1, &t, 0);
    shape->fpr =
        want->fpr != 0 || !want->capacity ? rate : plan_promise(shape->capacity, &t);
    if (!want->bits)
        shape->fpr = rate;
    return PETAL_OK;
}

/* ---- Shapes ---- */

bool petal__quotient_table(const petal_shape *shape, struct table *t)
{
    const uint32_t r = shape->hashes;
    if (r < REMAINDER_MIN || r > REMAINDER_MAX || shape->quotients < QUOTIENTS_MIN ||
        shape->quotients > QUOTIENTS_MAX)
        return false;
    const uint32_t up = STAGE_BITS * (petal__quotient_stages(shape) - 1);
    const uint64_t values = (uint64_t)shape->quotients << r;
    if (shape->fingerprints > RANGE_MAX >> up ||
        (shape->fingerprints << up) % values != 0 ||
        !petal__table_shape(t, (shape->fingerprints << up) / values, shape->quotients, r))
        return false;
    t->copies_max = quotient_copies_max(shape);
    return true;
}

/* A fixed table was planned, and then doubled or halved `steps` times. */
static bool plan_fits_fixed(const petal_shape *shape, const struct table *t)
{
    struct table first;
    return !shape->capacity_first && !shape->capacity_max && shape->steps >= -STEPS_MAX &&
           shape->steps <= STEPS_MAX && petal__quotient_first(shape, t, &first);
}

static bool plan_fits_growing(const petal_shape *shape, const struct table *t)
{
    return shape->growth <= GROWTH_MAX && shape->steps == 0 && shape->capacity_first > 0 &&
           shape->capacity_first <= petal__quotient_stage_limit(shape, 0) &&
           plan_multiple(t) > 0;
}

bool petal__quotient_fits(const petal_shape *shape)
{
    struct table t;
    return shape->fpr > 0 && petal__quotient_table(shape, &t) &&
           shape->bits % LINE_BITS == 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits / 8 >= table_len(&t) && shape->capacity <= CAPACITY_MAX &&
           shape->capacity_first <= CAPACITY_MAX && shape->capacity_max <= CAPACITY_MAX &&
           (shape->growth ? plan_fits_growing : plan_fits_fixed)(shape, &t) &&
           (quotient_is_staged(shape) || shape->bits / 8 == table_len(&t));
}

static double plan_rate(double n, double range)
{
    return -expm1(n * log1p(-1 / range));
}

double petal__quotient_fpr(const petal_shape *shape, double n)
{
    double pass = 1, range = (double)shape->fingerprints;
    if (!quotient_is_staged(shape))
        return plan_rate(n, range);
    for (uint32_t i = 0; n > 0 && i < STAGES_MAX; i++) {
        const double here = fmin(n, (double)petal__quotient_stage_limit(shape, i));
        pass *= 1 - plan_rate(here, range);
        n -= here;
        range *= 1 << STAGE_BITS;
    }
    return n > 0 ? 1 : 1 - pass;
}

/* Grows a table until it has room for n keys. */
static bool plan_enlarge(const petal_shape *shape, struct table *t, uint64_t n)
{
    struct table larger;
    while (petal__table_room(t) < n) {
        if (!petal__quotient_larger(shape, t, &larger))
            return false;
        *t = larger;
    }
    return true;
}

int petal__quotient_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages)
{
    struct table t, next;
    uint64_t before = 0, left = n;
    const bool fits = petal__quotient_table(shape, &t);
    assert(fits); /* or the filter would not have been opened */
    (void)fits;
    for (*stages = 1;; ++*stages, t = next) {
        const uint64_t limit = petal__quotient_stage_limit(shape, *stages - 1);
        if (!plan_enlarge(shape, &t, left < limit ? left : limit))
            return PETAL_E_FULL;
        if (left <= limit)
            break;
        left -= limit;
        before += table_len(&t);
        if (*stages == STAGES_MAX || !petal__quotient_next_stage(shape, &t, &next))
            return PETAL_E_FULL;
    }
    petal__quotient_fill(shape, *stages, &t, before);
    return shape->bits <= PETAL__BITS_MAX ? PETAL_OK : PETAL_E_FULL;
}
