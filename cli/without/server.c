/* SPDX-License-Identifier: BSD-2-Clause */
/* server.c: replaces the other server.c if hiredis is missing. */
#include "server.h"

#include "print.h"

struct server *server_open(const char *address)
{
    (void)address; /* not printed: it may contain a password */
    fail("this petal was built without hiredis, which push and pull need; rebuild it with "
         "hiredis");
}

void server_close(struct server *s)
{
    (void)s;
}

const char *server_name(const struct server *s)
{
    (void)s;
    return "";
}

const redisReply *server_query(struct server *s, const char *command,
                               const struct word *words, size_t n)
{
    (void)s, (void)command, (void)words, (void)n;
    return NULL;
}

bool server_says(const redisReply *reply, const char *error)
{
    (void)reply, (void)error;
    return false;
}

void server_expect_ok(const struct server *s, const redisReply *reply)
{
    (void)s, (void)reply;
}

struct word server_expect_bytes(const struct server *s, const redisReply *reply)
{
    (void)s, (void)reply;
    return (struct word){ 0 };
}

void server_report(const struct server *s, const petal_filter *filter, const char *file)
{
    (void)s, (void)filter, (void)file;
}
