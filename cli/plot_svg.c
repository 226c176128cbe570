/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plot_svg.c: draw curves and bars as SVG.
 */
#include "axis.h"
#include "print.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PANEL_WIDTH  480.0
#define PANEL_HEIGHT 436.0
#define TOP          56.0  /* above the axes */
#define BOTTOM       116.0 /* below them: ticks, label, legend */
#define RIGHT        24.0
#define LEFT         72.0
#define BARS_LEFT    112.0 /* bars need more room for their names, */
#define BARS_RIGHT   72.0  /* and for the figures at their ends */
#define LEGEND_LINE  18.0

static const char *const svg_colours[] = { "#1f5fa8", "#d9731a" };
static const char svg_mark_colour[] = "#a3285a";

/* The area of one plot inside its axes. */
struct area {
    double left, top, width, height;
};

static void svg_add(struct buffer *svg, const char *format, ...) PRINTF_LIKE(2, 3);

static void svg_add(struct buffer *svg, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    buffer_put(svg, text, strlen(text));
}

static void svg_words(struct buffer *svg, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': svg_add(svg, "&amp;"); break;
        case '<': svg_add(svg, "&lt;"); break;
        case '>': svg_add(svg, "&gt;"); break;
        default: buffer_put(svg, text, 1);
        }
}

/* `how`: more attributes. */
static void svg_text(struct buffer *svg, double x, double y, const char *how,
                     const char *text)
{
    svg_add(svg, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, how);
    svg_words(svg, text);
    svg_add(svg, "</text>\n");
}

static void svg_line(struct buffer *svg, double x, double y, double to_x, double to_y,
                     const char *how)
{
    svg_add(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x, y, to_x,
            to_y, how);
}

#define GRID   "stroke=\"#e4e6ea\""
#define FRAME  "stroke=\"#6b7280\""
#define MIDDLE " text-anchor=\"middle\""
#define END    " text-anchor=\"end\""

static void svg_axis_x(struct buffer *svg, const struct plot_axis *x, struct area in)
{
    double ticks[TICKS_MAX];
    const size_t n = axis_ticks(x, ticks);
    const double bottom = in.top + in.height;
    for (size_t i = 0; i < n; i++) {
        const double at = in.left + axis_at(x, ticks[i]) * in.width;
        svg_line(svg, at, in.top, at, bottom, GRID);
        svg_text(svg, at, bottom + 18, MIDDLE, x->text(ticks[i]));
    }
    svg_line(svg, in.left, bottom, in.left + in.width, bottom, FRAME);
    svg_text(svg, in.left + in.width / 2, bottom + 40, MIDDLE, x->label);
}

static void svg_axis_y(struct buffer *svg, const struct plot_axis *y, struct area in)
{
    double ticks[TICKS_MAX];
    const size_t n = axis_ticks(y, ticks);
    for (size_t i = 0; i < n; i++) {
        const double at = in.top + (1 - axis_at(y, ticks[i])) * in.height;
        svg_line(svg, in.left, at, in.left + in.width, at, GRID);
        svg_text(svg, in.left - 8, at + 4, END, y->text(ticks[i]));
    }
    svg_line(svg, in.left, in.top, in.left, in.top + in.height, FRAME);
    svg_text(svg, in.left - 8, in.top - 10, "", y->label);
}

static void svg_curve(struct buffer *svg, const struct plot *plot, size_t which,
                      struct area in)
{
    const struct plot_series *series = &plot->series[which];
    assert(which < sizeof svg_colours / sizeof *svg_colours);
    const char *colour = svg_colours[which];
    if (!series->dots)
        svg_add(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
                colour);
    for (size_t i = 0; i < series->n; i++) {
        struct plot_point at;
        if (!plot_place(plot, series->points[i], &at))
            continue;
        svg_add(svg, series->dots ? "<circle cx=\"%.1f\" cy=\"%.1f\" " : "%.1f,%.1f ",
                in.left + at.x * in.width, in.top + (1 - at.y) * in.height);
        if (series->dots)
            svg_add(svg, "r=\"3.5\" fill=\"%s\"/>\n", colour);
    }
    if (!series->dots)
        svg_add(svg, "\"/>\n");
}

