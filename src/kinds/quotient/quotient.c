/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quotient.c: fingerprints in sorted order, so that keys can be removed and counted, and
 * the filter can grow, shrink and be merged.
 *
 * The fingerprint of a key is floor(h U / 2^64): the highest bits of its hash, so to speak,
 * for any range U.  The filter is the multiset of these, written down in one way only
 * (table.h).  A key is reported if its fingerprint is there, so the rate with n keys is
 * about n / U.  Most of a fingerprint is not stored: its place in the table tells it.  What
 * is stored takes 9.5 bits per key at 1%, fewer than the probes of a Bloom filter.
 *
 * Adding a key puts one more copy of its fingerprint into the table, and removing it takes
 * one out.  A fingerprint with 15 copies has lost count: it stays for good, and further
 * additions and removals do not change it.  With insert_only, a fingerprint has one copy,
 * and nothing can be removed.
 *
 *   Bender et al.: "Don't Thrash: How to Cache Your Hash on Flash", VLDB 2012.
 *   Celis, Larson, Munro: "Robin Hood Hashing", FOCS 1985.
 */
#include "kinds/quotient/quotient.h"

#include "core/image.h"
#include "core/memory.h"
#include "kinds/quotient/stream.h"

#include "petal_math.h"

#define LINES_PER_CHANGE 4  /* that are moved to a larger table */
#define FETCH_AHEAD      64 /* keys whose lines are prefetched, in steps of: */
#define FETCH_STEP       16

extern const struct table_kernels petal__quotient_plain;
#ifdef SIMD_X86
extern const struct table_kernels petal__quotient_avx2, petal__quotient_avx512;
#endif
#ifdef SIMD_ARM
extern const struct table_kernels petal__quotient_neon;
#endif

static const struct table_kernels *quotient_kernels_for(enum simd set)
{
    switch (set) {
#ifdef SIMD_X86
    case SIMD_AVX2: return &petal__quotient_avx2;
    case SIMD_AVX512:
    case SIMD_POPCOUNT: return &petal__quotient_avx512;
#endif
#ifdef SIMD_ARM
    case SIMD_NEON: return &petal__quotient_neon;
#endif
    default: return &petal__quotient_plain;
    }
}

/* ---- Tables of an image ---- */

/* The table of a stage, as its entry in the tail describes it.  Its cells are set by the
 * caller. */
static bool quotient_entry(const uint8_t *tail, uint32_t stage, struct table *t)
{
    const uint8_t *entry = tail + (size_t)stage * ENTRY_LEN;
    if (!petal__table_shape(t, load_le64(entry), load_le32(entry + 16),
                            load_le32(entry + 20)))
        return false;
    t->keys = load_le64(entry + 8);
    return true;
}

/* Describes the stages before the newest.  Returns where that begins. */
static uint8_t *quotient_older(const petal_filter *f, struct table *older)
{
    uint8_t *cells = f->cells;
    for (uint32_t i = 0; i + 1 < f->stages; i++) {
        quotient_entry(petal__tail(f), i, &older[i]);
        older[i].copies_max = quotient_copies_max(&f->shape);
        older[i].cells = cells;
        cells += table_len(&older[i]);
    }
    return cells;
}

static size_t quotient_tail_len(uint32_t stages)
{
    return stages > 1 ? (size_t)round_up((uint64_t)stages * ENTRY_LEN, 64) : 0;
}

/* The stages in the tail must be those of the shape. */
static bool quotient_sound_stages(const petal_filter *f)
{
    const uint8_t *tail = petal__tail(f);
    uint64_t bits = 0, keys = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        struct table t;
        if (!quotient_entry(tail, i, &t) ||
            table_range(&t) != f->shape.fingerprints << STAGE_BITS * i ||
            t.keys > table_lines(&t) * t.slots || table_len(&t) > PETAL__BITS_MAX / 8 ||
            load_le64(tail + (size_t)i * ENTRY_LEN + 24) != 0)
            return false;
        if (i + 1 == f->stages &&
            (t.r != f->shape.hashes || t.quotients != f->shape.quotients))
            return false;
        bits += table_len(&t) * 8;
        keys += t.keys;
    }
    for (size_t at = (size_t)f->stages * ENTRY_LEN; at < quotient_tail_len(f->stages); at++)
        if (tail[at] != 0)
            return false;
    return bits == f->shape.bits && keys == f->keys;
}

