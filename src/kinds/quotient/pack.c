/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pack.c: a small filter that grows, in few bytes.
 *
 *     homes       a number of 1 to 10 bytes: 7 bits each, the lowest first; the highest bit
 * of a byte says that another follows r           1 byte keys        like homes capacity
 * like homes each line   1 byte with a bit for each of its 8 words that is not zero; these
 * words
 *
 * The rest of the table follows from the range, which is part of the common shape.  A table
 * that is nearly empty is nearly all zeros, so one key takes 25 bytes instead of 700.
 *
 * Only filters with one table are packed.  Others have thousands of keys.
 */
#include "core/image.h"
#include "core/memory.h"
#include "kinds/quotient/quotient.h"

#define NUMBER_MAX 10 /* bytes of a number */
#define PACKED_MAX (1 + LINE_LEN)

/* ---- Packing ---- */

static size_t pack_number(uint8_t *to, uint64_t n)
{
    size_t len = 0;
    for (; n >= 128; n >>= 7)
        to[len++] = (uint8_t)(n | 128);
    to[len++] = (uint8_t)n;
    return len;
}

/* Takes up to PACKED_MAX bytes. */
static size_t pack_line(uint8_t *to, const uint8_t *line)
{
    size_t len = 1;
    to[0] = 0;
    for (uint32_t i = 0; i < LINE_LEN / 8; i++) {
        const bool used = load_le64(line + 8 * i);
        memcpy(to + len, line + 8 * i, 8); /* stays if the length includes it */
        to[0] |= (uint8_t)(used << i);
        len += used ? 8 : 0;
    }
    return len;
}

static size_t pack_head(uint8_t *to, const petal_filter *f, const struct table *t)
{
    size_t len = pack_number(to, t->homes);
    to[len++] = t->r;
    len += pack_number(to + len, t->keys);
    return len + pack_number(to + len, f->shape.capacity);
}

size_t petal__quotient_pack(const petal_filter *f, uint8_t *bytes, size_t size)
{
    const struct quotient *q = quotient_of(f);
    const struct table *t = &q->now;
    if (!f->shape.growth || f->stages > 1 || q->moving)
        return 0;
    uint8_t part[PACKED_MAX + 8];
    size_t len = pack_head(part, f, t);
    if (len <= size)
        memcpy(bytes, part, len);
    for (uint64_t i = 0; i < table_lines(t); i++) {
        const bool fits = len <= size && size - len >= sizeof part;
        const size_t n = pack_line(fits ? bytes + len : part, table_line(t, i));
        if (!fits && len <= size && n <= size - len)
            memcpy(bytes + len, part, n);
        len += n;
    }
    return len;
}

/* ---- Unpacking ---- */

/* The bytes that are left.  What is read beyond their end is zero, and an error. */
struct unpack {
    const uint8_t *at, *end;
    bool failed;
};

static uint8_t unpack_byte(struct unpack *u)
{
    u->failed |= u->at == u->end;
    return u->failed ? 0 : *u->at++;
}

static uint64_t unpack_number(struct unpack *u)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < NUMBER_MAX; i++) {
        const uint8_t byte = unpack_byte(u);
        n |= (uint64_t)(byte & 127) << 7 * i;
        if (byte < 128)
            return n;
    }
    u->failed = true;
    return 0;
}

static void unpack_line(struct unpack *u, uint8_t *line)
{
    for (uint32_t used = unpack_byte(u); used; used &= used - 1) {
        u->failed |= u->end - u->at < 8;
        if (u->failed)
            return;
        memcpy(line + 8 * __builtin_ctz(used), u->at, 8);
        u->at += 8;
    }
}

/* Reads what precedes the lines, and completes the shape.  The range must be that of all
 * tables of such filters. */
static bool unpack_head(struct unpack *u, petal_shape *shape, struct table *t)
{
    const uint64_t homes = unpack_number(u);
    const uint32_t r = unpack_byte(u);
    const uint64_t keys = unpack_number(u);
    shape->capacity = unpack_number(u);
    if (u->failed || homes == 0 || r > REMAINDER_MAX || !shape->growth ||
        !petal__table_shape(t, homes, shape->fingerprints / homes >> r, r) ||
        table_range(t) != shape->fingerprints ||
        table_lines(t) > (uint64_t)(u->end - u->at))
        return false;
    t->keys = keys;
    t->copies_max = quotient_copies_max(shape);
    shape->hashes = r;
    shape->quotients = t->quotients;
    shape->bits = table_len(t) * 8;
    return petal__quotient_stages(shape) == 1;
}

int petal__quotient_unpack(petal_filter *f, const uint8_t *bytes, size_t len)
{
    struct unpack u = { .at = bytes, .end = bytes + len };
    struct table t;
    if (!unpack_head(&u, &f->shape, &t) || !petal__image_shape_fits(&f->shape, 1))
        return PETAL_E_CORRUPT;
    const uint64_t keys = t.keys;
    uint64_t found;
    if (!petal__quotient_alloc(&t))
        return PETAL_E_MEMORY;
    for (uint64_t i = 0; i < table_lines(&t); i++)
        unpack_line(&u, table_line(&t, i));
    if (u.failed || u.at != u.end || !petal__table_valid(&t, &found) || found != keys) {
        petal__memory_free(t.block);
        return PETAL_E_CORRUPT;
    }
    t.keys = keys;
    *quotient_of(f) = (struct quotient){ .now = t, .last = UINT64_MAX };
    f->keys = keys;
    f->scattered = true;
    return PETAL_OK;
}
