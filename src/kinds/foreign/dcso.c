/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dcso.c: DCSO bloom, the format of a Go library, its command, and a Python package.
 *
 * The header has 48 little-endian bytes: version and flags, n, p, k, m and the number of
 * keys.  The array follows as words of 64 bits, and then data of the user, to the end of
 * the file.  The hash is FNV-1 of 64 bits; each further probe multiplies the last one,
 * modulo the largest prime below 2^64.  The product is cut off at 64 bits before that, so
 * the last bits of a probe depend only on those of the one before it.  In an array of an
 * even number of bits the probes are therefore not independent, and with a multiple of 64
 * the rate is far too high.  So the filters that we make have an odd number of bits.
 *
 * Files may be compressed with gzip.  That is for the caller to undo.
 *
 * Checked against version 0.2.4 of its command, both ways.
 */
#include "kinds/foreign/foreign.h"

#define HEADER_LEN 48
#define PRIME      18446744073709551557u
#define FACTOR     18446744073709550147u

enum { AT_VERSION = 0, AT_N = 8, AT_P = 16, AT_K = 24, AT_M = 32, AT_KEYS = 40 };

static void dcso_probes(const petal_filter *f, const uint8_t *key, size_t len,
                        uint64_t *bits)
{
    uint64_t h = 0xCBF29CE484222325;
    for (size_t i = 0; i < len; i++)
        h = h * 0x100000001B3 ^ key[i];
    h %= PRIME;
    for (uint32_t i = 0; i < f->shape.hashes; i++) {
        h = h * FACTOR % PRIME;
        bits[i] = h % f->shape.bits;
    }
}

static int dcso_parse(const uint8_t *bytes, size_t len, struct array_header *header)
{
    if (len >= 1 && bytes[0] != 1)
        return PETAL_E_FORMAT;
    if (len < HEADER_LEN)
        return PETAL_E_TRUNCATED;
    const uint64_t k = load_le64(bytes + AT_K);
    const double p = load_le_double(bytes + AT_P);
    if (!(p > 0 && p < 1) || k > INT32_MAX || load_le64(bytes + AT_N) == 0)
        return PETAL_E_FORMAT;
    header->len = HEADER_LEN;
    header->capacity = load_le64(bytes + AT_N);
    header->fpr = p;
    header->hashes = (uint32_t)k;
    header->bits = load_le64(bytes + AT_M);
    header->keys = load_le64(bytes + AT_KEYS);
    header->counted = true;
    return PETAL_OK;
}

static void dcso_header(const petal_shape *shape, uint8_t *bytes)
{
    bytes[AT_VERSION] = 1;
    store_le64(bytes + AT_N, shape->capacity);
    store_le_double(bytes + AT_P, shape->fpr);
    store_le64(bytes + AT_K, shape->hashes);
    store_le64(bytes + AT_M, shape->bits);
}

static void dcso_count(uint8_t *header, uint64_t keys)
{
    store_le64(header + AT_KEYS, keys);
}

static const struct array dcso_array = {
    .foreign = { "dcso", FULL(petal__array_read), FULL(petal__array_fill),
                 FULL(petal__array_write) },
    .rule = { .rate = FULL(petal__array_rate),
              .estimate = FULL(petal__array_estimate),
              .k_min = 1,
              .k_max = PETAL__HASHES_MAX,
              .granule = 1,
              .cells_max = PETAL__BITS_MAX },
    .odd = true,
    .granule = 1,
    .unit = 8,
    .has_data = true,
    .probes = dcso_probes,
    .parse = dcso_parse,
    .header = FULL(dcso_header),
    .count = FULL(dcso_count),
};

const struct petal_ops petal__dcso = {
    .kind = (petal_kind)PETAL_DCSO,
    .name = "dcso",
    .words = { .summary = "DCSO bloom, for Go and Python", .hashes = "probe" },
    .foreign = &dcso_array.foreign,
    ARRAY_OPS,
};
