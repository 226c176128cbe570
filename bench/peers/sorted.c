/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sorted.c: all keys in a sorted array, with binary search.
 *
 * The other thing that programs use before they use a filter.  It is exact and as small as
 * a list of the keys, but every lookup takes log2 n steps.  Texts are stored in one pool,
 * and their positions are sorted.  qsort() runs once, after all keys are added.
 */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

struct sorted {
    uint64_t expected;
    size_t n;
    uint64_t *ints;
    struct peer_text *texts; /* until sorted, data is an offset into the pool */
    char *pool;
    size_t pool_len, pool_room;
};

static void *sorted_make(uint64_t n, double bits_per_key)
{
    (void)bits_per_key;
    struct sorted *s = calloc(1, sizeof *s);
    if (s)
        s->expected = n;
    return s;
}

static void sorted_drop(void *filter)
{
    struct sorted *s = filter;
    free(s->ints);
    free(s->texts);
    free(s->pool);
    free(s);
}

static size_t sorted_bytes(const void *filter)
{
    const struct sorted *s = filter;
    return s->n * (s->ints ? sizeof *s->ints : sizeof *s->texts) + s->pool_len;
}

/* A benchmark cannot go on without memory. */
static void *sorted_room(void *old, size_t len)
{
    void *memory = realloc(old, len);
    if (!memory)
        abort();
    return memory;
}

/* ---- Adding ---- */

static void sorted_add_text(struct sorted *s, struct peer_text text)
{
    if (s->pool_room - s->pool_len < text.len) {
        s->pool_room = 2 * s->pool_room + text.len + 4096;
        s->pool = sorted_room(s->pool, s->pool_room);
    }
    memcpy(s->pool + s->pool_len, text.data, text.len);
    s->texts[s->n++] = (struct peer_text){ (const char *)s->pool_len, text.len };
    s->pool_len += text.len;
}

static void sorted_add(void *filter, struct peer_keys keys)
{
    struct sorted *s = filter;
    if (keys.ints) {
        if (!s->ints)
            s->ints = sorted_room(NULL, (size_t)s->expected * sizeof *s->ints);
        memcpy(s->ints + s->n, keys.ints, keys.n * sizeof *s->ints);
        s->n += keys.n;
        return;
    }
    if (!s->texts)
        s->texts = sorted_room(NULL, (size_t)s->expected * sizeof *s->texts);
    for (size_t i = 0; i < keys.n; i++)
        sorted_add_text(s, keys.texts[i]);
}

static int sorted_by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int sorted_compare(const struct peer_text *a, const struct peer_text *b)
{
    const int order = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int sorted_by_text(const void *a, const void *b)
{
    return sorted_compare(a, b);
}

static void sorted_ready(void *filter)
{
    struct sorted *s = filter;
    for (size_t i = 0; s->texts && i < s->n; i++)
        s->texts[i].data = s->pool + (size_t)s->texts[i].data;
    if (s->ints)
        qsort(s->ints, s->n, sizeof *s->ints, sorted_by_value);
    else if (s->texts)
        qsort(s->texts, s->n, sizeof *s->texts, sorted_by_text);
}

/* ---- Lookups ---- */

static bool sorted_has_int(const struct sorted *s, uint64_t key)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->ints[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n && s->ints[low] == key;
}

static bool sorted_has_text(const struct sorted *s, const struct peer_text *key)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = sorted_compare(&s->texts[middle], key);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static size_t sorted_contains(const void *filter, struct peer_keys keys)
{
    size_t found = 0;
    if (keys.ints)
        for (size_t i = 0; i < keys.n; i++)
            found += sorted_has_int(filter, keys.ints[i]);
    else
        for (size_t i = 0; i < keys.n; i++)
            found += sorted_has_text(filter, &keys.texts[i]);
    return found;
}

const struct peer peers[] = {
    { .name = "sorted array",
      .what = PEER_EXACT,
      .n_max = 100000000,
      .make = sorted_make,
      .drop = sorted_drop,
      .bytes = sorted_bytes,
      .add = sorted_add,
      .contains = sorted_contains,
      .ready = sorted_ready },
    { 0 },
};
