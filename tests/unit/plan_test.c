/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan_test.c: how large a planned filter is, and which plans are rejected (G2).
 */
#include "check.h"
#include "core/math.h"
#include "kinds/sizing.h"
#include "support.h"

static petal_shape planned(petal_options o)
{
    petal_shape s;
    const int rc = petal_plan(&o, &s);
    if (rc < 0)
        fail_msg("%s %llu %g: %s", petal_kind_name(o.kind), (unsigned long long)o.capacity,
                 o.fpr, petal_strerror(rc));
    return s;
}

static void assert_refused(petal_options o, int error)
{
    petal_shape s;
    petal_filter *f = (petal_filter *)&s;
    const int rc = petal_plan(&o, &s);
    if (rc != error)
        fail_msg("\"%s\", not \"%s\"", petal_strerror(rc), petal_strerror(error));
    assert_int_equal(petal_new(&o, &f), error);
    assert_null(f);
}

/* A number of keys that every kind can hold. */
#define MANY 100000000

static void every_plan_has_at_most_the_requested_rate(void **state)
{
    (void)state;
    static const double rates[] = { 0.9, 0.5, 0.25, 0.1, 0.03, 0.01, 1e-3, 1e-4 };
    for_every_kind(kind) {
        for (size_t r = 0; r < 8 && !is_exact(kind); r++) {
            for (uint64_t n = 1; n <= 3000000000; n = n < 10 ? n + 1 : n * 7) {
                const petal_options o = { .kind = kind, .capacity = n, .fpr = rates[r] };
                if (n > MANY && !is_accepted(o))
                    break; /* too many for this kind */
                const petal_shape s = planned(o);
                assert_true(petal_fpr(&s, (double)n) <= rates[r]);
                assert_true(s.fpr == rates[r] && s.capacity == n);
                assert_true(s.bits_per_key == (double)s.bits / (double)n);
            }
        }
    }
}

/* With one step less, the rate would be too high: nothing is wasted. */
static void no_filter_is_larger_than_necessary(void **state)
{
    (void)state;
    for (double p = 0.1; p > 1e-6; p /= 10)
        for (uint64_t n = 1; n < 1000; n = n * 3 + 1) {
            const petal_shape s =
                planned((petal_options){ .kind = PETAL_CLASSIC, .capacity = n, .fpr = p });
            const uint64_t less = s.bits - 1 - n / 256;
            for (uint32_t k = 1; k <= 64; k++)
                assert_true(petal_math_fpr_exact(less, k, n) > p);
        }
    for (uint64_t n = 10000; n < 100000000; n *= 10) {
        const petal_shape s = planned((petal_options){ .capacity = n, .fpr = 0.01 });
        const double less = (double)(s.bits - 512 - n / 256);
        for (uint32_t k = 1; k <= 12; k++)
            assert_true(petal_math_fpr_blocked(less, k, (double)n, 512) > 0.01);
    }
}

static void sizes_of_small_sets(void **state)
{
    (void)state;
    static const struct {
        uint64_t n, m;
        uint32_t k;
    } right[] = { { 1, 33, 14 }, { 3, 91, 17 }, { 10, 293, 18 }, { 100, 2881, 20 } };
    for (size_t i = 0; i < 4; i++) {
        const petal_shape s = planned(
            (petal_options){ .kind = PETAL_CLASSIC, .capacity = right[i].n, .fpr = 1e-6 });
        assert_true(s.bits == right[i].m && s.hashes == right[i].k);
    }
}

