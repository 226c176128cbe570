/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join.c: petal join: join two tables, with a filter that saves most of the work.
 *
 * The keys of the second table, B, go into a filter, and its rows into memory.  Then the
 * first table, A, is read row by row.  For a row whose key is certainly not in B, one
 * lookup is all it takes.  The others are looked up among B's rows, by hash and then byte
 * by byte, so the result is exact.  The time is linear in the two tables and the result.
 * Rows that only B has are printed last: the rows of B that matched no row of A.
 *
 * With --both, A is read once before, into a filter that grows because the number of its
 * keys is unknown, and only the rows of B that may match are kept.  With --reduce, no row
 * of B is kept, only its hash (8 bytes), until the number of keys, and thus the size of the
 * filter, is known.
 */
#define _POSIX_C_SOURCE 200809L
#include "join.h"

#include "args.h"
#include "choices.h"
#include "filters.h"
#include "print.h"
#include "progress.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RATE_MIN 1e-4 /* the lowest rate of a blocked filter */

static char *join_on, *join_type_name, *join_delimiter = ",";
static double join_rate = 0.01;
static bool join_both, join_reduce, join_headless;

static const struct arg join_args[] = {
    { 0, "on", "NAME[=NAME],...", ARG_TEXT, &join_on,
      "the columns of the key (default: all that both tables have)", NULL },
    { 0, "no-header", NULL, ARG_FLAG, &join_headless,
      "the tables have no header line; --on takes column numbers", NULL },
    { 0, "type", "TYPE", ARG_TEXT, &join_type_name,
      "inner (default), left, right, outer, semi or anti", NULL },
    { 'p', "fpr", "RATE", ARG_RATE, &join_rate,
      "false positive rate of the filter (default: 1%)", NULL },
    { 'd', "delimiter", "C", ARG_TEXT, &join_delimiter,
      "field separator (default: comma); \\t is a tab", NULL },
    { 0, "both", NULL, ARG_FLAG, &join_both,
      "keep only the rows of B that may match; reads A twice", NULL },
    { 0, "reduce", NULL, ARG_FLAG, &join_reduce,
      "do not join; print the rows of A that may match", NULL },
    ARGS_JSON,
    ARGS_END,
};

void *join_memory(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory)
        fail_memory();
    return memory;
}

/* ---- Rows ---- */

/* Writes the key of the current row to j->key, each field after its length, so that "a",
 * "bc" and "ab", "c" differ.  Returns its hash. */
static uint64_t join_key(struct join *j, const struct side *side)
{
    j->key.len = 0;
    for (size_t i = 0; i < j->on; i++) {
        const struct field *field = &side->csv.fields[side->on[i]];
        buffer_put(&j->key, &field->len, sizeof field->len);
        buffer_put(&j->key, field->text, field->len);
    }
    return petal_hash(j->filter, j->key.bytes, j->key.len);
}

static void join_open(const struct join *j, struct side *side)
{
    if (j->headless)
        csv_open_headless(&side->csv, side->file, *join_delimiter);
    else
        csv_open(&side->csv, side->file, *join_delimiter);
}

static bool join_next(struct side *side)
{
    const bool got = csv_next(&side->csv);
    side->rows += got;
    return got;
}

/* ---- Reading B ---- */

static petal_filter *join_filter(petal_kind kind, uint64_t capacity, double rate)
{
    wanted = (petal_options){ .kind = kind, .capacity = capacity, .fpr = rate };
    return filter_new();
}

static void join_fill_filter(struct join *j)
{
    petal_free(j->filter);
    j->filter = join_filter(PETAL_DEFAULT, j->kept ? j->kept : 1, join_rate);
    petal_add_hashes(j->filter, rows_hashes(j), j->kept, NULL);
}

