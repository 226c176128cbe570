/*
 * lines.c: the input: lines of files, packed or not, in blocks.
 *
 * Files are read in blocks of 64 KiB, cut after the last separator;
 * what is left begins the next block.  A short read makes a short block, so that what
 * comes slowly through a pipe is dealt with as it comes.  Files packed by gzip or zstd
 * are recognised by their first bytes.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include "args.h"
#include "print.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK_LEN ((size_t)64 << 10) /* with what is done to it, within the cache */
#define TAKEN     256                /* lines at a time, at most */
#define LINE_MAX_ ((size_t)16 << 20) /* longer lines than this are no lines */

char line_separator = '\n';
volatile sig_atomic_t lines_stop;
static bool lines_fields;
static char lines_return = '\r'; /* is no part of the key */
static char lines_delimiter = '\t';

struct lines {
    char **files;
    size_t n, next;
    const char *name; /* of the file that is open */
    int fd;           /* below zero: none is */
    bool ended;       /* it has no more */
    char error[512];  /* why nothing more can be read */
    bool counting;
    uint64_t line;
    char *rest; /* of the last block: the beginning of a line */
    size_t rest_len, rest_room;

    enum { PLAIN, GZIP, ZSTD } packing;
    char *packed; /* bytes read and not yet unpacked, from packed_at to packed_len */
    size_t packed_at, packed_len;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool begun;  /* any packed stream has */
    bool inside; /* a packed stream has begun and not ended */
};

static void *lines_memory(void *old, size_t len)
{
    void *memory = realloc(old, len);
    if (!memory)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
    return memory;
}

/* There is no going on, but others may still be busy with what came before. */
static void lines_fail(struct lines *l, const char *why)
{
    if (!l->error[0])
        snprintf(l->error, sizeof l->error, "%s: %s", l->name, why);
    l->next = l->n;
    l->inside = false;
}

void lines_check(const struct lines *l)
{
    if (l->error[0])
        fail("%s", l->error);
}

/* ---- Bytes of one file; an error looks like its end ---- */

static size_t lines_read(struct lines *l, char *to, size_t room)
{
    ssize_t got;
    do
        got = lines_stop ? 0 : read(l->fd, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        lines_fail(l, strerror(errno));
        return 0;
    }
    progress_add((uint64_t)got);
    return (size_t)got;
}

/* More packed bytes, if all have been used.  False at the end of the file. */
static bool lines_refill(struct lines *l)
{
    if (l->packed_at < l->packed_len)
        return true;
    l->packed_at = 0;
    l->packed_len = lines_read(l, l->packed, BLOCK_LEN);
    if (l->packed_len == 0 && l->inside)
        lines_fail(l, "the packed data is cut short");
    return l->packed_len > 0;
}

static size_t lines_gunzip(struct lines *l, char *to, size_t room)
{
    z_stream *z = &l->gzip;
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)room;
    while (z->avail_out == room && lines_refill(l)) {
        if (!l->inside && l->begun && l->packed[l->packed_at] == 0) {
            l->packed_at++; /* zeros may follow the last member, to fill a tape */
            continue;
        }
        if (!l->inside)
            inflateReset(z);
        l->begun = true;
        l->inside = true;
        z->next_in = (Bytef *)l->packed + l->packed_at;
        z->avail_in = (uInt)(l->packed_len - l->packed_at);
        const int rc = inflate(z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END) {
            lines_fail(l, "the packed data is damaged");
            break;
        }
        l->packed_at = l->packed_len - z->avail_in;
        l->inside = rc != Z_STREAM_END;
    }
    return room - z->avail_out;
}

static size_t lines_unzstd(struct lines *l, char *to, size_t room)
{
    ZSTD_outBuffer out = { to, room, 0 };
    while (out.pos == 0 && lines_refill(l)) {
        ZSTD_inBuffer in = { l->packed, l->packed_len, l->packed_at };
        const size_t rc = ZSTD_decompressStream(l->zstd, &out, &in);
        if (ZSTD_isError(rc)) {
            lines_fail(l, "the packed data is damaged");
            break;
        }
        l->packed_at = in.pos;
        l->inside = rc != 0;
    }
    return out.pos;
}

/* Some bytes of the open file as they were before packing; 0 at its end. */
static size_t lines_bytes(struct lines *l, char *to, size_t room)
{
    switch (l->packing) {
    case GZIP: return lines_gunzip(l, to, room);
    case ZSTD: return lines_unzstd(l, to, room);
    case PLAIN: break;
    }
    if (l->packed_at < l->packed_len) { /* what was looked at to see how it is packed */
        const size_t left = l->packed_len - l->packed_at;
        memcpy(to, l->packed + l->packed_at, left);
        l->packed_at = l->packed_len;
        return left;
    }
    return lines_read(l, to, room);
}

