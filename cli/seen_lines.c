/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seen_lines.c: petal seen: whole lines of any text, the simplest and most frequent case.
 *
 * Up to 2048 lines are hashed and looked up together.  Those that the filter does not
 * contain go through a small hash table, since a line may occur twice in a group.  The new
 * ones are copied into one buffer and written at once.
 */
#include "buffer.h"
#include "print.h"
#include "seen.h"

#include <stdlib.h>

#define GROUP 2048
#define TABLE (8 * GROUP) /* so sparse that collisions are rare */

static struct group {
    petal_key keys[GROUP + 1]; /* the lines, and the end of the last */
    uint64_t hashes[GROUP];
    size_t n;
    const char *file;
    uint64_t line; /* lines of the file before this group */

    /* The new lines: their hashes, their indexes, and where the output of each ends. */
    uint64_t fresh[GROUP];
    uint16_t at[GROUP];
    uint64_t ends[GROUP];
    size_t fresh_n;
    struct buffer out;
    uint16_t table[TABLE]; /* 1 + an index of `fresh`; 0: empty */
} group;

/* Is this the first time that the hash occurs in the group?  It becomes fresh[n]. */
static bool group_is_first(uint64_t hash, size_t n)
{
    size_t slot = (size_t)hash & (TABLE - 1);
    for (; group.table[slot]; slot = (slot + 1) & (TABLE - 1))
        if (group.fresh[group.table[slot] - 1] == hash)
            return false;
    group.table[slot] = (uint16_t)(n + 1);
    group.fresh[n] = hash;
    return true;
}

static void group_find_new(void)
{
    bool found[GROUP];
    petal_contains_hashes(seen.filter, group.hashes, group.n, found);
    size_t absent = 0, n = 0;
    for (size_t i = 0; i < group.n; i++) { /* without a branch to mispredict */
        group.at[absent] = (uint16_t)i;
        absent += !found[i];
    }
    if (absent > 0)
        memset(group.table, 0, sizeof group.table);
    for (size_t i = 0; i < absent; i++)
        if (group_is_first(group.hashes[group.at[i]], n))
            group.at[n++] = group.at[i];
    group.fresh_n = n;
}

/* Copies the new lines with their separators. */
static void group_copy(void)
{
    const uint64_t before = out_total();
    size_t len = 0;
    for (size_t i = 0; i < group.fresh_n; i++) {
        const petal_key *key = &group.keys[group.at[i]];
        const char *text = key[0].data, *next = key[1].data;
        const size_t line_len = (size_t)(next - text);
        if (line_len <= BLOCK_SLACK)
            memcpy(group.out.bytes + len, text, BLOCK_SLACK);
        else
            memcpy(group.out.bytes + len, text, line_len);
        len += line_len;
        group.ends[i] = before + len;
    }
    group.out.len = len;
}

/* Lines before the first new line that has not been written count as seen. */
static void group_commit(void)
{
    size_t written = group.fresh_n;
    while (written > 0 && group.ends[written - 1] > out_written())
        written--;
    const size_t lines = written < group.fresh_n ? group.at[written] : group.n;
    if (seen.repeats)
        seen_add(group.hashes, lines);
    else
        seen_add(group.fresh, written);
    if (lines > 0) {
        seen.lines += lines;
        seen.line = group.line + lines;
        seen.file = group.file;
    }
}

static void group_process(const struct block *block)
{
    group.keys[group.n].data = block->at;
    group.file = block->file;
    group.line = block->line;
    petal_hash_many(seen.filter, group.keys, group.n, group.hashes);
    group_find_new();
    group_copy();
    seen.printed += group.fresh_n;
    seen.commit = group_commit;
    out_now(group.out.bytes, group.out.len);
    seen.commit();
    seen.commit = NULL;
}

void seen_lines(struct lines *lines, void (*then)(void))
{
    struct block block = { 0 };
    while (lines_block(lines, &block)) {
        select_print_said(block.origin);
        group.out.len = 0;
        buffer_reserve(&group.out, (size_t)(block.end - block.at) + BLOCK_SLACK);
        while ((group.n = block_keys(&block, group.keys, GROUP)) > 0) {
            group_process(&block);
            block.line += group.n;
        }
        then();
    }
    free(block.buffer);
    free(group.out.bytes);
}
