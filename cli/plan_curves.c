/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_curves.c: the plots of petal plan: how the rate depends on k and on the number of
 * keys.
 *
 * The first plot has the curve of the textbook formula and, as dots, the rate of the kind
 * for each k at the same size.  The second has the rate of the planned filter as keys are
 * added, up to twice its capacity.
 */
#include "args.h"
#include "choices.h"
#include "filters.h"
#include "plan.h"
#include "plot.h"
#include "print.h"
#include "text.h"

#include <petal_math.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define K_MOST  64
#define SAMPLES 241

struct drawing {
    struct plot_point formula[SAMPLES], own[K_MOST], growth[SAMPLES];
    char titles[2][128], own_label[64], marks[2][128];
    struct plot plots[2];
};

/* Fewer digits than text_rate(): most ticks are powers of ten. */
static const char *drawing_rate(double rate)
{
    return rate < 0.9995e-4 ? text_format("%.0e", rate) : text_rate(rate);
}

static const char *drawing_keys(double keys)
{
    static const char units[][2] = { "", "k", "M", "G", "T" };
    unsigned unit = 0;
    for (; unit < 4 && keys >= 999.5; unit++)
        keys /= 1000;
    return text_format("%.4g%s", keys, units[unit]);
}

/* The rate of this kind at this size for each possible k.  Returns how many there are. */
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
    snprintf(d->titles[0], sizeof d->titles[0], "Rate against k: %.3g %s per key", m / n,
             shape->counter_bits > 1 ? "counters" : "bits");
    snprintf(d->own_label, sizeof d->own_label, "a %s filter of this size", name);
    snprintf(d->marks[0], sizeof d->marks[0], "%s k: %.3g, rate %s",
             own_n == 1 ? "its" : "best", best.x, text_rate(best.y));
    d->plots[0] = (struct plot){
        .title = d->titles[0],
        .x = { "k, probes per key", false, 1, k_most, text_about },
        .y = { "false positive rate", true, 0, 0, drawing_rate },
        .series = { { "textbook formula (1 − e^(−kn/m))^k", false, d->formula, SAMPLES },
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
    snprintf(d->titles[1], sizeof d->titles[1], "Rate against keys added: %s%s",
             petal_kind_name(shape->kind),
             plan_has_probes(shape->kind) ? text_format(", k = %u", shape->hashes) : "");
    snprintf(d->marks[1], sizeof d->marks[1], "capacity: %s, rate %s",
             text_many(shape->capacity, "key"), text_rate(rate));
    d->plots[1] = (struct plot){
        .title = d->titles[1],
        .x = { "keys added", false, 0, 2 * n, drawing_keys },
        .y = { "false positive rate", true,
               rate / 1000, /* the rate of 0 keys, 0, has no place */
               rate > 0 ? fmin(1.5 * petal_fpr(shape, 2 * n), 1) : 0, drawing_rate },
        .series = { { "expected rate of this filter", false, d->growth, SAMPLES } },
        .series_n = 1,
        .mark = n,
        .mark_label = d->marks[1],
    };
}

void plan_curves(bool terminal, const char *file)
{
    const petal_kind kind = wanted.kind ? wanted.kind : CHOICE_TEXTBOOK;
    petal_shape shape;
    if (petal_abilities(kind) & PETAL_IS_EXACT)
        fail("-k %s: it is exact, so there is no rate to plot; choose another kind",
             petal_kind_name(kind));
    if (petal_abilities(kind) & PETAL_IS_STATIC)
        fail("-k %s: its rate does not depend on the number of keys, so there is no curve "
             "to "
             "plot; choose another kind",
             petal_kind_name(kind));
    const int rc = plan_kind(kind, &shape);
    if (rc < 0)
        fail("cannot plot a %s filter: %s", petal_kind_name(kind), plan_refusal(kind));

    struct drawing drawing;
    const size_t first = plan_has_probes(kind) ? 0 : 1; /* without probes there is no k */
    drawing_against_k(&drawing, &shape);
    drawing_against_keys(&drawing, &shape);
    for (size_t i = first; terminal && i < 2; i++) {
        out("\n");
        plot_terminal(&drawing.plots[i]);
    }
    if (file) {
        struct buffer svg = { 0 };
        plot_svg(&svg, drawing.plots + first, 2 - first);
        output_text(file, svg.bytes, svg.len);
        free(svg.bytes);
    }
}
