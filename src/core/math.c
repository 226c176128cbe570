/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * math.c: the formulas of petal_math.h.
 *
 * m is the number of bits, k the number of probes per key, n the number of keys, p a
 * probability.  docs/math.md derives each formula.  The comments here say where a formula
 * comes from and how it stays accurate: powers of numbers close to 1 use log1p() and
 * expm1(), factorials use log-gamma, and exact results are sums of positive terms.  to
 * below refer to the headings of docs/math.md.
 *
 *   Bloom: "Space/time trade-offs in hash coding with allowable errors", 1970.
 *   Bose et al.: "On the false-positive rate of Bloom filters", 2008.
 *   Christensen, Roginsky, Jimeno: "A new analysis of the false positive rate of
 *     a Bloom filter", 2010.
 *   Putze, Sanders, Singler: "Cache-, hash- and space-efficient Bloom filters", 2007.
 *   Swamidass, Baldi: "Mathematical correction for fingerprint similarity measures", 2007.
 */
#define _DEFAULT_SOURCE /* lgamma_r(), because lgamma() writes a global */
#if defined(__APPLE__) && !defined(_REENTRANT)
#define _REENTRANT /* lgamma_r() on macOS */
#endif

#include "core/math.h"

#include "core/load_table.h"

#include <math.h>

#define LN2          0.693147180559945309417
#define EXACT_BALLS  4000 /* up to this many probes of all keys, the rate is exact */
#define EXACT_PROBES 64

/* ---- One array of bits, and k rows of bits ---- */

double petal_math_zero(double m, double k, double n)
{
    return exp(-k * n / m);
}

double petal_math_zero_exact(double m, double k, double n)
{
    return exp(k * n * log1p(-1 / m));
}

double petal_math_fpr(double m, double k, double n)
{
    return pow(-expm1(-k * n / m), k);
}

double petal_math_fpr_partitioned(double row, double k, double n)
{
    return pow(-expm1(n * log1p(-1 / row)), k);
}

/*
 * The rate of one array is the probability that k random probes hit only set cells.  The
 * probes fall on j different cells with probability distinct[j].  After t balls (the probes
 * of all keys added so far), j given cells are all set with probability hit[j].  A ball
 * either hits one of the j cells, and the balls before it must set the others, or it misses
 * them all:
 *
 *     hit[j](t + 1) = j/m hit[j-1](t) + (1 - j/m) hit[j](t)
 *
 * Every term is positive, so nothing cancels.
 */
static double math_fpr_occupancy(double m, uint32_t k, uint64_t balls)
{
    double distinct[EXACT_PROBES + 1] = { 1 };
    double two[2][EXACT_PROBES + 1] = { { 1 }, { 1 } }, *hit = two[0], *next = two[1];
    double chance[EXACT_PROBES + 1];
    const uint32_t most = m < k ? (uint32_t)m : k;
    for (uint32_t j = 0; j <= most; j++)
        chance[j] = j / m;

    for (uint32_t probe = 0; probe < k; probe++) {
        for (uint32_t j = most; j > 0; j--)
            distinct[j] = distinct[j] * j / m + distinct[j - 1] * (m - j + 1) / m;
        distinct[0] = 0;
    }
    for (uint64_t t = 0; t < balls; t++) {
        for (uint32_t j = 1; j <= most; j++)
            next[j] = hit[j] + chance[j] * (hit[j - 1] - hit[j]);
        double *swap = hit;
        hit = next;
        next = swap;
    }

    double rate = 0;
    for (uint32_t j = 1; j <= most; j++)
        rate += distinct[j] * hit[j];
    return balls ? rate : 0;
}

/*
 * For many keys, the fraction of set cells is nearly normal with mean f and variance v.
 * Its k-th moment is f^k (1 + sum of C(k,2i) (2i-1)!! (v/f^2)^i).
 */
