/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rates.c: the false positive rate is as planned (G2), for every kind, from the first key.
 *
 *     rates [[KIND] BUDGET]      BUDGET is in millions of queries, 1000 by default
 *
 * For each kind, rate p and number of keys n, it plans filters for n and p, adds n keys and
 * looks up non-members.  The rates of single filters vary, so it builds many, each with its
 * own seed: so many that this variation hardly counts (filters_for()).  A combination fails
 * if it has more false positives than a binomial variable exceeds once in 10^9 runs at the
 * planned rate.  The sum over all n of a kind and p is also compared with the formula's
 * expectation in both directions, because the formula is exact and not only an upper bound.
 * (Not for kinds that grow: their stages are slightly larger than necessary.)  If a kind
 * cannot reach p, the plan must be rejected.  Seeds are fixed, so results are reproducible.
 *
 * Then it tests realistic families of keys with the same bounds.  With a budget below 50 it
 * leaves out filters of a million keys.
 */
#include "support.h"

#include <math.h>

static double budget;   /* total number of queries */
static petal_kind only; /* unless PETAL_DEFAULT */
static double queries, additions;
static unsigned cells_tested, refused;

/* An exact kind has no rate. */
static bool is_tested(petal_kind kind)
{
    return !is_exact(kind) && (!only || kind == only);
}

/* ---- The grid ---- */

static const double rates[] = { 0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6 };
static const uint64_t sizes[] = {
    1, 2, 3, 5, 10, 30, 100, 300, 1000, 10000, 100000, 1000000
};
#define RATES (sizeof rates / sizeof *rates)
#define SIZES (sizeof sizes / sizeof *sizes)
#define BRIEF 50e6 /* a budget below this is for a run that takes seconds */

/* A kind that can grow does so by itself, or only if the options ask for it. */
static bool grows_unasked(petal_kind kind)
{
    const petal_options o = { .kind = kind, .capacity = 1000 };
    petal_shape shape;
    require(petal_plan(&o, &shape) == PETAL_OK);
    return shape.growth > 0;
}

static petal_options cell_options(petal_kind kind, double p, uint64_t n, bool grows)
{
    petal_options o = { .kind = kind, .capacity = n, .fpr = p };
    if (grows && !grows_unasked(kind))
        o.growth = 4;
    if (grows && n > 100)
        o.capacity = n / 20; /* planned for few keys, filled with many */
    return o;
}

/* A filter of this shape, with its own seed if the kind takes one. */
static petal_filter *filter_seeded(petal_shape shape, bool seeds, uint64_t seed)
{
    petal_filter *f;
    shape.seed[0] = seeds ? seed : 0;
    require(petal_new_shaped(&shape, &f) == PETAL_OK);
    return f;
}

static bool takes_seeds(petal_kind kind)
{
    return takes_option(kind, "seed=1");
}

struct tally {
    double queries, found, expected;
};

/* One filter: adds n keys, then looks up at least `lookups` non-members. */
static void lookup_one(const petal_shape *shape, bool seeds, uint64_t n, uint64_t seed,
                       double lookups, struct tally *t)
{
    random_state keys = { seed };
    petal_filter *f = filter_seeded(*shape, seeds, seed);
    lookups = ceil(lookups);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = random_next(&keys);
        require(petal_add(f, &key, sizeof key) >= 0);
    }
    filter_built(f);
    uint64_t found = 0;
    for (double i = 0; i < lookups; i++) {
        const uint64_t key = random_next(&keys);
        found += petal_contains(f, &key, sizeof key);
    }
    t->queries += lookups;
    t->found += (double)found;
    queries += lookups;
    additions += (double)n;
    petal_free(f);
}

/* How many filters for so many lookups?  Each of the n keys of a filter adds about
 * p ln(1/p) / n to its rate, so the rates of filters have a variance of (p ln p)^2 / n; in
 * blocks, where keys differ in how much they add, of up to twice that.  With l lookups in
 * each, the share of this in the variance of what is found is l 2 p ln(p)^2 / n.  A tenth
 * is little enough. */
static double filters_for(double p, uint64_t n, double lookups)
{
    const double few = n >= 1000000 ? 1 : n >= 100000 ? 4 : n >= 10000 ? 16 : 128;
    const double many = ceil(lookups * 20 * p * log(p) * log(p) / (double)n);
    return fmin(fmax(few, many), ceil(lookups));
}

