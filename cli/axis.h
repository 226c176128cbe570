/* SPDX-License-Identifier: BSD-2-Clause */
/* axis.h: positions in a plot, for both ways of drawing. */
#ifndef CLI_AXIS_H
#define CLI_AXIS_H

#include "plot.h"

/* Returns 0 at the least value, 1 at the most, and NaN for what a log axis cannot show. */
double axis_at(const struct plot_axis *axis, double value);
bool   axis_holds(const struct plot_axis *axis, double value);

/* Writes round values in ascending order and returns how many there are. */
#define TICKS_MAX 12
size_t axis_ticks(const struct plot_axis *axis, double ticks[TICKS_MAX]);

/* If the y axis has no limits, sets them from the points, with a small margin. */
void   plot_fit(struct plot *plot);

/* Finds the position of a point, 0 to 1 on both axes.  Returns false if it is outside. */
bool   plot_place(const struct plot *plot, struct plot_point value, struct plot_point *at);

#endif
