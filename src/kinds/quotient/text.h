/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.h: a line taken apart into its symbols and its remainders, or a part of one, or two.
 */
#ifndef PETAL_KINDS_QUOTIENT_TEXT_H
#define PETAL_KINDS_QUOTIENT_TEXT_H

#include "kinds/quotient/table.h"

#define MARKS_WORDS \
    16 /* up to 511 zeros that are passed on, the symbols of a line and more */
#define REST_WORDS 18 /* the remainders of two lines and more */

struct text {
    uint64_t
        marks[MARKS_WORDS]; /* symbol i is bit i: 1 an element, 0 the end of a quotient */
    uint64_t rest[REST_WORDS];
    uint32_t len, keys; /* symbols, elements */
    uint32_t delta;     /* of the line that it begins */
};

/* ---- Arrays of bits ---- */

static inline uint64_t bits_mask(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* The 64 bits from `at` on; the array has a word after the last that is wanted. */
static inline uint64_t bits_at(const uint64_t *array, uint32_t at)
{
    const uint64_t *word = array + at / 64;
    return word[0] >> at % 64 | word[1] << 1 << (63 - at % 64);
}

/* Sets n bits from `at` on, which are 0 so far. */
static inline void bits_put(uint64_t *array, uint32_t at, const uint64_t *from,
                            uint32_t from_at, uint32_t n)
{
    for (uint32_t done = 0; done < n; done += 64) {
        const uint64_t v = bits_at(from, from_at + done) & bits_mask(n - done);
        uint64_t *word = array + (at + done) / 64;
        word[0] |= v << (at + done) % 64;
        word[1] |= v >> 1 >> (63 - (at + done) % 64);
    }
}

/* The position after the i-th 1 of a text, counted from 1; with `flip`, after the i-th 0
 * (or a position beyond its end).  UINT32_MAX if there are not so many. */
static inline uint32_t text_after(const struct text *text, uint32_t i, bool flip)
{
    for (uint32_t w = 0; i > 0 && w < MARKS_WORDS; w++) {
        uint64_t word = flip ? ~text->marks[w] : text->marks[w];
        const uint32_t n = popcount64(word);
        if (i <= n) {
            while (--i > 0)
                word &= word - 1;
            return 64 * w + (uint32_t)__builtin_ctzll(word) + 1;
        }
        i -= n;
    }
    return i ? UINT32_MAX : 0;
}

/* ---- Lines ---- */

static inline bool text_is_whole(const struct table *t, const struct text *text)
{
    return text->len == t->quotients + text->delta + text->keys;
}

static inline void text_load(const struct table *t, const uint8_t *line, struct text *text)
{
    uint64_t words[9] = { 0 };
    for (uint32_t i = 0; i < 8; i++)
        words[i] = load_le64(line + 8 * i);
    *text = (struct text){ .delta = line_delta(t, line) };
    bits_put(text->marks, 0, words, 1, t->symbols);
    for (uint32_t i = 0; i < 3; i++)
        text->keys += popcount64(text->marks[i]);
    bits_put(text->rest, 0, words, t->base, LINE_BITS - t->base);
    const uint32_t all = t->quotients + text->delta + text->keys;
    text->len = text->keys >= t->slots ? text_after(text, text->keys, false)
                : all < t->symbols     ? all
                                       : t->symbols;
}

static inline void text_store(const struct table *t, uint8_t *line, const struct text *text)
{
    uint64_t words[10] = { 0 };
    const uint64_t delta[2] = { text->delta };
    bits_put(words, 1, text->marks, 0, text->len);
    bits_put(words, t->base - DELTA_BITS, delta, 0, DELTA_BITS);
    bits_put(words, t->base, text->rest, 0, text->keys * t->r);
    for (uint32_t i = 0; i < 8; i++)
        store_le64(line + 8 * i, words[i]);
}

/* How many of these symbols does a line keep? */
static inline uint32_t text_kept(const struct table *t, const struct text *text)
{
    const uint32_t n = text->len < t->symbols ? text->len : t->symbols;
    const uint32_t full = text->keys >= t->slots ? text_after(text, t->slots, false) : n;
    return full < n ? full : n;
}

/* Leaves the first symbols, with as many elements, and puts the others into `rest`. */
static inline void text_cut_at(const struct table *t, struct text *text, uint32_t len,
                               uint32_t keys, struct text *rest)
{
    const struct text all = *text;
    *rest = (struct text){ .len = all.len - len, .keys = all.keys - keys };
    *text = (struct text){ .len = len, .keys = keys, .delta = all.delta };
    bits_put(text->marks, 0, all.marks, 0, len);
    bits_put(text->rest, 0, all.rest, 0, keys * t->r);
    bits_put(rest->marks, 0, all.marks, len, rest->len);
    bits_put(rest->rest, 0, all.rest, keys * t->r, rest->keys * t->r);
}

static inline void text_cut(const struct table *t, struct text *text, uint32_t len,
                            struct text *rest)
{
    uint32_t keys = 0;
    for (uint32_t i = 0; i < len; i += 64)
        keys += popcount64(text->marks[i / 64] & bits_mask(len - i));
    text_cut_at(t, text, len, keys, rest);
}

/* One text after the other; `all` is another one than both. */
static inline void text_join(const struct table *t, struct text *all,
                             const struct text *first, const struct text *second)
{
    *all = (struct text){ .len = first->len + second->len,
                          .keys = first->keys + second->keys,
                          .delta = second->delta };
    bits_put(all->marks, 0, first->marks, 0, first->len);
    bits_put(all->marks, first->len, second->marks, 0, second->len);
    bits_put(all->rest, 0, first->rest, 0, first->keys * t->r);
    bits_put(all->rest, first->keys * t->r, second->rest, 0, second->keys * t->r);
}

#endif
