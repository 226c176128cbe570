/* SPDX-License-Identifier: BSD-2-Clause */
/* look.h: the cells that decide about a key, and pictures of them. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include <petal_explain.h>
#include <petal_host.h>

#define LOOK_PROBES_MAX (32 * 64)   /* enough, except for keys chosen to have very long runs */
#define LOOK_TEXT_MAX   8193
#define LOOK_STRIP      64          /* cells in one row of a picture */

struct look {
    const petal_shape      *shape;
    const petal_kind_words *words;
    const unsigned char    *cells;
    uint64_t                cells_n;
    uint32_t                block_cells;    /* 0: not in blocks */
    char                    normalized[LOOK_TEXT_MAX];      /* cut off if it is long */
    int                     refused;        /* an error if it is not a key; then no probes */
    uint64_t                hash;
    bool                    maybe;          /* the filter reports it */
    uint64_t                probes[LOOK_PROBES_MAX];
    uint32_t                groups[LOOK_PROBES_MAX];
    size_t                  n;
    size_t                  parts_n;        /* see look_part_end() */
    uint32_t                stages;
    size_t                  lookups;        /* url, ip: of a match */
    char                    class_id[LOOK_TEXT_MAX];    /* the parent that a match found, which
                                               is shown in place of the key; or "" */
};

/* Finds the probes of a key, or of its parent if a match finds the parent instead. */
void     look_at(struct look *look, const petal_filter *filter, const char *key);

bool     look_has_form(const struct look *look);
bool     look_has_hash(const struct look *look);

/* The value of a cell: a bit, or a counter. */
uint64_t look_cell(const struct look *look, uint64_t cell);

/* A part is the cells that decide together: all of them or, if the kind's rule says so, those
 * of one group.  Returns the end of the part that begins at this probe. */
size_t   look_part_end(const struct look *look, size_t from);

/* The first of these probes whose cell is 0, or `end`. */
size_t   look_first_no(const struct look *look, size_t from, size_t end);

/* The sum of the cells, modulo 2. */
unsigned look_parity(const struct look *look, size_t from, size_t end);

/* The cells around these probes, with a heading: their block, their rows, or strips. */
void     look_draw_around(const struct look *look, size_t from, size_t end);

/* One strip that begins at the first of these probes. */
void     look_draw_strip(const struct look *look, size_t from, size_t end);

/* Does that picture show all of these probes? */
bool     look_fits_strip(const struct look *look, size_t from, size_t end);

#endif
