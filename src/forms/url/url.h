/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * url.h: helpers for the parts of a URL, shared by url.c and host.c.
 */
#ifndef PETAL_FORMS_URL_URL_H
#define PETAL_FORMS_URL_URL_H

#include "core/form.h"
#include "forms/unicode.h"

/* ---- The class of a key ---- */

/* 3 bits for the host, 1 for a query, 1 for a path that does not end in a slash, and 3 for
 * the depth of the folder. */
#define HOST_ADDRESS 0
#define HOST_LONG    6
#define HOST_SHIFT   5
#define QUERY        (1u << 4)
#define PLAIN_FILE   (1u << 3)
#define DEPTH_MAX    7

/* The parents of a key. */
#define HOSTS_MAX   FORM_STARTS_MAX
#define PATHS_MAX   FORM_ENDS_MAX
#define FOLDERS_MAX 4

/* A part of a text.  Most steps of the normalization shorten it in place. */
struct piece {
    uint8_t *at;
    size_t len;
};

static inline bool url_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static inline bool url_is_alpha(uint8_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline int url_hex(uint8_t c)
{
    return url_is_digit(c)                          ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

static inline bool url_is_upper_hex(uint8_t c)
{
    return url_is_digit(c) || (c >= 'A' && c <= 'F');
}

/* Returns the part before the first occurrence of either character, and leaves the rest
 * in p. */
static inline struct piece url_before(struct piece *p, uint8_t a, uint8_t b)
{
    size_t n = 0;
    while (n < p->len && p->at[n] != a && p->at[n] != b)
        n++;
    const struct piece head = { p->at, n };
    p->at += n;
    p->len -= n;
    return head;
}

/* ---- Writing the normalized key ---- */

bool petal__url_put(struct form_key *key, uint8_t c);
bool petal__url_put_escaped(struct form_key *key, struct piece p);

/* May this byte be written without escaping it? */
static inline bool url_is_plain(uint8_t c)
{
    return c > ' ' && c < 127 && c != '#' && c != '%';
}

/* Finds the parts of a URL without a scheme that is normalized already, apart from capital
 * letters in the host, a missing path and a fragment.  Returns false if it may not be. */
bool petal__url_scan(const uint8_t *text, size_t len, struct form_key *key);

/* Writes a normalized host: a lowercase name with Punycode labels where needed, or an
 * address in its usual notation.  Returns false if the host is invalid or the key becomes
 * too long. */
bool petal__url_put_host(struct form_key *key, struct piece host);

#endif
