/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.c: fuzzes packed filters: any bytes give a filter that works, or PETAL_E_CORRUPT.
 *
 * The first two bytes choose the options and a number of keys.  If that number is odd, the
 * rest is what is unpacked.  Otherwise a filter with so many keys is packed, and the rest
 * says which of its bytes are changed.
 */
#include "core/portable.h"
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define BYTES_MAX 65536

struct packed {
    petal_shape common;
    size_t len;
    uint8_t bytes[BYTES_MAX];
};

/* The first kind that can be packed, with options of all sorts. */
static petal_filter *filter_of(uint8_t choice)
{
    for_every_kind(kind) {
        petal_options o = options_with_room(kind, 1 + choice % 8 * 50, 3000);
        petal_shape common;
        o.insert_only = choice / 8 % 2 && can_grow(kind);
        o.fpr = is_exact(kind) ? 0 : choice / 16 % 2 ? 0.2 : 0.01;
        o.capacity_max = choice / 32 % 2 && can_grow(kind) ? 2000 : 0;
        if (!is_accepted(o))
            continue;
        petal_filter *f = filter_made(o);
        if (petal_pack(f, &common, NULL, 0))
            return f;
        petal_free(f);
    }
    abort();
}

static bool pack(petal_filter *f, struct packed *packed)
{
    packed->len = petal_pack(f, &packed->common, packed->bytes, BYTES_MAX);
    return packed->len > 0 && packed->len <= BYTES_MAX;
}

/* Whatever was accepted works, and can be packed and opened again. */
static void use(petal_filter *f)
{
    static struct packed again;
    petal_filter *other;
    size_t len;
    for (int64_t i = 0; i < 300; i++)
        if (petal_add_int(f, i) >= 0 && !petal_contains_int(f, i))
            abort();
    for (int64_t i = 0; i < 100; i++)
        petal_remove_int(f, i);
    if (pack(f, &again)) {
        if (petal_unpack(&again.common, again.bytes, again.len, &other) < 0 ||
            petal_size(other) != petal_size(f) || !same_image(f, other))
            abort();
        petal_free(other);
    }
    const void *bytes = petal_bytes(f, &len);
    if (!bytes || petal_view(bytes, len, 0, &other) < 0)
        abort();
    petal_free(other);
}

/* Stores what the input describes.  False if it describes nothing. */
static bool read_input(const uint8_t *data, size_t len, struct packed *packed)
{
    if (len < 2)
        return false;
    const bool raw = data[1] % 2;
    petal_filter *f = filter_of(data[0]);
    for (int64_t i = 0; i < 4 * data[1] && !raw; i++)
        petal_add_int(f, i);
    const bool good = pack(f, packed);
    petal_free(f);
    if (good && raw) {
        packed->len = len - 2 < BYTES_MAX ? len - 2 : BYTES_MAX;
        memcpy(packed->bytes, data + 2, packed->len);
    }
    for (size_t at = 2; good && !raw && at + 3 <= len; at += 3)
        packed->bytes[load_le16(data + at) % packed->len] ^= data[at + 2];
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct packed packed;
    petal_filter *f;
    if (!read_input(data, len, &packed))
        return 0;
    uint8_t *exact = malloc(packed.len + 1); /* so that reads beyond it are noticed */
    if (!exact)
        return 0;
    memcpy(exact, packed.bytes, packed.len);
    const int rc = petal_unpack(&packed.common, exact, packed.len, &f);
    if (rc == PETAL_OK)
        use(f);
    else if (rc != PETAL_E_CORRUPT || f)
        abort();
    petal_free(f);
    free(exact);
    return 0;
}
