/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_rows.c: the rows of B in memory, and the hash table that finds them by key.
 *
 * The rows are kept as they will be printed: the key, and the text of the other fields. The
 * hash table is built when all rows are known, so it never grows.  Each bucket is a list of
 * rows in B's order.
 *
 * A semi join or an anti join needs only the keys.  Each is kept once, so B may be large if
 * it has few of them.  To recognize the keys that it has, the table then grows with them.
 */
#include "join.h"

#include <stdlib.h>

static struct row *rows_of(const struct join *j)
{
    return (struct row *)(void *)j->rows.bytes;
}

const struct row *rows_at(const struct join *j, size_t number)
{
    return &rows_of(j)[number - 1];
}

const uint64_t *rows_hashes(const struct join *j)
{
    return (const uint64_t *)(void *)j->hashes.bytes;
}

static void rows_put(struct join *j, uint64_t hash)
{
    buffer_put(&j->hashes, &hash, sizeof hash);
    j->kept++;
    if (j->reduce)
        return;
    struct row row = { .key = j->arena.len };
    buffer_put(&j->arena, j->key.bytes, j->key.len);
    row.rest = j->arena.len;
    if (j->type->b_columns)
        join_text_b(j, &j->arena);
    row.end = j->arena.len;
    buffer_put(&j->rows, &row, sizeof row);
}

/* Makes the row the first of its bucket. */
static void rows_link(struct join *j, size_t number)
{
    size_t *bucket = &j->buckets[rows_hashes(j)[number - 1] & j->buckets_mask];
    rows_of(j)[number - 1].next = *bucket;
    *bucket = number;
}

void rows_index(struct join *j)
{
    size_t n = 1;
    while (n <= j->kept)
        n *= 2;
    free(j->buckets);
    j->buckets = join_memory(n, sizeof *j->buckets);
    j->buckets_mask = n - 1;
    for (size_t i = j->kept; i > 0; i--) /* backwards, so that the lists are in order */
        rows_link(j, i);
}

static bool row_matches(const struct join *j, size_t number, uint64_t hash)
{
    const struct row *row = rows_at(j, number);
    return rows_hashes(j)[number - 1] == hash && row->rest - row->key == j->key.len &&
           memcmp(j->arena.bytes + row->key, j->key.bytes, j->key.len) == 0;
}

size_t rows_find(const struct join *j, uint64_t hash, size_t after)
{
    size_t i = after ? rows_at(j, after)->next : j->buckets[hash & j->buckets_mask];
    while (i && !row_matches(j, i, hash))
        i = rows_at(j, i)->next;
    return i;
}

static void rows_keep_key(struct join *j, uint64_t hash)
{
    if (!j->buckets || j->kept > j->buckets_mask)
        rows_index(j);
    if (rows_find(j, hash, 0))
        return;
    rows_put(j, hash);
    rows_link(j, j->kept);
}

void rows_keep(struct join *j, uint64_t hash)
{
    if (j->type->b_columns || j->reduce)
        rows_put(j, hash);
    else
        rows_keep_key(j, hash);
}

void rows_free(struct join *j)
{
    free(j->hashes.bytes);
    free(j->rows.bytes);
    free(j->arena.bytes);
    free(j->buckets);
    free(j->matched);
}
