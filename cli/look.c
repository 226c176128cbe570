/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * look.c: the cells that decide about a key, and pictures of them.
 *
 * The library lists the cells, the group of each, and the rule by which groups decide.
 * Three pictures follow from that.  If the kind is made of blocks, all probes of a group
 * are in one block, which is drawn whole, in eight lines.  If every probe has a group of
 * its own and the groups divide the cells evenly, each group is drawn as one line: the rows
 * of a partitioned filter.  Otherwise a strip of 64 cells is drawn around each probe.
 */
#include "look.h"

#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK_ROWS 8
#define ROW_CELLS  56 /* what fits on a line beside the name of the row */

/* ---- What is looked at ---- */

/* A cell is a part of a byte, or whole bytes. */
uint64_t look_cell(const struct look *look, uint64_t cell)
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

size_t look_part_end(const struct look *look, size_t from)
{
    const bool together = look->words->rule == PETAL_RULE_ALL;
    size_t i = from;
    while (i < look->n && (together || look->groups[i] == look->groups[from]))
        i++;
    return i;
}

static bool look_needs_key(const struct look *look)
{
    return petal_abilities(look->shape->kind) & PETAL_NEEDS_KEYS;
}

/* Lists the cells of a key.  Those of a parent follow from its text too. */
static void look_probe(struct look *look, const petal_filter *filter, const char *key)
{
    const size_t n = petal_probes_of(filter, key, strlen(key), look->probes, look->groups,
                                     LOOK_PROBES_MAX);
    look->hash = petal_hash(filter, key, strlen(key));
    look->maybe = look_needs_key(look) ? petal_contains(filter, key, strlen(key))
                                       : petal_contains_hash(filter, look->hash);
    look->n = n < LOOK_PROBES_MAX ? n : LOOK_PROBES_MAX;
    look->parts_n = 0;
    for (size_t from = 0; from < look->n; from = look_part_end(look, from))
        look->parts_n++;
}

/* If a match finds a parent of the key instead, show the parent. */
static void look_match(struct look *look, const petal_filter *filter, const char *key)
{
    char matched[LOOK_TEXT_MAX];
    if (!look->shape->match_lookups || look->refused)
        return;
    look->lookups = petal_match_hashes(filter, key, strlen(key), NULL, 0);
    if (look->maybe || !petal_match(filter, key, strlen(key), matched, sizeof matched))
        return;
    strcpy(look->class_id, matched);
    look_probe(look, filter, matched);
}

void look_at(struct look *look, const petal_filter *filter, const char *key)
{
    size_t len;
    *look = (struct look){ .shape = petal_shape_of(filter),
                           .cells = petal_cells(filter, &len),
                           .stages = petal_stages(filter) };
    look->words = petal_kind_words_of(look->shape->kind);
    look->cells_n = look->shape->bits / look->shape->counter_bits;
    look->block_cells = look->shape->block_bits / look->shape->counter_bits;
    const int64_t rc = petal_normalize(filter, key, strlen(key), look->normalized,
                                       sizeof look->normalized);
    look->refused = rc < 0 ? (int)rc : PETAL_OK;
    if (look->refused)
        return;
    look_probe(look, filter, key);
    if (look->n == 0 && petal_abilities(look->shape->kind) & PETAL_IS_EXACT)
        look->refused = PETAL_E_RANGE; /* an integer, but too large */
    look_match(look, filter, key);
}

bool look_has_form(const struct look *look)
{
    return !look->refused && look->shape->form != PETAL_FORM_RAW;
}

/* In an exact kind the integer itself is the cell.  The kinds of other programs have hashes
 * of other lengths. */
bool look_has_hash(const struct look *look)
{
    return !look->refused && !look_needs_key(look) &&
           !(petal_abilities(look->shape->kind) & PETAL_IS_EXACT);
}

size_t look_first_no(const struct look *look, size_t from, size_t end)
{
    while (from < end && look_cell(look, look->probes[from]) > 0)
        from++;
    return from;
}

unsigned look_parity(const struct look *look, size_t from, size_t end)
{
    uint64_t sum = 0;
    for (size_t i = from; i < end; i++)
        sum += look_cell(look, look->probes[i]);
    return sum % 2;
}

/* ---- Pictures ---- */

static const char *const signs[2][2] = { { "·", "▪" }, { "○", "●" } };

static bool look_probed(const struct look *look, uint64_t cell)
{
    for (size_t i = 0; i < look->n; i++)
        if (look->probes[i] == cell)
            return true;
    return false;
}

