/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gangs.c: the segments of a layer, solved some at a time.
 *
 * A gang of segments takes its keys from the parts that it overlaps, sorts their equations
 * by bucket and group, and solves them (solve.h).  What a segment becomes depends on the
 * set of its keys alone.
 */
#include "kinds/ribbon/build.h"

/* The starts of a gang, and the parts where its keys are. */
struct gang {
    uint64_t first, span;
    size_t part, parts_end;
};

static struct gang gang_at(const struct build *b, size_t i)
{
    const uint64_t all = b->sizes[b->layer].starts, most = b->gang * SEGMENT_STARTS;
    const uint64_t first = i * most, span = all - first < most ? all - first : most;
    const uint64_t end = (first + span) * b->now.n / all + 1;
    return (struct gang){ first, span, (size_t)(first * b->now.n / all),
                          end < b->now.n ? (size_t)end : b->now.n };
}

/* A group of the gang. */
static inline uint32_t gang_group(uint64_t at)
{
    return (uint32_t)(at / BUCKET_STARTS * BUCKET_GROUPS) + ribbon_group(at);
}

/* Collects its keys, and counts those of each group, two places on. */
static size_t gang_collect(const struct build *b, const struct gang *g, struct worker *w)
{
    const uint64_t starts = b->sizes[b->layer].starts;
    size_t n = 0;
    for (size_t p = g->part; p < g->parts_end; p++)
        for_every_chunk(chunk, b->now.lists[p]) for (size_t i = 0; i < chunk->n; i++)
        {
            const uint64_t x = build_key(b, b->layer, chunk->keys[i]);
            const uint64_t at = place_below(starts, x) - g->first;
            if (at >= g->span)
                continue;
            w->keys[n++] = x;
            w->groups[gang_group(at) + 2]++;
        }
    return n;
}

/* Sorts their equations by group: each goes where its group has come to. */
static void gang_sort(const struct build *b, const struct gang *g, struct worker *w)
{
    const uint64_t starts = b->sizes[b->layer].starts;
    memset(w->groups, 0, (b->gang * SEGMENT_GROUPS + 2) * sizeof *w->groups);
    const size_t n = gang_collect(b, g, w);
    for (size_t i = 2; i < b->gang * SEGMENT_GROUPS + 2; i++)
        w->groups[i] += w->groups[i - 1];
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = place_below(starts, w->keys[i]) - g->first;
        w->equations[w->groups[gang_group(at) + 1]++] =
            ribbon_equation(w->keys[i], at % SEGMENT_STARTS, b->columns.top);
    }
}

static uint64_t segment_starts(const struct gang *g, unsigned i)
{
    const uint64_t left = g->span - i * SEGMENT_STARTS;
    return left < SEGMENT_STARTS ? left : SEGMENT_STARTS;
}

static struct ribbon_segment gang_segment(const struct gang *g, const struct worker *w,
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

/* What a segment has become: its blocks and its codes. */
static void segment_store(struct build *b, const struct ribbon_segment *s, uint64_t start,
                          uint64_t starts)
{
    const struct ribbon_size *size = &b->sizes[b->layer];
    const uint64_t first = ribbon_block(start);
    const uint64_t low = size->low > first ? size->low - first : 0;
    uint8_t *to = b->made[b->layer];
    ribbon_kernels(b->f)->substitute(
        s, starts / 64 + 1, b->columns.top, low,
        to + 8 * ribbon_block_at(b->columns.top, size->low, first));
    to += 8 * size->words + start / (4 * BUCKET_STARTS);
    for (uint32_t i = 0; i < s->buckets && size->codes_len; i++) {
        const uint8_t before = i % 4 ? to[i / 4] : 0;
        to[i / 4] = (uint8_t)(before | s->codes[i] << i % 4 * 2);
    }
}

static uint64_t gang_solve(struct build *b, const struct gang *g, struct worker *w)
{
    struct ribbon_segment segments[RIBBON_GANG];
    const unsigned n = (unsigned)(round_up(g->span, SEGMENT_STARTS) / SEGMENT_STARTS);
    uint64_t bumped = 0;
    gang_sort(b, g, w);
    for (unsigned i = 0; i < n; i++)
        segments[i] = gang_segment(g, w, i);
    ribbon_kernels(b->f)->eliminate(segments, n);
    for (unsigned i = 0; i < n; i++) {
        segment_store(b, &segments[i], g->first + i * SEGMENT_STARTS, segment_starts(g, i));
        bumped += segments[i].bumped;
        if (segments[i].repeats)
            __atomic_store_n(&b->repeats, true, __ATOMIC_RELAXED);
    }
    return bumped;
}

void petal__ribbon_solve_some(void *context, unsigned thread)
{
    struct build *b = context;
    uint64_t bumped = 0;
    for (size_t i; (i = build_turn(b)) < b->gangs && !build_is_vain(b);) {
        const struct gang gang = gang_at(b, i);
        bumped += gang_solve(b, &gang, &b->workers[thread]);
    }
    __atomic_fetch_add(&b->left, bumped, __ATOMIC_RELAXED);
}

/* ---- Memory ---- */

/* The most keys that a gang can have. */
static uint64_t gang_keys(const struct build *b)
{
    uint64_t most = 0;
    for (size_t i = 0; i < b->gangs; i++) {
        const struct gang gang = gang_at(b, i);
        uint64_t n = 0;
        for (size_t p = gang.part; p < gang.parts_end; p++)
            n += b->now.lists[p].n;
        most = n > most ? n : most;
    }
    return most;
}

void petal__ribbon_solve_lay_out(struct build *b, struct room *room)
{
    const uint64_t starts = b->sizes[b->layer].starts, keys = gang_keys(b);
    const uint64_t slots = b->gang > 1               ? b->gang * SEGMENT_SLOTS
                           : starts < SEGMENT_STARTS ? starts + 64
                                                     : SEGMENT_SLOTS;
    const uint64_t results_at = round_up(slots * sizeof(uint64_t), 64);
    const uint64_t rows_len = results_at + slots * sizeof(uint32_t);
    for (unsigned i = 0; i < b->threads; i++) {
        struct worker *w = &b->workers[i];
        uint8_t *rows =
            petal__ribbon_room_take(room, keys * 8 > rows_len ? keys * 8 : rows_len, 1);
        w->keys = (void *)rows; /* which are sorted before there are rows */
        w->coefficients = (void *)rows;
        w->results = (void *)(rows ? rows + results_at : NULL);
        w->equations = petal__ribbon_room_take(room, keys + 1, sizeof *w->equations);
        w->groups =
            petal__ribbon_room_take(room, b->gang * SEGMENT_GROUPS + 2, sizeof *w->groups);
        w->codes =
            petal__ribbon_room_take(room, b->gang * SEGMENT_BUCKETS, sizeof *w->codes);
    }
}
