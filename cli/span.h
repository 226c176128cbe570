/* SPDX-License-Identifier: BSD-2-Clause */
/* span.h: a piece of text that somebody else owns, and what is done with it everywhere. */
#ifndef CLI_SPAN_H
#define CLI_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *at;
    size_t      len;
};

/* A string literal as a span: as a value, and in the initializer of a table. */
#define SPAN(text)    ((struct span){ text, sizeof(text) - 1 })
#define SPAN_OF(text) { text, sizeof(text) - 1 }

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static inline struct span span_from(struct span s, size_t at)
{
    return (struct span){ s.at + at, s.len - at };
}

static inline struct span span_to(struct span s, size_t len)
{
    return (struct span){ s.at, len };
}

/* Without blanks, carriage returns and newlines at both ends. */
static inline struct span span_trim(struct span s)
{
    while (s.len && (is_blank(s.at[0]) || s.at[0] == '\r' || s.at[0] == '\n'))
        s = span_from(s, 1);
    while (s.len && (is_blank(s.at[s.len - 1]) || s.at[s.len - 1] == '\r' ||
                     s.at[s.len - 1] == '\n'))
        s.len--;
    return s;
}

static inline bool span_is(struct span s, struct span other)
{
    return s.len == other.len && (s.len == 0 || memcmp(s.at, other.at, s.len) == 0);
}

/* Ignoring the case of ASCII letters. */
static inline bool span_is_word(struct span s, struct span other)
{
    return s.len == other.len && (s.len == 0 || strncasecmp(s.at, other.at, s.len) == 0);
}

/* Is it one of these words, in a static table? */
#define SPAN_IS_ANY(s, words) span_is_any(s, words, sizeof(words) / sizeof *(words))

static inline bool span_is_any(struct span s, const struct span *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (span_is_word(s, words[i]))
            return true;
    return false;
}

static inline bool span_starts(struct span s, struct span with)
{
    return s.len >= with.len && memcmp(s.at, with.at, with.len) == 0;
}

static inline bool span_starts_word(struct span s, struct span with)
{
    return s.len >= with.len && strncasecmp(s.at, with.at, with.len) == 0;
}

static inline bool span_ends(struct span s, struct span with)
{
    return s.len >= with.len && memcmp(s.at + s.len - with.len, with.at, with.len) == 0;
}

/* The position of the first c; s.len if there is none. */
static inline size_t span_find(struct span s, char c)
{
    const char *found = s.len ? (const char *)memchr(s.at, c, s.len) : NULL;
    return found ? (size_t)(found - s.at) : s.len;
}

static inline bool span_has(struct span s, char c)
{
    return span_find(s, c) < s.len;
}

/* The position of the first occurrence of a text; s.len if there is none. */
static inline size_t span_find_text(struct span s, struct span text)
{
    for (size_t i = 0; i + text.len <= s.len; i++) {
        i += span_find(span_from(s, i), text.at[0]);
        if (i + text.len <= s.len && memcmp(s.at + i, text.at, text.len) == 0)
            return i;
    }
    return s.len;
}

/* Cuts off and returns everything before the first blank.  Blanks around it are dropped. */
static inline struct span span_word(struct span *s)
{
    *s = span_trim(*s);
    size_t n = 0;
    while (n < s->len && !is_blank(s->at[n]))
        n++;
    const struct span word = span_to(*s, n);
    *s = span_trim(span_from(*s, n));
    return word;
}

#endif
