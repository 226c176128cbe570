/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fill.c: measures additions.
 *
 * Keys are made in blocks, and all contestants add a block before the next is made.  A
 * block is added in pieces: some one key at a time, the others in batches.  So filling once
 * gives both figures.  The median over the pieces counts, so the first use of memory pages
 * has no influence.  A small filter is made and filled again in every round of lookups.
 *
 * "Bulk" adds all keys to a new filter in one call; "whole" does the same in calls of the
 * usual length.  Both include the first use of the memory.  The very first turn is not
 * timed, because the host of a virtual machine must find memory for it.
 */
#include "measure.h"

#define BLOCK       ((size_t)1 << 20)
#define PIECE       ((size_t)1 << 14)
#define FILL_KEYS   ((size_t)1 << 19) /* larger filters are filled once */
#define JUDGED_KEYS ((uint64_t)1 << 22)
#define BULK_BYTES  1.05e9 /* of keys in memory */
#define BULK_KEYS   5e7    /* timed in total, in 3 to 25 turns */
#define BULK_CHECK  ((size_t)1 << 14)

/* ---- In pieces ---- */

/* If both ways are wanted, every second piece is added one key at a time; in large filters
 * every eighth. */
static bool fill_many(const struct player *player, const struct trial *trial, size_t piece)
{
    if (!player->peer->add_many)
        return false;
    if (!player->peer->add || !op_wanted(trial, OP_ADD))
        return true;
    if (!op_wanted(trial, OP_ADD_MANY))
        return false;
    return piece % (trial->n <= FILL_KEYS ? 2 : 8) != 0;
}

/* `piece` counts the pieces of all fillings. */
static void fill_block(struct player *player, struct trial *trial, const struct keys *block,
                       size_t piece)
{
    player_busy(player, trial);
    for (size_t at = 0; at < block->n; at += PIECE, piece++) {
        const struct peer_keys keys = keys_part(keys_all(block), at, PIECE);
        const bool many = fill_many(player, trial, piece);
        const struct clocks start = clocks_now();
        player_add(player, many, keys);
        const struct clocks took = clocks_since(start);
        if (keys.n >= PIECE / 2 || trial->n < PIECE) /* short pieces mislead */
            samples_add(&player->times[many ? OP_ADD_MANY : OP_ADD], took, keys.n);
    }
}

/* Leaves out contestants that would take too long. */
static void fill_judge(struct group *group)
{
    const struct trial *trial = group->trial;
    for (size_t i = 0; i < group->n; i++) {
        struct player *player = group->at[i];
        if (player->out)
            continue;
        const bool many = player->times[OP_ADD_MANY].n > 0;
        const struct samples *times = &player->times[many ? OP_ADD_MANY : OP_ADD];
        const double each = samples_figure(times, false).wall;
        const double seconds = each * (double)trial->n * 1e-9;
        if (seconds > trial->fill_seconds)
            player_out(player, "filling would take %.0f s", seconds);
    }
}

static void fill_turn(struct group *group, struct keys *block)
{
    struct trial *trial = group->trial;
    bool judged = false;
    for (uint64_t first = 0; first < trial->n; first += BLOCK) {
        const uint64_t left = trial->n - first;
        size_t order[CONTESTANTS_MAX];
        if (trial->n > FILL_KEYS)
            progress(trial, "filling, %.0f%%", 100 * (double)first / (double)trial->n);
        keys_run(block, first, left < BLOCK ? (size_t)left : BLOCK);
        shuffled(&group->chance, order, group->n);
        for (size_t i = 0; i < group->n; i++)
            if (!group->at[order[i]]->out)
                fill_block(group->at[order[i]], trial, block, group->piece);
        group->piece += ((block->n + PIECE - 1) / PIECE) |
                        1; /* odd, so that the first piece alternates */
        if (!judged && (first >= JUDGED_KEYS || first >= trial->n / 16)) {
            fill_judge(group);
            judged = true;
        }
    }
}

static void fill_ready(struct group *group)
{
    struct trial *trial = group->trial;
    for (size_t i = 0; i < group->n; i++) {
        struct player *player = group->at[i];
        if (player->out || !player->peer->ready)
            continue;
        progress(trial, "%s: building", player->result->name);
        player_busy(player, trial);
        const struct clocks start = clocks_now();
        player->peer->ready(player->filter);
        samples_add(&player->times[OP_READY], clocks_since(start), trial->n);
    }
}

/* Replaces all filters by empty ones. */
static void fill_renew(struct group *group)
{
    for (size_t i = 0; i < group->n; i++) {
        struct player *player = group->at[i];
        if (player->out)
            continue;
        player_drop(player);
        if (!player_make(player, group->trial))
            player_out(player, "it failed to make this filter a second time");
    }
}

static void fill_once(struct group *group)
{
    const uint64_t n = group->trial->n;
    struct keys block = keys_new(group->trial->keys, n < BLOCK ? (size_t)n : BLOCK);
    fill_turn(group, &block);
    fill_ready(group);
    keys_free(&block);
}

void fill(struct group *group)
{
    fill_once(group);
    fill_again(group);
}

bool fill_again(struct group *group)
{
    if (group->trial->n > FILL_KEYS)
        return false;
    fill_renew(group);
    fill_once(group);
    return true;
}

/* ---- In bulk ---- */

static void fill_bulk_one(struct player *player, struct trial *trial,
                          const struct keys *all, const struct keys *some, enum op op,
                          bool timed)
{
    player_busy(player, trial);
    if (player->out || !op_wanted(trial, op) || !player_make(player, trial))
        return;
    const struct clocks start = clocks_now();
    if (op == OP_BULK)
        player->peer->add_many(player->filter, keys_all(all));
    else
        player_add(player, true, keys_all(all));
    const struct clocks took = clocks_since(start);
    if (timed)
        samples_add(&player->times[op], took, all->n);
    if (player->peer->ready)
        player->peer->ready(player->filter);
    player_check(player, trial, some);
    player_drop(player);
}

static void fill_bulk_turns(struct trial *trial, struct player **who, size_t n)
{
    struct chance chance = { settings.seed };
    struct keys all = keys_new(trial->keys, (size_t)trial->n);
    struct keys some = keys_new(trial->keys, BULK_CHECK);
    const double enough = BULK_KEYS / (double)trial->n;
    const size_t turns = enough < 3 ? 3 : enough > 25 ? 25 : (size_t)enough;
    keys_run(&all, 0, (size_t)trial->n);
    keys_sample(&some, KEYS_MEMBERS, trial->n, 1, BULK_CHECK);
    for (size_t turn = 0; turn <= turns; turn++) {
        size_t order[2 * CONTESTANTS_MAX];
        shuffled(&chance, order, 2 * n);
        progress(trial, "bulk, %zu of %zu", turn, turns);
        for (size_t i = 0; i < 2 * n; i++)
            fill_bulk_one(who[order[i] / 2], trial, &all, &some,
                          order[i] & 1 ? OP_WHOLE : OP_BULK, turn > 0);
    }
    keys_free(&all);
    keys_free(&some);
}

void fill_bulk(struct trial *trial, struct player *players, size_t n)
{
    struct player *who[CONTESTANTS_MAX];
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (!players[i].out && players[i].peer->what & PEER_BULK &&
            players[i].peer->add_many)
            who[found++] = &players[i];
    const double bytes = (double)keys_bytes(trial->keys, trial->n);
    if (found > 0 && bytes > BULK_BYTES)
        remark("%s: bulk is left out: the keys would take %.1f GB", trial_name(trial),
               bytes * 1e-9);
    else if (found > 0)
        fill_bulk_turns(trial, who, found);
}