static void sizes_of_large_sets(void **state)
{
    (void)state;
    static const struct {
        petal_kind kind;
        double p, cells_per_key;
        uint32_t k;
    } right[] = {
        { PETAL_BLOCKED, 0.1, 4.86, 3 },    { PETAL_BLOCKED, 0.03, 7.45, 5 },
        { PETAL_BLOCKED, 0.01, 9.93, 6 },   { PETAL_BLOCKED, 1.0 / 256, 12.18, 8 },
        { PETAL_BLOCKED, 1e-3, 15.73, 8 },  { PETAL_BLOCKED, 3e-4, 18.87, 11 },
        { PETAL_BLOCKED, 1e-4, 22.09, 12 }, { PETAL_SPLIT, 0.01, 10.53, 8 },
        { PETAL_SPLIT, 1e-3, 16.89, 8 },    { PETAL_SPLIT, 1e-4, 26.34, 8 },
        { PETAL_COUNTING, 0.1, 6.22, 8 },   { PETAL_COUNTING, 0.05, 7.59, 8 },
        { PETAL_COUNTING, 0.01, 11.43, 8 }, { PETAL_COUNTING, 1e-3, 19.40, 8 },
        { PETAL_CLASSIC, 0.01, 9.59, 7 },   { PETAL_PARTITIONED, 0.01, 9.59, 7 },
        { PETAL_RIBBON, 0.01, 6.74, 7 },    { PETAL_RIBBON, 1e-3, 10.0, 10 },
        { PETAL_RIBBON, 1e-4, 13.39, 14 },  { PETAL_QUOTIENT, 0.01, 9.48, 6 },
        { PETAL_QUOTIENT, 1e-3, 13.61, 9 }, { PETAL_QUOTIENT, 1e-4, 17.64, 13 },
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        const petal_shape s = planned((petal_options){
            .kind = right[i].kind, .capacity = 10000000, .fpr = right[i].p });
        const double cells = s.bits_per_key / s.counter_bits;
        assert_true(cells > right[i].cells_per_key - 0.01 &&
                    cells < right[i].cells_per_key + 0.01);
        assert_true(s.hashes == right[i].k);
    }
}

/* At 1%, from ten thousand to a hundred million keys.  docs/choosing.md has these figures.
 */
static void a_quotient_filter_of_any_number_of_keys_is_small(void **state)
{
    (void)state;
    const petal_shape s = planned((petal_options){ .kind = PETAL_QUOTIENT, .fpr = 0.01 });
    petal_shape grown;
    double sum = 0;
    unsigned sizes = 0;
    for (double n = 1e4; n < 1.01e8; n *= 1.05, sizes++) {
        assert_int_equal(petal_grown(&s, (uint64_t)n, &grown), PETAL_OK);
        const double bits = (double)grown.bits / n;
        assert_true(bits > 12.5 && bits < 20.5);
        sum += bits;
    }
    assert_true(sum / sizes > 16.3 && sum / sizes < 16.5);
    const petal_shape known = planned((petal_options){
        .kind = PETAL_QUOTIENT, .capacity = 1000, .capacity_max = 300000, .fpr = 0.01 });
    assert_int_equal(petal_grown(&known, 300000, &grown), PETAL_OK);
    assert_true((double)grown.bits / 300000 < 10);
}

/* Eight probes are the fastest, so a filter that would be at most 1% smaller with another
 * number has eight.  A step of the search is 1/256 bit per key. */
static void eight_probes_cost_at_most_a_hundredth(void **state)
{
    (void)state;
    const uint64_t n = 1000000;
    unsigned eights = 0;
    for (double p = 0.02; p > 1e-4; p *= 0.97) {
        const petal_shape s =
            planned((petal_options){ .kind = PETAL_BLOCKED, .capacity = n, .fpr = p });
        uint64_t least = UINT64_MAX, with_eight = 0;
        for (uint32_t k = 1; k <= 12; k++) {
            const petal_shape fixed = planned((petal_options){
                .kind = PETAL_BLOCKED, .capacity = n, .fpr = p, .hashes = k });
            least = fixed.bits < least ? fixed.bits : least;
            with_eight = k == 8 ? fixed.bits : with_eight;
        }
        const bool cheap = with_eight <= least + least / 100;
        assert_true(s.bits <= (cheap ? with_eight : least) + n / 256 + 512);
        assert_true(!cheap || s.hashes == 8);
        eights += s.hashes == 8;
    }
    assert_true(eights > 40); /* from 0.6% to 0.1%: log(6) / log(1 / 0.97) is 59 */
}

static void two_of_capacity_rate_and_bits_give_the_third(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!takes_option(kind, "capacity=1000 bits=64Ki"))
            continue; /* it has no rate or no fixed size */
        const petal_shape a =
            planned((petal_options){ .kind = kind, .capacity = 100000, .fpr = 0.01 });
        const petal_shape b =
            planned((petal_options){ .kind = kind, .capacity = 100000, .bits = a.bits });
        const petal_shape c =
            planned((petal_options){ .kind = kind, .fpr = 0.01, .bits = a.bits });
        /* the size of a static filter is only an estimate before it is built */
        const bool told = petal_abilities(kind) & PETAL_IS_STATIC;
        const double rate = petal_fpr(&a, 100000); /* at most the requested rate */
        assert_true((told ? b.bits <= a.bits : b.bits == a.bits) && b.fpr > 0.9 * rate &&
                    b.fpr < 0.0105);
        assert_true(petal_fpr(&b, 100000) <= b.fpr);
        /* a step is 1/256 bit per key, here 0.04% */
        assert_true((told ? c.bits <= a.bits : c.bits == a.bits) &&
                    c.capacity > (told ? 99900 : 99950));
        const petal_options more = { .kind = kind, .fpr = 0.01, .capacity = c.capacity };
        assert_true(planned(more).bits > a.bits / 100 * 98);
        assert_true(petal_fpr(&c, (double)c.capacity) <= 0.01);
        planned((petal_options){
            .kind = kind, .capacity = 99000, .fpr = 0.0103, .bits = a.bits });
        assert_refused(
            (petal_options){
                .kind = kind, .capacity = 200000, .fpr = 0.01, .bits = a.bits },
            PETAL_E_SHAPE);
    }
}

