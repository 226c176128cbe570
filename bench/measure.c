/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.c: runs one trial: all contestants, with the same keys.
 *
 * Filters are made, filled (fill.c) and checked.  Non-members are looked up to find the
 * false positive rate, and lookups are timed in rounds (rounds.c).  All filters exist at
 * the same time, so that a slow moment of the machine affects all of them.  If memory does
 * not suffice for that, the contestants are measured in groups, each as large as memory
 * allows.
 */
#include "measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED     ((size_t)1 << 17)
#define TEXTS_MAX   10000000 /* most texts that an exact set is given */
#define MEMORY_PART 0.7      /* of the available memory */

/* ---- Contestants at work ---- */

void player_busy(const struct player *player, struct trial *trial)
{
    memcpy(trial->busy, player->result->name, sizeof trial->busy);
}

bool player_make(struct player *player, struct trial *trial)
{
    player_busy(player, trial);
    player->filter = player->peer->make(trial->n, trial->bits);
    return player->filter != NULL;
}

void player_drop(struct player *player)
{
    if (player->filter)
        player->peer->drop(player->filter);
    player->filter = NULL;
}

void player_add(struct player *player, bool many, struct peer_keys keys)
{
    const struct peer *peer = player->peer;
    for (size_t at = 0; at < keys.n; at += CALL) {
        const struct peer_keys part = keys_part(keys, at, CALL);
        if (many)
            peer->add_many(player->filter, part);
        else
            peer->add(player->filter, part);
    }
}

size_t player_lookup(const struct player *player, bool many, struct peer_keys keys)
{
    static bool found[CALL];
    const struct peer *peer = player->peer;
    size_t total = 0;
    for (size_t at = 0; at < keys.n; at += CALL) {
        const struct peer_keys part = keys_part(keys, at, CALL);
        total += many ? peer->contains_many(player->filter, part, found)
                      : peer->contains(player->filter, part);
    }
    return total;
}

bool player_lookups(const struct player *player, bool many)
{
    return many ? player->peer->contains_many != NULL : player->peer->contains != NULL;
}

static void player_says_out(struct player *player, const char *format, va_list values)
{
    vsnprintf(player->result->left_out, WHY_MAX_LEN, format, values);
    player->out = true;
    player_drop(player);
}

void player_out(struct player *player, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    player_says_out(player, format, values);
    va_end(values);
}

void player_broken(struct player *player, const struct trial *trial, const char *format,
                   ...)
{
    va_list values;
    va_start(values, format);
    player_says_out(player, format, values);
    va_end(values);
    player->result->broken = true;
    remark("%s is broken: %s (%s)", player->result->name, player->result->left_out,
           trial_name(trial));
}

/* Counts what `found` reports, to check it against the returned number. */
static size_t player_recount(const struct player *player, struct peer_keys keys)
{
    static bool found[CALL];
    size_t total = 0;
    for (size_t at = 0; at < keys.n; at += CALL) {
        const struct peer_keys part = keys_part(keys, at, CALL);
        memset(found, 0, sizeof found);
        player->peer->contains_many(player->filter, part, found);
        for (size_t i = 0; i < part.n; i++)
            total += found[i];
    }
    return total;
}

void player_check(struct player *player, const struct trial *trial,
                  const struct keys *members)
{
    if (player->peer->what & PEER_LIMIT)
        return;
    const struct peer_keys keys = keys_all(members);
    for (int many = 0; many <= 1; many++) {
        if (!player_lookups(player, many))
            continue;
        size_t found = player_lookup(player, many, keys);
        if (many && found == keys.n)
            found = player_recount(player, keys);
        if (found != keys.n) {
            player_broken(player, trial, "it finds %zu of %zu members", found, keys.n);
            return;
        }
    }
}

/* ---- Groups ---- */

/* How many bytes all filters of a group may take. */
static double measure_memory(void)
{
    char line[256];
    double kilobytes = 4e6;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes * 1024 * MEMORY_PART;
}

/* An exact set may be empty before it is filled, so its size is estimated. */
static double measure_bytes(const struct player *player, const struct trial *trial)
{
    const double now = (double)player->peer->bytes(player->filter);
    const double each = trial->keys == KEYS_INTS ? 48 : 150;
    const double keys = player->peer->what & PEER_EXACT ? each * (double)trial->n : 0;
    return now > keys ? now : keys;
}

/* Takes as many players as fit in memory together.  A player that does not even fit alone
 * is left out. */
