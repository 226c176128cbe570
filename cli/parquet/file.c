/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.c: Parquet files, and the filters in them, for the commands.
 *
 * A file ends with its footer, the length of the footer and four bytes "PAR1".  Only the
 * footer and the filters are read, so it does not matter how large the file is.  Memory is
 * never allocated for more bytes than the file has.
 */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include "buffer.h"
#include "print.h"
#include "text.h"

#include <petal_host.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_LEN 4
#define TAIL_LEN  8 /* the length of the footer, and the magic */
#define NAME_ROOM 1024

/* Reads bytes at an offset.  Returns how many there are. */
static size_t file_read(const struct parquet_file *f, uint64_t at, void *to, size_t len)
{
    size_t done = 0;
    if (lseek(f->fd, (off_t)at, SEEK_SET) < 0)
        fail_system(f->path);
    while (done < len) {
        const ssize_t got = read(f->fd, (char *)to + done, len - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail_system(f->path);
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static void file_read_all(const struct parquet_file *f, uint64_t at, void *to, size_t len)
{
    if (file_read(f, at, to, len) < len)
        fail("%s: the file became shorter while it was read", f->path);
}

static void *file_room(uint64_t len)
{
    void *room = len < SIZE_MAX / 2 ? malloc(len ? (size_t)len : 1) : NULL;
    if (!room)
        fail_memory();
    return room;
}

bool parquet_is_one(const char *path)
{
    char magic[MAGIC_LEN];
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    struct parquet_file f = { .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
    if (f.fd < 0)
        return false;
    const size_t got = file_read(&f, 0, magic, MAGIC_LEN);
    close(f.fd);
    return got == MAGIC_LEN &&
           (memcmp(magic, "PAR1", 4) == 0 || memcmp(magic, "PARE", 4) == 0);
}

/* Returns the length of the footer. */
static size_t file_tail(const struct parquet_file *f)
{
    uint8_t head[MAGIC_LEN] = { 0 }, tail[TAIL_LEN];
    file_read(f, 0, head, MAGIC_LEN);
    if (memcmp(head, "PARE", 4) == 0)
        fail("%s: the footer is encrypted, so its filters cannot be found", f->path);
    if (memcmp(head, "PAR1", 4) != 0)
        fail("%s: not a Parquet file", f->path);
    if (f->len < MAGIC_LEN + TAIL_LEN)
        fail("%s: truncated: bytes are missing at the end", f->path);
    file_read_all(f, f->len - TAIL_LEN, tail, TAIL_LEN);
    if (memcmp(tail + 4, "PAR1", 4) != 0)
        fail("%s: truncated: a Parquet file ends with PAR1", f->path);
    const uint32_t len = tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 |
                         (uint32_t)tail[3] << 24;
    if (len > f->len - MAGIC_LEN - TAIL_LEN)
        fail("%s: corrupt: its footer would have %s of the %s bytes", f->path,
             text_count(len), text_count(f->len));
    return len;
}

void parquet_open(struct parquet_file *f, const char *path)
{
    struct stat st;
    size_t where;
    *f = (struct parquet_file){ .path = path };
    if (strcmp(path, "-") == 0)
        fail("a Parquet file is read from its end, so it cannot come from standard input");
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &st) < 0)
        fail_system(path);
    if (!S_ISREG(st.st_mode))
        fail("%s: %s", path, S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file");
    f->len = (uint64_t)st.st_size;
    const size_t len = file_tail(f);
    f->footer = file_room(len);
    const uint64_t at = f->len - TAIL_LEN - len;
    file_read_all(f, at, f->footer, len);
    const char *why = parquet_read(f->footer, len, f->len, &f->meta, &where);
    if (why)
        fail("%s: its footer is damaged at byte %s: %s", path, text_count(at + where), why);
}

void parquet_close(struct parquet_file *f)
{
    parquet_free(&f->meta);
    free(f->footer);
    close(f->fd);
}

/* ---- Columns ---- */

bool parquet_has_filter(const struct parquet_file *f, size_t group, size_t column)
{
    const struct parquet_chunk *chunk = parquet_chunk(&f->meta, group, column);
    return chunk->filter_at && !chunk->elsewhere && !chunk->encrypted;
}

static bool file_column_has_filters(const struct parquet_file *f, size_t column)
{
    for (size_t g = 0; g < f->meta.groups_n; g++)
        if (parquet_has_filter(f, g, column))
            return true;
    return false;
}

const char *parquet_column_name(const struct parquet_file *f, size_t column)
{
    char name[NAME_ROOM];
    parquet_path(&f->meta, column, name, sizeof name);
    text_harmless(name);
    return text_format("%s", name);
}

/* Ends the program with a sentence about the columns that have filters. */
_Noreturn static void file_refuse_column(const struct parquet_file *f, const char *name)
{
    struct buffer names = { 0 };
    size_t n = 0;
    for (size_t c = 0; c < f->meta.columns_n && n < 20; c++)
        if (file_column_has_filters(f, c)) {
            const char *one = parquet_column_name(f, c);
            buffer_put(&names, ", ", n++ ? 2 : 0);
            buffer_put(&names, one, strlen(one));
        }
    buffer_put(&names, "", 1);
    if (n == 0)
        fail("%s: no column has filters", f->path);
    if (name)
        fail("%s: no column %s; filters have %s", f->path, name, names.bytes);
    fail("%s: several columns have filters: choose one with --column: %s", f->path,
         names.bytes);
}

size_t parquet_column(const struct parquet_file *f, const char *name)
{
    char path[NAME_ROOM];
    size_t found = SIZE_MAX, n = 0;
    for (size_t c = 0; c < f->meta.columns_n; c++) {
        if (name ? parquet_path(&f->meta, c, path, sizeof path) < sizeof path &&
                       strcmp(path, name) == 0
                 : file_column_has_filters(f, c)) {
            found = c;
            n++;
        }
    }
    if (n != 1)
        file_refuse_column(f, name);
    if (!file_column_has_filters(f, found))
        fail("%s: column %s has no filters; petal parquet %s lists those that there are",
             f->path, name, f->path);
    return found;
}

petal_form parquet_form(const struct parquet_file *f, size_t column)
{
    switch (parquet_type(&f->meta, column)) {
    case PARQUET_INT32: return PETAL_FORM_INT32;
    case PARQUET_INT64: return PETAL_FORM_INT64;
    case PARQUET_FLOAT: return PETAL_FORM_FLOAT;
    case PARQUET_DOUBLE: return PETAL_FORM_DOUBLE;
    default: return PETAL_FORM_RAW;
    }
}

/* ---- Filters ---- */

_Noreturn static void file_refuse_filter(const struct parquet_file *f, size_t group,
                                         size_t column, const char *why)
{
    fail("%s: the filter of column %s in row group %s, at byte %s, cannot be used: %s",
         f->path, parquet_column_name(f, column), text_count(group),
         text_count(parquet_chunk(&f->meta, group, column)->filter_at), why);
}

petal_filter *parquet_filter(const struct parquet_file *f, size_t group, size_t column,
                             petal_form form)
{
    const uint64_t at = parquet_chunk(&f->meta, group, column)->filter_at;
    const petal_options o = { .kind = PETAL_SPLIT, .form = form };
    uint8_t header[PARQUET_HEADER_MAX];
    uint64_t len;
    size_t header_len;
    petal_filter *filter;
    const size_t got = file_read(f, at, header, sizeof header);
    const char *why = parquet_filter_header(header, got, &header_len, &len);
    if (!why && len > f->len - at - header_len)
        why = "it is larger than the rest of the file";
    if (why)
        file_refuse_filter(f, group, column, why);
    void *cells = file_room(len);
    file_read_all(f, at + header_len, cells, (size_t)len);
    const int rc = petal_import(&o, cells, (size_t)len, &filter);
    if (rc < 0)
        file_refuse_filter(f, group, column, petal_strerror(rc));
    free(cells);
    return filter;
}

petal_filter *parquet_everything(petal_form form)
{
    const petal_options o = { .kind = PETAL_SPLIT, .form = form };
    uint8_t block[32];
    petal_filter *filter;
    memset(block, 255, sizeof block);
    if (petal_import(&o, block, sizeof block, &filter) < 0)
        fail_memory();
    return filter;
}
