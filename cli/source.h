/* SPDX-License-Identifier: BSD-2-Clause */
/* source.h: read the bytes of files, compressed or not. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct source {
    const char   *name;         /* of the open file */
    int           fd;           /* negative: no file is open */
    char          error[512];   /* why reading failed; "" if it did not */

    enum { PLAIN, GZIP, ZSTD } packing;
    char         *packed;       /* bytes read but not yet decompressed:
                                   packed_at to packed_len */
    size_t        packed_at, packed_len;
    void         *gzip, *zstd;  /* states of unpack_gzip.c and unpack_zstd.c */
    bool          begun;        /* a compressed stream has started */
    bool          inside;       /* ... and has not ended */
};

/* Called before the first file and after the last. */
void   source_start(struct source *source);
void   source_end(struct source *source);

/* Opens a file; "-" is standard input.  On failure returns false and sets `error`. */
bool   source_open(struct source *source, const char *file);
void   source_close(struct source *source);

/* Reads some bytes of the open file, decompressed.  Returns 0 at its end and after an error. */
size_t source_read(struct source *source, char *to, size_t room);

/* Reads more compressed bytes if all have been used.  Returns false at the end of the file. */
bool   source_refill(struct source *source);

/* Sets `error`.  The caller reports it after it has processed what was read before. */
void   source_fail(struct source *source, const char *why);

/* If set, for example by a signal handler, nothing more is read. */
extern volatile sig_atomic_t source_stop;

#endif
