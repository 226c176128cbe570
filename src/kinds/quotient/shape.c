/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shape.c: how many quotients, slots and bits a line has, and how many lines a table.
 *
 * A line of 512 bits holds a remainder of r bits and a symbol for each of its S slots, a
 * symbol for each of its Q quotients, and 11 bits more.  Lines differ in how many elements
 * they get.  So sqrt(2S) symbols are kept free, and a table is made for S - 0.525 sqrt(S)
 * elements per line.  Both were found by trial: no table refuses a key below its capacity.
 *
 * All of this is integer arithmetic, or IEEE operations that are exact on every machine,
 * because the shape is part of the file.
 */
#include "kinds/quotient/table.h"

#include <math.h>

/* The integer part; IEEE square roots are exact enough for that. */
static uint32_t shape_root(uint32_t v)
{
    return (uint32_t)sqrt((double)v);
}

/* Symbols to spare in a line. */
static uint32_t shape_slack(uint32_t slots)
{
    return shape_root(2 * slots);
}

/* Elements per line, in 64ths. */
static uint32_t shape_load(uint32_t slots)
{
    return 64 * slots - shape_root(1129 * slots);
}

static uint32_t shape_symbols(uint32_t r, uint32_t slots)
{
    const uint32_t most = LINE_BITS - r * slots - DELTA_BITS - 2;
    return most < SYMBOLS_MAX ? most : SYMBOLS_MAX;
}

static bool shape_has_room(uint32_t r, uint32_t slots, uint32_t quotients)
{
    const uint32_t symbols = slots + quotients + shape_slack(slots);
    return r * slots + DELTA_BITS + 2 + symbols <= LINE_BITS && symbols <= SYMBOLS_MAX;
}

/* The most slots that a line can have; 0 if there are too few. */
static uint32_t shape_slots(uint32_t r, uint32_t quotients)
{
    uint32_t slots = (LINE_BITS - DELTA_BITS - 2 - quotients) / (r + 1); /* without slack */
    slots = slots < SLOTS_MAX ? slots : SLOTS_MAX;
    while (slots >= SLOTS_MIN && !shape_has_room(r, slots, quotients))
        slots--;
    return slots >= SLOTS_MIN ? slots : 0;
}

/* Lines after the last home for what it cannot keep: none for one home.  Otherwise one, and
 * room for 29 elements for each doubling up to 256 homes. */
static uint32_t shape_tail(uint64_t homes, uint32_t slots)
{
    const uint32_t doublings = 63 - (uint32_t)__builtin_clzll(homes);
    return homes == 1 ? 0 : 1 + (29 * (doublings < 8 ? doublings : 8) + slots - 1) / slots;
}

static void shape_derive(struct table *t)
{
    const uint32_t delta = t->base - DELTA_BITS, last = t->symbols % 64;
    t->words = (uint8_t)(t->symbols / 64 + 1);
    t->last_mask = last == 63 ? UINT64_MAX : ((uint64_t)2 << last) - 1;
    t->delta_byte = (uint8_t)(delta / 8 < LINE_LEN - 4 ? delta / 8 : LINE_LEN - 4);
    t->delta_shift = (uint8_t)(delta - 8u * t->delta_byte);
    t->window = (uint8_t)(WINDOW_BITS / t->r);
    t->ones = 0;
    for (uint32_t i = 0; i < t->window; i++)
        t->ones |= (uint64_t)1 << i * t->r;
    t->tops = t->ones << (t->r - 1);
}

bool petal__table_shape(struct table *t, uint64_t homes, uint64_t quotients, uint32_t r)
{
    if (homes == 0 || homes > RANGE_MAX || quotients < QUOTIENTS_MIN ||
        quotients > QUOTIENTS_MAX || r < REMAINDER_MIN || r > REMAINDER_MAX ||
        homes > (RANGE_MAX >> r) / quotients)
        return false;
    const uint32_t slots = shape_slots(r, (uint32_t)quotients);
    if (slots == 0)
        return false;
    *t = (struct table){
        .homes = homes,
        .quotients = (uint8_t)quotients,
        .r = (uint8_t)r,
        .slots = (uint8_t)slots,
        .symbols = (uint8_t)shape_symbols(r, slots),
        .base = (uint16_t)(LINE_BITS - r * slots),
        .tail = (uint8_t)shape_tail(homes, slots),
        .copies_max = COPIES_MAX,
    };
    shape_derive(t);
    return true;
}

uint64_t petal__table_room(const struct table *t)
{
    const uint64_t load = shape_load(t->slots);
    return t->homes / 64 * load + t->homes % 64 * load / 64;
}

uint64_t petal__fingerprint_first(uint64_t fingerprint, uint64_t range)
{
    if (fingerprint >= range)
        return 0;
#ifdef HAS_INT128
    const uint64_t quotient = (uint64_t)(((uint128)fingerprint << 64) / range);
#else
    uint64_t quotient = 0, rest = fingerprint; /* range is below 2^63 */
    for (uint32_t i = 0; i < 64; i++) {
        rest <<= 1;
        quotient = quotient << 1 | (rest >= range);
        rest -= rest >= range ? range : 0;
    }
#endif
    return quotient + (quotient * range != 0); /* the product lacks the remainder */
}

