/* SPDX-License-Identifier: BSD-2-Clause */
/* work.h: process blocks of lines in several threads, with results in order. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "buffer.h"
#include "lines.h"

/* The result of one block: bytes, and counts defined by the command. */
struct result {
    struct buffer out;
    struct buffer lacking;      /* numbers of the lines without a key */
    uint64_t      tally[80];
};

struct work {
    /* Processes a block, in any thread and in any order; `result` is empty. */
    void (*each)(void *context, struct block *block, struct result *result);

    /* Takes the results in the order of the input, one at a time. */
    void (*done)(void *context, struct block *block, struct result *result);
    void  *context;
};

void work_run(struct lines *lines, unsigned threads, const struct work *work);

#endif
