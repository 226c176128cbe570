/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work.c: process blocks of lines in several threads, with results in order.
 *
 * Every thread does the same.  It takes the next block from the input, one thread at a
 * time, and processes it.  If its result is the next one due, it delivers that and all
 * later results that are ready.  There are four times as many slots for blocks as threads,
 * so that threads seldom wait for a slow block, and memory use stays small.  Threads start
 * with the second block: to start one takes longer than a short input does.
 */
#define _POSIX_C_SOURCE 200809L
#include "work.h"

#include "args.h"
#include "print.h"
#include "select.h"
#include "system.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* A block in progress. */
struct slot {
    struct block block;
    struct result result;
    bool ready;
};

struct pool {
    struct lines *lines;
    const struct work *work;
    struct slot *slots;
    uint64_t n_slots;
    pthread_mutex_t input;  /* held to take a block */
    uint64_t taken;         /* blocks so far */
    pthread_mutex_t output; /* guards the members below and `ready` of the slots */
    pthread_cond_t moved;
    uint64_t due;    /* the block whose result is next */
    bool delivering; /* a thread is delivering results */
};

/* Returns a slot with the next block, or NULL at the end. */
static struct slot *pool_take(struct pool *pool)
{
    pthread_mutex_lock(&pool->input);
    pthread_mutex_lock(&pool->output);
    while (pool->taken - pool->due == pool->n_slots)
        pthread_cond_wait(&pool->moved, &pool->output);
    pthread_mutex_unlock(&pool->output);
    struct slot *slot = &pool->slots[pool->taken % pool->n_slots];
    const bool got = lines_block(pool->lines, &slot->block);
    pool->taken += got;
    pthread_mutex_unlock(&pool->input);
    return got ? slot : NULL;
}

/* Delivers all results that are ready, starting with the one that is due. */
static void pool_deliver(struct pool *pool, struct slot *mine)
{
    pthread_mutex_lock(&pool->output);
    mine->ready = true;
    if (!pool->delivering) {
        pool->delivering = true;
        for (struct slot *slot; (slot = &pool->slots[pool->due % pool->n_slots])->ready;) {
            pthread_mutex_unlock(&pool->output);
            select_print_said(slot->block.origin);
            skips_take(&slot->result.batch->skips, slot->block.file);
            pool->work->done(pool->work->context, &slot->block, &slot->result);
            pthread_mutex_lock(&pool->output);
            slot->ready = false;
            pool->due++;
            pthread_cond_signal(&pool->moved);
        }
        pool->delivering = false;
    }
    pthread_mutex_unlock(&pool->output);
}

static void pool_process(struct pool *pool, struct slot *slot)
{
    if (!slot->result.batch)
        slot->result.batch = batch_new();
    slot->result.out.len = slot->result.notes.len = 0;
    memset(slot->result.tally, 0, sizeof slot->result.tally);
    skips_clear(&slot->result.batch->skips);
    pool->work->each(pool->work->context, &slot->block, &slot->result);
    pool_deliver(pool, slot);
}

static void *pool_thread(void *context)
{
    struct pool *pool = context;
    for (struct slot *slot; (slot = pool_take(pool));)
        pool_process(pool, slot);
    return NULL;
}

/* Processes this block and all that follow, in several threads. */
static void pool_share(struct pool *pool, struct slot *slot, unsigned threads)
{
    pthread_t others[THREADS_MAX];
    unsigned started = 0;
    sigset_t all, before;
    fail_with_threads(threads > 1);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* only the first thread handles signals */
    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, pool_thread, pool) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool_process(pool, slot);
    pool_thread(pool);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    fail_with_threads(false);
}

static void pool_start(struct pool *pool, unsigned threads)
{
    pool->n_slots = threads == 1 ? 1 : 4 * (uint64_t)threads;
    pool->slots = calloc((size_t)pool->n_slots, sizeof *pool->slots);
    if (!pool->slots)
        fail_memory();
    system_mutex(&pool->input); /* reading a block is quick */
    system_mutex(&pool->output);
    pthread_cond_init(&pool->moved, NULL);
}

static void pool_end(struct pool *pool)
{
    for (uint64_t i = 0; i < pool->n_slots; i++) {
        free(pool->slots[i].block.buffer);
        free(pool->slots[i].result.out.bytes);
        free(pool->slots[i].result.notes.bytes);
        batch_free(pool->slots[i].result.batch);
        if (pool->work->drop && pool->slots[i].result.own)
            pool->work->drop(pool->slots[i].result.own);
    }
    free(pool->slots);
    pthread_mutex_destroy(&pool->input);
    pthread_mutex_destroy(&pool->output);
    pthread_cond_destroy(&pool->moved);
}

void work_run(struct lines *lines, unsigned threads, const struct work *work)
{
    struct pool pool = { .lines = lines, .work = work };
    pool_start(&pool, threads);
    struct slot *slot = pool_take(&pool);
    if (slot) {
        pool_process(&pool, slot);
        slot = pool_take(&pool);
    }
    if (slot)
        pool_share(&pool, slot, threads);
    pool_end(&pool);
}
