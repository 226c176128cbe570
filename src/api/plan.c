/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c: petal_plan() and its relatives: from options to the shape of a filter.
 *
 * Options that no kind accepts, or that this kind does not accept, are rejected here.  Then
 * the kind computes its own size.
 */
#include "api/api.h"
#include "core/image.h"
#include "core/refusal.h"
#include "kinds/list.h"
#include "os/os.h"

#include <float.h>
#include <math.h>

#define KEYS_MAX 1e18 /* more than fit anywhere, but no calculation overflows */

/* Rejects values that no kind accepts. */
static int plan_check(const petal_options *o, petal_refusal *why)
{
    const struct petal_form_ops *form = petal__form(o->form);
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        if (o->reserved[i])
            return petal__refuse(why, PETAL_E_OPTION, "reserved",
                                 "must be 0; initialize petal_options with { 0 }");
    if (!petal_form_name(o->form))
        return petal__refuse(why, PETAL_E_OPTION, "form", "must be one of petal's forms");
    if (!petal_hash_name(o->hash))
        return petal__refuse(why, PETAL_E_OPTION, "hash", "must be one of petal's hashes");
    if (o->hash != PETAL_HASH_KEYED && o->seed[1])
        return petal__refuse(why, PETAL_E_OPTION, "seed",
                             "must be one number; only hash=keyed takes two");
    if (o->hash == PETAL_HASH_XXH64 && o->seed[0])
        return petal__refuse(why, PETAL_E_OPTION, "seed", "must be 0 with hash=xxh64");
    if (o->threads > OS_THREADS_MAX)
        return petal__refuse_with(why, PETAL_E_OPTION, "threads", "must be at most #",
                                  OS_THREADS_MAX, 0);
    if (o->match_lookups && !(form && form->match_lookups))
        return petal__refuse(why, PETAL_E_OPTION, "match_lookups",
                             "only applies to forms whose keys have parents");
    if (o->match_lookups > CLASSES_MAX)
        return petal__refuse_with(why, PETAL_E_OPTION, "match_lookups", "must be at most #",
                                  CLASSES_MAX, 0);
    return PETAL_OK;
}

/* Rejects options that this kind does not have. */
static int plan_check_kind(const struct petal_ops *ops, const petal_options *o,
                           petal_refusal *why)
{
    const bool counts = ops->takes & PETAL__TAKES_COUNTERS;
    const bool grows = ops->takes & PETAL__TAKES_GROWTH;
    const char *no_counters = "does not apply to this kind, which has no counters";
    const char *no_growth = "does not apply to this kind, which does not grow";
    if (o->counter_bits && !counts)
        return petal__refuse(why, PETAL_E_SHAPE, "counter_bits", no_counters);
    if (o->insert_only && !ops->insert_only_lacks)
        return petal__refuse(why, PETAL_E_SHAPE, "insert_only",
                             "does not apply to this kind, which does not count keys");
    if (o->growth && !grows)
        return petal__refuse(why, PETAL_E_SHAPE, "growth", no_growth);
    if (o->capacity_max && !grows)
        return petal__refuse(why, PETAL_E_SHAPE, "capacity_max", no_growth);
    if (ops->point && o->form != PETAL_FORM_RAW)
        return petal__refuse(why, PETAL_E_SHAPE, "form",
                             "must be raw with this kind, which holds integers");
    if (ops->contains_key && petal__form(o->form) && petal__form(o->form)->match_lookups)
        return petal__refuse(why, PETAL_E_SHAPE, "form",
                             "must be one without parents with this kind");
    if (ops->contains_key && o->hash != PETAL_HASH_FAST && o->hash != PETAL_HASH_FOREIGN)
        return petal__refuse(why, PETAL_E_SHAPE, "hash",
                             "cannot be chosen with this kind, which has its own");
    if (!ops->contains_key && o->hash == PETAL_HASH_FOREIGN)
        return petal__refuse(why, PETAL_E_SHAPE, "hash",
                             "must be fast, keyed or xxh64 with this kind");
    return PETAL_OK;
}

