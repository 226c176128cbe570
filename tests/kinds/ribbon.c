/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ribbon.c: properties of ribbons: every size, every width, any order, threads, duplicates,
 * chosen hashes, interruptions, and how small they are.
 *
 *     ribbon [MOST]      tests every number of keys up to MOST, 2000 by default; with 0
 * only the tests that use threads
 *
 * No test framework, so that it also runs under emulators.
 */
#include "kinds/ribbon/ribbon.h"
#include "support.h"

#include <math.h>

enum { KEYS = 1000000 };

static uint64_t keys[KEYS];

/* ---- Building, and invariants ---- */

/* The mean number of columns: 6.25 is 6 in three quarters of the blocks, and 7 in the rest.
 */
static double rate_of(double columns)
{
    return ldexp(1 - (columns - floor(columns)) / 2, -(int)columns);
}

static petal_filter *made(double rate, const uint64_t *hashes, size_t n, unsigned threads)
{
    petal_filter *f = filter_made((petal_options){
        .kind = PETAL_RIBBON, .capacity = n ? n : 1, .fpr = rate, .threads = threads });
    require(petal_add_hashes(f, hashes, n, NULL) == (int64_t)n);
    const int rc = petal_seal(f);
    if (rc < 0) {
        fprintf(stderr, "%zu keys, rate %g: %s\n", n, rate, petal_strerror(rc));
        exit(1);
    }
    return f;
}

/* Every member is found, one by one and in a batch, and the image is valid. */
static void check(petal_filter *f, const uint64_t *hashes, size_t n, uint64_t distinct)
{
    require(petal_contains_hashes(f, hashes, n, NULL) == n);
    for (size_t i = 0; i < n; i += 1 + n / 64)
        require(petal_contains_hash(f, hashes[i]));
    require(petal_size(f) == distinct);
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    petal_filter *view;
    require(petal_view(bytes, len, 0, &view) == PETAL_OK);
    require(petal_size(view) == distinct &&
            petal_contains_hashes(view, hashes, n, NULL) == n);
    petal_free(view);
}

static void same(petal_filter *a, petal_filter *b)
{
    size_t a_len, b_len;
    const void *a_bytes = petal_bytes(a, &a_len), *b_bytes = petal_bytes(b, &b_len);
    require(a_len == b_len && memcmp(a_bytes, b_bytes, a_len) == 0);
    petal_free(b);
}

/* ---- Sizes ---- */

static void one_size(size_t n)
{
    const double columns = 0.25 + (double)(n * 7 % 127) / 4;
    const uint64_t *some = keys + n * 31 % (KEYS - n);
    petal_filter *f = made(rate_of(columns), some, n, 1);
    check(f, some, n, n);
    require(n > 0 || !petal_contains_hash(f, keys[0]));
    petal_free(f);
}

static struct ribbon_size size_of(size_t n)
{
    return petal__ribbon_size(petal__ribbon_columns(0.01), n, 0);
}

/* Where one segment or layer becomes two, and sizes near that. */
static void every_edge(size_t most)
{
    unsigned edges = 0;
    for (size_t n = 2; n < most; n++) {
        const uint64_t before = size_of(n - 1).starts, after = size_of(n).starts;
        const bool edge = n == RIBBON_LAST + 1 ||
                          (before != after &&
                           (before % SEGMENT_STARTS == 0 ||
                            (before - 1) / SEGMENT_STARTS != (after - 1) / SEGMENT_STARTS));
        for (size_t i = n - 2; edge && i <= n + 2; i++)
            one_size(i);
        edges += edge;
    }
    require(edges > most / 70000);
    printf("%u edges\n", edges);
}

/* ---- Widths: 1 to 32 columns, and fractions ---- */

static void one_width(double columns)
{
    enum { N = 3000, GROUP = 300000 };
    const double rate = rate_of(columns);
    petal_filter *f = made(rate, keys, N, 1);
    check(f, keys, N, N);
    petal_stats s;
    petal_stats_of(f, &s);
    /* a share of about fifty blocks: one more or less changes the rate by 2% at most */
    require(s.fpr_estimate < rate * 1.03 && s.fpr_estimate > rate * 0.9);
    const size_t found = petal_contains_hashes(f, keys + N, GROUP, NULL);
    require((double)found < binomial_limit(GROUP, s.fpr_estimate));
    require((double)(GROUP - found) < binomial_limit(GROUP, 1 - s.fpr_estimate));
    petal_free(f);
}

