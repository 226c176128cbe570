/* SPDX-License-Identifier: BSD-2-Clause */
/* work.h: process blocks of lines in several threads, with results in order. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "buffer.h"
#include "records.h"

/* The result of one block: bytes, and counts defined by the command. */
struct result {
    struct buffer out;
    struct buffer notes;        /* for what does not go to `out` */
    uint64_t      tally[80];
    struct batch *batch;        /* to read records into; work_run() reports its skips */
    void         *own;          /* of the command; stays from block to block */
};

struct work {
    /* Processes a block, in any thread and in any order; `result` is empty. */
    void (*each)(void *context, struct block *block, struct result *result);

    /* Takes the results in the order of the input, one at a time. */
    void (*done)(void *context, struct block *block, struct result *result);
    void  *context;

    /* Frees result->own, unless NULL. */
    void (*drop)(void *own);
};

void work_run(struct lines *lines, unsigned threads, const struct work *work);

#endif