static double math_fpr_moments(double m, double k, double balls)
{
    const double q1 = exp(balls * log1p(-1 / m));
    const double q2 = exp(balls * log1p(-2 / m));
    const double f = -expm1(balls * log1p(-1 / m));
    const double v =
        (q1 - q2) / m + q1 * q1 * expm1(balls * log1p(-1 / ((m - 1) * (m - 1))));
    double term = 1, sum = 1;
    for (double i = 1; 2 * i <= k; i++) {
        term *= (k - 2 * i + 2) * (k - 2 * i + 1) / (2 * i) * (v / (f * f));
        sum += term;
    }
    return pow(f, k) * sum;
}

double petal__fpr_estimate(double m, double k, double n)
{
    return m > 1 ? math_fpr_moments(m, k, n * k) : 1;
}

double petal_math_fpr_exact(uint64_t m, uint32_t k, uint64_t n)
{
    if (n == 0)
        return 0;
    if (m <= 1)
        return 1;
    if (k <= EXACT_PROBES && n <= EXACT_BALLS && n * k <= EXACT_BALLS)
        return math_fpr_occupancy((double)m, k, n * k);
    return math_fpr_moments((double)m, k, (double)n * k);
}

/* ---- Blocks: a mixture over the load of a block ---- */

#define LANES 8

/*
 * A block is eight lanes of w cells.  A lookup probes one cell in each of its lanes, or two
 * in some (k > 8).  By inclusion and exclusion over the probed cells that are clear, the
 * rate is a sum of terms (1 - (1 - A) / blocks)^n.  A is the probability that a key which
 * falls into the block misses the chosen cells.
 */
struct mixture {
    double blocks, n, w;
    uint32_t twice; /* the number of lanes that a key probes twice */
};

/* Sums over the number of chosen cells that are clear in this lane, and recursively in the
 * lanes after it.  miss[r] is the probability that a key that begins at lane r misses all
 * cells chosen so far. */
static double math_mixture(const struct mixture *x, uint32_t lane, double weight,
                           const double miss[LANES])
{
    if (lane == LANES) {
        double a = 0;
        for (uint32_t r = 0; r < LANES; r++)
            a += miss[r] / LANES;
        return weight * exp(x->n * log1p((a - 1) / x->blocks));
    }
    const bool twice = lane < x->twice;
    const double weights[3] = { 1, twice ? 1 / x->w - 2 : -1, 1 - 1 / x->w };
    double sum = 0;
    for (uint32_t clear = 0; clear <= 1u + twice; clear++) {
        const double past = 1 - clear / x->w;
        double next[LANES];
        for (uint32_t r = 0; r < LANES; r++) {
            const uint32_t probe = (lane - r) % LANES; /* its probe in this lane */
            next[r] = miss[r] * past * (probe < x->twice ? past : 1);
        }
        sum += math_mixture(x, lane + 1, weight * weights[clear], next);
    }
    return sum;
}

/* Rounding can push a sum slightly out of the range of a probability. */
static double math_probability(double p)
{
    return p < 0 ? 0 : p < 1 ? p : 1;
}

/* With fewer probes than lanes, subsets of chosen lanes that give the same term
 * are grouped. */
static double math_fpr_subsets(double blocks, uint32_t k, double n, double w)
{
    double sum = 0;
    for (const struct load_subset *s = load_subsets[k - 1]; s->weight; s++) {
        double a = 0, past = 1. / LANES;
        for (int i = 0; i < LANES; i++, past *= 1 - 1 / w)
            a += s->starts[i] * past;
        sum += s->weight * exp(n * log1p((a - 1) / blocks));
    }
    return math_probability(sum);
}

/* With one probe in every lane, only the number s of chosen lanes matters. */
static double math_fpr_rows(double blocks, double n, double w)
{
    double sum = 0, weight = 1;
    for (int s = 0; s <= LANES; s++) {
        const double a = pow(1 - 1 / w, s);
        sum += weight * exp(n * log1p((a - 1) / blocks));
        weight *= -(double)(LANES - s) / (s + 1);
    }
    return math_probability(sum);
}

