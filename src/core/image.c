/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.c: writes, reads and validates the image of a filter.
 *
 * An image is a header of 256 bytes, the cells, the tail of the kind, a table with one
 * checksum for every mebibyte of cells and tail, and the sections (core/sections.h).
 * docs/format.md describes every byte.  All ways into the library (memory, files, and
 * whatever a module receives) end in this validator.
 *
 * The header stores few figures, and none of them can be derived from the others.  Each is
 * checked against its bounds, and all lengths follow from them.  The total must then equal
 * the length of the bytes at hand.
 */
#include "core/image.h"

#include "core/hash.h"
#include "core/memory.h"

#define VERSION   1
#define CHUNK_LEN ((uint64_t)1 << 20)

static const uint8_t image_magic[8] = { 0x89, 'P', 'E', 'T', 'A', 'L', '\r', '\n' };

enum { /* offsets in the header */
       AT_MAGIC = 0,
       AT_VERSION = 8,
       AT_KIND = 10,
       AT_FORM = 11,
       AT_HASH = 12,
       AT_COUNTER_BITS = 13,
       AT_HASHES = 14,
       AT_LENGTH = 16,
       AT_BITS = 24,
       AT_CAPACITY = 32,
       AT_KEYS = 40,
       AT_SEED = 48,
       AT_FPR = 64,
       AT_FEATURES = 72,
       AT_FLAGS = 76,
       AT_GROWTH = 80, /* from here on: fields of some kinds only */
       AT_STAGES = 84,
       AT_CAPACITY_FIRST = 88,
       AT_CAPACITY_MAX = 96,
       AT_INSERT_ONLY = 104,
       AT_ZERO_1 = 105, /* reserved */
       AT_MATCH_LOOKUPS = 108,
       AT_SECTIONS_LEN = 112,
       AT_ZERO_2 = 116, /* reserved */
       AT_SECTIONS_SUM = 120,
       AT_FINGERPRINTS = 128,
       AT_QUOTIENTS = 136,
       AT_STEPS = 140,
       AT_ZERO_3 = 144, /* reserved */
       AT_MASK = 176,   /* the classes of the keys */
       AT_ZERO_4 = 208, /* reserved */
       AT_TABLE_SUM = 240,
       AT_HEADER_SUM = 248,
};

enum { FLAG_UNCOUNTED = 1 }; /* the number of keys is unknown */

/* ---- Lengths ---- */

static uint64_t image_chunks(uint64_t body_len)
{
    return round_up(body_len, CHUNK_LEN) / CHUNK_LEN;
}

static uint64_t image_body_len(const petal_shape *shape, uint32_t stages)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    return petal__cells_len(shape) + (ops->tail_len ? ops->tail_len(stages) : 0);
}

uint64_t petal__image_body(const petal_filter *f)
{
    return image_body_len(&f->shape, f->stages);
}

void petal__image_measure(petal_shape *shape, uint32_t stages, uint32_t sections_len)
{
    const uint64_t body = image_body_len(shape, stages);
    shape->image_bytes = IMAGE_HEADER + body + 8 * image_chunks(body) + sections_len;
    shape->bits_per_key = (double)shape->bits / (double)shape->capacity;
    shape->block_bits = petal__ops(shape->kind)->block_cells * shape->counter_bits;
}

/* ---- Writing ---- */

static uint64_t image_sections_sum(const uint8_t *bytes, uint32_t len)
{
    return len ? petal__checksum(bytes, len, 0) : 0;
}

