/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scalable.c: a filter that grows, for when the number of keys is not known in advance.
 *
 * It is a chain of stages.  Each stage is a filter of 512-bit blocks and is `growth` times
 * as large as the one before.  Keys go into the newest stage.  When that holds as many keys
 * as it was made for, a larger stage is added, without touching the others (stages.c).  A
 * key is reported if any stage reports it, so the rates of the stages add up.  Each gets a
 * share of the requested rate (plan.c).
 *
 * Stages are searched from the newest, which has the most keys, to the oldest.
 *
 *   Almeida, Baquero, Preguica, Hutchison: "Scalable Bloom Filters", 2007.
 */
#include "kinds/scalable/scalable.h"

#include "kinds/unseen.h"

/* ---- One key ---- */

static inline const struct blocks_kernels *scalable_kernels(const petal_filter *f)
{
    return f->kernels;
}

/* Prefetches the blocks of all stages. */
static inline void scalable_fetch(const petal_filter *f, uint64_t hash)
{
    const struct scalable *s = scalable_of(f);
    for (const struct stage_piece *piece = s->newest; piece; piece = piece->before)
        petal__blocks_fetch(piece_cells(piece), stage_blocks(&piece->stage), hash);
    const uint8_t *cells = f->cells + s->image_len, *table = stage_table(f);
    for (uint32_t i = s->image_stages; i-- > 0;) {
        const struct stage stage = stage_read(table, i);
        cells -= stage_len(&stage);
        petal__blocks_fetch(cells, stage_blocks(&stage), hash);
    }
}

static bool scalable_contains(const petal_filter *f, uint64_t hash)
{
    const struct scalable *s = scalable_of(f);
    if (petal__cells_len(&f->shape) > PETAL__NEAR_LEN)
        scalable_fetch(f, hash);
    for (const struct stage_piece *piece = s->newest; piece; piece = piece->before)
        if (scalable_kernels(f)->contains(piece_cells(piece), stage_blocks(&piece->stage),
                                          hash))
            return true;
    const uint8_t *cells = f->cells + s->image_len, *table = stage_table(f);
    for (uint32_t i = s->image_stages; i-- > 0;) {
        const struct stage stage = stage_read(table, i);
        cells -= stage_len(&stage);
        if (scalable_kernels(f)->contains(cells, stage_blocks(&stage), hash))
            return true;
    }
    return false;
}

static int scalable_add(petal_filter *f, uint64_t hash)
{
    if (scalable_contains(f, hash))
        return 0;
    struct stage_cells newest = stage_newest(f);
    if (newest.stage.keys >= newest.stage.capacity) {
        const int rc = petal__stages_grow(f);
        if (rc < 0)
            return rc;
        newest = stage_newest(f);
    }
    stage_newest_keys(f, newest.stage.keys + 1);
    return scalable_kernels(f)->add(newest.cells, stage_blocks(&newest.stage), hash);
}

/* ---- Many keys: the stages answer for a whole group, one after the other ---- */

/* Looks up the keys in this piece and those before it, and in the first stages of the
 * image, whose cells end here. */
static void unseen_search_from(struct unseen *u, const petal_filter *f,
                               const struct stage_piece *piece, uint32_t stages,
                               const uint8_t *cells)
{
    for (; piece && u->n > 0; piece = piece->before)
        unseen_search(u, piece_cells(piece), stage_blocks(&piece->stage));
    while (stages-- > 0 && u->n > 0) {
        const struct stage stage = stage_read(stage_table(f), stages);
        cells -= stage_len(&stage);
        unseen_search(u, cells, stage_blocks(&stage));
    }
}

static size_t scalable_contains_many(const petal_filter *f, const uint64_t *hashes,
                                     size_t n, bool *found, const uint64_t *later)
{
    const struct scalable *s = scalable_of(f);
    struct unseen u;
    (void)later; /* NULL, as there is no fetch_many() */
    size_t total = 0;
    for (size_t at = 0; at < n; at += u.taken) {
        unseen_start(&u, f->kernels, hashes + at, n - at);
        unseen_search_from(&u, f, s->newest, s->image_stages, f->cells + s->image_len);
        total += unseen_report(&u, found + at);
    }
    return total;
}

