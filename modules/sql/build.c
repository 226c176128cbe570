/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.c: the aggregate petal_build(): collects keys and makes a filter of them.
 *
 * There are two ways.  If the options say how large the filter is and its kind merges
 * without counting, keys are hashed and added to the filter in groups.  Otherwise the
 * hashes are collected, 8 bytes each, and the filter is made at the end: the number of
 * distinct hashes is then known and becomes its capacity.  Whenever the array is full,
 * duplicates are removed before it grows, unless the kind counts them.
 *
 * Kinds of other programs take keys, but no hashes.  They are only built in the first way.
 *
 * The result depends on the set of keys alone, and not on their order or on how a plan
 * divides them among workers.  Collected hashes are sorted before they are added, which
 * also makes the additions fast.  A filter that was added to directly does not keep the
 * number of its keys, because workers cannot know it: petal_estimate() estimates it.
 *
 * Sorting, adding and building take seconds for tens of millions of keys.  The engine is
 * asked again and again whether the query was cancelled meanwhile, but not for a small
 * filter: a query may make one for each of many groups.
 */
#include "sql.h"

#include <assert.h>
#include <string.h>

#define GROUP       1024 /* hashes that are added at once */
#define OPTIONS_MAX 512
#define NO_HASH     UINT64_MAX /* of a key that is not valid */
#ifndef CANCEL_KEYS
#define CANCEL_KEYS ((size_t)1 << 18) /* handled in between: 1 to 20 ms */
#endif

struct sql_build {
    char text[OPTIONS_MAX]; /* the options as given, with a final 0 */
    size_t text_len;
    petal_options options;
    petal_filter *recorder; /* a small filter: hashes keys, and records their classes */
    petal_filter *filter;   /* NULL: the hashes are collected */
    bool copies;            /* the kind counts: duplicates are kept */
    bool by_keys;           /* the kind takes no hashes: keys are added at once */
    uint64_t *hashes;
    size_t n, room;
    void *host; /* for sql_cancelled() */
};

/* ---- Options ---- */

/* The options for n keys, if they do not determine the size themselves. */
static petal_options build_sized(const petal_options *options, size_t n)
{
    petal_options o = *options;
    if (!o.capacity && !o.bits)
        o.capacity = n ? n : 1;
    return o;
}

/* Checks the options as far as they are known: the capacity may follow later. */
static int build_read_options(struct sql_build *b, unsigned flags, struct sql_error *error)
{
    petal_refusal refusal;
    petal_options *o = &b->options;
    const petal_options some = { .capacity = 1 };
    if (petal_parse_options(b->text, o) < 0) {
        const int rc = petal_refused(&some, b->text, &refusal);
        return rc < 0 ? sql_refuse(error, "petal_build", &refusal)
                      : sql_fail(error, PETAL_E_OPTION, "petal_build");
    }
    const petal_options sized = build_sized(o, 1);
    if (petal_refused(&sized, NULL, &refusal) < 0)
        return sql_refuse(error, "petal_build", &refusal);
    if (o->threads) {
        sql_say(error,
                "petal_build: threads cannot be set; the engine decides how many it uses",
                "");
        return PETAL_E_OPTION;
    }
    if (o->hash == PETAL_HASH_KEYED && !o->seed[0] && !o->seed[1] && !(flags & SQL_ALONE)) {
        sql_say(error, "petal_build: hash=keyed needs a seed, such as seed=0x1f:0x2e with ",
                "secret numbers, because several workers may build one filter");
        return PETAL_E_OPTION;
    }
    return PETAL_OK;
}

