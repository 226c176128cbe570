/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_report.c: print the results of petal compare as a table, JSON or SVG chart.
 */
#include "args.h"
#include "compare.h"
#include "filters.h"
#include "json.h"
#include "plot.h"
#include "print.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

static double compare_per_key(const struct comparison *c, const struct subject *s)
{
    return (double)s->bytes / (double)key_list_n(&c->keys);
}

static double compare_key_len(const struct comparison *c)
{
    double sum = 0;
    for (size_t i = 0; i < key_list_n(&c->keys); i++)
        sum += (double)key_list_keys(&c->keys)[i].len;
    return sum / (double)key_list_n(&c->keys);
}

/* How far the range reaches from the median, rounded up so that it covers the rounds. */
static const char *compare_spread(const struct timing *t)
{
    const double most = fmax(t->high - t->median, t->median - t->low);
    const double percent = t->median > 0 ? ceil(100 * most / t->median) : 0;
    return percent < 100 ? text_format("±%.0f%%", percent) : ">99%";
}

static void compare_time(const struct timing *t)
{
    out_column(9, text_seconds(t->median));
    out_column(6, compare_spread(t));
}

static void compare_row(const struct comparison *c, const struct subject *s)
{
    out_column(-15, s->name);
    if (s->why_not) {
        out("%s\n", s->why_not);
        return;
    }
    out_column(-9, s->cost);
    out_column(8, text_bytes((double)s->bytes));
    out_column(9, text_format("%.3g B", compare_per_key(c, s)));
    compare_time(&s->build);
    compare_time(&s->member);
    compare_time(&s->nonmember);
    out_column(8, subject_is_exact(s) ? "exact" : text_rate(s->rate));
    out("\n");
}

void compare_table(const struct comparison *c)
{
    out("%s, average length %.3g B; filters have a rate of %s:\n\n",
        text_many(key_list_n(&c->keys), "key"), compare_key_len(c),
        text_rate(wanted.fpr > 0 ? wanted.fpr : 0.01));
    out("structure      lookup      size  per key          build         member     "
        "non-member    rate\n");
    for (size_t i = 0; i < c->subjects_n; i++)
        compare_row(c, &c->subjects[i]);
    out("\nTimes are per key: the median of %zu rounds, ± how far the middle half of them"
        " is from it.\n"
        "Where two ranges overlap, either structure may be the faster one.  The rate was "
        "measured\n"
        "with %s non-members.\n",
        c->rounds, text_count(key_list_n(&c->nonmembers)));
}

static void compare_json_time(const struct comparison *c, const char *name,
                              const struct timing *t)
{
    json_open(name, '{');
    json_real("median", t->median);
    json_real("low", t->low);
    json_real("high", t->high);
    json_open("rounds", '[');
    for (size_t i = 0; i < c->rounds; i++)
        json_real(NULL, t->rounds[i]);
    json_close();
    json_close();
}

static void compare_json_subject(const struct comparison *c, const struct subject *s)
{
    json_open(NULL, '{');
    json_text("structure", s->name);
    json_text("lookup", s->cost);
    json_flag("exact", subject_is_exact(s));
    if (s->why_not) {
        json_text("error", s->why_not);
    } else {
        json_count("bytes", s->bytes);
        json_real("bytes_per_key", compare_per_key(c, s));
        compare_json_time(c, "build_seconds", &s->build);
        compare_json_time(c, "member_seconds", &s->member);
        compare_json_time(c, "nonmember_seconds", &s->nonmember);
        json_real("fpr_measured", s->rate);
    }
    json_close();
}

void compare_json(const struct comparison *c)
{
    json_open(NULL, '{');
    json_count("keys", key_list_n(&c->keys));
    json_count("duplicates", c->duplicates);
    json_real("bytes_of_a_key", compare_key_len(c));
    json_count("nonmembers", key_list_n(&c->nonmembers));
    json_count("rounds", c->rounds);
    json_open("structures", '[');
    for (size_t i = 0; i < c->subjects_n; i++)
        compare_json_subject(c, &c->subjects[i]);
    json_close();
    json_close();
}

static const char *compare_bytes_text(double bytes)
{
    return text_format("%.3g", bytes);
}

/* Starts the log axis at a power of ten below the shortest bar. */
static void compare_fit(struct plot *plot)
{
    double least = INFINITY, most = 0;
    for (size_t s = 0; s < plot->series_n; s++)
        for (size_t i = 0; i < plot->series[s].n; i++) {
            least = fmin(least, plot->series[s].points[i].x);
            most = fmax(most, plot->series[s].points[i].x);
        }
    plot->x.least = pow(10, floor(log10(least * 0.8)));
    plot->x.most = fmax(most, 10 * plot->x.least);
}

void compare_draw(const struct comparison *c, const char *file)
{
    const char *names[COMPARE_SUBJECTS];
    struct plot_point bytes[COMPARE_SUBJECTS], members[COMPARE_SUBJECTS],
        nonmembers[COMPARE_SUBJECTS];
    size_t n = 0;
    for (size_t i = 0; i < c->subjects_n; i++) {
        const struct subject *s = &c->subjects[i];
        if (s->why_not)
            continue;
        names[n] = s->name;
        bytes[n].x = compare_per_key(c, s);
        members[n].x = s->member.median;
        nonmembers[n++].x = s->nonmember.median;
    }
    struct plot plots[2] = {
        { .title = "Bytes per key",
          .x = { "bytes, log scale", true, 0, 0, compare_bytes_text },
          .series = { { "nodes, pointers and keys, or the whole filter", false, bytes,
                        n } },
          .series_n = 1,
          .names = names },
        { .title = "Lookup time",
          .x = { "time, log scale", true, 0, 0, text_seconds },
          .series = { { "member", false, members, n },
                      { "non-member", false, nonmembers, n } },
          .series_n = 2,
          .names = names },
    };
    struct buffer svg = { 0 };
    compare_fit(&plots[0]);
    compare_fit(&plots[1]);
    plot_svg(&svg, plots, 2);
    output_text(file, svg.bytes, svg.len);
    free(svg.bytes);
}
