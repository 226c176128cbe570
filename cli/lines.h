/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h: the input: lines of files, packed or not, in blocks. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <petal.h>

#include <string.h>

/* Whole lines, each with its separator at the end, the last one too.  BLOCK_SLACK bytes
 * behind it may be read, whatever they are. */
#define BLOCK_SLACK 64
struct block {
    char       *at, *end;       /* what is left of it */
    const char *file;           /* where it is from */
    uint64_t    line;           /* how many lines were before it, if lines are counted */
    char       *buffer;         /* the memory */
    size_t      room;
};

struct line {
    const char *text;           /* without the separator */
    size_t      text_len;
    const char *key;            /* the field that is asked for; NULL if it has none */
    size_t      key_len;
};

/* One stream of all the files, "-" or none at all being standard input. */
struct lines;

struct lines *lines_open(char **files, size_t n);

/* Count lines, so that block.line is right. */
void lines_count(struct lines *lines);

/* The next block, in its own memory, which is made larger where needed.  False at the
 * end, or where something cannot be read: lines_check() then ends the program and says
 * what; lines_close() does it as well.  So all that came before is dealt with first. */
bool lines_block(struct lines *lines, struct block *block);
void lines_check(const struct lines *lines);

/* How many bytes there are to read, 0 if nobody knows. */
uint64_t lines_total(char **files, size_t n);

void lines_close(struct lines *lines);

/* How lines end, as the options say. */
extern char   line_separator;

/* The next lines of a block, as many as there are room for; 0 after the last. */
size_t block_take(struct block *block, struct line *lines, size_t most);

/* The same as keys alone, where the key is the line; its text ends where the next begins. */
size_t block_keys(struct block *block, petal_key *keys, size_t most);
bool   lines_are_keys(void);

/* The next line of a block, false after the last. */
static inline bool block_next(struct block *block, struct line *line)
{
    return block_take(block, line, 1) == 1;
}

#endif