static int build_prepare(struct sql_build *b, struct sql_error *error)
{
    petal_options *o = &b->options;
    const petal_options sized = build_sized(o, 1);
    petal_shape shape;
    int rc = petal_plan(&sized, &shape);
    if (rc < 0)
        return sql_fail(error, rc, "petal_build");
    if (sql_fits(&shape, error) < 0)
        return PETAL_E_CAPACITY;
    const unsigned abilities = petal_shape_abilities(&shape);
    b->copies = abilities & PETAL_CAN_COUNT;
    const bool direct = (o->capacity || o->bits) && (abilities & PETAL_CAN_MERGE) &&
                        !(abilities & (PETAL_CAN_COUNT | PETAL_CAN_GROW | PETAL_IS_STATIC));
    b->by_keys = abilities & PETAL_NEEDS_KEYS;
    if (b->by_keys && !direct) {
        sql_say(
            error,
            "petal_build: filters of this kind take no hashes, so they need a capacity ",
            "and must not grow; or build them with the petal command");
        return PETAL_E_ABILITY;
    }
    if (direct && (rc = petal_new(o, &b->filter)) < 0)
        return sql_fail(error, rc, "petal_build");
    if (b->filter)
        memcpy(o->seed, petal_shape_of(b->filter)->seed, sizeof o->seed);
    rc = petal_new(&(petal_options){ .capacity = 1,
                                     .form = b->by_keys ? PETAL_FORM_RAW : shape.form,
                                     .hash = b->by_keys ? PETAL_HASH_FAST : shape.hash,
                                     .seed = { o->seed[0], o->seed[1] } },
                   &b->recorder);
    if (rc < 0)
        return sql_fail(error, rc, "petal_build");
    memcpy(o->seed, petal_shape_of(b->recorder)->seed, sizeof o->seed);
    b->room = GROUP;
    b->hashes = sql_memory(NULL, NULL, b->room * sizeof *b->hashes);
    return b->hashes ? PETAL_OK : sql_fail(error, PETAL_E_MEMORY, "petal_build");
}

int sql_build_new(const char *options, size_t len, unsigned flags, struct sql_build **build,
                  struct sql_error *error)
{
    *build = NULL;
    struct sql_build *b = sql_memory(NULL, NULL, sizeof *b);
    if (!b)
        return sql_fail(error, PETAL_E_MEMORY, "petal_build");
    memset(b, 0, sizeof *b);
    int rc = PETAL_E_OPTION;
    if (len >= OPTIONS_MAX || (len && memchr(options, 0, len))) {
        sql_fail(error, rc, "petal_build");
    } else {
        if (len)
            memcpy(b->text, options, len);
        b->text_len = len;
        rc = build_read_options(b, flags, error);
        if (rc == PETAL_OK)
            rc = build_prepare(b, error);
    }
    if (rc == PETAL_OK)
        *build = b;
    else
        sql_build_free(b);
    return rc;
}

void sql_build_free(struct sql_build *b)
{
    if (!b)
        return;
    petal_free(b->filter);
    petal_free(b->recorder);
    if (b->hashes)
        sql_memory(NULL, b->hashes, 0);
    sql_memory(NULL, b, 0);
}

void sql_build_set_host(struct sql_build *b, void *host)
{
    b->host = host;
}

bool sql_build_has_options(const struct sql_build *b, const char *options, size_t len)
{
    return len == b->text_len && (!len || memcmp(options, b->text, len) == 0);
}

/* ---- Sorting hashes ---- */

/* Was the query cancelled?  Asks only after CANCEL_KEYS keys, and then counts again. */
static bool build_stops(const struct sql_build *b, size_t *keys)
{
    if (*keys < CANCEL_KEYS)
        return false;
    *keys = 0;
    return sql_cancelled(b->host);
}

static void build_sort_few(uint64_t *hashes, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t hash = hashes[i];
        size_t at = i;
        for (; at > 0 && hashes[at - 1] > hash; at--)
            hashes[at] = hashes[at - 1];
        hashes[at] = hash;
    }
}

/* Sorts by one byte after the other, from the highest, in place: it needs no memory that
 * could be missing, and hashes are evenly distributed.  If the query is cancelled, returns
 * PETAL_E_INTERRUPTED and leaves the hashes in another order. */
