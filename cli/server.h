/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.h: access to a filter on a Redis server with petal's module.
 *
 * Without hiredis, without/server.c replaces server.c, and server_open() fails.
 */
#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include <petal.h>

typedef struct redisReply redisReply; /* from hiredis */

/* Filters are transferred in chunks of this many bytes. */
#define SERVER_CHUNK ((size_t)4 << 20)

struct server;

/* Connects to redis://[[user]:password@]host[:port]/key[?db=N].  A wrong address or a failed
 * connection ends the program. */
struct server *server_open(const char *address);
void           server_close(struct server *server);

/* "redis://host:port/key", without the password, of the server that has the key. */
const char    *server_name(const struct server *server);

/* Sends one command: its name, the key, and up to four more words.  If the server is busy,
 * tries again.  If another server has the key, connects to that one and returns NULL: the
 * caller must start over.  The reply, which may be an error, is valid until the next command. */
struct word {
    const void *bytes;
    size_t      len;
};
const redisReply *server_query(struct server *server, const char *command,
                               const struct word *words, size_t n);

/* Whether the reply is an error that starts with this text. */
bool           server_says(const redisReply *reply, const char *error);

/* Expects OK, or a string, whose bytes are returned.  Any other reply ends the program with the
 * server's message. */
void           server_expect_ok(const struct server *server, const redisReply *reply);
struct word    server_expect_bytes(const struct server *server, const redisReply *reply);

/* Reports the size and kind of the filter, and the file it was written to unless NULL. */
void           server_report(const struct server *server, const petal_filter *filter,
                             const char *file);

#endif
