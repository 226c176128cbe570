/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spark.c: BloomFilter of Apache Spark's sketch package, as its writeTo() writes it.
 *
 * All numbers are big-endian.  Version 1 has a header of 12 bytes: the version, k, and the
 * number of longs; in version 2 a seed comes before the last.  The array follows as longs.
 * The hash is Spark's own Murmur 3 of 32 bits, taken twice: the second time with the first
 * result as its seed.  Version 1, which we use for filters that we make since all releases
 * read it, derives probes of 31 bits from that, version 2 probes of 63 bits.
 *
 * A string is the form raw; integers of every width are hashed as longs, the form int64.
 *
 * Written from the published algorithm.  Version 1 was checked with a filter that Spark
 * wrote, version 2 only with the source code of Spark 4.1.
 */
#include "kinds/foreign/foreign.h"
#include "kinds/foreign/murmur.h"

#define HEADER_1 12
#define HEADER_2 16

static void spark_probes_1(const uint32_t h[2], uint64_t m, uint32_t k, uint64_t *bits)
{
    for (uint32_t i = 1; i <= k; i++) {
        const uint32_t c = h[0] + i * h[1];
        *bits++ = (c >> 31 ? ~c : c) % m;
    }
}

static void spark_probes_2(const uint32_t h[2], uint64_t m, uint32_t k, uint64_t *bits)
{
    uint64_t c = (uint64_t)((int64_t)(int32_t)h[0] * INT32_MAX);
    for (uint32_t i = 0; i < k; i++) {
        c += (uint64_t)(int64_t)(int32_t)h[1];
        bits[i] = (c >> 63 ? ~c : c) % m;
    }
}

static void spark_probes(const petal_filter *f, const uint8_t *key, size_t len,
                         uint64_t *bits)
{
    uint32_t h[2];
    h[0] = murmur_3_bytewise(key, len, (uint32_t)f->shape.seed[0]);
    h[1] = murmur_3_bytewise(key, len, h[0]);
    (petal__tail(f)[3] == 1 ? spark_probes_1 : spark_probes_2)(h, f->shape.bits,
                                                               f->shape.hashes, bits);
}

static int spark_parse(const uint8_t *bytes, size_t len, struct array_header *header)
{
    if (len < 4)
        return PETAL_E_TRUNCATED;
    const uint32_t version = load_be32(bytes);
    if (version < 1 || version > 2)
        return PETAL_E_FORMAT;
    header->len = version == 1 ? HEADER_1 : HEADER_2;
    if (len < header->len)
        return PETAL_E_TRUNCATED;
    const uint32_t hashes = load_be32(bytes + 4),
                   longs = load_be32(bytes + header->len - 4);
    if (hashes > INT32_MAX || longs > INT32_MAX)
        return PETAL_E_FORMAT;
    header->variant = version;
    header->hashes = hashes;
    header->seed = version == 2 ? load_be32(bytes + 8) : 0;
    header->bits = (uint64_t)longs * 64;
    return PETAL_OK;
}

static void spark_header(const petal_shape *shape, uint8_t *bytes)
{
    const bool seeded = shape->seed[0]; /* like one that was read */
    store_be32(bytes, seeded ? 2 : 1);
    store_be32(bytes + 4, shape->hashes);
    if (seeded)
        store_be32(bytes + 8, (uint32_t)shape->seed[0]);
    store_be32(bytes + (seeded ? 12 : 8), (uint32_t)(shape->bits / 64));
}

static const struct array spark_array = {
    .foreign = { "spark", FULL(petal__array_read), FULL(petal__array_fill),
                 FULL(petal__array_write) },
    .rule = { .rate = FULL(petal__array_rate),
              .estimate = FULL(petal__array_estimate),
              .k_min = 1,
              .k_max = PETAL__HASHES_MAX,
              .granule = 64,
              .cells_max = (uint64_t)1 << 31 },
    .granule = 64,
    .unit = 8,
    .big_endian = true,
    .seed_max = UINT32_MAX,
    .probes = spark_probes,
    .parse = spark_parse,
    .header = FULL(spark_header),
};

const struct petal_ops petal__spark = {
    .kind = (petal_kind)PETAL_SPARK,
    .name = "spark",
    .words = { .summary = "BloomFilter of Apache Spark", .hashes = "probe" },
    .foreign = &spark_array.foreign,
    ARRAY_OPS,
};