/* Cells in a line: signs for bits, numbers for counters. */
static void look_draw_cells(const struct look *look, uint64_t from, uint64_t n, int width)
{
    for (uint64_t cell = from; cell < from + n && cell < look->cells_n; cell++) {
        const uint64_t value = look_cell(look, cell);
        const bool probed = look_probed(look, cell);
        if (look->shape->counter_bits == 1)
            out("%s", signs[probed][value]);
        else
            out_column(width, text_format(probed ? "*%" PRIu64 : "%" PRIu64, value));
    }
}

static void look_draw_row(const struct look *look, uint64_t from, uint64_t n, int width)
{
    out("    %12s  ", text_count(from));
    look_draw_cells(look, from, n, width);
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

static size_t look_first_in_strip(const struct look *look, size_t probe)
{
    size_t i = 0;
    while (look->probes[i] / LOOK_STRIP != look->probes[probe] / LOOK_STRIP)
        i++;
    return i;
}

/* The cells of each group, if the kind has a name for groups, each probe is in the next
 * group, and the groups divide the cells evenly; otherwise 0. */
static uint64_t look_row_cells(const struct look *look)
{
    const uint64_t row = look->n ? look->cells_n / look->n : 0;
    if (!look->words->group || row == 0 || row * look->n != look->cells_n)
        return 0;
    for (size_t i = 0; i < look->n; i++)
        if (look->groups[i] != i || look->probes[i] / row != i)
            return 0;
    return row;
}

/* One line for each group: all of its cells, or as many around the probe as fit. */
static void look_draw_groups(const struct look *look, uint64_t row)
{
    const uint64_t shown = row < ROW_CELLS ? row : ROW_CELLS;
    for (size_t i = 0; i < look->n; i++) {
        const uint64_t at = look->probes[i] % row,
                       left = at < shown / 2 ? 0 : at - shown / 2,
                       from = left + shown > row ? row - shown : left;
        out("    %s %-3zu %8s  %s", look->words->group, i + 1, text_count(i * row + from),
            row == shown ? ""
            : from > 0   ? "…"
                         : " ");
        look_draw_cells(look, i * row + from, shown, 3);
        out("%s\n", from + shown < row ? "…" : "");
    }
}

void look_draw_around(const struct look *look, size_t from, size_t end)
{
    const uint64_t row = look_row_cells(look);
    out("\n  %s\n", look->shape->counter_bits > 1
                        ? "cells around the probes (probed: *n)"
                        : "cells around the probes (probed: ● 1, ○ 0; others: ▪ 1, · 0)");
    if (look->block_cells) {
        look_draw_block(look, look->probes[from] / look->block_cells * look->block_cells);
        return;
    }
    if (row) {
        look_draw_groups(look, row);
        return;
    }
    for (size_t i = from; i < end; i++)
        if (look_first_in_strip(look, i) == i) /* draw each strip once */
            look_draw_row(look, look->probes[i] / LOOK_STRIP * LOOK_STRIP, LOOK_STRIP, 0);
}

/* The strip in which the cells continue: that of the next probe outside the first strip.
 * Without one, blocks are assumed to have one strip for each part. */
static uint64_t look_next_strip(const struct look *look, size_t from, size_t end)
{
    const uint64_t first = look->probes[from] / LOOK_STRIP;
    for (size_t i = from; i < end; i++)
        if (look->probes[i] / LOOK_STRIP != first)
            return look->probes[i] / LOOK_STRIP;
    return first + look->parts_n;
}

/* The cell at place i of the picture, which continues in the strip `next`. */
static uint64_t look_strip_cell(const struct look *look, size_t from, uint64_t next,
                                uint64_t i)
{
    const uint64_t at = look->probes[from] + i;
    const bool beyond = at / LOOK_STRIP > look->probes[from] / LOOK_STRIP;
    return beyond ? next * LOOK_STRIP + at % LOOK_STRIP : at;
}

bool look_fits_strip(const struct look *look, size_t from, size_t end)
{
    const uint64_t next = look_next_strip(look, from, end);
    size_t shown = from;
    for (uint64_t i = 0; i < LOOK_STRIP && shown < end; i++)
        shown += look->probes[shown] == look_strip_cell(look, from, next, i);
    return shown == end;
}

void look_draw_strip(const struct look *look, size_t from, size_t end)
{
    const uint64_t next = look_next_strip(look, from, end);
    size_t shown = from;
    for (uint64_t i = 0; i < LOOK_STRIP; i++) {
        const uint64_t cell = look_strip_cell(look, from, next, i);
        if (i > 0 && cell % LOOK_STRIP == 0)
            out("│");
        if (cell >= look->cells_n)
            break;
        const bool probed = shown < end && look->probes[shown] == cell;
        shown += probed;
        out("%s", signs[probed][look_cell(look, cell) & 1]);
    }
}
