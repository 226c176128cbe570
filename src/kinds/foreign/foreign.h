/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foreign.h: what the kinds of this folder share.
 *
 * They are the filters of other programs.  A filter that another program made cannot become
 * one of our own kinds: its keys are unknown, and they were hashed in another way.  So it
 * stays what it is, in our envelope: with our header, our checksums and our functions.
 *
 * Most are one array of bits with k probes (array.c).  Such a kind says in a struct array
 * how it hashes a key and what its header looks like.  The tail of the image is the header
 * as the other program wrote it, so that the file can be written again byte for byte.
 */
#ifndef PETAL_KINDS_FOREIGN_FOREIGN_H
#define PETAL_KINDS_FOREIGN_FOREIGN_H

#include "core/filter.h"
#include "kinds/sizing.h"
#include "petal_exchange.h"

#define FOREIGN_HEADER_MAX 128  /* bytes of a header, and of the tail */

/* ---- Kinds with one array of bits ---- */

/* What a header says. */
struct array_header {
    size_t   len;               /* of the header itself */
    uint64_t bits;
    uint32_t hashes;
    uint32_t variant;           /* filters of different variants cannot be merged */
    uint64_t seed;
    uint64_t capacity;          /* 0: it does not say */
    double   fpr;               /* at capacity */
    bool     counted;           /* `keys` is known */
    uint64_t keys;
};

struct array {
    struct petal__foreign foreign;
    struct petal__rule rule;    /* for filters that we make */
    bool     odd;               /* their number of bits is odd */
    uint32_t granule;           /* the number of bits is a multiple of this */
    uint32_t unit;              /* in files, the array is whole units of so many bytes */
    bool     big_endian;        /* the units are big-endian numbers of 8 bytes */
    bool     has_data;          /* more may follow the array */
    uint64_t seed_max;          /* of filters that are read; ours have none */

    /* The probes of a key: f->shape.hashes bits. */
    void     (*probes)(const petal_filter *f, const uint8_t *key, size_t len,
                       uint64_t *bits);

    /* Reads a header.  Returns 0, or an error as petal__foreign.read does.  All fields
     * of `header` are 0 before the call. */
    int      (*parse)(const uint8_t *bytes, size_t len, struct array_header *header);

    /* Writes the header of a new filter of this shape: FOREIGN_HEADER_MAX bytes at most,
     * which are 0 before the call. */
    void     (*header)(const petal_shape *shape, uint8_t *bytes);

    /* Puts the number of keys into a header.  NULL: it has none. */
    void     (*count)(uint8_t *header, uint64_t keys);
};

/* Functions of struct petal_ops, and of struct petal__foreign, for these kinds. */
int    petal__array_plan(const petal_options *want, petal_shape *shape,
                         petal_refusal *why);
bool   petal__array_fits(const petal_shape *shape);
double petal__array_fpr(const petal_shape *shape, double n);
int    petal__array_start(petal_filter *f);
bool   petal__array_sound(const petal_filter *f);
bool   petal__array_alike(const petal_filter *a, const petal_filter *b);
size_t petal__array_tail_len(uint32_t stages);
int    petal__array_add(petal_filter *f, const uint8_t *key, size_t len);
bool   petal__array_contains(const petal_filter *f, const uint8_t *key, size_t len);
size_t petal__array_probes(const petal_filter *f, const uint8_t *key, size_t len,
                           uint64_t *cells, uint32_t *groups, size_t max);
void   petal__array_measure(const petal_filter *f, petal_stats *stats);
int    petal__array_read(petal_filter *f, const uint8_t *bytes, size_t len);
void   petal__array_fill(petal_filter *f, const uint8_t *bytes, size_t len);
size_t petal__array_write(const petal_filter *f, uint64_t keys, uint8_t *bytes,
                          size_t size);

/* The rate of such an array with n keys, and a fast approximation. */
double petal__array_rate(uint64_t cells, uint32_t k, double n);
double petal__array_estimate(uint64_t cells, uint32_t k, double n);
double petal__array_extra(double m, double n);

/* The functions of such a kind in its struct petal_ops. */
#define ARRAY_OPS                                                   \
    .abilities = PETAL_CAN_MERGE | PETAL_NEEDS_KEYS,                \
    .plan = FULL(petal__array_plan),                                \
    .fits = petal__array_fits,                                      \
    .fpr = FULL(petal__array_fpr),                                  \
    .start = FULL(petal__array_start),                              \
    .add = FULL(petal__keys_add),                                   \
    .contains = petal__keys_contains,                               \
    .probes = FULL(petal__keys_probes),                             \
    .add_key = FULL(petal__array_add),                              \
    .contains_key = petal__array_contains,                          \
    .probes_key = FULL(petal__array_probes),                        \
    .measure = FULL(petal__array_measure),                          \
    .alike = FULL(petal__array_alike),                              \
    .tail_len = petal__array_tail_len,                              \
    .sound = petal__array_sound

/* ---- For all kinds of this folder: hashes say nothing ---- */

int    petal__keys_add(petal_filter *f, uint64_t hash);
bool   petal__keys_contains(const petal_filter *f, uint64_t hash);
size_t petal__keys_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                          uint32_t *groups, size_t max);

/* ---- Big-endian numbers, as Java writes them ---- */

static inline uint32_t load_be32(const uint8_t *p)
{
    return __builtin_bswap32(load_le32(p));
}

static inline uint64_t load_be64(const uint8_t *p)
{
    return __builtin_bswap64(load_le64(p));
}

static inline void store_be32(uint8_t *p, uint32_t v)
{
    store_le32(p, __builtin_bswap32(v));
}

static inline void store_be64(uint8_t *p, uint64_t v)
{
    store_le64(p, __builtin_bswap64(v));
}

#endif