static void defaults_are_sensible(void **state)
{
    (void)state;
    petal_shape s = planned((petal_options){ .capacity = 1000 });
    assert_true(s.kind == PETAL_BLOCKED && s.fpr == 0.01 && s.hash == PETAL_HASH_FAST);
    s = planned((petal_options){ .bits = 8 << 20 });
    assert_true(s.fpr == 0.01 && s.capacity > 800000);
    s = planned((petal_options){ .kind = PETAL_SCALABLE });
    assert_true(s.fpr == 0.01 && s.growth == 2 && s.capacity == 16384);
    s = planned((petal_options){ .kind = PETAL_SCALABLE, .capacity_max = 1000 });
    assert_true(s.capacity == 1000);
    s = planned((petal_options){ .kind = PETAL_SCALABLE, .capacity_max = 1000000000000 });
    assert_true(s.capacity > 16384);
    s = planned((petal_options){ .kind = PETAL_SPLIT, .capacity = 1 });
    assert_true(s.hash == PETAL_HASH_XXH64);
    s = planned((petal_options){ .kind = PETAL_BITMAP, .bits = 10 });
    assert_true(s.capacity == 10 && s.fpr == 0 && s.image_bytes == 256 + 64 + 8);
    s = planned((petal_options){ .kind = PETAL_COUNTING, .capacity = 1 });
    assert_true(s.counter_bits == 4 && s.block_bits == 512 && s.bits == 512);
}

/* initialize(k, m) from the notes: 3 rows of 5 bits, 30 rows of 2,500,000. */
static void rows_as_in_the_notes(void **state)
{
    (void)state;
    petal_shape s =
        planned((petal_options){ .kind = PETAL_PARTITIONED, .bits = 15, .hashes = 3 });
    assert_true(s.bits == 15 && s.hashes == 3 && s.capacity == 3);
    s = planned((petal_options){
        .kind = PETAL_PARTITIONED, .bits = 75000000, .hashes = 30, .capacity = 5000000 });
    assert_true(s.fpr > 0.0126 && s.fpr < 0.0128);
    assert_refused((petal_options){ .kind = PETAL_PARTITIONED, .bits = 16, .hashes = 3 },
                   PETAL_E_SHAPE);
}

static void invalid_options_are_rejected_by_every_kind(void **state)
{
    (void)state;
    assert_refused((petal_options){ 0 }, PETAL_E_CAPACITY);
    assert_refused((petal_options){ .kind = kind_after_all(), .capacity = 1 },
                   PETAL_E_KIND);
    assert_refused((petal_options){ .kind = (petal_kind)99, .capacity = 1 }, PETAL_E_KIND);
    for_every_kind(kind) {
        const petal_options good = options_for(kind, 1024);
        petal_options bad = good;
        bad.form = form_after_all();
        assert_refused(bad, PETAL_E_OPTION);
        bad = good;
        bad.hash = hash_after_all();
        assert_refused(bad, PETAL_E_OPTION);
        assert_refused(options_and(good, "seed=0:1"), PETAL_E_OPTION);
        assert_refused(options_and(good, "seed=1 hash=xxh64"), PETAL_E_OPTION);
        bad = good;
        bad.reserved[1] = 1;
        assert_refused(bad, PETAL_E_OPTION);
    }
}