static int build_sort(const struct sql_build *b, uint64_t *hashes, size_t n, unsigned shift)
{
    if (n <= 32) {
        build_sort_few(hashes, n);
        return PETAL_OK;
    }
    size_t moved = 0, next[256], end[256], count[256] = { 0 };
    for (size_t i = 0; i < n; i++)
        count[hashes[i] >> shift & 255]++;
    for (size_t byte = 0, at = 0; byte < 256; byte++) {
        next[byte] = at;
        at += count[byte];
        end[byte] = at;
    }
    for (size_t byte = 0; byte < 256; byte++)
        while (next[byte] < end[byte]) {
            uint64_t hash = hashes[next[byte]];
            for (size_t to; (to = hash >> shift & 255) != byte; moved++) {
                const uint64_t other = hashes[next[to]];
                hashes[next[to]++] = hash;
                hash = other;
            }
            hashes[next[byte]++] = hash;
            if (build_stops(b, &moved))
                return PETAL_E_INTERRUPTED;
        }
    for (size_t byte = 0, at = 0; shift > 0 && byte < 256; at += count[byte++]) {
        moved += count[byte];
        if (build_stops(b, &moved) ||
            build_sort(b, hashes + at, count[byte], shift - 8) < 0)
            return PETAL_E_INTERRUPTED;
    }
    return PETAL_OK;
}

/* Sorts the hashes and removes duplicates, unless they are counted.  Sets *distinct_n to
 * the number of distinct hashes. */
static int build_distinct(struct sql_build *b, size_t *distinct_n)
{
    if (build_sort(b, b->hashes, b->n, 56) < 0)
        return PETAL_E_INTERRUPTED;
    size_t distinct = 0;
    for (size_t i = 0; i < b->n; i++) {
        const bool is_new = i == 0 || b->hashes[i] != b->hashes[i - 1];
        if (is_new && !b->copies)
            b->hashes[distinct] = b->hashes[i];
        distinct += is_new;
    }
    if (!b->copies)
        b->n = distinct;
    *distinct_n = distinct;
    return PETAL_OK;
}

/* Removes duplicates if that frees a good part of the array.  To find out, only a sample is
 * examined, since sorting takes time: the hashes that end in six zeros, which has all
 * copies of a hash or none.  The order of the others does not matter. */
static int build_drop_repeats(struct sql_build *b)
{
    size_t sample = 0, distinct = 0;
    for (size_t i = 0; i < b->n; i++)
        if ((b->hashes[i] & 63) == 0) {
            const uint64_t hash = b->hashes[i];
            b->hashes[i] = b->hashes[sample];
            b->hashes[sample++] = hash;
        }
    if (build_sort(b, b->hashes, sample, 56) < 0)
        return PETAL_E_INTERRUPTED;
    for (size_t i = 0; i < sample; i++)
        distinct += i == 0 || b->hashes[i] != b->hashes[i - 1];
    const bool many = sample < 64 || distinct < sample - sample / 4;
    return many ? build_distinct(b, &distinct) : PETAL_OK;
}

/* ---- Adding ---- */

static int build_flush(struct sql_build *b)
{
    if (b->by_keys)
        return PETAL_OK;
    int rc = petal_add_classes(b->filter, b->recorder);
    if (rc == PETAL_OK) {
        const int64_t added = petal_add_hashes(b->filter, b->hashes, b->n, NULL);
        rc = added < 0 ? (int)added : PETAL_OK;
    }
    b->n = 0;
    return rc;
}

/* Makes room for `more` hashes. */
static int build_grow(struct sql_build *b, size_t more)
{
    if (b->filter)
        return build_flush(b);
    if (!b->copies && build_drop_repeats(b) < 0)
        return PETAL_E_INTERRUPTED;
    if (more <= b->room - b->n && b->n <= b->room / 2)
        return PETAL_OK;
    size_t room = b->room;
    while (room - b->n < more || room < 2 * b->n)
        if (room > SIZE_MAX / 2 / sizeof *b->hashes)
            return PETAL_E_MEMORY;
        else
            room *= 2;
    uint64_t *hashes = sql_memory(NULL, NULL, room * sizeof *b->hashes);
    if (!hashes)
        return PETAL_E_MEMORY;
    memcpy(hashes, b->hashes, b->n * sizeof *b->hashes);
    sql_memory(NULL, b->hashes, 0);
    b->hashes = hashes;
    b->room = room;
    return PETAL_OK;
}

