/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.h: the keys of the benchmark, made from numbers.
 */
#ifndef BENCH_KEYS_H
#define BENCH_KEYS_H

#include "peer.h"

enum keys_kind {
    KEYS_INTS,                  /* 8 random bytes */
    KEYS_URLS,                  /* texts of 24 to 60 bytes */
    KEYS_KINDS
};

#define KEYS_URL_MAX 60

extern const char *const keys_names[KEYS_KINDS];

/* Room for keys of one kind, to be filled again and again. */
struct keys {
    enum keys_kind    kind;
    uint64_t         *ints;
    struct peer_text *texts;
    char             *pool;     /* what the texts point to */
    size_t            n, room;
    size_t            members;  /* how many of them are, at least */
};

enum keys_who {
    KEYS_MEMBERS,
    KEYS_STRANGERS,
    KEYS_BOTH                   /* half and half, shuffled */
};

extern uint64_t keys_seed;

struct keys keys_new(enum keys_kind kind, size_t room);
void        keys_free(struct keys *keys);

/* How many bytes keys_new() would take. */
uint64_t keys_bytes(enum keys_kind kind, uint64_t room);

/* Members first, first + 1, and so on: what filters are filled with. */
void keys_run(struct keys *keys, uint64_t first, size_t n);

/* A random sample; another `draw` is another sample. */
void keys_sample(struct keys *keys, enum keys_who who, uint64_t members, uint64_t draw,
                 size_t n);

/* Bring them into the cache, as whoever has just made them has them. */
void keys_touch(const struct keys *keys);

struct peer_keys keys_all(const struct keys *keys);

/* At most n of them, from the one at `from` on. */
struct peer_keys keys_part(struct peer_keys keys, size_t from, size_t n);

#endif
