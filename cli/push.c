/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push.c: petal push: upload a filter to a Redis server.
 *
 * The file is sent in chunks, which the server collects.  After the last chunk, the server
 * checks the filter and replaces the value of the key.  Until then nothing changes, so a
 * failed push can be repeated.  If the server does not have the earlier chunks, because it
 * was restarted or another client started a load, all chunks are sent again.
 */
#include "args.h"
#include "filters.h"
#include "print.h"
#include "progress.h"
#include "server.h"
#include "text.h"

#include <string.h>

#define RESTARTS_MAX 5 /* how often all chunks are sent again */

static const struct arg push_args[] = { ARGS_JSON, ARGS_END };

static const redisReply *push_chunk(struct server *s, const char *bytes, size_t at,
                                    size_t n, size_t total)
{
    const char *offset = text_format("%zu", at), *length = text_format("%zu", total);
    const struct word words[] = { { offset, strlen(offset) },
                                  { length, strlen(length) },
                                  { bytes + at, n } };
    return server_query(s, "PETAL.LOADCHUNK", words, 3);
}

/* The server does not have the earlier chunks, or has others. */
static bool push_must_restart(const redisReply *reply)
{
    return server_says(reply, "ERR no load of this key is in progress") ||
           server_says(reply, "ERR chunk does not continue the load");
}

static void push_all(struct server *s, const char *bytes, size_t len)
{
    unsigned restarts = 0;
    for (size_t at = 0; at < len;) {
        const size_t n = len - at < SERVER_CHUNK ? len - at : SERVER_CHUNK;
        if (at == 0)
            progress_start(len);
        const redisReply *reply = push_chunk(s, bytes, at, n, len);
        if (!reply || (push_must_restart(reply) && restarts++ < RESTARTS_MAX)) {
            at = 0;
            continue;
        }
        server_expect_ok(s, reply);
        progress_add(n);
        at += n;
    }
    progress_end();
}

/* Will the server soon refuse new items in this filter?  A file that was built from all its
 * keys has exactly the size that they need.  (A few of them were mistaken for others.) */
static bool push_is_full(const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    const unsigned abilities = petal_abilities(shape->kind);
    const unsigned endless =
        PETAL_CAN_COUNT | PETAL_CAN_FORGET | PETAL_IS_EXACT | PETAL_IS_STATIC;
    const bool grows = abilities & PETAL_CAN_GROW ? shape->growth : abilities & endless;
    return !grows && petal_is_counted(filter) &&
           petal_size(filter) >= shape->capacity - shape->capacity / 50;
}

static int push_run(char **files, size_t n)
{
    args_expect(n, 2, 2);
    if (strncmp(files[0], "redis://", 8) == 0)
        fail("the filter must come first, then the address of the server");
    petal_filter *filter = filter_open(files[0], 0);
    size_t len;
    const char *bytes = petal_bytes(filter, &len);
    struct server *server = server_open(files[1]);
    push_all(server, bytes, len);
    server_report(server, filter, NULL);
    if (!json && push_is_full(filter))
        remark("%s: full: BF.ADD will soon refuse new items; build it with --room 20%%, or "
               "with -k "
               "scalable to let it grow",
               files[0]);
    server_close(server);
    petal_free(filter);
    return STATUS_SOME;
}

const struct command command_push = {
    .name = "push",
    .synopsis = "[options] FILTER redis://HOST/KEY",
    .summary = "Upload a filter to a Redis or Valkey server with petal's module",
    .text =
        "Checks the filter, sends it in chunks, and replaces the filter at the key when "
        "all\n"
        "of it has arrived.  A key of another type is not replaced.  In a cluster, the "
        "filter\n"
        "goes to the server of the key.\n\n"
        "  petal push bad.petal redis://localhost/bad\n"
        "  petal push bad-3.petal 'redis://[::1]:7000/bad:{3}'\n"
        "  petal push bad.petal 'redis://writer:secret@db.example:6380/bad?db=2'\n\n"
        "Everything after the first / is the key; ?db=N selects the database.  In the "
        "user,\n"
        "password and key, %hh stands for a byte.  The password can also be given in the\n"
        "environment variable PETAL_REDIS_PASSWORD, which keeps it off the command line.\n",
    .args = push_args,
    .run = push_run,
};
