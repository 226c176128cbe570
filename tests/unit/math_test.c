/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * math_test.c: the formulas, compared with the figures of the lecture notes, with brute
 * force, and with each other where two formulas must agree.
 */
#include "check.h"
#include "support.h"

#include <math.h>

static void assert_near(double a, double b, double relative)
{
    if (fabs(a - b) > relative * fabs(b))
        fail_msg("%.12g is not within %g of %.12g", a, relative, b);
}

/* ---- Figures from the notes ---- */

static void five_million_urls_in_thirty_rows_give_1_27_percent(void **state)
{
    (void)state;
    assert_near(petal_math_fpr_partitioned(2500000, 30, 5000000), 0.0127, 0.005);
    const petal_shape s = { .kind = PETAL_PARTITIONED,
                            .bits = 75000000,
                            .hashes = 30,
                            .counter_bits = 1,
                            .capacity = 5000000 };
    assert_near(petal_fpr(&s, 5000000), 0.0127, 0.005);
}

static void ten_bits_and_seven_hashes_give_about_one_percent(void **state)
{
    (void)state;
    assert_near(petal_math_fpr_best(10), 0.0082, 0.005);
    assert_near(petal_math_fpr(10, 7, 1), 0.0082, 0.01);
    assert_near(petal_math_best_k(10, 1), 6.93, 0.001);
    assert_true(petal_math_k(0.01) == 7);
}

static void thirty_two_bits_and_22_hashes_give_two_in_ten_million(void **state)
{
    (void)state;
    assert_near(petal_math_fpr_best(32), 2.1e-7, 0.02);
    assert_near(petal_math_fpr(32, 22, 1), 2.1e-7, 0.03);
    assert_near(petal_math_best_k(32, 1), 22.18, 0.001);
}

static void a_factor_of_ten_costs_4_79_bits(void **state)
{
    (void)state;
    assert_near(petal_math_bits(1, 0.001) - petal_math_bits(1, 0.01), 4.79, 0.001);
    assert_near(petal_math_fpr_best(1), 0.6185, 0.0001);
    assert_near(petal_math_capacity(petal_math_bits(1e6, 0.01), 0.01), 1e6, 1e-12);
    assert_near(petal_math_lower_bound(0.01), 6.6439, 0.0001);
}

static void the_mean_lookup_of_the_browser_takes_25_51_ms(void **state)
{
    (void)state;
    assert_near(petal_math_lookup_time(102000, 2000, 500, 1, 0.03), 25.51, 0.0001);
}

static void a_filter_is_smaller_than_a_list_of_40_byte_keys(void **state)
{
    (void)state;
    assert_near(petal_math_cost(15, 320, 5000000), 15 / (320 + 22.2535), 1e-6);
    assert_true(petal_math_cost(10, 8, 2) >
                1); /* one-byte keys: a list of them is smaller */
}

/* ---- Exact rates ---- */

/* Enumerates all ways in which n keys and a query can place k probes each in m cells. */
static double rate_by_enumeration(unsigned m, unsigned k, unsigned n)
{
    const unsigned digits = k * (n + 1);
    uint64_t ways = 1, hits = 0;
    for (unsigned i = 0; i < digits; i++)
        ways *= m;
    for (uint64_t way = 0; way < ways; way++) {
        uint64_t left = way;
        unsigned set = 0, hit = 1;
        for (unsigned i = 0; i < k * n; i++, left /= m)
            set |= 1u << left % m;
        for (unsigned i = 0; i < k; i++, left /= m)
            hit &= set >> left % m;
        hits += hit & 1;
    }
    return (double)hits / (double)ways;
}

static void the_exact_rate_agrees_with_enumeration(void **state)
{
    (void)state;
    for (unsigned m = 1; m <= 5; m++)
        for (unsigned k = 1; k <= 3; k++)
            for (unsigned n = 1; n <= 2; n++)
                assert_near(petal_math_fpr_exact(m, k, n), rate_by_enumeration(m, k, n),
                            1e-12);
}

static void the_rate_for_many_keys_agrees_with_the_exact_one(void **state)
{
    (void)state;
    const uint32_t ks[] = { 1, 2, 7, 10, 20 };
    for (size_t i = 0; i < 5; i++) {
        const uint32_t k = ks[i];
        const uint64_t n = 4000 / k, m = n * k * 10 / 7;
        /* the largest n that is computed exactly, and the next one */
        const double exact = petal_math_fpr_exact(m, k, n);
        const double above = petal_math_fpr_exact(m, k, n + 1);
        assert_true(above > exact);
        const double step = petal_math_fpr((double)m, k, (double)(n + 1)) /
                            petal_math_fpr((double)m, k, (double)n);
        assert_near(above / exact, step, 2e-3);
    }
}

static void the_textbook_formula_is_too_low_for_small_sets(void **state)
{
    (void)state;
    /* m = n ln(1e6) / (ln 2)^2 for a rate of 1e-6: for one key, no k reaches it */
    for (uint32_t k = 1; k <= 64; k++)
        assert_true(petal_math_fpr_exact(29, k, 1) > 4e-6);
    assert_near(petal_math_fpr_exact(288, 20, 10), 1.21e-6, 0.02);
    assert_near(petal_math_fpr_exact(2876, 20, 100), 1.02e-6, 0.01);
    assert_near(petal_math_fpr_exact(28755176, 20, 1000000), 1e-6, 1e-3);
}

