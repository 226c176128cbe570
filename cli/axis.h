/* SPDX-License-Identifier: BSD-2-Clause */
/* axis.h: where the points of a plot lie: what its two ways of drawing share. */
#ifndef CLI_AXIS_H
#define CLI_AXIS_H

#include "plot.h"

/* 0 at the least value, 1 at the most; no number for what a log axis cannot show. */
double axis_at(const struct plot_axis *axis, double value);
bool   axis_holds(const struct plot_axis *axis, double value);

/* Round values, from the least on; how many there are. */
#define TICKS_MAX 12
size_t axis_ticks(const struct plot_axis *axis, double ticks[TICKS_MAX]);

/* Unless the y axis has its ends: from the least point to the most, and a little air. */
void   plot_fit(struct plot *plot);

/* Where a point lies, from 0 to 1 in both directions; false: outside the axes. */
bool   plot_place(const struct plot *plot, struct plot_point value, struct plot_point *at);

#endif
