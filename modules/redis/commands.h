/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h: the tables of the module's commands: BF.* in bf.c, PETAL.* in petal.c. */
#ifndef REDIS_COMMANDS_H
#define REDIS_COMMANDS_H

#include "server.h"

struct command {
    const char         *name;
    RedisModuleCmdFunc *run;
    const char         *flags;
    int                 last_key;   /* position of the last key; the first is argument 1 */
    int                 arity;      /* arguments including the name; -n means at least n */
    const char         *summary;
};

extern const struct command bf_commands[], petal_commands[];    /* end with a NULL name */

#endif
