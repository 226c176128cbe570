/*
 * options.c: text to petal_options; a filter to JSON.
 *
 * A field of petal_options, petal_shape or petal_stats is one row in a table here,
 * and with that row it reaches the command, every module and every binding.  Numbers
 * are read and written without the C library's locale.
 */
#include "base.h"
#include "petal.h"

#include <inttypes.h>
#include <stdio.h>

enum type { KIND, FORM, HASH, SEED, FLAG, COUNT, SMALL, BITS, RATE };

struct field {
    const char *name;
    enum type type;
    size_t at;
};

/* ---- Text to options ---- */

#define OPTION(name, type)                         \
    {                                              \
#name, type, offsetof(petal_options, name) \
    }

static const struct field option_fields[] = {
    OPTION(kind, KIND),        OPTION(capacity, COUNT), OPTION(fpr, RATE),
    OPTION(bits, BITS),        OPTION(hashes, SMALL),   OPTION(counter_bits, SMALL),
    OPTION(insert_only, FLAG), OPTION(growth, SMALL),   OPTION(capacity_max, COUNT),
    OPTION(form, FORM),        OPTION(covers, SMALL),   OPTION(hash, HASH),
    OPTION(seed, SEED),        OPTION(threads, SMALL),
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A piece of the text, not 0-terminated. */
struct word {
    const char *p, *end;
};

static bool word_is(struct word w, const char *text)
{
    return (size_t)(w.end - w.p) == strlen(text) && memcmp(w.p, text, strlen(text)) == 0;
}

static bool word_take(struct word *w, char c)
{
    if (w->p == w->end || *w->p != c)
        return false;
    w->p++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* mantissa 10^exponent, from digits[.digits][e[+-]digits]. */
struct decimal {
    uint64_t mantissa;
    int exponent;
};

static bool decimal_read(struct word *w, struct decimal *d)
{
    bool any = false, fraction = false;
    *d = (struct decimal){ 0, 0 };
    for (; w->p < w->end && (is_digit(*w->p) || (*w->p == '.' && !fraction)); w->p++) {
        if (*w->p == '.') {
            fraction = true;
            continue;
        }
        const uint64_t digit = (uint64_t)(*w->p - '0');
        if (d->mantissa > (UINT64_MAX - digit) / 10)
            return false;
        d->mantissa = d->mantissa * 10 + digit;
        d->exponent -= fraction;
        any = true;
    }
    if (any && w->p + 1 < w->end && (*w->p == 'e' || *w->p == 'E')) {
        w->p++;
        const bool minus = word_take(w, '-');
        if (!minus)
            word_take(w, '+');
        int e = 0;
        bool digits = false;
        for (; w->p < w->end && is_digit(*w->p); w->p++, digits = true)
            e = e < 1000 ? e * 10 + (*w->p - '0') : e;
        d->exponent += minus ? -e : e;
        any = digits;
    }
    return any;
}

/* "k", "M", "Gi" and so on: a power of ten, or a shift by tens. */
static unsigned decimal_scale(struct word *w, struct decimal *d)
{
    static const char letters[] = "kMGT";
    for (unsigned i = 0; i < 4; i++) {
        if (!word_take(w, letters[i]) && !(i == 0 && word_take(w, 'K')))
            continue;
        if (word_take(w, 'i'))
            return 10 * (i + 1);
        d->exponent += 3 * (int)(i + 1);
        break;
    }
    return 0;
}

/* The whole number that this is, if it is one. */
static bool decimal_whole(struct decimal d, unsigned shift, uint64_t *value)
{
    if (shift && d.mantissa > UINT64_MAX >> shift)
        return false;
    d.mantissa <<= shift;
    for (; d.exponent < 0 && d.mantissa; d.exponent++) {
        if (d.mantissa % 10)
            return false;
        d.mantissa /= 10;
    }
    for (; d.exponent > 0 && d.mantissa; d.exponent--) {
        if (d.mantissa > UINT64_MAX / 10)
            return false;
        d.mantissa *= 10;
    }
    *value = d.mantissa;
    return true;
}

/* Correctly rounded for up to 15 digits and 22 places, near enough beyond. */
static double decimal_real(struct decimal d)
{
    double power = 1;
    const int places = d.exponent < 0 ? -d.exponent : d.exponent;
    for (int i = 0; i < places && i < 400; i++)
        power *= 10;
    return d.exponent < 0 ? (double)d.mantissa / power : (double)d.mantissa * power;
}

static bool read_count(struct word w, bool in_bits, uint64_t *value)
{
    struct decimal d;
    if (!decimal_read(&w, &d))
        return false;
    unsigned shift = decimal_scale(&w, &d);
    if (in_bits && word_take(&w, 'B'))
        shift += 3;
    else if (in_bits)
        word_take(&w, 'b');
    return w.p == w.end && decimal_whole(d, shift, value);
}

static bool read_rate(struct word w, double *value)
{
    struct decimal d;
    if (!decimal_read(&w, &d))
        return false;
    if (word_take(&w, '%'))
        d.exponent -= 2;
    *value = decimal_real(d);
    return w.p == w.end && *value < 1e9 && (*value > 0 || d.mantissa == 0); /* not lost */
}

static bool read_hex(struct word *w, uint64_t *value)
{
    const char *start = w->p;
    *value = 0;
    for (; w->p < w->end; w->p++) {
        const char c = *w->p;
        const int digit = is_digit(c)            ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            break;
        if (*value >> 60)
            return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return w->p > start;
}

/* One or two numbers, "7" or "0x1f:0x2e". */
static bool read_seed(struct word w, uint64_t seed[2])
{
    seed[1] = 0;
    for (int i = 0; i < 2; i++) {
        struct decimal d;
        if (w.end - w.p > 2 && w.p[0] == '0' && w.p[1] == 'x') {
            w.p += 2;
            if (!read_hex(&w, &seed[i]))
                return false;
        } else if (!decimal_read(&w, &d) || !decimal_whole(d, 0, &seed[i])) {
            return false;
        }
        if (w.p == w.end)
            return true;
        if (!word_take(&w, ':'))
            return false;
    }
    return false;
}

static bool read_name(struct word w, const char *const *names, size_t n, unsigned *value)
{
    for (size_t i = 0; i < n; i++)
        if (word_is(w, names[i])) {
            *value = (unsigned)i;
            return true;
        }
    return false;
}

static bool read_flag(struct word w, bool *value)
{
    static const char *const names[] = { "no", "yes", "false", "true", "0", "1" };
    unsigned at;
    if (!read_name(w, names, COUNT_OF(names), &at))
        return false;
    *value = at % 2;
    return true;
}

static bool read_form(struct word w, petal_form *form)
{
    *form = petal_form_next(PETAL_FORM_NONE);
    while (*form != PETAL_FORM_NONE && !word_is(w, petal_form_name(*form)))
        *form = petal_form_next(*form);
    return *form != PETAL_FORM_NONE;
}

static bool read_hash(struct word w, petal_hash_id *hash)
{
    *hash = petal_hash_next(PETAL_HASH_NONE);
    while (*hash != PETAL_HASH_NONE && !word_is(w, petal_hash_name(*hash)))
        *hash = petal_hash_next(*hash);
    return *hash != PETAL_HASH_NONE;
}

static int read_kind(struct word w, petal_kind *kind)
{
    if (word_is(w, "default")) {
        *kind = PETAL_DEFAULT;
        return PETAL_OK;
    }
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
        if (word_is(w, petal_kind_name(k))) {
            *kind = k;
            return PETAL_OK;
        }
    return PETAL_E_KIND;
}

static int option_set(petal_options *o, const struct field *field, struct word w)
{
    void *at = (char *)o + field->at;
    uint64_t count = 0;
    bool good = false;
    switch (field->type) {
    case KIND: return read_kind(w, &o->kind);
    case FORM: good = read_form(w, &o->form); break;
    case HASH: good = read_hash(w, &o->hash); break;
    case SEED: good = read_seed(w, at); break;
    case FLAG: good = read_flag(w, at); break;
    case COUNT:
    case BITS: good = read_count(w, field->type == BITS, at); break;
    case SMALL:
        good = read_count(w, false, &count) && count <= UINT32_MAX;
        *(uint32_t *)at = (uint32_t)count;
        break;
    case RATE: good = read_rate(w, at); break;
    }
    return good ? PETAL_OK : PETAL_E_OPTION;
}

static const char separators[] = " ,\t\r\n";

static bool is_space(char c)
{
    return c != 0 && strchr(separators, c);
}

int petal_parse_options(const char *text, petal_options *options)
{
    petal_options o = *options;
    for (;;) {
        while (is_space(*text))
            text++;
        if (!*text)
            break;
        struct word name = { text, text + strcspn(text, "= ,\t\r\n") };
        if (*name.end != '=')
            return PETAL_E_OPTION;
        struct word value = { name.end + 1,
                              name.end + 1 + strcspn(name.end + 1, separators) };
        text = value.end;

        int rc = PETAL_E_OPTION;
        for (size_t i = 0; i < COUNT_OF(option_fields); i++)
            if (word_is(name, option_fields[i].name))
                rc = option_set(&o, &option_fields[i], value);
        if (rc < 0)
            return rc;
    }
    *options = o;
    return PETAL_OK;
}

/* ---- A filter to JSON ---- */

#define SHAPE(name, type)                        \
    {                                            \
#name, type, offsetof(petal_shape, name) \
    }
#define STAT(name, type)                         \
    {                                            \
#name, type, offsetof(petal_stats, name) \
    }

static const struct field shape_fields[] = {
    SHAPE(kind, KIND),          SHAPE(capacity, COUNT),
    SHAPE(fpr, RATE),           SHAPE(bits, COUNT),
    SHAPE(hashes, SMALL),       SHAPE(block_bits, SMALL),
    SHAPE(counter_bits, SMALL), SHAPE(insert_only, FLAG),
    SHAPE(growth, SMALL),       SHAPE(capacity_first, COUNT),
    SHAPE(capacity_max, COUNT), SHAPE(form, FORM),
    SHAPE(covers, SMALL),       SHAPE(hash, HASH),
    SHAPE(seed, SEED),          SHAPE(bits_per_key, RATE),
    SHAPE(image_bytes, COUNT),
};

static const struct field stat_fields[] = {
    STAT(keys_added, COUNT), STAT(counted, FLAG),       STAT(cells_set, COUNT),
    STAT(fill, RATE),        STAT(keys_estimate, RATE), STAT(fpr_estimate, RATE),
    STAT(saturated, COUNT),  STAT(stages, SMALL),       STAT(asks, SMALL),
    STAT(sealed, FLAG),      STAT(writable, FLAG),
};

/* A buffer that counts on when it is full. */
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
    snprintf(text, sizeof text, "%" PRIu64, value);
    out_text(o, text);
}

/* Nine digits.  Whatever the locale puts for the decimal point becomes a point. */
static void out_real(struct out *o, double value)
{
    char text[64], clean[64];
    size_t len = 0;
    bool point = false;
    snprintf(text, sizeof text, "%.9g", value);
    for (const char *p = text; *p; p++) {
        if (is_digit(*p) || *p == '-' || *p == '+' || *p == 'e') {
            clean[len++] = *p;
        } else if (!point) {
            clean[len++] = '.';
            point = true;
        }
    }
    clean[len] = 0;
    out_text(o, clean);
}

static void out_seed(struct out *o, const uint64_t seed[2])
{
    char text[48];
    snprintf(text, sizeof text, "\"0x%" PRIx64 ":0x%" PRIx64 "\"", seed[0], seed[1]);
    out_text(o, text);
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

static void out_fields(struct out *o, const struct field *fields, size_t n, const void *of,
                       bool secret)
{
    for (size_t i = 0; i < n; i++) {
        if (fields[i].type == SEED && secret)
            continue;
        out_text(o, o->len ? ", " : "{");
        out_name(o, fields[i].name);
        out_text(o, ": ");
        out_value(o, fields[i].type, (const char *)of + fields[i].at);
    }
}

size_t petal_describe(const petal_filter *filter, char *text, size_t size)
{
    const petal_shape *shape = petal_shape_of(filter);
    petal_stats stats;
    petal_stats_of(filter, &stats);
    struct out o = { text, size, 0 };
    out_fields(&o, shape_fields, COUNT_OF(shape_fields), shape,
               shape->hash == PETAL_HASH_KEYED);
    out_fields(&o, stat_fields, COUNT_OF(stat_fields), &stats, false);
    out_text(&o, "}");
    if (size > 0)
        text[o.len < size ? o.len : size - 1] = 0;
    return o.len;
}