static void options_that_a_kind_cannot_satisfy_are_rejected(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const petal_options good = options_for(kind, 1024);
        assert_refused((petal_options){ .kind = kind, .bits = UINT64_MAX }, PETAL_E_SHAPE);
        if (!can_grow(kind)) {
            assert_refused(options_and(good, "growth=2"), PETAL_E_SHAPE);
            assert_refused(options_and(good, "capacity_max=1M"), PETAL_E_SHAPE);
        }
        if (!(petal_abilities(kind) & PETAL_CAN_COUNT)) {
            assert_refused(options_and(good, "counter_bits=4"), PETAL_E_SHAPE);
            assert_refused(options_and(good, "insert_only=yes"), PETAL_E_SHAPE);
        }
        assert_refused(options_and(good, "hashes=65"), PETAL_E_SHAPE);
        if (is_exact(kind))
            continue;
        const double bad[] = { -0.1, 1, 1.5, -1e300, strtod("nan", NULL) };
        for (size_t i = 0; i < 5; i++)
            assert_refused((petal_options){ .kind = kind, .capacity = 10, .fpr = bad[i] },
                           PETAL_E_FPR);
        assert_refused((petal_options){ .kind = kind, .capacity = UINT64_MAX, .fpr = 0.01 },
                       PETAL_E_CAPACITY);
    }
}

/* Options that only one kind rejects. */
static void options_that_one_kind_cannot_satisfy_are_rejected(void **state)
{
    (void)state;
    assert_refused((petal_options){ .kind = PETAL_BLOCKED, .capacity = 10, .fpr = 0.9e-4 },
                   PETAL_E_FLOOR);
    petal_shape left_to_us;
    assert_int_equal(
        petal_plan(&(petal_options){ .capacity = 10, .fpr = 0.9e-4 }, &left_to_us), 0);
    assert_int_equal(left_to_us.kind, PETAL_CLASSIC);
    assert_refused((petal_options){ .kind = PETAL_SPLIT, .capacity = 1, .fpr = 1e-5 },
                   PETAL_E_FLOOR);
    assert_refused((petal_options){ .kind = PETAL_COUNTING, .capacity = 1, .fpr = 1e-7 },
                   PETAL_E_FLOOR);
    assert_refused((petal_options){ .kind = PETAL_SCALABLE, .capacity = 1, .fpr = 1e-6 },
                   PETAL_E_FLOOR);
    assert_refused(
        (petal_options){ .kind = PETAL_SCALABLE, .capacity = 10, .capacity_max = 9 },
        PETAL_E_CAPACITY);
    assert_refused((petal_options){ .kind = PETAL_SCALABLE, .growth = 40000 },
                   PETAL_E_SHAPE);
    assert_refused(
        (petal_options){ .kind = PETAL_SPLIT, .capacity = 1, .hash = PETAL_HASH_KEYED },
        PETAL_E_SHAPE);
    assert_refused((petal_options){ .kind = PETAL_SPLIT, .capacity = 1, .hashes = 7 },
                   PETAL_E_SHAPE);
    assert_refused(
        (petal_options){ .kind = PETAL_COUNTING, .capacity = 1, .counter_bits = 5 },
        PETAL_E_SHAPE);
    assert_refused((petal_options){ .bits = 511, .capacity = 1 }, PETAL_E_SHAPE);
    assert_refused((petal_options){ .kind = PETAL_BITMAP }, PETAL_E_SHAPE);
    assert_refused((petal_options){ .kind = PETAL_BITMAP, .bits = 1, .capacity = 1 },
                   PETAL_E_SHAPE);
    assert_refused((petal_options){ .kind = PETAL_BITMAP, .bits = 1, .fpr = 0.1 },
                   PETAL_E_FPR);
    assert_refused((petal_options){ .kind = PETAL_CLASSIC, .bits = 4, .fpr = 0.01 },
                   PETAL_E_SHAPE);
    /* every match would be a false positive: no ribbon is that small */
    assert_refused((petal_options){ .kind = PETAL_RIBBON,
                                    .form = PETAL_FORM_URL,
                                    .capacity = 100000,
                                    .bits = 200000 },
                   PETAL_E_SHAPE);
}

/* With a 64-bit hash, a million keys cannot have a rate of 1e-15: n / 2^64 > p / 100. */
static void the_hash_limits_the_rate(void **state)
{
    (void)state;
    assert_refused(
        (petal_options){ .kind = PETAL_CLASSIC, .capacity = 1000000, .fpr = 1e-12 },
        PETAL_E_FLOOR);
    planned((petal_options){ .kind = PETAL_CLASSIC, .capacity = 1000000, .fpr = 1e-11 });
    const petal_shape s = planned((petal_options){
        .kind = PETAL_CLASSIC, .capacity = 1, .bits = 1 << 20, .hashes = 64 });
    assert_true(s.fpr >= 100 / 18446744073709551616.0);
}

