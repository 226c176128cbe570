/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain_run.c: petal explain: runs of remainders, for a filter that stores fingerprints.
 *
 * The hash selects a block, one of the quotients of this block, and a remainder.  The block
 * has a row of symbols: for each quotient in order, a 1 for each of its elements, and a 0
 * for the end of the quotient.  So the run of quotient 5 begins after five ends.  A full
 * block passes what it has no room for on to the next one, which then begins with quotients
 * that are not its own.  The answer is "maybe" if one of the remainders of the run is that
 * of the key.
 *
 *     symbols   ··▪▪··▪·●●●○··▪·       three elements, after six ends
 *
 * A filter with several stages has a run in each.
 */
#include "explain.h"

#include "json.h"
#include "print.h"
#include "text.h"

#include <inttypes.h>

static uint32_t run_shown(const petal_run *run)
{
    return run->len < PETAL_RUN_MAX ? run->len : PETAL_RUN_MAX;
}

/* How many remainders of the run are that of the key. */
static uint32_t run_equal(const petal_run *run)
{
    uint32_t equal = 0;
    for (uint32_t i = 0; i < run_shown(run); i++)
        equal += run->remainders[i] == run->remainder;
    return equal;
}

/* How many elements of the run are in this block. */
static uint32_t run_here(const petal_run *run)
{
    uint32_t here = 0;
    while (here < run->len && run->first + here < run->symbols_len &&
           run->symbols[run->first + here])
        here++;
    return here;
}

/* Is this a symbol of the run: an element, or its end? */
static bool run_has_symbol(const petal_run *run, uint32_t at)
{
    const uint32_t here = run_here(run);
    return at >= run->first && at < run->first + here + (here == run->len);
}

static void run_draw(const petal_run *run)
{
    static const char *const signs[2][2] = { { "·", "▪" }, { "○", "●" } };
    out("\n  symbols of the block (the run: ● element, ○ end; other quotients: ▪ element, "
        "· end)\n");
    for (uint32_t at = 0; at < run->symbols_len; at++) {
        if (at % LOOK_STRIP == 0)
            out("    %12s  ", text_count(at));
        out("%s", signs[run_has_symbol(run, at)][run->symbols[at]]);
        if ((at + 1) % LOOK_STRIP == 0 || at + 1 == run->symbols_len)
            out("\n");
    }
}

/* A remainder, with as many digits as its bits need. */
static const char *run_text(const petal_run *run, uint64_t remainder)
{
    return text_format("0x%0*" PRIx64, (int)(run->remainder_bits + 3) / 4, remainder);
}

static void run_list(const petal_run *run)
{
    if (run->len == 0)
        out("none");
    for (uint32_t i = 0; i < run_shown(run); i++)
        out(run->remainders[i] == run->remainder ? "%s[%s]" : "%s%s", i ? " " : "",
            run_text(run, run->remainders[i]));
    if (run->len > run_shown(run))
        out(" and %s more", text_count(run->len - run_shown(run)));
}

static void run_print(const petal_run *run)
{
    const uint32_t ends = run->behind + run->quotient, here = run_here(run);
    out("  block    %s\n", text_count(run->block));
    out("  quotient %u of the block; remainder %s, of %u bits\n", run->quotient,
        run_text(run, run->remainder), run->remainder_bits);
    run_draw(run);
    out("\n  run      %s",
        ends ? text_format("after %s", text_many(ends, "end")) : "at the start");
    if (run->behind)
        out("; the first %s quotients of earlier blocks",
            run->behind == 1 ? "is of" : text_format("%u are of", run->behind));
    if (run->first == run->symbols_len)
        out("; it is in a later block");
    else if (here < run->len)
        out("; %s in the next block", text_many(run->len - here, "element"));
    out("\n  elements ");
    run_list(run);
    out("\n");
}

uint32_t explain_runs(const struct look *look, const petal_filter *filter)
{
    uint32_t found = 0;
    for (uint32_t stage = 0; stage < look->stages; stage++) {
        petal_run run;
        if (!petal_run_of(filter, look->hash, stage, &run))
            break;
        if (look->stages > 1)
            out("\n  %s %u\n", look->words->stage, stage + 1);
        run_print(&run);
        if (!found && run_equal(&run))
            found = stage + 1;
    }
    return found;
}

/* ---- As data ---- */

static void run_json(const petal_run *run, uint32_t stage)
{
    char symbols[sizeof run->symbols + 1] = "";
    for (uint32_t i = 0; i < run->symbols_len; i++)
        symbols[i] = run->symbols[i] ? '1' : '0';
    json_open(NULL, '{');
    json_count("stage", stage + 1);
    json_count("block", run->block);
    json_count("quotient", run->quotient);
    json_count("behind", run->behind);
    json_count("remainder", run->remainder);
    json_count("remainder_bits", run->remainder_bits);
    json_text("symbols", symbols);
    json_count("first", run->first);
    json_count("len", run->len);
    json_open("remainders", '[');
    for (uint32_t i = 0; i < run_shown(run); i++)
        json_count(NULL, run->remainders[i]);
    json_close();
    json_count("equal", run_equal(run));
    json_close();
}

void explain_json_runs(const struct look *look, const petal_filter *filter)
{
    json_open("runs", '[');
    for (uint32_t stage = 0; stage < look->stages; stage++) {
        petal_run run;
        if (petal_run_of(filter, look->hash, stage, &run))
            run_json(&run, stage);
    }
    json_close();
}