/* A match makes several lookups, so each must have a lower rate than the match. */
static int plan_match(const struct petal_ops *ops, const petal_options *options,
                      petal_shape *s, petal_refusal *why)
{
    petal_options o = *options;
    const bool computed = o.bits && (o.capacity || o.hashes);
    if (o.fpr == 0 && !computed)
        o.fpr = 0.01;
    const double promise = o.fpr;
    if (o.fpr != 0 && !(o.fpr > 0 && o.fpr < 1))
        return petal__refuse(why, PETAL_E_FPR, "fpr", "must be above 0 and below 1");
    o.fpr /= s->match_lookups;
    if (promise > 0 && o.fpr < DBL_MIN) /* the division has lost the rate */
        return petal__refuse(why, PETAL_E_FLOOR, "fpr",
                             "is lower than 64-bit hashes can promise");
    const int rc = ops->plan(&o, s, why);
    const double all = s->fpr * s->match_lookups;
    if (rc == PETAL_OK)
        s->fpr = promise > 0 ? promise : all < 1 ? all : 1;
    return rc;
}

static int plan_kind(const struct petal_ops *ops, const petal_options *o, petal_shape *s,
                     petal_refusal *why)
{
    const struct petal_form_ops *form = petal__form(o->form);
    *s = (petal_shape){ .kind = ops->kind,
                        .counter_bits = 1,
                        .form = o->form,
                        .match_lookups =
                            form && form->match_lookups
                                ? o->match_lookups ? o->match_lookups : form->match_lookups
                                : 0,
                        .hash = o->hash,
                        .seed = { o->seed[0], o->seed[1] } };
    return s->match_lookups ? plan_match(ops, o, s, why) : ops->plan(o, s, why);
}

static int plan(const petal_options *options, petal_shape *shape, petal_refusal *why)
{
    const struct petal_ops *ops = petal__ops(options->kind);
    *shape = (petal_shape){ 0 };
    if (!ops)
        return petal__refuse(why, PETAL_E_KIND, "kind", "must be one of petal's kinds");
    int rc = plan_check(options, why);
    if (rc == PETAL_OK)
        rc = plan_check_kind(ops, options, why);
    if (rc < 0)
        return rc;
    petal_shape s;
    rc = plan_kind(ops, options, &s, why);
    if (rc == PETAL_E_FLOOR && options->kind == PETAL_DEFAULT)
        rc = plan_kind(petal__default_kind_low, options, &s, why);
    if (rc < 0)
        return rc;
    petal__image_measure(&s, 1, 0);
    *shape = s;
    return PETAL_OK;
}

int petal_plan(const petal_options *options, petal_shape *shape)
{
    return plan(options, shape, NULL);
}

int petal_refused(const petal_options *options, const char *text, petal_refusal *refusal)
{
    petal_options o = *options;
    petal_shape shape;
    *refusal = (petal_refusal){ 0 };
    int rc = text ? petal__parse_options(text, &o, refusal) : PETAL_OK;
    if (rc == PETAL_OK)
        rc = plan(&o, &shape, refusal);
    if (rc == PETAL_OK)
        *refusal = (petal_refusal){ 0 }; /* left by the kind that was tried first */
    return rc;
}

int petal_grown(const petal_shape *shape, uint64_t n, petal_shape *grown)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    uint32_t stages = 1;
    if (!ops || !ops->grow)
        return PETAL_E_ABILITY;
    if (!petal__image_shape_fits(shape, 1) || petal__has_grown(shape))
        return PETAL_E_SHAPE;
    *grown = *shape;
    const int rc = ops->grow(grown, n, &stages);
    if (rc == PETAL_OK)
        petal__image_measure(grown, stages, 0);
    return rc;
}

double petal__match_rate(double rate, uint32_t lookups)
{
    return lookups == 0 ? 0 : rate < 1 ? -expm1(lookups * log1p(-rate)) : 1;
}

double petal_fpr(const petal_shape *shape, double n)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    if (!petal__image_shape_fits(shape, 1))
        return 1;
    if (!(n > 0))
        return 0;
    const double rate = ops->fpr(shape, n < KEYS_MAX ? n : KEYS_MAX);
    return shape->match_lookups ? petal__match_rate(rate, shape->match_lookups) : rate;
}
