/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h: read lines from files, compressed or not, in blocks. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <petal.h>

#include <string.h>

/* Whole lines, each followed by its separator.  BLOCK_SLACK bytes after the block may be read;
 * their values are undefined. */
#define BLOCK_SLACK 64
struct block {
    char       *at, *end;       /* the lines not yet taken */
    const char *file;           /* name of the file */
    uint64_t    line;           /* number of lines before it, if lines are counted */
    char       *buffer;         /* the memory */
    size_t      room;
};

struct line {
    const char *text;           /* without the separator */
    size_t      text_len;
    const char *key;            /* the key field; NULL if the line lacks it */
    size_t      key_len;
};

/* A stream of the lines of all files.  "-", or no files, is standard input. */
struct lines;

struct lines *lines_open(char **files, size_t n);

/* Counts lines, so that block.line is set. */
void lines_count(struct lines *lines);

/* Reads the next block into its own memory, which grows as needed.  Returns false at the end
 * or after a read error.  lines_check() and lines_close() then report the error and end the
 * program, so that all lines before the error are processed first. */
bool lines_block(struct lines *lines, struct block *block);
void lines_check(const struct lines *lines);

/* The total size of the files in bytes, 0 if unknown. */
uint64_t lines_total(char **files, size_t n);

void lines_close(struct lines *lines);

/* What ends a line, from the options. */
extern char   line_separator;

/* Takes up to `most` lines of a block.  Returns 0 after the last. */
size_t block_take(struct block *block, struct line *lines, size_t most);

/* The same as keys, if the key is the line.  The text of a line ends where the next starts. */
size_t block_keys(struct block *block, petal_key *keys, size_t most);
bool   lines_are_keys(void);

/* Takes the next line of a block.  Returns false after the last. */
static inline bool block_next(struct block *block, struct line *line)
{
    return block_take(block, line, 1) == 1;
}

#endif
