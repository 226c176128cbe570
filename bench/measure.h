/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.h: what the parts of a measurement share: measure.c, fill.c and rounds.c.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench.h"

#define SAMPLE ((size_t)1 << 17)    /* keys that are timed together */
#define CALL   ((size_t)4096)       /* keys in one call */

/* A contestant at work in a trial. */
struct player {
    const struct peer *peer;
    struct result     *result;
    void              *filter;
    bool               out;         /* broken, or left out: not to be measured further */
    struct samples     times[OPS];  /* ns a key */
};

/* Those whose filters are in memory at the same time. */
struct group {
    struct trial  *trial;
    struct player *at[CONTESTANTS_MAX];
    size_t         n;
    struct chance  chance;
    size_t         piece;           /* how many pieces were added so far */
};

static inline bool op_wanted(const struct trial *trial, enum op op)
{
    return trial->ops >> op & 1;
}

static inline double ns_per_key(double seconds, uint64_t n)
{
    return seconds * 1e9 / (double)n;
}

/* ---- measure.c ---- */

bool player_make(struct player *player, struct trial *trial);
void player_drop(struct player *player);

/* Note who is at work, should the process end here. */
void player_busy(const struct player *player, struct trial *trial);

/* Add or ask, in calls of CALL keys. */
void   player_add(struct player *player, bool many, struct peer_keys keys);
size_t player_lookup(const struct player *player, bool many, struct peer_keys keys);

/* Can it be asked so?  Either way will do to check it. */
bool player_lookups(const struct player *player, bool many);

/* Leave it out from here on, and say why. */
void player_out(struct player *player, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void player_broken(struct player *player, const struct trial *trial, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* Does it find the members that it was given? */
void player_check(struct player *player, const struct trial *trial,
                  const struct keys *members);

/* ---- fill.c ---- */

void fill(struct group *group);
bool fill_again(struct group *group);   /* with the same keys; true if it is small enough */
void fill_bulk(struct trial *trial, struct player *players, size_t n);

/* ---- rounds.c ---- */

void rounds(struct group *group);
void rounds_rates(struct group *group);

#endif