/* Hashes keys into the array, which has room for them. */
static int build_hash(struct sql_build *b, const petal_key *keys, size_t n)
{
    if (b->by_keys) {
        const int64_t added = petal_add_many(b->filter, keys, n, NULL);
        return added < 0 ? (int)added : PETAL_OK;
    }
    const bool raw = petal_shape_of(b->recorder)->form == PETAL_FORM_RAW;
    uint64_t *hashes = b->hashes + b->n;
    if (raw && n == 1)
        hashes[0] = petal_hash(b->filter ? b->filter : b->recorder, keys->data, keys->len);
    else if (raw)
        petal_hash_many(b->filter ? b->filter : b->recorder, keys, n, hashes);
    else
        petal_hash_classes(b->recorder, keys, n, hashes, b->recorder);
    const bool exact =
        b->filter && petal_abilities(petal_shape_of(b->filter)->kind) & PETAL_IS_EXACT;
    if (!raw || exact)
        for (size_t i = 0; i < n; i++)
            if (hashes[i] == NO_HASH)
                return exact ? PETAL_E_RANGE : PETAL_E_KEY;
    b->n += n;
    return PETAL_OK;
}

int sql_build_add_many(struct sql_build *b, const petal_key *keys, size_t n,
                       struct sql_error *error)
{
    while (n > 0) {
        int rc = b->n == b->room ? build_grow(b, 1) : PETAL_OK;
        const size_t room = b->room - b->n, more = n < room ? n : room;
        if (rc == PETAL_OK)
            rc = build_hash(b, keys, more);
        if (rc < 0)
            return sql_fail(error, rc, "petal_build");
        keys += more;
        n -= more;
    }
    return PETAL_OK;
}

int sql_build_add(struct sql_build *b, const void *key, size_t len, struct sql_error *error)
{
    return sql_build_add_many(b, &(petal_key){ key, len }, 1, error);
}

/* Adds hashes of another build. */
static int build_append(struct sql_build *b, const uint64_t *hashes, size_t n)
{
    while (n > 0) {
        const int rc = n > b->room - b->n ? build_grow(b, b->filter ? 1 : n) : PETAL_OK;
        if (rc < 0)
            return rc;
        const size_t room = b->room - b->n, more = n < room ? n : room;
        memcpy(b->hashes + b->n, hashes, more * sizeof *hashes);
        b->n += more;
        hashes += more;
        n -= more;
    }
    return PETAL_OK;
}

int sql_build_merge(struct sql_build **into, const struct sql_build *from,
                    struct sql_error *error)
{
    if (!*into) {
        const int rc = sql_build_new(from->text, from->text_len, 0, into, error);
        if (rc < 0)
            return rc;
    } else if (!sql_build_has_options(*into, from->text, from->text_len)) {
        sql_say(error, SQL_OTHER_OPTIONS, "");
        return PETAL_E_OPTION;
    }
    struct sql_build *b = *into;
    assert(b);
    int rc = petal_add_classes(b->recorder, from->recorder);
    if (rc == PETAL_OK && b->filter)
        rc = petal_union(b->filter, from->filter);
    if (rc == PETAL_OK)
        rc = build_append(b, from->hashes, from->n);
    return rc < 0 ? sql_fail(error, rc, "petal_build") : PETAL_OK;
}

/* ---- The result ---- */

/* A copy without its number of keys, which a merge forgets too. */
static int build_copy(struct sql_build *b, petal_filter **filter, struct sql_error *error)
{
    int rc = build_flush(b);
    if (rc == PETAL_OK)
        rc = petal_copy(b->filter, filter);
    if (rc == PETAL_OK)
        rc = petal_union(*filter, b->filter);
    return rc < 0 ? sql_fail(error, rc, "petal_build") : PETAL_OK;
}

