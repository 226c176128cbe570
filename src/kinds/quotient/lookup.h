/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup.h: looks up fingerprints in a table.  A template, included after line.h.
 *
 * Nearly all lookups end in one line.  A run that reaches the end of its line goes on in
 * the next one.  A line says by its delta how far behind it is, and that is bounded, so
 * lookups end on any bytes.
 */

/* Goes on with a lookup in the lines after the first. */
APART static TARGET bool lookup_rest(const struct table *t, struct place at)
{
    int64_t q = at.quotient;
    while (++at.line < table_lines(t)) {
        q -= t->quotients;
        const uint8_t *line = table_line(t, at.line);
        const int64_t rel = q + line_delta(t, line);
        if (rel < 0)
            return false;
        const struct run run = run_of(t, line, (uint32_t)rel, t->words);
        if (remainders_equal(t, remainders_at(t, line, run.slot), run.len, at.remainder))
            return true;
        if (run.len > t->window) {
            at.quotient = (uint32_t)q;
            return petal__table_count(t, at) > 0;
        }
        if (!run.open)
            return false;
    }
    return false;
}

/* Looks up a fingerprint in its first line.  Returns true if that does not tell. */
INLINE bool lookup_first(const struct table *t, const uint8_t *line, struct run run,
                         uint32_t x, bool *found)
{
    const uint64_t equal =
        opaque(remainders_equal(t, remainders_at(t, line, run.slot), run.len, x));
    *found = equal != 0;
    return (run.open | (run.len > t->window)) & (equal == 0);
}

INLINE bool lookup(const struct table *t, uint64_t hash, uint32_t span)
{
    const struct place at = table_place(t, hash);
    const uint8_t *line = table_line(t, at.line);
    bool found;
    const struct run run = run_of(t, line, at.quotient + line_delta(t, line), span);
    if (__builtin_expect(lookup_first(t, line, run, at.remainder, &found), 0))
        return run.len > t->window ? petal__table_count(t, at) > 0 : lookup_rest(t, at);
    return found;
}
