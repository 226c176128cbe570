/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h: every command of the module: BF.* in bf.c, PETAL.* in petal.c. */
#ifndef REDIS_COMMANDS_H
#define REDIS_COMMANDS_H

#include "server.h"

struct command {
    const char         *name;
    RedisModuleCmdFunc *run;
    const char         *flags;
    int                 last_key;   /* the first key is argument 1, the last this one */
    int                 arity;      /* words, the name included; below 0: at least so many */
    const char         *summary;
};

extern const struct command bf_commands[], petal_commands[];    /* end without a name */

#endif
