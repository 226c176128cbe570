/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab.c: petal lab: the worked examples of the lecture notes, step by step.
 *
 * Each example is a file of its own, lab_NAME.c.  Where the notes give hash values, these
 * are taken as they are: `rows` and `subsets` are models to learn from, and say so.  On a
 * terminal each step waits for Enter.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct arg lab_args[] = { ARGS_JSON, ARGS_END };

static bool lab_waits; /* someone sits at the terminal */
static const char *lab_name;
static uint64_t lab_steps;

void lab_json(const char *operation)
{
    json_open(NULL, '{');
    json_text("lab", lab_name);
    json_count("step", ++lab_steps);
    if (operation)
        json_text("operation", operation);
}

void lab_title(const char *title)
{
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

/* ---- The command ---- */

static const struct {
    const char *name;
    void (*run)(void);
} examples[] = {
    { "bitmap", lab_bitmap },
    { "rows", lab_rows },
    { "subsets", lab_subsets },
    { "poisson", lab_poisson }, /* a figure and no example: only when asked for */
};

static void lab_start(size_t i)
{
    lab_name = examples[i].name;
    lab_steps = 0;
    examples[i].run();
}

static int lab_run(char **names, size_t n)
{
    args_expect(n, 0, 1);
    lab_waits = !json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (lab_waits)
        remark("Enter goes on to the next step");
    for (size_t i = 0; n == 0 && i < 3; i++)
        lab_start(i);
    for (size_t i = 0; n == 1; i++) {
        if (i == sizeof examples / sizeof *examples)
            fail("%s: no such example; there are bitmap, rows, subsets and poisson",
                 names[0]);
        if (strcmp(examples[i].name, names[0]) == 0) {
            lab_start(i);
            break;
        }
    }
    return STATUS_SOME;
}

const struct command command_lab = {
    .name = "lab",
    .synopsis = "[bitmap|rows|subsets|poisson]",
    .summary = "the worked examples of the lecture notes, step by step",
    .text =
        "Shows a bitmap under additions and removals; a filter of three rows that lets a\n"
        "stranger through; and every set of three keys on four bits.  Without a name, "
        "these\n"
        "three; poisson shows how the binomial becomes Poisson's distribution.  On a\n"
        "terminal each step waits for Enter.\n\n"
        "  petal lab\n"
        "  petal lab rows\n"
        "  petal lab --json subsets | jq -c 'select(.false_positives != [])'\n",
    .args = lab_args,
    .run = lab_run,
};
