/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parquet.c: a split-block filter as it is in a Parquet file: a header and the bitset.
 *
 * The header is a structure of Thrift's compact protocol.  It says how many bytes the
 * bitset has, and names the algorithm, the hash and the compression, of which Parquet has
 * one each.  So only the number differs from filter to filter: all programs write these
 * bytes.
 *
 *   Apache Parquet: "Parquet Bloom Filter", the specification.
 */
#include "kinds/split/split.h"

#define PARQUET_FIRST    0x15 /* field 1, an integer of 32 bits */
#define PARQUET_SIZE_MAX 5    /* bytes of such an integer */

/* Fields 2 to 4: each is a structure whose only field says which of several choices it is,
 * and is an empty structure itself. */
static const uint8_t parquet_rest[] = { 0x1c, 0x1c, 0,    0, 0x1c, 0x1c, 0,
                                        0,    0x1c, 0x1c, 0, 0,    0 };

/* Reads the number of bytes of the bitset. */
static int parquet_size(const uint8_t *bytes, size_t len, size_t *at, uint64_t *size)
{
    uint64_t number = 0;
    if (len == 0)
        return PETAL_E_TRUNCATED;
    if (bytes[0] != PARQUET_FIRST)
        return PETAL_E_FORMAT;
    for (*at = 1; *at <= PARQUET_SIZE_MAX; ++*at) {
        if (*at == len)
            return PETAL_E_TRUNCATED;
        number |= (uint64_t)(bytes[*at] & 0x7f) << 7 * (*at - 1);
        if (bytes[*at] < 0x80) {
            ++*at;
            *size = number >> 1; /* the lowest bit is the sign */
            return number & 1 || *size > INT32_MAX ? PETAL_E_FORMAT : PETAL_OK;
        }
    }
    return PETAL_E_FORMAT;
}

/* Reads a header.  Returns 0 or an error. */
static int parquet_header(const uint8_t *bytes, size_t len, size_t *header_len,
                          uint64_t *size)
{
    size_t at = 0;
    const int rc = parquet_size(bytes, len, &at, size);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < sizeof parquet_rest; i++, at++) {
        if (at == len)
            return PETAL_E_TRUNCATED;
        if (bytes[at] != parquet_rest[i])
            return i % 4 == 1 ? PETAL_E_VERSION : PETAL_E_FORMAT; /* another choice */
    }
    *header_len = at;
    return *size == 0 || *size % SPLIT_BYTES ? PETAL_E_FORMAT : PETAL_OK;
}

int petal__split_read(petal_filter *f, const uint8_t *bytes, size_t len)
{
    size_t header_len;
    uint64_t size;
    petal_shape *shape = &f->shape;
    const int rc = parquet_header(bytes, len, &header_len, &size);
    if (rc < 0)
        return rc;
    if (len - header_len != size)
        return len - header_len < size ? PETAL_E_TRUNCATED : PETAL_E_FORMAT;
    return petal__split_size(size * 8, shape);
}

void petal__split_fill(petal_filter *f, const uint8_t *bytes, size_t len)
{
    const size_t size = (size_t)(f->shape.bits / 8);
    memcpy(f->cells, bytes + (len - size), size);
}

/* Returns 0 if the filter is too large for Parquet. */
size_t petal__split_write(const petal_filter *f, uint64_t keys, uint8_t *bytes, size_t size)
{
    uint8_t header[1 + PARQUET_SIZE_MAX + sizeof parquet_rest];
    const uint64_t cells_len = f->shape.bits / 8;
    size_t len = 0;
    (void)keys;
    if (cells_len > INT32_MAX)
        return 0;
    header[len++] = PARQUET_FIRST;
    for (uint64_t number = cells_len << 1; number || len == 1; number >>= 7)
        header[len++] = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
    memcpy(header + len, parquet_rest, sizeof parquet_rest);
    len += sizeof parquet_rest;
    if (size > 0)
        memcpy(bytes, header, len < size ? len : size);
    if (size > len)
        memcpy(bytes + len, f->cells,
               cells_len < size - len ? (size_t)cells_len : size - len);
    return len + (size_t)cells_len;
}
