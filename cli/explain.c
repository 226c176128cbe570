/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain.c: petal explain: which cells a lookup reads, and why the answer follows.
 *
 * The key becomes 64 bits, and these choose cells: bits, or counters.  The kind's rule
 * (petal_rule in petal_explain.h) says how cells decide:
 *
 * - all: one cell that is 0 makes the answer "no".
 * - any: the same in each group of cells, for example each stage of a scalable filter.  The
 *   answer is "maybe" if one group has no 0.
 * - parity: no single cell decides.  The cells of each group are added up, modulo 2, and
 * the sums together are compared with the key's fingerprint.  The library tells whether
 * they are equal, but not the fingerprint.
 * - equal: each group is a number.  The answer is "maybe" if one of them is the
 * fingerprint.
 * - run: the key has a run of remainders.  The answer is "maybe" if one of them is the
 * key's.
 *
 * look.c finds the cells and draws them; explain_run.c draws runs.
 */
#include "explain.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "look.h"
#include "print.h"
#include "text.h"

#include <inttypes.h>

static const struct arg explain_args[] = { ARGS_JSON, ARGS_END };

/* ---- In words ---- */

static void explain_probe(const struct look *look, size_t i, size_t number, bool says_no)
{
    const uint64_t cell = look->probes[i], bit = cell * look->shape->counter_bits;
    out("    %5zu  %16s  %14s  %3u  %5" PRIu64 "%s\n", number, text_count(cell),
        text_count(bit / 8), (unsigned)(bit % 8), look_cell(look, cell),
        says_no ? "  no" : "");
}

static void explain_part(const struct look *look, size_t from, size_t end)
{
    const size_t no = look_first_no(look, from, end);
    out("    probe              cell         in byte  bit  value\n");
    for (size_t i = from; i < end; i++)
        explain_probe(look, i, i - from + 1, i == no);
    look_draw_around(look, from, end);
}

/* Draws all parts.  Returns the first in which no cell is 0, counted from 1; 0 if none is.
 */
static size_t explain_parts(const struct look *look)
{
    size_t found = 0;
    for (size_t from = 0, end, part = 1; from < look->n; from = end, part++) {
        end = look_part_end(look, from);
        if (look->words->rule == PETAL_RULE_ANY)
            out("\n  %s %zu\n", look->words->group, part);
        explain_part(look, from, end);
        if (!found && look_first_no(look, from, end) == end)
            found = part;
    }
    return found;
}

/* Each part as a list of cells, and their parity. */
static void explain_sums(const struct look *look)
{
    out("\n  %ss: the cells that are added up, their values, and the parity\n",
        look->words->group);
    for (size_t from = 0, end, part = 1; from < look->n; from = end, part++) {
        end = look_part_end(look, from);
        out("    %2zu  ", part);
        for (size_t i = from; i < end; i++)
            out("%s:%" PRIu64 "  ", text_count(look->probes[i]),
                look_cell(look, look->probes[i]));
        out("%u\n", look_parity(look, from, end));
    }
}

/* The same as strips, for kinds in which the cells of a key are neighbours. */
static void explain_strips(const struct look *look)
{
    const petal_kind_words *words = look->words;
    out("  entries  %zu of %d, starting at cell %s, in each of %s: %zu bits\n",
        look->n / look->parts_n, LOOK_STRIP, text_count(look->probes[0]),
        text_many(look->parts_n, words->group), look->n);
    out("\n  %ss (added: ● 1, ○ 0; others: ▪ 1, · 0; │ next block) and parities\n",
        words->group);
    for (size_t from = 0, end, part = 1; from < look->n; from = end, part++) {
        end = look_part_end(look, from);
        out("    %2zu  ", part);
        look_draw_strip(look, from, end);
        out("  %u\n", look_parity(look, from, end));
    }
}

static void explain_parities(const struct look *look)
{
    bool together = true;
    for (size_t from = 0, end; from < look->n; from = end) {
        end = look_part_end(look, from);
        together = together && look_fits_strip(look, from, end);
    }
    if (look->stages > 1)
        out("  %-7s  %u; the hash selects one of them\n",
            text_format("%ss", look->words->stage), look->stages);
    (together ? explain_strips : explain_sums)(look);
}

/* Each part as the number that is compared with the fingerprint. */
static void explain_numbers(const struct look *look)
{
    out("    %-8s  %16s  value\n", look->words->group ? look->words->group : "entry",
        "from cell");
    for (size_t from = 0, end, part = 1; from < look->n; from = end, part++) {
        uint64_t value = 0;
        end = look_part_end(look, from);
        for (size_t i = end; i-- > from;)
            value = value << 1 | look_cell(look, look->probes[i]);
        out("    %8zu  %16s  0x%" PRIx64 "\n", part, text_count(look->probes[from]), value);
    }
}

/* In how many runs was the remainder looked for, and was it there? */
static void explain_run_reason(const struct look *look, bool maybe, size_t stage)
{
    if (look->stages == 1)
        out("%s of the run is that of the key\n", maybe ? "a remainder" : "no remainder");
    else if (maybe)
        out("a remainder of the run of %s %zu is that of the key\n", look->words->stage,
            stage);
    else
        out("no remainder of any run is that of the key\n");
}

