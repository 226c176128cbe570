/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tasks.c: commands on large filters that do not stop the server.
 *
 * To count the bits of a large filter, to compute its checksums or to merge it takes up to
 * seconds, and all other clients would wait.  So the client of such a command is blocked,
 * and a timer copies the filter in slices of a millisecond.  When the copy is complete, a
 * thread does the rest with it, and the client gets its reply.  The thread uses nothing
 * that belongs to the server, so it needs no lock.
 *
 * Between two slices everything can happen to the key.  The filter is looked up again for
 * each of them, and petal_copy_some() notices if it is another one or has changed.  Then
 * the copy begins again.  After TRIES_MAX copies, or if anything else fails, the command is
 * carried out at once, as if there were no tasks.  So a task always ends, and an error is
 * always the one that the command itself reports.
 *
 * Some clients cannot wait: those in transactions and scripts, masters and AOF files. Their
 * commands are carried out at once.
 */
#define _POSIX_C_SOURCE 200809L
#include "tasks.h"

#include "filter.h"
#include "memory.h"
#include "reply.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define LARGE_LEN   ((size_t)1 << 20) /* filters below take less than a few milliseconds */
#define STEP_LEN    ((size_t)128 << 10)
#define SLICE_NS    1000000
#define TICK_MS     1
#define TRIES_MAX   3
#define RUNNING_MAX 4 /* tasks that are carried out at the same time; others wait */

#define READ_LIMIT (SIZE_MAX - 1) /* of a copy: as large as the memory that is left */

#define CANNOT_WAIT                                                     \
    (REDISMODULE_CTX_FLAGS_LUA | REDISMODULE_CTX_FLAGS_MULTI |          \
     REDISMODULE_CTX_FLAGS_REPLICATED | REDISMODULE_CTX_FLAGS_LOADING | \
     REDISMODULE_CTX_FLAGS_ASYNC_LOADING | REDISMODULE_CTX_FLAGS_DENY_BLOCKING)

enum state { COPYING, WORKING, READY, FAILED };

struct task_engine {
    struct task *next;
    const struct task_plan *plan;
    RedisModuleBlockedClient *client;
    RedisModuleCtx *replies; /* for the thread */
    int db;
    size_t limit;
    size_t at;       /* the key that is copied, or was copied last */
    size_t complete; /* copies */
    size_t part_from, part_done;
    unsigned tries;
    enum state state;
    enum state worked; /* set by the thread when it is done: WORKING before */
    bool gone;         /* the client has disconnected */
};

static struct task *tasks_first;
static bool tasks_ticking;
static bool tasks_at_once; /* the command of a task that failed is being carried out */
static uint32_t tasks_ids;

struct task_counters task_counters;

size_t tasks_in_progress(void)
{
    size_t n = 0;
    for (const struct task *task = tasks_first; task; task = task->engine->next)
        n++;
    return n;
}

bool tasks_is_large(const petal_filter *filter)
{
    return petal_shape_of(filter)->image_bytes >= LARGE_LEN;
}

/* ---- From new to free ---- */

/* Each copy has an id of its own, even if it is one more of the same filter. */
static void task_set_ids(struct task *task)
{
    for (size_t i = 0; i < task->n; i++) {
        if (++tasks_ids == 0)
            tasks_ids = 1;
        task->copies[i] = (petal_copying){ .id = tasks_ids };
    }
}

static struct task *task_new(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                             RedisModuleString **names, size_t n, size_t limit)
{
    struct task *task = RedisModule_Calloc(1, sizeof *task);
    task->engine = RedisModule_Calloc(1, sizeof *task->engine);
    task->argv = RedisModule_Alloc((size_t)argc * sizeof *argv);
    task->argc = argc;
    for (int i = 0; i < argc; i++) {
        RedisModule_RetainString(NULL, argv[i]);
        task->argv[i] = argv[i];
    }
    task->names = task->argv + (names - argv);
    task->n = n;
    task->copies = RedisModule_Calloc(n, sizeof *task->copies);
    task_set_ids(task);
    task->engine->db = RedisModule_GetSelectedDb(ctx);
    task->engine->limit = limit;
    return task;
}