/* Rates of single filters vary.  Their mean is at most the planned rate. */
static void the_mean_rate_is_kept(void)
{
    enum { SETS = 60 };
    static const size_t sizes[] = { 1080, 1219, 1500, 2300, 2600, 2900, 5000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (double columns = 7.25; columns < 8; columns += 0.25) {
            double sum = 0;
            for (size_t j = 0; j < SETS; j++) {
                petal_filter *f = made(rate_of(columns), keys + j * 6000, sizes[i], 1);
                petal_stats s;
                petal_stats_of(f, &s);
                sum += s.fpr_estimate;
                petal_free(f);
            }
            /* one filter deviates by 1%, the mean of so many by 0.14%: three times that */
            require(sum / SETS < rate_of(columns) * 1.0042);
        }
}

/* ---- Threads and order ---- */

static void order_and_threads_change_nothing(void)
{
    enum { N = 200000 }; /* four segments, so that threads have work */
    static uint64_t reversed[N];
    for (size_t i = 0; i < N; i++)
        reversed[i] = keys[N - 1 - i];
    petal_filter *f = made(0.003, keys, N, 1);
    check(f, keys, N, N);
    for (unsigned threads = 1; threads < 8; threads += 2)
        same(f, made(0.003, reversed, N, threads));
    petal_free(f);
}

/* ---- Duplicates ---- */

/* The first keys, each several times, consecutively or in rounds. */
static void repeated(size_t n, size_t times, bool rounds)
{
    static uint64_t again[2 * KEYS];
    for (size_t i = 0; i < n * times; i++)
        again[i] = keys[rounds ? i % n : i / times];
    petal_filter *f = made(0.01, again, n * times, 2);
    check(f, again, n * times, n);
    same(f, made(0.01, keys, n, 1));
    petal_free(f);
}

/* One duplicate of one key, somewhere. */
static void one_pair(size_t n, size_t at)
{
    const uint64_t kept = keys[n];
    keys[n] = keys[at];
    petal_filter *f = made(0.01, keys, n + 1, 1);
    check(f, keys, n + 1, n);
    same(f, made(0.01, keys, n, 1));
    petal_free(f);
    keys[n] = kept;
}

static void repeats_are_dropped(size_t most)
{
    repeated(1, most, true);
    repeated(1000, most / 500, true);
    repeated(1000, most / 500, false);
    repeated(most * 7 / 10, 2, true);
    repeated(most / 5, 2, false);
    repeated(3, 5, true);
    for (size_t n = 1; n < most / 5; n = n * 3 + 1)
        one_pair(n, n * 5 / 7);
}

/* ---- Interruptions ---- */

struct countdown {
    unsigned left; /* calls that return false */
};

static bool counted_down(void *context)
{
    struct countdown *countdown = context;
    return countdown->left == 0 || countdown->left-- == 0;
}

/* Every call may be the one that stops the work.  The filter has the same keys afterwards,
 * takes more, and becomes the same as one that was never interrupted. */
static void one_interrupted(size_t n, size_t distinct, unsigned threads)
{
    static uint64_t some[KEYS];
    for (size_t i = 0; i < n; i++)
        some[i] = keys[i % distinct];
    petal_filter *whole = made(0.01, some, n, 1);
    petal_filter *often = NULL; /* the same filter, interrupted again and again */
    int rc = PETAL_E_INTERRUPTED;
    for (unsigned i = 0; rc == PETAL_E_INTERRUPTED; i++) {
        petal_filter *f = filter_made((petal_options){
            .kind = PETAL_RIBBON, .capacity = n, .fpr = 0.01, .threads = threads });
        require(petal_add_hashes(f, some, n - n / 3, NULL) >= 0);
        rc = petal_seal_unless(f, counted_down, &(struct countdown){ i });
        require(rc == PETAL_OK || rc == PETAL_E_INTERRUPTED);
        /* the first of several threads may find no work, and then asks nothing */
        require(rc == PETAL_E_INTERRUPTED || i > 1 || threads > 1);
        require(petal_contains_hashes(f, some, n - n / 3, NULL) == n - n / 3);
        if (rc == PETAL_E_INTERRUPTED) {
            require(petal_add_hashes(f, some + n - n / 3, n / 3, NULL) >= 0);
            if (!often)
                require(petal_copy(f, &often) == PETAL_OK);
            require(petal_seal_unless(often, counted_down, &(struct countdown){ i }) <= 0);
            require(petal_seal(f) == PETAL_OK);
            same(whole, f);
        } else {
            petal_free(f);
        }
    }
    if (often) {
        require(petal_seal(often) == PETAL_OK);
        same(whole, often);
    }
    check(whole, some, n, distinct);
    petal_free(whole);
}

static void interruptions_lose_nothing(void)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        one_interrupted(140000, 140000, threads);
        one_interrupted(30000, 20000, threads); /* repeats are dropped */
        one_interrupted(300, 300, threads);
    }
}

