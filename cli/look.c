/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * look.c: the cells that decide about a key, and pictures of them.
 *
 * The library lists the cells, the group of each, and the rule by which groups decide.
 * Where the kind is made of blocks, all probes of a group lie in one block, which is drawn
 * whole: eight rows, as many as a block has lanes.  Otherwise a strip of 64 cells around
 * each probe is drawn.
 */
#include "look.h"

#include "print.h"
#include "text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_ROWS 8

/* ---- What is looked at ---- */

/* No cell crosses a byte unless it is made of whole ones. */
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

static void look_probe(struct look *look, const petal_filter *filter)
{
    look->n = petal_probes(filter, look->hash, look->probes, look->groups, LOOK_PROBES_MAX);
    assert(look->n <= LOOK_PROBES_MAX);
    look->parts_n = 0;
    for (size_t from = 0; from < look->n; from = look_part_end(look, from))
        look->parts_n++;
}

/* If a match finds a parent of the key, there is more to see of that than of the key. */
static void look_match(struct look *look, const petal_filter *filter, const char *key)
{
    char matched[LOOK_TEXT_MAX];
    if (!look->shape->match_lookups || look->refused)
        return;
    look->lookups = petal_match_hashes(filter, key, strlen(key), NULL, 0);
    if (petal_contains_hash(filter, look->hash) ||
        !petal_match(filter, key, strlen(key), matched, sizeof matched))
        return;
    strcpy(look->class_id, matched);
    look->hash = petal_hash(filter, matched, strlen(matched));
    look_probe(look, filter);
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
    look->hash = petal_hash(filter, key, strlen(key));
    look_probe(look, filter);
    if (look->n == 0 && petal_abilities(look->shape->kind) & PETAL_IS_EXACT)
        look->refused = PETAL_E_RANGE; /* an integer, but too large */
    look_match(look, filter, key);
}

bool look_has_form(const struct look *look)
{
    return !look->refused && look->shape->form != PETAL_FORM_RAW;
}

/* An exact kind has none: the integer is its cell. */
bool look_has_hash(const struct look *look)
{
    return !look->refused && !(petal_abilities(look->shape->kind) & PETAL_IS_EXACT);
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

static size_t look_first_in_strip(const struct look *look, size_t probe)
{
    size_t i = 0;
    while (look->probes[i] / LOOK_STRIP != look->probes[probe] / LOOK_STRIP)
        i++;
    return i;
}

void look_draw_around(const struct look *look, size_t from, size_t end)
{
    out(look->shape->counter_bits > 1
            ? "\n  around them (probed: *n)\n"
            : "\n  around them (probed: ● 1, ○ 0; others: ▪ 1, · 0)\n");
    if (look->block_cells) {
        look_draw_block(look, look->probes[from] / look->block_cells * look->block_cells);
        return;
    }
    for (size_t i = from; i < end; i++)
        if (look_first_in_strip(look, i) == i) /* once is enough */
            look_draw_row(look, look->probes[i] / LOOK_STRIP * LOOK_STRIP, LOOK_STRIP, 0);
}

/* Where the cells continue after the first strip: at the next probe.  Without one, blocks
 * are taken to have one strip for each part. */
static uint64_t look_next_strip(const struct look *look, size_t from, size_t end)
{
    const uint64_t first = look->probes[from] / LOOK_STRIP;
    for (size_t i = from; i < end; i++)
        if (look->probes[i] / LOOK_STRIP != first)
            return look->probes[i] / LOOK_STRIP;
    return first + look->parts_n;
}

/* The cell at this place of the picture, which goes on in the next strip. */
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
