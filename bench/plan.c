/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c: chooses the trials of a run.
 *
 * All combinations would take hours.  In the cache every combination is quick, so all of
 * them are measured.  Beyond the cache the default run leaves out what says least: the
 * effect of the size is the same for all keys, and the slower kinds and exact sets are
 * measured only once.
 */
#include "bench.h"

#include <stdio.h>

#define KEYS_BIT(kind) (1u << (kind))
#define USUAL_BITS     12
#define LARGE          1e7 /* from here on the kind of pages matters */

static const struct list all_bits = { { 8, 10, 12, 16, 20 }, 5 };

struct plan {
    struct trial *trials;
    size_t n;
};

static double plan_seconds(double n)
{
    if (settings.seconds > 0)
        return settings.seconds;
    return n < 1e6 ? 3 : n < 5e7 ? 5 : 8;
}

static void plan_add(struct plan *plan, struct trial trial)
{
    if (plan->n == TRIALS_MAX)
        fail("more than %d combinations; give shorter lists", TRIALS_MAX);
    trial.seconds = plan_seconds((double)trial.n);
    trial.rounds = settings.rounds;
    if (trial.keys > KEYS_URLS && trial.n > KEYS_MEMBERS_MAX)
        fail("there are only %.0f different %s", (double)KEYS_MEMBERS_MAX,
             keys_names[trial.keys]);
    trial.ops = settings.ops ? settings.ops : trial.ops ? trial.ops : OPS_ALL;
    if (settings.only.n > 0)
        trial.kinds = trial.exact = true;
    plan->trials[plan->n++] = trial;
}

static struct trial plan_trial(enum keys_kind keys, double n, double bits, enum pages pages)
{
    const bool usual = bits == USUAL_BITS && pages == PAGES_SHIPPED;
    return (struct trial){ .keys = keys,
                           .n = (uint64_t)n,
                           .bits = bits,
                           .pages = pages,
                           .kinds = usual,
                           .exact = usual,
                           .fill_seconds = pages == PAGES_SHIPPED ? 60 : 40 };
}

/* ---- Plans ---- */

/* Filters of a form beside one of the same texts as they are. */
static void plan_forms(struct plan *plan)
{
    for (enum keys_kind keys = KEYS_LINKS; keys <= KEYS_WORDS; keys++) {
        struct trial trial = plan_trial(keys, 1e6, USUAL_BITS, PAGES_SHIPPED);
        trial.kinds = trial.exact = false;
        plan_add(plan, trial);
    }
}

static void plan_default(struct plan *plan)
{
    static const double larger[] = { LARGE, 1e8 };
    for (size_t b = 0; b < all_bits.n; b++)
        for (enum keys_kind keys = 0; keys <= KEYS_URLS; keys++)
            plan_add(plan, plan_trial(keys, 1e5, all_bits.at[b], PAGES_SHIPPED));
    for (size_t b = 0; b < all_bits.n; b++)
        if (all_bits.at[b] != USUAL_BITS)
            plan_add(plan, plan_trial(KEYS_INTS, LARGE, all_bits.at[b], PAGES_SHIPPED));
    for (size_t i = 0; i < 2; i++)
        for (enum keys_kind keys = 0; keys <= KEYS_URLS; keys++)
            for (enum pages pages = 0; pages < PAGES; pages++)
                if (keys == KEYS_INTS || larger[i] == LARGE)
                    plan_add(plan, plan_trial(keys, larger[i], USUAL_BITS, pages));
    plan_forms(plan);
    remark(
        "not measured, to save time: 1e8 URLs, and sizes other than 12 bits for 1e7 URLs "
        "and 1e8 integers; use --keys, --n and --bits for these");
}

static void plan_short(struct plan *plan)
{
    plan_add(plan, plan_trial(KEYS_INTS, 1e5, 8, PAGES_SHIPPED));
    plan_add(plan, plan_trial(KEYS_INTS, 1e5, 12, PAGES_SHIPPED));
    plan_add(plan, plan_trial(KEYS_INTS, 1e5, 16, PAGES_SHIPPED));
    plan_add(plan, plan_trial(KEYS_URLS, 1e5, 12, PAGES_SHIPPED));
    plan_add(plan, plan_trial(KEYS_INTS, LARGE, 12, PAGES_SHIPPED));
    remark("not measured, to save time: 1e8 keys, 1e7 URLs, 10 and 20 bits, other pages; "
           "see --help");
}

/* A little of everything, to see that it works. */
static void plan_quick(struct plan *plan)
{
    settings.rounds = 1;
    plan_add(plan, plan_trial(KEYS_INTS, 1e3, USUAL_BITS, PAGES_SHIPPED));
    plan_add(plan, plan_trial(KEYS_URLS, 1e3, 8, PAGES_SMALL));
    plan_add(plan, plan_trial(KEYS_LINKS, 1e3, 16, PAGES_HUGE));
    puts("--quick: this shows that the benchmark works; its figures mean nothing");
}

static void plan_growth(struct plan *plan)
{
    static const double steps[] = { 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct trial trial = plan_trial(KEYS_INTS, steps[i], USUAL_BITS, PAGES_SHIPPED);
        trial.ops = OP_BIT(OP_ADD_MANY) | OP_BIT(OP_MIXED) | OP_BIT(OP_MIXED_MANY);
        trial.kinds = false;
        trial.fill_seconds = 60;
        plan_add(plan, trial);
    }
    remark("not measured: petal's other kinds; use --only to include them");
}

/* All combinations of the given values, with defaults for the others. */
static void plan_chosen(struct plan *plan)
{
    static const struct list usual_n = { { 1e5, LARGE }, 2 }, usual_bits = { { 12 }, 1 };
    const struct list *n = settings.n.n ? &settings.n : &usual_n;
    const struct list *bits = settings.bits.n ? &settings.bits : &usual_bits;
    const unsigned kinds = settings.keys ? settings.keys : KEYS_BIT(KEYS_INTS);
    const unsigned modes = settings.pages ? settings.pages : 1u << PAGES_SHIPPED;
    for (size_t i = 0; i < n->n; i++)
        for (size_t b = 0; b < bits->n; b++)
            for (enum keys_kind keys = 0; keys < KEYS_KINDS; keys++)
                for (enum pages pages = 0; pages < PAGES; pages++) {
                    struct trial trial = plan_trial(keys, n->at[i], bits->at[b], pages);
                    trial.kinds = trial.exact = true;
                    trial.fill_seconds = 600; /* requested, so it may take long */
                    if (kinds >> keys & 1 && modes >> pages & 1)
                        plan_add(plan, trial);
                }
}

size_t plan(struct trial trials[TRIALS_MAX])
{
    struct plan plan = { trials, 0 };
    if (settings.keys || settings.n.n || settings.bits.n || settings.pages)
        plan_chosen(&plan);
    else if (settings.growth)
        plan_growth(&plan);
    else if (settings.brief)
        plan_short(&plan);
    else if (settings.quick)
        plan_quick(&plan);
    else
        plan_default(&plan);
    if (settings.rounds == 1 && !settings.quick)
        remark("one round only: do not rely on the figures");
    for (size_t i = 0; i < plan.n; i++) {
        plan.trials[i].number = (unsigned)i + 1;
        plan.trials[i].of = (unsigned)plan.n;
    }
    return plan.n;
}