static void a_bit_stays_clear_with_the_probability_of_the_notes(void **state)
{
    (void)state;
    assert_near(petal_math_zero_exact(1000, 7, 100), pow(999.0 / 1000, 700), 1e-12);
    assert_near(petal_math_zero(1000, 7, 100), exp(-0.7), 1e-12);
    assert_near(petal_math_zero(1e9, 7, 1e8), petal_math_zero_exact(1e9, 7, 1e8), 1e-8);
}

static void the_number_of_keys_is_estimated_from_the_fill(void **state)
{
    (void)state;
    for (double n = 1; n <= 1e5; n *= 10) {
        const double set = 1e6 * (1 - petal_math_zero_exact(1e6, 7, n));
        assert_near(petal_math_keys(1e6, 7, set), n, 1e-9);
    }
}

/* ---- Blocks ---- */

/* The mixture, term by term: the Poisson load of a block times the rate of a block with
 * that many keys.  Only for k = 8, where that rate is (1 - (1 - 1/w)^j)^8. */
static double rate_by_mixture(double bits_per_key, double w)
{
    double rate = 0;
    const double load = 8 * w / bits_per_key;
    for (double j = 0; j < load * 4 + 100; j++)
        rate += petal_math_poisson(load, j) * pow(1 - pow(1 - 1 / w, j), 8);
    return rate;
}

static void the_rate_of_blocks_is_a_poisson_mixture(void **state)
{
    (void)state;
    for (double b = 8; b <= 24; b += 4) {
        assert_near(petal_math_fpr_blocked(b * 1e7, 8, 1e7, 512), rate_by_mixture(b, 64),
                    1e-5);
        assert_near(petal_math_fpr_blocked(b * 1e7, 8, 1e7, 256), rate_by_mixture(b, 32),
                    1e-5);
    }
}

static void the_rate_of_blocks_falls_with_size_and_rises_with_keys(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 16; k++) {
        double before = 1;
        for (double b = 4; b <= 40; b += 2) {
            const double rate = petal_math_fpr_blocked(b * 512e3, k, 512e3, 512);
            assert_true(rate > 0 && rate < before);
            assert_true(petal_math_fpr_blocked(b * 512e3, k, 600e3, 512) > rate);
            before = rate;
        }
    }
}

/* The rates of 512-bit blocks come from tables.  Those of slightly larger blocks are
 * computed as a sum over all choices of probed cells that are clear. */
static void tables_of_loads_agree_with_the_sum(void **state)
{
    (void)state;
    const double more = 1 + 1e-12;
    for (uint32_t k = 9; k <= 16; k++)
        for (double b = 3; b < 40; b *= 1.3) /* up to 171 keys per block on average */
            for (double blocks = 1; blocks < 1e9; blocks *= 30) {
                const double m = 512 * blocks, n = floor(m / b);
                const double sum = petal_math_fpr_blocked(m * more, k, n, 512 * more);
                const double rate = petal_math_fpr_blocked(m, k, n, 512);
                assert_true(fabs(rate - sum) <=
                            1e-6 * sum + 1e-11); /* terms of the sum cancel */
            }
    assert_true(petal_math_fpr_blocked(512, 9, 0, 512) == 0);
    assert_true(petal_math_fpr_blocked(512, 16, 1e6, 512) == 1);
}

/* The load of a block, enumerated over all keys with the same start and the next. */
static void few_probes_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint32_t k = 1; k < 8; k++)
        for (double blocks = 1; blocks < 100; blocks *= 7) {
            double sum = 0;
            for (unsigned chosen = 0; chosen < 1u << k; chosen++) {
                double a = 0;
                for (unsigned start = 0; start < 8; start++) {
                    double miss = 1;
                    for (unsigned word = 0; word < k; word++)
                        if (chosen >> word & 1 && (word - start) % 8 < k)
                            miss *= 63. / 64;
                    a += miss / 8;
                }
                const int sign = __builtin_popcount(chosen) % 2 ? -1 : 1;
                sum += sign * pow(1 - (1 - a) / blocks, 50);
            }
            const double rate = petal_math_fpr_blocked(512 * blocks, k, 50, 512);
            assert_true(fabs(rate - sum) < 1e-9 * sum + 1e-13);
        }
}

static void published_sizes_of_blocks(void **state)
{
    (void)state;
    assert_near(petal_math_fpr_blocked(8e6, 5, 1e6, 512), 0.0234, 0.01);
    assert_near(petal_math_fpr_blocked(10e6, 6, 1e6, 512), 0.00974, 0.01);
    assert_near(petal_math_fpr_blocked(16e6, 9, 1e6, 512), 8.6e-4, 0.01);
    assert_near(petal_math_fpr_blocked(24e6, 12, 1e6, 512), 5.4e-5, 0.02);
    assert_near(petal_math_fpr_blocked(12e6, 8, 1e6, 256), 0.00535, 0.02);
}

