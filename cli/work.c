/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work.c: blocks of lines through several threads, their results in order.
 *
 * Every thread does the same: take the next block from the input, which only one can do
 * at a time; deal with it; and if its result is the one that is due, hand over that and
 * all after it that are ready.  There are a few more slots for blocks than threads, so
 * that nobody waits for one that takes longer, and memory stays small.
 */
#define _POSIX_C_SOURCE 200809L
#include "work.h"

#include "args.h"
#include "print.h"
#include "system.h"

#include <petal.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* A block on its way through. */
struct slot {
    struct block block;
    struct result result;
    bool ready;
};

struct crew {
    struct lines *lines;
    const struct work *work;
    struct slot *slots;
    uint64_t n_slots;
    pthread_mutex_t input;  /* whoever holds it takes a block */
    uint64_t taken;         /* blocks so far */
    pthread_mutex_t output; /* guards all that follows, and `ready` of the slots */
    pthread_cond_t moved;
    uint64_t due; /* whose result is next */
    bool handing; /* somebody hands results over */
};

/* A slot with the next block in it, NULL at the end. */
static struct slot *crew_take(struct crew *crew)
{
    pthread_mutex_lock(&crew->input);
    pthread_mutex_lock(&crew->output);
    while (crew->taken - crew->due == crew->n_slots)
        pthread_cond_wait(&crew->moved, &crew->output);
    pthread_mutex_unlock(&crew->output);
    struct slot *slot = &crew->slots[crew->taken % crew->n_slots];
    const bool got = lines_block(crew->lines, &slot->block);
    crew->taken += got;
    pthread_mutex_unlock(&crew->input);
    return got ? slot : NULL;
}

/* All results that are ready, from the one that is due on. */
static void crew_hand_over(struct crew *crew, struct slot *mine)
{
    pthread_mutex_lock(&crew->output);
    mine->ready = true;
    if (!crew->handing) {
        crew->handing = true;
        for (struct slot *slot; (slot = &crew->slots[crew->due % crew->n_slots])->ready;) {
            pthread_mutex_unlock(&crew->output);
            crew->work->done(crew->work->context, &slot->block, &slot->result);
            pthread_mutex_lock(&crew->output);
            slot->ready = false;
            crew->due++;
            pthread_cond_signal(&crew->moved);
        }
        crew->handing = false;
    }
    pthread_mutex_unlock(&crew->output);
}

static void *crew_member(void *context)
{
    struct crew *crew = context;
    for (struct slot *slot; (slot = crew_take(crew));) {
        slot->result.out.len = slot->result.lacking.len = 0;
        memset(slot->result.tally, 0, sizeof slot->result.tally);
        crew->work->each(crew->work->context, &slot->block, &slot->result);
        crew_hand_over(crew, slot);
    }
    return NULL;
}

static void crew_start(struct crew *crew, unsigned threads)
{
    crew->n_slots = threads == 1 ? 1 : 4 * (uint64_t)threads;
    crew->slots = calloc((size_t)crew->n_slots, sizeof *crew->slots);
    if (!crew->slots)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
    system_mutex(&crew->input); /* reading a block is quick */
    system_mutex(&crew->output);
    pthread_cond_init(&crew->moved, NULL);
}

static void crew_end(struct crew *crew)
{
    for (uint64_t i = 0; i < crew->n_slots; i++) {
        free(crew->slots[i].block.buffer);
        free(crew->slots[i].result.out.bytes);
        free(crew->slots[i].result.lacking.bytes);
    }
    free(crew->slots);
    pthread_mutex_destroy(&crew->input);
    pthread_mutex_destroy(&crew->output);
    pthread_cond_destroy(&crew->moved);
}

void work_run(struct lines *lines, unsigned threads, const struct work *work)
{
    struct crew crew = { .lines = lines, .work = work };
    crew_start(&crew, threads);
    pthread_t others[THREADS_MAX];
    unsigned started = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the first thread */
    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, crew_member, &crew) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    crew_member(&crew);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    crew_end(&crew);
}