static void image_write_header(petal_filter *f)
{
    const petal_shape *s = &f->shape;
    uint8_t *h = f->image;
    memset(h, 0, IMAGE_HEADER);
    memcpy(h + AT_MAGIC, image_magic, sizeof image_magic);
    store_le16(h + AT_VERSION, VERSION);
    h[AT_KIND] = (uint8_t)s->kind;
    h[AT_FORM] = (uint8_t)s->form;
    h[AT_HASH] = (uint8_t)s->hash;
    h[AT_COUNTER_BITS] = (uint8_t)s->counter_bits;
    store_le16(h + AT_HASHES, (uint16_t)s->hashes);
    store_le64(h + AT_LENGTH, s->image_bytes);
    store_le64(h + AT_BITS, s->bits);
    store_le64(h + AT_CAPACITY, s->capacity);
    store_le64(h + AT_KEYS, f->counted ? f->keys : 0);
    store_le64(h + AT_SEED, s->seed[0]);
    store_le64(h + AT_SEED + 8, s->seed[1]);
    store_le_double(h + AT_FPR, s->fpr);
    store_le32(h + AT_FLAGS, f->counted ? 0 : FLAG_UNCOUNTED);
    store_le32(h + AT_GROWTH, s->growth);
    store_le32(h + AT_STAGES, f->ops->abilities & PETAL_IS_STAGED ? f->stages : 0);
    store_le64(h + AT_CAPACITY_FIRST, s->capacity_first);
    store_le64(h + AT_CAPACITY_MAX, s->capacity_max);
    h[AT_INSERT_ONLY] = s->insert_only;
    store_le32(h + AT_MATCH_LOOKUPS, s->match_lookups);
    store_le32(h + AT_SECTIONS_LEN, f->sections.len);
    store_le64(h + AT_FINGERPRINTS, s->fingerprints);
    store_le32(h + AT_QUOTIENTS, s->quotients);
    store_le32(h + AT_STEPS, (uint32_t)s->steps);
    store_le64(h + AT_SECTIONS_SUM, image_sections_sum(f->sections.bytes, f->sections.len));
    memcpy(h + AT_MASK, f->classes, FORM_MASK_LEN);
}

static uint64_t image_chunk_sum(const uint8_t *body, uint64_t body_len, uint64_t chunk)
{
    const uint64_t from = chunk * CHUNK_LEN, remaining = body_len - from;
    return petal__checksum(body + from,
                           (size_t)(remaining < CHUNK_LEN ? remaining : CHUNK_LEN), chunk);
}

void petal__image_seal(petal_filter *f)
{
    if (f->ops->consistent && !(f->ops->takes & PETAL__CHECKS_CHANGES) &&
        !f->ops->consistent(f))
        f->counted = false; /* a damaged image that was trusted */
    const uint64_t body = image_body_len(&f->shape, f->stages), chunks = image_chunks(body);
    uint8_t *table = f->cells + body;
    for (uint64_t i = 0; i < chunks; i++)
        store_le64(table + 8 * i, image_chunk_sum(f->cells, body, i));
    if (f->sections.len)
        memcpy(table + 8 * chunks, f->sections.bytes, f->sections.len);
    image_write_header(f);
    store_le64(f->image + AT_TABLE_SUM, petal__checksum(table, (size_t)(8 * chunks), 0));
    store_le64(f->image + AT_HEADER_SUM, petal__checksum(f->image, AT_HEADER_SUM, 0));
    petal__changed(f); /* a copy in steps has the old header */
    f->sealed = true;
}

uint64_t petal__image_id(const petal_filter *f)
{
    static const struct {
        unsigned at, len;
    } parts[] = { { AT_VERSION, AT_LENGTH - AT_VERSION },
                  { AT_BITS, AT_SECTIONS_LEN - AT_BITS },
                  { AT_MASK, FORM_MASK_LEN },
                  { AT_TABLE_SUM, 8 },
                  { AT_FINGERPRINTS, 16 } };
    const size_t n = f->shape.fingerprints ? 5 : 4; /* the last one if there are any */
    uint8_t header[IMAGE_HEADER], bytes[IMAGE_HEADER];
    memcpy(header, f->image, sizeof header);
    if (f->shape.hash == PETAL_HASH_KEYED)
        memset(header + AT_SEED, 0, sizeof f->shape.seed); /* the id is public */
    size_t len = 0;
    for (size_t i = 0; i < n; len += parts[i++].len)
        memcpy(bytes + len, header + parts[i].at, parts[i].len);
    return petal__checksum(bytes, len, 0);
}

/* ---- Reading ---- */

static bool image_is_zero(const uint8_t *bytes, uint64_t len)
{
    for (uint64_t i = 0; i < len; i++)
        if (bytes[i])
            return false;
    return true;
}

