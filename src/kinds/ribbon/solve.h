/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * solve.h: solves the equations of a ribbon filter: elimination, then back substitution.
 *
 * Included once for each instruction set, as lookup.h is.  Vectors do not help here, but
 * instructions that count bits and trailing zeros do.
 */

/* ---- Elimination ---- */

#define STEPS 4

#define LOG_MAX (BUCKET_STARTS + 64) /* rows that the equations of a bucket can reach */

/* The equation that is being eliminated in a segment, and the ones that follow it. */
struct lane {
    uint64_t c;
    uint32_t row, y;
    const struct ribbon_equation *at, *end; /* the rest of its group */
    uint64_t *coefficients;                 /* copied from its segment */
    uint32_t *results;
    struct ribbon_segment *segment;
    uint32_t group;
    uint32_t logged;
    uint32_t log[LOG_MAX]; /* the rows that this group has filled */
};

/* Starts with the first equation of this group, or of the next group that has one.  Returns
 * false if none has. */
TARGET static bool lane_begin(struct lane *lane, uint32_t group)
{
    const struct ribbon_segment *s = lane->segment;
    while (group < BUCKET_GROUPS * s->buckets && s->groups[group] == s->groups[group + 1])
        group++;
    if (group == BUCKET_GROUPS * s->buckets)
        return false;
    lane->group = group;
    lane->at = s->equations + s->groups[group];
    lane->end = s->equations + s->groups[group + 1];
    lane->c = lane->at->c;
    lane->row = lane->at->row;
    lane->y = lane->at->y;
    lane->logged = 0;
    return true;
}

/* After a contradiction: bumps this group and the remaining groups of its bucket. */
TARGET static bool lane_bump(struct lane *lane)
{
    struct ribbon_segment *s = lane->segment;
    for (uint32_t i = 0; i < lane->logged; i++)
        s->coefficients[lane->log[i]] = s->results[lane->log[i]] = 0;
    const uint32_t bucket = lane->group / BUCKET_GROUPS;
    const uint32_t next = BUCKET_GROUPS * (bucket + 1);
    s->codes[bucket] = (uint8_t)(next - lane->group);
    s->bumped += s->groups[next] - s->groups[lane->group];
    return lane_begin(lane, next);
}

#define REPEATS_SCAN_MAX 1024

/* Does an equation without effect belong to a repeated key?  If so, the first one is in the
 * same group.  A group has about a hundred keys, unless someone has chosen them. */
TARGET static bool lane_repeats(const struct lane *lane)
{
    const struct ribbon_segment *s = lane->segment;
    const struct ribbon_equation *same = s->equations + s->groups[lane->group];
    if (lane->at - same > REPEATS_SCAN_MAX)
        return true;
    while (same->c != lane->at->c || same->row != lane->at->row)
        same++;
    return same < lane->at;
}

/* No coefficient remains: the equation holds (y is 0), or it is a contradiction. */
TARGET static bool lane_end(struct lane *lane, uint32_t y)
{
    if (y)
        return lane_bump(lane);
    lane->segment->repeats |= lane_repeats(lane);
    lane->at++;
    if (lane->at == lane->end)
        return lane_begin(lane, lane->group + 1);
    lane->c = lane->at->c;
    lane->row = lane->at->row;
    lane->y = lane->at->y;
    return true;
}

/* Performs some elimination steps of one equation.  Returns false when the segment has no
 * more equations.  A step with a free row changes nothing, so only the row after the last
 * step needs to be checked.  That is left to the next call, because the processor has to
 * predict the branch: the sooner a wrong prediction is noticed, the less work is lost. */