static bool cell_fails(petal_kind kind, double p, uint64_t n, const struct tally *t)
{
    const double limit = binomial_limit(t->queries, p);
    cells_tested++;
    if (t->found < limit)
        return false;
    fprintf(stderr, "%s, n = %llu, p = %g: %.0f of %.0f found; the limit is %.0f\n",
            petal_kind_name(kind), (unsigned long long)n, p, t->found, t->queries, limit);
    return true;
}

/* A kind that forgets has the same rate long after it became full. */
static bool cell_fails_later(const petal_shape *shape, double p, uint64_t n, uint64_t seed,
                             double lookups)
{
    const uint64_t filters = (uint64_t)filters_for(p, n, lookups);
    const bool seeds = takes_seeds(shape->kind);
    struct tally t = { 0 };
    for (uint64_t j = 0; j < filters; j++)
        lookup_one(shape, seeds, n + n * (4 + j % 8) / 4, seed + j,
                   lookups / (double)filters, &t);
    return cell_fails(shape->kind, p, n, &t);
}

/* One kind and rate, for all sizes, with `lookups` queries each. */
static bool column_fails(petal_kind kind, double p, double lookups, bool grows)
{
    struct tally column = { 0 };
    const bool seeds = takes_seeds(kind);
    bool fails = false;
    for (size_t i = 0; i < SIZES; i++) {
        const uint64_t n = sizes[i];
        const petal_options o = cell_options(kind, p, n, grows);
        petal_shape shape;
        if (n >= 1000000 && budget < BRIEF)
            continue;
        const int rc = petal_plan(&o, &shape);
        if (rc < 0) {
            require(rc == PETAL_E_FLOOR && p < 1e-3); /* the only possible reason */
            refused++;
            continue;
        }
        const double filters = filters_for(p, n, lookups);
        struct tally t = { 0 };
        for (double j = 0; j < filters; j++)
            lookup_one(&shape, seeds, n,
                       ((uint64_t)kind * 1000 + i) * 1000003 + (uint64_t)j,
                       lookups / filters, &t);
        t.expected = t.queries * petal_fpr(&shape, (double)n);
        /* other programs have their own formulas for a chain of filters that grows */
        const double own = needs_keys(kind) && grows ? petal_fpr(&shape, (double)n) : 0;
        fails |= cell_fails(kind, own > p ? own : p, n, &t);
        if (can_forget(kind))
            fails |= cell_fails_later(&shape, p, n, ((uint64_t)kind * 1000 + i) * 2000003,
                                      lookups);
        column.queries += t.queries;
        column.found += t.found;
        column.expected += t.expected;
    }
    if (column.queries == 0)
        return fails;
    /* 6 standard deviations, plus the remaining variation between filters */
    const double spread = 6 * sqrt(column.expected) + 0.02 * column.expected + 3;
    printf("%-12s p = %-8g expected %11.1f, found %9.0f, ratio %.3f%s\n",
           petal_kind_name(kind), p, column.expected, column.found,
           column.found / column.expected, grows ? ", growing" : "");
    if (grows || fabs(column.found - column.expected) <= spread ||
        (needs_keys(kind) &&
         column.found < column.expected)) /* a bound, for their hashes */
        return fails;
    fprintf(stderr, "%s, p = %g: the formula is wrong\n", petal_kind_name(kind), p);
    return true;
}

/* Filters of a fixed size, and those that grow, as far as the kind has them. */
static bool is_tested_growing(petal_kind kind, bool grows)
{
    return is_tested(kind) && (grows ? can_grow(kind) : !grows_unasked(kind));
}

static bool grid_fails(void)
{
    bool fails = false;
    double columns = 0;
    for_every_kind(kind) {
        for (int grows = 0; grows < 2; grows++)
            columns += is_tested_growing(kind, grows) ? RATES : 0;
    }
    for_every_kind(kind) {
        for (int grows = 0; grows < 2; grows++)
            for (size_t i = 0; i < RATES && is_tested_growing(kind, grows); i++)
                fails |=
                    column_fails(kind, rates[i], budget * 0.8 / columns / SIZES, grows);
    }
    return fails;
}