/* ---- Chosen hashes ---- */

static void chosen(const char *what, const uint64_t *hashes, size_t n)
{
    petal_filter *f = made(0.01, hashes, n, 1);
    check(f, hashes, n, n);
    petal_stats s;
    petal_stats_of(f, &s);
    printf("%s: %u layers, %.3f bits per key\n", what, s.stages,
           petal_shape_of(f)->bits_per_key);
    petal_free(f);
}

static uint16_t tail_of(petal_filter *f, size_t at)
{
    size_t len;
    const uint8_t *bytes = petal_bytes(f, &len);
    return load_le16(bytes + 256 + petal__cells_len(petal_shape_of(f)) + at);
}

/* Two hashes that the first seed maps to the same value (K0 is divisible by 5, like 2^64 -
 * 1) are not duplicates.  Another attempt distinguishes them. */
static void hashes_that_are_mixed_into_one(void)
{
    enum { N = 1020, SETS = 600 };
    unsigned again = 0;
    for (unsigned i = 0; i < SETS; i++) {
        uint64_t *some = keys + i * N, kept[2] = { some[0], some[1] };
        some[0] = petal__ribbon_seed(0, 0, 0) ^ 0x6666666666666667;
        some[1] = petal__ribbon_seed(0, 0, 0) ^ 0x999999999999999A;
        petal_filter *f = made(1e-6, some, N, 1);
        check(f, some, N, N);
        again += tail_of(f, 6) > 0;
        petal_free(f);
        some[0] = kept[0];
        some[1] = kept[1];
    }
    require(again > 0);
    printf("%u of %u sets of %u keys needed another attempt\n", again, SETS, N);
}

/* If all fingerprints are zero, equations never contradict.  A layer too small for its keys
 * then bumps none of them, and there is no last layer, so another base must be used. */
static void fingerprints_of_zeros(uint64_t *hashes)
{
    const struct ribbon_layer first = { .seed = petal__ribbon_seed(0, 0, 0) };
    size_t n = 0;
    for (size_t i = 0; i < KEYS && n < 2000; i++)
        if (ribbon_fingerprint(ribbon_next(&first, keys[i]), 7) == 0)
            hashes[n++] = keys[i];
    petal_filter *f = made(0.01, hashes, n, 1);
    check(f, hashes, n, n);
    require(n == 2000 && tail_of(f, 4) == 1);
    petal_free(f);
}

static void chosen_hashes_do_no_harm(void)
{
    enum { N = 100000 };
    static uint64_t hashes[N];
    for (size_t i = 0; i < N; i++)
        hashes[i] = i;
    chosen("sequential", hashes, N);
    for (size_t i = 0; i < N; i++)
        hashes[i] = (uint64_t)i << 47;
    chosen("multiples of 2^47", hashes, N);
    for (size_t i = 0; i < N; i++)
        hashes[i] = i * 0xF1DE83E19937733D; /* the inverse of K0: consecutive products */
    chosen("undone", hashes, N);
    for (size_t i = 0; i < N; i++)
        hashes[i] = petal__ribbon_seed(0, 0, 0) ^ i;
    chosen("inverse of the seed", hashes, N);
    hashes_that_are_mixed_into_one();
    fingerprints_of_zeros(hashes);

    /* in the first layer all keys have the same start, so it can hold hardly any of them */
    const struct ribbon_layer first = { .seed = petal__ribbon_seed(0, 0, 0) };
    size_t n = 0;
    random_state random = { 5 };
    for (uint64_t i = 0; i < 1 << 23; i++) {
        const uint64_t hash = random_next(&random);
        if (ribbon_next(&first, hash) >> 52 == 0)
            hashes[n++] = hash;
    }
    chosen("the same start", hashes, n);
}

