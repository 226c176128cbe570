/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.c: makes the keys of the benchmark from numbers.
 *
 * Key i is splitmix64(i), either as an integer or as a text that looks like a URL.  The
 * text contains all 64 bits, so no two keys are equal.  The members of a set of n keys are
 * those below n, and non-members start at 2^40.  So no key has to be stored to be looked up
 * later.  Links, addresses and words come from texts.c, which has 2^32 of each: the lower
 * half for members, the upper half for non-members.
 */
#include "keys.h"

#include "bench.h"
#include "texts.h"

#include <stdlib.h>
#include <string.h>

#define NONMEMBERS ((uint64_t)1 << 40)
#define URL_MAX    60

const char *const keys_names[KEYS_KINDS] = { "ints", "urls", "links", "addresses",
                                             "words" };
uint64_t keys_seed = 1;

static inline uint64_t keys_number(uint64_t i)
{
    return splitmix64(i + keys_seed * 0xD6E8FEB86659FD93);
}

/* ---- Texts ---- */

/* A word.  The tables are small enough to stay in the cache. */
struct word {
    char text[15];
    uint8_t len;
};

#define WORD(text)            \
    {                         \
        text, sizeof text - 1 \
    }

static const struct word schemes[2] = { WORD("https://"), WORD("http://") };
static const struct word subs[8] = { WORD(""),      WORD("www."),  WORD("m."),
                                     WORD("en."),   WORD("shop."), WORD("static."),
                                     WORD("blog."), WORD("news.") };
static const struct word names[16] = {
    WORD("ab"),    WORD("rose"),   WORD("tulip"),  WORD("daisy"),
    WORD("lilac"), WORD("poppy"),  WORD("iris"),   WORD("peony"),
    WORD("aster"), WORD("violet"), WORD("dahlia"), WORD("jasmine"),
    WORD("lotus"), WORD("clover"), WORD("orchid"), WORD("sunflower"),
};
static const struct word tops[2] = { WORD(".example/"), WORD(".test/") };
static const struct word folders[16] = {
    WORD(""),      WORD("a/"),        WORD("p/"),      WORD("img/"),
    WORD("item/"), WORD("user/"),     WORD("search/"), WORD("2024/05/"),
    WORD("docs/"), WORD("en/help/"),  WORD("api/v2/"), WORD("pics/big/"),
    WORD("tag/"),  WORD("news/old/"), WORD("wiki/"),   WORD("shop/cart/"),
};
static const struct word ends[8] = { WORD(""),     WORD(".html"),   WORD("/"),
                                     WORD(".php"), WORD(""),        WORD("?page=2"),
                                     WORD(".jpg"), WORD("?s=title") };

static inline char *keys_put(char *to, const struct word *word)
{
    memcpy(to, word->text, sizeof word->text); /* a fixed length is faster */
    return to + word->len;
}

/* Thirteen bits choose the words; the other bits become digits between them. */
static char *keys_url(char *to, uint64_t x)
{
    static const char digits[65] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    to = keys_put(to, &schemes[x & 1]);
    to = keys_put(to, &subs[x >> 1 & 7]);
    to = keys_put(to, &names[x >> 4 & 15]);
    to = keys_put(to, &tops[x >> 8 & 1]);
    to = keys_put(to, &folders[x >> 9 & 15]);
    for (unsigned shift = 13; shift < 64; shift += 6)
        *to++ = digits[x >> shift & 63];
    return keys_put(to, &ends[x >> 13 & 7]);
}

static char *keys_text(char *to, enum keys_kind kind, uint64_t i)
{
    const uint32_t upper = i < NONMEMBERS ? 0 : KEYS_MEMBERS_MAX;
    const uint32_t number = (uint32_t)(i & (KEYS_MEMBERS_MAX - 1)) | upper;
    switch (kind) {
    case KEYS_LINKS: return text_link(to, number, keys_seed);
    case KEYS_ADDRESSES: return text_address(to, number, keys_seed);
    case KEYS_WORDS: return text_word(to, number, keys_seed);
    default: return keys_url(to, keys_number(i));
    }
}

/* ---- Making them ---- */

static size_t keys_text_max(enum keys_kind kind)
{
    return kind == KEYS_LINKS  ? TEXT_LINK_MAX
           : kind == KEYS_URLS ? URL_MAX
                               : TEXT_SHORT_MAX;
}

uint64_t keys_bytes(enum keys_kind kind, uint64_t room)
{
    return room * (kind == KEYS_INTS ? 8 : sizeof(struct peer_text) + keys_text_max(kind));
}

struct keys keys_new(enum keys_kind kind, size_t room)
{
    struct keys keys = { .kind = kind, .room = room };
    if (kind == KEYS_INTS) {
        keys.ints = must_alloc(room * sizeof *keys.ints);
    } else {
        keys.texts = must_alloc(room * sizeof *keys.texts);
        keys.pool = must_alloc(room * keys_text_max(kind) + TEXT_SPARE);
    }
    return keys;
}

void keys_free(struct keys *keys)
{
    free(keys->ints);
    free(keys->texts);
    free(keys->pool);
    *keys = (struct keys){ 0 };
}

/* Stores key `index` at place i.  The text begins at `end`, where the previous one ends. */
static inline char *keys_set(struct keys *keys, size_t i, uint64_t index, char *end)
{
    if (keys->kind == KEYS_INTS) {
        keys->ints[i] = keys_number(index);
        return end;
    }
    char *const next = keys_text(end, keys->kind, index);
    keys->texts[i] = (struct peer_text){ end, (size_t)(next - end) };
    return next;
}

void keys_run(struct keys *keys, uint64_t first, size_t n)
{
    char *end = keys->pool;
    for (size_t i = 0; i < n; i++)
        end = keys_set(keys, i, first + i, end);
    keys->n = keys->members = n;
}

void keys_sample(struct keys *keys, enum keys_who who, uint64_t members, uint64_t draw,
                 size_t n)
{
    struct chance chance = { draw * 0xF1357AEA2E62A9C5 };
    char *end = keys->pool;
    keys->n = n;
    keys->members = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = chance_next(&chance);
        const bool member = who == KEYS_MEMBERS || (who == KEYS_BOTH && (x & 1));
        const uint64_t index = member ? below(members, x) : NONMEMBERS + (x >> 1);
        end = keys_set(keys, i, index, end);
        keys->members += member;
    }
}

void keys_touch(const struct keys *keys)
{
    if (keys->kind == KEYS_INTS)
        for (size_t i = 0; i < keys->n; i += 8)
            (void)*(const volatile uint64_t *)&keys->ints[i];
    else
        for (size_t i = 0; i < keys->n; i++)
            (void)*(const volatile char *)keys->texts[i].data;
}

struct peer_keys keys_all(const struct keys *keys)
{
    return (struct peer_keys){ keys->ints, keys->texts, keys->n };
}

struct peer_keys keys_part(struct peer_keys keys, size_t from, size_t n)
{
    const size_t left = keys.n - from;
    return (struct peer_keys){ keys.ints ? keys.ints + from : NULL,
                               keys.texts ? keys.texts + from : NULL, left < n ? left : n };
}