/* `a_keys` is NULL except with --both. */
static void join_read_b(struct join *j, const petal_filter *a_keys)
{
    while (join_next(&j->b)) {
        const uint64_t hash = join_key(j, &j->b);
        if (!a_keys || petal_contains_hash(a_keys, hash))
            rows_keep(j, hash);
        else
            j->b_dropped++;
    }
    csv_close(&j->b.csv);
    join_fill_filter(j);
    if (j->reduce) {
        free(j->hashes.bytes);
        j->hashes = (struct buffer){ 0 };
        return;
    }
    rows_index(j);
    if (j->type->b_alone)
        j->matched = join_memory(j->kept + 1, sizeof *j->matched);
}

/* ---- Reading A ---- */

/* Call it if the current row of A has no match. */
static void join_alone_a(struct join *j)
{
    if (!j->type->a_alone)
        return;
    join_text_a(j);
    join_print(j, j->b_empty.bytes, j->b_empty.len);
    j->a_alone++;
    j->printed++;
}

/* Finds the rows of B that match the current row of A, and prints a row for each if the
 * join has them.  Returns the number of matches. */
static uint64_t join_matches(struct join *j, uint64_t hash)
{
    uint64_t matches = 0;
    for (size_t i = rows_find(j, hash, 0); i; i = rows_find(j, hash, i)) {
        const struct row *row = rows_at(j, i);
        if (j->type->matched)
            join_print(j, j->arena.bytes + row->rest, row->end - row->rest);
        if (j->matched)
            j->matched[i - 1] = true;
        matches++;
    }
    j->printed += j->type->matched ? matches : 0;
    return matches;
}

/* After a maybe of the filter. */
static void join_maybe(struct join *j, uint64_t hash)
{
    join_text_a(j);
    if (j->reduce) {
        join_print(j, "", 0);
        j->printed++;
    } else if (join_matches(j, hash) == 0) {
        j->false_positives++;
        join_alone_a(j);
    }
}

static void join_read_a(struct join *j)
{
    while (join_next(&j->a)) {
        const uint64_t hash = join_key(j, &j->a);
        if (petal_contains_hash(j->filter, hash)) {
            join_maybe(j, hash);
        } else {
            j->ruled_out++;
            join_alone_a(j);
        }
    }
}

static void join_alone_b(struct join *j)
{
    for (size_t i = 1; i <= j->kept; i++) {
        if (j->matched[i - 1])
            continue;
        const struct row *row = rows_at(j, i);
        join_text_key(j, row);
        join_print(j, j->arena.bytes + row->rest, row->end - row->rest);
        j->b_alone++;
    }
    j->printed += j->b_alone;
}

/* ---- The command ---- */

