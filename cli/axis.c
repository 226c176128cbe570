/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * axis.c: the axes of a plot and their ticks.
 *
 * An axis maps a value, or its logarithm, to a position from 0 to 1, and finds round values
 * for its ticks.  plot_terminal.c and plot_svg.c draw with it.
 */
#include "axis.h"

#include <math.h>

#define LOG_LEAST 1e-250 /* no log axis starts lower */
#define ROUNDING  1e-9   /* a value this far outside still counts as inside */

double axis_at(const struct plot_axis *a, double value)
{
    if (a->log) /* not log(value / least): the quotient may overflow */
        return (log(value) - log(a->least)) / (log(a->most) - log(a->least));
    return (value - a->least) / (a->most - a->least);
}

bool axis_holds(const struct plot_axis *a, double value)
{
    const double at = axis_at(a, value);
    return at >= -ROUNDING && at <= 1 + ROUNDING;
}

/* Rounds up to 1, 2 or 5 times a power of ten. */
static double axis_step(double least)
{
    const double power = pow(10, floor(log10(least))), times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static size_t axis_even_ticks(const struct plot_axis *a, double ticks[TICKS_MAX])
{
    const double step = axis_step((a->most - a->least) / 7);
    size_t n = 0;
    for (double i = ceil(a->least / step - ROUNDING) + 0.0; /* 0, not -0 */
         n < TICKS_MAX && axis_holds(a, i * step); i++)
        ticks[n++] = i * step;
    return n;
}

/* Powers of ten, or every nth one; also 2 and 5 times these if there are few. */
size_t axis_ticks(const struct plot_axis *a, double ticks[TICKS_MAX])
{
    static const double parts[] = { 1, 2, 5 };
    const double decades = a->log ? log10(a->most) - log10(a->least) : 0;
    if (decades < 1)
        return axis_even_ticks(a, ticks);
    const double each = ceil(decades / 6);
    size_t n = 0;
    for (double e = floor(log10(a->least) / each) * each; pow(10, e) <= a->most; e += each)
        for (unsigned i = 0; i < (decades < 3 ? 3 : 1); i++) {
            const double tick = parts[i] * pow(10, e);
            if (axis_holds(a, tick) && n < TICKS_MAX)
                ticks[n++] = tick;
        }
    return n;
}

void plot_fit(struct plot *plot)
{
    struct plot_axis *y = &plot->y;
    if (plot->names || y->least != 0 || y->most != 0)
        return;
    double least = INFINITY, most = -INFINITY;
    for (size_t s = 0; s < plot->series_n; s++)
        for (size_t i = 0; i < plot->series[s].n; i++) {
            const double value = plot->series[s].points[i].y;
            if (isfinite(value) && (value > LOG_LEAST || !y->log)) {
                least = fmin(least, value);
                most = fmax(most, value);
            }
        }
    if (!(least < most)) { /* one value, or none */
        most = isfinite(most) ? most : 1;
        least = most * 0.5;
    }
    const double margin =
        y->log ? exp((log(most) - log(least)) * 0.05) : (most - least) * 0.05;
    y->least = y->log ? least / margin : least - margin;
    y->most = y->log ? most * margin : most + margin;
}

bool plot_place(const struct plot *plot, struct plot_point value, struct plot_point *at)
{
    at->x = fmin(fmax(axis_at(&plot->x, value.x), 0), 1);
    at->y = fmin(fmax(axis_at(&plot->y, value.y), 0), 1);
    return axis_holds(&plot->x, value.x) && axis_holds(&plot->y, value.y);
}
