/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_test.c: the validator of images (G3).
 *
 * Each of its conditions is violated alone, with all checksums repaired, so that no other
 * condition rejects the image.  Then every byte is damaged and every length tried.
 */
#include "check.h"
#include "core/hash.h"
#include "core/portable.h"
#include "support.h"

/* ---- Images to be damaged ---- */

struct image {
    uint8_t *bytes;
    size_t len;
};

static struct image image_of(petal_options o, unsigned keys)
{
    petal_filter *f = filter_made(o);
    for (unsigned i = 0; i < keys; i++)
        petal_add_int(f, i);
    struct image image;
    const void *bytes = petal_bytes(f, &image.len);
    image.bytes = malloc(image.len + 64);
    require(image.bytes);
    memcpy(image.bytes, bytes, image.len);
    petal_free(f);
    return image;
}

static struct image image_of_kind(petal_kind kind)
{
    return image_of(options_with_room(kind, 60, 1001), 100);
}

/* Repairs all checksums, except that of the sections. */
static void repair(struct image image)
{
    const uint64_t length = load_le64(image.bytes + 16);
    const uint64_t sections = load_le32(image.bytes + 112);
    const uint64_t body = (length - sections - 256 - 8) & ~(uint64_t)63;
    if (length == image.len && body < (uint64_t)1 << 20) {
        store_le64(image.bytes + 256 + body, petal__checksum(image.bytes + 256, body, 0));
        store_le64(image.bytes + 240, petal__checksum(image.bytes + 256 + body, 8, 0));
    }
    store_le64(image.bytes + 248, petal__checksum(image.bytes, 248, 0));
}

static int opened(struct image image, unsigned flags)
{
    petal_filter *f = NULL;
    const int rc = petal_view(image.bytes, image.len, flags, &f);
    assert_true((rc == PETAL_OK) == (f != NULL));
    petal_free(f);
    return rc;
}

/* A value for one field of the header, and the expected result. */
struct damage {
    petal_kind kind;
    unsigned at, size;
    uint64_t value;
    int error;
};

static void assert_damaged(struct damage s)
{
    struct image image = image_of_kind(s.kind);
    assert_int_equal(opened(image, 0), PETAL_OK);
    for (unsigned i = 0; i < s.size; i++)
        image.bytes[s.at + i] = (uint8_t)(s.value >> 8 * i);
    repair(image);
    for (unsigned flags = 0; flags < 4; flags++) { /* trusted or not, copied or not */
        const int rc = opened(image, flags);
        if (rc != s.error)
            fail_msg("%s: %llx at %u: %s", petal_kind_name(s.kind),
                     (unsigned long long)s.value, s.at, petal_strerror(rc));
    }
    free(image.bytes);
}

#define NAN_BITS        0x7FF8000000000000
#define MINUS_BITS      0xBFF0000000000000 /* -1 */
#define ABOVE_1_BITS    0x3FF0000000000001
#define ONE_HALF_BITS   0x3FE0000000000000
#define ONE_BITS        0x3FF0000000000000
#define BELOW_2_32_BITS 0x3DEFFFFFFFFFFFFF

/* ---- Conditions for all kinds ---- */

#define EACH PETAL_DEFAULT /* every kind */

static struct damage damage_of(struct damage row, petal_kind kind)
{
    row.kind = kind;
    return row;
}

