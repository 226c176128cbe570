/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * url.h: pieces of a URL, for url.c and host.c.
 */
#ifndef PETAL_FORMS_URL_URL_H
#define PETAL_FORMS_URL_URL_H

#include "core/form.h"

/* A piece of text; most steps shorten it in place. */
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
    return url_is_digit(c)                              ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

/* Everything before the first of these two characters; the rest stays in p. */
static inline struct piece url_before(struct piece *p, uint8_t a, uint8_t b)
{
    size_t n = 0;
    while (n < p->len && p->at[n] != a && p->at[n] != b)
        n++;
    const struct piece before = { p->at, n };
    p->at += n;
    p->len -= n;
    return before;
}

/* ---- Writing the normalized key ---- */

bool petal__url_put(struct form_key *key, uint8_t c);
bool petal__url_put_escaped(struct form_key *key, struct piece p);

/* May it stand for itself? */
static inline bool url_is_plain(uint8_t c)
{
    return c > ' ' && c < 127 && c != '#' && c != '%';
}

/* A host: a name in small letters, its labels in Punycode where needed, or an address in
 * its usual spelling.  False if it is none, or there is no room. */
bool petal__url_put_host(struct form_key *key, struct piece host);

#endif