static void svg_bars(struct buffer *svg, const struct plot *plot, size_t which,
                     struct area in)
{
    const struct plot_series *series = &plot->series[which];
    assert(which < sizeof svg_colours / sizeof *svg_colours);
    const double group = in.height / (double)series->n;
    const double thick = 0.74 * group / (double)plot->series_n;
    for (size_t i = 0; i < series->n; i++) {
        const double value = series->points[i].x;
        const double top = in.top + group * ((double)i + 0.13) + thick * (double)which;
        if (which == 0)
            svg_text(svg, in.left - 8, in.top + group * ((double)i + 0.5) + 4, END,
                     plot->names[i]);
        if (!axis_holds(&plot->x, value))
            continue;
        const double width = axis_at(&plot->x, value) * in.width;
        svg_add(
            svg,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            in.left, top, width, thick, svg_colours[which]);
        svg_text(svg, in.left + width + 5, top + thick / 2 + 4, " font-size=\"10\"",
                 plot->x.text(value));
    }
}

static void svg_legend_line(struct buffer *svg, double x, double y, const char *how,
                            const char *label)
{
    svg_line(svg, x, y - 4, x + 22, y - 4, how);
    svg_text(svg, x + 30, y, "", label);
}

static void svg_legend(struct buffer *svg, const struct plot *plot, struct area in)
{
    double y = in.top + in.height + 62;
    for (size_t i = 0; i < plot->series_n; i++, y += LEGEND_LINE) {
        const struct plot_series *series = &plot->series[i];
        const char *stroke = plot->names ? "stroke-width=\"10\""
                             : series->dots
                                 ? "stroke-width=\"7\" stroke-dasharray=\"0.1 11\" "
                                   "stroke-dashoffset=\"-5.5\" "
                                   "stroke-linecap=\"round\""
                                 : "stroke-width=\"2\"";
        char how[128];
        snprintf(how, sizeof how, "stroke=\"%s\" %s", svg_colours[i], stroke);
        svg_legend_line(svg, in.left, y, how, series->label);
    }
    if (plot->mark_label) {
        char how[128];
        snprintf(how, sizeof how, "stroke=\"%s\" stroke-dasharray=\"4 3\"",
                 svg_mark_colour);
        svg_legend_line(svg, in.left, y, how, plot->mark_label);
        const double at = in.left + axis_at(&plot->x, plot->mark) * in.width;
        svg_line(svg, at, in.top, at, in.top + in.height, how);
    }
}

static void svg_panel(struct buffer *svg, const struct plot *given, double left)
{
    struct plot plot = *given;
    plot_fit(&plot);
    const double before = plot.names ? BARS_LEFT : LEFT;
    const double after = plot.names ? BARS_RIGHT : RIGHT;
    const struct area in = { left + before, TOP, PANEL_WIDTH - before - after,
                             PANEL_HEIGHT - TOP - BOTTOM };
    svg_text(svg, left + PANEL_WIDTH / 2, 24,
             MIDDLE " font-size=\"15\" font-weight=\"bold\"", plot.title);
    svg_axis_x(svg, &plot.x, in);
    if (!plot.names)
        svg_axis_y(svg, &plot.y, in);
    for (size_t i = 0; i < plot.series_n; i++)
        (plot.names ? svg_bars : svg_curve)(svg, &plot, i, in);
    svg_legend(svg, &plot, in);
}

void plot_svg(struct buffer *svg, const struct plot *plots, size_t n)
{
    const double width = PANEL_WIDTH * (double)n;
    svg_add(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"#1f2937\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            width, PANEL_HEIGHT, width, PANEL_HEIGHT);
    for (size_t i = 0; i < n; i++)
        svg_panel(svg, &plots[i], PANEL_WIDTH * (double)i);
    svg_add(svg, "</svg>\n");
}