static bool quotient_sound(const petal_filter *f)
{
    struct table t;
    if (!f->counted || !petal__quotient_table(&f->shape, &t) ||
        petal__quotient_stages(&f->shape) != f->stages)
        return false;
    return f->stages == 1
               ? f->shape.bits / 8 == table_len(&t) && f->keys <= table_lines(&t) * t.slots
               : quotient_is_staged(&f->shape) && quotient_sound_stages(f);
}

static bool quotient_valid(const struct table *t)
{
    uint64_t keys;
    return petal__table_valid(t, &keys) && keys == t->keys;
}

/* Validates the tables.  The stages are not attached yet. */
static bool quotient_consistent(const petal_filter *f)
{
    struct table tables[STAGES_MAX], *newest = &tables[f->stages - 1];
    if (f->scattered)
        return true; /* we have made it */
    uint8_t *cells = quotient_older(f, tables);
    uint64_t keys = f->keys;
    for (uint32_t i = 0; i + 1 < f->stages; i++) {
        if (!quotient_valid(&tables[i]))
            return false;
        keys -= tables[i].keys;
    }
    if (!petal__quotient_table(&f->shape, newest))
        return false;
    newest->cells = cells;
    newest->keys = keys;
    return quotient_valid(newest);
}

/* ---- From new to free ---- */

static bool quotient_contains_staged(const petal_filter *f, uint64_t hash);
static bool quotient_contains_one(const petal_filter *f, uint64_t hash);

void petal__quotient_choose(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    const uint64_t room = petal__table_room(&q->now);
    const uint64_t limit = petal__quotient_stage_limit(&f->shape, f->stages - 1);
    q->limit = room < limit ? room : limit;
    f->contains =
        f->stages == 1 && !q->moving ? quotient_contains_one : quotient_contains_staged;
}

/* A filter that is scattered has its tables already. */
static void quotient_attach(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    f->kernels = quotient_kernels_for(f->simd);
    f->repeats = f->shape.insert_only ? 0 : REPEATS_CHANGE; /* copies are counted here */
    if (!f->scattered) {
        *q = (struct quotient){ .last = UINT64_MAX, .image = f->cells };
        petal__quotient_table(&f->shape, &q->now);
        q->now.cells = quotient_older(f, q->older);
        q->now.keys = f->keys;
        for (uint32_t i = 0; i + 1 < f->stages; i++)
            q->now.keys -= q->older[i].keys;
    }
    petal__quotient_choose(f);
}

/* A filter that will grow has no image until it is sealed. */
static int quotient_start(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    if (!f->shape.growth)
        return petal__image_alloc(f);
    *q = (struct quotient){ .last = UINT64_MAX };
    if (!petal__quotient_table(&f->shape, &q->now) ||
        f->shape.bits / 8 != table_len(&q->now))
        return PETAL_E_SHAPE;
    f->scattered = true;
    return petal__quotient_alloc(&q->now) ? PETAL_OK : PETAL_E_MEMORY;
}

/* Makes the filter as large as it was when it was new.  If there is no memory for that, it
 * stays as large as its first stage is. */
static void quotient_clear(petal_filter *f)
{
    struct quotient *q = quotient_of(f);
    struct table kept = f->stages > 1 ? q->older[0] : q->now, first;
    (f->stages > 1 ? &q->older[0] : &q->now)->block = NULL; /* so that it is not freed */
    if (petal__quotient_first(&f->shape, &kept, &first) && first.homes != kept.homes &&
        petal__quotient_alloc(&first)) {
        petal__memory_free(kept.block);
        kept = first;
    }
    petal__quotient_free(f);
    memset(kept.cells, 0, (size_t)table_len(&kept));
    kept.keys = 0;
    q->now = kept;
    f->stages = 1;
    f->scattered = f->scattered || kept.block;
    if (kept.block)
        petal__image_release(f);
    petal__quotient_reshape(f);
}