/* ---- One file after the other ---- */

/* The first bytes say how it is packed. */
static void lines_look(struct lines *l)
{
    static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
    l->packed_at = l->packed_len = 0;
    l->inside = l->begun = false;
    do { /* as many bytes as it takes to tell, and not one that may be long in coming */
        const size_t got = lines_read(l, l->packed + l->packed_len, 4 - l->packed_len);
        if (got == 0)
            break;
        l->packed_len += got;
    } while (l->packed_len < 4 &&
             (memcmp(l->packed, gzip, l->packed_len < 2 ? 1 : 2) == 0 ||
              memcmp(l->packed, zstd, l->packed_len) == 0));
    if (l->packed_len >= 2 && memcmp(l->packed, gzip, 2) == 0) {
        l->packing = GZIP;
        inflateEnd(&l->gzip);
        if (inflateInit2(&l->gzip, 15 + 16) != Z_OK)
            fail("%s: %s", l->name, petal_strerror(PETAL_E_MEMORY));
    } else if (l->packed_len == 4 && memcmp(l->packed, zstd, 4) == 0) {
        l->packing = ZSTD;
        if (!l->zstd && !(l->zstd = ZSTD_createDStream()))
            fail("%s: %s", l->name, petal_strerror(PETAL_E_MEMORY));
        ZSTD_initDStream(l->zstd);
    } else {
        l->packing = PLAIN;
    }
}

static bool lines_next_file(struct lines *l)
{
    if (l->next == l->n || lines_stop)
        return false;
    const char *file = l->files[l->next++];
    const bool standard = strcmp(file, "-") == 0;
    l->name = standard ? "standard input" : file;
    l->fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (l->fd < 0 || fstat(l->fd, &st) < 0) {
        lines_fail(l, strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        lines_fail(l, strerror(EISDIR));
        return false;
    }
    l->ended = false;
    l->line = 0;
    lines_look(l);
    return true;
}

static void lines_end_file(struct lines *l)
{
    if (l->fd > STDIN_FILENO)
        close(l->fd);
    l->fd = -1;
}

/* How the options say that keys are found in lines. */
static void lines_options(void)
{
    line_separator = input.null ? 0 : '\n';
    lines_return = input.null ? 0 : '\r';
    lines_fields = input.field > 0;
    const char *d = input.delimiter;
    if (d && !lines_fields)
        fail("-d: needs -f, the number of the field");
    if (d && strcmp(d, "\\t") == 0)
        d = "\t";
    if (d && strlen(d) != 1)
        fail("-d %s: one character separates fields", d);
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
    *l = (struct lines){ .files = n ? files : standard_input, .n = n ? n : 1, .fd = -1 };
    l->packed = lines_memory(NULL, BLOCK_LEN);
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

/* Keep what comes after the last separator for the next block. */
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

/* A block that ends in a separator, from the open file.  False if nothing is left. */
static bool lines_fill(struct lines *l, struct block *b)
{
    size_t len = l->rest_len;
    block_reserve(b, len + BLOCK_LEN + 1);
    if (len)
        memcpy(b->buffer, l->rest, len);
    l->rest_len = 0;
    for (;;) {
        const size_t got = lines_bytes(l, b->buffer + len, BLOCK_LEN);
        char *last = block_last_separator(b->buffer + len, got);
        len += got;
        if (got == 0) { /* the last line may lack its separator */
            if (l->error[0] || lines_stop)
                len = 0; /* nor is it the last line */
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
            lines_fail(l, "a line is longer than 16 MiB");
            l->ended = true;
            return false;
        }
        block_reserve(b, len + BLOCK_LEN + 1);
    }
    b->at = b->buffer;
    b->file = l->name;
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
        if (l->fd < 0 && !lines_next_file(l))
            return false;
        const bool got = lines_fill(l, b);
        if (l->ended)
            lines_end_file(l);
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
    lines_end_file(l);
    inflateEnd(&l->gzip);
    ZSTD_freeDStream(l->zstd);
    free(l->packed);
    free(l->rest);
    free(l);
}

/* ---- Lines ---- */

/* Which of the next 64 bytes are separators, bit by bit.  There is room behind a block. */
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

/* The field of the line that is the key, if it has so many. */
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