static void every_header_is_bounded(void **state)
{
    (void)state;
    const struct damage rows[] = {
        { EACH, 8, 2, 2, PETAL_E_VERSION },
        { EACH, 8, 2, 0, PETAL_E_CORRUPT },
        { EACH, 10, 1, kind_after_all(), PETAL_E_VERSION },
        { EACH, 10, 1, 255, PETAL_E_VERSION },
        { EACH, 10, 1, 0, PETAL_E_CORRUPT },
        { EACH, 11, 1, (uint64_t)form_after_all(), PETAL_E_VERSION },
        { EACH, 11, 1, 255, PETAL_E_VERSION },
        { EACH, 12, 1, (uint64_t)hash_after_all(), PETAL_E_VERSION },
        { EACH, 12, 1, 255, PETAL_E_VERSION },
        { EACH, 72, 4, 1, PETAL_E_VERSION },
        { EACH, 72, 4, 0x80000000, PETAL_E_VERSION },
        { EACH, 76, 4, 2, PETAL_E_VERSION },
        { EACH, 14, 2, 0, PETAL_E_CORRUPT },
        { EACH, 14, 2, 65, PETAL_E_CORRUPT },
        { EACH, 16, 8, 256, PETAL_E_CORRUPT },
        { EACH, 16, 8, UINT64_MAX, PETAL_E_CORRUPT },
        { EACH, 24, 8, 0, PETAL_E_CORRUPT },
        { EACH, 24, 8, (uint64_t)1 << 44, PETAL_E_CORRUPT },
        { EACH, 24, 8, UINT64_MAX, PETAL_E_CORRUPT },
        { EACH, 32, 8, 0, PETAL_E_CORRUPT },
        { EACH, 56, 8, 1, PETAL_E_CORRUPT },
        { EACH, 64, 8, NAN_BITS, PETAL_E_CORRUPT },
        { EACH, 64, 8, MINUS_BITS, PETAL_E_CORRUPT },
        { EACH, 64, 8, ABOVE_1_BITS, PETAL_E_CORRUPT },
        { EACH, 76, 4, 1, PETAL_E_CORRUPT }, /* marked as not counted, but with a number */
        { EACH, 104, 1, 2, PETAL_E_CORRUPT },
    };
    for_every_kind(kind) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            assert_damaged(damage_of(rows[i], kind));
        for (unsigned at = 105; at < 240; at++)
            assert_damaged((struct damage){ kind, at, 1, 1, PETAL_E_CORRUPT });
        for (unsigned at = 0; at < 8; at++)
            assert_damaged((struct damage){ kind, at, 1, 'x', PETAL_E_FORMAT });
    }
}

/* Fields that only kinds with some ability use. */
static void fields_that_a_kind_does_not_use_are_zero(void **state)
{
    (void)state;
    static const struct {
        unsigned ability, at, size;
        uint64_t value;
    } rows[] = {
        { PETAL_CAN_COUNT, 13, 1, 0 },          { PETAL_CAN_COUNT, 13, 1, 4 },
        { PETAL_CAN_COUNT, 104, 1, 1 },         { PETAL_CAN_GROW, 80, 4, 1 },
        { PETAL_CAN_GROW, 80, 4, 2 },           { PETAL_CAN_GROW, 88, 8, 1 },
        { PETAL_CAN_GROW, 96, 8, 1 },           { PETAL_IS_STAGED, 84, 4, 1 },
        { PETAL_IS_STAGED, 84, 4, UINT32_MAX },
    };
    for_every_kind(kind) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (!(petal_abilities(kind) & rows[i].ability))
                assert_damaged((struct damage){ kind, rows[i].at, rows[i].size,
                                                rows[i].value, PETAL_E_CORRUPT });
        if (!takes_option(kind, "seed=1"))
            assert_damaged((struct damage){ kind, 48, 8, 1, PETAL_E_CORRUPT });
    }
}

/* No image has a hash or form that its kind does not support.  A form with parents also
 * needs the number of lookups. */
static void the_kind_supports_its_hash_and_form(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const petal_options good = options_for(kind, 1001);
        petal_options o = good;
        petal_shape shape;
        for_every_hash(hash) {
            o.hash = hash;
            const bool fits = petal_plan(&o, &shape) == PETAL_OK && shape.hash == hash;
            assert_damaged((struct damage){ kind, 12, 1, (uint64_t)hash,
                                            fits ? PETAL_OK : PETAL_E_CORRUPT });
        }
        o = good;
        for_every_form(form) {
            o.form = form;
            const bool fits =
                petal_plan(&o, &shape) == PETAL_OK && shape.match_lookups == 0;
            assert_damaged((struct damage){ kind, 11, 1, (uint64_t)form,
                                            fits ? PETAL_OK : PETAL_E_CORRUPT });
        }
    }
}

/* ---- Conditions of single kinds ---- */

