/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * array.c: filters of other programs that are one array of bits with k probes.
 *
 * The array is stored in our order: bit i is bit i mod 8 of byte i/8.  The tail has the
 * header of the other program, byte for byte, and zeros.  The header is also where the
 * probes find what the shape does not say, such as the variant of the hash.
 *
 * Most of these programs derive the k probes from two numbers, as a + i b.  In an array of
 * m bits, one key in m has a b that is 0 modulo m or has few multiples, so that its probes
 * are few.  And two keys whose progressions share two neighbours share nearly all.  So the
 * rate is higher than that of independent probes, by up to 2/m for the first reason and
 * 4n/m^2 for the second.  It matters in small arrays only.  What we compute is a bound.
 *
 *   Kirsch, Mitzenmacher: "Less Hashing, Same Performance", 2006.
 */
#include "core/bits.h"
#include "core/image.h"
#include "core/math.h"
#include "core/refusal.h"
#include "kinds/foreign/foreign.h"

#include <math.h>

static const struct array *array_of(const petal_filter *f)
{
    return (const struct array *)f->ops->foreign; /* its first member */
}

static const struct array *array_for(const petal_shape *shape)
{
    return (const struct array *)petal__ops(shape->kind)->foreign;
}

/* ---- The shape ---- */

double petal__array_extra(double m, double n)
{
    return 2 / m + 4 * n / (m * m);
}

double petal__array_rate(uint64_t cells, uint32_t k, double n)
{
    const double rate = petal_math_fpr_exact(cells, k, (uint64_t)ceil(n)) +
                        petal__array_extra((double)cells, n);
    return rate < 1 ? rate : 1;
}

double petal__array_estimate(uint64_t cells, uint32_t k, double n)
{
    const double rate =
        petal__fpr_estimate((double)cells, k, n) + petal__array_extra((double)cells, n);
    return rate < 1 ? rate : 1;
}

int petal__array_plan(const petal_options *want, petal_shape *shape, petal_refusal *why)
{
    const struct array *array = array_for(shape);
    if (want->seed[0])
        return petal__refuse(why, PETAL_E_SHAPE, "seed", "must be 0 with this kind");
    shape->hash = PETAL_HASH_FOREIGN;
    const int rc = petal__size(want, &array->rule, shape, why);
    if (rc == PETAL_OK && array->odd && shape->bits % 2 == 0)
        shape->bits = want->bits ? shape->bits - 1 : shape->bits + 1;
    return rc;
}

bool petal__array_fits(const petal_shape *shape)
{
    const struct array *array = array_for(shape);
    return shape->bits > 0 && shape->bits <= PETAL__BITS_MAX &&
           shape->bits % array->granule == 0 && shape->hashes > 0 &&
           shape->hashes <= PETAL__HASHES_MAX && shape->seed[0] <= array->seed_max;
}

double petal__array_fpr(const petal_shape *shape, double n)
{
    return petal__array_rate(shape->bits, shape->hashes, n);
}

size_t petal__array_tail_len(uint32_t stages)
{
    (void)stages;
    return FOREIGN_HEADER_MAX;
}

/* ---- The header in the tail ---- */

static bool array_header_of(const petal_filter *f, struct array_header *header)
{
    *header = (struct array_header){ 0 };
    return array_of(f)->parse(petal__tail(f), FOREIGN_HEADER_MAX, header) == PETAL_OK;
}

int petal__array_start(petal_filter *f)
{
    const int rc = petal__image_alloc(f);
    if (rc == PETAL_OK)
        array_of(f)->header(&f->shape, petal__tail(f));
    return rc;
}

bool petal__array_sound(const petal_filter *f)
{
    struct array_header header;
    if (!array_header_of(f, &header) || header.bits != f->shape.bits ||
        header.hashes != f->shape.hashes || header.seed != f->shape.seed[0])
        return false;
    const uint8_t *tail = petal__tail(f);
    for (size_t i = header.len; i < FOREIGN_HEADER_MAX; i++)
        if (tail[i])
            return false;
    return true;
}

bool petal__array_alike(const petal_filter *a, const petal_filter *b)
{
    struct array_header one, other;
    return a->shape.bits == b->shape.bits && a->shape.hashes == b->shape.hashes &&
           array_header_of(a, &one) && array_header_of(b, &other) &&
           one.variant == other.variant;
}

/* ---- Keys ---- */

int petal__array_add(petal_filter *f, const uint8_t *key, size_t len)
{
    uint64_t bits[PETAL__HASHES_MAX];
    int added = 0;
    array_of(f)->probes(f, key, len, bits);
    for (uint32_t i = 0; i < f->shape.hashes; i++)
        added |= bit_set(f->cells, bits[i]);
    return added;
}

