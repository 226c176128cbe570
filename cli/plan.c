/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.c: petal plan: show how large a filter would be.
 *
 * The parts are in other files: the table of all kinds (plan_table.c), plots of the rate
 * (plan_curves.c), and the time a filter saves in front of a slow store (plan_cost.c). This
 * file has the figures that all of them use.
 */
#include "plan.h"

#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "print.h"

#include <petal_host.h>
#include <stdio.h>
#include <string.h>

static bool plan_plot, plan_costs;
static char *plan_svg;
static uint64_t plan_key_len;
static struct plan_store plan_store = { 102000, 2000, 0.5,
                                        0.001 }; /* from the lecture notes */

static const struct arg plan_args[] = {
    ARGS_SIZE,
    ARGS_KIND,
    { 0, "key-len", "N", ARG_COUNT, &plan_key_len,
      "compare filters with a hash table of keys of N bytes", NULL },
    { 0, "plot", NULL, ARG_FLAG, &plan_plot, "plot the rate against k and against keys",
      NULL },
    { 0, "svg", "FILE", ARG_TEXT, &plan_svg, "write the plots to FILE", NULL },
    { 0, "cost", NULL, ARG_FLAG, &plan_costs,
      "print the mean lookup time with a filter in front of a slow store", NULL },
    { 0, "visits", "N", ARG_COUNT, &plan_store.visits,
      "for --cost: number of lookups (default: 102,000)", NULL },
    { 0, "hits", "N", ARG_COUNT, &plan_store.hits,
      "for --cost: lookups of members (default: 2,000)", NULL },
    { 0, "slow", "TIME", ARG_SECONDS, &plan_store.slow,
      "for --cost: time of a store lookup (default: 500ms)", NULL },
    { 0, "fast", "TIME", ARG_SECONDS, &plan_store.fast,
      "for --cost: time of a filter lookup (default: 1ms)", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

/* ---- Figures ---- */

double plan_rate(void)
{
    const bool follows = wanted.bits && (wanted.capacity || wanted.hashes);
    return wanted.fpr > 0 ? wanted.fpr : follows ? 0 : 0.01;
}

static petal_options plan_options(petal_kind kind)
{
    petal_options options = wanted;
    options.kind = kind;
    if (petal_abilities(kind) & PETAL_IS_EXACT) { /* one bit for each of n integers */
        options.bits = wanted.bits ? wanted.bits : wanted.capacity;
        options.capacity = 0;
        options.fpr = 0;
    }
    return options;
}

int plan_kind(petal_kind kind, petal_shape *shape)
{
    const petal_options options = plan_options(kind);
    return petal_plan(&options, shape);
}

const char *plan_refusal(petal_kind kind)
{
    static char text[sizeof(petal_refusal)];
    const petal_options options = plan_options(kind);
    petal_refusal why;
    petal_refused(&options, NULL, &why);
    snprintf(text, sizeof text, "%s %s", why.option, why.reason);
    return text;
}

bool plan_wants(petal_kind kind)
{
    return wanted.kind == PETAL_DEFAULT ? choice_compared(kind) : wanted.kind == kind;
}

/* Fails if no kind of filter is possible with these figures. */
static void plan_check(void)
{
    petal_shape shape;
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (plan_wants(k) && plan_kind(k, &shape) == PETAL_OK)
            return;
    const petal_options options = plan_options(wanted.kind);
    filter_impossible(&options, petal_plan(&options, &shape));
}

/* ---- The command ---- */

static void plan_json(bool table)
{
    json_open(NULL, '{');
    if (table)
        plan_table_json(plan_key_len);
    if (plan_costs)
        plan_cost_json(&plan_store);
    json_close();
}

static int plan_run(char **files, size_t n)
{
    (void)files;
    args_expect(n, 0, 0);
    const bool sized = wanted.capacity || wanted.bits;
    const bool alone = plan_svg && strcmp(plan_svg, "-") == 0; /* print only the SVG */
    const bool table = sized || !plan_costs || plan_plot || plan_svg;
    if (json && (plan_plot || alone))
        fail("--json cannot be combined with a plot on standard output; use --svg FILE");
    if (wanted.fpr != 0 && !(wanted.fpr > 0 && wanted.fpr < 1))
        fail("-p %g: must be above 0 and below 1", wanted.fpr);
    if (wanted.capacity && wanted.bits && wanted.fpr > 0)
        fail("-n, -p, -m: give two of the three; petal computes the third");
    if (plan_svg && !alone)
        output_claim(plan_svg);
    if (table && !sized) {
        wanted.capacity = 1000000;
        remark("planned for 1,000,000 keys; use -n or -m for other figures");
    }
    if (table)
        plan_check();
    if (json) {
        plan_json(table);
    } else if (!alone) {
        if (table)
            plan_table(plan_key_len);
        if (plan_costs && table)
            out("\n");
        if (plan_costs)
            plan_cost(&plan_store);
    }
    if (plan_plot || plan_svg)
        plan_curves(plan_plot && !alone, plan_svg);
    return STATUS_SOME;
}

const struct command command_plan = {
    .name = "plan",
    .synopsis = "-n N [-p RATE | -m SIZE] | -m SIZE -p RATE",
    .summary = "Show how large a filter would be, for every kind",
    .text =
        "Prints for every kind of filter the bits per key, the file size, the number of\n"
        "probes (k), the false positive rate when full, and what it can do, and the\n"
        "lower bound for any filter.  Give two of -n, -p and -m; the rate defaults to\n"
        "1%.  --cost prints how much time a filter saves in front of a slow store;\n"
        "without -n and -m, it prints only that.  Its default figures are those of the\n"
        "lecture notes.\n\n"
        "  petal plan -n 1e6 -p 1%\n"
        "  petal plan -n 5M -m 75Mb --key-len 40\n"
        "  petal plan -n 1e6 -k blocked --plot\n"
        "  petal plan -n 1e6 --svg rates.svg\n"
        "  petal plan --cost -p 3% --slow 20ms --fast 1us\n",
    .args = plan_args,
    .run = plan_run,
};
