/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.c: petal build: build a filter from lines of text.
 *
 * Without -n, the input is read once and the 64-bit hashes of its lines are kept, 8 bytes
 * each.  The number of distinct hashes is the capacity, so the filter is exactly as large
 * as it must be.  With -n, a size, or if it grows, keys go straight into the filter, two
 * million at a time.  All threads hash lines, and the file is the same for any number
 * of threads.  A kind whose cells depend on the order of the additions always gets its keys
 * in the order of the input.
 *
 * A ribbon takes any number of keys and keeps their hashes until it is built.  They go
 * straight into it, with or without -n, so that they are not stored twice.  The exceptions
 * are a size (-m) and forms whose keys have parents: there the rate depends on the keys, so
 * all of them must be known first.
 */
#include "args.h"
#include "filters.h"
#include "hashes.h"
#include "json.h"
#include "keys.h"
#include "notes.h"
#include "print.h"
#include "text.h"
#include "work.h"

#include <petal_host.h>
#include <stdlib.h>
#include <unistd.h>

#define LINES    256
#define STREAMED ((size_t)1 << 21) /* hashes per batch */
#define SORTED   ((size_t)1 << 18) /* the same, if neighbours are adjacent */

static char *build_output;

static const struct arg build_args[] = {
    { 'o', "output", "FILE", ARG_TEXT, &build_output,
      "write the filter to FILE (required; - is standard output)", NULL },
    ARGS_SIZE,
    ARGS_ROOM,
    ARGS_KIND,
    ARGS_NOTES,
    ARGS_FORCE,
    ARGS_INPUT,
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

struct building {
    petal_filter *filter;  /* the filter, or a model of it to hash with */
    struct hashes *hashes; /* NULL: keys go straight into the filter */
    uint64_t *batch;       /* hashes to add next */
    size_t batch_n, batch_room;
    char **files;
    size_t files_n;
    struct lines *input; /* NULL: not open yet */
    bool any;            /* any text is a key */
    uint64_t lines, keys;
    bool counted;
    uint64_t distinct; /* keys, if counted */
};

static const char *build_name(void)
{
    return strcmp(build_output, "-") == 0 ? "standard output" : build_output;
}

static bool build_is_static(void)
{
    return petal_abilities(wanted.kind) & PETAL_IS_STATIC;
}

/* ---- Into the filter ---- */

static void build_add(void *context, const uint64_t *some, size_t n)
{
    struct building *b = context;
    const int64_t rc = n > 0 ? petal_add_hashes(b->filter, some, n, NULL) : 0;
    if (rc < 0)
        filter_refuse_key(build_name(), (int)rc);
}

/* Collects hashes into large batches, which keep more threads busy. */
static void build_gather(void *context, const uint64_t *some, size_t n)
{
    struct building *b = context;
    for (size_t part; n > 0; n -= part, some += part) {
        part = b->batch_room - b->batch_n < n ? b->batch_room - b->batch_n : n;
        memcpy(b->batch + b->batch_n, some, part * sizeof *some);
        b->batch_n += part;
        if (b->batch_n == b->batch_room) {
            build_add(b, b->batch, b->batch_n);
            b->batch_n = 0;
        }
    }
}

static void build_batch(struct building *b, size_t room)
{
    b->batch_room = room;
    b->batch = malloc(room * sizeof *b->batch);
    if (!b->batch)
        fail_memory();
}

/* ---- Lines ---- */

static void build_block(void *context, struct block *block, struct result *result)
{
    const struct building *b = context;
    uint64_t some[LINES];
    petal_key keys[LINES];
    for (size_t n; (n = block_keys(block, keys, LINES)) > 0;) {
        petal_hash_many(b->filter, keys, n, some);
        buffer_put(&result->out, some, n * sizeof *some);
    }
}

/* Can the filter take this hash?  An exact filter takes integers below its size. */
static bool build_takes(const struct building *b, uint64_t hash)
{
    const petal_shape *shape = petal_shape_of(b->filter);
    const bool exact = petal_abilities(shape->kind) & PETAL_IS_EXACT;
    return hash != UINT64_MAX && !(exact && !b->hashes && hash >= shape->bits);
}

/* The same for any keys in a record.  Each worker records the classes of its keys. */
static void build_records(void *context, struct block *block, struct result *result)
{
    const struct building *b = context;
    struct batch *batch = result->batch;
    uint64_t some[LINES];
    if (!result->own)
        result->own = filter_recorder(b->filter);
    while (batch_read(batch, block)) {
        result->tally[0] += batch->n;
        for (size_t from = 0, n; from < batch->keys_n; from += n) {
            n = batch->keys_n - from < LINES ? batch->keys_n - from : LINES;
            petal_hash_classes(b->filter, batch->keys + from, n, some, result->own);
            size_t kept = 0;
            for (size_t i = 0; i < n; i++) {
                if (b->any || build_takes(b, some[i]))
                    some[kept++] = some[i];
                else
                    batch_refuse(batch, from + i);
            }
            buffer_put(&result->out, some, kept * sizeof *some);
        }
    }
}

static void build_drop(void *recorder)
{
    petal_free(recorder);
}

/* Kinds that need the key itself take them in one thread. */
static void build_keys(void *context, struct block *block, struct result *result)
{
    struct building *b = context;
    struct batch *batch = result->batch;
    signed char done[LINES];
    while (batch_read(batch, block)) {
        b->lines += batch->n;
        for (size_t from = 0, n; from < batch->keys_n; from += n) {
            n = batch->keys_n - from < LINES ? batch->keys_n - from : LINES;
            petal_add_many(b->filter, batch->keys + from, n, done);
            for (size_t i = 0; i < n; i++) {
                if (done[i] == PETAL_E_KEY)
                    batch_refuse(batch, from + i);
                else if (done[i] < 0)
                    filter_refuse_key(build_name(), done[i]);
                b->keys += done[i] >= 0;
            }
        }
    }
}

static void build_take_nothing(void *context, struct block *block, struct result *result)
{
    (void)context, (void)block, (void)result;
}

static void build_read_keys(struct building *b)
{
    const struct work work = { build_keys, build_take_nothing, b, build_drop };
    lines_count(b->input);
    work_run(b->input, 1, &work);
    lines_close(b->input);
}

static void build_take(void *context, struct block *block, struct result *result)
{
    struct building *b = context;
    const uint64_t *some = (const uint64_t *)(const void *)result->out.bytes;
    (void)block;
    const size_t n = result->out.len / sizeof *some;
    b->lines += result->own ? result->tally[0] : n;
    b->keys += n;
    if (result->own && !b->any)
        petal_add_classes(b->filter, result->own);
    if (b->hashes)
        hashes_put(b->hashes, some, n);
    else
        build_gather(b, some, n);
}

static void build_open(struct building *b)
{
    b->input = lines_open(b->files, b->files_n);
    lines_select(b->input);
}

static void build_read(struct building *b)
{
    select_filter(b->filter);
    if (!b->input)
        build_open(b);
    b->any = keys_any(b->filter);
    if (petal_abilities(wanted.kind) & PETAL_NEEDS_KEYS) {
        build_read_keys(b);
        return;
    }
    const bool plain = select_whole_lines() && b->any;
    const struct work work = { plain ? build_block : build_records, build_take, b,
                               build_drop };
    if (!plain)
        lines_count(b->input);
    work_run(b->input, args_threads(), &work);
    lines_close(b->input);
}

/* ---- Streaming, or exactly sized ---- */

static void build_streamed(struct building *b)
{
    wanted.threads = args_threads();
    b->filter = filter_new();
    notes_put(b->filter);
    build_batch(b, STREAMED);
    build_read(b);
    build_add(b, b->batch, b->batch_n);
    free(b->batch);
}

static void build_largest(void *context, const uint64_t *some, size_t n)
{
    uint64_t *largest = context;
    for (size_t i = 0; i < n; i++)
        *largest = some[i] > *largest ? some[i] : *largest;
}

/* Sets the size that these keys need. */
static void build_size(const struct building *b)
{
    petal_stats stats;
    petal_stats_of(b->filter, &stats);
    if (petal_abilities(wanted.kind) & PETAL_IS_EXACT) {
        uint64_t largest = 0;
        hashes_each(b->hashes, build_largest, &largest);
        wanted.bits = largest + 1;
        if (largest >= INTEGERS_MAX)
            fail("%s: too large for a %s, which takes integers below %s; use another -k",
                 text_count(largest), petal_kind_name(wanted.kind),
                 text_count(INTEGERS_MAX));
    } else {
        wanted.capacity = hashes_capacity(wanted.kind, b->distinct, hashes_kept(b->hashes));
    }
    if (!wanted.match_lookups)
        wanted.match_lookups = stats.match_lookups_now;
}

static void build_exact(struct building *b)
{
    const unsigned threads = args_threads();
    petal_filter *model = filter_model();
    b->filter = model;
    b->hashes = hashes_new(hashes_need_of(wanted.kind, wanted.insert_only));
    build_read(b);
    b->distinct = hashes_sort(b->hashes, threads);
    b->counted = true;
    build_size(b);
    wanted.threads = threads;
    b->filter = filter_new();
    notes_put(b->filter);
    petal_add_classes(b->filter, model);
    petal_free(model);
    build_batch(b, SORTED);
    hashes_each(b->hashes, build_gather, b);
    build_add(b, b->batch, b->batch_n);
    free(b->batch);
    hashes_free(b->hashes);
}

/* ---- Static kinds ---- */

/* Rejects impossible options before reading anything.  Any number of keys is possible. */
static void build_check_static(void)
{
    petal_shape shape;
    if (wanted.bits && wanted.fpr > 0)
        fail("-m and -p cannot be combined for a %s; give one, the other follows from it",
             petal_kind_name(wanted.kind));
    if (!wanted.capacity)
        wanted.capacity = 1;
    const int rc = petal_plan(&wanted, &shape);
    if (rc < 0)
        filter_impossible(&wanted, rc);
}

/* Does the filter grow even if its capacity is known? */
static bool build_grows(void)
{
    petal_options options = wanted;
    petal_shape shape;
    options.capacity = 1;
    return petal_abilities(wanted.kind) & PETAL_CAN_GROW &&
           (petal_plan(&options, &shape) < 0 || shape.growth > 0);
}

/* Can keys go straight into the filter? */
static bool build_is_sized(void)
{
    if (build_is_static())
        return !wanted.bits && (wanted.match_lookups || !form_has_parents(wanted.form));
    return wanted.capacity || wanted.bits || build_grows();
}

/* --room is for filters whose size follows from their keys, and that take more keys later.
 */
static void build_check_room(void)
{
    const unsigned abilities = petal_abilities(wanted.kind);
    const char *kind = petal_kind_name(wanted.kind);
    if (wanted_room <= 0)
        return;
    if (abilities & PETAL_IS_STATIC)
        fail("--room: a %s takes no more keys once it is built", kind);
    if (abilities & PETAL_IS_EXACT)
        fail("--room: set the size of a %s with -m", kind);
    if (wanted.capacity || wanted.bits)
        fail("--room cannot be combined with -n or -m, which say how much room there is");
    if (build_grows())
        fail("--room: a filter that grows needs none");
}

/* The slow part for static kinds.  It does not block signals, so Ctrl-C ends it at once. */
static void build_seal(struct building *b)
{
    const char *name = build_name();
    const int rc = petal_seal(b->filter);
    if (rc == PETAL_E_BUILD)
        fail("%s: cannot build a %s from these keys; try another seed, such as -O seed=1",
             name, petal_kind_name(wanted.kind));
    if (rc < 0)
        fail("%s: cannot build the filter: %s", name, petal_strerror(rc));
    if (build_is_static()) {
        b->counted = true;
        b->distinct = petal_size(b->filter);
    }
}

static void build_report(const struct building *b)
{
    const char *name = build_name();
    const petal_shape *shape = petal_shape_of(b->filter);
    if (json) {
        json_open(NULL, '{');
        json_text("file", build_output);
        json_count("lines", b->lines);
        json_count("refused", skips_total());
        skips_json();
        filter_json(b->filter);
        json_close();
        return;
    }
    const bool exact = petal_abilities(shape->kind) & PETAL_IS_EXACT;
    const uint64_t estimate = keys_distinct(b->filter);
    const uint64_t keys = b->counted            ? b->distinct
                          : estimate > b->lines ? b->lines
                                                : estimate;
    remark("%s: %s%s from %s; %s filter, %s%s", name, b->counted || exact ? "" : "about ",
           text_many(keys, "key"), text_many(b->lines, "line"),
           petal_kind_name(shape->kind), text_bytes((double)shape->image_bytes),
           exact ? ""
                 : text_format(", %.2f bits per key, rate %s", shape->bits_per_key,
                               text_rate(shape->fpr)));
    petal_stats stats;
    petal_stats_of(b->filter, &stats);
    keys_warn(name, b->filter, &stats);
}

static int build_run(char **files, size_t n)
{
    if (!build_output || !*build_output)
        fail("-o FILE is required");
    output_claim_filter(build_output);
    output_claim(build_output);
    const bool planned = wanted.capacity || wanted.bits; /* an empty filter may be wanted */
    select_start(SELECT_LIST);
    struct building b = { .files = files, .files_n = n };
    if (input.list && !input.form_given) {
        build_open(&b);
        wanted.form = select_implied_form(b.input);
    }
    build_check_room();
    if (build_is_static())
        build_check_static();
    if (petal_abilities(wanted.kind) & PETAL_NEEDS_KEYS && !build_is_sized())
        fail("-k %s: give the number of keys with -n", petal_kind_name(wanted.kind));
    if (build_is_sized())
        build_streamed(&b);
    else
        build_exact(&b);
    if (b.keys == 0 && (b.lines > 0 || skips_total() > 0))
        fail("%s: not written: no line of the input is a key", build_name());
    if (b.keys == 0 && force && !planned && access(build_output, F_OK) == 0)
        fail("%s: not overwritten: the input is empty", build_name());
    build_seal(&b);
    output_claim(build_output); /* it may have been created meanwhile */
    filter_save(b.filter, build_output);
    build_report(&b);
    petal_free(b.filter);
    return STATUS_SOME;
}

const struct command command_build = {
    .name = "build",
    .synopsis = "-o FILE [options] [FILE...]",
    .summary = "Build a filter from lines of text",
    .text =
        "Reads the input once, drops duplicate lines (8 bytes of memory per line), and\n"
        "builds a filter of exactly the right size, or with --room, with room for some\n"
        "more keys.  With -n, the expected number of\n"
        "keys, memory use is constant.  With --form url or --form ip, all spellings of\n"
        "a URL or address are the same key, and a lookup also finds its parents:\n"
        "folders, domains and prefixes.  A ribbon (-k ribbon) is the smallest filter.\n"
        "It is built once from all keys (8 bytes of memory per line), and no keys can\n"
        "be added later.\n\n"
        "  petal build -p 1% -o bad.petal bad-urls.txt\n"
        "  petal build -k ribbon -p 0.1% -o shipped.petal words.txt\n"
        "  petal build -p 0.1% --form url -o bad.petal bad-urls.txt.gz\n"
        "  petal build --room 20% -o users.petal users.txt\n"
        "  petal build --list hosts -o ads.petal hosts.txt\n"
        "  petal build --csv -f id -n 1e9 -o ids.petal log.csv\n"
        "  petal build -k counting -O counter_bits=8 -f 7 -o hits.petal access.log\n",
    .args = build_args,
    .run = build_run,
};
