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
    const struct origin *origin;    /* how its records are read (select.h), or NULL */
    uint64_t    line;           /* number of lines before `at`, if lines are counted */
    char       *buffer;         /* the memory */
    size_t      room;
    size_t      start;          /* where in it the bytes of the block begin */
};

struct line {
    const char *text;           /* without the separator */
    size_t      text_len;
};

/* A stream of the lines of all files.  "-", or no files, is standard input. */
struct lines;

struct lines *lines_open(char **files, size_t n);

/* Counts lines, so that block.line is set. */
void lines_count(struct lines *lines);

/* The same for keys: every block has its origin, and ends with a whole record.  Between
 * select_start() and the first block. */
void lines_select(struct lines *lines);

/* Reads the first block ahead, and returns its origin; NULL if the input is empty. */
const struct origin *lines_look(struct lines *lines);

/* Reads the next block into its own memory, which grows as needed.  Returns false at the end
 * or after a read error.  lines_check() and lines_close() then report the error and end the
 * program, so that all lines before the error are processed first. */
bool lines_block(struct lines *lines, struct block *block);
void lines_check(const struct lines *lines);

/* The total size of the files in bytes, 0 if unknown. */
uint64_t lines_total(char **files, size_t n);

void lines_close(struct lines *lines);

/* What ends a line, from the options, and what may precede it without being part of the key. */
extern char   line_separator, line_return;

/* blocks.c: the lines of a block. */

/* How many lines it has. */
uint64_t block_count(const struct block *block);

/* Takes up to `most` lines of a block as keys.  The text of a line ends where the next
 * starts.  Returns 0 after the last. */
size_t block_keys(struct block *block, petal_key *keys, size_t most);

/* Takes the next line of a block.  Returns false after the last. */
bool   block_next(struct block *block, struct line *line);

#endif
