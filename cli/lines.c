/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.c: read lines from files, compressed or not, in blocks.
 *
 * Files are read (source.c) in blocks of 64 KiB, which end after the last separator.  The
 * rest starts the next block.  A short read makes a short block, so that lines from a slow
 * pipe are processed as soon as they arrive.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include "args.h"
#include "print.h"
#include "progress.h"
#include "source.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK_LEN ((size_t)64 << 10) /* fits the cache with its results */
#define TAKEN     256                /* lines at a time, at most */
#define LINE_MAX_ ((size_t)16 << 20) /* a longer line is an error */

char line_separator = '\n';
static bool lines_fields;
static char lines_return = '\r'; /* not part of the key */
static char lines_delimiter = '\t';

struct lines {
    char **files;
    size_t n, next;
    struct source source;
    bool ended; /* the open file is read */
    bool counting;
    uint64_t line;
    char *rest; /* the start of a line, left over from the last block */
    size_t rest_len, rest_room;
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
    l->ended = false;
    l->line = 0;
    return source_open(&l->source, l->files[l->next++]);
}

/* Reads the options that say where the key is in a line. */
static void lines_options(void)
{
    line_separator = input.null ? 0 : '\n';
    lines_return = input.null ? 0 : '\r';
    lines_fields = input.field > 0;
    const char *d = input.delimiter;
    if (d && !lines_fields)
        fail("-d needs -f N, the number of the field");
    if (d && strcmp(d, "\\t") == 0)
        d = "\t";
    if (d && strlen(d) != 1)
        fail("-d %s: the separator must be one character", d);
    if (d)
        lines_delimiter = *d;
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
    lines_options();
    l->counting = lines_fields; /* a line may lack the field */
    return l;
}

void lines_count(struct lines *lines)
{
    lines->counting = true;
}

/* ---- Blocks ---- */

static void block_reserve(struct block *b, size_t room)
{
    if (b->room >= room)
        return;
    b->buffer = lines_memory(b->buffer, room + BLOCK_SLACK);
    memset(b->buffer + room, 0, BLOCK_SLACK);
    b->room = room;
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

/* Reads a block that ends in a separator.  Returns false if nothing is left. */
static bool lines_fill(struct lines *l, struct block *b)
{
    size_t len = l->rest_len;
    block_reserve(b, len + BLOCK_LEN + 1);
    if (len)
        memcpy(b->buffer, l->rest, len);
    l->rest_len = 0;
    for (;;) {
        const size_t got = source_read(&l->source, b->buffer + len, BLOCK_LEN);
        char *last = block_last_separator(b->buffer + len, got);
        len += got;
        if (got == 0) { /* the last line may have no separator */
            if (l->source.error[0] || source_stop)
                len = 0; /* this is only a part of a line */
            if (len > 0)
                b->buffer[len++] = line_separator;
            b->end = b->buffer + len;
            l->ended = true;
            break;
        }
        if (last) {
            b->end = last + 1;
            lines_keep(l, b->end, (size_t)(b->buffer + len - b->end));
            break;
        }
        if (len > LINE_MAX_) {
            source_fail(&l->source, "a line is longer than 16 MiB; is this a text file?");
            l->ended = true;
            return false;
        }
        block_reserve(b, len + BLOCK_LEN + 1);
    }
    b->at = b->buffer;
    b->file = l->source.name;
    b->line = l->line;
    return b->at < b->end;
}

static uint64_t block_count(const struct block *b)
{
    uint64_t n = 0;
    for (const char *p = b->at; p < b->end; p++)
        n += *p == line_separator;
    return n;
}

bool lines_block(struct lines *l, struct block *b)
{
    for (;;) {
        if (l->source.fd < 0 && !lines_next_file(l))
            return false;
        const bool got = lines_fill(l, b);
        if (l->ended)
            source_close(&l->source);
        if (!got)
            continue;
        if (l->counting)
            l->line += block_count(b);
        return true;
    }
}

bool lines_are_keys(void)
{
    return !lines_fields;
}

void lines_close(struct lines *l)
{
    progress_end();
    lines_check(l);
    source_end(&l->source);
    free(l->rest);
    free(l);
}

/* ---- Lines ---- */

/* A bit for each of the next 64 bytes: is it a separator?  May read beyond the block. */
static inline uint64_t lines_ends(const char *at)
{
#ifdef __SSE2__
    const __m128i separator = _mm_set1_epi8(line_separator);
    uint64_t ends = 0;
    for (unsigned i = 0; i < 4; i++) {
        const __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(some, separator));
        ends |= (uint64_t)(uint32_t)equal << 16 * i;
    }
    return ends;
#else
    uint64_t ends = 0;
    for (unsigned i = 0; i < 64; i++)
        ends |= (uint64_t)(at[i] == line_separator) << i;
    return ends;
#endif
}

/* Finds the key field; NULL if the line has fewer fields. */
static void lines_field(struct line *line)
{
    const char *at = line->key, *end = at + line->key_len;
    for (uint64_t left = input.field; left > 1; left--) {
        at = memchr(at, lines_delimiter, (size_t)(end - at));
        if (!at) {
            line->key = NULL;
            line->key_len = 0;
            return;
        }
        at++;
    }
    const char *stop = memchr(at, lines_delimiter, (size_t)(end - at));
    line->key = at;
    line->key_len = (size_t)((stop ? stop : end) - at);
}

size_t block_keys(struct block *block, petal_key *keys, size_t most)
{
    const char *start = block->at;
    size_t n = 0;
    for (const char *at = start; at < block->end && n < most; at += 64) {
        uint64_t ends = lines_ends(at);
        if (block->end - at < 64)
            ends &= ((uint64_t)1 << (block->end - at)) - 1;
        for (; ends && n < most; ends &= ends - 1) {
            const char *stop = at + __builtin_ctzll(ends);
            keys[n].data = start;
            keys[n++].len =
                (size_t)(stop - start) - (stop > start && stop[-1] == lines_return);
            start = stop + 1;
        }
    }
    block->at = (char *)(uintptr_t)start;
    return n;
}

size_t block_take(struct block *block, struct line *lines, size_t most)
{
    petal_key keys[TAKEN];
    const size_t n = block_keys(block, keys, most < TAKEN ? most : TAKEN);
    for (size_t i = 0; i < n; i++) {
        const char *start = keys[i].data;
        const char *end = i + 1 < n ? (const char *)keys[i + 1].data : block->at;
        lines[i] = (struct line){ start, (size_t)(end - start) - 1, start, keys[i].len };
        if (lines_fields)
            lines_field(&lines[i]);
    }
    return n;
}
