/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * redisbloom_plan.c: how large the links of a RedisBloom filter are.
 *
 * The first link takes the capacity that was asked for, at half the rate.  Each further one
 * takes `growth` times as many keys as the last, at half its rate, so that the rates of all
 * links add up to at most the rate that was asked for.  A filter that does not grow has one
 * link with the whole rate.  Bits and probes follow from the rate as Bloom's formula has
 * them: -ln(rate) / ln^2 2 bits per key, and ln 2 times as many probes.  We compute them
 * exactly as RedisBloom does, in double precision, so that a chain that grows here is the
 * one that would have grown there.
 *
 * For very few keys and low rates, that is too small: see array.c.  The first link of a
 * filter that we make then gets more bits, which RedisBloom accepts.
 */
#include "core/refusal.h"
#include "kinds/foreign/redisbloom.h"

#include <math.h>

#define LN2          0.693147180559945
#define LN2_SQUARED  0.480453013918201
#define GROWTH_MAX   32768
#define CAPACITY_MAX ((uint64_t)1 << 40)
#define CAPACITY     100 /* if none is given, as in RedisBloom */

bool petal__redisbloom_link_fits(const struct link *link)
{
    return link->bits > 0 && link->bits <= PETAL__BITS_MAX && link->hashes > 0 &&
           link->hashes <= PETAL__HASHES_MAX && link->capacity > 0 &&
           link->capacity <= PETAL__BITS_MAX && link->keys <= PETAL__BITS_MAX &&
           link->error > 0 && link->error < 1 && link->per_key > 0 && link->per_key < 1e6 &&
           (link->n2 == 0 || (link->n2 < 44 && (uint64_t)1 << link->n2 <= link->bits));
}

/* Some machines compute with more bits than a double has.  They must not: what is computed
 * here is stored. */
static double link_double(double x)
{
    volatile double stored = x;
    return stored;
}

static int link_plan(struct link *link, uint64_t capacity, double error)
{
    *link = (struct link){ .capacity = capacity, .error = error };
    link->per_key = link_double(-link_double(log(error)) / LN2_SQUARED);
    const double bits = link_double((double)capacity * link->per_key);
    if (!(bits < (double)PETAL__BITS_MAX))
        return PETAL_E_FULL;
    link->bits = round_up((uint64_t)bits ? (uint64_t)bits : 1, 64);
    link->hashes = (uint32_t)ceil(link_double(LN2 * link->per_key));
    return petal__redisbloom_link_fits(link) ? PETAL_OK : PETAL_E_FULL;
}

int petal__redisbloom_first(const petal_shape *shape, struct link *link)
{
    const double n = (double)shape->capacity_first;
    int rc = link_plan(link, shape->capacity_first,
                       shape->growth ? shape->fpr * 0.5 : shape->fpr);
    while (rc == PETAL_OK && petal__array_rate(link->bits, link->hashes, n) > shape->fpr) {
        link->bits += round_up(link->bits / 64, 64);
        rc = link->bits <= PETAL__BITS_MAX ? PETAL_OK : PETAL_E_FULL;
    }
    return rc;
}

int petal__redisbloom_next(const struct link *last, uint32_t growth, struct link *link)
{
    if (last->capacity > CAPACITY_MAX / growth)
        return PETAL_E_FULL;
    return link_plan(link, last->capacity * growth, last->error * 0.5);
}

static int redisbloom_plan_check(const petal_options *want, const petal_shape *shape,
                                 petal_refusal *why)
{
    const char *grows = "does not apply to this kind, which grows; use capacity";
    if (want->bits)
        return petal__refuse(why, PETAL_E_SHAPE, "bits", grows);
    if (want->hashes)
        return petal__refuse(why, PETAL_E_SHAPE, "hashes",
                             "does not apply to this kind: each link has its own");
    if (want->capacity_max)
        return petal__refuse(why, PETAL_E_SHAPE, "capacity_max",
                             "does not apply to this kind");
    if (want->seed[0])
        return petal__refuse(why, PETAL_E_SHAPE, "seed", "must be 0 with this kind");
    if (shape->growth > GROWTH_MAX)
        return petal__refuse_with(why, PETAL_E_SHAPE, "growth", "must be at most #",
                                  GROWTH_MAX, 0);
    if (!(shape->fpr > 0 && shape->fpr < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    if (want->capacity > CAPACITY_MAX)
        return petal__refuse_with(why, PETAL_E_CAPACITY, "capacity", "must be at most #",
                                  (double)CAPACITY_MAX, 0);
    return PETAL_OK;
}

int petal__redisbloom_plan(const petal_options *want, petal_shape *shape,
                           petal_refusal *why)
{
    shape->hash = PETAL_HASH_FOREIGN;
    shape->fpr = want->fpr != 0 ? want->fpr : 0.01;
    shape->growth = want->growth ? want->growth : 2;
    shape->capacity = shape->capacity_first = want->capacity ? want->capacity : CAPACITY;
    const int rc = redisbloom_plan_check(want, shape, why);
    if (rc < 0)
        return rc;
    struct link link;
    if (petal__redisbloom_first(shape, &link) < 0)
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "needs more than 64 probes; raise it");
    shape->bits = link_room(&link);
    shape->hashes = link.hashes;
    return PETAL_OK;
}

bool petal__redisbloom_fits(const petal_shape *shape)
{
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX && shape->bits % 64 == 0 &&
           shape->hashes > 0 && shape->hashes <= PETAL__HASHES_MAX && shape->fpr > 0 &&
           shape->fpr < 1 && shape->growth <= GROWTH_MAX && shape->capacity_first > 0 &&
           shape->capacity_first <= shape->capacity && shape->capacity <= PETAL__BITS_MAX &&
           !shape->capacity_max && !shape->seed[0];
}

/* The rate after n keys have filled one link after the other.  A filter that cannot grow
 * takes them all in its only link. */
double petal__redisbloom_fpr(const petal_shape *shape, double n)
{
    double pass = 1;
    struct link link;
    int rc = petal__redisbloom_first(shape, &link);
    for (uint32_t i = 0; n > 0 && i < LINKS_MAX && rc == PETAL_OK; i++) {
        const double room = (double)link.capacity;
        const double keys = shape->growth && room < n ? room : n;
        pass *= 1 - petal__array_rate(link.bits, link.hashes, keys);
        n -= keys;
        if (n > 0)
            rc = petal__redisbloom_next(&link, shape->growth, &link);
    }
    return n > 0 ? 1 : 1 - pass;
}

int petal__redisbloom_grow_to(petal_shape *shape, uint64_t n, uint32_t *stages)
{
    struct link link;
    *stages = 1;
    if (petal__redisbloom_first(shape, &link) < 0)
        return PETAL_E_FULL;
    for (; shape->capacity < n; ++*stages) {
        if (!shape->growth || *stages == LINKS_MAX ||
            petal__redisbloom_next(&link, shape->growth, &link) < 0 ||
            link_room(&link) > PETAL__BITS_MAX - shape->bits)
            return PETAL_E_FULL;
        shape->bits += link_room(&link);
        shape->capacity += link.capacity;
    }
    return PETAL_OK;
}