static void quotient_move(petal_filter *f, petal_move_fn *move, void *context)
{
    struct quotient *q = quotient_of(f);
    struct table *tables[STAGES_MAX + 1] = { &q->now };
    struct moving *moved = q->moving ? move(context, q->moving) : NULL;
    uint32_t n = 1;
    q->moving = moved ? moved : q->moving;
    if (q->moving)
        tables[n++] = &q->moving->old;
    for (uint32_t i = 0; i + 1 < f->stages; i++)
        tables[n++] = &q->older[i];
    for (uint32_t i = 0; i < n; i++) {
        struct table *t = tables[i];
        if (!t->block) /* it is in the image, which may have moved */
            t->cells = f->cells + ((uintptr_t)t->cells - (uintptr_t)q->image);
        uint8_t *cells = t->block ? petal__memory_move(0, t->cells, (size_t)table_len(t),
                                                       &t->block, move, context)
                                  : NULL;
        t->cells = cells ? cells : t->cells;
    }
    q->image = f->cells;
}

/* ---- One key ---- */

/* The table of the newest stage that has this hash. */
static inline struct table *quotient_table(struct quotient *q, uint64_t hash)
{
    return hash <= q->last ? &q->now : &q->moving->old;
}

static bool quotient_contains_one(const petal_filter *f, uint64_t hash)
{
    const struct table *t = &quotient_of(f)->now;
    return quotient_kernels(f)->contains[t->words - 1](t, hash);
}

static bool quotient_contains_older(const petal_filter *f, uint64_t hash)
{
    const struct quotient *q = quotient_of(f);
    for (uint32_t i = f->stages - 1; i-- > 0;) {
        const struct table *t = &q->older[i];
        if (quotient_kernels(f)->contains[t->words - 1](t, hash))
            return true;
    }
    return false;
}

/* Prefetches the lines of all stages first. */
static bool quotient_contains_staged(const petal_filter *f, uint64_t hash)
{
    struct quotient *q = quotient_of(f);
    const struct table *t = quotient_table(q, hash);
    for (uint32_t i = 0; i + 1 < f->stages; i++)
        FETCH(table_line(&q->older[i], place_below(q->older[i].homes, hash)));
    return quotient_kernels(f)->contains[t->words - 1](t, hash) ||
           quotient_contains_older(f, hash);
}

static uint64_t quotient_count(const petal_filter *f, uint64_t hash)
{
    struct quotient *q = quotient_of(f);
    const struct table *t = quotient_table(q, hash);
    uint64_t copies = petal__table_count(t, table_place(t, hash));
    for (uint32_t i = 0; i + 1 < f->stages; i++)
        copies += petal__table_count(&q->older[i], table_place(&q->older[i], hash));
    return copies;
}

/* Adds to a table of the newest stage.  If that has no room for this key, although it
 * should have, it grows once more. */
static int quotient_put(petal_filter *f, uint64_t hash)
{
    struct quotient *q = quotient_of(f);
    for (;;) {
        struct table *t = quotient_table(q, hash);
        const int fresh = quotient_kernels(f)->add[t->words - 1](t, hash);
        if (fresh >= 0)
            return fresh;
        if (!q->moving && q->now.keys < petal__table_room(&q->now) / 2)
            return PETAL_E_FULL;
        const int rc = q->moving ? petal__quotient_finish(f) : petal__quotient_grow(f);
        if (rc < 0)
            return rc;
    }
}

/* Would adding this key change nothing?  Then it is no reason to grow. */
static bool quotient_is_settled(const petal_filter *f, uint64_t hash)
{
    const struct table *t = &quotient_of(f)->now;
    return petal__table_count(t, table_place(t, hash)) >= t->copies_max ||
           (f->shape.insert_only && quotient_contains_older(f, hash));
}

