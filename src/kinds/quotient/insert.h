/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insert.h: adds and removes an element within one line, by shifting what follows it.  A
 * template, included after line.h and after an instruction set has defined line_insert()
 * and line_delete().  Whatever concerns more than one line is left to change.c.
 */

INLINE uint32_t line_keys(const struct table *t, const uint8_t *line, uint32_t span)
{
    uint32_t keys = ones_in(load_le64(line + 8 * (span - 1)) & t->last_mask);
    if (span > 1)
        keys += ones_in(load_le64(line));
    if (span > 2)
        keys += ones_in(load_le64(line + 8));
    return keys;
}

/* The line has room if it keeps all of its own quotients with one element more. */
INLINE int insert(struct table *t, uint64_t hash, uint32_t span)
{
    const struct place at = table_place(t, hash);
    uint8_t *line = table_line(t, at.line);
    const uint32_t delta = line_delta(t, line), keys = line_keys(t, line, span);
    const struct run run = run_of(t, line, at.quotient + delta, span);
    const uint64_t window = remainders_at(t, line, run.slot);
    const bool known = remainders_equal(t, window, run.len, at.remainder);
    const bool full = (keys + 1 >= t->slots) | (t->quotients + delta + keys >= t->symbols);
    const bool hard = opaque(run.open | known | full | (run.len > t->window));
    if (__builtin_expect(hard, 0))
        return petal__table_add(t, at);
    const uint32_t below = remainders_below(t, window, run.len, at.remainder);
    line_insert(t, line, run.bit + below, run.slot + below, at.remainder);
    t->keys++;
    return 1;
}

/* The line must be whole, so that it need not be filled from the next. */
INLINE int take_out(struct table *t, uint64_t hash, uint32_t span)
{
    const struct place at = table_place(t, hash);
    uint8_t *line = table_line(t, at.line);
    const uint32_t delta = line_delta(t, line), keys = line_keys(t, line, span);
    const struct run run = run_of(t, line, at.quotient + delta, span);
    const bool cut = (keys >= t->slots) | (t->quotients + delta + keys > t->symbols);
    const bool hard = opaque(run.open | cut | (run.len > t->window));
    if (__builtin_expect(hard, 0))
        return petal__table_remove(t, at);
    const uint64_t window = remainders_at(t, line, run.slot);
    if (!remainders_equal(t, window, run.len, at.remainder))
        return 0;
    const uint32_t below = remainders_below(t, window, run.len, at.remainder);
    line_delete(t, line, run.bit + below, run.slot + below);
    t->keys--;
    return 1;
}
