/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * splice.h: puts a few symbols and remainders into a line, and takes out what it then
 * cannot keep.
 *
 * A line that is full passes on its last element, or its last symbols, and the next line
 * gets these in front of its own.  It is nearly always a handful, which fits into a word.
 * text.h does the same for any number.
 */
#ifndef PETAL_KINDS_QUOTIENT_SPLICE_H
#define PETAL_KINDS_QUOTIENT_SPLICE_H

#include "kinds/quotient/text.h"

#define SURPLUS_BITS 57 /* of its symbols, and of its remainders */

/* What a line cannot keep. */
struct surplus {
    uint64_t marks, rest;
    uint32_t len, keys;
};

/* Inserts n bits into an array of words before bit `at`.  The highest bits are lost. */
static inline void bits_insert(uint64_t *array, uint32_t words, uint32_t at, uint64_t bits,
                               uint32_t n)
{
    const uint32_t first = at / 64;
    const uint64_t under = array[first] & bits_mask(at % 64), over = array[first] ^ under;
    for (uint32_t i = words - 1; i > first + 1; i--)
        array[i] = array[i] << n | array[i - 1] >> 1 >> (63 - n);
    array[first] = under | over << n | bits << at % 64;
    if (first + 1 < words)
        array[first + 1] =
            array[first + 1] << n | over >> 1 >> (63 - n) | bits >> 1 >> (63 - at % 64);
}

/* How many of its symbols, which are bits 1 to len, does a line keep? */
static inline uint32_t splice_kept(const struct table *t, const uint64_t *marks,
                                   uint32_t len, uint32_t keys)
{
    uint32_t most = len < t->symbols ? len : t->symbols, word = 3;
    if (keys < t->slots)
        return most;
    uint64_t top = marks[word];
    for (uint32_t drop = keys - t->slots;; drop--) { /* to the last element that it keeps */
        while (top == 0)
            top = marks[--word];
        const uint32_t last = 63 - (uint32_t)__builtin_clzll(top);
        if (drop == 0)
            return 64 * word + last < most ? 64 * word + last : most;
        top ^= (uint64_t)1 << last;
    }
}

/* Copies a line, with the surplus of another before symbol `symbol` and slot `slot`, both
 * counted from 0, and with `delta` more quotients.  Leaves in `surplus` what the copy does
 * not keep.  False if that is too much. */
static inline bool line_splice(const struct table *t, const uint8_t *line, uint32_t symbol,
                               uint32_t slot, uint32_t delta, struct surplus *surplus,
                               uint8_t *copy)
{
    uint64_t words[10] = { 0 }, marks[5] = { 0 };
    for (uint32_t i = 0; i < 8; i++)
        words[i] = load_le64(line + 8 * i);
    uint32_t keys = 0, last = 0;
    for (uint32_t i = 0; i < t->words; i++) {
        marks[i] = i + 1 < t->words ? words[i] : words[i] & t->last_mask;
        words[i] ^= marks[i];
        keys += popcount64(marks[i]);
        last = marks[i] ? 64 * i + 63 - (uint32_t)__builtin_clzll(marks[i]) : last;
    }
    const uint32_t all = t->quotients + line_delta(t, line) + keys;
    uint32_t len = keys == t->slots ? last : all < t->symbols ? all : t->symbols;
    bits_insert(marks, 4, symbol + 1, surplus->marks, surplus->len);
    bits_insert(words, 9, t->base + slot * t->r, surplus->rest, surplus->keys * t->r);
    len += surplus->len;
    keys += surplus->keys;

    const uint32_t kept = splice_kept(t, marks, len, keys);
    surplus->len = len - kept;
    if (surplus->len > SURPLUS_BITS)
        return false;
    surplus->marks = bits_at(marks, kept + 1) & bits_mask(surplus->len);
    surplus->keys = popcount64(surplus->marks);
    if (surplus->keys * t->r > SURPLUS_BITS)
        return false;
    const uint32_t end = t->base + (keys - surplus->keys) * t->r;
    surplus->rest = bits_at(words, end) & bits_mask(surplus->keys * t->r);

    for (uint32_t i = (kept + 1) / 64, n = (kept + 1) % 64; i < 3; i++, n = 0)
        marks[i] &= bits_mask(n);
    for (uint32_t i = end / 64, n = end % 64; i < 8; i++, n = 0)
        words[i] &= bits_mask(n);
    for (uint32_t i = 0; i < 8; i++)
        store_le64(copy + 8 * i, i < 3 ? words[i] | marks[i] : words[i]);
    store_le32(copy + t->delta_byte,
               load_le32(copy + t->delta_byte) + (delta << t->delta_shift));
    return true;
}

#endif