static void extreme_rates_are_rejected(void **state)
{
    (void)state;
    static const double tiny[] = { 1e-19, 1e-300, 1e-310, 5e-324 };
    for_every_kind(kind) {
        for (size_t i = 0; i < 4 && !is_exact(kind); i++) {
            petal_options o = { .kind = kind, .capacity = 1, .fpr = tiny[i] };
            assert_refused(o, PETAL_E_FLOOR);
            o = (petal_options){ .kind = kind, .bits = 1 << 20 };
            const bool sized = is_accepted(o);
            o.fpr = tiny[i];
            if (sized)
                assert_refused(o, PETAL_E_FLOOR);
        }
    }
}

/* The same for single kinds, and for sizes that barely fit into 64 bits. */
static void other_extremes_are_rejected(void **state)
{
    (void)state;
    assert_refused((petal_options){ .kind = PETAL_SCALABLE,
                                    .capacity = 1000,
                                    .capacity_max = 1000000,
                                    .fpr = 5e-324 },
                   PETAL_E_FLOOR);
    const uint64_t most = ((uint64_t)1 << 62) - 1;
    assert_refused(
        (petal_options){
            .kind = PETAL_SCALABLE, .capacity = most, .capacity_max = most, .fpr = 0.999 },
        PETAL_E_CAPACITY);
    petal_shape s;
    const petal_options rows = { .kind = PETAL_PARTITIONED,
                                 .capacity = (uint64_t)1 << 41,
                                 .hashes = 5,
                                 .fpr = 0.18499960065472701 };
    assert_true(petal_plan(&rows, &s) == PETAL_E_CAPACITY || s.bits <= (uint64_t)1 << 43);
    s = planned(
        (petal_options){ .kind = PETAL_SCALABLE, .capacity_max = 20000, .fpr = 1.2e-6 });
    assert_true(s.capacity == 20000);
}

/* A kind that forgets never has more keys than its capacity, and keeps its rate. */
static void the_rate_for_infinitely_many_keys_is_one(void **state)
{
    (void)state;
    static const double many[] = { 1e16, 1e19, 1e20, 1e300, 1e308 * 10 };
    for_every_kind(kind) {
        const petal_shape s = planned(options_for(kind, 1000));
        for (size_t i = 0; i < 5; i++)
            if (can_forget(kind))
                assert_true(petal_fpr(&s, many[i]) <= s.fpr);
            else
                assert_true(petal_fpr(&s, many[i]) == (is_exact(kind) ? 0 : 1));
        assert_true(petal_fpr(&s, -1) == 0 && petal_fpr(&s, 0) == 0);
    }
    const petal_shape none = { .kind = kind_after_all() };
    assert_true(petal_fpr(&none, 1) == 1);
}

/* A rate that the formula cannot distinguish from 0 is not planned. */
static void no_planned_rate_is_rounding_noise(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 2000; n += 37) {
        const petal_shape s =
            planned((petal_options){ .capacity = n, .bits = n * 512 + 512 });
        assert_true(s.fpr >= 1e-10 && s.fpr < 1.01e-10);
    }
}

/* ---- The cost of planning, counted instead of timed ---- */

static uint64_t steps;

static double counted_rate(uint64_t cells, uint32_t k, double n)
{
    steps += n * k <= 4000 ? (uint64_t)n * k * k : 1;
    return petal_math_fpr_exact(cells, k, (uint64_t)n);
}

static double quick_rate(uint64_t cells, uint32_t k, double n)
{
    return petal__fpr_estimate((double)cells, k, n);
}

/* An exact rate for few keys takes up to 4,000 x 64 steps of less than a nanosecond.  A
 * plan may take a binary search over 64 values of k, and a few sizes near an estimate. */
static void planning_computes_few_exact_rates(void **state)
{
    (void)state;
    const struct petal__rule rule = { .rate = counted_rate,
                                      .estimate = quick_rate,
                                      .k_min = 1,
                                      .k_max = 64,
                                      .granule = 1,
                                      .cells_max = (uint64_t)1 << 43 };
    uint64_t most = 0;
    for (double p = 0.3; p > 1e-13; p /= 3)
        for (uint64_t n = 1; n < 4000; n = n * 2 + 1)
            for (int shift = 0; shift < 40; shift += 3) {
                const uint64_t bits = shift ? (uint64_t)8 << shift : 0;
                const petal_options options[] = { { .capacity = n, .fpr = p, .bits = bits },
                                                  { .capacity = n, .bits = bits },
                                                  { .fpr = p, .bits = bits + n } };
                for (int i = 0; i < 3; i++) {
                    petal_shape shape = { .counter_bits = 1 };
                    steps = 0;
                    petal__size(&options[i], &rule, &shape, NULL);
                    most = steps > most ? steps : most;
                }
            }
    assert_true(most > 0 && most <= 16 * 4000 * 64);
}

