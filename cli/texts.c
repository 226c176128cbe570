/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * texts.c: a table of texts, each with a number.
 *
 * Texts are kept in one buffer, in the order in which they were added.  A hash table with
 * linear probing finds them.  The library hashes, with a small filter.
 */
#include "texts.h"

#include "buffer.h"
#include "print.h"

#include <petal.h>

#include <stdlib.h>

struct text {
    size_t at, len; /* in the buffer */
    uint64_t hash, number;
};

struct texts {
    petal_filter *hasher;
    struct buffer bytes;
    struct buffer all; /* struct text */
    size_t *slots;     /* index plus one; 0: free */
    size_t mask;
};

static size_t *texts_slots(size_t n)
{
    size_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        fail_memory();
    return slots;
}

struct texts *texts_new(void)
{
    struct texts *t = calloc(1, sizeof *t);
    if (!t || petal_new(&(petal_options){ .capacity = 1 }, &t->hasher) < 0)
        fail_memory();
    t->mask = 1023;
    t->slots = texts_slots(t->mask + 1);
    return t;
}

void texts_free(struct texts *t)
{
    petal_free(t->hasher);
    free(t->bytes.bytes);
    free(t->all.bytes);
    free(t->slots);
    free(t);
}

uint64_t texts_n(const struct texts *t)
{
    return t->all.len / sizeof(struct text);
}

static struct text *texts_at(const struct texts *t, size_t i)
{
    return (struct text *)(void *)t->all.bytes + i;
}

/* The slot of a text, or the free one where it belongs. */
static size_t texts_slot(const struct texts *t, struct span text, uint64_t hash)
{
    for (size_t i = (size_t)hash & t->mask;; i = (i + 1) & t->mask) {
        if (t->slots[i] == 0)
            return i;
        const struct text *there = texts_at(t, t->slots[i] - 1);
        if (there->hash == hash && there->len == text.len &&
            memcmp(t->bytes.bytes + there->at, text.at, text.len) == 0)
            return i;
    }
}

static void texts_grow(struct texts *t)
{
    free(t->slots);
    t->mask = 2 * t->mask + 1;
    t->slots = texts_slots(t->mask + 1);
    for (size_t i = 0; i < texts_n(t); i++) {
        size_t slot = (size_t)texts_at(t, i)->hash & t->mask;
        while (t->slots[slot])
            slot = (slot + 1) & t->mask;
        t->slots[slot] = i + 1;
    }
}

uint64_t *texts_find(const struct texts *t, struct span text)
{
    const size_t slot = texts_slot(t, text, petal_hash(t->hasher, text.at, text.len));
    return t->slots[slot] ? &texts_at(t, t->slots[slot] - 1)->number : NULL;
}

uint64_t *texts_add(struct texts *t, struct span text)
{
    const uint64_t hash = petal_hash(t->hasher, text.at, text.len);
    size_t slot = texts_slot(t, text, hash);
    if (t->slots[slot])
        return &texts_at(t, t->slots[slot] - 1)->number;
    const struct text fresh = { t->bytes.len, text.len, hash, 0 };
    buffer_put(&t->bytes, text.at, text.len);
    buffer_put(&t->all, &fresh, sizeof fresh);
    t->slots[slot] = (size_t)texts_n(t);
    if (2 * texts_n(t) > t->mask)
        texts_grow(t);
    return &texts_at(t, (size_t)texts_n(t) - 1)->number;
}

size_t texts_top(const struct texts *t, struct text_count *top, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < texts_n(t); i++) {
        const struct text *text = texts_at(t, i);
        size_t at = n;
        while (at > 0 && top[at - 1].number < text->number)
            at--;
        if (at == most)
            continue;
        n += n < most;
        memmove(top + at + 1, top + at, (n - at - 1) * sizeof *top);
        top[at] =
            (struct text_count){ { t->bytes.bytes + text->at, text->len }, text->number };
    }
    return n;
}
