/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * texts.c: makes texts that look like the keys of the forms: links, addresses and words.
 *
 * A link is a URL as in the log of a proxy, 63 bytes long on average:
 *
 *     https://www.rivergarden.com/news/world/market-5f3a91c2.html
 *
 * It has a scheme, a host of two to four labels, one to four folders, a page, and in one of
 * four cases a query.  Few hosts have many pages and many hosts have few.  An address is
 * IPv4.  A word has four syllables, and one in eight is capitalized.  The number of a text,
 * scattered over 32 bits, is part of the text, so no two of a seed are equal.
 */
#include "texts.h"

#include "splitmix.h"

#include <string.h>

/* A piece of text.  The tables are small enough to stay in the cache. */
struct piece {
    char text[15];
    uint8_t len;
};

#define PIECE(text)           \
    {                         \
        text, sizeof text - 1 \
    }
#define FOUR(a, b, c, d) PIECE(a), PIECE(b), PIECE(c), PIECE(d)

static const struct piece schemes[4] = { FOUR("https://", "https://", "https://",
                                              "http://") };
static const struct piece subs[16] = {
    FOUR("www.", "www.", "www.", "www."),
    FOUR("www.", "www.", "", ""),
    FOUR("m.", "en.", "shop.", "static."),
    FOUR("blog.", "news.", "img.cdn.", "api.eu."),
};
static const struct piece tops[16] = {
    FOUR(".com", ".com", ".com", ".com"),
    FOUR(".com", ".com", ".org", ".org"),
    FOUR(".net", ".net", ".de", ".fr"),
    FOUR(".io", ".info", ".co.uk", ".com.br"),
};
static const struct piece words[64] = {
    FOUR("news", "shop", "world", "red"),        FOUR("market", "river", "cloud", "home"),
    FOUR("garden", "media", "play", "sport"),    FOUR("travel", "green", "photo", "music"),
    FOUR("health", "data", "art", "city"),       FOUR("daily", "north", "star", "book"),
    FOUR("video", "job", "auto", "light"),       FOUR("food", "kids", "tech", "money"),
    FOUR("forum", "sun", "house", "wiki"),       FOUR("mail", "game", "weather", "school"),
    FOUR("people", "events", "rose", "science"), FOUR("store", "style", "history", "deals"),
    FOUR("team", "live", "radio", "nature"),     FOUR("studio", "press", "trade", "island"),
    FOUR("local", "fashion", "bank", "guide"),   FOUR("review", "tulip", "archive", "labs"),
};
static const struct piece ends[16] = {
    FOUR(".html", ".html", ".html", ""),
    FOUR("", "", "", "/"),
    FOUR("/", "/", ".php", ".jpg"),
    FOUR("?page=2", "?id=48151623", "?q=red%20rose", "?ref=home&x=1"),
};
static const struct piece consonants[32] = {
    FOUR("b", "c", "d", "f"),     FOUR("g", "h", "j", "k"),
    FOUR("l", "m", "n", "p"),     FOUR("r", "s", "t", "v"),
    FOUR("w", "x", "z", "q"),     FOUR("th", "st", "br", "ch"),
    FOUR("sh", "tr", "pl", "gr"), FOUR("cl", "nd", "nt", "ss"),
};
static const struct piece vowels[8] = { FOUR("a", "e", "i", "o"),
                                        FOUR("u", "y", "ea", "ou") };

static inline char *text_put(char *to, const struct piece *piece)
{
    memcpy(to, piece->text, sizeof piece->text); /* a fixed length is faster */
    return to + piece->len;
}

/* Different numbers give different results. */
static inline uint32_t text_scatter(uint32_t i, uint64_t seed)
{
    uint32_t x = i ^ (uint32_t)splitmix64(seed);
    x = (x ^ x >> 16) * 0x7FEB352D;
    x = (x ^ x >> 15) * 0x846CA68B;
    return x ^ x >> 16;
}

char *text_link(char *to, uint32_t i, uint64_t seed)
{
    static const char digits[] = "0123456789abcdef";
    const uint32_t number = text_scatter(i, seed);
    uint64_t r = splitmix64(number + (seed << 32)), s = splitmix64(r);
    to = text_put(to, &schemes[r & 3]);
    to = text_put(to, &subs[r >> 2 & 15]);
    to = text_put(to, &words[r >> 6 & r >> 12 & 63]);
    to = text_put(to, &words[r >> 18 & 63]);
    to = text_put(to, &tops[r >> 24 & 15]);
    *to++ = '/';
    const unsigned folders = (r >> 28 & 3) + 1, names = (r >> 30 & 1) + 1;
    for (unsigned w = 1; w <= folders + names; w++, s >>= 6) {
        to = text_put(to, &words[s & 63]);
        *to++ = w <= folders ? '/' : '-';
    }
    for (int shift = 28; shift >= 0; shift -= 4)
        *to++ = digits[number >> shift & 15];
    return text_put(to, &ends[s & 15]);
}

char *text_address(char *to, uint32_t i, uint64_t seed)
{
    const uint32_t number = text_scatter(i, seed);
    for (int shift = 24; shift >= 0; shift -= 8) {
        const unsigned byte = number >> shift & 255;
        if (byte >= 100)
            *to++ = (char)('0' + byte / 100);
        if (byte >= 10)
            *to++ = (char)('0' + byte / 10 % 10);
        *to++ = (char)('0' + byte % 10);
        if (shift > 0)
            *to++ = '.';
    }
    return to;
}

char *text_word(char *to, uint32_t i, uint64_t seed)
{
    const uint32_t number = text_scatter(i, seed);
    char *const first = to;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        to = text_put(to, &consonants[number >> shift & 31]);
        to = text_put(to, &vowels[number >> shift >> 5 & 7]);
    }
    if (number % 8 == 0)
        *first = (char)(*first - 'a' + 'A');
    return to;
}
