/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c: petal.h sections 2 and 9: the shape of a filter from what is asked for.
 *
 * What is no option at all is refused here; sizes are the kind's own business.
 */
#include "api/api.h"
#include "core/image.h"
#include "kinds/list.h"
#include "os/os.h"

#include <float.h>
#include <math.h>

#define KEYS_MAX 1e18 /* more than fit anywhere, fewer than overflow anything */

/* What is no option at all, whatever the kind. */
static bool plan_makes_sense(const petal_options *o)
{
    const struct petal_form_ops *form = petal__form(o->form);
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        if (o->reserved[i])
            return false;
    return petal_form_name(o->form) && petal_hash_name(o->hash) &&
           (o->hash == PETAL_HASH_KEYED || !o->seed[1]) &&
           (o->hash != PETAL_HASH_XXH64 || !o->seed[0]) && o->threads <= OS_THREADS_MAX &&
           (!o->match_lookups ||
            (form && form->match_lookups && o->match_lookups <= CLASSES_MAX));
}

static bool plan_suits(const struct petal_ops *ops, const petal_options *o)
{
    return ((ops->takes & PETAL__TAKES_COUNTERS) ||
            (!o->counter_bits && !o->insert_only)) &&
           ((ops->takes & PETAL__TAKES_GROWTH) || (!o->growth && !o->capacity_max)) &&
           (!ops->point || o->form == PETAL_FORM_RAW);
}

/* A match asks several times, so that each ask must be so much rarer. */
static int plan_match(const struct petal_ops *ops, const petal_options *options,
                      petal_shape *s)
{
    petal_options o = *options;
    const bool computed = o.bits && (o.capacity || o.hashes);
    if (o.fpr == 0 && !computed)
        o.fpr = 0.01;
    const double promise = o.fpr;
    if (o.fpr != 0 && !(o.fpr > 0 && o.fpr < 1))
        return PETAL_E_FPR;
    o.fpr /= s->match_lookups;
    if (promise > 0 && o.fpr < DBL_MIN)
        return PETAL_E_FLOOR; /* it would vanish */
    const int rc = ops->plan(&o, s);
    const double all = s->fpr * s->match_lookups;
    if (rc == PETAL_OK)
        s->fpr = promise > 0 ? promise : all < 1 ? all : 1;
    return rc;
}

static int plan_kind(const struct petal_ops *ops, const petal_options *o, petal_shape *s)
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
    return s->match_lookups ? plan_match(ops, o, s) : ops->plan(o, s);
}

int petal_plan(const petal_options *options, petal_shape *shape)
{
    const struct petal_ops *ops = petal__ops(options->kind);
    *shape = (petal_shape){ 0 };
    if (!ops)
        return PETAL_E_KIND;
    if (!plan_makes_sense(options))
        return PETAL_E_OPTION;
    if (!plan_suits(ops, options))
        return PETAL_E_SHAPE;
    petal_shape s;
    int rc = plan_kind(ops, options, &s);
    if (rc == PETAL_E_FLOOR && options->kind == PETAL_DEFAULT)
        rc = plan_kind(petal__default_kind_low, options, &s);
    if (rc < 0)
        return rc;
    petal__image_measure(&s, 1);
    *shape = s;
    return PETAL_OK;
}

int petal_grown(const petal_shape *shape, uint64_t n, petal_shape *grown)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    uint32_t stages = 1;
    if (!ops || !ops->grow)
        return PETAL_E_ABILITY;
    if (!petal__image_shape_fits(shape, 1) || shape->capacity != shape->capacity_first)
        return PETAL_E_SHAPE;
    *grown = *shape;
    const int rc = ops->grow(grown, n, &stages);
    if (rc == PETAL_OK)
        petal__image_measure(grown, stages);
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
