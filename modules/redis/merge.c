/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.c: PETAL.MERGE key other...
 *
 * All filters are merged into a copy, which then takes the place of the filter at the key.
 * So nothing changes if one of them does not match, and clients never see half of a merge.
 * If there is no filter at the key, the copy is that of the first source.
 *
 * Large filters are copied and merged by a task (tasks.c).  The result takes its place only
 * if none of the filters has changed meanwhile.  Replicas carry out the same command at
 * once, and have the same filters at that moment, so their result is the same.
 */
#include "merge.h"

#include "filter.h"
#include "keys.h"
#include "reply.h"
#include "tasks.h"

static int merge_keys(RedisModuleCtx *ctx, int argc)
{
    for (int i = 1; i < argc; i++)
        key_at(ctx, i, i == 1);
    return REDISMODULE_OK;
}

static int merge_refused(RedisModuleCtx *ctx, const petal_filter *filter, int error)
{
    reply_error(ctx, error == PETAL_E_ABILITY
                         ? filter_cannot(filter, "be merged", PETAL_CAN_MERGE)
                         : filter_error(error));
    return REDISMODULE_ERR;
}

/* Are all filters there, and can the others be merged into the first?  Replies with an
 * error if not.  `large` tells whether one of them is large. */
static int merge_check(RedisModuleCtx *ctx, RedisModuleString **names, int n, bool *large)
{
    *large = false;
    for (int i = 0; i < n; i++) {
        const petal_filter *other = filter_needed(ctx, names[i], REDISMODULE_READ);
        const petal_filter *filter =
            other ? filter_needed(ctx, names[0], REDISMODULE_READ) : NULL;
        if (!filter)
            return REDISMODULE_ERR;
        const int rc = i > 0 ? petal_mergeable(filter, other) : PETAL_OK;
        if (rc < 0)
            return merge_refused(ctx, filter, rc);
        *large |= tasks_is_large(other);
    }
    return REDISMODULE_OK;
}

static int merge_all(RedisModuleCtx *ctx, petal_filter *merged, RedisModuleString **others,
                     int n)
{
    for (int i = 0; i < n; i++) {
        const petal_filter *other = filter_needed(ctx, others[i], REDISMODULE_READ);
        if (!other)
            return REDISMODULE_ERR;
        const int rc = petal_union(merged, other);
        if (rc < 0)
            return merge_refused(ctx, merged, rc);
    }
    return REDISMODULE_OK;
}

static int merge_done(RedisModuleCtx *ctx, RedisModuleString *name)
{
    RedisModule_ReplicateVerbatim(ctx);
    filter_changed(ctx, name, "petal.merge");
    return reply_ok(ctx);
}

/* ---- As a task ---- */

/* In the thread: the first copy takes the keys of the others. */
static bool merge_work(struct task *task, size_t i)
{
    petal_filter *copy = task->copies[i].copy;
    task->copies[i].copy = NULL;
    if (i == 0) {
        task->made = copy;
        return true;
    }
    const int rc = petal_union(task->made, copy);
    petal_free(copy);
    return rc == PETAL_OK;
}

/* None of the filters has changed.  If there was none at the key, that must be so still. */
static bool merge_finish(RedisModuleCtx *ctx, struct task *task)
{
    RedisModuleString *name = task->argv[1];
    petal_filter *filter;
    if (task->names == task->argv + 1) {
        if (!filter_swap(ctx, name, &task->copies[0], task->made, &task->old))
            return false;
    } else {
        if (filter_at(ctx, name, REDISMODULE_WRITE, &filter) != FILTER_NONE)
            return false;
        filter_put(ctx, name, task->made);
    }
    task->made = NULL;
    merge_done(ctx, name);
    return true;
}

static const struct task_plan merge_plan = { .command = merge_command,
                                             .work = merge_work,
                                             .finish = merge_finish };

/* ---- The command ---- */

static int merge_at_once(RedisModuleCtx *ctx, RedisModuleString *name,
                         RedisModuleString **names, int n)
{
    petal_filter *merged, *filter = filter_needed(ctx, names[0], REDISMODULE_READ);
    if (!filter)
        return REDISMODULE_OK;
    const int rc = filter_copy(filter, filter_limit(ctx), &merged);
    if (rc < 0)
        return reply_error(ctx, filter_error(rc));
    if (merge_all(ctx, merged, names + 1, n - 1) != REDISMODULE_OK) {
        petal_free(merged);
        return REDISMODULE_OK;
    }
    filter_replace(ctx, name, merged);
    return merge_done(ctx, name);
}

int merge_command(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (RedisModule_IsKeysPositionRequest(ctx))
        return merge_keys(ctx, argc);
    if (argc < 3)
        return reply_arity(ctx);
    petal_filter *filter;
    const enum filter_found found = filter_at(ctx, argv[1], REDISMODULE_WRITE, &filter);
    if (found == FILTER_OTHER)
        return reply_error(ctx, ERROR_WRONGTYPE);
    const int first = found == FILTER_NONE ? 2 : 1; /* the filter to begin with */
    const int n = argc - first;
    bool large;
    if (merge_check(ctx, argv + first, n, &large) != REDISMODULE_OK)
        return REDISMODULE_OK;
    if (large && tasks_change(ctx, argv, argc, argv + first, (size_t)n, &merge_plan))
        return REDISMODULE_OK;
    return merge_at_once(ctx, argv[1], argv + first, n);
}
