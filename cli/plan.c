/*
 * plan.c: petal plan: how large a filter will be, before there is one.
 *
 * Every kind is planned by the library with the same figures, so what stands in the table
 * is what petal build would make; below it stands what no filter can beat.  The plots show
 * why: the rate against k, the textbook's curve and the kind's own, and the rate as keys
 * come in.  The cost is the arithmetic of the lecture notes (S7): what a filter in front of
 * a slow store saves.
 */
#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "plot.h"
#include "print.h"
#include "text.h"
#include "words.h"

#include <petal_math.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool plan_plot, plan_cost;
static char *plan_svg;
static uint64_t plan_key_len;
static uint64_t plan_visits = 102000, plan_hits = 2000; /* the figures of the notes */
static double plan_slow = 0.5, plan_fast = 0.001;

static const struct arg plan_args[] = {
    ARGS_SIZE,
    ARGS_KIND,
    { 0, "key-len", "N", ARG_COUNT, &plan_key_len,
      "keys have N bytes: what is a filter beside a table of them?", NULL },
    { 0, "plot", NULL, ARG_FLAG, &plan_plot, "draw the rate against k and against keys",
      NULL },
    { 0, "svg", "FILE", ARG_TEXT, &plan_svg, "the same as a picture", NULL },
    { 0, "cost", NULL, ARG_FLAG, &plan_cost,
      "the mean look-up time with a filter in front of a slow store", NULL },
    { 0, "visits", "N", ARG_COUNT, &plan_visits, "with --cost: look-ups; 102,000", NULL },
    { 0, "hits", "N", ARG_COUNT, &plan_hits, "of these, of members; 2,000", NULL },
    { 0, "slow", "TIME", ARG_SECONDS, &plan_slow, "what the store takes; 500ms", NULL },
    { 0, "fast", "TIME", ARG_SECONDS, &plan_fast, "what the filter takes; 1ms", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

/* ---- Figures ---- */

/* The rate that was asked for; 0 if it follows from the rest. */
static double plan_rate(void)
{
    const bool follows = wanted.bits && (wanted.capacity || wanted.hashes);
    return wanted.fpr > 0 ? wanted.fpr : follows ? 0 : 0.01;
}

static int plan_kind(petal_kind kind, petal_shape *shape)
{
    petal_options options = wanted;
    options.kind = kind;
    if (petal_abilities(kind) & PETAL_IS_EXACT) { /* n integers from 0 on: a bit each */
        options.bits = wanted.capacity ? wanted.capacity : wanted.bits;
        options.capacity = 0;
        options.fpr = 0;
    }
    return petal_plan(&options, shape);
}

static bool plan_asks_for(petal_kind kind)
{
    return wanted.kind == PETAL_DEFAULT || wanted.kind == kind;
}

/* Figures of which nothing at all can be made are an error. */
static void plan_check(void)
{
    petal_shape shape;
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (plan_asks_for(k) && plan_kind(k, &shape) == PETAL_OK)
            return;
    fail("no such filter can be made: %s", petal_strerror(plan_kind(wanted.kind, &shape)));
}

/* The least that any filter needs; or in a given size, what it can do at best. */
struct bound {
    double keys, rate, bits_per_key;
};

static bool plan_bound(struct bound *bound)
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

/* ---- The table ---- */

static void plan_row(petal_kind kind)
{
    petal_shape shape;
    const int rc = plan_kind(kind, &shape);
    out_column(-11, petal_kind_name(kind));
    if (rc < 0) {
        out("  %s\n", petal_strerror(rc));
        return;
    }
    out_column(16, text_count(shape.capacity));
    out_column(10, text_format("%.3g", shape.bits_per_key));
    out_column(10, text_bytes((double)shape.image_bytes));
    out_column(4, kind == PETAL_RIBBON ? "-" : text_count(shape.hashes)); /* no probes */
    out_column(10, text_rate(petal_fpr(&shape, (double)shape.capacity)));
    out("  ");
    words_abilities(kind);
}

static void plan_bitmap_text(void)
{
    petal_shape shape;
    if (plan_asks_for(PETAL_BITMAP) && plan_kind(PETAL_BITMAP, &shape) == PETAL_OK)
        out("A bitmap takes the integers 0 to %s, and nothing else.\n",
            text_count(shape.bits - 1));
}

static void plan_bound_text(void)
{
    struct bound bound;
    if (!plan_bound(&bound))
        return;
    if (plan_rate() == 0)
        out("No filter of this size and for so many keys has a rate below %s.\n",
            text_rate(bound.rate));
    else if (wanted.capacity == 0)
        out("No filter of this size and rate can take more than %s keys.\n",
            text_about(bound.keys));
    else
        out("No filter of this rate is smaller than %.3g bits a key, %s.\n",
            bound.bits_per_key, text_bytes(ceil(bound.keys * bound.bits_per_key / 8)));
}

/* How far a ribbon is from the bound, as a fraction: of its bits, its keys, or its rate. */
static double plan_above_bound(const petal_shape *shape, const struct bound *bound)
{
    if (plan_rate() == 0)
        return petal_fpr(shape, (double)shape->capacity) / bound->rate - 1;
    if (wanted.capacity == 0)
        return bound->keys / (double)shape->capacity - 1;
    return shape->bits_per_key / bound->bits_per_key - 1;
}

/* With few keys it is not near: it comes in whole blocks. */
static void plan_ribbon_text(void)
{
    petal_shape shape;
    struct bound bound;
    if (!plan_asks_for(PETAL_RIBBON) || plan_kind(PETAL_RIBBON, &shape) < 0)
        return;
    const bool near = plan_bound(&bound) && plan_above_bound(&shape, &bound) < 0.1;
    out("A ribbon %sis built once, from all its keys, and takes no more.\n",
        near ? text_format("comes within %.2g%% of that; it ",
                           100 * plan_above_bound(&shape, &bound))
             : "");
}

/* The notes: a filter is worth it if m/n is far below the bits of a key and log n. */
static void plan_worth_text(void)
{
    petal_shape shape;
    if (plan_key_len == 0 || plan_kind(wanted.kind, &shape) < 0)
        return;
    const double bits = 8 * (double)plan_key_len, n = (double)shape.capacity;
    out("A table of such keys takes %.4g bits a key, a %s filter %s of that.\n",
        bits + log2(n), petal_kind_name(shape.kind),
        text_rate(petal_math_cost(shape.bits_per_key, bits, n)));
}

static void plan_table(void)
{
    out("Filters");
    if (wanted.capacity)
        out(" for %s key%s", text_count(wanted.capacity), wanted.capacity == 1 ? "" : "s");
    if (wanted.bits)
        out(" %s %s", wanted.capacity ? "in" : "of", text_bytes((double)wanted.bits / 8));
    if (plan_rate() > 0)
        out(" at a rate of %s", text_rate(plan_rate()));
    out(":\n\nkind                   keys  bits/key      size   k      rate  can\n");
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (plan_asks_for(k))
            plan_row(k);
    out("\n");
    plan_bitmap_text();
    plan_bound_text();
    plan_ribbon_text();
    plan_worth_text();
    petal_shape shape;
    if (wanted.kind == PETAL_DEFAULT && plan_kind(PETAL_DEFAULT, &shape) == PETAL_OK)
        out("Unless told otherwise (-k), petal build makes a %s filter.\n",
            petal_kind_name(shape.kind));
}

/* ---- Plots ---- */

#define K_MOST  64
#define SAMPLES 241

struct drawing {
    struct plot_point formula[SAMPLES], own[K_MOST], growth[SAMPLES];
    char titles[2][128], own_label[64], marks[2][128];
    struct plot plots[2];
};

/* Ticks are powers of ten, mostly: fewer digits than text_rate(). */
static const char *plan_tick_rate(double rate)
{
    return rate < 0.9995e-4 ? text_format("%.0e", rate) : text_rate(rate);
}

static const char *plan_tick_keys(double keys)
{
    static const char units[][2] = { "", "k", "M", "G", "T" };
    unsigned unit = 0;
    for (; unit < 4 && keys >= 999.5; unit++)
        keys /= 1000;
    return text_format("%.4g%s", keys, units[unit]);
}

/* The rate of this kind at this size with each k it takes; how many those are. */
static size_t drawing_own(struct plot_point *own, const petal_shape *shape, uint32_t k_most)
{
    size_t n = 0;
    for (uint32_t k = 1; k <= k_most; k++) {
        petal_options options = wanted;
        options.kind = shape->kind;
        options.capacity = shape->capacity;
        options.bits = shape->bits;
        options.fpr = 0;
        options.hashes = k;
        petal_shape with_k;
        if (petal_plan(&options, &with_k) == PETAL_OK)
            own[n++] =
                (struct plot_point){ k, petal_fpr(&with_k, (double)shape->capacity) };
    }
    return n;
}

static struct plot_point drawing_least(const struct plot_point *points, size_t n)
{
    struct plot_point least = points[0];
    for (size_t i = 1; i < n; i++)
        if (points[i].y < least.y)
            least = points[i];
    return least;
}

static void drawing_against_k(struct drawing *d, const petal_shape *shape)
{
    const double m = (double)(shape->bits / shape->counter_bits);
    const double n = (double)shape->capacity;
    const double k_most = fmin(fmax(ceil(2 * petal_math_best_k(m, n)), 10), K_MOST);
    for (int i = 0; i < SAMPLES; i++) {
        const double k = 1 + (k_most - 1) * i / (SAMPLES - 1);
        d->formula[i] = (struct plot_point){ k, petal_math_fpr(m, k, n) };
    }
    const size_t own_n = drawing_own(d->own, shape, (uint32_t)k_most);
    const struct plot_point best =
        own_n > 0 ? drawing_least(d->own, own_n) : drawing_least(d->formula, SAMPLES);
    const char *name = petal_kind_name(shape->kind);
    snprintf(d->titles[0], sizeof d->titles[0], "The rate against k: %.3g %s a key", m / n,
             shape->counter_bits > 1 ? "counters" : "bits");
    snprintf(d->own_label, sizeof d->own_label, "a %s filter of this size", name);
    snprintf(d->marks[0], sizeof d->marks[0], "%s k: %.3g, rate %s",
             own_n == 1 ? "its" : "the best", best.x, text_rate(best.y));
    d->plots[0] = (struct plot){
        .title = d->titles[0],
        .x = { "k, probes a key", false, 1, k_most, text_about },
        .y = { "false positive rate", true, 0, 0, plan_tick_rate },
        .series = { { "the textbook's (1 − e^(−kn/m))^k", false, d->formula, SAMPLES },
                    { d->own_label, true, d->own, own_n } },
        .series_n = own_n ? 2 : 1,
        .mark = best.x,
        .mark_label = d->marks[0],
    };
}

static void drawing_against_keys(struct drawing *d, const petal_shape *shape)
{
    const double n = (double)shape->capacity, rate = petal_fpr(shape, n);
    for (int i = 0; i < SAMPLES; i++) {
        const double keys = 2 * n * i / (SAMPLES - 1);
        d->growth[i] = (struct plot_point){ keys, petal_fpr(shape, keys) };
    }
    snprintf(d->titles[1], sizeof d->titles[1], "The rate against keys added: %s, k = %u",
             petal_kind_name(shape->kind), shape->hashes);
    snprintf(d->marks[1], sizeof d->marks[1], "the capacity: %s keys, rate %s",
             text_count(shape->capacity), text_rate(rate));
    d->plots[1] = (struct plot){
        .title = d->titles[1],
        .x = { "keys added", false, 0, 2 * n, plan_tick_keys },
        .y = { "false positive rate", true,
               rate / 1000, /* it begins at 0: no place for that */
               rate > 0 ? fmin(1.5 * petal_fpr(shape, 2 * n), 1) : 0, plan_tick_rate },
        .series = { { "expected of this filter", false, d->growth, SAMPLES } },
        .series_n = 1,
        .mark = n,
        .mark_label = d->marks[1],
    };
}

static void plan_draw(bool terminal)
{
    const petal_kind kind = wanted.kind ? wanted.kind : CHOICE_TEXTBOOK;
    petal_shape shape;
    if (petal_abilities(kind) & PETAL_IS_EXACT)
        fail("a %s is exact: there is no rate to draw", petal_kind_name(kind));
    if (petal_abilities(kind) & PETAL_IS_STATIC)
        fail("a %s keeps its rate, whatever the number of its keys: there is no curve to "
             "draw",
             petal_kind_name(kind));
    const int rc = plan_kind(kind, &shape);
    if (rc < 0)
        fail("no %s filter can be drawn: %s", petal_kind_name(kind), petal_strerror(rc));

    struct drawing drawing;
    drawing_against_k(&drawing, &shape);
    drawing_against_keys(&drawing, &shape);
    for (size_t i = 0; terminal && i < 2; i++) {
        out("\n");
        plot_terminal(&drawing.plots[i]);
    }
    if (plan_svg) {
        struct buffer svg = { 0 };
        plot_svg(&svg, drawing.plots, 2);
        output_text(plan_svg, svg.bytes, svg.len);
        free(svg.bytes);
    }
}

/* ---- The cost (S7) ---- */

struct cost {
    double rate, with;
};

static struct cost plan_cost_of(void)
{
    if (plan_visits == 0)
        fail("--visits 0: nothing to take the mean of");
    if (plan_hits > plan_visits)
        fail("--hits %s: more than the visits, %s", text_count(plan_hits),
             text_count(plan_visits));
    double rate = plan_rate();
    petal_shape shape;
    if (rate == 0 && plan_kind(wanted.kind, &shape) == PETAL_OK)
        rate = shape.fpr;
    return (struct cost){ rate,
                          petal_math_lookup_time((double)plan_visits, (double)plan_hits,
                                                 plan_slow, plan_fast, rate) };
}

static void plan_cost_text(void)
{
    const struct cost cost = plan_cost_of();
    const double factor = plan_slow / cost.with;
    out("%s look-ups, %s of them of members; the store takes %s, the filter %s; rate "
        "%s:\n\n",
        text_count(plan_visits), text_count(plan_hits), text_seconds(plan_slow),
        text_seconds(plan_fast), text_rate(cost.rate));
    out("without the filter  %8.4g ms a look-up\n", plan_slow * 1e3);
    out("with the filter     %8.4g ms a look-up\n\n", cost.with * 1e3);
    if (factor > 1)
        out("The filter makes it %.3g times as fast.\n", factor);
    else
        out("The filter does not pay.\n");
}

static void plan_cost_json(void)
{
    const struct cost cost = plan_cost_of();
    json_open("cost", '{');
    json_count("visits", plan_visits);
    json_count("hits", plan_hits);
    json_real("slow_seconds", plan_slow);
    json_real("fast_seconds", plan_fast);
    json_real("fpr", cost.rate);
    json_real("without_seconds", plan_slow);
    json_real("with_seconds", cost.with);
    json_real("times_as_fast", plan_slow / cost.with);
    json_close();
}

/* ---- JSON ---- */

static void plan_kind_json(petal_kind kind)
{
    petal_shape shape;
    const int rc = plan_kind(kind, &shape);
    json_open(NULL, '{');
    json_text("kind", petal_kind_name(kind));
    if (rc < 0) {
        json_text("error", petal_strerror(rc));
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

static void plan_table_json(void)
{
    struct bound bound;
    json_open("kinds", '[');
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (plan_asks_for(k))
            plan_kind_json(k);
    json_close();
    if (plan_bound(&bound)) {
        json_open("bound", '{');
        json_real("keys", bound.keys);
        json_real("fpr", bound.rate);
        json_real("bits_per_key", bound.bits_per_key);
        json_real("bytes", bound.keys * bound.bits_per_key / 8);
        json_close();
    }
    petal_shape shape;
    if (plan_key_len && plan_kind(wanted.kind, &shape) == PETAL_OK)
        json_real("part_of_a_table",
                  petal_math_cost(shape.bits_per_key, 8 * (double)plan_key_len,
                                  (double)shape.capacity));
}

static void plan_json(bool table)
{
    json_open(NULL, '{');
    if (table)
        plan_table_json();
    if (plan_cost)
        plan_cost_json();
    json_close();
}

/* ---- The command ---- */

static int plan_run(char **files, size_t n)
{
    (void)files;
    args_expect(n, 0, 0);
    const bool sized = wanted.capacity || wanted.bits;
    const bool alone = plan_svg && strcmp(plan_svg, "-") == 0; /* nothing else is printed */
    const bool table = sized || !plan_cost || plan_plot || plan_svg;
    if (json && (plan_plot || alone))
        fail("--json: not together with a plot on standard output");
    if (wanted.fpr != 0 && !(wanted.fpr > 0 && wanted.fpr < 1))
        fail("-p: %s", petal_strerror(PETAL_E_FPR));
    if (wanted.capacity && wanted.bits && wanted.fpr > 0)
        fail("-n, -p, -m: two of the three, and the third follows");
    if (plan_svg && !alone)
        output_claim(plan_svg);
    if (table && !sized) {
        wanted.capacity = 1000000;
        remark("neither -n nor -m: planned for 1,000,000 keys");
    }
    if (table)
        plan_check();
    if (json) {
        plan_json(table);
    } else if (!alone) {
        if (table)
            plan_table();
        if (plan_cost && table)
            out("\n");
        if (plan_cost)
            plan_cost_text();
    }
    if (plan_plot || plan_svg)
        plan_draw(plan_plot && !alone);
    return STATUS_SOME;
}

const struct command command_plan = {
    .name = "plan",
    .synopsis = "-n N [-p RATE | -m SIZE] | -m SIZE -p RATE",
    .summary = "how large a filter will be, before there is one",
    .text = "Says for every kind how many bits a key it needs, how large its file will be, "
            "how\n"
            "many probes it makes (k), the rate it has when it is full, and what it can "
            "do; and\n"
            "what no filter can beat.  Give two of -n, -p and -m; the rate is 1% unless "
            "given.\n"
            "--cost says what a filter saves in front of a slow store; without -n and -m, "
            "only\n"
            "that.  The figures that it begins with are those of the lecture notes.\n\n"
            "  petal plan -n 1e6 -p 1%\n"
            "  petal plan -n 5M -m 75Mb --key-len 40\n"
            "  petal plan -n 1e6 -k blocked --plot\n"
            "  petal plan -n 1e6 --svg rates.svg\n"
            "  petal plan --cost -p 3% --slow 20ms --fast 1us\n",
    .args = plan_args,
    .run = plan_run,
};
