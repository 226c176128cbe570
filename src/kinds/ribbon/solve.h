/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * solve.h: the equations of a ribbon: elimination, then substitution.
 *
 * Included once for each set of instructions, as vector.h is: there is nothing to gain from
 * vectors here, but from counting bits and zeros in one instruction.  odd(v) is a number that
 * is odd where the bits of v that are set are.
 */

/* ---- Elimination ---- */

#define STEPS   4

#define LOG_MAX (BUCKET_STARTS + 64) /* the rows that equations of one bucket can reach */

/* An equation under way, and those that come after it. */
struct lane {
    uint64_t c;
    uint32_t row, y;
    const struct ribbon_equation *at, *end; /* of its group */
    uint64_t *coefficients; /* those of its segment */
    uint32_t *results;
    struct ribbon_segment *segment;
    uint32_t group;
    uint32_t logged;
    uint32_t log[LOG_MAX]; /* the rows that this group has taken */
};

/* The first equation of this group, or of the next that has one; false if none has. */
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

/* A contradiction: this group and what is left of its bucket are bumped. */
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

#define LOOKED 1024

/* Is an equation without effect that of a key which was there before?  If so, in its group,
 * which has some hundred keys, unless someone has chosen them. */
TARGET static bool lane_repeats(const struct lane *lane)
{
    const struct ribbon_segment *s = lane->segment;
    const struct ribbon_equation *same = s->equations + s->groups[lane->group];
    if (lane->at - same > LOOKED)
        return true;
    while (same->c != lane->at->c || same->row != lane->at->row)
        same++;
    return same < lane->at;
}

/* Nothing of the equation is left: it holds, or it does not. */
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

/* Some steps of one equation; false when the segment has no more of them.  In a row that
 * is free a step changes nothing, so that only the last row need be looked at; and that
 * is left to the next turn, since it is a guess, for the processor, and the sooner a
 * wrong guess is found out, the less was done in vain. */
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

/* All segments in turns, since a step waits for the one before it, of the same segment. */
TARGET static void ribbon_eliminate(struct ribbon_segment *segments, unsigned n)
{
    struct lane lanes[RIBBON_GANG], *busy[RIBBON_GANG];
    unsigned left = 0;
    for (unsigned i = 0; i < n; i++) {
        lanes[i].segment = &segments[i];
        lanes[i].coefficients = segments[i].coefficients;
        lanes[i].results = segments[i].results;
        busy[left] = &lanes[i];
        left += lane_begin(&lanes[i], 0);
    }
    while (left == RIBBON_GANG) {
        bool all = true;
        for (unsigned i = 0; i < RIBBON_GANG; i++)
            if (!lane_steps(&lanes[i])) {
                busy[i] = NULL;
                all = false;
            }
        if (all)
            continue;
        left = 0;
        for (unsigned i = 0; i < RIBBON_GANG; i++)
            if (busy[i])
                busy[left++] = busy[i];
    }
    while (left > 0)
        for (unsigned i = 0; i < left;) {
            if (lane_steps(busy[i]))
                i++;
            else
                busy[i] = busy[--left];
        }
}

/* ---- Substitution ---- */

/* Some columns, from the last slot to the first: a window of 64 entries each, of which the
 * first is found from the others.  A free row is 0 = 0. */
INLINE void substitute_some(const struct ribbon_segment *s, uint64_t blocks,
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
        const uint32_t here = columns - (block < low); /* the last column may be left out */
        for (uint32_t j = 0; j < n && from + j < here; j++)
            store_le64(at + 8 * j, window[j]);
    }
}

/* Segment by segment, so that `low` is counted from its first block, as blocks are. */
TARGET static void ribbon_substitute(const struct ribbon_segment *s, uint64_t blocks,
                                     uint32_t columns, uint64_t low, uint8_t *to)
{
    for (uint32_t from = 0; from < columns; from += 8)
        switch (columns - from) {
        case 1: substitute_some(s, blocks, from, 1, columns, low, to); break;
        case 2: substitute_some(s, blocks, from, 2, columns, low, to); break;
        case 3: substitute_some(s, blocks, from, 3, columns, low, to); break;
        case 4: substitute_some(s, blocks, from, 4, columns, low, to); break;
        case 5: substitute_some(s, blocks, from, 5, columns, low, to); break;
        case 6: substitute_some(s, blocks, from, 6, columns, low, to); break;
        case 7: substitute_some(s, blocks, from, 7, columns, low, to); break;
        default: substitute_some(s, blocks, from, 8, columns, low, to); break;
        }
}
