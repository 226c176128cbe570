/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_chaining.c: a hash table of five chains, and how long chains get.
 *
 * This is a model: h(x) = x mod 5.  In a table of m chains with m members the length of a
 * chain is Binomial(m, 1/m), which is nearly Poisson(1): one on average, rarely more than
 * three.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "text.h"

#include <petal_math.h>

#define CHAINS     5
#define CHAIN_MAX  4
#define LENGTHS    6
#define TABLE_SIZE 1000

struct chains {
    int keys[CHAINS][CHAIN_MAX];
    size_t lengths[CHAINS];
};

static void chaining_json(const struct chains *t, const char *operation, int key,
                          const char *verdict)
{
    lab_json(operation);
    json_count("key", (uint64_t)key);
    json_open("chains", '[');
    for (size_t i = 0; i < CHAINS; i++) {
        json_open(NULL, '[');
        for (size_t j = 0; j < t->lengths[i]; j++)
            json_count(NULL, (uint64_t)t->keys[i][j]);
        json_close();
    }
    json_close();
    if (verdict)
        json_text("verdict", verdict);
    json_close();
}

static void chaining_draw(const struct chains *t)
{
    for (size_t i = 0; i < CHAINS; i++) {
        out("    %zu  ", i);
        for (size_t j = 0; j < t->lengths[i]; j++)
            out("%s%d", j ? " -> " : "", t->keys[i][j]);
        out(t->lengths[i] ? "\n" : "-\n");
    }
}

static void chaining_add(struct chains *t, int key)
{
    const size_t h = (size_t)key % CHAINS;
    const bool collides = t->lengths[h] > 0;
    t->keys[h][t->lengths[h]++] = key;
    if (json) {
        chaining_json(t, "add", key, NULL);
        return;
    }
    out("  add %d: h = %zu%s\n", key, h,
        collides ? ", a collision: it goes to the end of the chain" : "");
    chaining_draw(t);
    lab_pause();
}

static void chaining_contains(const struct chains *t, int key)
{
    const size_t h = (size_t)key % CHAINS;
    size_t i = 0;
    while (i < t->lengths[h] && t->keys[h][i] != key)
        i++;
    const bool found = i < t->lengths[h];
    if (json) {
        chaining_json(t, "contains", key, found ? "found" : "no");
        return;
    }
    out("  contains %d: h = %zu, %s: %s\n", key, h, text_many(i + found, "comparison"),
        found ? "found" : "no, the chain has other keys");
    lab_pause();
}

static void chaining_lengths(void)
{
    if (!json)
        out("  With %s members in %s chains, a chain has length i with probability:\n\n"
            "   i  Binomial(%d, 1/%d)  Poisson(1)\n",
            text_count(TABLE_SIZE), text_count(TABLE_SIZE), TABLE_SIZE, TABLE_SIZE);
    for (unsigned i = 0; i < LENGTHS; i++) {
        const double binomial = petal_math_binomial(TABLE_SIZE, 1.0 / TABLE_SIZE, i),
                     poisson = petal_math_poisson(1, i);
        if (json) {
            lab_json("length");
            json_count("i", i);
            json_real("binomial", binomial);
            json_real("poisson", poisson);
            json_close();
        } else {
            out("  %2u  %22.4f  %10.4f\n", i, binomial, poisson);
        }
    }
    lab_remark("\nThe mean is 1, so a lookup is fast.  But the table keeps the keys "
               "themselves: it takes at least as much space as they do.\n");
}

void lab_chaining(void)
{
    static const int keys[] = { 0, 2, 7, 5, 12 };
    struct chains t = { 0 };
    lab_title("A hash table of five chains, with h(x) = x mod 5.  (A model.)");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        chaining_add(&t, keys[i]);
    chaining_contains(&t, 7);
    chaining_contains(&t, 10);
    chaining_lengths();
}