void petal__image_pad(petal_filter *f)
{
    const uint64_t bits = f->shape.bits, whole = round_up(bits, 8) / 8;
    if (bits % 8)
        f->cells[whole - 1] &= (uint8_t)((1u << bits % 8) - 1);
    memset(f->cells + whole, 0, (size_t)(petal__cells_len(&f->shape) - whole));
}

bool petal__image_padded(const petal_filter *f)
{
    const uint64_t bits = f->shape.bits, whole = round_up(bits, 8) / 8;
    return (bits % 8 == 0 || f->cells[whole - 1] >> bits % 8 == 0) &&
           image_is_zero(f->cells + whole, petal__cells_len(&f->shape) - whole);
}

bool petal__image_intact(const petal_filter *f, uint64_t *damaged)
{
    const uint64_t body = image_body_len(&f->shape, f->stages), chunks = image_chunks(body);
    const uint8_t *table = f->cells + body;
    *damaged = 0;
    if (load_le64(f->image + AT_HEADER_SUM) != petal__checksum(f->image, AT_HEADER_SUM, 0))
        return false;
    *damaged = IMAGE_HEADER + body;
    if (load_le64(f->image + AT_TABLE_SUM) !=
        petal__checksum(table, (size_t)(8 * chunks), 0))
        return false;
    for (uint64_t i = 0; i < chunks; i++) {
        *damaged = IMAGE_HEADER + i * CHUNK_LEN;
        if (load_le64(table + 8 * i) != image_chunk_sum(f->cells, body, i))
            return false;
    }
    *damaged = IMAGE_HEADER + body + 8 * chunks;
    return load_le64(f->image + AT_SECTIONS_SUM) ==
           image_sections_sum(table + 8 * chunks, f->sections.len);
}

/* Are the reserved bytes of the header 0, and the fields about sections within bounds? */
static bool image_rest_fits(const uint8_t *h)
{
    const uint32_t sections_len = load_le32(h + AT_SECTIONS_LEN);
    return sections_len % 8 == 0 && sections_len <= SECTIONS_MAX &&
           (sections_len > 0 || load_le64(h + AT_SECTIONS_SUM) == 0) &&
           image_is_zero(h + AT_ZERO_1, AT_MATCH_LOOKUPS - AT_ZERO_1) &&
           image_is_zero(h + AT_ZERO_2, AT_SECTIONS_SUM - AT_ZERO_2) &&
           image_is_zero(h + AT_ZERO_3, AT_MASK - AT_ZERO_3) &&
           image_is_zero(h + AT_ZERO_4, AT_TABLE_SUM - AT_ZERO_4);
}

/* The checks that do not depend on the kind. */
static int image_read_start(const uint8_t *h, size_t len)
{
    if (len < sizeof image_magic || memcmp(h, image_magic, sizeof image_magic) != 0)
        return PETAL_E_FORMAT;
    if (len < IMAGE_HEADER)
        return PETAL_E_TRUNCATED;
    if (load_le16(h + AT_VERSION) > VERSION)
        return PETAL_E_VERSION;
    if (load_le64(h + AT_HEADER_SUM) != petal__checksum(h, AT_HEADER_SUM, 0))
        return PETAL_E_CORRUPT;
    if (load_le32(h + AT_FEATURES) != 0 || load_le32(h + AT_FLAGS) > FLAG_UNCOUNTED ||
        !petal_form_name((petal_form)h[AT_FORM]) ||
        !petal_hash_name((petal_hash_id)h[AT_HASH]) || !petal__ops((petal_kind)h[AT_KIND]))
        return PETAL_E_VERSION;
    if (load_le16(h + AT_VERSION) == 0 || h[AT_KIND] == PETAL_DEFAULT ||
        h[AT_INSERT_ONLY] > 1 || !image_rest_fits(h))
        return PETAL_E_CORRUPT;
    return PETAL_OK;
}

