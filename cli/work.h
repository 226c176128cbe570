/* SPDX-License-Identifier: BSD-2-Clause */
/* work.h: blocks of lines through several threads, their results in order. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "buffer.h"
#include "lines.h"

/* What one block gives: bytes, and counts of the command's own. */
struct result {
    struct buffer out;
    struct buffer lacking;      /* numbers of lines that have no key */
    uint64_t      tally[80];
};

struct work {
    /* In any thread, in any order: deal with a block; `result` is empty. */
    void (*each)(void *context, struct block *block, struct result *result);

    /* In the order of the input, never two at once. */
    void (*done)(void *context, struct block *block, struct result *result);
    void  *context;
};

void work_run(struct lines *lines, unsigned threads, const struct work *work);

#endif