static size_t build_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Adds the hashes in an order that is fixed but not ascending: a filter that grows would
 * fill only its first part.  Steps of about 0.618 n visit all parts evenly, and every hash
 * once if they have no divisor in common with n. */
static int64_t build_add_mixed(const struct sql_build *b, petal_filter *filter)
{
    uint64_t group[GROUP];
    const size_t n = b->n;
    size_t step = (size_t)((double)n * 0.618033988749895), at = 0;
    while (build_divisor(n, step) > 1)
        step++;
    int64_t added = 0;
    for (size_t done = 0, more; done < n && added >= 0; done += more) {
        if (done > 0 && done % CANCEL_KEYS < GROUP && sql_cancelled(b->host))
            return PETAL_E_INTERRUPTED;
        more = n - done < GROUP ? n - done : GROUP;
        for (size_t i = 0; i < more; i++) {
            group[i] = b->hashes[at];
            at += at < n - step ? step : step - n;
        }
        added = petal_add_hashes(filter, group, more, NULL);
    }
    return added;
}

/* Adds the hashes in their order. */
static int64_t build_add_sorted(const struct sql_build *b, petal_filter *filter)
{
    int64_t added = 0;
    for (size_t done = 0, more; done < b->n && added >= 0; done += more) {
        if (done > 0 && sql_cancelled(b->host))
            return PETAL_E_INTERRUPTED;
        more = b->n - done < CANCEL_KEYS ? b->n - done : CANCEL_KEYS;
        added = petal_add_hashes(filter, b->hashes + done, more, NULL);
    }
    return added;
}

static int build_from_hashes(struct sql_build *b, petal_filter **filter,
                             struct sql_error *error)
{
    size_t distinct;
    if (build_distinct(b, &distinct) < 0)
        return sql_fail(error, PETAL_E_INTERRUPTED, "petal_build");
    const petal_options o = build_sized(&b->options, distinct);
    petal_shape shape;
    int rc = petal_plan(&o, &shape);
    if (rc == PETAL_OK && sql_fits(&shape, error) < 0)
        return PETAL_E_CAPACITY;
    if (rc == PETAL_OK)
        rc = petal_new(&o, filter);
    if (rc == PETAL_OK)
        rc = petal_add_classes(*filter, b->recorder);
    if (rc < 0)
        return sql_fail(error, rc, "petal_build");
    const bool grows = petal_abilities(petal_shape_of(*filter)->kind) & PETAL_CAN_GROW;
    const int64_t added =
        grows ? build_add_mixed(b, *filter) : build_add_sorted(b, *filter);
    petal_stop_fn *stop = b->n > CANCEL_KEYS ? sql_cancelled : NULL;
    rc = added < 0 ? (int)added : petal_seal_unless(*filter, stop, b->host);
    return rc < 0 ? sql_fail(error, rc, "petal_build") : PETAL_OK;
}

int sql_build_finish(struct sql_build *b, petal_filter **filter, struct sql_error *error)
{
    *filter = NULL;
    if (!b) {
        const int rc = petal_new(&(petal_options){ .capacity = 1 }, filter);
        return rc < 0 ? sql_fail(error, rc, "petal_build") : PETAL_OK;
    }
    const int rc =
        b->filter ? build_copy(b, filter, error) : build_from_hashes(b, filter, error);
    if (rc < 0) {
        petal_free(*filter);
        *filter = NULL;
    }
    return rc;
}

/* ---- As bytes ---- */

/* The parts follow each other: their lengths, the text of the options, the image of the
 * recorder, and either the image of the filter or the hashes.  The bytes never leave the
 * machine, so that numbers are in its order. */
struct build_lengths {
    uint64_t seed[2], text, recorder, filter, hashes;
};