/* Looks up the keys in all stages before the newest. */
static void unseen_search_older(struct unseen *u, const petal_filter *f,
                                const struct stage_cells *newest)
{
    const struct scalable *s = scalable_of(f);
    if (s->newest)
        unseen_search_from(u, f, s->newest->before, s->image_stages,
                           f->cells + s->image_len);
    else
        unseen_search_from(u, f, NULL, s->image_stages - 1, newest->cells);
}

/* Keys that an older stage reports are not new.  Of the others, the newest stage takes as
 * many as it has room for.  If it has none, only keys that it reports are taken. */
static size_t scalable_add_some(petal_filter *f, const uint64_t *hashes, size_t n,
                                signed char *result, int64_t *added)
{
    const struct stage_cells newest = stage_newest(f);
    const struct stage *stage = &newest.stage;
    const uint64_t room = stage->keys < stage->capacity ? stage->capacity - stage->keys : 0;
    struct unseen u;
    unseen_start(&u, f->kernels, hashes, room > 0 || n < UNSEEN_FEW ? n : UNSEEN_FEW);
    unseen_search_older(&u, f, &newest);
    if (room == 0)
        unseen_search(&u, newest.cells, stage_blocks(stage));
    unseen_limit(&u, room);
    const int64_t fresh = unseen_add(&u, newest.cells, stage_blocks(stage), result);
    stage_newest_keys(f, stage->keys + (uint64_t)fresh);
    *added += fresh;
    return u.taken;
}

/* ---- Looking inside ---- */

static size_t scalable_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max)
{
    struct stage_cells list[SCALABLE_STAGES];
    size_t n = 0;
    uint64_t first = 0;
    petal__stages_list(f, list);
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct stage *stage = &list[i].stage;
        const size_t from = n;
        n += petal__blocks_probes(stage_blocks(stage), hash, n < max ? cells + n : NULL,
                                  n < max ? max - n : 0);
        for (size_t j = from; j < n && j < max; j++) {
            cells[j] += first;
            if (groups)
                groups[j] = i;
        }
        first += stage->blocks * BLOCK_BITS;
    }
    return n;
}

static void scalable_measure(const petal_filter *f, petal_stats *stats)
{
    struct stage_cells list[SCALABLE_STAGES];
    double pass = 1, keys = 0;
    petal__stages_list(f, list);
    for (uint32_t i = 0; i < f->stages; i++) {
        petal__blocks_measure(list[i].cells, stage_blocks(&list[i].stage), stats);
        pass *= 1 - stats->fpr_estimate;
        keys += stats->keys_estimate;
    }
    stats->fpr_estimate = 1 - pass;
    stats->keys_estimate = keys;
}

const struct petal_ops petal__scalable = {
    .kind = PETAL_SCALABLE,
    .name = "scalable",
    .abilities = PETAL_CAN_GROW | PETAL_IS_STAGED | PETAL_IS_ORDERED,
    .words = { .summary = "grows as keys are added; no need to know how many",
               .hashes = "probe",
               .stage = "stage",
               .group = "stage",
               .rule = PETAL_RULE_ANY },
    .takes = PETAL__TAKES_GROWTH,
    .block_cells = BLOCK_BITS,
    .plan = FULL(petal__scalable_plan),
    .fits = petal__scalable_fits,
    .fpr = FULL(petal__scalable_fpr),
    .grow = FULL(petal__scalable_grow_to),
    .add = FULL(scalable_add),
    .contains = scalable_contains,
    .probes = FULL(scalable_probes),
    .measure = FULL(scalable_measure),
    .add_some = FULL(scalable_add_some),
    .contains_many = FULL(scalable_contains_many),
    .tail_len = petal__stages_tail_len,
    .state_len = sizeof(struct scalable),
    .attach = petal__stages_attach,
    .stages_max = SCALABLE_STAGES,
    .start = FULL(petal__stages_start),
    .clear = FULL(petal__stages_clear),
    .free = petal__stages_free,
    .gather = FULL(petal__stages_gather),
    .move = FULL(petal__stages_move),
    .sound = petal__stages_sound,
};