/* The sum of math_mixture() has up to 3^8 terms.  For 512-bit blocks, the rate is instead
 * the mean over the load of a block (its number of keys), which is binomially distributed.
 * That takes about a hundred terms, all positive.  They are computed outwards from the
 * most likely load and divided by the sum of their probabilities.  Blocks with more keys
 * than the table has are assumed to let every lookup through.  Nearly all do: nine in ten
 * at least. */
static double math_fpr_loads(double blocks, uint32_t k, double n)
{
    const float *rates = load_table[k - LANES - 1];
    const double likeliest = blocks > 1 ? floor((n + 1) / blocks) : floor(n);
    if (likeliest >= LOADS)
        return 1;
    if (blocks <= 1)
        return rates[(int)likeliest];
    const double odds = 1 / (blocks - 1);
    double all = 0, found = 0, p = 1;
    for (double j = likeliest; p > 1e-17 * found; j++) {
        all += p;
        found += p * (j < LOADS ? (double)rates[(int)j] : 1);
        p *= j < n ? (n - j) / (j + 1) * odds : 0;
    }
    p = likeliest / ((n - likeliest + 1) * odds);
    for (double j = likeliest - 1; j >= 0 && p > 1e-17; j--) {
        all += p;
        found += p * (double)rates[(int)j];
        p *= j / ((n - j + 1) * odds);
    }
    return math_probability(found / all);
}

double petal_math_fpr_blocked(double m, uint32_t k, double n, double block_bits)
{
    const double blocks = m / block_bits, w = block_bits / LANES;
    if (k == LANES)
        return math_fpr_rows(blocks, n, w);
    if (k < 1 || k > 2 * LANES)
        return 1;
    if (k < LANES)
        return math_fpr_subsets(blocks, k, n, w);
    if (block_bits == LOAD_BITS)
        return math_fpr_loads(blocks, k, n);

    const struct mixture x = { blocks, n, w, k - LANES };
    const double all[LANES] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    return math_probability(math_mixture(&x, 0, 1, all));
}

/* ---- Sizes ---- */

double petal_math_fpr_best(double bits_per_key)
{
    return exp(-bits_per_key * LN2 * LN2);
}

double petal_math_best_k(double m, double n)
{
    return m / n * LN2;
}

double petal_math_k(double fpr)
{
    return ceil(log2(1 / fpr));
}

double petal_math_bits(double n, double fpr)
{
    return -n * log(fpr) / (LN2 * LN2);
}

double petal_math_capacity(double m, double fpr)
{
    return -m * LN2 * LN2 / log(fpr);
}

double petal_math_lower_bound(double fpr)
{
    return log2(1 / fpr);
}

double petal_math_keys(double m, double k, double bits_set)
{
    return log1p(-bits_set / m) / (k * log1p(-1 / m));
}

double petal_math_cost(double bits_per_key, double key_bits, double n)
{
    return bits_per_key / (key_bits + log2(n));
}

/* ---- Probabilities of events, and the time that a filter saves ---- */

static double math_log_factorial(double x)
{
#ifdef _WIN32 /* has no lgamma_r; the global gets the same value each time */
    return lgamma(x + 1);
#else
    int sign;
    return lgamma_r(x + 1, &sign);
#endif
}

double petal_math_binomial(double n, double p, double i)
{
    if (i < 0 || i > n)
        return 0;
    if (p <= 0 || p >= 1)
        return i == (p <= 0 ? 0 : n);
    return exp(math_log_factorial(n) - math_log_factorial(i) - math_log_factorial(n - i) +
               i * log(p) + (n - i) * log1p(-p));
}

double petal_math_poisson(double lambda, double i)
{
    if (i < 0)
        return 0;
    if (lambda <= 0)
        return i == 0;
    return exp(i * log(lambda) - lambda - math_log_factorial(i));
}

bool petal_math_poisson_fits(double n, double p)
{
    return (n > 20 && p < 0.05) || (n > 100 && p < 0.1);
}

double petal_math_lookup_time(double visits, double hits, double slow, double fast,
                              double fpr)
{
    return fast + (hits + (visits - hits) * fpr) / visits * slow;
}
