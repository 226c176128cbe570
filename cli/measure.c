/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.c: petal measure: measure the false positive rate.
 *
 * Looks up random keys, none of which was added, and counts the maybes.  The interval is
 * Wilson's, which is valid for few maybes as well as for many: it contains the true rate 95
 * times out of 100.  For filters of URLs and addresses, a query is a match with the largest
 * number of lookups, the worst case.
 *
 *   Wilson: "Probable inference, the law of succession, and statistical inference", 1927.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define QUERIES_MIN 1e5
#define QUERIES_MAX 2e7
#define MAYBES      1600 /* enough to know the rate to 5% */

static uint64_t measure_queries, measure_seed = 1;

static const struct arg measure_args[] = {
    { 'n', "queries", "N", ARG_ORDINAL, &measure_queries,
      "number of random keys (default: enough for an error of 5%)", NULL },
    { 0, "seed", "N", ARG_COUNT, &measure_seed, "seed of the random keys (default: 1)",
      NULL },
    ARGS_JSON,
    ARGS_END,
};

static uint64_t measure_random(uint64_t i)
{
    uint64_t x = (i + measure_seed * 0x2545F4914F6CDD1D) * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

#define KEY_WAYS 3 /* to write a random key; most forms take the first */

static int measure_key(char key[48], int way, uint64_t i)
{
    if (way == 0)
        return snprintf(key, 48, "%016" PRIx64 "%016" PRIx64, measure_random(2 * i),
                        measure_random(2 * i + 1));
    return snprintf(key, 48, "%" PRIu64, measure_random(i) >> (way == 1 ? 2 : 33));
}

/* Random keys, as text. */
static uint64_t measure_keys(const petal_filter *filter, uint64_t queries)
{
    uint64_t maybes = 0;
    char key[48];
    int way = 0;
    while (way + 1 < KEY_WAYS &&
           petal_normalize(filter, key, (size_t)measure_key(key, way, 1), NULL, 0) < 0)
        way++;
    for (uint64_t i = 0; i < queries; i++)
        maybes += petal_contains(filter, key, (size_t)measure_key(key, way, i));
    return maybes;
}

/* A match of a random key makes `lookups` lookups of keys that were not added, so of random
 * hashes. */
static uint64_t measure_matches(const petal_filter *filter, uint64_t queries,
                                uint32_t lookups)
{
    uint64_t maybes = 0;
    for (uint64_t i = 0; i < queries; i++) {
        bool maybe = false;
        for (uint32_t lookup = 0; lookup < lookups; lookup++)
            maybe |= petal_contains_hash(filter, measure_random(i * lookups + lookup));
        maybes += maybe;
    }
    return maybes;
}

struct interval {
    double low, high;
};

static struct interval measure_interval(double maybes, double queries)
{
    const double z = 1.959964, p = maybes / queries, z2 = z * z / queries;
    const double middle = (p + z2 / 2) / (1 + z2);
    const double half = sqrt(p * (1 - p) / queries * z * z + z2 * z2 / 4) / (1 + z2);
    return (struct interval){ maybes > 0 ? middle - half : 0, middle + half };
}

/* A static filter cannot be overfull: its rate is the planned one, and half of all
 * measurements lie above it.  So the rate must be higher by at least 5%. */
static bool measure_is_above(const petal_shape *shape, struct interval interval)
{
    const bool once = petal_abilities(shape->kind) & PETAL_IS_STATIC;
    return interval.low > (once ? 1.05 : 1) * shape->fpr;
}

static void measure_report(const char *path, const petal_shape *shape,
                           const petal_stats *stats, uint64_t maybes, uint64_t queries,
                           struct interval interval)
{
    const bool once = petal_abilities(shape->kind) & PETAL_IS_STATIC;
    const double rate = (double)maybes / (double)queries;
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_count("queries", queries);
        json_count("maybes", maybes);
        json_real("measured", rate);
        json_real("low", interval.low);
        json_real("high", interval.high);
        json_real("promised", shape->fpr);
        json_real("estimated", stats->fpr_estimate);
        json_close();
        return;
    }
    out("%s\n", path);
    out("  measured   %s  (95%%: %s to %s; %s out of %s)\n", text_rate(rate),
        text_rate(interval.low), text_rate(interval.high), text_many(maybes, "maybe"),
        text_many(queries, "random key"));
    out("  promised   %s  at %s\n", text_rate(shape->fpr),
        text_many(shape->capacity, "key"));
    out("  estimated  %s  from its current contents\n", text_rate(stats->fpr_estimate));
    if (measure_is_above(shape, interval))
        out("  above the promised rate: %s\n",
            once ? "this should not happen; try another --seed"
            : stats->match_lookups_now > shape->match_lookups
                ? "a match takes more lookups than planned; rebuild the filter"
                : "the filter has more keys than it was planned for");
}

static int measure_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    int status = STATUS_SOME;
    for (size_t i = 0; i < n; i++) {
        petal_filter *filter = filter_open(files[i], 0);
        const petal_shape *shape = petal_shape_of(filter);
        petal_stats stats;
        petal_stats_of(filter, &stats);
        if (petal_abilities(shape->kind) & PETAL_IS_EXACT)
            fail("%s: a %s is exact and has no false positives to measure", files[i],
                 petal_kind_name(shape->kind));
        const double enough =
            fmin(fmax(MAYBES / fmax(stats.fpr_estimate, 1e-9), QUERIES_MIN), QUERIES_MAX);
        const uint64_t queries = measure_queries ? measure_queries : (uint64_t)enough;
        const uint64_t maybes =
            shape->match_lookups ? measure_matches(filter, queries, stats.match_lookups_now)
                                 : measure_keys(filter, queries);
        const struct interval interval = measure_interval((double)maybes, (double)queries);
        measure_report(files[i], shape, &stats, maybes, queries, interval);
        if (measure_is_above(shape, interval))
            status = STATUS_NONE;
        petal_free(filter);
    }
    return status;
}

const struct command command_measure = {
    .name = "measure",
    .synopsis = "[options] FILTER...",
    .summary = "Measure the false positive rate of filters",
    .text =
        "Looks up random keys and counts the maybes.  Prints the measured rate with its\n"
        "95% confidence interval, the rate promised at capacity, and the rate estimated\n"
        "from the fill.  The exit status is 1 if the measured rate is above the promised\n"
        "one.\n\n"
        "  petal measure bad.petal\n"
        "  petal measure -n 1e8 --json bad.petal\n",
    .args = measure_args,
    .run = measure_run,
};
