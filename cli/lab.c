/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab.c: petal lab: the worked examples of the lecture notes, step by step.
 *
 * Each example is a file of its own, lab_NAME.c, and a row of the table below.  The
 * examples that need small numbers are models: they use the hash values of the notes, or
 * made-up ones, and say so.  On a terminal each step waits for Enter.  docs/students.md
 * goes through the notes with them.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct lab lab_examples[] = {
    { "poisson", "how the binomial distribution becomes Poisson's", lab_poisson,
      LAB_LAMBDA },
    { "sum", "the sum of Poisson variables is Poisson", lab_sum, LAB_LAMBDA },
    { "naive", "a set of 128-bit strings as an array, a list, a tree, a table", lab_naive,
      0 },
    { "chaining", "a hash table with chains, and how long they get", lab_chaining, 0 },
    { "rows", "a filter of three rows, and its false positive", lab_rows, 0 },
    { "rate", "the false positive rate of rows, derived with numbers", lab_rate,
      LAB_KEYS | LAB_BITS | LAB_HASHES },
    { "space", "five million URLs: a hash table against a filter", lab_space, 0 },
    { "crawler", "a page that a crawler skips by mistake", lab_crawler, 0 },
    { "counting", "counters: insert, delete, and the smallest counter", lab_counting, 0 },
    { "optimum", "the best number of hash functions for one array", lab_optimum,
      LAB_KEYS | LAB_BITS },
    { "bitmap", "a set of small numbers, one bit each", lab_bitmap, 0 },
    { "bits", "how to read and change one bit of an integer", lab_bits, 0 },
    { "subsets", "every set of three keys on four bits", lab_subsets, 0 },
    { NULL, NULL, NULL, 0 },
};

/* ---- The options ---- */

static struct {
    struct args_list lambdas;
    uint64_t keys, bits, hashes;
    bool web;
    char *output;
} options;

