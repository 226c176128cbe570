/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push.c: petal push: a filter to a Redis server.
 *
 * The file goes in parts, which the server gathers; when the last one is there, and the
 * whole is a filter, it takes the place of what the key held.  Until then nothing changes,
 * so that a push that failed can be repeated.  A server that knows nothing of the parts
 * before this one, since it was restarted or another client began, is sent all of them
 * again.
 */
#include "args.h"
#include "filters.h"
#include "print.h"
#include "progress.h"
#include "server.h"
#include "text.h"

#include <string.h>

#define BEGUN_MAX 5 /* times that all is sent again */

static const struct arg push_args[] = { ARGS_JSON, ARGS_END };

static const redisReply *push_part(struct server *s, const char *bytes, size_t at, size_t n,
                                   size_t total)
{
    const char *offset = text_format("%zu", at), *length = text_format("%zu", total);
    const struct word words[] = { { offset, strlen(offset) },
                                  { length, strlen(length) },
                                  { bytes + at, n } };
    return server_query(s, "PETAL.LOADCHUNK", words, 3);
}

/* It knows nothing of the parts before this one, or not these. */
static bool push_must_begin_again(const redisReply *reply)
{
    return server_says(reply, "ERR no load of this key is in progress") ||
           server_says(reply, "ERR chunk does not continue the load");
}

static void push_all(struct server *s, const char *bytes, size_t len)
{
    unsigned begun = 0;
    for (size_t at = 0; at < len;) {
        const size_t n = len - at < SERVER_PART ? len - at : SERVER_PART;
        if (at == 0)
            progress_start(len);
        const redisReply *reply = push_part(s, bytes, at, n, len);
        if (!reply || (push_must_begin_again(reply) && begun++ < BEGUN_MAX)) {
            at = 0;
            continue;
        }
        server_expect_ok(s, reply);
        progress_add(n);
        at += n;
    }
    progress_end();
}

static int push_run(char **files, size_t n)
{
    args_expect(n, 2, 2);
    if (strncmp(files[0], "redis://", 8) == 0)
        fail("the filter comes first, then the address of the server");
    petal_filter *filter = filter_open(files[0], 0);
    size_t len;
    const char *bytes = petal_bytes(filter, &len);
    struct server *server = server_open(files[1]);
    push_all(server, bytes, len);
    server_report(server, filter, NULL);
    server_close(server);
    petal_free(filter);
    return STATUS_SOME;
}

const struct command command_push = {
    .name = "push",
    .synopsis = "[options] FILTER redis://HOST/KEY",
    .summary = "a filter to a Redis or Valkey server with petal's module",
    .text =
        "The filter is checked, sent in parts, and takes the place of the filter that the\n"
        "key held, without asking, when all of it is there; a key of another type is\n"
        "refused.  In a cluster it goes where the key belongs.\n\n"
        "  petal push bad.petal redis://localhost/bad\n"
        "  petal push bad-3.petal 'redis://[::1]:7000/bad:{3}'\n"
        "  petal push bad.petal 'redis://writer:secret@db.example:6380/bad?db=2'\n\n"
        "All after the first / is the key; the database is ?db=N.\n"
        "User, password and key may have %hh for a byte.  The password may also be in\n"
        "the environment, as PETAL_REDIS_PASSWORD, so that it is on no command line.\n",
    .args = push_args,
    .run = push_run,
};
