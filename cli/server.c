/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.c: a filter that is kept by a Redis server with petal's module.
 *
 * The address (address.c) says which server, and which key there.  hiredis speaks the
 * protocol; here is what a server may answer in place of a reply:
 *
 *   MOVED, ASK       the key is with another server of the cluster: connect there, and
 *                    have the caller begin anew, since that server knows nothing of what
 *                    came before.  After ASK, ASKING precedes every command.
 *   LOADING, ...     the server will answer soon: wait a little, and ask again.
 *   unknown command  it does not have petal's module.
 *
 * No sentence shows a password: the words of a server are not repeated if they contain it,
 * as those of some do when they do not know AUTH.
 */
#define _POSIX_C_SOURCE 200809L
#include "server.h"

#include "address.h"
#include "args.h"
#include "json.h"
#include "keys.h"
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

#define CONNECT        5  /* seconds */
#define ANSWER         60 /* seconds */
#define REDIRECTED_MAX 16
#define PAUSE          100   /* milliseconds, before a server is asked again */
#define WAITED_MAX     10000 /* milliseconds, of all pauses */
#define WORDS_MAX      4
#define SHOWN          300 /* bytes of what a server says */

struct server {
    struct address at;
    redisContext *connection;
    redisReply *reply; /* the last one */
    bool asking;       /* after ASK: ASKING goes before every command */
    unsigned redirected, waited;
    char *name;   /* redis://host:port/key, */
    int name_len; /* of which so much is the server */
};

static struct server the_server; /* one at a time is enough */

static void *server_memory(void *memory)
{
    if (!memory)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
    return memory;
}

/* ---- What a server says ---- */

bool server_says(const redisReply *reply, const char *error)
{
    return reply->type == REDIS_REPLY_ERROR &&
           strncmp(reply->str, error, strlen(error)) == 0;
}

/* As text for a terminal, and not too much of it. */
static const char *server_words(const redisReply *reply)
{
    static char words[SHOWN + 1];
    const char *from = server_says(reply, "ERR ") ? reply->str + 4 : reply->str;
    size_t n = 0;
    for (; from[n] && n < SHOWN; n++)
        words[n] = (unsigned char)from[n] < ' ' || from[n] == 127 ? '?' : from[n];
    words[n] = 0;
    return words;
}

/* Of a command that the server does not know it may repeat the words, parts of a filter. */
static _Noreturn void server_refused(const struct server *s, const redisReply *reply)
{
    const char *words = server_words(reply);
    if (server_says(reply, "ERR unknown command"))
        fail("%.*s: the server does not have petal's module: %.*s", s->name_len, s->name,
             (int)strcspn(words, ","), words);
    fail("%s: %s", s->name, words);
}

static void server_expect(const struct server *s, const redisReply *reply, int type)
{
    if (reply->type == REDIS_REPLY_ERROR)
        server_refused(s, reply);
    if (reply->type != type)
        fail("%s: the server's answer is none to this question", s->name);
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
        fail("%.*s: no Redis server: %s", s->name_len, s->name, why);
    fail("%.*s: the connection was lost: %s; it is safe to try again", s->name_len, s->name,
         late ? text_format("no answer for %d seconds", ANSWER) : why);
}

static const redisReply *server_send(struct server *s, int n, const char **words,
                                     const size_t *lens)
{
    freeReplyObject(s->reply);
    s->reply = redisCommandArgv(s->connection, n, words, lens);
    if (!s->reply)
        server_lost(s);
    return s->reply;
}

/* A command whose answer is nothing but OK. */
static void server_tell(struct server *s, int n, const char **words)
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
        fail("%.*s: the server refused the password", s->name_len, s->name);
    if (reply->type == REDIS_REPLY_ERROR)
        fail("%.*s: %s", s->name_len, s->name, server_words(reply));
}

/* A server that wants a password hangs up on whoever sends it much without one: a small
 * command makes it say so.  Other errors are none of ours. */
static void server_greet(struct server *s)
{
    const redisReply *reply = server_send(s, 1, (const char *[]){ "PING" }, NULL);
    if (server_says(reply, "NOAUTH"))
        fail("%.*s: %s It may be in the address, or in PETAL_REDIS_PASSWORD", s->name_len,
             s->name, server_words(reply));
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
        redisFree(s->connection);
    server_rename(s);
    s->connection = server_memory(redisConnectWithTimeout(
        s->at.host, s->at.port, (struct timeval){ .tv_sec = CONNECT }));
    if (s->connection->err)
        fail("%.*s: no connection: %s", s->name_len, s->name, s->connection->errstr);
    redisSetTimeout(s->connection, (struct timeval){ .tv_sec = ANSWER });
    if (s->at.password)
        server_authenticate(s);
    else
        server_greet(s);
    if (s->at.db)
        server_tell(s, 2, (const char *[]){ "SELECT", text_format("%" PRIu64, s->at.db) });
}

struct server *server_open(const char *address)
{
    address_read(&the_server.at, address);
    server_connect(&the_server);
    return &the_server;
}

void server_close(struct server *s)
{
    freeReplyObject(s->reply);
    redisFree(s->connection);
    free(s->name);
    address_free(&s->at);
}

const char *server_name(const struct server *s)
{
    return s->name;
}

/* ---- Asking ---- */

/* "MOVED 3999 127.0.0.1:6381": a slot, and who has it; without a host, it is the same one.
 * An IPv6 address has no brackets here. */
static bool server_redirects(struct server *s, const redisReply *reply)
{
    const bool ask = server_says(reply, "ASK ");
    if (!ask && !server_says(reply, "MOVED "))
        return false;
    if (++s->redirected > REDIRECTED_MAX)
        fail("%s: sent on from server to server more than %d times", s->name,
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

/* Will it answer soon?  Then it is soon now. */
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
            server_tell(s, 1, (const char *[]){ "ASKING" });
        const redisReply *reply = server_send(s, 2 + (int)n, words, lens);
        if (server_redirects(s, reply))
            return NULL;
        if (!server_was_busy(s, reply))
            return reply;
    }
}

/* ---- Telling ---- */

void server_report(const struct server *s, const petal_filter *filter, const char *file)
{
    const petal_shape *shape = petal_shape_of(filter);
    if (json) {
        char text[4096];
        petal_describe(filter, text, sizeof text);
        json_open(NULL, '{');
        json_text("server", s->name);
        if (file)
            json_text("file", file);
        json_members(text);
        json_close();
        return;
    }
    const bool known = petal_abilities(shape->kind) & (PETAL_IS_EXACT | PETAL_IS_STATIC);
    remark("%s%s%s: %s in a %s filter of %s%s", file ? file : "", file ? ": from " : "",
           s->name, text_bytes((double)shape->image_bytes), petal_kind_name(shape->kind),
           known ? "" : "about ", text_many(keys_different(filter), "key"));
}
