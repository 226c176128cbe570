/*
 * explain.c: petal explain: what a filter looks at when it is asked about a key.
 *
 * The key becomes 64 bits, these choose cells (bits, or the counters of a counting
 * filter), and one cell that is 0 says no.  All of it is drawn: each probe with the place
 * of its cell, and the cells around it.  In kinds made of blocks, the probes of a key
 * share one, drawn whole: eight rows, as many as a block has lanes.  A scalable filter
 * asks stage after stage, and one in which no probe says no makes the key a maybe.
 *
 * A ribbon is another thing: no single cell decides, but the parity of some 33 in each of
 * its columns, taken from 64 entries that lie in two neighbouring blocks.  Together the
 * parities are a number, which for a key of the set is its fingerprint.  The library tells
 * which cells are added up, column by column, and whether the sum is right; which layer
 * they are of, and what the fingerprint is, it does not.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define PROBES_MAX (32 * 64) /* columns times entries of a ribbon; 40 stages have fewer */
#define BLOCK_ROWS 8
#define FORM_MAX   8193
#define STRIP      64
#define ENTRIES    64 /* of a ribbon, in a block; and those that a key chooses from */

static const struct arg explain_args[] = { ARGS_JSON, ARGS_END };

struct look {
    const petal_shape *shape;
    const unsigned char *cells;
    uint64_t cells_n;
    uint32_t block_cells;     /* 0: not in blocks */
    char canonical[FORM_MAX]; /* the key as the filter takes it, cut off if it is long */
    int refused;              /* why it is no key; then there are no probes */
    uint64_t hash;
    uint64_t probes[PROBES_MAX];
    size_t n;
    size_t column_n;      /* ribbon: so many probes are of the same column; otherwise 0 */
    uint32_t layers;      /* ribbon */
    size_t asks;          /* url, ip: of a match */
    char cover[FORM_MAX]; /* what was found in place of the key, and is shown; or "" */
};