static void image_read_shape(const uint8_t *h, petal_filter *f)
{
    f->ops = petal__ops((petal_kind)h[AT_KIND]);
    f->shape = (petal_shape){
        .kind = (petal_kind)h[AT_KIND],
        .capacity = load_le64(h + AT_CAPACITY),
        .fpr = load_le_double(h + AT_FPR),
        .bits = load_le64(h + AT_BITS),
        .hashes = load_le16(h + AT_HASHES),
        .counter_bits = h[AT_COUNTER_BITS],
        .insert_only = h[AT_INSERT_ONLY],
        .growth = load_le32(h + AT_GROWTH),
        .capacity_first = load_le64(h + AT_CAPACITY_FIRST),
        .capacity_max = load_le64(h + AT_CAPACITY_MAX),
        .form = (petal_form)h[AT_FORM],
        .match_lookups = load_le32(h + AT_MATCH_LOOKUPS),
        .fingerprints = load_le64(h + AT_FINGERPRINTS),
        .quotients = load_le32(h + AT_QUOTIENTS),
        .steps = (int32_t)load_le32(h + AT_STEPS),
        .hash = (petal_hash_id)h[AT_HASH],
        .seed = { load_le64(h + AT_SEED), load_le64(h + AT_SEED + 8) },
    };
    f->form = petal__form(f->shape.form);
    memcpy(f->classes, h + AT_MASK, FORM_MASK_LEN);
    f->keys = load_le64(h + AT_KEYS);
    f->counted = !(load_le32(h + AT_FLAGS) & FLAG_UNCOUNTED);
}

/* Is match_lookups in its range, and 0 for forms without parents? */
static bool image_lookups_fit(const petal_shape *s)
{
    const struct petal_form_ops *form = petal__form(s->form);
    return form && form->match_lookups
               ? s->match_lookups > 0 && s->match_lookups <= 8 * FORM_MASK_LEN
               : s->match_lookups == 0;
}

/* Does the shape suit its kind?  Fields that the kind does not take must be unset. */
static bool image_kind_fits(const struct petal_ops *ops, const petal_shape *s)
{
    const bool counters = ops->takes & PETAL__TAKES_COUNTERS;
    const bool growth = ops->takes & PETAL__TAKES_GROWTH;
    return (counters || s->counter_bits == 1) &&
           (ops->insert_only_lacks || !s->insert_only) &&
           (growth || (!s->growth && !s->capacity_first && !s->capacity_max)) &&
           (ops->takes & PETAL__HAS_FINGERPRINTS ||
            (!s->fingerprints && !s->quotients && !s->steps)) &&
           ops->fits(s);
}

/* Is every figure within its bounds? */
bool petal__image_shape_fits(const petal_shape *s, uint32_t stages)
{
    const struct petal_ops *ops = petal__ops(s->kind);
    const bool staged = ops && ops->abilities & PETAL_IS_STAGED;
    return ops && s->kind != PETAL_DEFAULT && s->capacity > 0 && s->fpr >= 0 &&
           s->fpr <= 1 && petal_form_name(s->form) && petal_hash_name(s->hash) &&
           (s->hash == PETAL_HASH_KEYED || s->seed[1] == 0) &&
           (s->hash != PETAL_HASH_XXH64 || s->seed[0] == 0) &&
           (s->hash == PETAL_HASH_FOREIGN) == !!ops->contains_key &&
           (!staged || (stages >= 1 && stages <= ops->stages_max)) &&
           (!ops->point || s->form == PETAL_FORM_RAW) && image_lookups_fit(s) &&
           (!ops->contains_key || !s->match_lookups) && image_kind_fits(ops, s);
}

/* Checks the rest of the header: the mask has only classes that a key can have, `keys` is 0
 * if the keys were not counted, and `stages` is 0 for kinds without stages. */
static bool image_header_fits(const petal_filter *f, uint32_t stages)
{
    const bool has_parents = f->form && f->form->match_lookups;
    for (unsigned class_id = 0; class_id < 8 * FORM_MASK_LEN; class_id++)
        if (mask_has(f->classes, class_id) && !(has_parents && f->form->is_class(class_id)))
            return false;
    return (f->counted || f->keys == 0) &&
           (f->ops->abilities & PETAL_IS_STAGED || stages == 0);
}

