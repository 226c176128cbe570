/*
 * server.c: a filter that is kept by a Redis server with petal's module.
 *
 * The address says which server, and which key there.  hiredis speaks the protocol; here is
 * what a server may answer in place of a reply:
 *
 *   MOVED, ASK       the key is with another server of the cluster: connect there, and
 *                    have the caller begin anew, since that server knows nothing of what
 *                    came before.  After ASK, ASKING precedes every command.
 *   LOADING, ...     the server will answer soon: wait a little, and ask again.
 *   unknown command  it does not have petal's module.
 *
 * No sentence shows a password: an address that is none is not repeated, nor are the words
 * of a server that has the password in them, as some have when they do not know AUTH.
 */
#define _POSIX_C_SOURCE 200809L
#include "server.h"

#include "args.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORT           6379
#define CONNECT        5  /* seconds */
#define ANSWER         60 /* seconds */
#define REDIRECTED_MAX 16
#define PAUSE          100   /* milliseconds, before a server is asked again */
#define WAITED_MAX     10000 /* milliseconds, of all pauses */
#define WORDS_MAX      4
#define SHOWN          300 /* bytes of what a server says */

struct server {
    char *text; /* the address, cut into user, password and key */
    const char *user, *password, *key;
    size_t key_len;
    char *key_text; /* as it was given */
    char *host;     /* this and the port change when the key is elsewhere */
    int port;
    uint64_t db;

    redisContext *connection;
    redisReply *reply; /* the last one */
    bool asking;       /* after ASK */
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

/* ---- The address ---- */

/* Without what was given: there may be a password in it. */
static _Noreturn void address_refuse(const char *why)
{
    fail("%s: an address is redis://[[user]:password@]host[:port]/key[?db=N]", why);
}

static int address_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* %hh becomes the byte it stands for, in place; the new length. */
static size_t address_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        *to = *from;
        if (*from == '%') {
            const int high = address_digit(from[1]);
            const int low = high < 0 ? -1 : address_digit(from[2]);
            if (low < 0)
                address_refuse("no two hexadecimal digits after %");
            *to = (char)(high << 4 | low);
            from += 2;
        }
        to++;
    }
    *to = 0;
    return (size_t)(to - text);
}

static bool address_number(const char *text, uint64_t most, uint64_t *number)
{
    const size_t len = strspn(text, "0123456789");
    *number = strtoull(text, NULL, 10);
    return len > 0 && len < 10 && !text[len] && *number <= most;
}

/* Cuts the text at this place, which may be NULL; what comes after it. */
static char *address_cut(char *at)
{
    if (at)
        *at++ = 0;
    return at;
}

/* A password that is not here may be in the environment, where fewer people see it. */
static void address_user(struct server *s, char *user)
{
    char *password = user ? address_cut(strchr(user, ':')) : NULL;
    if (user)
        address_decode(user);
    if (password)
        address_decode(password);
    s->user = user && *user ? user : NULL;
    s->password = password && *password ? password : getenv("PETAL_REDIS_PASSWORD");
    if (s->password && !*s->password)
        s->password = NULL;
    if (s->user && !s->password)
        address_refuse("a user without a password");
}

static void address_host(struct server *s, char *host)
{
    char *port;
    uint64_t number = PORT;
    if (*host == '[') {
        char *rest = address_cut(strchr(++host, ']'));
        if (!rest || (*rest && *rest != ':'))
            address_refuse("the host is not one address in brackets");
        port = *rest ? rest + 1 : NULL;
    } else {
        port = address_cut(strchr(host, ':'));
    }
    if (!*host)
        address_refuse("the host is missing");
    if (port && (!address_number(port, 65535, &number) || number == 0))
        address_refuse("the port is no number from 1 to 65535");
    s->host = server_memory(strdup(host));
    s->port = (int)number;
}

