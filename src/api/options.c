/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c: petal_parse_options(): reads petal_options from text such as
 * "capacity=1M fpr=1%".
 *
 * Each field of petal_options is one row in the table here.  That row is all that the
 * command, every module and every binding need to accept the option.  Numbers are read
 * independently of the locale of the C library.
 */
#include "api/api.h"
#include "api/fields.h"
#include "core/refusal.h"

static const struct field option_fields[] = {
    FIELD(petal_options, kind, KIND),
    FIELD(petal_options, capacity, COUNT),
    FIELD(petal_options, fpr, RATE),
    FIELD(petal_options, bits, BITS),
    FIELD(petal_options, hashes, SMALL),
    FIELD(petal_options, counter_bits, SMALL),
    FIELD(petal_options, insert_only, FLAG),
    FIELD(petal_options, growth, SMALL),
    FIELD(petal_options, capacity_max, COUNT),
    FIELD(petal_options, form, FORM),
    FIELD(petal_options, match_lookups, SMALL),
    FIELD(petal_options, hash, HASH),
    FIELD(petal_options, seed, SEED),
    FIELD(petal_options, threads, SMALL),
};

/* A part of the text, without a terminating 0. */
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

/* The number mantissa * 10^exponent, read from digits[.digits][e[+-]digits]. */
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

/* Reads a unit such as "k", "M" or "Gi".  Adjusts the exponent, or returns how far to shift
 * the mantissa. */
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

/* Converts to a whole number.  Returns false if it is not one, or is too large. */
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

/* Correctly rounded for up to 15 digits and 22 decimal places, and close enough
 * beyond that. */
static double decimal_real(struct decimal d)
{
    double power = 1;
    const int places = d.exponent < 0 ? -d.exponent : d.exponent;
    for (int i = 0; i < places && i < 400; i++)
        power *= 10;
    return d.exponent < 0 ? (double)d.mantissa / power : (double)d.mantissa * power;
}

static bool option_read_count(struct word w, bool in_bits, uint64_t *value)
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

static bool option_read_rate(struct word w, double *value)
{
    struct decimal d;
    if (!decimal_read(&w, &d))
        return false;
    if (word_take(&w, '%'))
        d.exponent -= 2;
    *value = decimal_real(d);
    return w.p == w.end && *value < 1e9 &&
           (*value > 0 || d.mantissa == 0); /* not rounded to 0 */
}

static bool option_read_hex(struct word *w, uint64_t *value)
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

