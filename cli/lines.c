/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.c: read lines from files, compressed or not, in blocks.
 *
 * Files are read (source.c) in blocks of 128 KiB, which end after the last separator.  The
 * rest starts the next block, right before the page that is read next.  A short read makes
 * a short block, so that lines from a slow pipe are processed as soon as they arrive.  A
 * row of a table may have newlines within quotes, and a JSON document may be a whole file:
 * select.c knows that from the first block of a file.  A line of more than 16 MiB is
 * skipped.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include "args.h"
#include "print.h"
#include "progress.h"
#include "rows.h"
#include "select.h"
#include "skips.h"
#include "source.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_LEN ((size_t)128 << 10) /* fits the cache with its results */
#define PAGE      ((size_t)4 << 10)
#define LINE_MAX_ ((size_t)16 << 20) /* a longer line is skipped */
#define ROW_MAX   ((size_t)1 << 20)  /* the same for a row */

char line_separator = '\n', line_return = '\r';

struct lines {
    char **files;
    size_t n, next;
    struct source source;
    bool ended; /* the open file is read */
    bool counting, selecting;
    bool skipping;               /* inside a line that is too long */
    const struct origin *origin; /* of the open file; NULL before its first block */
    uint64_t line, offset;       /* lines and bytes of the open file so far */
    char *rest;                  /* the start of a line, left over from the last block */
    size_t rest_len, rest_room;
    struct block ahead; /* read by lines_look() */
    bool has_ahead;
};

static void *lines_memory(void *old, size_t len)
{
    void *memory = realloc(old, len);
    if (!memory)
        fail_memory();
    return memory;
}

void lines_check(const struct lines *l)
{
    if (l->source.error[0])
        fail("%s", l->source.error);
}

/* ---- Files ---- */

static bool lines_next_file(struct lines *l)
{
    if (l->next == l->n || l->source.error[0] || source_stop)
        return false;
    l->ended = l->skipping = false;
    l->origin = NULL;
    l->line = l->offset = 0;
    l->counting |= l->selecting && !select_whole_lines(); /* something may be skipped */
    return source_open(&l->source, l->files[l->next++]);
}

static char *standard_input[] = { "-" };

uint64_t lines_total(char **files, size_t n)
{
    uint64_t total = 0;
    bool known = true;
    for (size_t i = 0; i < (n ? n : 1); i++) {
        const char *file = n ? files[i] : standard_input[0];
        struct stat st;
        if ((strcmp(file, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(file, &st)) < 0)
            fail_system(strcmp(file, "-") == 0 ? "standard input" : file);
        known &= S_ISREG(st.st_mode);
        total += known ? (uint64_t)st.st_size : 0;
    }
    return known ? total : 0;
}

struct lines *lines_open(char **files, size_t n)
{
    struct lines *l = lines_memory(NULL, sizeof *l);
    *l = (struct lines){ .files = n ? files : standard_input, .n = n ? n : 1 };
    source_start(&l->source);
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->files[i], "-") == 0)
            args_claim_input();
    progress_start(lines_total(files, n));
    line_separator = input.null ? 0 : '\n';
    line_return = input.null ? 0 : '\r';
    return l;
}

void lines_select(struct lines *lines)
{
    lines->selecting = true;
}

void lines_count(struct lines *lines)
{
    lines->counting = true;
}

/* ---- Blocks ---- */

/* Makes room for len bytes and the next ones to read. */
static void block_reserve(struct block *b, size_t len)
{
    if (b->room >= len + BLOCK_LEN + 1)
        return;
    b->room = len + BLOCK_LEN + PAGE;
    b->buffer = lines_memory(b->buffer, PAGE + b->room + BLOCK_SLACK);
    memset(b->buffer + b->room, 0, PAGE + BLOCK_SLACK);
}

static char *block_text(const struct block *b)
{
    return b->buffer + b->start;
}

/* Moves len bytes to where the text of the block begins.  The kernel copies pages much
 * faster if a byte has the same place in its page in memory as in the file.  So that is
 * where the byte after these goes, which is the next to read.  At least one byte of memory
 * comes before the text. */
static void block_put(struct block *b, const char *from, size_t len, uint64_t offset)
{
    b->start = (((size_t)offset - (uintptr_t)b->buffer - len - 1) & (PAGE - 1)) + 1;
    if (len && block_text(b) != from)
        memmove(block_text(b), from, len);
}

static char *block_last_separator(const char *from, size_t len)
{
    while (len > 0)
        if (from[--len] == line_separator)
            return (char *)(uintptr_t)(from + len);
    return NULL;
}

/* Keeps the bytes after the last separator for the next block. */
static void lines_keep(struct lines *l, const char *from, size_t len)
{
    if (len > l->rest_room) {
        l->rest = lines_memory(l->rest, len);
        l->rest_room = len;
    }
    if (len)
        memcpy(l->rest, from, len);
    l->rest_len = len;
}

/* How long a record may be.  A row in quotes that do not end would hide what follows. */
static size_t lines_most(const struct lines *l)
{
    if (l->origin && select_is_document(l->origin))
        return SIZE_MAX;
    return l->origin && select_has_rows(l->origin) ? ROW_MAX : LINE_MAX_;
}