static void address_key(struct server *s, char *key)
{
    const char *query = address_cut(strchr(key, '?'));
    if (!*key)
        address_refuse("the key is missing");
    if (strchr(key, '@')) /* the password may have a slash, and this be the rest of it */
        address_refuse("an @ after the first / is written %40, a / before it %2F");
    if (query &&
        (strncmp(query, "db=", 3) != 0 || !address_number(query + 3, INT32_MAX, &s->db)))
        address_refuse("nothing but db=N comes after ?");
    s->key_text = server_memory(strdup(key));
    s->key_len = address_decode(key);
    s->key = key;
}

static void address_read(struct server *s, const char *address)
{
    if (strncmp(address, "rediss://", 9) == 0)
        fail("rediss://: this petal has no TLS; redis:// through a tunnel will do");
    if (strncmp(address, "redis://", 8) != 0)
        address_refuse("not the address of a server");
    s->text = server_memory(strdup(address + 8));
    char *key = address_cut(strchr(s->text, '/'));
    if (!key)
        address_refuse("the key is missing");
    address_key(s, key);
    char *host = address_cut(strrchr(s->text, '@'));
    address_user(s, host ? s->text : NULL);
    address_host(s, host ? host : s->text);
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

void server_expect(const struct server *s, const redisReply *reply, int type)
{
    if (reply->type == REDIS_REPLY_ERROR)
        server_refused(s, reply);
    if (reply->type != type)
        fail("%s: the server's answer is none to this question", s->name);
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
    server_expect(s, server_send(s, n, words, NULL), REDIS_REPLY_STATUS);
}

/* ---- Connecting ---- */

static void server_authenticate(struct server *s)
{
    const char *words[3] = { "AUTH" };
    int n = 1;
    if (s->user)
        words[n++] = s->user;
    words[n++] = s->password;
    const redisReply *reply = server_send(s, n, words, NULL);
    if (reply->type == REDIS_REPLY_ERROR && strstr(reply->str, s->password))
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
    const bool colons = strchr(s->host, ':');
    const size_t room = strlen(s->host) + strlen(s->key_text) + 64;
    free(s->name);
    s->name = server_memory(malloc(room));
    s->name_len = snprintf(s->name, room, "redis://%s%s%s:%d", colons ? "[" : "", s->host,
                           colons ? "]" : "", s->port);
    const int len = s->name_len + snprintf(s->name + s->name_len,
                                           room - (size_t)s->name_len, "/%s", s->key_text);
    if (s->db)
        snprintf(s->name + len, room - (size_t)len, "?db=%" PRIu64, s->db);
}

static void server_connect(struct server *s)
{
    if (s->connection)
        redisFree(s->connection);
    server_rename(s);
    s->connection = server_memory(
        redisConnectWithTimeout(s->host, s->port, (struct timeval){ .tv_sec = CONNECT }));
    if (s->connection->err)
        fail("%.*s: no connection: %s", s->name_len, s->name, s->connection->errstr);
    redisSetTimeout(s->connection, (struct timeval){ .tv_sec = ANSWER });
    if (s->password)
        server_authenticate(s);
    else
        server_greet(s);
    if (s->db)
        server_tell(s, 2, (const char *[]){ "SELECT", text_format("%" PRIu64, s->db) });
}

struct server *server_open(const char *address)
{
    address_read(&the_server, address);
    server_connect(&the_server);
    return &the_server;
}

void server_close(struct server *s)
{
    freeReplyObject(s->reply);
    redisFree(s->connection);
    free(s->text);
    free(s->key_text);
    free(s->host);
    free(s->name);
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
        free(s->host);
        s->host = host;
    } else {
        free(host);
    }
    s->port = (int)number;
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

const redisReply *server_ask(struct server *s, const char *command, const struct word *more,
                             size_t n)
{
    const char *words[2 + WORDS_MAX] = { command, s->key };
    size_t lens[2 + WORDS_MAX] = { strlen(command), s->key_len };
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