/* The reason, from the cells; `part` is what explain_parts() or explain_runs() found. */
static void explain_reason(const struct look *look, bool maybe, size_t part)
{
    switch (look->words->rule) {
    case PETAL_RULE_ALL:
        if (maybe)
            out("no cell is 0\n");
        else
            out("the cell of probe %zu is 0\n", look_first_no(look, 0, look->n) + 1);
        break;
    case PETAL_RULE_ANY:
        if (maybe)
            out("no cell of %s %zu is 0\n", look->words->group, part);
        else
            out("every %s has a cell that is 0\n", look->words->group);
        break;
    case PETAL_RULE_PARITY:
        out("the %s the fingerprint of the key\n",
            text_format("%s %s", look->parts_n > 1 ? "parities" : "parity",
                        maybe               ? look->parts_n > 1 ? "equal" : "equals"
                        : look->parts_n > 1 ? "differ from"
                                            : "differs from"));
        break;
    case PETAL_RULE_EQUAL:
        out("%s the fingerprint of the key\n", maybe ? "one value is" : "no value is");
        break;
    case PETAL_RULE_RUN: explain_run_reason(look, maybe, part); break;
    }
}

static void explain_verdict(const struct look *look, bool maybe, size_t part)
{
    out("  verdict  %s: ", maybe ? "maybe" : "no");
    if (look->refused)
        out("%s\n", petal_strerror(look->refused));
    else if (look->n > 0 || look->words->rule == PETAL_RULE_RUN)
        explain_reason(look, maybe, part);
    else /* a static kind: see docs/format.md */
        out(maybe ? "no bit is read; at such a high rate some keys need none\n"
                  : "the filter was built from no keys\n");
}

static void explain_text(const struct look *look, const petal_filter *filter,
                         const char *key, bool maybe)
{
    out("%s\n", key);
    if (look_has_form(look))
        out("  key      %s\n", look->normalized);
    if (look->lookups)
        out("  match    %s%s%s\n", text_many(look->lookups, "lookup"),
            look->class_id[0] ? "; found the parent " : "", look->class_id);
    if (look_has_hash(look))
        out("  hash     0x%016" PRIx64 "\n", look->hash);
    size_t part = 0;
    if (look->n && look->words->rule == PETAL_RULE_PARITY)
        explain_parities(look);
    else if (look->n && look->words->rule == PETAL_RULE_EQUAL)
        explain_numbers(look);
    else if (!look->refused && look->words->rule == PETAL_RULE_RUN)
        part = explain_runs(look, filter);
    else
        part = explain_parts(look);
    if (look->n || (!look->refused && look->words->rule == PETAL_RULE_RUN))
        out("\n");
    explain_verdict(look, maybe, part);
}

/* ---- As data ---- */

/* Each probe is numbered by its group: "row" 1, "stage" 2. */
static void explain_json_probes(const struct look *look)
{
    const char *group = look->words->group ? look->words->group : "stage";
    json_open("probes", '[');
    for (size_t i = 0; i < look->n; i++) {
        const uint64_t bit = look->probes[i] * look->shape->counter_bits;
        json_open(NULL, '{');
        json_count(group, look->groups[i] + 1);
        json_count("cell", look->probes[i]);
        json_count("byte", bit / 8);
        json_count("bit", bit % 8);
        json_count("value", look_cell(look, look->probes[i]));
        json_close();
    }
    json_close();
}

static void explain_json_parities(const struct look *look)
{
    json_open("parities", '[');
    for (size_t from = 0, end; from < look->n; from = end) {
        end = look_part_end(look, from);
        json_count(NULL, look_parity(look, from, end));
    }
    json_close();
}

static void explain_json(const struct look *look, const petal_filter *filter,
                         const char *key, bool maybe)
{
    const bool parity = !look->refused && look->words->rule == PETAL_RULE_PARITY;
    json_open(NULL, '{');
    json_text("key", key);
    if (look_has_form(look))
        json_text("form", look->normalized);
    if (look_has_hash(look))
        json_text("hash", text_format("0x%016" PRIx64, look->hash));
    if (look->lookups)
        json_count("lookups", look->lookups);
    if (look->class_id[0])
        json_text("matched", look->class_id);
    if (parity && look->words->stage)
        json_count(text_format("%ss", look->words->stage), look->stages);
    explain_json_probes(look);
    if (!look->refused && look->words->rule == PETAL_RULE_RUN)
        explain_json_runs(look, filter);
    if (parity)
        explain_json_parities(look);
    json_text("verdict", maybe ? "maybe" : "no");
    json_close();
}

/* ---- The command ---- */

static int explain_run(char **words, size_t n)
{
    static struct look look;
    args_expect(n, 2, SIZE_MAX);
    petal_filter *filter = filter_open(words[0], 0);
    bool any = false;
    for (size_t i = 1; i < n; i++) {
        look_at(&look, filter, words[i]);
        const bool maybe = !look.refused && look.maybe;
        any = any || maybe;
        if (json)
            explain_json(&look, filter, words[i], maybe);
        else
            explain_text(&look, filter, words[i], maybe);
        if (!json && i + 1 < n)
            out("\n");
    }
    petal_free(filter);
    return any ? STATUS_SOME : STATUS_NONE;
}

const struct command command_explain = {
    .name = "explain",
    .synopsis = "FILTER KEY...",
    .summary = "Show which bits a lookup reads, and why the answer follows",
    .text =
        "For each key, shows its hash, the cells (bits or counters) that the hash selects, "
        "their values, the cells around them, and the answer with its reason.  The rows of "
        "a partitioned filter are drawn one per line.  A ribbon adds up cells, column by "
        "column, and compares the parities with a fingerprint of the key.  A quotient "
        "filter looks for a remainder of the key in a run, which is drawn in its block.  "
        "In "
        "a filter of URLs or addresses, if a parent of the key is found instead, the "
        "parent "
        "is shown.\n\n"
        "Exit status: 0 if the answer is \"maybe\" for at least one key, 1 if it is \"no\" "
        "for all.\n\n"
        "  petal explain bad.petal thisisavirus.com\n"
        "  petal explain --json bad.petal thisisavirus.com | jq .probes\n",
    .args = explain_args,
    .run = explain_run,
};