/* ---- Binomial and Poisson ---- */

static void the_binomial_distribution_tends_to_the_poisson(void **state)
{
    (void)state;
    double before = 1;
    const double ns[] = { 10, 15, 20, 100, 1000, 1e6 };
    for (size_t i = 0; i < 6; i++) {
        double distance = 0, sum = 0, mean = 0;
        for (double x = 0; x <= 60; x++) {
            const double b = petal_math_binomial(ns[i], 5 / ns[i], x);
            distance += fabs(b - petal_math_poisson(5, x)) / 2;
            sum += b;
            mean += x * b;
        }
        assert_true(distance < before);
        assert_near(sum, 1, 1e-9);
        assert_near(mean, 5, 1e-9);
        before = distance;
    }
    assert_true(before < 1e-5);
    assert_true(petal_math_poisson_fits(21, 0.04) && petal_math_poisson_fits(101, 0.09));
    assert_false(petal_math_poisson_fits(20, 0.04) || petal_math_poisson_fits(50, 0.09));
}

static void a_poisson_distribution_has_mean_and_variance_lambda(void **state)
{
    (void)state;
    for (double lambda = 0.5; lambda < 300; lambda *= 3) {
        double sum = 0, mean = 0, square = 0;
        for (double x = 0; x < lambda * 4 + 100; x++) {
            const double p = petal_math_poisson(lambda, x);
            sum += p;
            mean += x * p;
            square += x * x * p;
        }
        assert_near(sum, 1, 1e-10);
        assert_near(mean, lambda, 1e-10);
        assert_near(square - mean * mean, lambda, 1e-8);
    }
}

static void the_sum_of_poissons_is_poisson(void **state)
{
    (void)state;
    for (double z = 0; z <= 30; z++) {
        double sum = 0;
        for (double x = 0; x <= z; x++)
            sum += petal_math_poisson(2.5, x) * petal_math_poisson(4.5, z - x);
        assert_near(sum, petal_math_poisson(7, z), 1e-11);
    }
}

static void distributions_at_their_edges(void **state)
{
    (void)state;
    assert_true(petal_math_poisson(0, 0) == 1 && petal_math_poisson(0, 1) == 0);
    assert_true(petal_math_poisson(3, -1) == 0);
    assert_true(petal_math_binomial(10, 0, 0) == 1 && petal_math_binomial(10, 1, 10) == 1);
    assert_true(petal_math_binomial(10, 0.5, 11) == 0 &&
                petal_math_binomial(10, 0.5, -1) == 0);
    assert_true(petal_math_fpr_exact(10, 3, 0) == 0 && petal_math_fpr_exact(1, 3, 5) == 1);
    assert_true(petal_math_fpr_blocked(512, 17, 1, 512) == 1);
}

/* The bounds of the rate tests, compared with values computed by hand. */
static void limits_of_the_rate_tests(void **state)
{
    (void)state;
    assert_true(fabs(binomial_limit(2e5, 0.1) - 20810) <= 1);
    assert_true(fabs(binomial_limit(1e6, 0.01) - 10603) <= 1);
    assert_true(fabs(binomial_limit(1e7, 1e-3) - 10606) <= 1);
    assert_true(fabs(binomial_limit(2e7, 1e-4) - 2275) <= 1);
    assert_true(fabs(binomial_limit(2e8, 1e-6) - 291) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_million_urls_in_thirty_rows_give_1_27_percent),
        cmocka_unit_test(ten_bits_and_seven_hashes_give_about_one_percent),
        cmocka_unit_test(thirty_two_bits_and_22_hashes_give_two_in_ten_million),
        cmocka_unit_test(a_factor_of_ten_costs_4_79_bits),
        cmocka_unit_test(the_mean_lookup_of_the_browser_takes_25_51_ms),
        cmocka_unit_test(a_filter_is_smaller_than_a_list_of_40_byte_keys),
        cmocka_unit_test(the_exact_rate_agrees_with_enumeration),
        cmocka_unit_test(the_rate_for_many_keys_agrees_with_the_exact_one),
        cmocka_unit_test(the_textbook_formula_is_too_low_for_small_sets),
        cmocka_unit_test(a_bit_stays_clear_with_the_probability_of_the_notes),
        cmocka_unit_test(the_number_of_keys_is_estimated_from_the_fill),
        cmocka_unit_test(the_rate_of_blocks_is_a_poisson_mixture),
        cmocka_unit_test(the_rate_of_blocks_falls_with_size_and_rises_with_keys),
        cmocka_unit_test(tables_of_loads_agree_with_the_sum),
        cmocka_unit_test(few_probes_agree_with_enumeration),
        cmocka_unit_test(published_sizes_of_blocks),
        cmocka_unit_test(the_binomial_distribution_tends_to_the_poisson),
        cmocka_unit_test(a_poisson_distribution_has_mean_and_variance_lambda),
        cmocka_unit_test(the_sum_of_poissons_is_poisson),
        cmocka_unit_test(distributions_at_their_edges),
        cmocka_unit_test(limits_of_the_rate_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
