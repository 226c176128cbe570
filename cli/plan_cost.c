/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_cost.c: the time that a filter saves in front of a slow store.
 *
 * This is the calculation of the lecture notes: every lookup takes the time of the filter,
 * and only those that the filter answers with maybe also take the time of the store.
 */
#include "args.h"
#include "json.h"
#include "plan.h"
#include "print.h"
#include "text.h"

#include <petal_math.h>

struct cost {
    double rate, with;
};

static struct cost cost_of(const struct plan_store *store)
{
    if (store->visits == 0)
        fail("--visits 0: the mean needs at least one lookup");
    if (store->hits > store->visits)
        fail("--hits %s: must not exceed --visits, %s", text_count(store->hits),
             text_count(store->visits));
    double rate = plan_rate();
    petal_shape shape;
    if (rate == 0 && plan_kind(wanted.kind, &shape) == PETAL_OK)
        rate = shape.fpr;
    return (struct cost){ rate,
                          petal_math_lookup_time((double)store->visits, (double)store->hits,
                                                 store->slow, store->fast, rate) };
}

void plan_cost(const struct plan_store *store)
{
    const struct cost cost = cost_of(store);
    const double factor = store->slow / cost.with;
    out("%s lookups, %s of them of members; the store takes %s, the filter %s, at a rate "
        "of "
        "%s:\n\n",
        text_count(store->visits), text_count(store->hits), text_seconds(store->slow),
        text_seconds(store->fast), text_rate(cost.rate));
    out("without the filter  %8.4g ms per lookup\n", store->slow * 1e3);
    out("with the filter     %8.4g ms per lookup\n\n", cost.with * 1e3);
    if (factor > 1)
        out("The filter makes lookups %.3g times as fast.\n", factor);
    else
        out("The filter does not save time.\n");
}

void plan_cost_json(const struct plan_store *store)
{
    const struct cost cost = cost_of(store);
    json_open("cost", '{');
    json_count("visits", store->visits);
    json_count("hits", store->hits);
    json_real("slow_seconds", store->slow);
    json_real("fast_seconds", store->fast);
    json_real("fpr", cost.rate);
    json_real("without_seconds", store->slow);
    json_real("with_seconds", cost.with);
    json_real("times_as_fast", store->slow / cost.with);
    json_close();
}
