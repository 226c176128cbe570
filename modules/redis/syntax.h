/* SPDX-License-Identifier: BSD-2-Clause */
/* syntax.h: the arguments of a command, for COMMAND DOCS and the hints of redis-cli. */
#ifndef REDIS_SYNTAX_H
#define REDIS_SYNTAX_H

#include "server.h"

/* Reads a line such as "key [CAPACITY capacity] [NOCREATE] ITEMS item ...".  Returns a list
 * that is valid until the next call. */
const RedisModuleCommandArg *syntax_read(const char *line);

#endif
