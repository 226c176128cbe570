/* SPDX-License-Identifier: BSD-2-Clause */
/* file.h: Parquet files, and the filters in them, for the commands. */
#ifndef CLI_PARQUET_FILE_H
#define CLI_PARQUET_FILE_H

#include "footer.h"

#include <petal.h>

struct parquet_file {
    const char    *path;
    int            fd;
    uint64_t       len;
    uint8_t       *footer;
    struct parquet meta;
};

/* Is it a Parquet file, by its first bytes? */
bool parquet_is_one(const char *path);

/* Opens a file and reads its footer.  Anything wrong with it ends the program. */
void parquet_open(struct parquet_file *file, const char *path);
void parquet_close(struct parquet_file *file);

/* The column with this name, or if it is NULL, the only one that has filters.  If there is none,
 * the program ends with the names that there are. */
size_t parquet_column(const struct parquet_file *file, const char *name);

/* Its name, as text for people. */
const char *parquet_column_name(const struct parquet_file *file, size_t column);

/* The form of the keys in this column's filters. */
petal_form parquet_form(const struct parquet_file *file, size_t column);

/* Can the filter of this column in this row group be read? */
bool parquet_has_filter(const struct parquet_file *file, size_t group, size_t column);

/* Reads it.  Anything wrong with it ends the program. */
petal_filter *parquet_filter(const struct parquet_file *file, size_t group, size_t column,
                             petal_form form);

/* A filter that has every key, for a row group without a filter. */
petal_filter *parquet_everything(petal_form form);

#endif
