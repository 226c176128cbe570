/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h: all commands, in the order of the help. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

extern const struct command command_plan, command_build, command_add, command_remove,
    command_compact, command_count, command_check, command_seen, command_guard, command_info,
    command_verify, command_measure, command_merge, command_shard, command_push, command_pull,
    command_diff, command_missing, command_join, command_spell, command_explain, command_lab,
    command_compare, command_normalize, command_import, command_export,
    command_parquet, command_help;

extern const struct command *const commands[];      /* ends with NULL */

const struct command *command_named(const char *name);

#endif