/* A bit, or a counter; none of these crosses a byte unless it is made of whole ones. */
static uint64_t look_cell(const struct look *look, uint64_t cell)
{
    const uint32_t w = look->shape->counter_bits;
    const unsigned char *at = look->cells + cell * w / 8;
    if (w < 8)
        return *at >> cell * w % 8 & ((1u << w) - 1);
    uint64_t value = 0;
    for (uint32_t i = w / 8; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

/* Columns are words of 64 bits, one after the other, and the first probe of each is the
 * same bit of its word. */
static size_t look_column_n(const struct look *look)
{
    size_t i = 1;
    while (i < look->n && look->probes[i] != look->probes[0] + ENTRIES)
        i++;
    return i;
}

static void look_probe(struct look *look, const petal_filter *filter)
{
    look->n = petal_probes(filter, look->hash, look->probes, NULL, PROBES_MAX);
    assert(look->n <= PROBES_MAX);
    if (look->shape->kind == PETAL_RIBBON)
        look->column_n = look_column_n(look);
}

static void look_at(struct look *look, const petal_filter *filter, const char *key)
{
    size_t len;
    look->shape = petal_shape_of(filter);
    look->cells = petal_cells(filter, &len);
    look->cells_n = look->shape->bits / look->shape->counter_bits;
    look->block_cells = look->shape->block_bits / look->shape->counter_bits;
    look->n = look->column_n = 0;
    const int64_t rc =
        petal_canonical(filter, key, strlen(key), look->canonical, sizeof look->canonical);
    look->refused = rc < 0 ? (int)rc : PETAL_OK;
    if (look->refused)
        return;
    look->hash = petal_hash(filter, key, strlen(key));
    look_probe(look, filter);
    if (look->n == 0 && look->shape->kind == PETAL_BITMAP)
        look->refused = PETAL_E_RANGE; /* an integer, but too large for the bitmap */
}

static bool look_has_form(const struct look *look)
{
    return !look->refused && look->shape->form != PETAL_FORM_RAW;
}

/* A bitmap has none: the integer is its bit. */
static bool look_has_hash(const struct look *look)
{
    return !look->refused && look->shape->kind != PETAL_BITMAP;
}

/* Where the stage ends that begins at this probe: each keeps to a block of its own; or the
 * column. */
static size_t look_stage_end(const struct look *look, size_t from)
{
    if (look->column_n)
        return from + look->column_n;
    if (look->shape->kind != PETAL_SCALABLE)
        return look->n;
    size_t i = from + 1;
    while (i < look->n &&
           look->probes[i] / look->block_cells == look->probes[from] / look->block_cells)
        i++;
    return i;
}

/* The first probe that says no, or `end`. */
static size_t look_first_no(const struct look *look, size_t from, size_t end)
{
    while (from < end && look_cell(look, look->probes[from]) > 0)
        from++;
    return from;
}

static bool look_probed(const struct look *look, uint64_t cell)
{
    for (size_t i = 0; i < look->n; i++)
        if (look->probes[i] == cell)
            return true;
    return false;
}

static size_t look_first_in_strip(const struct look *look, size_t probe)
{
    size_t i = 0;
    while (look->probes[i] / STRIP != look->probes[probe] / STRIP)
        i++;
    return i;
}

/* ---- Pictures ---- */

static const char *const signs[2][2] = { { "·", "▪" }, { "○", "●" } };

/* Cells in a row: signs for bits, numbers for counters. */
static void look_draw_row(const struct look *look, uint64_t from, uint64_t n, int width)
{
    out("    %12s  ", text_count(from));
    for (uint64_t cell = from; cell < from + n && cell < look->cells_n; cell++) {
        const uint64_t value = look_cell(look, cell);
        const bool probed = look_probed(look, cell);
        if (look->shape->counter_bits == 1)
            out("%s", signs[probed][value]);
        else
            out_column(width, text_format(probed ? "*%" PRIu64 : "%" PRIu64, value));
    }
    out("\n");
}

static void look_draw_block(const struct look *look, uint64_t from)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < look->block_cells; i++)
        if (look_cell(look, from + i) > most)
            most = look_cell(look, from + i);
    const int width = (int)strlen(text_format("%" PRIu64, most)) + 2;
    const uint64_t row = look->block_cells / BLOCK_ROWS;
    for (uint64_t i = 0; i < BLOCK_ROWS; i++)
        look_draw_row(look, from + i * row, row, width);
}

static void look_draw_cells(const struct look *look, size_t from, size_t end)
{
    out(look->shape->counter_bits > 1
            ? "\n  around them (probed: *n)\n"
            : "\n  around them (probed: ● 1, ○ 0; others: ▪ 1, · 0)\n");
    if (look->block_cells)
        look_draw_block(look, look->probes[from] / look->block_cells * look->block_cells);
    else
        for (size_t i = from; i < end; i++)
            if (look_first_in_strip(look, i) == i) /* once is enough */
                look_draw_row(look, look->probes[i] / STRIP * STRIP, STRIP, 0);
}

/* ---- A ribbon ---- */

static unsigned look_parity(const struct look *look, size_t column)
{
    uint64_t sum = 0;
    for (size_t i = column * look->column_n; i < (column + 1) * look->column_n; i++)
        sum += look_cell(look, look->probes[i]);
    return sum % 2;
}

/* One column of the entries from the start of the key on, into the next block. */
static void look_draw_column(const struct look *look, size_t column)
{
    const size_t columns = look->n / look->column_n;
    const uint64_t *next = look->probes + column * look->column_n,
                   *end = next + look->column_n;
    const uint64_t start = *next;
    out("    %2zu  ", column + 1);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        uint64_t cell = start + i;
        if (start % ENTRIES + i >= ENTRIES) /* its word is after all those of this block */
            cell += ENTRIES * (columns - 1);
        if (i > 0 && cell % ENTRIES == 0)
            out("│");
        const bool probed = next < end && *next == cell;
        next += probed;
        out("%s", signs[probed][look_cell(look, cell)]);
    }
    out("  %u\n", look_parity(look, column));
}

