/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guava.c: BloomFilter of Guava, the Java library, as BloomFilter.writeTo() writes it.
 *
 * The header has 6 bytes: the strategy, k, and the number of longs as a big-endian integer.
 * The array follows as big-endian longs.  Both strategies hash a key with Murmur 3 of
 * 128 bits.  The newer one, which we use for filters that we make, derives the probes from
 * all 128 bits; the older one, from 64 of them, and reaches only 2^31 bits.
 *
 * What a key is hashed as depends on the funnel: stringFunnel(UTF_8) and byteArrayFunnel
 * are the form raw, longFunnel is int64, integerFunnel is int32, unencodedCharsFunnel is
 * utf16. The file does not say which one was used.
 *
 * Checked against Guava 31.1, both ways.
 */
#include "kinds/foreign/foreign.h"
#include "kinds/foreign/murmur.h"

#define HEADER_LEN 6

enum { MITZ_32 = 0, MITZ_64 = 1 };

static void guava_probes_32(uint64_t h, uint64_t m, uint32_t k, uint64_t *bits)
{
    const uint32_t a = (uint32_t)h, b = (uint32_t)(h >> 32);
    for (uint32_t i = 1; i <= k; i++) {
        const uint32_t c = a + i * b;
        *bits++ = (c >> 31 ? ~c : c) % m;
    }
}

static void guava_probes(const petal_filter *f, const uint8_t *key, size_t len,
                         uint64_t *bits)
{
    const uint64_t m = f->shape.bits;
    uint64_t h[2];
    murmur_3(key, len, h);
    if (petal__tail(f)[0] == MITZ_32) {
        guava_probes_32(h[0], m, f->shape.hashes, bits);
        return;
    }
    for (uint32_t i = 0; i < f->shape.hashes; i++, h[0] += h[1])
        bits[i] = (h[0] & INT64_MAX) % m;
}

static int guava_parse(const uint8_t *bytes, size_t len, struct array_header *header)
{
    if (len >= 1 && bytes[0] > MITZ_64)
        return PETAL_E_FORMAT;
    if (len < HEADER_LEN)
        return PETAL_E_TRUNCATED;
    const uint32_t longs = load_be32(bytes + 2);
    if (longs > INT32_MAX)
        return PETAL_E_FORMAT;
    header->len = HEADER_LEN;
    header->variant = bytes[0];
    header->hashes = bytes[1];
    header->bits = (uint64_t)longs * 64;
    return PETAL_OK;
}

static void guava_header(const petal_shape *shape, uint8_t *bytes)
{
    bytes[0] = MITZ_64;
    bytes[1] = (uint8_t)shape->hashes;
    store_be32(bytes + 2, (uint32_t)(shape->bits / 64));
}

static const struct array guava_array = {
    .foreign = { "guava", FULL(petal__array_read), FULL(petal__array_fill),
                 FULL(petal__array_write) },
    .rule = { .rate = FULL(petal__array_rate),
              .estimate = FULL(petal__array_estimate),
              .k_min = 1,
              .k_max = PETAL__HASHES_MAX,
              .granule = 64,
              .cells_max = (uint64_t)INT32_MAX * 64 },
    .granule = 64,
    .unit = 8,
    .big_endian = true,
    .probes = guava_probes,
    .parse = guava_parse,
    .header = FULL(guava_header),
};

const struct petal_ops petal__guava = {
    .kind = (petal_kind)PETAL_GUAVA,
    .name = "guava",
    .words = { .summary = "BloomFilter of Guava, for Java", .hashes = "probe" },
    .foreign = &guava_array.foreign,
    ARRAY_OPS,
};
