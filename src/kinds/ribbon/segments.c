/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * segments.c: solves the segments of a layer of a ribbon filter, a bundle at a time.
 *
 * A bundle of up to four segments collects its keys from the parts that it overlaps, sorts
 * their equations by bucket and group, and solves them (solve.h).  The result for a segment
 * depends only on the set of its keys.
 */
#include "kinds/ribbon/build.h"

/* The starts of a bundle, and the parts that contain its keys. */
struct bundle {
    uint64_t first, span;
    size_t part, parts_end;
};

static struct bundle bundle_at(const struct build *b, size_t i)
{
    const uint64_t all = b->sizes[b->layer].starts,
                   most = b->bundle_segments * SEGMENT_STARTS;
    const uint64_t first = i * most, span = all - first < most ? all - first : most;
    const uint64_t end = (first + span) * b->current.n / all + 1;
    return (struct bundle){ first, span, (size_t)(first * b->current.n / all),
                            end < b->current.n ? (size_t)end : b->current.n };
}

/* The index of the group of a start within the bundle. */
static inline uint32_t bundle_group(uint64_t at)
{
    return (uint32_t)(at / BUCKET_STARTS * BUCKET_GROUPS) + ribbon_group(at);
}

/* Collects the keys of a bundle.  Counts the keys of group i in groups[i + 2]. */
static size_t bundle_collect(const struct build *b, const struct bundle *g,
                             struct worker *w)
{
    const uint64_t starts = b->sizes[b->layer].starts;
    size_t n = 0;
    for (size_t p = g->part; p < g->parts_end; p++)
        for_every_chunk(chunk, b->current.lists[p])
            for (size_t i = 0; i < chunk->n; i++) {
                const uint64_t x = build_key(b, b->layer, chunk->keys[i]);
                const uint64_t at = place_below(starts, x) - g->first;
                if (at >= g->span)
                    continue;
                w->keys[n++] = x;
                w->groups[bundle_group(at) + 2]++;
            }
    return n;
}

/* Sorts the equations by group.  groups[i + 1] is where the next equation of group i goes,
 * so at the end groups[i] is where group i begins. */
static void bundle_sort(const struct build *b, const struct bundle *g, struct worker *w)
{
    const uint64_t starts = b->sizes[b->layer].starts;
    memset(w->groups, 0, (b->bundle_segments * SEGMENT_GROUPS + 2) * sizeof *w->groups);
    const size_t n = bundle_collect(b, g, w);
    for (size_t i = 2; i < b->bundle_segments * SEGMENT_GROUPS + 2; i++)
        w->groups[i] += w->groups[i - 1];
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = place_below(starts, w->keys[i]) - g->first;
        w->equations[w->groups[bundle_group(at) + 1]++] =
            ribbon_equation(w->keys[i], at % SEGMENT_STARTS, b->columns.top);
    }
}

static uint64_t segment_starts(const struct bundle *g, unsigned i)
{
    const uint64_t left = g->span - i * SEGMENT_STARTS;
    return left < SEGMENT_STARTS ? left : SEGMENT_STARTS;
}

static struct ribbon_segment bundle_segment(const struct bundle *g, const struct worker *w,
                                            unsigned i)
{
    const size_t slots = (size_t)segment_starts(g, i) + 64;
    const struct ribbon_segment s = {
        .coefficients = w->coefficients + i * SEGMENT_SLOTS,
        .results = w->results + i * SEGMENT_SLOTS,
        .equations = w->equations,
        .groups = w->groups + i * SEGMENT_GROUPS,
        .buckets =
            (uint32_t)(round_up(segment_starts(g, i), BUCKET_STARTS) / BUCKET_STARTS),
        .codes = w->codes + i * SEGMENT_BUCKETS,
    };
    memset(s.coefficients, 0, slots * sizeof *s.coefficients);
    memset(s.results, 0, slots * sizeof *s.results);
    memset(s.codes, 0, s.buckets);
    return s;
}

