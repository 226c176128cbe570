/* SPDX-License-Identifier: BSD-2-Clause */
/* source.h: the bytes of one file after the other, packed or not. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct source {
    const char   *name;         /* of the file that is open */
    int           fd;           /* below zero: none is */
    char          error[512];   /* why nothing more can be read; "": it can */

    enum { PLAIN, GZIP, ZSTD } packing;
    char         *packed;       /* bytes read and not yet unpacked, from packed_at to
                                   packed_len */
    size_t        packed_at, packed_len;
    void         *gzip, *zstd;  /* how far unpacking is: unpack_gzip.c, unpack_zstd.c */
    bool          begun;        /* any packed stream has */
    bool          inside;       /* a packed stream has begun and not ended */
};

/* Before the first file, and after the last. */
void   source_start(struct source *source);
void   source_end(struct source *source);

/* "-" is standard input.  False if it cannot be opened; `error` says why. */
bool   source_open(struct source *source, const char *file);
void   source_close(struct source *source);

/* Some bytes of the open file as they were before packing.  0 at its end, and after an
 * error. */
size_t source_read(struct source *source, char *to, size_t room);

/* More packed bytes, if all have been used.  False at the end of the file. */
bool   source_refill(struct source *source);

/* Notes why there is no going on: what came before is dealt with first. */
void   source_fail(struct source *source, const char *why);

/* Set, from a signal's handler too: nothing more is read. */
extern volatile sig_atomic_t source_stop;

#endif
