/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plot_terminal.c: draw curves on the terminal.
 *
 * Curves are drawn in braille characters, which have two by four dots each.
 */
#include "axis.h"
#include "print.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define COLUMNS 60
#define ROWS    14
#define MARGIN  10 /* columns before the axis */

struct canvas {
    unsigned char braille[ROWS][COLUMNS];
    bool dot[ROWS][COLUMNS];
};

/* Positions in braille dots, from the left and from the top. */
static int canvas_x(double x)
{
    return (int)(x * (2 * COLUMNS - 1) + 0.5);
}

static int canvas_y(double y)
{
    return (int)((1 - y) * (4 * ROWS - 1) + 0.5);
}

static void canvas_point(struct canvas *c, double x, double y)
{
    static const unsigned char bits[4][2] = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } };
    const int column = canvas_x(x), row = canvas_y(y);
    c->braille[row / 4][column / 2] |= bits[row % 4][column % 2];
}

static void canvas_line(struct canvas *c, struct plot_point from, struct plot_point to)
{
    const double dx = to.x - from.x, dy = to.y - from.y;
    const double steps = ceil(fmax(fabs(dx) * 2 * COLUMNS, fabs(dy) * 4 * ROWS)) + 1;
    for (double i = 0; i <= steps; i++)
        canvas_point(c, from.x + dx * i / steps, from.y + dy * i / steps);
}

static void canvas_series(struct canvas *c, const struct plot *plot,
                          const struct plot_series *series)
{
    struct plot_point last = { 0 }, at;
    bool joined = false;
    for (size_t i = 0; i < series->n; i++, last = at) {
        const bool inside = plot_place(plot, series->points[i], &at);
        if (inside && series->dots)
            c->dot[canvas_y(at.y) / 4][canvas_x(at.x) / 2] = true;
        else if (inside)
            canvas_line(c, joined ? last : at, at);
        joined = inside;
    }
}

/* Prints a row without trailing blanks. */
static void canvas_row(const struct canvas *c, int row, int mark)
{
    int n = COLUMNS;
    while (n > 0 && !c->braille[row][n - 1] && !c->dot[row][n - 1] && mark != n - 1)
        n--;
    for (int i = 0; i < n; i++) {
        const unsigned bits = c->braille[row][i];
        if (c->dot[row][i])
            out("●");
        else if (bits) /* U+2800 and the dots, in UTF-8 */
            out("\xe2%c%c", (int)(0xa0 | bits >> 6), (int)(0x80 | (bits & 63)));
        else
            out("%s", i == mark ? "┊" : " ");
    }
}

static void canvas_print(const struct canvas *c, const struct plot *plot)
{
    double ticks[TICKS_MAX];
    const size_t n = axis_ticks(&plot->y, ticks);
    const int mark =
        plot->mark_label ? canvas_x(axis_at(&plot->x, plot->mark)) / 2 : COLUMNS;
    for (int row = 0; row < ROWS; row++) {
        const char *label = NULL;
        for (size_t i = 0; i < n; i++)
            if (canvas_y(axis_at(&plot->y, ticks[i])) / 4 == row)
                label = plot->y.text(ticks[i]);
        out_column(MARGIN - 1, label ? label : "");
        out(label ? " ┤" : " │");
        canvas_row(c, row, mark);
        out("\n");
    }
}

/* Draws the x axis with its ticks, and their text where there is room. */
static void plot_terminal_x(const struct plot_axis *x)
{
    double ticks[TICKS_MAX];
    const size_t n = axis_ticks(x, ticks);
    bool tick[COLUMNS] = { false };
    char line[MARGIN + COLUMNS + 32];
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        const char *text = x->text(ticks[i]);
        const int column = canvas_x(axis_at(x, ticks[i])) / 2;
        const size_t text_len = strlen(text), half = text_len / 2;
        const size_t from = (size_t)(MARGIN + 1 + column) - (half < MARGIN ? half : MARGIN);
        tick[column] = true;
        if (from + text_len > sizeof line || (len > 0 && from < len + 2))
            continue;
        memset(line + len, ' ', from - len);
        memcpy(line + from, text, text_len);
        len = from + text_len;
    }
    out("%*s└", MARGIN, "");
    for (int i = 0; i < COLUMNS; i++)
        out("%s", tick[i] ? "┬" : "─");
    out("\n%.*s\n%*s%s\n", (int)len, line, MARGIN + 1, "", x->label);
}

void plot_terminal(const struct plot *given)
{
    assert(!given->names);
    struct plot plot = *given;
    struct canvas canvas = { 0 };
    plot_fit(&plot);
    for (size_t i = 0; i < plot.series_n; i++)
        canvas_series(&canvas, &plot, &plot.series[i]);
    out("%s\n\n%*s%s\n", plot.title, MARGIN + 1, "", plot.y.label);
    canvas_print(&canvas, &plot);
    plot_terminal_x(&plot.x);
    for (size_t i = 0; i < plot.series_n; i++)
        out("%*s%s  %s\n", MARGIN + 1, "", plot.series[i].dots ? "●" : "⠒",
            plot.series[i].label);
    if (plot.mark_label)
        out("%*s┊  %s\n", MARGIN + 1, "", plot.mark_label);
}
