/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c: the petal command and the table of its subcommands.
 *
 * Each subcommand is one file that defines one struct command (args.h).  Only the table
 * below lists all of them.  To add one, write its file, declare it in commands.h and add it
 * here.
 */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "print.h"

#include <signal.h>
#include <string.h>

const struct command *const commands[] = {
    &command_plan,
    &command_build,
    &command_add,
    &command_remove,
    &command_compact,
    &command_count,
    &command_check,
    &command_normalize,
    &command_seen,
    &command_guard,
    &command_info,
    &command_verify,
    &command_measure,
    &command_merge,
    &command_shard,
    &command_push,
    &command_pull,
    &command_diff,
    &command_missing,
    &command_join,
    &command_spell,
    &command_explain,
    &command_lab,
    &command_compare,
    &command_import,
    &command_export,
    &command_parquet,
    &command_help,
    NULL,
};

const struct command *command_named(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* print.c handles it */
    if (argc < 2)
        fail("no command given; run petal help for the list of commands");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        out("petal %s\n", petal_version());
        out_flush();
        return STATUS_SOME;
    }
    const struct command *command = command_named(name);
    if (!command)
        fail("%s: unknown command; run petal help for the list of commands", name);
    const int status = args_run(command, argc - 1, argv + 1);
    out_flush();
    return status;
}
