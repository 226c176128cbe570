/* SPDX-License-Identifier: BSD-2-Clause */
/* tasks.h: commands on large filters that do not stop the server. */
#ifndef REDIS_TASKS_H
#define REDIS_TASKS_H

#include "petal_host.h"
#include "server.h"

/* What one client waits for. */
struct task {
    RedisModuleString **argv;       /* of the command */
    int                 argc;
    RedisModuleString **names;      /* the keys to copy, among argv */
    size_t              n;
    petal_copying      *copies;     /* one for each; complete before work() is called */
    petal_filter       *made, *old; /* for the plan; freed at the end */
    char               *part;       /* if not NULL, it has this part of the image instead */
    size_t              part_len, total;
    struct task_engine *engine;     /* of tasks.c */
};

/* How a command is carried out. */
struct task_plan {
    RedisModuleCmdFunc *command;    /* all of it, at once */

    /* For commands that only read.  Replies from a filter, which may be a copy, in the
     * thread of the task.  So it must not use the server, except to reply. */
    void (*reply)(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                  petal_filter *filter);

    /* Some of these replies are bytes of the image.  part() says which ones, of `total`, or
     * returns false; then reply_part() replies with them.  NULL: there are no such
     * replies. */
    bool (*part)(RedisModuleString **argv, int argc, const petal_filter *filter,
                 size_t total, size_t *from, size_t *len);
    void (*reply_part)(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       size_t total, const char *bytes, size_t len);

    /* For commands that change a key.  work() is called for each copy, in order, in the
     * thread of the task.  finish() is called when nothing that was copied has changed
     * since; it replies and returns true.  If one of them returns false, the command is
     * carried out at once. */
    bool (*work)(struct task *task, size_t i);
    bool (*finish)(RedisModuleCtx *ctx, struct task *task);
};

/* Begins a task if this filter is large and the client can wait for it.  Returns false if the
 * caller has to carry out the command now. */
bool tasks_read(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                petal_filter *filter, const struct task_plan *plan);

/* The same for a command that needs copies of several filters. */
bool tasks_change(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                  RedisModuleString **names, size_t n, const struct task_plan *plan);

/* Is this filter so large that commands on it become tasks? */
bool tasks_is_large(const petal_filter *filter);

/* Totals since the server was started, shown by INFO: tasks, and those of them whose command
 * was carried out at once in the end. */
struct task_counters {
    unsigned long long tasks, at_once;
};
extern struct task_counters task_counters;

size_t tasks_in_progress(void);

#endif