static void explain_ribbon(const struct look *look)
{
    const size_t columns = look->n / look->column_n;
    if (look->layers > 1)
        out("  layers   %u; its hash leads to one of them\n", look->layers);
    out("  entries  %zu of %d, from cell %s on, in each of %s: %zu bits\n", look->column_n,
        ENTRIES, text_count(look->probes[0]), text_many(columns, "column"), look->n);
    out("\n  columns (added: ● 1, ○ 0; others: ▪ 1, · 0; │ next block) and their "
        "parities\n");
    for (size_t i = 0; i < columns; i++)
        look_draw_column(look, i);
}

/* ---- In words ---- */

static void explain_probe(const struct look *look, size_t i, size_t number, bool says_no)
{
    const uint64_t cell = look->probes[i], bit = cell * look->shape->counter_bits;
    out("    %5zu  %16s  %14s  %3u  %5" PRIu64 "%s\n", number, text_count(cell),
        text_count(bit / 8), (unsigned)(bit % 8), look_cell(look, cell),
        says_no ? "  says no" : "");
}

static void explain_stage(const struct look *look, size_t from, size_t end)
{
    const size_t no = look_first_no(look, from, end);
    out("    probe              cell         in byte  bit  value\n");
    for (size_t i = from; i < end; i++)
        explain_probe(look, i, i - from + 1, i == no);
    look_draw_cells(look, from, end);
}

/* Draws all stages; answers with the first in which no probe says no, or 0. */
static size_t explain_stages(const struct look *look)
{
    size_t found = 0;
    for (size_t from = 0, end, stage = 1; from < look->n; from = end, stage++) {
        end = look_stage_end(look, from);
        if (look->shape->kind == PETAL_SCALABLE)
            out("\n  stage %zu\n", stage);
        explain_stage(look, from, end);
        if (!found && look_first_no(look, from, end) == end)
            found = stage;
    }
    return found;
}

static void explain_verdict(const struct look *look, bool maybe, size_t stage)
{
    const bool stages = look->shape->kind == PETAL_SCALABLE;
    out("  verdict  %s: ", maybe ? "maybe" : "no");
    if (look->refused)
        out("%s\n", petal_strerror(look->refused));
    else if (look->n == 0) /* a ribbon: see docs/FORMAT.md */
        out(maybe ? "no bit is read: at so high a rate some keys need none\n"
                  : "it was built from no keys\n");
    else if (look->column_n)
        out("the %s %sits fingerprint\n",
            look->n > look->column_n
                ? text_format("%zu parities are", look->n / look->column_n)
                : "parity is",
            maybe ? "" : "not ");
    else if (maybe && stages)
        out("in stage %zu no probe says no\n", stage);
    else if (maybe)
        out("no probe says no\n");
    else if (stages)
        out("in every stage a probe says so\n");
    else
        out("probe %zu says so\n", look_first_no(look, 0, look->n) + 1);
}

static void explain_text(const struct look *look, const char *key, bool maybe)
{
    out("%s\n", key);
    if (look_has_form(look))
        out("  form     %s\n", look->canonical);
    if (look->asks)
        out("  match    asks for %zu key%s%s%s\n", look->asks, look->asks == 1 ? "" : "s",
            look->cover[0] ? "; this is shown: " : "", look->cover);
    if (look_has_hash(look))
        out("  hash     0x%016" PRIx64 "\n", look->hash);
    size_t stage = 0;
    if (look->column_n && look->n)
        explain_ribbon(look);
    else
        stage = explain_stages(look);
    if (look->n)
        out("\n");
    explain_verdict(look, maybe, stage);
}

/* ---- As data ---- */