bool petal__table_split(struct table *t, uint64_t homes, uint64_t values)
{
    uint32_t best = 0;
    struct table tried;
    for (uint32_t r = REMAINDER_MIN; r <= REMAINDER_MAX; r++)
        if (values >> r << r == values &&
            petal__table_shape(&tried, homes, values >> r, r) && tried.slots > best) {
            best = tried.slots;
            *t = tried;
        }
    return best > 0;
}

/* ---- Planning ---- */

/* Large tables have an even number of homes, several times over, so that they can shrink.
 */
static uint64_t shape_step(uint64_t homes)
{
    const uint32_t doublings = homes ? 63 - (uint32_t)__builtin_clzll(homes) : 0;
    return (uint64_t)1 << (doublings > 10 ? doublings - 10 : 0);
}

static uint64_t shape_round_up(uint64_t homes)
{
    return round_up(homes, shape_step(homes));
}

/* The most quotients of a line with at least this many slots. */
static uint32_t shape_most_quotients(uint32_t r, uint32_t slots)
{
    uint32_t used = slots + shape_slack(slots);
    if (r * slots + DELTA_BITS + 2 + used + QUOTIENTS_MIN > LINE_BITS)
        return 0;
    const uint32_t free = shape_symbols(r, slots);
    if (free < used + QUOTIENTS_MIN)
        return 0;
    return free - used < QUOTIENTS_MAX ? free - used : QUOTIENTS_MAX;
}

#define HOMES_MAX ((uint64_t)1 << 34)

/* Keeps the smaller table; of two with as many homes, the one with more symbols to spare.
 */
static void shape_keep_smaller(struct table *best, const struct table *t)
{
    const int spare = t->symbols - t->slots - t->quotients;
    if (best->homes == 0 || t->homes < best->homes ||
        (t->homes == best->homes && spare > best->symbols - best->slots - best->quotients))
        *best = *t;
}

/* The table with these slots for n keys of this rate, unless it is larger than the best. */
static bool shape_try(struct table *t, uint32_t r, uint32_t slots, uint64_t n, double rate,
                      const struct table *best)
{
    const uint32_t most = shape_most_quotients(r, slots);
    if (most == 0)
        return false;
    const double range = (double)n / rate, values = ldexp(1, (int)r);
    const double by_load = ceil((double)n * 64 / shape_load(slots));
    const double by_range = ceil(range / (values * most));
    const double least = by_load > by_range ? by_load : by_range;
    if (!(least <= (double)HOMES_MAX))
        return false;
    const uint64_t homes = shape_round_up(least < 1 ? 1 : (uint64_t)least);
    const double quotients = ceil(range / ((double)homes * values));
    return (best->homes == 0 || homes <= best->homes) && quotients <= most &&
           petal__table_shape(
               t, homes, quotients < QUOTIENTS_MIN ? QUOTIENTS_MIN : (uint64_t)quotients,
               r) &&
           t->slots >= slots && petal__table_room(t) >= n;
}

bool petal__table_for(struct table *t, uint64_t n, double rate)
{
    struct table tried;
    t->homes = 0;
    for (uint32_t r = REMAINDER_MIN; r <= REMAINDER_MAX; r++)
        for (uint32_t slots = SLOTS_MIN; slots <= SLOTS_MAX; slots++)
            if (shape_try(&tried, r, slots, n, rate, t))
                shape_keep_smaller(t, &tried);
    return t->homes > 0;
}

/* How many homes leave room for their tail? */
static uint64_t shape_homes_within(uint64_t lines, uint32_t slots)
{
    uint64_t homes = lines;
    while (homes > 0 && homes + shape_tail(homes, slots) > lines)
        homes--;
    return homes / shape_step(homes) * shape_step(homes);
}

bool petal__table_within(struct table *t, uint64_t lines, uint64_t *n, double rate)
{
    double best = 0; /* the keys, or U */
    uint64_t homes[SLOTS_MAX + 1];
    for (uint32_t slots = SLOTS_MIN; slots <= SLOTS_MAX; slots++)
        homes[slots] = shape_homes_within(lines, slots);
    t->homes = 0;
    for (uint32_t r = REMAINDER_MIN; r <= REMAINDER_MAX; r++)
        for (uint32_t slots = SLOTS_MIN; slots <= SLOTS_MAX; slots++) {
            const uint32_t most = shape_most_quotients(r, slots);
            const double range = ldexp((double)(homes[slots] * most), (int)r);
            const double keys = floor(range * rate);
            struct table tried;
            if ((*n ? range : keys) <= best || /* it has no chance, and most have none */
                !petal__table_shape(&tried, homes[slots], most, r))
                continue;
            const double room = (double)petal__table_room(&tried);
            const double value = *n ? range : keys < room ? keys : room;
            if (*n ? room < (double)*n : value < 1)
                continue;
            if (value > best) {
                best = value;
                *t = tried;
            }
        }
    if (t->homes && !*n)
        *n = (uint64_t)best;
    return t->homes > 0;
}
