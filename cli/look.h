/* SPDX-License-Identifier: BSD-2-Clause */
/* look.h: the cells that decide about a key, and pictures of them. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include <petal_explain.h>

#define LOOK_PROBES_MAX (32 * 64)   /* more than any kind lists for one key */
#define LOOK_TEXT_MAX   8193
#define LOOK_STRIP      64          /* cells in one row of a picture */

struct look {
    const petal_shape      *shape;
    const petal_kind_words *words;
    const unsigned char    *cells;
    uint64_t                cells_n;
    uint32_t                block_cells;    /* 0: not in blocks */
    char                    normalized[LOOK_TEXT_MAX];   /* the key as the filter takes it,
                                               cut off if it is long */
    int                     refused;        /* why it is no key; then there are no probes */
    uint64_t                hash;
    uint64_t                probes[LOOK_PROBES_MAX];
    uint32_t                groups[LOOK_PROBES_MAX];
    size_t                  n;
    size_t                  parts_n;        /* see look_part_end() */
    uint32_t                stages;
    size_t                  lookups;           /* url, ip: of a match */
    char                    class_id[LOOK_TEXT_MAX];   /* the parent that was found in place of
                                               the key, and is shown; or "" */
};

/* Looks up the key, and where a match finds a parent of it instead, that parent. */
void     look_at(struct look *look, const petal_filter *filter, const char *key);

bool     look_has_form(const struct look *look);
bool     look_has_hash(const struct look *look);

/* The value of a cell: a bit, or a counter. */
uint64_t look_cell(const struct look *look, uint64_t cell);

/* A part is the cells that decide together: all of them, or where the kind's rule says so,
 * those of one group.  Where does the part end that begins at this probe? */
size_t   look_part_end(const struct look *look, size_t from);

/* The first probe from here on whose cell is 0, or `end`. */
size_t   look_first_no(const struct look *look, size_t from, size_t end);

/* The sum of the cells, modulo 2. */
unsigned look_parity(const struct look *look, size_t from, size_t end);

/* The cells around these probes, with a heading: their block, or a strip around each. */
void     look_draw_around(const struct look *look, size_t from, size_t end);

/* One strip that begins at the first of these probes. */
void     look_draw_strip(const struct look *look, size_t from, size_t end);

/* Does that picture show all of its probes? */
bool     look_fits_strip(const struct look *look, size_t from, size_t end);

#endif