/* Writes the number of elements of a stage to the table of stages, if there is an image. */
static void quotient_note(petal_filter *f, uint32_t stage, const struct table *t)
{
    if (f->stages > 1 && !f->scattered)
        store_le64(petal__tail(f) + (size_t)stage * ENTRY_LEN + 8, t->keys);
}

/* Errors of moving do not matter as long as the table takes the key, and the largest table
 * takes keys for as long as there is any place for them. */
static int quotient_add(petal_filter *f, uint64_t hash)
{
    struct quotient *q = quotient_of(f);
    if (q->moving) {
        petal__quotient_advance(f, LINES_PER_CHANGE);
    } else if (q->now.keys >= q->limit) {
        if (quotient_is_settled(f, hash))
            return 0;
        const int rc = petal__quotient_grow(f);
        const uint64_t most = petal__quotient_stage_limit(&f->shape, f->stages - 1);
        if (rc < 0 && (rc != PETAL_E_FULL || q->now.keys >= most))
            return rc;
    }
    const bool known = f->stages > 1 && quotient_contains_older(f, hash);
    if (known && f->shape.insert_only)
        return 0;
    const uint64_t keys = quotient_keys(q);
    const int fresh = quotient_put(f, hash);
    if (fresh < 0)
        return fresh;
    const uint64_t added = quotient_keys(q) - keys;
    quotient_note(f, f->stages - 1, &q->now);
    if (fresh && !known)
        return 1; /* the caller counts it */
    f->keys += added;
    return 0;
}

/* From the newest stage to the oldest: the fingerprint of an older stage is part of that of
 * a newer one, so whoever loses the newer one by a false positive still matches the older.
 */
static int quotient_remove(petal_filter *f, uint64_t hash)
{
    struct quotient *q = quotient_of(f);
    petal__quotient_advance(f, LINES_PER_CHANGE);
    struct table *t = quotient_table(q, hash);
    uint64_t keys = t->keys;
    uint32_t stage = f->stages - 1;
    int removed = quotient_kernels(f)->remove[t->words - 1](t, hash);
    while (!removed && stage > 0) {
        t = &q->older[--stage];
        keys = t->keys;
        removed = quotient_kernels(f)->remove[t->words - 1](t, hash);
    }
    quotient_note(f, stage, t);
    if (removed && t->keys == keys)
        f->keys++; /* it stays; the caller counts it as gone */
    return removed;
}

/* ---- Many keys ---- */

static void quotient_fetch_many(const petal_filter *f, const uint64_t *hashes, size_t n)
{
    struct quotient *q = quotient_of(f);
    for (size_t i = 0; i < n; i++) {
        const struct table *t = quotient_table(q, hashes[i]);
        FETCH(table_line(t, place_below(t->homes, hashes[i])));
    }
    for (uint32_t s = 0; s + 1 < f->stages; s++)
        for (size_t i = 0; i < n; i++)
            FETCH(table_line(&q->older[s], place_below(q->older[s].homes, hashes[i])));
    HAS_EFFECT();
}

static size_t quotient_contains_many(const petal_filter *f, const uint64_t *hashes,
                                     size_t n, bool *found, const uint64_t *later)
{
    struct quotient *q = quotient_of(f);
    const struct table *t = &q->now;
    if (later)
        quotient_fetch_many(f, later, n);
    if (f->stages == 1 && !q->moving)
        return quotient_kernels(f)->contains_many[t->words - 1](t, hashes, n, found);
    size_t total = 0, fetched = 0;
    for (size_t i = 0; i < n; i++) {
        for (; fetched < n && fetched < i + FETCH_AHEAD; fetched += FETCH_STEP)
            quotient_fetch_many(f, hashes + fetched,
                                n - fetched < FETCH_STEP ? n - fetched : FETCH_STEP);
        total += found[i] = quotient_contains_staged(f, hashes[i]);
    }
    return total;
}