/* Checks the parts of the image that follow the header. */
static int image_read_body(petal_filter *f, bool trust)
{
    uint64_t damaged;
    if (!petal__image_padded(f) || (f->ops->sound && !f->ops->sound(f)))
        return PETAL_E_CORRUPT;
    if (!trust && (!petal__image_intact(f, &damaged) ||
                   (f->ops->consistent && !f->ops->consistent(f))))
        return PETAL_E_CORRUPT;
    return PETAL_OK;
}

int petal__image_check_change(const petal_filter *f)
{
    return f->ops->takes & PETAL__CHECKS_CHANGES && !f->ops->consistent(f) ? PETAL_E_CORRUPT
                                                                           : PETAL_OK;
}

/* Copies the tail, because offsets must not change after they were validated. */
static int image_copy_tail(petal_filter *f)
{
    const size_t len = f->ops->tail_len ? f->ops->tail_len(f->stages) : 0;
    f->tail_copy = len ? petal__memory_get(len) : NULL;
    if (len && !f->tail_copy)
        return PETAL_E_MEMORY;
    if (len)
        memcpy(f->tail_copy, petal__cells_end(f), len);
    return PETAL_OK;
}

/* The same for the sections, which are checked here: their length is bounded. */
static int image_copy_sections(petal_filter *f, uint32_t len, uint64_t sum)
{
    const uint64_t from = f->shape.image_bytes - len;
    const struct sections there = { f->image + from, len };
    const int rc = petal__sections_copy(&f->sections, &there);
    if (rc < 0)
        return rc;
    return sum == image_sections_sum(f->sections.bytes, len) &&
                   petal__sections_fit(&f->sections)
               ? PETAL_OK
               : PETAL_E_CORRUPT;
}

int petal__image_read(petal_filter *f, const void *bytes, size_t len, bool trust)
{
    uint8_t h[IMAGE_HEADER];
    memcpy(h, bytes, len < sizeof h ? len : sizeof h);
    int rc = image_read_start(h, len);
    if (rc < 0)
        return rc;

    uint8_t *image = (uint8_t *)(uintptr_t)bytes; /* not written to: f is not writable */
    const uint32_t stages = load_le32(h + AT_STAGES);
    const uint32_t sections_len = load_le32(h + AT_SECTIONS_LEN);
    *f = (petal_filter){ .image = image, .cells = image + IMAGE_HEADER, .sealed = true };
    image_read_shape(h, f);
    if (!petal__image_shape_fits(&f->shape, stages) || !image_header_fits(f, stages))
        return PETAL_E_CORRUPT;
    f->stages = stages ? (uint8_t)stages : 1; /* at most stages_max */
    petal__image_measure(&f->shape, f->stages, sections_len);
    if (load_le64(h + AT_LENGTH) != f->shape.image_bytes)
        return PETAL_E_CORRUPT;
    if (f->shape.image_bytes != len)
        return f->shape.image_bytes > len ? PETAL_E_TRUNCATED : PETAL_E_CORRUPT;

    rc = image_copy_tail(f);
    if (rc == PETAL_OK)
        rc = image_copy_sections(f, sections_len, load_le64(h + AT_SECTIONS_SUM));
    if (rc == PETAL_OK)
        rc = image_read_body(f, trust);
    if (rc < 0) {
        petal__memory_free(f->tail_copy);
        petal__sections_free(&f->sections);
    }
    return rc;
}

int petal__image_read_copy(petal_filter *f, const void *bytes, size_t len, bool trust)
{
    int rc = image_read_start(bytes, len); /* before allocating memory for it */
    if (rc < 0)
        return rc;
    void *block;
    uint8_t *image = petal__memory_cells(len, &block);
    if (!image)
        return PETAL_E_MEMORY;
    memcpy(image, bytes, len);
    rc = petal__image_read(f, image, len, trust);
    if (rc < 0) {
        petal__memory_free(block);
        return rc;
    }
    petal__image_take(f, block);
    rc = trust ? petal__image_check_change(f) : PETAL_OK;
    if (rc < 0) {
        petal__image_release(f);
        petal__sections_free(&f->sections);
    }
    return rc;
}
