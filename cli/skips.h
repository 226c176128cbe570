/* SPDX-License-Identifier: BSD-2-Clause */
/* skips.h: what was skipped in the input, counted by reason. */
#ifndef CLI_SKIPS_H
#define CLI_SKIPS_H

#include "buffer.h"
#include "span.h"

#include <stdint.h>

/* Why a line, or a part of it, is not a key.  skips.c has the words. */
enum skip {
    SKIP_BLANK, SKIP_COMMENT, SKIP_HEADER, SKIP_LOCAL,  /* nobody misses these */
    SKIP_FIELD, SKIP_CSV, SKIP_JSON, SKIP_VALUE, SKIP_TYPE, SKIP_LONG,
    SKIP_NOT_KEY, SKIP_NOT_NAME, SKIP_PREFIX, SKIP_WILDCARD, SKIP_TEXT_AFTER, SKIP_RANGE, SKIP_MASK,
    SKIP_EXCEPTION, SKIP_COSMETIC, SKIP_REGEX, SKIP_PATTERN, SKIP_OPTIONS, SKIP_FORWARD,
    SKIP_PASSTHRU, SKIP_TRIGGER, SKIP_SYNTAX,
    SKIPS
};

/* What was skipped in one block of input. */
struct skips {
    uint64_t      n[SKIPS];
    struct buffer remarks;      /* the first few, to be named with their lines */
    uint64_t      keys;         /* that were found */
    uint64_t      odd;          /* of these, how many are not, or do not look like, keys */
    struct buffer odd_text;     /* the first odd key, a NUL, and its record */
};

void skips_clear(struct skips *skips);
void skips_free(struct skips *skips);

/* Records that something was skipped.  `text` is shown to the user. */
void skips_put(struct skips *skips, enum skip why, uint64_t line, struct span text);

/* Records a key that does not look like one. */
void skips_put_odd(struct skips *skips, struct span key, struct span record);

/* Adds the skips of a block to those of the whole input, and prints the first remarks.  With
 * --strict the first one is an error.  Called for one block after the other, in order. */
void skips_take(const struct skips *skips, const char *file);

/* A line that is too long to be read at all; comments before a table. */
void skips_take_long(const char *file, uint64_t line);
void skips_take_comments(uint64_t n);

/* Prints how much was skipped, by reason, and whether most keys look wrong.  Once. */
void skips_report(void);

/* The same as members of a JSON report: "skipped": {...}. */
void skips_json(void);

/* The number in the last report, without blank lines, comments and the like. */
uint64_t skips_total(void);

#endif