static const struct arg lab_args[] = {
    { 0, "lambda", "L", ARG_LIST, &options.lambdas,
      "poisson, sum: the mean; give sum one for each variable", NULL },
    { 'n', "capacity", "N", ARG_COUNT, &options.keys, "rate, optimum: number of keys",
      NULL },
    { 'm', "bits", "M", ARG_SIZE, &options.bits, "rate: bits in a row; optimum: in all",
      NULL },
    { 0, "hashes", "K", ARG_ORDINAL, &options.hashes, "rate: number of rows", NULL },
    { 0, "web", NULL, ARG_FLAG, &options.web,
      "write the lab as a page, petal-lab.html, and open it in a browser", NULL },
    { 'o', "output", "FILE", ARG_TEXT, &options.output,
      "--web: write to FILE (- is standard output)", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

double lab_keys(double notes)
{
    return options.keys ? (double)options.keys : notes;
}

double lab_bits_wanted(double notes)
{
    return options.bits ? (double)options.bits : notes;
}

double lab_hashes(double notes)
{
    return options.hashes ? (double)options.hashes : notes;
}

size_t lab_lambdas(double *lambdas, size_t max, const double *notes, size_t notes_n)
{
    const size_t n = options.lambdas.n;
    if (n == 0) {
        memcpy(lambdas, notes, notes_n * sizeof *notes);
        return notes_n;
    }
    if (n > max)
        fail("--lambda: this example takes at most %zu", max);
    for (size_t i = 0; i < n; i++) {
        char *end;
        lambdas[i] = strtod(options.lambdas.at[i], &end);
        if (end == options.lambdas.at[i] || *end || !(lambdas[i] >= 0.01) ||
            lambdas[i] > 1000)
            fail("--lambda %s: not a number from 0.01 to 1000", options.lambdas.at[i]);
    }
    return n;
}

/* An option that the example would ignore is a mistake. */
static void lab_check_options(const struct lab *lab)
{
    const struct {
        unsigned option;
        bool given;
        const char *name;
    } rows[] = { { LAB_LAMBDA, options.lambdas.n > 0, "--lambda" },
                 { LAB_KEYS, options.keys > 0, "-n" },
                 { LAB_BITS, options.bits > 0, "-m" },
                 { LAB_HASHES, options.hashes > 0, "--hashes" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && !(lab->takes & rows[i].option))
            fail("%s: the example %s does not use it; see petal help lab", rows[i].name,
                 lab->name);
}

/* ---- Output ---- */

static bool lab_waits; /* someone sits at the terminal */
static const char *lab_name;
static unsigned lab_steps;

void lab_json(const char *operation)
{
    json_open(NULL, '{');
    json_text("lab", lab_name);
    json_count("step", ++lab_steps);
    if (operation)
        json_text("operation", operation);
}

void lab_title(const char *format, ...)
{
    char title[256];
    va_list values;
    va_start(values, format);
    vsnprintf(title, sizeof title, format, values);
    va_end(values);
    if (!json)
        out("%s\n\n", title);
}

void lab_pause(void)
{
    if (!lab_waits) {
        out("\n");
        return;
    }
    out_flush();
    int c;
    while ((c = getchar()) != '\n')
        if (c == EOF) {
            lab_waits = false;
            out("\n");
            return;
        }
}

void lab_formula(const char *name, double value, const char *sentence, const char *format,
                 ...)
{
    if (json) {
        lab_json(name);
        json_real("value", value);
        json_close();
        return;
    }
    char formula[256];
    va_list values;
    va_start(values, format);
    vsnprintf(formula, sizeof formula, format, values);
    va_end(values);
    out("%3u. %s\n       %s\n", ++lab_steps, sentence, formula);
    lab_pause();
}

void lab_remark(const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!json)
        args_prose(text);
}

void lab_indexes(size_t n)
{
    out("        ");
    for (size_t i = 0; i < n; i++)
        out("  %zu", i);
    out("\n");
}

static bool lab_probed(const int *probes, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++)
        if ((size_t)probes[i] == at)
            return true;
    return false;
}

void lab_cells(const char *name, const char *cells, const int *probes, size_t probes_n)
{
    const size_t n = strlen(cells);
    out("    %-2s  ", name);
    for (size_t i = 0; i <= n; i++) {
        const bool closes = i > 0 && lab_probed(probes, probes_n, i - 1);
        const bool opens = i < n && lab_probed(probes, probes_n, i);
        if (i == n)
            out("%s\n", closes ? "]" : "");
        else
            out("%s%s%c", closes ? "]" : " ", opens ? "[" : " ", cells[i]);
    }
}

/* ---- The command ---- */

static int lab_list(void)
{
    for (const struct lab *lab = lab_examples; lab->name; lab++)
        if (json) {
            json_open(NULL, '{');
            json_text("lab", lab->name);
            json_text("summary", lab->summary);
            json_close();
        } else {
            out("  %-9s %s\n", lab->name, lab->summary);
        }
    return STATUS_SOME;
}

static int lab_run(char **names, size_t n)
{
    args_expect(n, 0, options.web ? 0 : 1);
    if (options.output && !options.web)
        fail("-o FILE: only --web writes a file");
    if (options.web) {
        lab_web(options.output);
        return STATUS_SOME;
    }
    if (n == 0)
        return lab_list();
    const struct lab *lab = lab_examples;
    while (lab->name && strcmp(lab->name, names[0]) != 0)
        lab++;
    if (!lab->name)
        fail("%s: no such example; petal lab lists them", names[0]);
    lab_check_options(lab);
    lab_waits = !json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (lab_waits)
        remark("press Enter for the next step");
    lab_name = lab->name;
    lab->run();
    return STATUS_SOME;
}

const struct command command_lab = {
    .name = "lab",
    .synopsis = "[EXAMPLE] | --web",
    .summary = "Work through the examples of a lecture on Bloom filters",
    .text = "Shows one example step by step.  Without a name, lists the examples.  On a "
            "terminal each step waits for Enter.  Some examples accept other numbers than "
            "those of "
            "the lecture.  --web opens the lab as a page, where you can also plan filters, "
            "try your own lists, and see an attack.\n\n"
            "  petal lab\n"
            "  petal lab rows\n"
            "  petal lab --web\n"
            "  petal lab poisson --lambda 3.5\n"
            "  petal lab rate -n 5000 -m 2500 --hashes 30\n"
            "  petal lab --json subsets | jq -c 'select(.false_positives != [])'\n",
    .args = lab_args,
    .run = lab_run,
};