/* ---- Size ---- */

static void near_the_bound(size_t n, double most)
{
    for (uint32_t r = 8; r <= 16; r += 4) {
        petal_filter *f = made(rate_of(r), keys, n, 1);
        const petal_shape *s = petal_shape_of(f);
        const double over = s->bits_per_key / petal_math_lower_bound(s->fpr);
        printf("%zu keys, %u columns: %.4f of the bound, the file %.4f\n", n, r, over,
               8 * (double)s->image_bytes / (double)n / r);
        require(over <= most);
        petal_free(f);
    }
}

/* From a thousand keys on, for rates up to two thirds.  The whole file is compared for
 * rates up to 30%. */
static void no_kind_is_smaller(void)
{
    static const double rates[] = { 0.9, 0.5, 0.3, 0.1, 0.01, 0.001, 1e-4, 1e-6 };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (size_t n = 1000; n < 300000; n += n / 7) {
            petal_filter *f = made(rates[i], keys, n, 1);
            for_every_kind(kind) {
                petal_shape other;
                const petal_options o = { .kind = kind, .capacity = n, .fpr = rates[i] };
                if (kind == PETAL_BITMAP || kind == PETAL_RIBBON ||
                    petal_plan(&o, &other) < 0)
                    continue;
                require(other.bits > petal_shape_of(f)->bits ||
                        (n < 2000 && rates[i] > 0.6));
                require(other.image_bytes >= petal_shape_of(f)->image_bytes ||
                        rates[i] > 0.3);
            }
            petal_free(f);
        }
}

/* ---- Memory: 10 bytes per key in addition to the hashes while it is built ---- */

static struct {
    size_t now, most;
} host;

static void *host_realloc(void *context, void *old, size_t len)
{
    (void)context;
    if (old) {
        size_t *block = (size_t *)old - 2;
        host.now -= *block;
        free(block);
        return NULL;
    }
    size_t *block = malloc(len + 16);
    if (!block)
        return NULL;
    *block = len;
    host.now += len;
    host.most = host.now > host.most ? host.now : host.most;
    return block + 2;
}

static void memory_is_bounded(void)
{
    petal_set_allocator(host_realloc, NULL);
    static const double columns[] = { 1, 8, 16, 32 };
    for (size_t i = 0; i < 4; i++) {
        petal_filter *f = filter_made((petal_options){ .kind = PETAL_RIBBON,
                                                       .capacity = 4 * KEYS,
                                                       .fpr = rate_of(columns[i]),
                                                       .threads = 2 });
        for (uint64_t round = 0; round < 4; round++)
            for (size_t at = 0; at < KEYS; at++)
                require(petal_add_hash(f, keys[at] + round) == 1);
        const size_t held = host.now;
        host.most = held;
        require((double)held < 4.0 * KEYS * 16.3); /* the slabs double in size */
        require(petal_seal(f) == PETAL_OK);
        const double more = (double)(host.most - held) - 2 * 9e6; /* per thread */
        printf("%.0f columns: %.1f bytes per key in addition to the hashes, and 9 MB per "
               "thread\n",
               columns[i], more / (4.0 * KEYS));
        require(more < 10 * 4.0 * KEYS);
        petal_free(f);
        require(host.now == 0);
    }
    petal_set_allocator(NULL, NULL);
}

int main(int argc, char **argv)
{
    const size_t most = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    random_state random = { 1 };
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = random_next(&random);
    order_and_threads_change_nothing();
    interruptions_lose_nothing();
    if (most == 0)
        return 0;
    for (size_t n = 0; n <= most; n++)
        one_size(n);
    printf("every number of keys up to %zu\n", most);
    for (double columns = 0.25; columns <= 32; columns += 0.25)
        one_width(columns);
    chosen_hashes_do_no_harm();
    the_mean_rate_is_kept();
    const bool all = most >= 20000; /* fewer on slow machines */
    every_edge(all ? 300000 : 72000);
    repeats_are_dropped(all ? KEYS : 10000);
    if (!all)
        return 0;
    near_the_bound(10000, 1.04);
    near_the_bound(100000, 1.007);
    near_the_bound(1000000, 1.004);
    no_kind_is_smaller();
    memory_is_bounded();
    return 0;
}