static void explain_json(const struct look *look, const char *key, bool maybe)
{
    json_open(NULL, '{');
    json_text("key", key);
    if (look_has_form(look))
        json_text("form", look->canonical);
    if (look_has_hash(look))
        json_text("hash", text_format("0x%016" PRIx64, look->hash));
    if (look->asks)
        json_count("asks", look->asks);
    if (look->cover[0])
        json_text("matched", look->cover);
    if (look->column_n)
        json_count("layers", look->layers);
    json_open("probes", '[');
    for (size_t from = 0, end, stage = 1; from < look->n; from = end, stage++) {
        end = look_stage_end(look, from);
        for (size_t i = from; i < end; i++) {
            const uint64_t bit = look->probes[i] * look->shape->counter_bits;
            json_open(NULL, '{');
            json_count(look->column_n ? "column" : "stage", stage);
            json_count("cell", look->probes[i]);
            json_count("byte", bit / 8);
            json_count("bit", bit % 8);
            json_count("value", look_cell(look, look->probes[i]));
            json_close();
        }
    }
    json_close();
    if (look->column_n) {
        json_open("parities", '[');
        for (size_t i = 0; i < look->n / look->column_n; i++)
            json_count(NULL, look_parity(look, i));
        json_close();
    }
    json_text("verdict", maybe ? "maybe" : "no");
    json_close();
}

/* Where a match finds not the key but what covers it, that is what there is to see. */
static void explain_match(struct look *look, const petal_filter *filter, const char *key)
{
    char matched[FORM_MAX];
    look->cover[0] = 0;
    look->asks = 0;
    if (!look->shape->covers || look->refused)
        return;
    look->asks = petal_asks(filter, key, strlen(key), NULL, 0);
    if (petal_contains_hash(filter, look->hash) ||
        !petal_match(filter, key, strlen(key), matched, sizeof matched))
        return;
    strcpy(look->cover, matched);
    look->hash = petal_hash(filter, matched, strlen(matched));
    look_probe(look, filter);
}

/* Reads the whole filter: once, and only where it is needed. */
static uint32_t explain_layers(const petal_filter *filter)
{
    petal_stats stats = { 0 };
    if (petal_shape_of(filter)->kind == PETAL_RIBBON)
        petal_stats_of(filter, &stats);
    return stats.stages;
}

static int explain_run(char **words, size_t n)
{
    args_expect(n, 2, SIZE_MAX);
    petal_filter *filter = filter_open(words[0], 0);
    const uint32_t layers = explain_layers(filter);
    bool any = false;
    for (size_t i = 1; i < n; i++) {
        struct look look = { .layers = layers };
        look_at(&look, filter, words[i]);
        explain_match(&look, filter, words[i]);
        const bool maybe = !look.refused && petal_contains_hash(filter, look.hash);
        any = any || maybe;
        if (json)
            explain_json(&look, words[i], maybe);
        else
            explain_text(&look, words[i], maybe);
        if (!json && i + 1 < n)
            out("\n");
    }
    petal_free(filter);
    return any ? STATUS_SOME : STATUS_NONE;
}

const struct command command_explain = {
    .name = "explain",
    .synopsis = "FILTER KEY...",
    .summary = "what a filter looks at when it is asked about a key",
    .text =
        "Shows the hash of each key, every cell that it leads to, where that lies and "
        "what is\n"
        "in it, the cells around it, and the verdict: \"no\" if a cell is 0, \"maybe\" "
        "if none\n"
        "is.  Of URLs and addresses, what covers the key is shown where that is what a\n"
        "match finds.  A ribbon adds up cells instead, column by column: the key is a\n"
        "\"maybe\" if the parities are its fingerprint, which comes from its hash too.\n"
        "Exit status 1 if every key is a no.\n\n"
        "  petal explain bad.petal thisisavirus.com\n"
        "  petal explain --json bad.petal thisisavirus.com | jq .probes\n",
    .args = explain_args,
    .run = explain_run,
};
