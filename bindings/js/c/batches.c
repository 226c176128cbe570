/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches.c: many keys in one call, for JavaScript.
 *
 * JavaScript writes the keys one after another and their lengths beside them.  The library
 * wants an array of petal_key, which is made here, a few hundred at a time.
 */
#include "petal.h"

#define BATCH 256

uint32_t js_contains_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                          uint32_t n, bool *found);
uint32_t js_match_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                       uint32_t n, signed char *result);
int32_t js_add_many(petal_filter *f, const uint8_t *data, const uint32_t *lens, uint32_t n,
                    signed char *result);

struct batch {
    petal_key keys[BATCH];
    uint32_t n;
};

/* Takes the next keys.  Returns where those after them begin. */
static const uint8_t *batch_take(struct batch *b, const uint8_t *data, const uint32_t *lens,
                                 uint32_t n)
{
    b->n = n < BATCH ? n : BATCH;
    for (uint32_t i = 0; i < b->n; data += lens[i++])
        b->keys[i] = (petal_key){ data, lens[i] };
    return data;
}

uint32_t js_contains_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                          uint32_t n, bool *found)
{
    struct batch b;
    size_t total = 0;
    for (uint32_t i = 0; i < n; i += b.n) {
        data = batch_take(&b, data, lens + i, n - i);
        total += petal_contains_many(f, b.keys, b.n, found + i);
    }
    return (uint32_t)total;
}

uint32_t js_match_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                       uint32_t n, signed char *result)
{
    struct batch b;
    size_t total = 0;
    for (uint32_t i = 0; i < n; i += b.n) {
        data = batch_take(&b, data, lens + i, n - i);
        total += petal_match_many(f, b.keys, b.n, result + i);
    }
    return (uint32_t)total;
}

/* Returns how many were new, or the error if the filter takes no keys at all.  result[i] is
 * what petal_add() would have returned. */
int32_t js_add_many(petal_filter *f, const uint8_t *data, const uint32_t *lens, uint32_t n,
                    signed char *result)
{
    struct batch b;
    int64_t total = 0;
    for (uint32_t i = 0; i < n; i += b.n) {
        data = batch_take(&b, data, lens + i, n - i);
        const int64_t added = petal_add_many(f, b.keys, b.n, result + i);
        if (added < 0)
            return (int32_t)added;
        total += added;
    }
    return (int32_t)total;
}