static void every_field_is_bounded(void **state)
{
    (void)state;
    static const struct damage rows[] = {
        { PETAL_BITMAP, 24, 8, 1002, PETAL_E_CORRUPT },
        { PETAL_BITMAP, 14, 2, 2, PETAL_E_CORRUPT },
        { PETAL_BITMAP, 64, 8, ONE_HALF_BITS, PETAL_E_CORRUPT },

        { PETAL_CLASSIC, 24, 8, ((uint64_t)1 << 43) + 1, PETAL_E_CORRUPT },
        { PETAL_CLASSIC, 24, 8, (uint64_t)1 << 40, PETAL_E_CORRUPT },

        { PETAL_PARTITIONED, 24, 8, ((uint64_t)1 << 43) + 7, PETAL_E_CORRUPT },
        { PETAL_PARTITIONED, 14, 2, 47, PETAL_E_CORRUPT }, /* does not divide the bits */

        { PETAL_BLOCKED, 24, 8, 513, PETAL_E_CORRUPT },
        { PETAL_BLOCKED, 24, 8, (uint64_t)1 << 41, PETAL_E_CORRUPT }, /* 2^32 blocks */
        { PETAL_BLOCKED, 14, 2, 17, PETAL_E_CORRUPT },

        { PETAL_SPLIT, 24, 8, 257, PETAL_E_CORRUPT },
        { PETAL_SPLIT, 24, 8, (uint64_t)1 << 40, PETAL_E_CORRUPT },
        { PETAL_SPLIT, 14, 2, 7, PETAL_E_CORRUPT },

        { PETAL_COUNTING, 24, 8, 511, PETAL_E_CORRUPT },
        { PETAL_COUNTING, 14, 2, 7, PETAL_E_CORRUPT },
        { PETAL_COUNTING, 13, 1, 0, PETAL_E_CORRUPT },
        { PETAL_COUNTING, 13, 1, 5, PETAL_E_CORRUPT },
        { PETAL_COUNTING, 13, 1, 64, PETAL_E_CORRUPT },

        { PETAL_SCALABLE, 24, 8, 513, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 14, 2, 17, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 14, 2, 3, PETAL_E_CORRUPT }, /* not that of the first stage */
        { PETAL_SCALABLE, 80, 4, 0, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 80, 4, 32769, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 84, 4, 0, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 84, 4, 1, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 84, 4, 41, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 84, 4, UINT32_MAX, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 88, 8, 0, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 88, 8, 61, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 88, 8, (uint64_t)1 << 62, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 96, 8, (uint64_t)1 << 62, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 32, 8, 61, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 32, 8, (uint64_t)1 << 62, PETAL_E_CORRUPT },
        { PETAL_SCALABLE, 64, 8, 0, PETAL_E_CORRUPT },

        { PETAL_RIBBON, 24, 8, 65, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 14, 2, 33, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 14, 2, 6, PETAL_E_CORRUPT }, /* would be smaller */
        { PETAL_RIBBON, 32, 8, 99, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 32, 8, ((uint64_t)1 << 40) + 1, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 40, 8, 99, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 64, 8, 0, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 64, 8, ONE_BITS, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 64, 8, BELOW_2_32_BITS, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 84, 4, 0, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 84, 4, 2, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 84, 4, 17, PETAL_E_CORRUPT },
        { PETAL_RIBBON, 84, 4, UINT32_MAX, PETAL_E_CORRUPT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_damaged(rows[i]);
}

/* Fields that only filters of URLs or addresses have. */
static void the_classes_are_bounded(void **state)
{
    (void)state;
    static const struct {
        petal_form form;
        unsigned at, size;
        uint64_t value;
        int error;
    } rows[] = {
        { PETAL_FORM_URL, 108, 4, 0, PETAL_E_CORRUPT },
        { PETAL_FORM_URL, 108, 4, 257, PETAL_E_CORRUPT },
        { PETAL_FORM_URL, 108, 4, 256, PETAL_OK },
        { PETAL_FORM_URL, 203, 1, 0x80, PETAL_OK },        /* class 223: more components */
        { PETAL_FORM_URL, 204, 1, 0x01, PETAL_E_CORRUPT }, /* class 224: does not exist */
        { PETAL_FORM_IP, 196, 1, 0x02, PETAL_OK },         /* class 161: an IPv6 address */
        { PETAL_FORM_IP, 196, 1, 0x04, PETAL_E_CORRUPT },
        { PETAL_FORM_IP, 207, 1, 0x80, PETAL_E_CORRUPT },
        { PETAL_FORM_WORD, 108, 4, 1, PETAL_E_CORRUPT },
        { PETAL_FORM_WORD, 176, 1, 1, PETAL_E_CORRUPT },
        { PETAL_FORM_RAW, 108, 4, 1, PETAL_E_CORRUPT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image image =
            image_of((petal_options){ .capacity = 100, .form = rows[i].form }, 0);
        assert_int_equal(opened(image, 0), PETAL_OK);
        for (unsigned j = 0; j < rows[i].size; j++)
            image.bytes[rows[i].at + j] = (uint8_t)(rows[i].value >> 8 * j);
        repair(image);
        assert_int_equal(opened(image, 0), rows[i].error);
        assert_int_equal(opened(image, PETAL_TRUST), rows[i].error);
        free(image.bytes);
    }
}

/* Changes a value in the tail and repairs all checksums.  The image must be rejected.  If
 * it is `harmless`, it must open, and lookups may return anything. */
static void damage_tail(struct image good, size_t at, unsigned size, uint64_t value,
                        bool harmless)
{
    struct image image = { malloc(good.len), good.len };
    require(image.bytes);
    memcpy(image.bytes, good.bytes, good.len);
    for (unsigned i = 0; i < size; i++)
        image.bytes[at + i] = (uint8_t)(value >> 8 * i);
    repair(image);
    for (unsigned flags = 0; flags < 4; flags++) {
        petal_filter *f;
        const int rc = petal_view(image.bytes, image.len, flags, &f);
        assert_int_equal(rc, harmless ? PETAL_OK : PETAL_E_CORRUPT);
        for (int64_t i = 0; f && i < 1000; i++)
            petal_contains_int(f, i);
        petal_free(f);
    }
    free(image.bytes);
}

/* The table of layers: share, base, attempt, and the keys of each layer. */
static void every_entry_of_the_layers_is_bounded(void **state)
{
    (void)state;
    const struct image image =
        image_of((petal_options){ .kind = PETAL_RIBBON, .capacity = 1, .fpr = 0.01 }, 2000);
    const size_t tail = 256 + (size_t)((load_le64(image.bytes + 24) / 8 + 63) / 64 * 64);
    assert_true(load_le32(image.bytes + 84) == 2);
    assert_true(load_le64(image.bytes + tail + 8) == 2000);
    const uint64_t last = load_le64(image.bytes + tail + 16);
    assert_true(last > 0 && last <= 1024);

    damage_tail(image, tail, 4, 0, false); /* the blocks would be larger */
    damage_tail(image, tail + 4, 2, 8, false);
    damage_tail(image, tail + 4, 2, 7, true); /* other seeds are valid too */
    damage_tail(image, tail + 6, 2, 256, false);
    damage_tail(image, tail + 6, 2, 255, false); /* would need more room */
    damage_tail(image, tail + 6, 2, 1, true);
    static const uint64_t keys[] = {
        0, 1, 1024, 1025, 1999, 2001, (uint64_t)1 << 40, ((uint64_t)1 << 40) + 1, UINT64_MAX
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        damage_tail(image, tail + 8, 8, keys[i], false);
        damage_tail(image, tail + 16, 8, keys[i], false);
    }
    for (size_t at = tail + 24; at < tail + 64; at++)
        damage_tail(image, at, 1, 1, false);
    for (size_t at = 256; at < tail; at++) /* blocks and codes may have any value */
        damage_tail(image, at, 1, image.bytes[at] ^ 0xFFu,
                    at < 256 + (size_t)load_le64(image.bytes + 24) / 8);
    free(image.bytes);
}

/* The table of stages: for each stage its blocks, capacity, keys, k and zeros. */
static void every_entry_of_the_stages_is_bounded(void **state)
{
    (void)state;
    const struct image image = image_of_kind(PETAL_SCALABLE);
    const uint64_t cells = load_le64(image.bytes + 24) / 8;
    const uint32_t stages = load_le32(image.bytes + 84);
    assert_true(stages == 2);
    const unsigned tail = (unsigned)(256 + cells);
    free(image.bytes);
    for (unsigned i = 0; i < stages; i++) {
        const unsigned at = tail + 32 * i;
        const struct damage rows[] = {
            { PETAL_SCALABLE, at, 8, 0, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at, 8, 1000, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at, 8, (uint64_t)1 << 32, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at, 8, UINT64_MAX, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 8, 8, 0, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 8, 8, UINT64_MAX, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 8, 8, 7, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 8, 8, (uint64_t)1 << 40, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 24, 4, 0, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 24, 4, 17, PETAL_E_CORRUPT },
            { PETAL_SCALABLE, at + 28, 4, 1, PETAL_E_CORRUPT },
        };
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            assert_damaged(rows[r]);
    }

    /* an odd number of stages leaves padding after the last one */
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_SCALABLE, .capacity = 60 });
    struct image one;
    const void *bytes = petal_bytes(f, &one.len);
    one.bytes = malloc(one.len);
    require(one.bytes);
    memcpy(one.bytes, bytes, one.len);
    petal_free(f);
    one.bytes[one.len - 8 - 1] = 1;
    repair(one);
    assert_int_equal(opened(one, 0), PETAL_E_CORRUPT);
    free(one.bytes);
}

/* ---- Sections ---- */

struct section {
    uint32_t type, len;
    const void *data;
    size_t data_len; /* with padding */
};

/* An image with these sections, and all checksums right. */
static struct image image_with(const struct section *sections, size_t n)
{
    struct image image = image_of((petal_options){ .capacity = 60 }, 50);
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        len += 8 + sections[i].data_len;
    image.bytes = realloc(image.bytes, image.len + len + 64);
    require(image.bytes);
    uint8_t *first = image.bytes + image.len, *at = first;
    for (size_t i = 0; i < n; i++) {
        store_le32(at, sections[i].type);
        store_le32(at + 4, sections[i].len);
        if (sections[i].data_len)
            memcpy(at + 8, sections[i].data, sections[i].data_len);
        at += 8 + sections[i].data_len;
    }
    image.len += len;
    store_le64(image.bytes + 16, image.len);
    store_le32(image.bytes + 112, (uint32_t)len);
    store_le64(image.bytes + 120, len ? petal__checksum(first, len, 0) : 0);
    repair(image);
    return image;
}

static void assert_opens(struct image image, int error, const char *what)
{
    for (unsigned flags = 0; flags < 4; flags++) {
        const int rc = opened(image, flags);
        if (rc != error)
            fail_msg("%s: %s", what, petal_strerror(rc));
    }
}

static void assert_sections(const struct section *sections, size_t n, int error,
                            const char *what)
{
    const struct image image = image_with(sections, n);
    assert_opens(image, error, what);
    free(image.bytes);
}

static void assert_notes(const char *notes, size_t len, int error)
{
    static char data[8192];
    require(len + 8 < sizeof data);
    memset(data, 0, sizeof data);
    memcpy(data, notes, len);
    assert_sections(&(struct section){ 1, (uint32_t)len, data, (size_t)round_up(len, 8) },
                    1, error, notes);
}

static void notes_are_well_formed(void **state)
{
    (void)state;
#define NOTES(text) text, sizeof(text) - 1 /* without the 0 that C appends */
#define NAME_32     "abcdefghijklmnopqrstuvwxyz_abcde"
    static const struct {
        const char *notes;
        size_t len;
        int error;
    } rows[] = {
        { NOTES("a\0b\0"), PETAL_OK },
        { NOTES("a_z\0b\0zz\0\303\251 \\\"\0"), PETAL_OK },
        { NOTES(NAME_32 "\0b\0"), PETAL_OK },
        { NOTES("a\0\302\240\0"), PETAL_OK },
        { NOTES(""), PETAL_E_CORRUPT },
        { NOTES(NAME_32 "f\0b\0"), PETAL_E_CORRUPT },
        { NOTES("\0b\0"), PETAL_E_CORRUPT },
        { NOTES("A\0b\0"), PETAL_E_CORRUPT },
        { NOTES("a1\0b\0"), PETAL_E_CORRUPT },
        { NOTES("`\0b\0"), PETAL_E_CORRUPT },
        { NOTES("{\0b\0"), PETAL_E_CORRUPT },
        { NOTES("a\0\0"), PETAL_E_CORRUPT },         /* an empty text */
        { NOTES("a\0"), PETAL_E_CORRUPT },           /* no text */
        { NOTES("a\0b\0c\0"), PETAL_E_CORRUPT },     /* no text for the second */
        { NOTES("a\0b\0c\0d"), PETAL_E_CORRUPT },    /* no 0 at the end */
        { NOTES("b\0x\0a\0y\0"), PETAL_E_CORRUPT },  /* not in order */
        { NOTES("a\0x\0a\0y\0"), PETAL_E_CORRUPT },  /* twice */
        { NOTES("a\0b\0\0"), PETAL_E_CORRUPT },      /* a 0 too many */
        { NOTES("a\0\377\0"), PETAL_E_CORRUPT },     /* not UTF-8 */
        { NOTES("a\0\303\0"), PETAL_E_CORRUPT },     /* half a character */
        { NOTES("a\0\300\200\0"), PETAL_E_CORRUPT }, /* overlong */
        { NOTES("a\0x\033[2J\0"), PETAL_E_CORRUPT }, /* control characters */
        { NOTES("a\0x\ny\0"), PETAL_E_CORRUPT },
        { NOTES("a\0\037\0"), PETAL_E_CORRUPT },
        { NOTES("a\0\177\0"), PETAL_E_CORRUPT },
        { NOTES("a\0\302\233\0"), PETAL_E_CORRUPT },
        { NOTES("a\0\302\237\0"), PETAL_E_CORRUPT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_notes(rows[i].notes, rows[i].len, rows[i].error);
    for (size_t len = 4096; len <= 4097; len++) {
        char longest[4097];
        memset(longest, 'x', sizeof longest);
        longest[1] = longest[len - 1] = 0;
        assert_notes(longest, len, len == 4096 ? PETAL_OK : PETAL_E_CORRUPT);
    }
}

static void sections_are_well_formed(void **state)
{
    (void)state;
    static const uint8_t zeros[32784];
    const struct section notes = { 1, 4, "a\0b\0\0\0\0", 8 };
    static const struct {
        struct section section;
        int error;
        const char *what;
    } rows[] = {
        { { 2, 0, NULL, 0 }, PETAL_OK, "an empty section of an unknown type" },
        { { UINT32_MAX, 5, "\377\377\377\377\377\0\0", 8 }, PETAL_OK, "any data" },
        { { 2, 32752 - 8, zeros, 32752 - 8 }, PETAL_OK, "as much as possible" },
        { { 0, 0, NULL, 0 }, PETAL_E_CORRUPT, "type 0" },
        { { 1, 4, "a\0b\0\0\0\0", 8 }, PETAL_E_CORRUPT, "notes twice" },
        { { 2, 1, NULL, 0 }, PETAL_E_CORRUPT, "longer than what is left" },
        { { 2, 9, "12345678", 8 }, PETAL_E_CORRUPT, "longer than what is left" },
        { { 2, UINT32_MAX, "12345678", 8 }, PETAL_E_CORRUPT, "as long as can be" },
        { { 2, UINT32_MAX - 7, "12345678", 8 }, PETAL_E_CORRUPT, "8 bytes less" },
        { { 2, 7, "12345678", 8 }, PETAL_E_CORRUPT, "padding that is not zero" },
        { { 2, 1, "1\0\0\0\0\0\0\1", 8 }, PETAL_E_CORRUPT, "padding that is not zero" },
        { { 2, 32752, zeros, 32752 }, PETAL_E_CORRUPT, "8 bytes too many" },
        { { 2, 0, "\0\0\0", 4 }, PETAL_E_CORRUPT, "not a multiple of 8" },
        { { 2, 0, "\3\0\0\0\0\0\0", 8 }, PETAL_OK, "another one" },
        { { 2, 0, "\2\0\0\0\0\0\0", 8 }, PETAL_E_CORRUPT, "the same type twice" },
        { { 3, 0, "\2\0\0\0\0\0\0", 8 }, PETAL_E_CORRUPT, "types not in order" },
    };
    assert_sections(&notes, 1, PETAL_OK, "notes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_sections((struct section[]){ notes, rows[i].section }, 2, rows[i].error,
                        rows[i].what);
    assert_sections((struct section[]){ { 2, 0, NULL, 0 }, notes }, 2, PETAL_E_CORRUPT,
                    "notes that are not first");
}

/* The sum is also checked if the image is trusted. */
static void damage_to_sections_is_detected(void **state)
{
    (void)state;
    const struct image image = image_with(&(struct section){ 1, 4, "a\0b\0\0\0\0", 8 }, 1);
    const size_t first = image.len - 16;
    for (size_t bit = 8 * first; bit < 8 * image.len; bit++) {
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_opens(image, PETAL_E_CORRUPT, "damaged");
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    petal_filter *f; /* changed while in use: reported, and where */
    uint64_t where = 0;
    assert_int_equal(petal_view(image.bytes, image.len, 0, &f), PETAL_OK);
    assert_int_equal(petal_verify(f, &where), PETAL_OK);
    image.bytes[first + 10] = 'c';
    assert_int_equal(petal_verify(f, &where), PETAL_E_CORRUPT);
    assert_true(where == first);
    petal_free(f);
    for (size_t len = 256; len < image.len; len++)
        assert_opens((struct image){ image.bytes, len }, PETAL_E_TRUNCATED, "cut");
    free(image.bytes);
}

/* ---- The rest of the image ---- */

static void bits_past_the_end_are_zero(void **state)
{
    (void)state;
    assert_damaged((struct damage){ PETAL_BITMAP, 256 + 125, 1, 0x02, PETAL_E_CORRUPT });
    assert_damaged((struct damage){ PETAL_BITMAP, 256 + 125, 1, 0x80, PETAL_E_CORRUPT });
    assert_damaged((struct damage){ PETAL_BITMAP, 256 + 126, 1, 0x01, PETAL_E_CORRUPT });
    assert_damaged((struct damage){ PETAL_BITMAP, 256 + 127, 1, 0x01, PETAL_E_CORRUPT });
}

/* This can only be checked by reading the whole bitmap.  A trusted image reports its claim.
 */
static void the_number_of_keys_of_a_bitmap_is_checked(void **state)
{
    (void)state;
    struct image image = image_of_kind(PETAL_BITMAP);
    store_le64(image.bytes + 40, 99);
    repair(image);
    assert_int_equal(opened(image, 0), PETAL_E_CORRUPT);
    assert_int_equal(opened(image, PETAL_TRUST), PETAL_OK);
    store_le64(image.bytes + 40, 0); /* not counted */
    store_le32(image.bytes + 76, 1);
    repair(image);
    petal_filter *f;
    assert_int_equal(petal_view(image.bytes, image.len, 0, &f), PETAL_OK);
    assert_true(petal_size(f) == 100);
    petal_free(f);
    free(image.bytes);
}

/* A stage must not claim more keys than one per 1/256 bit, or a hostile file could make the
 * next stage arbitrarily large. */
static void the_capacity_of_a_stage_agrees_with_its_size(void **state)
{
    (void)state;
    struct image image =
        image_of((petal_options){ .kind = PETAL_SCALABLE, .capacity = 10 }, 5);
    const uint64_t blocks = load_le64(image.bytes + 24) / 512;
    uint8_t *entry = image.bytes + 256 + blocks * 64;
    for (uint64_t over = 0; over < 2; over++) {
        const uint64_t capacity = blocks * 131072 + over;
        store_le64(entry + 8, capacity);
        store_le64(image.bytes + 32, capacity);
        store_le64(image.bytes + 88, capacity);
        repair(image);
        assert_int_equal(opened(image, PETAL_COPY), over ? PETAL_E_CORRUPT : PETAL_OK);
    }
    free(image.bytes);
}

/* Trusting a damaged image does not lead to writing an invalid one. */
static void a_damaged_bitmap_can_be_saved_again(void **state)
{
    (void)state;
    struct image image = image_of_kind(PETAL_BITMAP);
    image.bytes[256 + 50] ^= 1;
    petal_filter *f, *again;
    assert_int_equal(opened(image, 0), PETAL_E_CORRUPT);
    assert_int_equal(petal_view(image.bytes, image.len, PETAL_TRUST | PETAL_COPY, &f),
                     PETAL_OK);
    petal_add_int(f, 900);
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    assert_int_equal(petal_view(bytes, len, 0, &again), PETAL_OK);
    assert_true(petal_size(again) == 102);
    petal_free(again);
    petal_free(f);
    free(image.bytes);
}

static void damage_to_any_byte_is_detected(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const struct image image = image_of_kind(kind);
        for (size_t at = 0; at < image.len; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                image.bytes[at] ^= (uint8_t)(1u << bit);
                assert_true(opened(image, 0) < 0);
                image.bytes[at] ^= (uint8_t)(1u << bit);
            }
        }
        assert_int_equal(opened(image, 0), PETAL_OK);
        free(image.bytes);
    }
}

static void a_truncated_image_is_rejected(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const struct image image = image_of_kind(kind);
        for (size_t len = 0; len < image.len; len++) {
            uint8_t *exact =
                malloc(len ? len : 1); /* so that a read past the end is detected */
            require(exact);
            memcpy(exact, image.bytes, len);
            for (unsigned flags = 0; flags < 4; flags++) {
                const int rc = opened((struct image){ exact, len }, flags);
                assert_int_equal(rc, len < 8 ? PETAL_E_FORMAT : PETAL_E_TRUNCATED);
            }
            free(exact);
        }
        for (size_t more = 1; more < 64; more++)
            assert_int_equal(opened((struct image){ image.bytes, image.len + more }, 0),
                             PETAL_E_CORRUPT);
        free(image.bytes);
    }
}

static void images_need_no_alignment(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const struct image image = image_of_kind(kind);
        uint8_t *moved = malloc(image.len + 64);
        require(moved);
        for (size_t by = 0; by < 64; by++) {
            memcpy(moved + by, image.bytes, image.len);
            petal_filter *f;
            assert_int_equal(petal_view(moved + by, image.len, 0, &f), PETAL_OK);
            for (int64_t i = 0; i < 100; i++)
                assert_true(petal_contains_int(f, i));
            petal_stats s;
            petal_stats_of(f, &s);
            petal_free(f);
        }
        free(moved);
        free(image.bytes);
    }
}

