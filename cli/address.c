/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.c: parse the address of a filter on a Redis server.
 *
 * An address is a URL.  Special characters are written as %hh.  No error message shows the
 * address, because it may contain a password.
 */
#define _POSIX_C_SOURCE 200809L
#include "address.h"

#include "print.h"

#include <petal.h>

#include <stdlib.h>
#include <string.h>

#define PORT 6379

static void *address_memory(void *memory)
{
    if (!memory)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
    return memory;
}

/* Does not print the address: it may contain a password. */
static _Noreturn void address_refuse(const char *why)
{
    fail("%s; write the address as redis://[[user]:password@]host[:port]/key[?db=N]", why);
}

static int address_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes %hh in place and returns the new length. */
static size_t address_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        *to = *from;
        if (*from == '%') {
            const int high = address_digit(from[1]);
            const int low = high < 0 ? -1 : address_digit(from[2]);
            if (low < 0)
                address_refuse("address: % is not followed by two hexadecimal digits");
            *to = (char)(high << 4 | low);
            from += 2;
        }
        to++;
    }
    *to = 0;
    return (size_t)(to - text);
}

bool address_number(const char *text, uint64_t most, uint64_t *number)
{
    const size_t len = strspn(text, "0123456789");
    *number = strtoull(text, NULL, 10);
    return len > 0 && len < 10 && !text[len] && *number <= most;
}

char *address_cut(char *at)
{
    if (at)
        *at++ = 0;
    return at;
}

/* Without a password in the address, takes it from the environment, where fewer users see
 * it. */
static void address_user(struct address *a, char *user)
{
    char *password = user ? address_cut(strchr(user, ':')) : NULL;
    if (user)
        address_decode(user);
    if (password)
        address_decode(password);
    a->user = user && *user ? user : NULL;
    a->password = password && *password ? password : getenv("PETAL_REDIS_PASSWORD");
    if (a->password && !*a->password)
        a->password = NULL;
    if (a->user && !a->password)
        address_refuse("address: the user has no password");
}

static void address_host(struct address *a, char *host)
{
    char *port;
    uint64_t number = PORT;
    if (*host == '[') {
        char *rest = address_cut(strchr(++host, ']'));
        if (!rest || (*rest && *rest != ':'))
            address_refuse("address: [ is not followed by an IPv6 address and ]");
        port = *rest ? rest + 1 : NULL;
    } else {
        port = address_cut(strchr(host, ':'));
    }
    if (!*host)
        address_refuse("address: the host is missing");
    if (port && (!address_number(port, 65535, &number) || number == 0))
        address_refuse("address: the port is not a number from 1 to 65535");
    a->host = address_memory(strdup(host));
    a->port = (int)number;
}

static void address_key(struct address *a, char *key)
{
    const char *query = address_cut(strchr(key, '?'));
    if (!*key)
        address_refuse("address: the key is missing");
    if (strchr(key, '@')) /* probably a password with a slash */
        address_refuse("address: @ after the first /; write @ as %40 and / as %2F");
    if (query &&
        (strncmp(query, "db=", 3) != 0 || !address_number(query + 3, INT32_MAX, &a->db)))
        address_refuse("address: only db=N may follow ?");
    a->key_text = address_memory(strdup(key));
    a->key_len = address_decode(key);
    a->key = key;
}

void address_read(struct address *a, const char *text)
{
    if (strncmp(text, "rediss://", 9) == 0)
        fail("rediss://: TLS is not supported; use redis:// through a tunnel");
    if (strncmp(text, "redis://", 8) != 0)
        address_refuse("not a redis:// address");
    a->text = address_memory(strdup(text + 8));
    char *key = address_cut(strchr(a->text, '/'));
    if (!key)
        address_refuse("address: the key is missing");
    address_key(a, key);
    char *host = address_cut(strrchr(a->text, '@'));
    address_user(a, host ? a->text : NULL);
    address_host(a, host ? host : a->text);
}

void address_free(struct address *a)
{
    free(a->text);
    free(a->key_text);
    free(a->host);
}
