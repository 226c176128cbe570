/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * footer.h: the footer of a Parquet file, as far as filters need it: columns and row groups.
 *
 * All memory together is at most about 20 times the length of the footer.  Texts are parts
 * of the footer, which must stay valid.
 */
#ifndef CLI_PARQUET_FOOTER_H
#define CLI_PARQUET_FOOTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parquet_type {     /* how values are stored; the numbers are Parquet's */
    PARQUET_BOOLEAN, PARQUET_INT32, PARQUET_INT64, PARQUET_INT96, PARQUET_FLOAT,
    PARQUET_DOUBLE, PARQUET_BYTE_ARRAY, PARQUET_FIXED, PARQUET_TYPES
};

/* A node of the schema, which is a tree.  Columns are its leaves. */
struct parquet_node {
    const uint8_t *name;
    size_t         name_len;
    uint32_t       parent, children;
    int            type;            /* of a leaf */
    int            converted;       /* what the values mean; -1: not given */
};

/* The values of one column in one row group. */
struct parquet_chunk {
    uint64_t values;
    uint64_t filter_at;     /* in the file; 0: there is no filter */
    uint64_t filter_len;    /* with its header; 0: not given */
    bool     elsewhere;     /* it is in another file */
    bool     encrypted;
};

struct parquet_group {
    uint64_t rows;
    size_t   first;         /* its chunks, one for each column */
};

struct parquet {
    uint64_t rows;
    const uint8_t *writer;  /* the program that wrote it */
    size_t   writer_len;
    struct parquet_node  *nodes;
    struct parquet_group *groups;
    struct parquet_chunk *chunks;
    uint32_t *columns;      /* their nodes */
    size_t   nodes_n, groups_n, chunks_n, columns_n;
    size_t   nodes_room, groups_room, chunks_room, columns_room;
};

/* Reads a footer, which ends `file_len` bytes of a file.  Returns NULL, or what is wrong and
 * where in the footer that is.  Call parquet_free() in both cases. */
const char *parquet_read(const uint8_t *footer, size_t len, uint64_t file_len,
                         struct parquet *p, size_t *where);
void        parquet_free(struct parquet *p);

const struct parquet_chunk *parquet_chunk(const struct parquet *p, size_t group,
                                          size_t column);

/* The name of a column with those of the groups that contain it, as in "address.city".  Returns
 * what snprintf() would. */
size_t      parquet_path(const struct parquet *p, size_t column, char *text, size_t size);
int         parquet_type(const struct parquet *p, size_t column);
const char *parquet_type_name(int type);

/* Reads the header of a filter.  Stores its length and that of the bitset that follows it.
 * Returns NULL, or what is wrong. */
#define PARQUET_HEADER_MAX 256
const char *parquet_filter_header(const uint8_t *bytes, size_t len, size_t *header_len,
                                  uint64_t *bitset_len);

#endif