/* As long as there is certainly room. */
static size_t quotient_add_some(petal_filter *f, const uint64_t *hashes, size_t n,
                                signed char *result, int64_t *added)
{
    struct quotient *q = quotient_of(f);
    if (q->moving || f->stages > 1 || q->now.keys >= q->limit)
        return 0;
    const uint64_t left = q->limit - q->now.keys;
    const size_t most = left < n ? (size_t)left : n;
    struct table *t = &q->now;
    int (*add)(struct table *, uint64_t) = quotient_kernels(f)->add[t->words - 1];
    size_t i = 0;
    for (; i < most; i++) {
        const uint64_t keys = t->keys;
        const int fresh = add(t, hashes[i]);
        if (fresh < 0)
            break;
        if (result)
            result[i] = (signed char)fresh;
        *added += fresh;
        f->keys += fresh ? 0 : t->keys - keys;
    }
    if (i > 0)
        petal__changed(f);
    return i;
}

/* ---- Looking inside ---- */

/* Copies of a fingerprint raise neither the number of distinct keys nor the rate. */
static void quotient_measure(const petal_filter *f, petal_stats *stats)
{
    double pass = 1, range = (double)f->shape.fingerprints;
    for (uint32_t i = 0; i < f->stages; i++, range *= 1 << STAGE_BITS) {
        const double found = (double)petal__quotient_distinct(f, i, &stats->saturated);
        stats->keys_estimate +=
            petal_math_keys(range, 1, found < range ? found : range - 1);
        pass *= 1 - found / range;
    }
    stats->cells_set = f->keys;
    stats->fpr_estimate = 1 - pass;
}

const struct petal_ops petal__quotient = {
    .kind = PETAL_QUOTIENT,
    .name = "quotient",
    .abilities = PETAL_CAN_REMOVE | PETAL_CAN_COUNT | PETAL_CAN_MERGE | PETAL_CAN_GROW |
                 PETAL_IS_STAGED | PETAL_CAN_RENEW | PETAL_CAN_COMPACT | PETAL_CAN_LIST,
    .insert_only_lacks = PETAL_CAN_REMOVE | PETAL_CAN_COUNT | PETAL_CAN_RENEW,
    .words = { .summary = "removes and counts keys, grows and shrinks; small",
               .hashes = "bit",
               .stage = "stage",
               .group = "stage",
               .rule = PETAL_RULE_RUN },
    .takes = PETAL__TAKES_GROWTH | PETAL__HAS_FINGERPRINTS | PETAL__CHECKS_CHANGES |
             PETAL__FETCHES,
    .block_cells = LINE_BITS,
    .state_len = sizeof(struct quotient),
    .plan = FULL(petal__quotient_plan),
    .fits = petal__quotient_fits,
    .fpr = FULL(petal__quotient_fpr),
    .grow = FULL(petal__quotient_grow_to),
    .start = FULL(quotient_start),
    .attach = quotient_attach,
    .clear = FULL(quotient_clear),
    .seal = FULL(petal__quotient_seal),
    .free = petal__quotient_free,
    .gather = FULL(petal__quotient_gather),
    .advance = FULL(petal__quotient_finish_some),
    .move = FULL(quotient_move),
    .pack = FULL(petal__quotient_pack),
    .unpack = FULL(petal__quotient_unpack),
    .add = FULL(quotient_add),
    .contains = quotient_contains_one,
    .probes = FULL(petal__quotient_probes),
    .run = FULL(petal__quotient_run),
    .list = FULL(petal__quotient_list),
    .measure = FULL(quotient_measure),
    .remove = FULL(quotient_remove),
    .count = FULL(quotient_count),
    .add_some = FULL(quotient_add_some),
    .contains_many = FULL(quotient_contains_many),
    .fetch_many = FULL(quotient_fetch_many),
    .merge = FULL(petal__quotient_merge),
    .alike = FULL(petal__quotient_alike),
    .compact = FULL(petal__quotient_compact),
    .tail_len = quotient_tail_len,
    .stages_max = STAGES_MAX,
    .sound = quotient_sound,
    .consistent = quotient_consistent,
};
