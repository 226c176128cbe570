/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libbloom.c: libbloom 2, a C library, as its bloom_save() writes filters.
 *
 * The header is "libbloom2", the length of a struct as a number of 16 bits, and that struct
 * as a 64-bit machine has it in memory: 64 bytes.  The array follows.  The hash is Murmur 2
 * of 32 bits, taken twice: the second time with the first result as its seed.
 *
 * Checked against libbloom 2.0, both ways.
 */
#include "kinds/foreign/foreign.h"
#include "kinds/foreign/murmur.h"

#include <math.h>

#define MAGIC      "libbloom2"
#define MAGIC_LEN  9
#define STRUCT_LEN 64
#define STRUCT_AT  (MAGIC_LEN + 2)
#define HEADER_LEN (STRUCT_AT + STRUCT_LEN)
#define SEED       0x9747B28C

enum { /* in the struct */
       AT_ENTRIES = 0,
       AT_BITS = 8,
       AT_BYTES = 16,
       AT_HASHES = 24,
       AT_ERROR = 32,
       AT_READY = 40,
       AT_MAJOR = 41,
       AT_PER_KEY = 48,
};

static void libbloom_probes(const petal_filter *f, const uint8_t *key, size_t len,
                            uint64_t *bits)
{
    const uint64_t a = murmur_2(key, len, SEED), b = murmur_2(key, len, (uint32_t)a);
    for (uint32_t i = 0; i < f->shape.hashes; i++)
        bits[i] = (a + i * b) % f->shape.bits;
}

static int libbloom_parse(const uint8_t *bytes, size_t len, struct array_header *header)
{
    if (memcmp(bytes, MAGIC, len < MAGIC_LEN ? len : MAGIC_LEN) != 0)
        return PETAL_E_FORMAT;
    if (len < HEADER_LEN)
        return PETAL_E_TRUNCATED;
    const uint8_t *s = bytes + STRUCT_AT;
    if (load_le16(bytes + MAGIC_LEN) != STRUCT_LEN || s[AT_MAJOR] != 2)
        return PETAL_E_VERSION; /* of another machine, or another version */
    header->len = HEADER_LEN;
    header->bits = load_le64(s + AT_BITS);
    header->hashes = s[AT_HASHES];
    header->capacity = load_le32(s + AT_ENTRIES);
    header->fpr = load_le_double(s + AT_ERROR);
    if (!(header->fpr > 0 && header->fpr < 1) || header->capacity == 0 || !s[AT_READY] ||
        header->bits > PETAL__BITS_MAX ||
        load_le64(s + AT_BYTES) != round_up(header->bits, 8) / 8)
        return PETAL_E_CORRUPT;
    return PETAL_OK;
}

static void libbloom_header(const petal_shape *shape, uint8_t *bytes)
{
    uint8_t *s = bytes + STRUCT_AT;
    memcpy(bytes, MAGIC, MAGIC_LEN);
    store_le16(bytes + MAGIC_LEN, STRUCT_LEN);
    store_le32(s + AT_ENTRIES,
               shape->capacity < UINT32_MAX ? (uint32_t)shape->capacity : UINT32_MAX);
    store_le64(s + AT_BITS, shape->bits);
    store_le64(s + AT_BYTES, round_up(shape->bits, 8) / 8);
    s[AT_HASHES] = (uint8_t)shape->hashes;
    store_le_double(s + AT_ERROR, shape->fpr);
    s[AT_READY] = 1;
    s[AT_MAJOR] = 2;
    store_le_double(s + AT_PER_KEY, (double)shape->bits / (double)shape->capacity);
}

static const struct array libbloom_array = {
    .foreign = { "libbloom", FULL(petal__array_read), FULL(petal__array_fill),
                 FULL(petal__array_write) },
    .rule = { .rate = FULL(petal__array_rate),
              .estimate = FULL(petal__array_estimate),
              .k_min = 1,
              .k_max = PETAL__HASHES_MAX,
              .granule = 8,
              .cells_max = (uint64_t)1 << 32 },
    .granule = 1,
    .unit = 1,
    .probes = libbloom_probes,
    .parse = libbloom_parse,
    .header = FULL(libbloom_header),
};

const struct petal_ops petal__libbloom = {
    .kind = (petal_kind)PETAL_LIBBLOOM,
    .name = "libbloom",
    .words = { .summary = "libbloom 2, for C", .hashes = "probe" },
    .foreign = &libbloom_array.foreign,
    ARRAY_OPS,
};