/* Stores the blocks and codes of a solved segment. */
static void segment_store(struct build *b, const struct ribbon_segment *s, uint64_t start,
                          uint64_t starts)
{
    const struct ribbon_size *size = &b->sizes[b->layer];
    const uint64_t first = ribbon_block(start);
    const uint64_t low = size->low > first ? size->low - first : 0;
    uint8_t *to = b->output[b->layer];
    ribbon_kernels(b->f)->substitute(
        s, starts / 64 + 1, b->columns.top, low,
        to + 8 * ribbon_block_at(b->columns.top, size->low, first));
    to += 8 * size->words + start / (4 * BUCKET_STARTS);
    for (uint32_t i = 0; i < s->buckets && size->codes_len; i++) {
        const uint8_t before = i % 4 ? to[i / 4] : 0;
        to[i / 4] = (uint8_t)(before | s->codes[i] << i % 4 * 2);
    }
}

static uint64_t bundle_solve(struct build *b, const struct bundle *g, struct worker *w)
{
    struct ribbon_segment segments[RIBBON_BUNDLE_MAX];
    const unsigned n = (unsigned)(round_up(g->span, SEGMENT_STARTS) / SEGMENT_STARTS);
    uint64_t bumped = 0;
    bundle_sort(b, g, w);
    for (unsigned i = 0; i < n; i++)
        segments[i] = bundle_segment(g, w, i);
    ribbon_kernels(b->f)->eliminate(segments, n);
    for (unsigned i = 0; i < n; i++) {
        segment_store(b, &segments[i], g->first + i * SEGMENT_STARTS, segment_starts(g, i));
        bumped += segments[i].bumped;
        if (segments[i].repeats)
            __atomic_store_n(&b->repeats, true, __ATOMIC_RELAXED);
    }
    return bumped;
}

void petal__ribbon_solve_worker(void *context, unsigned thread)
{
    struct build *b = context;
    uint64_t bumped = 0;
    for (size_t i; (i = build_next_task(b)) < b->bundles && !build_must_restart(b) &&
                   !build_stops(b, thread);) {
        const struct bundle bundle = bundle_at(b, i);
        bumped += bundle_solve(b, &bundle, &b->workers[thread]);
    }
    __atomic_fetch_add(&b->remaining, bumped, __ATOMIC_RELAXED);
}

/* ---- Memory ---- */

/* The largest number of keys that a bundle can have. */
static uint64_t bundle_keys(const struct build *b)
{
    uint64_t most = 0;
    for (size_t i = 0; i < b->bundles; i++) {
        const struct bundle bundle = bundle_at(b, i);
        uint64_t n = 0;
        for (size_t p = bundle.part; p < bundle.parts_end; p++)
            n += b->current.lists[p].n;
        most = n > most ? n : most;
    }
    return most;
}

void petal__ribbon_solve_lay_out(struct build *b, struct arena *arena)
{
    const uint64_t starts = b->sizes[b->layer].starts, keys = bundle_keys(b);
    const uint64_t slots = b->bundle_segments > 1    ? b->bundle_segments * SEGMENT_SLOTS
                           : starts < SEGMENT_STARTS ? starts + 64
                                                     : SEGMENT_SLOTS;
    const uint64_t results_at = round_up(slots * sizeof(uint64_t), 64);
    const uint64_t rows_len = results_at + slots * sizeof(uint32_t);
    for (unsigned i = 0; i < b->threads; i++) {
        struct worker *w = &b->workers[i];
        uint8_t *rows =
            petal__ribbon_arena_take(arena, keys * 8 > rows_len ? keys * 8 : rows_len, 1);
        w->keys = (void *)rows; /* the keys are no longer needed when the rows are used */
        w->coefficients = (void *)rows;
        w->results = (void *)(rows ? rows + results_at : NULL);
        w->equations = petal__ribbon_arena_take(arena, keys + 1, sizeof *w->equations);
        w->groups = petal__ribbon_arena_take(arena, b->bundle_segments * SEGMENT_GROUPS + 2,
                                             sizeof *w->groups);
        w->codes = petal__ribbon_arena_take(arena, b->bundle_segments * SEGMENT_BUCKETS,
                                            sizeof *w->codes);
    }
}
