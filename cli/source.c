/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.c: read the bytes of files, compressed or not.
 *
 * Files compressed with gzip or zstd are recognised by their first bytes, and decompressed
 * by unpack_gzip.c and unpack_zstd.c.  A read returns what is available, so that data from
 * a slow pipe is processed as soon as it arrives.
 */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include "print.h"
#include "progress.h"
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKED_LEN ((size_t)64 << 10)

volatile sig_atomic_t source_stop;

void source_fail(struct source *s, const char *why)
{
    if (!s->error[0])
        snprintf(s->error, sizeof s->error, "%s: %s", s->name, why);
    s->inside = false;
}

static size_t source_take(struct source *s, char *to, size_t room)
{
    ssize_t got;
    do
        got = source_stop ? 0 : read(s->fd, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        source_fail(s, strerror(errno));
        return 0;
    }
    progress_add((uint64_t)got);
    return (size_t)got;
}

bool source_refill(struct source *s)
{
    if (s->packed_at < s->packed_len)
        return true;
    s->packed_at = 0;
    s->packed_len = source_take(s, s->packed, PACKED_LEN);
    if (s->packed_len == 0 && s->inside)
        source_fail(s, "the compressed file is truncated");
    return s->packed_len > 0;
}

size_t source_read(struct source *s, char *to, size_t room)
{
    switch (s->packing) {
    case GZIP: return gzip_read(s, to, room);
    case ZSTD: return zstd_read(s, to, room);
    case PLAIN: break;
    }
    if (s->packed_at < s->packed_len) { /* the bytes that source_look() read */
        const size_t left = s->packed_len - s->packed_at, len = left < room ? left : room;
        memcpy(to, s->packed + s->packed_at, len);
        s->packed_at += len;
        return len;
    }
    return source_take(s, to, room);
}

/* Recognises the compression by the first bytes. */
static void source_look(struct source *s)
{
    static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
    s->packed_at = s->packed_len = 0;
    s->inside = s->begun = false;
    do { /* no more reads than necessary: on a pipe, the next bytes may be long in coming */
        const size_t got =
            source_take(s, s->packed + s->packed_len, PACKED_LEN - s->packed_len);
        if (got == 0)
            break;
        s->packed_len += got;
    } while (s->packed_len < 4 &&
             (memcmp(s->packed, gzip, s->packed_len < 2 ? 1 : 2) == 0 ||
              memcmp(s->packed, zstd, s->packed_len) == 0));
    if (s->packed_len >= 2 && memcmp(s->packed, gzip, 2) == 0) {
        s->packing = GZIP;
        gzip_start(s);
    } else if (s->packed_len >= 4 && memcmp(s->packed, zstd, 4) == 0) {
        s->packing = ZSTD;
        zstd_start(s);
    } else {
        s->packing = PLAIN;
    }
}

bool source_open(struct source *s, const char *file)
{
    const bool standard = strcmp(file, "-") == 0;
    s->name = standard ? "standard input" : file;
    s->fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (s->fd < 0 || fstat(s->fd, &st) < 0) {
        source_fail(s, strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        source_fail(s, strerror(EISDIR));
        return false;
    }
    source_look(s);
    return true;
}

void source_close(struct source *s)
{
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    s->fd = -1;
}

void source_start(struct source *s)
{
    *s = (struct source){ .fd = -1, .packed = malloc(PACKED_LEN) };
    if (!s->packed)
        fail_memory();
}

void source_end(struct source *s)
{
    source_close(s);
    gzip_end(s);
    zstd_end(s);
    free(s->packed);
}
