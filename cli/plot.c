/*
 * plot.c: curves and bars, drawn in the terminal or as a picture (SVG).
 *
 * An axis turns a value into a place from 0 to 1, by its logarithm if it is asked to,
 * and finds round values for its ticks.  The terminal is drawn in braille characters, of
 * which each has two by four dots; the picture is text in which every number is a length.
 */
#include "plot.h"

#include "print.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Axes ---- */

#define TICKS_MAX 12
#define LOG_LEAST 1e-250 /* no axis begins lower */
#define ROUNDING  1e-9   /* how far outside the ends still counts as an end */

/* 0 at the least value, 1 at the most; no number for what a log axis cannot show. */
static double axis_at(const struct plot_axis *a, double value)
{
    if (a->log) /* differences: the quotient of two numbers may be none */
        return (log(value) - log(a->least)) / (log(a->most) - log(a->least));
    return (value - a->least) / (a->most - a->least);
}

static bool axis_holds(const struct plot_axis *a, double value)
{
    const double at = axis_at(a, value);
    return at >= -ROUNDING && at <= 1 + ROUNDING;
}

/* 1, 2 or 5 times a power of ten. */
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

/* Powers of ten, or every second one, and so on; with 2 and 5 between them if few. */
static size_t axis_ticks(const struct plot_axis *a, double ticks[TICKS_MAX])
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

/* From the least point to the most, and a little air. */
static void plot_fit(struct plot *plot)
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
    const double air =
        y->log ? exp((log(most) - log(least)) * 0.05) : (most - least) * 0.05;
    y->least = y->log ? least / air : least - air;
    y->most = y->log ? most * air : most + air;
}

static bool plot_place(const struct plot *plot, struct plot_point value,
                       struct plot_point *at)
{
    at->x = fmin(fmax(axis_at(&plot->x, value.x), 0), 1);
    at->y = fmin(fmax(axis_at(&plot->y, value.y), 0), 1);
    return axis_holds(&plot->x, value.x) && axis_holds(&plot->y, value.y);
}

/* ---- The terminal ---- */

#define COLUMNS 60
#define ROWS    14
#define MARGIN  10 /* columns before the axis */

struct canvas {
    unsigned char braille[ROWS][COLUMNS];
    bool dot[ROWS][COLUMNS];
};

/* Braille dots from the left and from the top. */
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

/* Without the blanks at its end. */
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

/* The axis below, its ticks, and under them their text where there is room for it. */
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

/* ---- The picture ---- */

#define PANEL_WIDTH  480.0
#define PANEL_HEIGHT 436.0
#define TOP          56.0  /* above the axes */
#define BOTTOM       116.0 /* below them: ticks, label, legend */
#define RIGHT        24.0
#define LEFT         72.0
#define BARS_LEFT    112.0 /* the names of bars need more room, and so do the figures */
#define BARS_RIGHT   72.0  /* at their ends */
#define LEGEND_LINE  18.0

static const char *const svg_colours[] = { "#1f5fa8", "#d9731a" };
static const char svg_mark_colour[] = "#a3285a";

/* Where the axes of one plot lie. */
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

/* `how`: further attributes. */
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
