/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * valid.c: is a table what the elements in it give?
 *
 * Lookups are safe on any bytes, but changes rely on the layout.  So this is checked before
 * a filter that was read becomes writable.  It takes one pass.
 */
#include "kinds/quotient/table.h"

/* What is carried from line to line. */
struct check {
    const struct table *t;
    uint64_t keys;
    uint64_t last;   /* the last fingerprint */
    uint32_t copies; /* of it; 0: there is none yet */
    uint32_t delta;  /* of the next line */
};

/* Are bits from .. end-1 of a line 0? */
static bool check_zero(const uint8_t *line, uint32_t from, uint32_t end)
{
    while (from < end) {
        const uint32_t n = end - from < 64 - from % 64 ? end - from : 64 - from % 64;
        const uint64_t mask = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
        if (load_le64(line + from / 64 * 8) >> from % 64 & mask)
            return false;
        from += n;
    }
    return true;
}

static bool check_element(struct check *c, uint64_t quotient, uint64_t remainder)
{
    const struct table *t = c->t;
    const uint64_t fingerprint = quotient << t->r | remainder;
    if (quotient >= t->homes * t->quotients || (c->copies && fingerprint < c->last))
        return false;
    c->copies = c->copies && fingerprint == c->last ? c->copies + 1 : 1;
    c->last = fingerprint;
    return c->copies <= t->copies_max;
}

static bool check_elements(struct check *c, uint64_t at, const uint8_t *line,
                           uint32_t delta)
{
    const struct table *t = c->t;
    uint32_t bit = t->base, slot = 0;
    for (uint32_t w = 0; w < t->words; w++) {
        uint64_t marks = load_le64(line + 8 * w);
        marks = w + 1 == t->words ? marks & t->last_mask : marks;
        for (; marks; marks &= marks - 1, bit += t->r, slot++) {
            const uint32_t symbol = 64 * w + (uint32_t)__builtin_ctzll(marks);
            const uint32_t byte = bit / 8 < LINE_LEN - 8 ? bit / 8 : LINE_LEN - 8;
            const uint64_t window = /* the bytes may change meanwhile: then any is fine */
                load_le64(line + byte) >> ((bit - 8 * byte) & 63);
            if (!check_element(c, at * t->quotients - delta + symbol - 1 - slot,
                               window & (((uint64_t)1 << t->r) - 1)))
                return false;
        }
    }
    return true;
}

static bool check_line(struct check *c, uint64_t at)
{
    const struct table *t = c->t;
    const uint8_t *line = table_line(t, at);
    const uint32_t delta = line_delta(t, line);
    uint32_t keys = 0, last = 0; /* the last symbol that is an element */
    for (uint32_t w = 0; w < t->words; w++) {
        uint64_t marks = load_le64(line + 8 * w);
        marks = w + 1 == t->words ? marks & t->last_mask : marks;
        keys += popcount64(marks);
        last = marks ? 64 * w + 63 - (uint32_t)__builtin_clzll(marks) : last;
    }
    const uint32_t all = t->quotients + delta + keys;
    const uint32_t len = keys == t->slots ? last : all < t->symbols ? all : t->symbols;
    if (line[0] & 1 || delta != c->delta || keys > t->slots || last > len ||
        len - keys > t->quotients + delta ||
        !check_zero(line, t->symbols + 1u, t->base - DELTA_BITS) ||
        !check_zero(line, t->base + keys * t->r, LINE_BITS))
        return false;
    c->delta = t->quotients + delta - (len - keys);
    c->keys += keys;
    return c->delta <= DELTA_MAX && check_elements(c, at, line, delta);
}

bool petal__table_valid(const struct table *t, uint64_t *keys)
{
    struct check check = { .t = t };
    for (uint64_t at = 0; at < table_lines(t); at++)
        if (!check_line(&check, at))
            return false;
    *keys = check.keys;
    return check.delta == 0;
}
