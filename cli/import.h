/* SPDX-License-Identifier: BSD-2-Clause */
/* import.h: shared by the files of petal import. */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

#include <petal.h>

extern struct import_options {
    char *from, *output, *column, *row_group, *key;
} imports;

/* Writes and frees a filter, and reports what it is.  `from` says where it comes from. */
void import_save(petal_filter *filter, const char *from, const char *path);

/* The names of all formats: "parquet, guava". */
const char *import_names(void);

/* import_parquet.c: the filters of a column of a Parquet file. */
bool import_is_parquet(const char *path);
void import_parquet(const char *path);

#endif
