/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.h: makes the keys of the benchmark from numbers.
 */
#ifndef BENCH_KEYS_H
#define BENCH_KEYS_H

#include "peer.h"

enum keys_kind {
    KEYS_INTS,                  /* 8 random bytes */
    KEYS_URLS,                  /* texts of 24 to 60 bytes */
    KEYS_LINKS,                 /* realistic URLs of 63 bytes on average (texts.c) */
    KEYS_ADDRESSES,             /* IPv4 */
    KEYS_WORDS,
    KEYS_KINDS
};

#define KEYS_MEMBERS_MAX ((uint64_t)1 << 31)    /* of links, addresses and words */

extern const char *const keys_names[KEYS_KINDS];

/* Keys of one kind, reused for many samples. */
struct keys {
    enum keys_kind    kind;
    uint64_t         *ints;
    struct peer_text *texts;
    char             *pool;     /* what the texts point to */
    size_t            n, room;
    size_t            members;  /* at least this many are members */
};

enum keys_who {
    KEYS_MEMBERS,
    KEYS_NONMEMBERS,
    KEYS_BOTH                   /* half and half, shuffled */
};

extern uint64_t keys_seed;

struct keys keys_new(enum keys_kind kind, size_t room);
void        keys_free(struct keys *keys);

/* The bytes that keys_new() allocates. */
uint64_t keys_bytes(enum keys_kind kind, uint64_t room);

/* Members first, first + 1, ..., in order: for filling filters. */
void keys_run(struct keys *keys, uint64_t first, size_t n);

/* A random sample, which depends on `draw`. */
void keys_sample(struct keys *keys, enum keys_who who, uint64_t members, uint64_t draw,
                 size_t n);

/* Brings the keys into the cache, as if the program had just made them. */
void keys_touch(const struct keys *keys);

struct peer_keys keys_all(const struct keys *keys);

/* At most n keys, starting at `from`. */
struct peer_keys keys_part(struct peer_keys keys, size_t from, size_t n);

#endif
