/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * footer.c: reads the footer of a Parquet file.
 *
 * The footer is one structure of Thrift.  It has the schema, whose leaves are the columns,
 * and the row groups.  Each row group has a chunk for each column, in the order of the
 * schema.  The numbers of the fields are those of Parquet's specification; fields that are
 * not needed are skipped.
 *
 *   Apache Parquet: "File Format" and "Parquet Bloom Filter", the specifications.
 */
#include "footer.h"

#include "thrift.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

static const char out_of_memory[] = "out of memory";

/* Makes room for one more element of an array, and clears it.  `array` is the address of
 * the pointer to the array. */
static void *footer_append(struct thrift *t, void *array, size_t *n, size_t *room,
                           size_t size)
{
    char *at;
    memcpy(&at, array, sizeof at); /* pointers of all types are the same */
    if (t->why)
        return NULL;
    if (*n == *room) {
        const size_t more = *room ? *room * 2 : 8;
        at = realloc(at, more * size);
        if (!at) {
            thrift_fail(t, out_of_memory);
            return NULL;
        }
        memcpy(array, &at, sizeof at);
        *room = more;
    }
    return memset(at + (*n)++ * size, 0, size);
}

#define APPEND(t, p, what) \
    footer_append(t, &(p)->what, &(p)->what##_n, &(p)->what##_room, sizeof *(p)->what)

/* A small number of a list that is in the specification; -1: none of them. */
static int footer_enumerator(struct thrift *t, unsigned type)
{
    const int64_t n = thrift_integer(t, type);
    return n < 0 || n > 255 ? -1 : (int)n;
}

static uint64_t footer_count(struct thrift *t, unsigned type)
{
    const int64_t n = thrift_integer(t, type);
    if (n < 0)
        thrift_fail(t, "a number that must not be negative is");
    return n < 0 ? 0 : (uint64_t)n;
}

/* ---- The schema ---- */

static void footer_node(struct thrift *t, struct parquet *p)
{
    struct parquet_node *node = APPEND(t, p, nodes);
    int id = 0;
    unsigned type;
    if (!node)
        return;
    node->type = node->converted = -1;
    while (thrift_field(t, &id, &type))
        switch (id) {
        case 1: node->type = footer_enumerator(t, type); break;
        case 4: node->name = thrift_binary(t, type, &node->name_len); break;
        case 5: {
            const uint64_t n = footer_count(t, type);
            if (n > UINT32_MAX)
                thrift_fail(t, "a group has too many columns");
            node->children = (uint32_t)n;
            break;
        }
        case 6: node->converted = footer_enumerator(t, type); break;
        default: thrift_skip(t, type);
        }
}

/* The nodes are listed depth first.  Finds the parent of each, and the leaves. */
static void footer_tree(struct thrift *t, struct parquet *p)
{
    struct {
        uint32_t node, left;
    } open[DEPTH_MAX];
    size_t depth = 0;
    for (uint32_t i = 0; i < p->nodes_n && !t->why; i++) {
        struct parquet_node *node = &p->nodes[i];
        if (i > 0) {
            if (depth == 0) {
                thrift_fail(t, "the schema has columns outside of its root");
                return;
            }
            node->parent = open[depth - 1].node;
            open[depth - 1].left--;
        }
        if (node->children > 0 || i == 0) {
            if (depth == DEPTH_MAX) {
                thrift_fail(t, "the schema is nested too deeply");
                return;
            }
            open[depth].node = i;
            open[depth++].left = node->children;
        } else {
            uint32_t *column = APPEND(t, p, columns);
            if (column)
                *column = i;
            if (node->type < 0 || node->type >= PARQUET_TYPES)
                thrift_fail(t, "a column has a type that does not exist");
        }
        while (depth > 0 && open[depth - 1].left == 0)
            depth--;
    }
    if (depth > 0)
        thrift_fail(t, "the schema lacks columns");
}

static void footer_schema(struct thrift *t, unsigned type, struct parquet *p)
{
    if (p->nodes_n > 0)
        thrift_fail(t, "there are two schemas");
    for (uint32_t n = thrift_list(t, type, THRIFT_STRUCT); n > 0 && !t->why; n--)
        footer_node(t, p);
    footer_tree(t, p);
}

/* ---- Row groups ---- */

static void footer_column_metadata(struct thrift *t, struct parquet_chunk *chunk,
                                   int *stored)
{
    int id = 0;
    unsigned type;
    while (thrift_field(t, &id, &type))
        switch (id) {
        case 1: *stored = footer_enumerator(t, type); break;
        case 5: chunk->values = footer_count(t, type); break;
        case 14: chunk->filter_at = footer_count(t, type); break;
        case 15: chunk->filter_len = footer_count(t, type); break;
        default: thrift_skip(t, type);
        }
}

static void footer_chunk(struct thrift *t, struct parquet *p, size_t column,
                         uint64_t file_len)
{
    struct parquet_chunk *chunk = APPEND(t, p, chunks);
    int id = 0, stored = -1;
    unsigned type;
    size_t len;
    if (!chunk)
        return;
    while (thrift_field(t, &id, &type))
        switch (id) {
        case 1:
            thrift_binary(t, type, &len);
            chunk->elsewhere = true;
            break;
        case 3:
            thrift_structure(t, type);
            footer_column_metadata(t, chunk, &stored);
            break;
        case 8:
        case 9:
            chunk->encrypted = true;
            thrift_skip(t, type);
            break;
        default: thrift_skip(t, type);
        }
    if (t->why || (chunk->encrypted && stored < 0))
        return;
    if (column >= p->columns_n || stored != p->nodes[p->columns[column]].type)
        thrift_fail(t, "a row group and the schema disagree about a column");
    if (!chunk->elsewhere && chunk->filter_at &&
        (chunk->filter_at >= file_len || chunk->filter_len > file_len - chunk->filter_at))
        thrift_fail(t, "a filter is beyond the end of the file");
}

static void footer_group(struct thrift *t, struct parquet *p, uint64_t file_len)
{
    struct parquet_group *group = APPEND(t, p, groups);
    int id = 0;
    unsigned type;
    if (!group)
        return;
    group->first = p->chunks_n;
    while (thrift_field(t, &id, &type))
        switch (id) {
        case 1:
            for (uint32_t n = thrift_list(t, type, THRIFT_STRUCT); n > 0 && !t->why; n--)
                footer_chunk(t, p, p->chunks_n - group->first, file_len);
            break;
        case 3: group->rows = footer_count(t, type); break;
        default: thrift_skip(t, type);
        }
    if (p->chunks_n - group->first != p->columns_n)
        thrift_fail(t, "a row group and the schema disagree about the number of columns");
}

/* The schema comes before the row groups, because fields are in the order of their numbers.
 */
static void footer_metadata(struct thrift *t, struct parquet *p, uint64_t file_len)
{
    int id = 0;
    unsigned type;
    while (thrift_field(t, &id, &type))
        switch (id) {
        case 2: footer_schema(t, type, p); break;
        case 3: p->rows = footer_count(t, type); break;
        case 4:
            for (uint32_t n = thrift_list(t, type, THRIFT_STRUCT); n > 0 && !t->why; n--)
                footer_group(t, p, file_len);
            break;
        case 6: p->writer = thrift_binary(t, type, &p->writer_len); break;
        default: thrift_skip(t, type);
        }
    if (p->nodes_n == 0)
        thrift_fail(t, "there is no schema");
}

const char *parquet_read(const uint8_t *footer, size_t len, uint64_t file_len,
                         struct parquet *p, size_t *where)
{
    struct thrift t = { footer, footer + len, NULL };
    *p = (struct parquet){ .rows = 0 };
    footer_metadata(&t, p, file_len);
    *where = (size_t)(t.at - footer);
    return t.why;
}

void parquet_free(struct parquet *p)
{
    free(p->nodes);
    free(p->groups);
    free(p->chunks);
    free(p->columns);
}

/* ---- What was read ---- */

const struct parquet_chunk *parquet_chunk(const struct parquet *p, size_t group,
                                          size_t column)
{
    return &p->chunks[p->groups[group].first + column];
}

size_t parquet_path(const struct parquet *p, size_t column, char *text, size_t size)
{
    uint32_t trail[DEPTH_MAX];
    size_t depth = 0, len = 0;
    for (uint32_t i = p->columns[column]; i > 0 && depth < DEPTH_MAX;
         i = p->nodes[i].parent)
        trail[depth++] = i;
    while (depth > 0) {
        const struct parquet_node *node = &p->nodes[trail[--depth]];
        const size_t room = len < size ? size - len : 0;
        if (room && node->name_len)
            memcpy(text + len, node->name, node->name_len < room ? node->name_len : room);
        len += node->name_len;
        if (depth > 0 && len < size)
            text[len] = '.';
        len += depth > 0;
    }
    if (size)
        text[len < size ? len : size - 1] = 0;
    return len;
}

int parquet_type(const struct parquet *p, size_t column)
{
    return p->nodes[p->columns[column]].type;
}

const char *parquet_type_name(int type)
{
    static const char *const names[PARQUET_TYPES] = {
        "BOOLEAN", "INT32",  "INT64",      "INT96",
        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
    };
    return names[type];
}

/* ---- Filters ---- */

/* A choice: the structure has one field, whose number says which. */
static int footer_choice(struct thrift *t, unsigned type)
{
    int id = 0, chosen = 0;
    thrift_structure(t, type);
    while (!t->why && thrift_field(t, &id, &type)) {
        chosen = id;
        thrift_skip(t, type);
    }
    return chosen;
}

const char *parquet_filter_header(const uint8_t *bytes, size_t len, size_t *header_len,
                                  uint64_t *bitset_len)
{
    struct thrift t = { bytes, bytes + len, NULL };
    int id = 0, algorithm = 0, hash = 0, compression = 0;
    unsigned type;
    *bitset_len = 0;
    while (thrift_field(&t, &id, &type))
        switch (id) {
        case 1: *bitset_len = footer_count(&t, type); break;
        case 2: algorithm = footer_choice(&t, type); break;
        case 3: hash = footer_choice(&t, type); break;
        case 4: compression = footer_choice(&t, type); break;
        default: thrift_skip(&t, type);
        }
    *header_len = (size_t)(t.at - bytes);
    if (t.why)
        return t.why;
    if (algorithm != 1)
        return "it is not a split-block filter";
    if (hash != 1)
        return "its hash is not XXH64";
    if (compression != 1)
        return "it is compressed";
    return *bitset_len == 0 || *bitset_len % 32 ? "its size is not a multiple of 32 bytes"
                                                : NULL;
}
