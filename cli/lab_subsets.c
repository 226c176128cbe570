/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_subsets.c: four bits for three keys: all eight sets, one of which has a false
 * positive.
 *
 * This is a model: the hash functions are those of the lecture notes.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

#define KEYS 3

static const unsigned universe[KEYS] = { 0, 1, 7 };

static unsigned subsets_h0(unsigned key)
{
    return (key + 1) % 3;
}

static unsigned subsets_h1(unsigned key)
{
    return key % 4;
}

static unsigned subsets_bits(unsigned key)
{
    return 1u << subsets_h0(key) | 1u << subsets_h1(key);
}

/* Bit 0 is the last, as in the notes. */
static const char *subsets_text(unsigned bits)
{
    return text_format("%u%u%u%u", bits >> 3 & 1, bits >> 2 & 1, bits >> 1 & 1, bits & 1);
}

static void subsets_json(unsigned members, unsigned bits, unsigned maybe)
{
    const struct {
        const char *name;
        unsigned keys;
    } lists[] = { { "keys", members },
                  { "maybe", maybe },
                  { "false_positives", maybe & ~members } };
    lab_json(NULL);
    json_text("bits", subsets_text(bits));
    for (int l = 0; l < 3; l++) {
        json_open(lists[l].name, '[');
        for (unsigned i = 0; i < KEYS; i++)
            if (lists[l].keys >> i & 1)
                json_count(NULL, universe[i]);
        json_close();
    }
    json_close();
}

static void subsets_row(unsigned members, unsigned bits, unsigned maybe)
{
    char set[16] = "{";
    for (unsigned i = 0; i < KEYS; i++)
        if (members >> i & 1)
            sprintf(set + strlen(set), "%s%u", set[1] ? ", " : "", universe[i]);
    strcat(set, "}");
    out("  %-11s  %s", set, subsets_text(bits));
    for (unsigned i = 0; i < KEYS; i++)
        out("  %6s", maybe >> i & 1 ? members >> i & 1 ? "maybe" : "maybe!" : "no");
    out("%s", maybe & ~members ? "  ! a false positive" : "");
    lab_pause();
}

/* One set of keys: bit i stands for universe[i]. */
static void subsets_step(unsigned members)
{
    unsigned bits = 0, maybe = 0;
    for (unsigned i = 0; i < KEYS; i++)
        if (members >> i & 1)
            bits |= subsets_bits(universe[i]);
    for (unsigned i = 0; i < KEYS; i++)
        if ((subsets_bits(universe[i]) & ~bits) == 0)
            maybe |= 1u << i;
    if (json)
        subsets_json(members, bits, maybe);
    else
        subsets_row(members, bits, maybe);
}

void lab_subsets(void)
{
    static const unsigned order[] = { 0, 1, 2, 4, 3, 5, 6, 7 }; /* as in the notes */
    lab_title(
        "Every set of keys from {0, 1, 7} on four bits, with h0(k) = (k + 1) mod 3 and\n"
        "h1(k) = k mod 4.  (A model: the hash functions are those of the lecture.)");
    if (!json) {
        out("  key  h0  h1  bits\n");
        for (unsigned i = 0; i < KEYS; i++)
            out("  %3u  %2u  %2u  %s\n", universe[i], subsets_h0(universe[i]),
                subsets_h1(universe[i]), subsets_text(subsets_bits(universe[i])));
        lab_pause();
        out("  keys added   bits      0?      1?      7?\n");
    }
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        subsets_step(order[i]);
    if (!json)
        out("\n");
}
