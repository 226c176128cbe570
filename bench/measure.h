/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.h: what measure.c, fill.c and rounds.c share.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench.h"

#define SAMPLE ((size_t)1 << 17)    /* keys per measurement */
#define CALL   ((size_t)4096)       /* keys per call */

/* A contestant in a trial. */
struct player {
    const struct peer *peer;
    struct result     *result;
    void              *filter;
    bool               out;         /* broken or left out: not measured any more */
    struct samples     times[OPS];  /* ns per key */
};

/* Players whose filters are in memory at the same time. */
struct group {
    struct trial  *trial;
    struct player *at[CONTESTANTS_MAX];
    size_t         n;
    struct chance  chance;
    size_t         piece;           /* pieces added so far */
};

static inline bool op_wanted(const struct trial *trial, enum op op)
{
    return trial->ops >> op & 1;
}

/* ---- measure.c ---- */

bool player_make(struct player *player, struct trial *trial);
void player_drop(struct player *player);

/* Records which contestant is at work, in case it crashes. */
void player_busy(const struct player *player, struct trial *trial);

/* Adds or looks up keys, in calls of CALL keys. */
void   player_add(struct player *player, bool many, struct peer_keys keys);
size_t player_lookup(const struct player *player, bool many, struct peer_keys keys);

/* Does it support single lookups, or batches? */
bool player_lookups(const struct player *player, bool many);

/* Leaves the player out from now on, and records why. */
void player_out(struct player *player, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void player_broken(struct player *player, const struct trial *trial, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* Checks that it finds all members. */
void player_check(struct player *player, const struct trial *trial,
                  const struct keys *members);

/* ---- fill.c ---- */

void fill(struct group *group);
bool fill_again(struct group *group);   /* with the same keys; false if it is large */
void fill_bulk(struct trial *trial, struct player *players, size_t n);

/* ---- rounds.c ---- */

void rounds(struct group *group);
void rounds_rates(struct group *group);

#endif
