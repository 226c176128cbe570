/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookups.c: opens filters and looks up keys, for JavaScript.
 *
 * These functions are in both modules: in petal.wasm, and in lookup.wasm, which has nothing
 * else.  JavaScript calls most functions of petal.h by themselves.  The functions here
 * replace those that take structures or pointers to pointers.
 */
#include "room.h"

struct js_room js_room_;

struct js_room *js_room(void);
petal_filter *js_open(const uint8_t *bytes, size_t len, unsigned flags);
int32_t js_match(const petal_filter *f, const uint8_t *key, size_t len);
uint32_t js_contains_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                          uint32_t n, bool *found);
uint32_t js_match_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                       uint32_t n, signed char *result);
uint32_t js_kind(const petal_filter *f);
int32_t js_form(const petal_filter *f);
double js_fpr(const petal_filter *f);

struct js_room *js_room(void)
{
    return &js_room_;
}

/* Returns NULL and leaves the error. */
petal_filter *js_open(const uint8_t *bytes, size_t len, unsigned flags)
{
    petal_filter *f;
    js_room_.error = petal_view(bytes, len, flags, &f);
    return f;
}

/* Returns whether the key or a parent was found, and leaves the text of what was. */
int32_t js_match(const petal_filter *f, const uint8_t *key, size_t len)
{
    const bool found = petal_match(f, key, len, js_room_.text, ROOM_TEXT);
    js_room_.len = 0;
    while (found && js_room_.text[js_room_.len])
        js_room_.len++;
    return found;
}

#ifdef PETAL_LOOKUPS

uint32_t js_contains_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                          uint32_t n, bool *found)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; data += lens[i++])
        total += found[i] = petal_contains(f, data, lens[i]);
    return total;
}

uint32_t js_match_many(const petal_filter *f, const uint8_t *data, const uint32_t *lens,
                       uint32_t n, signed char *result)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; data += lens[i++])
        total += (unsigned)(result[i] = petal_match(f, data, lens[i], NULL, 0));
    return total;
}

#endif

uint32_t js_kind(const petal_filter *f)
{
    return (uint32_t)petal_shape_of(f)->kind;
}

int32_t js_form(const petal_filter *f)
{
    return petal_shape_of(f)->form;
}

/* The rate that was promised. */
double js_fpr(const petal_filter *f)
{
    return petal_shape_of(f)->fpr;
}