/* Where the last whole record of these bytes ends; 0 if there is none. */
static size_t lines_cut(const struct lines *l, const char *from, size_t len)
{
    if (l->origin && select_is_document(l->origin))
        return 0;
    if (l->origin && select_has_rows(l->origin))
        return rows_last_end((struct span){ from, len }, l->origin->delimiter);
    const char *last = block_last_separator(from, len);
    return last ? (size_t)(last + 1 - from) : 0;
}

/* Lets select.c look at the first bytes of a file.  Returns where its first record is. */
static size_t lines_look_at(struct lines *l, struct block *b, size_t len)
{
    b->at = block_text(b);
    b->end = block_text(b) + len;
    l->origin = select_origin(b);
    return (size_t)(b->at - block_text(b));
}

/* A line that is too long is skipped.  A row with an unclosed quote ends with its first
 * line. Returns where that is; 0 if the line is skipped. */
static size_t lines_give_up(struct lines *l, const struct block *b, size_t len)
{
    const char *first = memchr(block_text(b), line_separator, len);
    if (l->origin && select_has_rows(l->origin) && first)
        return (size_t)(first + 1 - block_text(b));
    if (!l->selecting)
        source_fail(&l->source, "a line is longer than 16 MiB; is this a text file?");
    else if (!l->skipping)
        skips_take_long(l->source.name, l->counting ? b->line + 1 : 0);
    l->skipping = true;
    return 0;
}

/* Drops the rest of a line that is too long.  Returns how many bytes are left. */
static size_t lines_drop(struct lines *l, struct block *b, size_t len)
{
    const char *end = memchr(block_text(b), line_separator, len);
    if (!end)
        return 0;
    l->skipping = false;
    b->line++;
    const size_t left = len - (size_t)(end + 1 - block_text(b));
    memmove(block_text(b), end + 1, left);
    return left;
}

/* Reads more.  Returns the new length.  The last line may lack its separator. */
static size_t lines_more(struct lines *l, struct block *b, size_t len)
{
    block_reserve(b, len);
    block_put(b, block_text(b), len, l->offset);
    const size_t in_page = (size_t)(l->offset & (PAGE - 1));
    const size_t got = source_read(&l->source, block_text(b) + len, BLOCK_LEN - in_page);
    l->ended = got == 0;
    l->offset += got;
    len += got;
    if (l->skipping)
        len = got ? lines_drop(l, b, len) : 0;
    if (l->ended && (l->source.error[0] || source_stop))
        len = 0; /* this is only a part of a line */
    if (l->ended && len > 0 && block_text(b)[len - 1] != line_separator)
        block_text(b)[len++] = line_separator;
    return len;
}

/* Is there enough of the file to look at it? */
static bool lines_may_look(const struct lines *l, size_t len, bool has_line)
{
    return l->selecting && !l->origin &&
           (l->ended || (len >= select_looks_at() && has_line));
}

/* Reads a block that ends with a whole record.  Returns false if nothing is left. */
static bool lines_fill(struct lines *l, struct block *b)
{
    size_t len = l->rest_len, at = 0, end = 0;
    size_t looked = 0;     /* bytes that were searched for a separator */
    bool has_line = false; /* there is one */
    block_reserve(b, len);
    block_put(b, l->rest, len, l->offset);
    l->rest_len = 0;
    b->file = l->source.name;
    b->line = l->line;
    while (end == 0) {
        len = lines_more(l, b, len);
        looked = len < looked ? 0 : looked; /* a part was dropped */
        has_line |= memchr(block_text(b) + looked, line_separator, len - looked) != NULL;
        looked = len;
        if (lines_may_look(l, len, has_line))
            at = lines_look_at(l, b, len);
        if (l->ended) {
            end = len;
            break;
        }
        if (has_line && (!l->selecting || l->origin))
            end = lines_cut(l, block_text(b), len);
        if (end == 0 && len > lines_most(l)) {
            end = lines_give_up(l, b, len);
            len = end ? len : 0;
        }
        if (l->source.error[0]) {
            l->ended = true;
            return false;
        }
    }
    lines_keep(l, block_text(b) + end, len - end);
    b->at = block_text(b) + at;
    b->end = block_text(b) + (end > at ? end : at);
    b->origin = l->origin;
    return b->at < b->end;
}

static bool lines_read(struct lines *l, struct block *b)
{
    for (;;) {
        if (l->source.fd < 0 && !lines_next_file(l))
            return false;
        const bool got = lines_fill(l, b);
        if (l->ended)
            source_close(&l->source);
        if (l->counting)
            l->line = b->line + (got ? block_count(b) : 0);
        if (got)
            return true;
    }
}

bool lines_block(struct lines *l, struct block *b)
{
    if (!l->has_ahead)
        return lines_read(l, b);
    free(b->buffer);
    *b = l->ahead;
    l->has_ahead = false;
    return true;
}

const struct origin *lines_look(struct lines *l)
{
    if (!l->has_ahead)
        l->has_ahead = lines_read(l, &l->ahead);
    return l->has_ahead ? l->ahead.origin : NULL;
}

void lines_close(struct lines *l)
{
    progress_end();
    lines_check(l);
    if (l->selecting) {
        out_flush(); /* what was found comes before what was skipped */
        skips_report();
    }
    source_end(&l->source);
    free(l->rest);
    free(l);
}
