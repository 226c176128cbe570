/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.h: a filter that is kept by a Redis server with petal's module.
 *
 * Without hiredis, without/server.c takes the place of server.c, and server_open() says so.
 */
#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include <petal.h>

typedef struct redisReply redisReply; /* hiredis has it */

/* Filters come and go in parts of so many bytes. */
#define SERVER_PART ((size_t)4 << 20)

struct server;

/* The address is redis://[[user]:password@]host[:port]/key[?db=N].  What is wrong with it,
 * or with the connection, ends the program. */
struct server *server_open(const char *address);
void           server_close(struct server *server);

/* "redis://host:port/key", without the password: where the key is, as far as we know. */
const char    *server_name(const struct server *server);

/* One command: its name, the key, and up to four words more.  A server that cannot answer
 * yet is asked again.  NULL where another server has the key: we are connected to that one
 * now, and what was begun must begin anew.  The reply, which may be an error, is there
 * until the next command. */
struct word {
    const void *bytes;
    size_t      len;
};
const redisReply *server_query(struct server *server, const char *command,
                             const struct word *words, size_t n);

/* Is it an error that begins so? */
bool           server_says(const redisReply *reply, const char *error);

/* The reply must be OK, or a string, whose bytes are returned.  Any other ends the program, with
 * the server's words. */
void           server_expect_ok(const struct server *server, const redisReply *reply);
struct word    server_expect_bytes(const struct server *server, const redisReply *reply);

/* How large the filter is, and what it is; `file`, unless NULL, is where it went. */
void           server_report(const struct server *server, const petal_filter *filter,
                             const char *file);

#endif