/* The length of a file; 0 if it is unknown, as for a pipe. */
static uint64_t join_bytes(const char *path)
{
    struct stat st;
    const int rc = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
    return rc == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static void join_check(char **files)
{
    if (strcmp(join_delimiter, "\\t") == 0)
        join_delimiter = "\t";
    if (strlen(join_delimiter) != 1 || strpbrk(join_delimiter, "\"\r\n"))
        fail("-d %s: the separator must be one character, other than a quote or newline",
             join_delimiter);
    if (!(join_rate >= RATE_MIN && join_rate < 1))
        fail("-p %s: the rate must be at least 0.01%% and below 100%%",
             text_rate(join_rate));
    if (join_headless && !join_on)
        fail("--no-header needs --on with column numbers, such as --on 1=3,2");
    const bool a_is_input = strcmp(files[0], "-") == 0;
    if (a_is_input && strcmp(files[1], "-") == 0)
        fail("-: only one of the tables can be standard input");
    struct stat st;
    if (join_both && (a_is_input || (stat(files[0], &st) == 0 && !S_ISREG(st.st_mode))))
        fail("%s: --both reads the first table twice; use a file", files[0]);
}

/* The first pass over A.  Afterwards A is at its header again. */
static petal_filter *join_a_keys(struct join *j)
{
    const double rate = fmax(join_rate, 0.01); /* a low rate would limit its growth */
    petal_filter *keys = join_filter(choice_growing(), 0, rate);
    const size_t columns = j->a.csv.columns;
    progress_start(join_bytes(*j->a.file));
    while (csv_next(&j->a.csv)) {
        const int rc = petal_add_hash(keys, join_key(j, &j->a));
        if (rc < 0)
            fail("%s: %s", j->a.csv.name, petal_strerror(rc));
    }
    csv_close(&j->a.csv);
    join_open(j, &j->a);
    if (j->a.csv.columns != columns)
        fail("%s: the file changed while it was read; run the command again",
             j->a.csv.name);
    return keys;
}

static void join_free(struct join *j)
{
    free(j->a.on);
    free(j->b.on);
    free(j->b_in_key);
    rows_free(j);
    free(j->key.bytes);
    free(j->text.bytes);
    free(j->a_fields);
    free(j->b_empty.bytes);
    free(j->renames.bytes);
    petal_free(j->filter);
}

static int join_run(char **files, size_t n)
{
    args_expect(n, 2, 2);
    join_check(files);
    struct join j = { .both = join_both,
                      .reduce = join_reduce,
                      .headless = join_headless,
                      .type = join_type(join_type_name, join_both, join_reduce),
                      .a.file = files,
                      .b.file = files + 1 };
    j.filter = join_filter(PETAL_DEFAULT, 1, join_rate);
    join_open(&j, &j.a);
    join_open(&j, &j.b);
    join_columns(&j, join_on);
    join_text_start(&j);
    if (!join_headless)
        join_print_header(&j);

    petal_filter *a_keys = join_both ? join_a_keys(&j) : NULL;
    progress_start(join_bytes(*j.b.file));
    join_read_b(&j, a_keys);
    petal_free(a_keys);
    progress_start(join_bytes(*j.a.file));
    join_read_a(&j);
    csv_close(&j.a.csv);
    if (j.type->b_alone)
        join_alone_b(&j);

    join_report(&j);
    join_free(&j);
    return j.printed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_join = {
    .name = "join",
    .synopsis = "A.csv B.csv [--on NAME[=NAME][,NAME[=NAME]]...]",
    .summary = "Join two CSV tables, with a filter that saves most of the work",
    .text =
        "Prints each row of A with each row of B that has the same key: the columns of A,\n"
        "then the columns of B that are not in the key.  The output is in the order of\n"
        "A, then of B.  A filter of B's keys finds the rows of A that certainly match no\n"
        "row of B; the others are compared exactly.  The types of joins are those of SQL:\n"
        "\n"
        "  inner  the rows of A with their partners in B\n"
        "  left   inner, and the rows of A without a partner; B's columns are empty\n"
        "  right  inner, and last the rows of B without a partner; A's columns are\n"
        "         empty, except for the key\n"
        "  outer  left and right together\n"
        "  semi   the rows of A that have a partner, each once\n"
        "  anti   the rows of A that have no partner\n"
        "\n"
        "Keys are compared as text: 1 and 01 differ, and empty fields are equal.  A may\n"
        "have any size.  B is held in memory; with --both, only its rows that may match;\n"
        "with --type semi or anti, only its keys.  --reduce prints the rows of A that may\n"
        "match: all that do, and a few false positives.\n"
        "\n"
        "Tables are CSV (RFC 4180) with a header line.  A column of B whose name the\n"
        "result has already gets a new one: name becomes name_2, or the next that is\n"
        "free.  With --no-header, neither table has a header line, and --on takes column\n"
        "numbers: 1=3 compares column 1 of A with column 3 of B.  With --json, the report\n"
        "on standard error is JSON.\n"
        "\n"
        "  petal join orders.csv customers.csv --on customer=id\n"
        "  petal join a.csv b.csv --on year,month > joined.csv\n"
        "  petal join --no-header --on 1=3,2 a.csv b.csv\n"
        "  petal join --type anti orders.csv shipped.csv --on id > open.csv\n"
        "  petal join --reduce -d '\\t' visits.tsv.gz bots.tsv --on ip\n",
    .args = join_args,
    .run = join_run,
};