static void task_drop_part(struct task *task)
{
    if (task->part)
        memory_free(task->part);
    task->part = NULL;
}

/* Frees the copies, to begin again or to end. */
static void task_drop_copies(struct task *task)
{
    struct task_engine *engine = task->engine;
    for (size_t i = 0; i < task->n; i++) {
        if (i < engine->complete)
            petal_free(task->copies[i].copy);
        else
            petal_copy_stop(&task->copies[i]);
        task->copies[i].copy = NULL;
    }
    engine->complete = 0;
    petal_free(task->made);
    petal_free(task->old);
    task->made = task->old = NULL;
    task_drop_part(task);
}

static void *task_end(void *data)
{
    struct task *task = data;
    task_drop_copies(task);
    RedisModule_Free(task->copies);
    RedisModule_Free(task->engine);
    RedisModule_Free(task);
    return NULL;
}

static bool task_in_thread(void *(*run)(void *), struct task *task)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, run, task) == 0 && pthread_detach(thread) == 0;
}

/* To free large blocks of memory takes long. */
static void task_free(RedisModuleCtx *ctx, void *data)
{
    struct task *task = data;
    (void)ctx;
    for (int i = 0; i < task->argc; i++)
        RedisModule_FreeString(NULL, task->argv[i]);
    RedisModule_Free(task->argv);
    if (!task_in_thread(task_end, task))
        task_end(task);
}

/* ---- Copying ---- */

/* Makes room for a part of the image of a filter that is sealed.  False: copy all of it. */
static bool part_begin(struct task *task, petal_filter *filter)
{
    struct task_engine *engine = task->engine;
    size_t len;
    if (!engine->plan->part || !petal_is_sealed(filter))
        return false;
    petal_bytes(filter, &task->total);
    if (!engine->plan->part(task->argv, task->argc, filter, task->total, &engine->part_from,
                            &len))
        return false;
    memory_limit(engine->limit);
    task->part = memory_get(len ? len : 1);
    memory_unlimit();
    if (!task->part)
        return false;
    task->part_len = len;
    engine->part_done = 0;
    petal_copy_mark(filter, &task->copies[0]);
    return true;
}

/* Like petal_copy_some(). */
static int part_some(struct task *task, petal_filter *filter)
{
    struct task_engine *engine = task->engine;
    if (!petal_copy_is_current(filter, &task->copies[0])) {
        task_drop_part(task);
        return PETAL_E_MISMATCH;
    }
    size_t total;
    const char *image = petal_bytes(filter, &total);
    const size_t left = task->part_len - engine->part_done;
    const size_t some = left < STEP_LEN ? left : STEP_LEN;
    memcpy(task->part + engine->part_done, image + engine->part_from + engine->part_done,
           some);
    engine->part_done += some;
    return some == left;
}

static int task_copy_some(RedisModuleCtx *ctx, struct task *task)
{
    const struct task_engine *engine = task->engine;
    petal_copying *copying = &task->copies[engine->at];
    petal_filter *filter;
    RedisModule_SelectDb(ctx, engine->db);
    if (filter_at(ctx, task->names[engine->at], REDISMODULE_READ | REDISMODULE_OPEN_QUIETLY,
                  &filter) != FILTER_FOUND)
        return PETAL_E_ABILITY;
    if (task->part || (!copying->copy && part_begin(task, filter)))
        return part_some(task, filter);
    memory_limit(engine->limit);
    const int rc = petal_copy_some(filter, copying, STEP_LEN);
    return memory_unlimit() == MEMORY_FINE ? rc : PETAL_E_MEMORY;
}

