/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds.c: measures lookups and false positive rates.
 *
 * In each round every contestant makes every kind of lookup once, in random order, so that
 * a slow moment of the machine affects all alike.  All contestants get the same keys. Every
 * round has new keys, and single lookups get other keys than batches, so no cache line is
 * warm because of an earlier lookup.  Before each measurement the filter is warmed up
 * without being timed.  This fills the cache as if the filter were alone on the machine,
 * and trains the branch predictor.
 */
#include "measure.h"

#define ROUNDS_LEAST    7
#define ROUNDS_MOST     101
#define CACHE_BYTES     ((size_t)48 << 20) /* larger filters do not fit in the cache */
#define WARM_LEAST      ((size_t)1 << 13)
#define WARM_MOST       ((size_t)1 << 18)
#define WARM_SECONDS    5e-3
#define NONMEMBER_LEAST ((uint64_t)1 << 20)
#define NONMEMBER_MOST  ((uint64_t)1 << 22)
#define RATE_SECONDS    0.15

/* ---- Rates ---- */

/* At least NONMEMBER_LEAST lookups, then more while there is time. */
void rounds_rates(struct group *group)
{
    struct trial *trial = group->trial;
    struct keys keys = keys_new(trial->keys, SAMPLE);
    double took[CONTESTANTS_MAX] = { 0 };
    progress(trial, "rates");
    for (uint64_t n = 0; n < NONMEMBER_MOST; n += SAMPLE) {
        keys_sample(&keys, KEYS_NONMEMBERS, trial->n, chance_next(&group->chance), SAMPLE);
        for (size_t i = 0; i < group->n; i++) {
            struct player *player = group->at[i];
            const bool many = player->peer->contains_many != NULL;
            if (player->out || player->peer->what & PEER_LIMIT ||
                !player_lookups(player, many) ||
                (n >= NONMEMBER_LEAST && took[i] > RATE_SECONDS))
                continue;
            player_busy(player, trial);
            const double start = seconds_now();
            player->result->maybes += player_lookup(player, many, keys_all(&keys));
            player->result->nonmembers += keys.n;
            took[i] += seconds_now() - start;
        }
    }
    keys_free(&keys);
}

/* ---- Rounds ---- */

struct turn {
    struct player *player;
    enum op op;
};

static const struct {
    enum op op;
    enum keys_who who;
} lookups[] = {
    { OP_HIT, KEYS_MEMBERS },     { OP_HIT_MANY, KEYS_MEMBERS },
    { OP_MISS, KEYS_NONMEMBERS }, { OP_MISS_MANY, KEYS_NONMEMBERS },
    { OP_MIXED, KEYS_BOTH },      { OP_MIXED_MANY, KEYS_BOTH },
};

#define LOOKUPS (sizeof lookups / sizeof *lookups)

static bool op_is_many(enum op op)
{
    return op == OP_HIT_MANY || op == OP_MISS_MANY || op == OP_MIXED_MANY;
}

static size_t rounds_turns(const struct group *group, struct turn *turns)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n; i++)
        for (size_t a = 0; a < LOOKUPS; a++) {
            struct player *player = group->at[i];
            if (!player->out && !(player->peer->what & PEER_ADDS) &&
                op_wanted(group->trial, lookups[a].op) &&
                player_lookups(player, op_is_many(lookups[a].op)))
                turns[n++] = (struct turn){ player, lookups[a].op };
        }
    return n;
}

/* About one key for each cache line of the filter.  If the filter is too large for the
 * cache, a few for each cache line of its page tables, which covers eight pages. */
static size_t rounds_warm_keys(const struct player *player)
{
    const size_t bytes = player->peer->bytes(player->filter);
    const size_t n = bytes > CACHE_BYTES ? bytes / (2 * 4096) : bytes / 64;
    return n < WARM_LEAST ? WARM_LEAST : n < WARM_MOST ? n : WARM_MOST;
}

/* Warms up in the faster way, for a limited time, then shortly in the way that is timed. */
static void rounds_warm(const struct turn *turn, const struct keys *keys)
{
    const struct player *player = turn->player;
    const bool many = player->peer->contains_many != NULL;
    const size_t n = rounds_warm_keys(player);
    const double start = seconds_now();
    for (size_t at = 0; at < n && seconds_now() - start < WARM_SECONDS; at += WARM_LEAST)
        player_lookup(player, many, keys_part(keys_all(keys), at, WARM_LEAST));
    player_lookup(player, op_is_many(turn->op), keys_part(keys_all(keys), 0, WARM_LEAST));
}

static void rounds_turn(struct trial *trial, const struct turn *turn,
                        const struct keys *warm, const struct keys *keys)
{
    struct player *player = turn->player;
    if (player->out)
        return;
    player_busy(player, trial);
    keys_touch(keys);
    rounds_warm(turn, warm);
    const struct clocks start = clocks_now();
    const size_t found = player_lookup(player, op_is_many(turn->op), keys_all(keys));
    samples_add(&player->times[turn->op], clocks_since(start), keys->n);
    if (found < keys->members && !(player->peer->what & PEER_LIMIT))
        player_broken(player, trial, "it finds %zu of %zu members", found, keys->members);
}

static bool rounds_more(const struct trial *trial, uint32_t done, double elapsed)
{
    if (trial->rounds)
        return done < trial->rounds;
    return done < ROUNDS_LEAST || (done < ROUNDS_MOST && elapsed < trial->seconds);
}

void rounds(struct group *group)
{
    static struct turn turns[CONTESTANTS_MAX * LOOKUPS];
    static size_t order[CONTESTANTS_MAX * LOOKUPS];
    struct trial *trial = group->trial;
    const size_t n = rounds_turns(group, turns);
    const double start = seconds_now();
    struct keys samples[OPS] = { { 0 } }, warm = keys_new(trial->keys, WARM_MOST);
    for (size_t a = 0; a < LOOKUPS; a++)
        samples[lookups[a].op] = keys_new(trial->keys, SAMPLE);
    uint32_t round = 0;
    for (; rounds_more(trial, round, seconds_now() - start); round++) {
        progress(trial, "round %u", round + 1);
        if (!fill_again(group) && n == 0)
            break;
        for (size_t a = 0; a < LOOKUPS; a++)
            if (op_wanted(trial, lookups[a].op))
                keys_sample(&samples[lookups[a].op], lookups[a].who, trial->n,
                            chance_next(&group->chance), SAMPLE);
        keys_sample(&warm, KEYS_BOTH, trial->n, chance_next(&group->chance), WARM_MOST);
        shuffled(&group->chance, order, n);
        for (size_t i = 0; i < n; i++)
            rounds_turn(trial, &turns[order[i]], &warm, &samples[turns[order[i]].op]);
    }
    trial->rounds_done = round;
    for (size_t a = 0; a < LOOKUPS; a++)
        keys_free(&samples[lookups[a].op]);
    keys_free(&warm);
}