static size_t measure_group(struct group *group, struct player *players, size_t n)
{
    const double room = measure_memory();
    double taken = 0;
    group->n = 0;
    for (size_t i = 0; i < n; i++) {
        struct player *player = &players[i];
        if (player->out)
            continue;
        if (!player_make(player, group->trial)) {
            player_out(player, "it cannot make this filter");
            continue;
        }
        const double bytes = measure_bytes(player, group->trial);
        if (taken + bytes > room) {
            player_drop(player);
            if (group->n > 0)
                return i;
            player_out(player, "it would need %.1f GB", bytes * 1e-9);
            continue;
        }
        taken += bytes;
        group->at[group->n++] = player;
    }
    return n;
}

static void measure_describe(struct player *player, const struct trial *trial)
{
    const struct peer *peer = player->peer;
    player->result->bits = (double)peer->bytes(player->filter) * 8 / (double)trial->n;
    if (peer->parameters)
        snprintf(player->result->parameters, NAME_MAX_LEN, "%s",
                 peer->parameters(player->filter));
}

static void measure_check(struct group *group)
{
    struct trial *trial = group->trial;
    struct keys members = keys_new(trial->keys, CHECKED);
    keys_sample(&members, KEYS_MEMBERS, trial->n, chance_next(&group->chance), CHECKED);
    for (size_t i = 0; i < group->n; i++) {
        struct player *player = group->at[i];
        if (player->out)
            continue;
        player_busy(player, trial);
        player_check(player, trial, &members);
        if (!player->out)
            measure_describe(player, trial);
    }
    keys_free(&members);
}

/* ---- The trial ---- */

static void measure_admit(struct player *player, const struct contestant *contestant,
                          const struct trial *trial)
{
    const struct peer *peer = contestant->peer;
    if (peer->n_max && trial->n > peer->n_max)
        player_out(player, "it is limited to %.0f keys", (double)peer->n_max);
    else if (peer->what & PEER_EXACT && trial->keys != KEYS_INTS && trial->n > TEXTS_MAX)
        player_out(player, "it would store more than %d texts", TEXTS_MAX);
}

static bool measure_plays(const struct contestant *c, const struct trial *trial)
{
    if (c->peer->keys)
        return strcmp(c->peer->keys, keys_names[trial->keys]) == 0;
    return (trial->kinds || !contestant_is_kind(c)) &&
           (trial->exact || !(c->peer->what & PEER_EXACT));
}

static size_t measure_players(struct trial *trial, struct player *players)
{
    size_t n = 0;
    for (size_t i = 0; i < contestants_n; i++) {
        const struct contestant *c = &contestants[i];
        if (!measure_plays(c, trial))
            continue;
        struct result *result = &trial->results[n];
        *result = (struct result){ .what = c->peer->what };
        memcpy(result->name, c->name, sizeof result->name);
        players[n] = (struct player){ .peer = c->peer, .result = result };
        measure_admit(&players[n++], c, trial);
    }
    trial->results_n = n;
    return n;
}

/* Shows what was requested.  Threads are not used in small batches, so those are not shown.
 */
static bool measure_shows(const struct trial *trial, const struct player *player,
                          enum op op)
{
    return op == OP_READY || (op_wanted(trial, op) &&
                              (op != OP_ADD_MANY || !(player->peer->what & PEER_THREADS)));
}

static void measure_finish(const struct trial *trial, struct player *players, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int op = 0; op < OPS; op++) {
            if (measure_shows(trial, &players[i], (enum op)op))
                players[i].result->ops[op] = samples_figure(
                    &players[i].times[op], players[i].peer->what & PEER_THREADS);
            samples_free(&players[i].times[op]);
        }
}

void measure(struct trial *trial)
{
    static struct player players[CONTESTANTS_MAX];
    const double start = seconds_now();
    const size_t n = measure_players(trial, players);
    for (size_t first = 0; first < n;) {
        struct group group = { .trial = trial, .chance = { settings.seed ^ first } };
        first += measure_group(&group, players + first, n - first);
        if (group.n == 0)
            continue;
        fill(&group);
        measure_check(&group);
        rounds_rates(&group);
        rounds(&group);
        for (size_t i = 0; i < group.n; i++)
            player_drop(group.at[i]);
    }
    if (op_wanted(trial, OP_BULK) || op_wanted(trial, OP_WHOLE))
        fill_bulk(trial, players, n);
    measure_finish(trial, players, n);
    trial->took = seconds_now() - start;
}
