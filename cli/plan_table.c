/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_table.c: the table of petal plan: all kinds for the same figures.
 *
 * The library plans every kind, so the table shows what petal build would build.  Below the
 * table are the lower bound for any filter and other figures that help to choose.
 */
#include "args.h"
#include "json.h"
#include "plan.h"
#include "print.h"
#include "text.h"
#include "words.h"

#include <petal_explain.h>
#include <petal_host.h>
#include <petal_math.h>

#include <math.h>

/* The smallest size of any filter, or for a given size the best rate or number of keys. */
struct bound {
    double keys, rate, bits_per_key;
};

static bool bound_find(struct bound *bound)
{
    bound->rate = plan_rate();
    bound->keys = (double)wanted.capacity;
    if (bound->rate == 0 && wanted.capacity == 0)
        return false;
    if (bound->rate == 0) {
        bound->bits_per_key = (double)wanted.bits / bound->keys;
        bound->rate = exp2(-bound->bits_per_key);
    } else {
        bound->bits_per_key = petal_math_lower_bound(bound->rate);
        if (wanted.capacity == 0)
            bound->keys = floor((double)wanted.bits / bound->bits_per_key);
    }
    return true;
}

bool plan_has_probes(petal_kind kind)
{
    const petal_rule rule = petal_kind_words_of(kind)->rule;
    return rule == PETAL_RULE_ALL || rule == PETAL_RULE_ANY;
}

/* ---- Text ---- */

static void plan_table_row(petal_kind kind)
{
    petal_shape shape;
    const int rc = plan_kind(kind, &shape);
    out_column(-11, petal_kind_name(kind));
    if (rc < 0) {
        out("  %s\n", plan_refusal(kind));
        return;
    }
    out_column(16, text_count(shape.capacity));
    out_column(10, text_format("%.3g", shape.bits_per_key));
    out_column(10, text_bytes((double)shape.image_bytes));
    out_column(4, plan_has_probes(kind) ? text_count(shape.hashes) : "-");
    out_column(10, text_rate(petal_fpr(&shape, (double)shape.capacity)));
    out("  ");
    words_abilities(petal_shape_abilities(&shape));
}

static void plan_table_exact(void)
{
    petal_shape shape;
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (petal_abilities(k) & PETAL_IS_EXACT && plan_wants(k) &&
            plan_kind(k, &shape) == PETAL_OK)
            out("A %s takes only the integers 0 to %s.\n", petal_kind_name(k),
                text_count(shape.bits - 1));
}

static void plan_table_bound(void)
{
    struct bound bound;
    if (!bound_find(&bound))
        return;
    if (plan_rate() == 0)
        out("No filter of this size for this many keys can have a rate below %s.\n",
            text_rate(bound.rate));
    else if (wanted.capacity == 0)
        out("No filter of this size and rate can hold more than %s keys.\n",
            text_about(bound.keys));
    else
        out("No filter of this rate can be smaller than %.3g bits per key, %s.\n",
            bound.bits_per_key, text_bytes(ceil(bound.keys * bound.bits_per_key / 8)));
}

/* The relative distance of a shape from the bound: in bits, keys, or rate. */
static double bound_distance(const struct bound *bound, const petal_shape *shape)
{
    if (plan_rate() == 0)
        return petal_fpr(shape, (double)shape->capacity) / bound->rate - 1;
    if (wanted.capacity == 0)
        return bound->keys / (double)shape->capacity - 1;
    return shape->bits_per_key / bound->bits_per_key - 1;
}

/* A static kind with few keys is not near the bound, because it has whole blocks. */
static void plan_table_static(void)
{
    petal_shape shape;
    struct bound bound;
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k)) {
        if (!(petal_abilities(k) & PETAL_IS_STATIC) || !plan_wants(k) ||
            plan_kind(k, &shape) < 0)
            continue;
        const bool near = bound_find(&bound) && bound_distance(&bound, &shape) < 0.1;
        out("A %s %sis built once from all keys; none can be added later.\n",
            petal_kind_name(k),
            near ? text_format("comes within %.2g%% of that.  It ",
                               100 * bound_distance(&bound, &shape))
                 : "");
    }
}

/* From the lecture notes: a filter is worthwhile if m/n is far below the bits of a key plus
 * log n. */
static void plan_table_worth(uint64_t key_len)
{
    petal_shape shape;
    if (key_len == 0 || plan_kind(wanted.kind, &shape) < 0)
        return;
    const double bits = 8 * (double)key_len, n = (double)shape.capacity;
    out("A table of these keys takes %.4g bits per key; a %s filter takes %s of that.\n",
        bits + log2(n), petal_kind_name(shape.kind),
        text_rate(petal_math_cost(shape.bits_per_key, bits, n)));
}

void plan_table(uint64_t key_len)
{
    out("Filters");
    if (wanted.capacity)
        out(" for %s", text_many(wanted.capacity, "key"));
    if (wanted.bits)
        out(" %s %s", wanted.capacity ? "in" : "of", text_bytes((double)wanted.bits / 8));
    if (plan_rate() > 0)
        out(" at a rate of %s", text_rate(plan_rate()));
    out(":\n\nkind                   keys  bits/key      size   k      rate  can\n");
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (plan_wants(k))
            plan_table_row(k);
    out("\n");
    plan_table_exact();
    plan_table_bound();
    plan_table_static();
    plan_table_worth(key_len);
    petal_shape shape;
    if (wanted.kind == PETAL_DEFAULT && plan_kind(PETAL_DEFAULT, &shape) == PETAL_OK)
        out("Without -k, petal build builds a %s filter.\n", petal_kind_name(shape.kind));
}

/* ---- JSON ---- */

static void plan_table_kind_json(petal_kind kind)
{
    petal_shape shape;
    const int rc = plan_kind(kind, &shape);
    json_open(NULL, '{');
    json_text("kind", petal_kind_name(kind));
    if (rc < 0) {
        json_text("error", plan_refusal(kind));
    } else {
        json_count("capacity", shape.capacity);
        json_real("bits_per_key", shape.bits_per_key);
        json_count("bits", shape.bits);
        json_count("image_bytes", shape.image_bytes);
        json_count("hashes", shape.hashes);
        json_real("fpr", shape.fpr);
        json_real("fpr_expected", petal_fpr(&shape, (double)shape.capacity));
    }
    json_open("can", '[');
    for (unsigned a = petal_ability_next(0); a; a = petal_ability_next(a))
        if (petal_abilities(kind) & a)
            json_text(NULL, petal_ability_name(a));
    json_close();
    json_close();
}

void plan_table_json(uint64_t key_len)
{
    struct bound bound;
    json_open("kinds", '[');
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (plan_wants(k))
            plan_table_kind_json(k);
    json_close();
    if (bound_find(&bound)) {
        json_open("bound", '{');
        json_real("keys", bound.keys);
        json_real("fpr", bound.rate);
        json_real("bits_per_key", bound.bits_per_key);
        json_real("bytes", bound.keys * bound.bits_per_key / 8);
        json_close();
    }
    petal_shape shape;
    if (key_len && plan_kind(wanted.kind, &shape) == PETAL_OK)
        json_real("part_of_a_table",
                  petal_math_cost(shape.bits_per_key, 8 * (double)key_len,
                                  (double)shape.capacity));
}
