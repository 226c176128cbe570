/* SPDX-License-Identifier: BSD-2-Clause */
/* plot.h: curves and bars, drawn in the terminal or as a picture (SVG). */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "buffer.h"

#include <stdbool.h>

struct plot_axis {
    const char   *label;
    bool          log;
    double        least, most;              /* of y, both 0: as the points are */
    const char *(*text)(double value);      /* what stands at a tick */
};

struct plot_point {
    double x, y;
};

struct plot_series {
    const char              *label;         /* for the legend */
    bool                     dots;          /* not joined to a line */
    const struct plot_point *points;        /* what lies outside the axes is left out */
    size_t                   n;
};

struct plot {
    const char        *title;
    struct plot_axis   x, y;
    struct plot_series series[2];
    size_t             series_n;
    double             mark;                /* a line across the plot, at this x */
    const char        *mark_label;          /* NULL: there is none */
    const char *const *names;               /* not NULL: bars, from the top: names[i] has
                                               the length points[i].x, and y is not used */
};

/* On standard output, 72 columns wide.  Bars are for pictures alone. */
void plot_terminal(const struct plot *plot);

/* One picture, the plots side by side. */
void plot_svg(struct buffer *svg, const struct plot *plots, size_t n);

#endif
