/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.c: access to a filter on a Redis server with petal's module.
 *
 * The address (address.c) names the server and the key.  hiredis implements the protocol.
 * This file handles these error replies:
 *
 *   MOVED, ASK       another server of the cluster has the key: connect to it, and let the
 *                    caller start over, because the new server has no earlier chunks. After
 *                    ASK, send ASKING before every command.
 *   LOADING, ...     the server is busy: wait a little and try again.
 *   unknown command  the server does not have petal's module.
 *
 * No message shows a password.  Some servers repeat it in their reply if they do not know
 * AUTH; such a reply is not printed.
 */
#define _POSIX_C_SOURCE 200809L
#include "server.h"

#include "address.h"
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "load.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <petal_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
#define FUNCTIONS(F)                                                               \
    F(, redisConnectWithTimeout)    F(, redisSetTimeout)    F(, redisFree)         \
    F(, redisCommandArgv)           F(, freeReplyObject)
/* clang-format on */
LOAD(hiredis, FUNCTIONS)

#define CONNECT        5  /* seconds */
#define ANSWER         60 /* seconds */
#define REDIRECTED_MAX 16
#define PAUSE          100   /* milliseconds before another try */
#define WAITED_MAX     10000 /* milliseconds, all pauses together */
#define WORDS_MAX      4
#define SHOWN          300 /* bytes of an error message that are shown */

struct server {
    struct address at;
    redisContext *connection;
    redisReply *reply; /* the last one */
    bool asking;       /* after ASK: ASKING goes before every command */
    unsigned redirected, waited;
    char *name;   /* redis://host:port/key */
    int name_len; /* length of redis://host:port */
};

static struct server the_server; /* one at a time is enough */

static void *server_memory(void *memory)
{
    if (!memory)
        fail_memory();
    return memory;
}

/* ---- Replies ---- */

bool server_says(const redisReply *reply, const char *error)
{
    return reply->type == REDIS_REPLY_ERROR &&
           strncmp(reply->str, error, strlen(error)) == 0;
}

/* The error message, shortened and without control characters. */
static const char *server_message(const redisReply *reply)
{
    static char words[SHOWN + 1];
    const char *from = server_says(reply, "ERR ") ? reply->str + 4 : reply->str;
    size_t n = 0;
    for (; from[n] && n < SHOWN; n++)
        words[n] = (unsigned char)from[n] < ' ' || from[n] == 127 ? '?' : from[n];
    words[n] = 0;
    return words;
}

/* For an unknown command, cuts the message at the comma: the rest repeats the arguments,
 * which are bytes of a filter. */
static _Noreturn void server_refused(const struct server *s, const redisReply *reply)
{
    const char *message = server_message(reply);
    if (server_says(reply, "ERR unknown command"))
        fail("%.*s: %.*s; load petal's module into the server", s->name_len, s->name,
             (int)strcspn(message, ","), message);
    fail("%s: %s", s->name, message);
}

static void server_expect(const struct server *s, const redisReply *reply, int type)
{
    if (reply->type == REDIS_REPLY_ERROR)
        server_refused(s, reply);
    if (reply->type != type)
        fail("%s: unexpected reply from the server", s->name);
}

void server_expect_ok(const struct server *s, const redisReply *reply)
{
    server_expect(s, reply, REDIS_REPLY_STATUS);
}

struct word server_expect_bytes(const struct server *s, const redisReply *reply)
{
    server_expect(s, reply, REDIS_REPLY_STRING);
    return (struct word){ reply->str, reply->len };
}

static _Noreturn void server_lost(const struct server *s)
{
    const bool late = s->connection->err == REDIS_ERR_IO && errno == EAGAIN;
    const char *why = s->connection->errstr;
    if (s->connection->err == REDIS_ERR_PROTOCOL)
        fail("%.*s: not a Redis server: %s", s->name_len, s->name, why);
    fail("%.*s: connection lost: %s; it is safe to try again", s->name_len, s->name,
         late ? text_format("no reply for %d seconds", ANSWER) : why);
}

static const redisReply *server_send(struct server *s, int n, const char **words,
                                     const size_t *lens)
{
    hiredis.freeReplyObject(s->reply);
    s->reply = hiredis.redisCommandArgv(s->connection, n, words, lens);
    if (!s->reply)
        server_lost(s);
    return s->reply;
}

/* Sends a command that must be answered with OK. */
static void server_send_expect_ok(struct server *s, int n, const char **words)
{
    server_expect_ok(s, server_send(s, n, words, NULL));
}

/* ---- Connecting ---- */

static void server_authenticate(struct server *s)
{
    const char *words[3] = { "AUTH" };
    int n = 1;
    if (s->at.user)
        words[n++] = s->at.user;
    words[n++] = s->at.password;
    const redisReply *reply = server_send(s, n, words, NULL);
    if (reply->type == REDIS_REPLY_ERROR && strstr(reply->str, s->at.password))
        fail("%.*s: the server rejected the password", s->name_len, s->name);
    if (reply->type == REDIS_REPLY_ERROR)
        fail("%.*s: %s", s->name_len, s->name, server_message(reply));
}

/* A server that requires a password closes the connection if it is sent a large command
 * without one.  A small command gets the error message instead.  Other errors are ignored.
 */
