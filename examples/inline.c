/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline.c: lookups that are compiled into the program.
 *
 *     inline [LOOKUPS]       ten million by default
 *
 * Walks through a set of rooms.  Whether a room was seen before decides where the walk goes
 * next, so the keys are known only one at a time and batches are not possible.  The walk is
 * done twice: with petal_contains() and with a reader of petal_inline.h.
 *
 * Compile it with -mavx2 (on x86-64; 64-bit ARM needs no option) to have the lookups
 * inlined. Otherwise a reader calls the library, and both walks take the same time.  The
 * program prints the times.  It ends with status 1 if the walks differ.
 */
#include <petal.h>
#include <petal_inline.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROOMS 10000

/* The next room to the left or to the right of this one. */
static uint64_t next_room(uint64_t room, bool left)
{
    const uint64_t x = (room + left) * 0x9E3779B97F4A7C15;
    return (x ^ x >> 32) % (2 * ROOMS);
}

static uint64_t walk_with_calls(const petal_filter *seen, uint64_t steps)
{
    uint64_t room = 1, sum = 0;
    for (uint64_t i = 0; i < steps; i++) {
        const bool there = petal_contains(seen, &room, sizeof room);
        sum += there;
        room = next_room(room + i, there);
    }
    return sum;
}

static uint64_t walk_with_reader(const petal_filter *seen, uint64_t steps)
{
    petal_reader reader;
    petal_reader_of(seen, &reader);
    uint64_t room = 1, sum = 0;
    for (uint64_t i = 0; i < steps; i++) {
        const bool there = petal_reader_contains(&reader, &room, sizeof room);
        sum += there;
        room = next_room(room + i, there);
    }
    return sum;
}

static double ns_since(clock_t start, uint64_t steps)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / (double)steps;
}

int main(int argc, char **argv)
{
    const uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    if (steps == 0) {
        fprintf(stderr, "inline: %s: not a number of lookups\n", argv[1]);
        return 2;
    }
    petal_filter *seen;
    const petal_options options = { .capacity = ROOMS, .fpr = 0.01 };
    const int rc = petal_new(&options, &seen);
    if (rc < 0) {
        fprintf(stderr, "inline: %s\n", petal_strerror(rc));
        return 1;
    }
    for (uint64_t room = 0; room < ROOMS; room++)
        petal_add(seen, &room, sizeof room);

    clock_t start = clock();
    const uint64_t called = walk_with_calls(seen, steps);
    printf("petal_contains          %5.1f ns per step\n", ns_since(start, steps));
    start = clock();
    const uint64_t inlined = walk_with_reader(seen, steps);
    printf("petal_reader_contains   %5.1f ns per step\n", ns_since(start, steps));
    printf("%llu of %llu rooms were seen before\n", (unsigned long long)inlined,
           (unsigned long long)steps);
    petal_free(seen);
    return called == inlined ? 0 : 1;
}