/* Is everything that was copied still there, and the same? */
static bool task_is_current(RedisModuleCtx *ctx, const struct task *task)
{
    for (size_t i = 0; i < task->n; i++) {
        petal_filter *filter;
        if (filter_at(ctx, task->names[i], REDISMODULE_READ | REDISMODULE_OPEN_QUIETLY,
                      &filter) != FILTER_FOUND ||
            !petal_copy_is_current(filter, &task->copies[i]))
            return false;
    }
    return true;
}

/* Begins again, unless that was tried too often. */
static void task_again(struct task *task)
{
    struct task_engine *engine = task->engine;
    task_drop_copies(task);
    task_set_ids(task);
    engine->at = 0;
    engine->state = ++engine->tries < TRIES_MAX ? COPYING : FAILED;
}

/* ---- The thread ---- */

static void *task_work(void *data)
{
    struct task *task = data;
    struct task_engine *engine = task->engine;
    const struct task_plan *plan = engine->plan;
    bool good = true;
    memory_limit_aside(engine->limit);
    if (plan->work)
        good = plan->work(task, engine->at);
    else if (task->part)
        plan->reply_part(engine->replies, task->argv, task->argc, task->total, task->part,
                         task->part_len);
    else
        plan->reply(engine->replies, task->argv, task->argc, task->copies[0].copy);
    __atomic_store_n(&engine->worked, good ? READY : FAILED, __ATOMIC_RELEASE);
    return NULL;
}

static void task_start_work(struct task *task)
{
    struct task_engine *engine = task->engine;
    if (!engine->plan->work)
        engine->replies = RedisModule_GetThreadSafeContext(engine->client);
    engine->complete = engine->at + 1;
    engine->worked = engine->state = WORKING;
    if (!task_in_thread(task_work, task))
        engine->worked = FAILED;
}

static void task_end_work(RedisModuleCtx *ctx, struct task *task)
{
    struct task_engine *engine = task->engine;
    if (engine->replies)
        RedisModule_FreeThreadSafeContext(engine->replies);
    engine->replies = NULL;
    engine->state = engine->worked;
    if (engine->state == READY && ++engine->at < task->n) {
        engine->state = COPYING;
    } else if (engine->state == READY && engine->plan->finish) {
        RedisModule_SelectDb(ctx, engine->db);
        if (!task_is_current(ctx, task))
            task_again(task);
    }
}

/* ---- The reply ---- */

/* The copy has checksums now, which the filter lacks, and nothing else differs.  With the
 * copy in its place, the next part is there at once. */
static void task_keep_sealed(RedisModuleCtx *ctx, struct task *task)
{
    petal_filter *copy = task->copies[0].copy, *filter;
    if (copy && petal_is_sealed(copy) && task->engine->plan->part &&
        filter_at(ctx, task->names[0], REDISMODULE_READ | REDISMODULE_OPEN_QUIETLY,
                  &filter) == FILTER_FOUND &&
        !petal_is_sealed(filter) &&
        filter_swap(ctx, task->names[0], &task->copies[0], copy, &task->old))
        task->copies[0].copy = NULL;
}

static int task_reply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct task *task = RedisModule_GetBlockedClientPrivateData(ctx);
    const struct task_engine *engine = task->engine;
    if (engine->state == READY && !engine->plan->finish) {
        task_keep_sealed(ctx, task);
        return REDISMODULE_OK; /* the thread has replied */
    }
    if (RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_LOADING)
        return RedisModule_ReplyWithError(ctx, "LOADING the server is loading its data");
    if (engine->state == READY && task_is_current(ctx, task) &&
        engine->plan->finish(ctx, task))
        return REDISMODULE_OK;
    task_counters.at_once++;
    tasks_at_once = true;
    const int rc = engine->plan->command(ctx, argv, argc);
    tasks_at_once = false;
    return rc;
}

static void task_disconnected(RedisModuleCtx *ctx, RedisModuleBlockedClient *client)
{
    (void)ctx;
    for (struct task *task = tasks_first; task; task = task->engine->next)
        if (task->engine->client == client)
            task->engine->gone = true;
}

