/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h: the tables of the module's commands: BF.* in bf.c, CF.* in cf.c and
 * PETAL.* in petal.c. */
#ifndef REDIS_COMMANDS_H
#define REDIS_COMMANDS_H

#include "server.h"

struct command {
    const char         *name;       /* in lower case, as servers show it */
    RedisModuleCmdFunc *run;
    const char         *flags;
    int                 last_key;   /* position of the last key; the first is argument 1 */
    int                 arity;      /* arguments including the name; -n means at least n */
    const char         *syntax;     /* the arguments: see syntax.c */
    const char         *summary;
};

/* Each ends with a NULL name. */
extern const struct command bf_commands[], cf_commands[], petal_commands[];

/* What BF.* and CF.* have in common: EXISTS and MEXISTS.  In bf.c. */
int command_exists_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int command_exists_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