INLINE bool lane_steps(struct lane *lane)
{
    uint64_t *coefficients = lane->coefficients, c = lane->c;
    uint32_t *results = lane->results, row = lane->row, y = lane->y;
    if (coefficients[row] == 0) {
        coefficients[row] = c;
        results[row] = y;
        lane->log[lane->logged++] = row;
        lane->at++;
        if (__builtin_expect(lane->at == lane->end, 0))
            return lane_begin(lane, lane->group + 1);
        c = lane->at->c;
        row = lane->at->row;
        y = lane->at->y;
    }
    for (int i = 0; i < STEPS; i++) {
        c ^= coefficients[row];
        y ^= results[row];
        if (__builtin_expect(c == 0, 0))
            return lane_end(lane, y);
        const unsigned zeros = (unsigned)__builtin_ctzll(c);
        c >>= zeros;
        row += zeros;
    }
    lane->c = c;
    lane->row = row;
    lane->y = y;
    return true;
}

/* Works on all segments in turns, because a step depends on the previous step of
 * its segment. */
TARGET static void ribbon_eliminate(struct ribbon_segment *segments, unsigned n)
{
    struct lane lanes[RIBBON_BUNDLE_MAX], *busy[RIBBON_BUNDLE_MAX];
    unsigned active = 0;
    for (unsigned i = 0; i < n; i++) {
        lanes[i].segment = &segments[i];
        lanes[i].coefficients = segments[i].coefficients;
        lanes[i].results = segments[i].results;
        busy[active] = &lanes[i];
        active += lane_begin(&lanes[i], 0);
    }
    while (active == RIBBON_BUNDLE_MAX) {
        bool all = true;
        for (unsigned i = 0; i < RIBBON_BUNDLE_MAX; i++)
            if (!lane_steps(&lanes[i])) {
                busy[i] = NULL;
                all = false;
            }
        if (all)
            continue;
        active = 0;
        for (unsigned i = 0; i < RIBBON_BUNDLE_MAX; i++)
            if (busy[i])
                busy[active++] = busy[i];
    }
    while (active > 0)
        for (unsigned i = 0; i < active;) {
            if (lane_steps(busy[i]))
                i++;
            else
                busy[i] = busy[--active];
        }
}

/* ---- Substitution ---- */

/* Solves n columns from the last slot to the first.  window[j] holds the 64 entries of
 * column j that follow a slot, from which the entry of the slot is computed.  A free row
 * means 0 = 0. */
INLINE void substitute_columns(const struct ribbon_segment *s, uint64_t blocks,
                               const uint32_t from, const uint32_t n, uint32_t columns,
                               uint64_t low, uint8_t *to)
{
    uint64_t window[8] = { 0 };
    for (uint64_t block = blocks; block-- > 0;) {
        for (unsigned t = 64; t-- > 0;) {
            const uint64_t c = s->coefficients[64 * block + t];
            const uint32_t y = s->results[64 * block + t] >> from;
            for (uint32_t j = 0; j < n; j++) {
                window[j] <<= 1;
                window[j] |= (parity_low(c & window[j]) ^ y >> j) & 1;
            }
        }
        uint8_t *at = to + 8 * (ribbon_block_at(columns, low, block) + from);
        const uint32_t here = columns - (block < low); /* the last column may be missing */
        for (uint32_t j = 0; j < n && from + j < here; j++)
            store_le64(at + 8 * j, window[j]);
    }
}

/* `blocks` and `low` count from the first block of the segment. */
TARGET static void ribbon_substitute(const struct ribbon_segment *s, uint64_t blocks,
                                     uint32_t columns, uint64_t low, uint8_t *to)
{
    for (uint32_t from = 0; from < columns; from += 8)
        switch (columns - from) {
        case 1: substitute_columns(s, blocks, from, 1, columns, low, to); break;
        case 2: substitute_columns(s, blocks, from, 2, columns, low, to); break;
        case 3: substitute_columns(s, blocks, from, 3, columns, low, to); break;
        case 4: substitute_columns(s, blocks, from, 4, columns, low, to); break;
        case 5: substitute_columns(s, blocks, from, 5, columns, low, to); break;
        case 6: substitute_columns(s, blocks, from, 6, columns, low, to); break;
        case 7: substitute_columns(s, blocks, from, 7, columns, low, to); break;
        default: substitute_columns(s, blocks, from, 8, columns, low, to); break;
        }
}