static void a_filter_is_sealed_until_the_next_change(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 100));
        uint64_t where = 0;
        assert_int_equal(petal_verify(f, &where), PETAL_E_UNSEALED);
        assert_int_equal(petal_seal(f), PETAL_OK);
        assert_int_equal(petal_verify(f, &where), PETAL_OK);
        if (petal_abilities(kind) & PETAL_IS_STATIC)
            petal_clear(f);
        petal_add_int(f, 1);
        assert_int_equal(petal_verify(f, NULL), PETAL_E_UNSEALED);
        petal_seal(f);
        petal_stats s;
        petal_stats_of(f, &s);
        assert_true(s.sealed);
        if (petal_abilities(kind) & PETAL_CAN_SHARE) {
            petal_add_shared(f, "1", 1);
            assert_int_equal(petal_verify(f, NULL), PETAL_E_UNSEALED);
        }
        petal_free(f);
    }
}

/* An image of 3 MiB: the damaged chunk is reported. */
static void the_damaged_chunk_is_reported(void **state)
{
    (void)state;
    const struct image image =
        image_of((petal_options){ .bits = 24 << 20, .hashes = 3 }, 1000);
    const struct {
        size_t at;
        uint64_t named;
    } rows[] = {
        { 256, 256 },
        { 256 + (1 << 20) - 1, 256 },
        { 256 + (1 << 20), 256 + (1 << 20) },
        { 256 + (3 << 20) - 1, 256 + (2 << 20) },
        { 256 + (3 << 20), 256 + (3 << 20) },
        { image.len - 1, 256 + (3 << 20) },
    };
    assert_true(image.len == 256 + (3 << 20) + 3 * 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image.bytes[rows[i].at] ^= 4;
        assert_int_equal(opened(image, 0), PETAL_E_CORRUPT);
        petal_filter *f;
        assert_int_equal(petal_view(image.bytes, image.len, PETAL_TRUST, &f), PETAL_OK);
        uint64_t where = 0;
        assert_int_equal(petal_verify(f, &where), PETAL_E_CORRUPT);
        assert_int_equal(petal_verify(f, NULL), PETAL_E_CORRUPT);
        assert_true(where == rows[i].named);
        petal_free(f);
        image.bytes[rows[i].at] ^= 4;
    }
    petal_filter *f; /* a header that changes while it is in use */
    uint64_t where = 1;
    assert_int_equal(petal_view(image.bytes, image.len, 0, &f), PETAL_OK);
    image.bytes[40] ^= 4;
    assert_int_equal(petal_verify(f, &where), PETAL_E_CORRUPT);
    assert_true(where == 0);
    petal_free(f);
    free(image.bytes);
}

