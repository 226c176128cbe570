/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shard.c: petal shard: distribute lines over several filters.
 *
 * shard_of.c finds the shard of a key.
 *
 * The input is read once.  For each shard the hashes of its keys are kept, 8 bytes per
 * line, in a list of chunks so small that 65,536 shards take little memory.  All threads
 * hash lines, and then build filters, one shard at a time each, with the hashes of that
 * shard in a temporary array.  Each filter is the one that petal build would build from the
 * keys of its shard, with exactly the right size.  Files are written only when all filters
 * are built.
 */
#include "shard.h"

#include "args.h"
#include "filters.h"
#include "hashes.h"
#include "json.h"
#include "keys.h"
#include "notes.h"
#include "print.h"
#include "progress.h"
#include "text.h"
#include "work.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARDS_MAX 65536
#define LINES      256
#define CHUNK      63 /* hashes; with the pointer, 512 bytes */
#define NAME_ROOM  4096

static char *shard_output, *shard_of;
static uint64_t shard_n;

static const struct arg shard_args[] = {
    { 'N', "shards", "N", ARG_ORDINAL, &shard_n,
      "number of filters, at most 65536 (required)", NULL },
    { 'o', "output", "NAME", ARG_TEXT, &shard_output,
      "names of the filters; %d is the number of the shard (required)", NULL },
    { 0, "of", "KEY", ARG_TEXT, &shard_of,
      "only print the shard of this key, or with - of each line", NULL },
    ARGS_RATE,
    ARGS_ROOM,
    ARGS_KIND_ALONE,
    ARGS_OPTION,
    { 0, "form", "F", ARG_FILTER, &wanted,
      "only raw: parents of a URL would be in other shards", "form" },
    ARGS_NOTES,
    ARGS_FORCE,
    ARGS_INPUT,
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

struct chunk {
    struct chunk *before;
    uint64_t at[CHUNK];
};

struct shard {
    struct chunk *last; /* all others are full */
    size_t lines, keys;
    petal_filter *filter;
};

struct sharding {
    petal_filter *hasher; /* its hash determines the shard of a key */
    petal_filter *model;  /* its hash is that of the filters */
    struct shard *shards;
    uint64_t lines;
    unsigned threads; /* for each filter */
    uint64_t next;    /* shard to build */
};

static void *shard_memory(void *memory)
{
    if (!memory)
        fail_memory();
    return memory;
}

/* ---- Names ---- */

static void shard_check_name(void)
{
    unsigned numbers = 0;
    for (const char *p = shard_output; (p = strchr(p, '%')); p += 2) {
        if (p[1] != 'd' && p[1] != '%')
            fail("-o %s: only %%d, the number of the shard, or %%%% may follow a %%",
                 shard_output);
        numbers += p[1] == 'd';
    }
    if (numbers != 1)
        fail("-o %s: the name must contain %%d once, for the number of the shard",
             shard_output);
    if (strlen(shard_output) + sizeof "65535" > NAME_ROOM)
        fail("-o: %s", strerror(ENAMETOOLONG));
}

static void shard_name(uint64_t number, char name[NAME_ROOM])
{
    char *to = name;
    for (const char *from = shard_output; *from; from++) {
        *to++ = *from;
        if (*from == '%' && *++from == 'd')
            to += sprintf(to - 1, "%" PRIu64, number) - 1;
    }
    *to = 0;
}

static void shard_claim(void)
{
    char name[NAME_ROOM];
    for (uint64_t i = 0; i < shard_n; i++) {
        shard_name(i, name);
        output_claim(name);
    }
}

/* ---- Lines ---- */

static void shard_hash(const struct sharding *s, const petal_key *keys, size_t n,
                       struct result *result)
{
    uint64_t some[LINES], numbers[LINES];
    petal_hash_many(s->model, keys, n, some);
    petal_hash_many(s->hasher, keys, n, numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = shard_number(numbers[i], shard_n);
    result->tally[0] += n;
    for (size_t i = 0; i < n; i++)
        buffer_put(&result->out, (uint64_t[]){ numbers[i], some[i] }, 2 * sizeof *some);
}

static void shard_block(void *context, struct block *block, struct result *result)
{
    petal_key keys[LINES];
    for (size_t n; (n = block_keys(block, keys, LINES)) > 0;)
        shard_hash(context, keys, n, result);
}

/* The same if the key is not the whole line. */
static void shard_records(void *context, struct block *block, struct result *result)
{
    struct batch *batch = result->batch;
    while (batch_read(batch, block))
        for (size_t i = 0, n; i < batch->keys_n; i += n) {
            n = batch->keys_n - i < LINES ? batch->keys_n - i : LINES;
            shard_hash(context, batch->keys + i, n, result);
        }
}

static void shard_put(struct shard *shard, uint64_t hash)
{
    const size_t at = shard->lines++ % CHUNK;
    if (at == 0) {
        struct chunk *chunk = shard_memory(malloc(sizeof *chunk));
        chunk->before = shard->last;
        shard->last = chunk;
    }
    shard->last->at[at] = hash;
}

static void shard_take(void *context, struct block *block, struct result *result)
{
    struct sharding *s = context;
    const uint64_t *some = (const uint64_t *)(const void *)result->out.bytes;
    (void)block;
    for (size_t i = 0; i < result->tally[0]; i++)
        shard_put(&s->shards[some[2 * i]], some[2 * i + 1]);
    s->lines += result->tally[0];
}

static void shard_read(struct sharding *s, char **files, size_t n)
{
    struct lines *lines = keys_open(files, n, SELECT_LIST, s->model);
    const struct work work = { select_whole_lines() ? shard_block : shard_records,
                               shard_take, s, NULL };
    if (!select_whole_lines())
        lines_count(lines);
    work_run(lines, args_threads(), &work);
    lines_close(lines);
}

/* ---- Filters ---- */

/* Copies the hashes of a shard to one array and frees its chunks. */
static uint64_t *shard_collect(struct shard *shard)
{
    uint64_t *some = shard_memory(malloc((shard->lines + 1) * sizeof *some));
    for (size_t left = shard->lines; left > 0;) {
        struct chunk *chunk = shard->last;
        const size_t n = (left - 1) % CHUNK + 1;
        memcpy(some + left - n, chunk->at, n * sizeof *some);
        left -= n;
        shard->last = chunk->before;
        free(chunk);
    }
    return some;
}

static _Noreturn void shard_build_failed(uint64_t number, int error)
{
    char name[NAME_ROOM];
    shard_name(number, name);
    if (error == PETAL_E_BUILD)
        fail("%s: cannot build a %s from these keys; try another seed, such as -O seed=1",
             name, petal_kind_name(wanted.kind));
    fail("%s: cannot build the filter: %s", name, petal_strerror(error));
}

static void shard_build(struct sharding *s, uint64_t number)
{
    struct shard *shard = &s->shards[number];
    uint64_t *some = shard_collect(shard);
    size_t n = shard->lines;
    shard->keys =
        (size_t)hashes_arrange(some, &n, hashes_need_of(wanted.kind, wanted.insert_only));
    petal_options o = wanted;
    o.capacity = hashes_capacity(wanted.kind, shard->keys, n);
    o.threads = s->threads;
    int64_t rc = petal_new(&o, &shard->filter);
    if (rc >= 0)
        notes_put(shard->filter);
    if (rc >= 0)
        rc = petal_add_hashes(shard->filter, some, n, NULL);
    free(some);
    if (rc >= 0)
        rc = petal_seal(shard->filter);
    if (rc < 0)
        shard_build_failed(number, (int)rc);
}

static void *shard_build_some(void *context)
{
    struct sharding *s = context;
    for (uint64_t i; (i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < shard_n;)
        shard_build(s, i);
    return NULL;
}

/* With fewer shards than threads, several threads work on each. */
static void shard_build_all(struct sharding *s)
{
    const unsigned threads = args_threads();
    const unsigned builders = threads < shard_n ? threads : (unsigned)shard_n;
    pthread_t others[THREADS_MAX];
    unsigned started = 0;
    s->threads = threads / builders;
    while (started + 1 < builders &&
           pthread_create(&others[started], NULL, shard_build_some, s) == 0)
        started++;
    shard_build_some(s);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

/* ---- Files and the report ---- */

struct shard_sums {
    uint64_t keys, bytes, least, most;
};

static struct shard_sums shard_sum(const struct sharding *s)
{
    struct shard_sums sums = { .least = UINT64_MAX };
    for (uint64_t i = 0; i < shard_n; i++) {
        const struct shard *shard = &s->shards[i];
        sums.keys += shard->keys;
        sums.bytes += petal_shape_of(shard->filter)->image_bytes;
        sums.least = shard->keys < sums.least ? shard->keys : sums.least;
        sums.most = shard->keys > sums.most ? shard->keys : sums.most;
    }
    return sums;
}

static void shard_save(const struct sharding *s, uint64_t total)
{
    char name[NAME_ROOM];
    shard_claim(); /* a file may have been created meanwhile */
    progress_start(total);
    for (uint64_t i = 0; i < shard_n; i++) {
        shard_name(i, name);
        const int rc = filter_try_save(s->shards[i].filter, name);
        if (rc < 0)
            fail("%s: %s: %s; wrote %s of %s filters", name, petal_strerror(rc),
                 strerror(errno), text_count(i), text_count(shard_n));
        progress_add(petal_shape_of(s->shards[i].filter)->image_bytes);
    }
    progress_end();
}

static void shard_report(const struct sharding *s, const struct shard_sums *sums)
{
    const petal_shape *shape = petal_shape_of(s->shards[0].filter);
    if (json) {
        json_open(NULL, '{');
        json_text("files", shard_output);
        json_count("shards", shard_n);
        json_count("lines", s->lines);
        json_count("keys", sums->keys);
        json_count("keys_least", sums->least);
        json_count("keys_most", sums->most);
        json_text("kind", petal_kind_name(shape->kind));
        json_real("fpr", shape->fpr);
        json_count("image_bytes", sums->bytes);
        json_close();
        return;
    }
    remark("%s: %s from %s; %s %s filter%s, %s in total, rate %s; %s to %s in each",
           shard_output, text_many(sums->keys, "key"), text_many(s->lines, "line"),
           text_count(shard_n), petal_kind_name(shape->kind), shard_n == 1 ? "" : "s",
           text_bytes((double)sums->bytes), text_rate(shape->fpr), text_count(sums->least),
           text_many(sums->most, "key"));
}

static int shard_print_which(char **files, size_t n)
{
    if (shard_output)
        fail("--of and -o cannot be combined; --of writes no filters");
    if (strcmp(shard_of, "-") == 0) {
        shard_print_lines(shard_n, files, n);
    } else {
        args_expect(n, 0, 0);
        shard_print_key(shard_n, shard_of);
    }
    return STATUS_SOME;
}

/* Rejects impossible options before reading anything. */
static void shard_check(void)
{
    petal_shape shape;
    if (!shard_output || !*shard_output)
        fail("-o NAME is required, such as -o bad-%%d.petal");
    shard_check_name();
    if (wanted.form != PETAL_FORM_RAW)
        fail(
            "--form: only raw keys can be sharded; parents of a URL or address would be in "
            "other shards");
    const char *kind = petal_kind_name(wanted.kind);
    if (petal_abilities(wanted.kind) & PETAL_IS_EXACT)
        fail("-k %s: each %s would be as large as one of all keys; use petal build", kind,
             kind);
    if (wanted.capacity || wanted.bits)
        fail(
            "-O: capacity and bits cannot be set; the size of each filter follows from its "
            "keys");
    if (wanted_room > 0 && petal_abilities(wanted.kind) & PETAL_IS_STATIC)
        fail("--room: a %s takes no more keys once it is built", kind);
    wanted.capacity = 1;
    const int rc = petal_plan(&wanted, &shape);
    if (rc < 0)
        filter_impossible(&wanted, rc);
    wanted.kind = shape.kind;
    shard_claim();
}

static int shard_run(char **files, size_t n)
{
    if (shard_n == 0)
        fail("-N N, the number of shards, is required");
    if (shard_n > SHARDS_MAX)
        fail("-N %s: at most %s shards are possible", text_count(shard_n),
             text_count(SHARDS_MAX));
    if (shard_of)
        return shard_print_which(files, n);
    shard_check();
    struct sharding s = { .hasher = shard_hasher(), .model = filter_model() };
    s.shards = shard_memory(calloc((size_t)shard_n, sizeof *s.shards));
    shard_read(&s, files, n);
    petal_free(s.hasher);
    petal_free(s.model);
    shard_build_all(&s);
    const struct shard_sums sums = shard_sum(&s);
    shard_save(&s, sums.bytes);
    shard_report(&s, &sums);
    for (uint64_t i = 0; i < shard_n; i++)
        petal_free(s.shards[i].filter);
    free(s.shards);
    return STATUS_SOME;
}

const struct command command_shard = {
    .name = "shard",
    .synopsis = "-N N -o NAME-%d [options] [FILE...]",
    .summary = "Distribute lines over several filters",
    .text =
        "Each line goes into one of N filters, numbered 0 to N-1; %d in the name stands "
        "for\n"
        "the number.  All filters have the same kind, rate, hash and seed, and each has\n"
        "exactly the right size for its keys, and with --room for some more.  Filters "
        "without keys are written too.  The\n"
        "shard of a key is floor(h * N / 2^64), where h is the XXH3-64 of its bytes with\n"
        "seed 0x7368617264; --of prints it.  Memory use is 8 bytes per line.  No file is\n"
        "written until all filters are built.\n\n"
        "  petal shard -N 64 -o bad-%d.petal bad-hosts.txt.gz\n"
        "  petal shard -N 16 -k ribbon -p 0.1% -o ids-%d.petal --csv -f id log.csv\n"
        "  petal shard -N 64 --of evil.example\n"
        "  petal shard -N 64 --of - visited.txt\n",
    .args = shard_args,
    .run = shard_run,
};
