/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.c: petal_describe(), petal_describe_shape(): a filter or a shape as JSON.
 *
 * Each field of petal_shape or petal_stats is one row in a table here.  Numbers do not
 * depend on the locale of the C library.
 */
#include "api/api.h"
#include "api/fields.h"
#include "core/digits.h"
#include "core/image.h"

static const struct field shape_fields[] = {
    FIELD(petal_shape, kind, KIND),
    FIELD(petal_shape, capacity, COUNT),
    FIELD(petal_shape, fpr, RATE),
    FIELD(petal_shape, bits, COUNT),
    FIELD(petal_shape, hashes, SMALL),
    FIELD(petal_shape, block_bits, SMALL),
    FIELD(petal_shape, counter_bits, SMALL),
    FIELD(petal_shape, insert_only, FLAG),
    FIELD(petal_shape, growth, SMALL),
    FIELD(petal_shape, capacity_first, COUNT),
    FIELD(petal_shape, capacity_max, COUNT),
    FIELD(petal_shape, form, FORM),
    FIELD(petal_shape, match_lookups, SMALL),
    FIELD(petal_shape, hash, HASH),
    FIELD(petal_shape, seed, SEED),
    FIELD(petal_shape, bits_per_key, RATE),
    FIELD(petal_shape, image_bytes, COUNT),
    FIELD(petal_shape, fingerprints, COUNT),
    FIELD(petal_shape, quotients, SMALL),
};

static const struct field stat_fields[] = {
    FIELD(petal_stats, keys_added, COUNT),        FIELD(petal_stats, counted, FLAG),
    FIELD(petal_stats, cells_set, COUNT),         FIELD(petal_stats, fill, RATE),
    FIELD(petal_stats, keys_estimate, RATE),      FIELD(petal_stats, fpr_estimate, RATE),
    FIELD(petal_stats, saturated, COUNT),         FIELD(petal_stats, stages, SMALL),
    FIELD(petal_stats, match_lookups_now, SMALL), FIELD(petal_stats, sealed, FLAG),
    FIELD(petal_stats, writable, FLAG),
};

/* A buffer that keeps counting the length when it is full. */
struct out {
    char *text;
    size_t size, len;
};

static void out_text(struct out *o, const char *text)
{
    for (; *text; text++, o->len++)
        if (o->len + 1 < o->size)
            o->text[o->len] = *text;
}

static void out_count(struct out *o, uint64_t value)
{
    char text[24];
    text[petal__digits(value, 10, text)] = 0;
    out_text(o, text);
}

static void out_real(struct out *o, double value)
{
    char text[DIGITS_REAL_MAX];
    petal__digits_real(value, text);
    out_text(o, text);
}

static void out_seed(struct out *o, const uint64_t seed[2])
{
    char text[24];
    for (int i = 0; i < 2; i++) {
        out_text(o, i == 0 ? "\"0x" : ":0x");
        text[petal__digits(seed[i], 16, text)] = 0;
        out_text(o, text);
    }
    out_text(o, "\"");
}

static void out_name(struct out *o, const char *name)
{
    out_text(o, "\"");
    out_text(o, name);
    out_text(o, "\"");
}

static void out_value(struct out *o, enum type type, const void *at)
{
    switch (type) {
    case KIND: out_name(o, petal_kind_name(*(const petal_kind *)at)); break;
    case FORM: out_name(o, petal_form_name(*(const petal_form *)at)); break;
    case HASH: out_name(o, petal_hash_name(*(const petal_hash_id *)at)); break;
    case SEED: out_seed(o, at); break;
    case FLAG: out_text(o, *(const bool *)at ? "true" : "false"); break;
    case COUNT:
    case BITS: out_count(o, *(const uint64_t *)at); break;
    case SMALL: out_count(o, *(const uint32_t *)at); break;
    case RATE: out_real(o, *(const double *)at); break;
    }
}

static void out_fields(struct out *o, const struct field *fields, size_t n,
                       const void *object, bool hide_seed)
{
    for (size_t i = 0; i < n; i++) {
        if (fields[i].type == SEED && hide_seed)
            continue;
        out_text(o, o->len ? ", " : "{");
        out_name(o, fields[i].name);
        out_text(o, ": ");
        out_value(o, fields[i].type, (const char *)object + fields[i].at);
    }
}

/* All 16 digits, because an id is no number to calculate with. */
static void out_id(struct out *o, uint64_t id)
{
    static const char zeros[] = "0000000000000000";
    char text[24];
    const size_t len = petal__digits(id, 16, text);
    text[len] = 0;
    out_text(o, &zeros[len]);
    out_text(o, text);
}

/* A text without control characters. */
static void out_quoted(struct out *o, const char *text)
{
    out_text(o, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            out_text(o, "\\");
        out_text(o, (char[]){ *text, 0 });
    }
    out_text(o, "\"");
}

static void out_notes(struct out *o, const petal_filter *f)
{
    const char *name = petal_note_next(f, NULL);
    if (!name)
        return;
    out_text(o, ", \"notes\": {");
    for (const char *next; name; name = next) {
        next = petal_note_next(f, name);
        out_name(o, name);
        out_text(o, ": ");
        out_quoted(o, petal__sections_note(&f->sections, name));
        out_text(o, next ? ", " : "}");
    }
}

/* Ends the object.  Returns the length of the whole text. */
static size_t out_close(struct out *o)
{
    out_text(o, "}");
    if (o->size > 0)
        o->text[o->len < o->size ? o->len : o->size - 1] = 0;
    return o->len;
}

static void out_shape(struct out *o, const petal_shape *shape)
{
    out_fields(o, shape_fields, COUNT_OF(shape_fields), shape,
               shape->hash == PETAL_HASH_KEYED);
}

size_t petal_describe_shape(const petal_shape *shape, char *text, size_t size)
{
    struct out o = { text, size, 0 };
    out_shape(&o, shape);
    return out_close(&o);
}

size_t petal_describe(const petal_filter *filter, char *text, size_t size)
{
    petal_stats stats;
    petal_stats_of(filter, &stats);
    struct out o = { text, size, 0 };
    out_shape(&o, petal_shape_of(filter));
    out_fields(&o, stat_fields, COUNT_OF(stat_fields), &stats, false);
    if (stats.sealed) {
        out_text(&o, ", \"content_id\": \"");
        out_id(&o, petal__image_id(filter));
        out_text(&o, "\"");
    }
    out_notes(&o, filter);
    return out_close(&o);
}