static void server_greet(struct server *s)
{
    const redisReply *reply = server_send(s, 1, (const char *[]){ "PING" }, NULL);
    if (server_says(reply, "NOAUTH"))
        fail("%.*s: %s Give the password in the address or in PETAL_REDIS_PASSWORD",
             s->name_len, s->name, server_message(reply));
}

static void server_rename(struct server *s)
{
    const bool colons = strchr(s->at.host, ':');
    const size_t room = strlen(s->at.host) + strlen(s->at.key_text) + 64;
    free(s->name);
    s->name = server_memory(malloc(room));
    s->name_len = snprintf(s->name, room, "redis://%s%s%s:%d", colons ? "[" : "",
                           s->at.host, colons ? "]" : "", s->at.port);
    const int len =
        s->name_len +
        snprintf(s->name + s->name_len, room - (size_t)s->name_len, "/%s", s->at.key_text);
    if (s->at.db)
        snprintf(s->name + len, room - (size_t)len, "?db=%" PRIu64, s->at.db);
}

static void server_connect(struct server *s)
{
    if (s->connection)
        hiredis.redisFree(s->connection);
    server_rename(s);
    s->connection = server_memory(hiredis.redisConnectWithTimeout(
        s->at.host, s->at.port, (struct timeval){ .tv_sec = CONNECT }));
    if (s->connection->err)
        fail("%.*s: cannot connect: %s", s->name_len, s->name, s->connection->errstr);
    hiredis.redisSetTimeout(s->connection, (struct timeval){ .tv_sec = ANSWER });
    if (s->at.password)
        server_authenticate(s);
    else
        server_greet(s);
    if (s->at.db)
        server_send_expect_ok(
            s, 2, (const char *[]){ "SELECT", text_format("%" PRIu64, s->at.db) });
}

struct server *server_open(const char *address)
{
    const char *why = hiredis_load();
    if (why)
        fail("%s, which push and pull need; install it", why);
    address_read(&the_server.at, address);
    server_connect(&the_server);
    return &the_server;
}

void server_close(struct server *s)
{
    hiredis.freeReplyObject(s->reply);
    hiredis.redisFree(s->connection);
    free(s->name);
    address_free(&s->at);
}

const char *server_name(const struct server *s)
{
    return s->name;
}

/* ---- Commands ---- */

/* Follows "MOVED 3999 127.0.0.1:6381": a slot, and the server that has it.  Without a host,
 * it is the same host.  An IPv6 address has no brackets here. */
static bool server_redirects(struct server *s, const redisReply *reply)
{
    const bool ask = server_says(reply, "ASK ");
    if (!ask && !server_says(reply, "MOVED "))
        return false;
    if (++s->redirected > REDIRECTED_MAX)
        fail("%s: redirected more than %d times; check the cluster", s->name,
             REDIRECTED_MAX);
    char *host = server_memory(strdup(strrchr(reply->str, ' ') + 1));
    const char *port = address_cut(strrchr(host, ':'));
    uint64_t number;
    if (!port || !address_number(port, 65535, &number))
        server_refused(s, reply);
    if (*host) {
        free(s->at.host);
        s->at.host = host;
    } else {
        free(host);
    }
    s->at.port = (int)number;
    s->asking = ask;
    server_connect(s);
    return true;
}

/* If the server is busy, waits a little and returns true. */
static bool server_was_busy(struct server *s, const redisReply *reply)
{
    static const char *const busy[] = { "TRYAGAIN", "CLUSTERDOWN", "LOADING",
                                        "MASTERDOWN" };
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        if (server_says(reply, busy[i]) && s->waited < WAITED_MAX) {
            s->waited += PAUSE;
            nanosleep(&(struct timespec){ .tv_nsec = PAUSE * 1000000L }, NULL);
            return true;
        }
    return false;
}

const redisReply *server_query(struct server *s, const char *command,
                               const struct word *more, size_t n)
{
    const char *words[2 + WORDS_MAX] = { command, s->at.key };
    size_t lens[2 + WORDS_MAX] = { strlen(command), s->at.key_len };
    for (size_t i = 0; i < n; i++) {
        words[2 + i] = more[i].bytes;
        lens[2 + i] = more[i].len;
    }
    for (;;) {
        if (s->asking)
            server_send_expect_ok(s, 1, (const char *[]){ "ASKING" });
        const redisReply *reply = server_send(s, 2 + (int)n, words, lens);
        if (server_redirects(s, reply))
            return NULL;
        if (!server_was_busy(s, reply))
            return reply;
    }
}

/* ---- The report ---- */

void server_report(const struct server *s, const petal_filter *filter, const char *file)
{
    const petal_shape *shape = petal_shape_of(filter);
    if (json) {
        json_open(NULL, '{');
        json_text("server", s->name);
        if (file)
            json_text("file", file);
        filter_json(filter);
        json_close();
        return;
    }
    const bool known = petal_abilities(shape->kind) & (PETAL_IS_EXACT | PETAL_IS_STATIC);
    const char *keys = text_many(keys_distinct(filter), "key");
    remark("%s%s%s: %s%s; %s filter, %s", file ? file : "", file ? ": from " : "", s->name,
           known ? "" : "about ", keys, petal_kind_name(shape->kind),
           text_bytes((double)shape->image_bytes));
}