/* Two exchanged chunks have valid contents but the wrong numbers. */
static void exchanged_chunks_are_detected(void **state)
{
    (void)state;
    const struct image image =
        image_of((petal_options){ .bits = 16 << 20, .hashes = 3 }, 1000);
    uint8_t *first = image.bytes + 256, *second = first + (1 << 20),
            *table = second + (1 << 20);
    for (size_t i = 0; i < 1 << 20; i++) {
        const uint8_t byte = first[i];
        first[i] = second[i];
        second[i] = byte;
    }
    const uint64_t sum = load_le64(table);
    store_le64(table, load_le64(table + 8));
    store_le64(table + 8, sum);
    store_le64(image.bytes + 240, petal__checksum(table, 16, 0));
    store_le64(image.bytes + 248, petal__checksum(image.bytes, 248, 0));
    assert_int_equal(opened(image, 0), PETAL_E_CORRUPT);
    free(image.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_header_is_bounded),
        cmocka_unit_test(fields_that_a_kind_does_not_use_are_zero),
        cmocka_unit_test(the_kind_supports_its_hash_and_form),
        cmocka_unit_test(every_field_is_bounded),
        cmocka_unit_test(the_classes_are_bounded),
        cmocka_unit_test(every_entry_of_the_stages_is_bounded),
        cmocka_unit_test(every_entry_of_the_layers_is_bounded),
        cmocka_unit_test(notes_are_well_formed),
        cmocka_unit_test(sections_are_well_formed),
        cmocka_unit_test(damage_to_sections_is_detected),
        cmocka_unit_test(bits_past_the_end_are_zero),
        cmocka_unit_test(the_number_of_keys_of_a_bitmap_is_checked),
        cmocka_unit_test(the_capacity_of_a_stage_agrees_with_its_size),
        cmocka_unit_test(a_damaged_bitmap_can_be_saved_again),
        cmocka_unit_test(damage_to_any_byte_is_detected),
        cmocka_unit_test(a_truncated_image_is_rejected),
        cmocka_unit_test(images_need_no_alignment),
        cmocka_unit_test(a_filter_is_sealed_until_the_next_change),
        cmocka_unit_test(the_damaged_chunk_is_reported),
        cmocka_unit_test(exchanged_chunks_are_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