size_t sql_build_save(struct sql_build *b, void *bytes)
{
    size_t recorder_len, filter_len = 0;
    if (b->filter && build_flush(b) < 0)
        return 0;
    size_t distinct;
    if (!b->filter && build_distinct(b, &distinct) < 0)
        return 0;
    const void *recorder = petal_bytes(b->recorder, &recorder_len);
    const void *filter = b->filter ? petal_bytes(b->filter, &filter_len) : NULL;
    if (!recorder || (b->filter && !filter))
        return 0;
    const struct build_lengths lengths = {
        .seed = { b->options.seed[0], b->options.seed[1] },
        .text = b->text_len,
        .recorder = recorder_len,
        .filter = filter_len,
        .hashes = b->n * sizeof *b->hashes,
    };
    if (bytes) {
        uint8_t *to = bytes;
        memcpy(to, &lengths, sizeof lengths);
        to += sizeof lengths;
        memcpy(to, b->text, b->text_len);
        to += b->text_len;
        memcpy(to, recorder, recorder_len);
        to += recorder_len;
        if (filter)
            memcpy(to, filter, filter_len);
        to += filter_len;
        memcpy(to, b->hashes, (size_t)lengths.hashes);
    }
    return sizeof lengths + b->text_len + recorder_len + filter_len +
           b->n * sizeof *b->hashes;
}

/* Replaces a filter by the one in these bytes, if they are of the same shape. */
static int build_take(petal_filter **filter, const uint8_t *bytes, uint64_t len)
{
    petal_filter *taken;
    const int rc = petal_view(bytes, (size_t)len, PETAL_COPY, &taken);
    if (rc < 0)
        return rc;
    const petal_shape *a = petal_shape_of(*filter), *b = petal_shape_of(taken);
    if (a->kind != b->kind || a->bits != b->bits || a->form != b->form ||
        a->hash != b->hash) {
        petal_free(taken);
        return PETAL_E_MISMATCH;
    }
    petal_free(*filter);
    *filter = taken;
    return PETAL_OK;
}

static int build_take_parts(struct sql_build *b, const struct build_lengths *lengths,
                            const uint8_t *parts)
{
    int rc = build_take(&b->recorder, parts, lengths->recorder);
    parts += lengths->recorder;
    if (rc == PETAL_OK && b->filter)
        rc = build_take(&b->filter, parts, lengths->filter);
    parts += lengths->filter;
    const size_t n = (size_t)lengths->hashes / sizeof *b->hashes;
    if (rc == PETAL_OK && n > b->room)
        rc = b->filter ? PETAL_E_CORRUPT : build_grow(b, n);
    if (rc == PETAL_OK) {
        memcpy(b->hashes, parts, (size_t)lengths->hashes);
        b->n = n;
    }
    return rc;
}

int sql_build_load(const void *bytes, size_t len, struct sql_build **build,
                   struct sql_error *error)
{
    struct build_lengths l;
    *build = NULL;
    if (len < sizeof l)
        return sql_fail(error, PETAL_E_TRUNCATED, "petal_build");
    memcpy(&l, bytes, sizeof l);
    uint64_t left = len - sizeof l;
    const uint64_t parts[] = { l.text, l.recorder, l.filter, l.hashes };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] > left)
            return sql_fail(error, PETAL_E_TRUNCATED, "petal_build");
        left -= parts[i];
    }
    if (left || l.hashes % sizeof(uint64_t))
        return sql_fail(error, PETAL_E_CORRUPT, "petal_build");
    const char *text = (const char *)bytes + sizeof l;
    int rc = sql_build_new(text, (size_t)l.text, SQL_ALONE, build, error);
    if (rc < 0)
        return rc;
    memcpy((*build)->options.seed, l.seed, sizeof l.seed);
    rc = build_take_parts(*build, &l, (const uint8_t *)text + l.text);
    if (rc == PETAL_OK)
        return rc;
    sql_build_free(*build);
    *build = NULL;
    return sql_fail(error, rc, "petal_build");
}