/* ---- The timer ---- */

static int64_t tasks_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

static void task_advance(RedisModuleCtx *ctx, struct task *task)
{
    struct task_engine *engine = task->engine;
    if (engine->state == WORKING &&
        __atomic_load_n(&engine->worked, __ATOMIC_ACQUIRE) != WORKING)
        task_end_work(ctx, task);
    if (engine->state != COPYING || engine->gone)
        return;
    const int rc = task_copy_some(ctx, task);
    if (rc == 1)
        task_start_work(task);
    else if (rc == PETAL_E_MISMATCH)
        task_again(task);
    else if (rc < 0)
        engine->state = FAILED;
}

/* Changes wait while the server lets its replicas catch up, for a failover. */
static bool task_is_over(const struct task *task)
{
    const struct task_engine *engine = task->engine;
    if (engine->gone)
        return engine->state != WORKING;
    if (engine->state != READY && engine->state != FAILED)
        return false;
    return !engine->plan->finish || !RedisModule_AvoidReplicaTraffic ||
           !RedisModule_AvoidReplicaTraffic();
}

/* One step of each task.  Returns whether one of them is being copied. */
static bool tasks_step(RedisModuleCtx *ctx)
{
    bool copying = false;
    size_t running = 0;
    for (struct task **at = &tasks_first; *at && running < RUNNING_MAX;) {
        struct task *task = *at;
        struct task_engine *engine = task->engine;
        task_advance(ctx, task);
        if (task_is_over(task)) {
            *at = engine->next;
            RedisModule_UnblockClient(engine->client, task);
            continue;
        }
        copying |= engine->state == COPYING;
        running++;
        at = &engine->next;
    }
    return copying;
}

static void tasks_tick(RedisModuleCtx *ctx, void *data)
{
    const int64_t end = tasks_ns() + SLICE_NS;
    while (tasks_step(ctx) && tasks_ns() < end)
        ;
    tasks_ticking = tasks_first;
    if (tasks_ticking)
        RedisModule_CreateTimer(ctx, TICK_MS, tasks_tick, data);
}

/* ---- Beginning ---- */

static bool tasks_may_wait(RedisModuleCtx *ctx)
{
    return !tasks_at_once && !(RedisModule_GetContextFlags(ctx) & CANNOT_WAIT);
}

bool tasks_change(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                  RedisModuleString **names, size_t n, const struct task_plan *plan)
{
    if (!tasks_may_wait(ctx))
        return false;
    const size_t limit = plan->finish ? filter_limit(ctx) : READ_LIMIT;
    struct task *task = task_new(ctx, argv, argc, names, n, limit);
    struct task_engine *engine = task->engine;
    engine->plan = plan;
    engine->client = RedisModule_BlockClient(ctx, task_reply, NULL, task_free, 0);
    RedisModule_SetDisconnectCallback(engine->client, task_disconnected);
    task_counters.tasks++;
    struct task **last = &tasks_first;
    while (*last)
        last = &(*last)->engine->next;
    *last = task;
    if (!tasks_ticking)
        RedisModule_CreateTimer(ctx, TICK_MS, tasks_tick, NULL);
    tasks_ticking = true;
    return true;
}

/* Is the reply a short part of an image that has its checksums already? */
static bool tasks_is_short(RedisModuleString **argv, int argc, petal_filter *filter,
                           const struct task_plan *plan)
{
    size_t total, from, len;
    if (!plan->part || !petal_is_sealed(filter))
        return false;
    petal_bytes(filter, &total);
    return plan->part(argv, argc, filter, total, &from, &len) && len < LARGE_LEN;
}

bool tasks_read(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                petal_filter *filter, const struct task_plan *plan)
{
    return tasks_is_large(filter) && !tasks_is_short(argv, argc, filter, plan) &&
           tasks_change(ctx, argv, argc, argv + 1, 1, plan);
}
