/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.h: decompress gzip and zstd files.
 *
 * Each format needs a library.  If a library is missing, a file in without/ replaces
 * unpack_gzip.c or unpack_zstd.c, and gzip_start() or zstd_start() fails with source_fail().
 */
#ifndef CLI_UNPACK_H
#define CLI_UNPACK_H

#include "source.h"

/* Called when a file of this format was opened; its first bytes are in `packed`. */
void   gzip_start(struct source *source);
void   zstd_start(struct source *source);

/* Reads some decompressed bytes.  Returns 0 at the end of the file and after an error. */
size_t gzip_read(struct source *source, char *to, size_t room);
size_t zstd_read(struct source *source, char *to, size_t room);

/* Called after the last file, of any format. */
void   gzip_end(struct source *source);
void   zstd_end(struct source *source);

#endif