/* A shape is untrusted input, like a file: the caller may have filled it in. */
static void invalid_shapes_are_rejected(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_shape s = { .kind = kind }, grown;
        petal_filter *f;
        const bool grows = can_grow(kind);
        assert_int_equal(petal_grown(&s, 100, &grown),
                         grows ? PETAL_E_SHAPE : PETAL_E_ABILITY);
        assert_true(petal_fpr(&s, 100) == 1);
        assert_int_equal(petal_new_shaped(&s, &f), PETAL_E_SHAPE);
        const petal_shape good = planned(options_for(kind, 1000));
        for (size_t at = 0; at + 4 <= offsetof(petal_shape, bits_per_key); at += 4) {
            static const uint32_t values[] = { 0, 1, 0x7FFFFFFF, UINT32_MAX };
            for (size_t v = 0; v < 4; v++) {
                s = good;
                memcpy((char *)&s + at, &values[v], 4);
                s.insert_only = good.insert_only; /* a bool must be 0 or 1 */
                petal_grown(&s, UINT64_MAX, &grown);
                petal_fpr(&s, 1e6);
            }
        }
    }
}

static void a_filter_that_grows_is_planned_from_its_first_stage(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!can_grow(kind))
            continue;
        for (uint64_t n = 1; n < 2000; n += 7) {
            const petal_shape first = planned(options_with_room(kind, n, 5 * n));
            petal_shape grown, again;
            assert_true(first.capacity == n);
            assert_int_equal(petal_grown(&first, n, &grown), PETAL_OK);
            assert_int_equal(petal_grown(&first, 100 * n, &grown), PETAL_OK);
            assert_int_equal(petal_grown(&grown, 200 * n, &again), PETAL_E_SHAPE);
        }
    }
}

/* Every filter that can be made can also be opened. */
static void filters_from_shapes_can_be_opened_again(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const petal_shape good = planned(options_for(kind, 1000));
        static const uint64_t capacities[] = { 1, 999, 1001, 1000000000000,
                                               UINT64_MAX >> 2 };
        for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
            petal_shape s = good;
            petal_filter *f, *opened;
            s.capacity = capacities[i];
            s.capacity_first = good.capacity_first ? capacities[i] : 0;
            const int rc = petal_new_shaped(&s, &f);
            if (rc < 0) {
                assert_int_equal(rc, PETAL_E_SHAPE);
                continue;
            }
            size_t len;
            const void *bytes = petal_bytes(f, &len);
            assert_non_null(bytes);
            assert_int_equal(petal_view(bytes, len, 0, &opened), PETAL_OK);
            petal_free(opened);
            petal_free(f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_has_at_most_the_requested_rate),
        cmocka_unit_test(no_filter_is_larger_than_necessary),
        cmocka_unit_test(sizes_of_small_sets),
        cmocka_unit_test(sizes_of_large_sets),
        cmocka_unit_test(a_quotient_filter_of_any_number_of_keys_is_small),
        cmocka_unit_test(eight_probes_cost_at_most_a_hundredth),
        cmocka_unit_test(two_of_capacity_rate_and_bits_give_the_third),
        cmocka_unit_test(defaults_are_sensible),
        cmocka_unit_test(rows_as_in_the_notes),
        cmocka_unit_test(invalid_options_are_rejected_by_every_kind),
        cmocka_unit_test(options_that_a_kind_cannot_satisfy_are_rejected),
        cmocka_unit_test(options_that_one_kind_cannot_satisfy_are_rejected),
        cmocka_unit_test(the_hash_limits_the_rate),
        cmocka_unit_test(extreme_rates_are_rejected),
        cmocka_unit_test(other_extremes_are_rejected),
        cmocka_unit_test(the_rate_for_infinitely_many_keys_is_one),
        cmocka_unit_test(no_planned_rate_is_rounding_noise),
        cmocka_unit_test(planning_computes_few_exact_rates),
        cmocka_unit_test(invalid_shapes_are_rejected),
        cmocka_unit_test(a_filter_that_grows_is_planned_from_its_first_stage),
        cmocka_unit_test(filters_from_shapes_can_be_opened_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
