/* SPDX-License-Identifier: BSD-2-Clause */
/* plot.h: draw curves and bars on the terminal or as SVG. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "buffer.h"

#include <stdbool.h>

struct plot_axis {
    const char   *label;
    bool          log;
    double        least, most;              /* if both are 0 for y: from the points */
    const char *(*text)(double value);      /* the text at a tick */
};

struct plot_point {
    double x, y;
};

struct plot_series {
    const char              *label;         /* for the legend */
    bool                     dots;          /* not connected by a line */
    const struct plot_point *points;        /* those outside the axes are left out */
    size_t                   n;
};

struct plot {
    const char        *title;
    struct plot_axis   x, y;
    struct plot_series series[2];
    size_t             series_n;
    double             mark;                /* a vertical line at this x */
    const char        *mark_label;          /* NULL: no such line */
    const char *const *names;               /* not NULL: bars, from the top; bar names[i]
                                               has length points[i].x, and y is unused */
};

/* Draws on standard output, 72 columns wide.  Cannot draw bars. */
void plot_terminal(const struct plot *plot);

/* Draws the plots side by side in one SVG image. */
void plot_svg(struct buffer *svg, const struct plot *plots, size_t n);

#endif