/* ---- Families of keys ---- */

typedef size_t family(uint64_t i, char key[1100]);

static size_t integers(uint64_t i, char key[1100])
{
    memcpy(key, &i, sizeof i);
    return sizeof i;
}

static size_t decimals(uint64_t i, char key[1100])
{
    return (size_t)snprintf(key, 1100, "%llu", (unsigned long long)i);
}

static size_t urls(uint64_t i, char key[1100])
{
    return (size_t)snprintf(key, 1100,
                            "https://www.example.com/shop/item?id=%llu&page=%llu",
                            (unsigned long long)(i / 7), (unsigned long long)(i % 7));
}

static size_t uuids(uint64_t i, char key[1100])
{
    random_state r = { i };
    const uint64_t a = random_next(&r), b = random_next(&r);
    return (size_t)snprintf(key, 1100, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)a,
                            (unsigned)(a >> 32 & 0xFFFF), (unsigned)(a >> 48 & 0xFFF),
                            (unsigned)(b >> 48 & 0xFFFF),
                            (unsigned long long)(b & 0xFFFFFFFFFFFF));
}

static size_t common_prefixes(uint64_t i, char key[1100])
{
    memset(key, 'x', 200);
    memcpy(key + 200, &i, sizeof i);
    return 208;
}

static size_t all_lengths(uint64_t i, char key[1100])
{
    const size_t len = 3 + i % 1022;
    memset(key, 0, len);
    for (size_t at = 0; at < 3; at++) /* distinguishes keys of the same length */
        key[at] = (char)(i / 1022 >> 8 * at);
    return len;
}

static bool family_fails(const char *name, family *make, petal_kind kind, double p)
{
    enum { KEYS = 20000, FILTERS = 8 };
    const unsigned lookups = budget < BRIEF ? 50000 : 200000;
    char key[1100];
    const petal_options o = { .kind = kind, .capacity = KEYS, .fpr = p };
    petal_shape shape;
    struct tally t = { 0 };
    require(petal_plan(&o, &shape) == PETAL_OK);
    for (uint64_t seed = 0; seed < FILTERS; seed++) {
        petal_filter *f = filter_seeded(shape, takes_seeds(kind), seed);
        const uint64_t first = seed * (KEYS + lookups);
        for (uint64_t i = first; i < first + KEYS; i++)
            require(petal_add(f, key, make(i, key)) >= 0);
        filter_built(f);
        for (uint64_t i = first; i < first + KEYS; i += 17)
            require(petal_contains(f, key, make(i, key)));
        for (uint64_t i = first + KEYS; i < first + KEYS + lookups; i++)
            t.found += petal_contains(f, key, make(i, key));
        t.queries += lookups;
        petal_free(f);
    }
    queries += t.queries;
    additions += KEYS * FILTERS;
    /* 1.03: the rate of a filter of 20,000 keys varies */
    const bool fails = cell_fails(kind, p * 1.03, KEYS, &t);
    if (fails)
        fprintf(stderr, "  with keys that are %s\n", name);
    return fails;
}

static bool families_fail(void)
{
    static const struct {
        const char *name;
        family *make;
    } families[] = { { "integers", integers },
                     { "decimals", decimals },
                     { "URLs", urls },
                     { "UUIDs", uuids },
                     { "equal in their first 200 bytes", common_prefixes },
                     { "of all lengths", all_lengths } };
    bool fails = false;
    for_every_kind(kind) {
        /* the hashes of other programs are what they are */
        for (size_t i = 0; i < 6 && is_tested(kind) && !needs_keys(kind); i++) {
            fails |= family_fails(families[i].name, families[i].make, kind, 0.01);
            fails |= family_fails(families[i].name, families[i].make, kind, 0.1);
        }
    }
    return fails;
}

int main(int argc, char **argv)
{
    budget = (argc > 1 ? strtod(argv[argc - 1], NULL) : 1000) * 1e6;
    if (argc > 2)
        require((only = petal_kind_named(argv[1])) != PETAL_DEFAULT);
    const bool fails = (int)grid_fails() + families_fail() > 0;
    printf("%u bounds tested, %u plans rejected, %.3g additions, %.3g queries\n",
           cells_tested, refused, additions, queries);
    return fails;
}
