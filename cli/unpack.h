/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.h: files packed by gzip or zstd.
 *
 * Each packing needs a library.  Where the build has none, the files of without/ take the
 * place of unpack_gzip.c or unpack_zstd.c: there such a file cannot be read, and start says
 * why (source_fail).
 */
#ifndef CLI_UNPACK_H
#define CLI_UNPACK_H

#include "source.h"

/* A file of this packing was opened; its first bytes are in `packed`. */
void   gzip_start(struct source *source);
void   zstd_start(struct source *source);

/* Some bytes of it, unpacked.  0 at its end, and after an error. */
size_t gzip_read(struct source *source, char *to, size_t room);
size_t zstd_read(struct source *source, char *to, size_t room);

/* After the last file, of whatever packing. */
void   gzip_end(struct source *source);
void   zstd_end(struct source *source);

#endif