bool petal__array_contains(const petal_filter *f, const uint8_t *key, size_t len)
{
    uint64_t bits[PETAL__HASHES_MAX];
    array_of(f)->probes(f, key, len, bits);
    for (uint32_t i = 0; i < f->shape.hashes; i++)
        if (!bit_get(f->cells, bits[i]))
            return false;
    return true;
}

size_t petal__array_probes(const petal_filter *f, const uint8_t *key, size_t len,
                           uint64_t *cells, uint32_t *groups, size_t max)
{
    uint64_t bits[PETAL__HASHES_MAX];
    (void)groups; /* all 0 */
    array_of(f)->probes(f, key, len, bits);
    for (uint32_t i = 0; i < f->shape.hashes && i < max; i++)
        cells[i] = bits[i];
    return f->shape.hashes;
}

void petal__array_measure(const petal_filter *f, petal_stats *stats)
{
    const double m = (double)f->shape.bits, k = f->shape.hashes;
    stats->cells_set = petal__bits_count(f->cells, petal__cells_len(&f->shape));
    const double set = (double)stats->cells_set;
    stats->keys_estimate = petal__keys_for(m, set, 1 / m) / k;
    const double rate = pow(set / m, k);
    stats->fpr_estimate =
        set > 0 ? fmin(1, rate + petal__array_extra(m, stats->keys_estimate)) : 0;
}

/* ---- Reading what the other program wrote ---- */

/* Bytes of the array in the file. */
static uint64_t array_len(const struct array *array, uint64_t bits)
{
    return round_up(bits, 8 * array->unit) / 8;
}

/* The keys that fill half of the bits, if the header does not say how many were expected.
 */
static void array_promise(petal_shape *shape, const struct array_header *header)
{
    const double m = (double)header->bits, k = header->hashes;
    const double full = m * 0.693147180559945 / k;
    shape->capacity = header->capacity ? header->capacity : full < 1 ? 1 : (uint64_t)full;
    shape->fpr = header->capacity ? header->fpr
                                  : petal__array_estimate(header->bits, header->hashes,
                                                          (double)shape->capacity);
}

int petal__array_read(petal_filter *f, const uint8_t *bytes, size_t len)
{
    const struct array *array = array_of(f);
    struct array_header header = { 0 };
    const int rc = array->parse(bytes, len, &header);
    if (rc < 0)
        return rc;
    f->shape.bits = header.bits;
    f->shape.hashes = header.hashes;
    f->shape.hash = PETAL_HASH_FOREIGN;
    f->shape.seed[0] = header.seed;
    if (header.bits == 0 || header.hashes == 0)
        return PETAL_E_CORRUPT;
    if (!petal__array_fits(&f->shape))
        return PETAL_E_SHAPE;
    const uint64_t whole = header.len + array_len(array, header.bits);
    if (len < whole)
        return PETAL_E_TRUNCATED;
    if (len > whole && !array->has_data)
        return PETAL_E_CORRUPT;
    array_promise(&f->shape, &header);
    f->counted = header.counted;
    f->keys = header.keys;
    return petal__sections_with_data(&f->sections, bytes + whole, len - (size_t)whole);
}

/* Copies the array.  Big-endian words have their bytes in the opposite order. */
static void array_copy(const struct array *array, uint8_t *to, const uint8_t *from,
                       size_t len)
{
    if (!array->big_endian)
        memcpy(to, from, len);
    else
        for (size_t at = 0; at < len; at += 8)
            store_be64(to + at, load_le64(from + at));
}

void petal__array_fill(petal_filter *f, const uint8_t *bytes, size_t len)
{
    const struct array *array = array_of(f);
    struct array_header header = { 0 };
    array->parse(bytes, len, &header); /* which has succeeded before */
    memcpy(petal__tail(f), bytes, header.len);
    array_copy(array, f->cells, bytes + header.len,
               (size_t)array_len(array, f->shape.bits));
}

/* ---- Writing it again ---- */

size_t petal__array_write(const petal_filter *f, uint64_t keys, uint8_t *bytes, size_t size)
{
    const struct array *array = array_of(f);
    struct array_header header;
    uint32_t data_len;
    const uint8_t *data = petal__sections_data(&f->sections, &data_len);
    array_header_of(f, &header);
    const size_t len = (size_t)array_len(array, f->shape.bits);
    const size_t whole = header.len + len + data_len;
    if (size < whole)
        return whole;
    memcpy(bytes, petal__tail(f), header.len);
    if (array->count)
        array->count(bytes, keys);
    array_copy(array, bytes + header.len, f->cells, len);
    if (data_len)
        memcpy(bytes + header.len + len, data, data_len);
    return whole;
}