/* Reads one or two numbers, such as "7" or "0x1f:0x2e". */
static bool option_read_seed(struct word w, uint64_t seed[2])
{
    seed[1] = 0;
    for (int i = 0; i < 2; i++) {
        struct decimal d;
        if (w.end - w.p > 2 && w.p[0] == '0' && w.p[1] == 'x') {
            w.p += 2;
            if (!option_read_hex(&w, &seed[i]))
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

static bool option_read_name(struct word w, const char *const *names, size_t n,
                             unsigned *value)
{
    for (size_t i = 0; i < n; i++)
        if (word_is(w, names[i])) {
            *value = (unsigned)i;
            return true;
        }
    return false;
}

static bool option_read_flag(struct word w, bool *value)
{
    static const char *const names[] = { "no", "yes", "false", "true", "0", "1" };
    unsigned at;
    if (!option_read_name(w, names, COUNT_OF(names), &at))
        return false;
    *value = at % 2;
    return true;
}

static bool option_read_form(struct word w, petal_form *form)
{
    *form = petal_form_next(PETAL_FORM_NONE);
    while (*form != PETAL_FORM_NONE && !word_is(w, petal_form_name(*form)))
        *form = petal_form_next(*form);
    return *form != PETAL_FORM_NONE;
}

static bool option_read_hash(struct word w, petal_hash_id *hash)
{
    *hash = petal_hash_next(PETAL_HASH_NONE);
    while (*hash != PETAL_HASH_NONE && !word_is(w, petal_hash_name(*hash)))
        *hash = petal_hash_next(*hash);
    return *hash != PETAL_HASH_NONE;
}

static int option_read_kind(struct word w, petal_kind *kind)
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

/* Appends a name to a list such as "must be one of raw, url". */
static void option_list(char *list, size_t size, const char *name)
{
    const size_t at = strlen(list), len = strlen(name);
    if (at + len + 3 > size)
        return;
    const char last = list[at - 1];
    memcpy(list + at, last == 'f' ? " " : ", ", last == 'f' ? 2 : 3);
    memcpy(list + strlen(list), name, len + 1);
}

/* The names of all kinds, forms or hashes. */
static const char *option_names(enum type type, char *list, size_t size)
{
    memcpy(list, "must be one of", sizeof "must be one of");
    if (type == KIND)
        for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k))
            option_list(list, size, petal_kind_name(k));
    if (type == FORM)
        for (petal_form f = petal_form_next(PETAL_FORM_NONE); f != PETAL_FORM_NONE;
             f = petal_form_next(f))
            option_list(list, size, petal_form_name(f));
    if (type == HASH)
        for (petal_hash_id h = petal_hash_next(PETAL_HASH_NONE); h != PETAL_HASH_NONE;
             h = petal_hash_next(h))
            if (h != PETAL_HASH_FOREIGN) /* follows from the kind */
                option_list(list, size, petal_hash_name(h));
    return list;
}

static const char *option_takes(enum type type, char *list, size_t size)
{
    switch (type) {
    case KIND:
    case FORM:
    case HASH: return option_names(type, list, size);
    case SEED: return "must be a number, or two as in 0x1f:0x2e";
    case FLAG: return "must be yes or no";
    case BITS: return "must be a size such as 64MiB, 8Mb or 1000000 (bits)";
    case RATE: return "must be a rate such as 0.01, 1% or 1e-2";
    case COUNT:
    case SMALL: break;
    }
    return "must be a whole number that fits, such as 1000000, 1e6 or 1M";
}

static int option_set(petal_options *o, const struct field *field, struct word w)
{
    void *at = (char *)o + field->at;
    uint64_t count = 0;
    bool good = false;
    switch (field->type) {
    case KIND: return option_read_kind(w, &o->kind);
    case FORM: good = option_read_form(w, &o->form); break;
    case HASH: good = option_read_hash(w, &o->hash); break;
    case SEED: good = option_read_seed(w, at); break;
    case FLAG: good = option_read_flag(w, at); break;
    case COUNT:
    case BITS: good = option_read_count(w, field->type == BITS, at); break;
    case SMALL:
        good = option_read_count(w, false, &count) && count <= UINT32_MAX;
        *(uint32_t *)at = (uint32_t)count;
        break;
    case RATE: good = option_read_rate(w, at); break;
    }
    return good ? PETAL_OK : PETAL_E_OPTION;
}

static const char separators[] = " ,\t\r\n";

static bool option_is_space(char c)
{
    return c != 0 && strchr(separators, c);
}

static int option_refuse(const struct field *field, struct word value, int error,
                         petal_refusal *why)
{
    char list[sizeof why->reason];
    return petal__refuse(why, error, field->name,
                         value.p == value.end
                             ? "needs a value: write name=value, without spaces"
                             : option_takes(field->type, list, sizeof list));
}

/* Sets one option from its name and value. */
static int option_parse(struct word name, struct word value, petal_options *o,
                        petal_refusal *why)
{
    for (size_t i = 0; i < COUNT_OF(option_fields); i++)
        if (word_is(name, option_fields[i].name)) {
            const struct field *field = &option_fields[i];
            const int rc = option_set(o, field, value);
            return rc < 0 ? option_refuse(field, value, rc, why) : PETAL_OK;
        }
    char text[sizeof why->option] = "";
    const size_t len = (size_t)(name.end - name.p);
    memcpy(text, name.p, len < sizeof text ? len : sizeof text - 1);
    return petal__refuse(why, PETAL_E_OPTION, text, "is not one of petal's options");
}

int petal__parse_options(const char *text, petal_options *options, petal_refusal *why)
{
    petal_options o = *options;
    for (;;) {
        while (option_is_space(*text))
            text++;
        if (!*text)
            break;
        const struct word name = { text, text + strcspn(text, "= ,\t\r\n") };
        const char *start = *name.end == '=' ? name.end + 1 : name.end;
        const struct word value = { start, start + strcspn(start, separators) };
        const int rc = option_parse(name, value, &o, why);
        if (rc < 0)
            return rc;
        text = value.end;
    }
    *options = o;
    return PETAL_OK;
}

int petal_parse_options(const char *text, petal_options *options)
{
    return petal__parse_options(text, options, NULL);
}
