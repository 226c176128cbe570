/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_counting.c: counters in place of bits: insert, delete, and look up the smallest one.
 *
 * This is a model: the hash values are made up so that a key which was never inserted
 * shares all of its counters with others.  Its count is too high, and deleting it does
 * harm.
 */
#include "lab.h"

#include "args.h"
#include "json.h"

#include <string.h>

#define HASHES 3

struct item {
    const char *name;
    int hashes[HASHES];
};

static const struct item rose = { "rose", { 1, 3, 6 } }, tulip = { "tulip", { 3, 5, 7 } },
                         daisy = { "daisy", { 1, 5, 6 } };

static void counting_json(const char *counters, const char *operation,
                          const struct item *item, int count)
{
    lab_json(operation);
    json_text("key", item->name);
    json_open("hashes", '[');
    for (size_t i = 0; i < HASHES; i++)
        json_count(NULL, (uint64_t)item->hashes[i]);
    json_close();
    json_open("counters", '[');
    for (const char *c = counters; *c; c++)
        json_count(NULL, (uint64_t)(*c - '0'));
    json_close();
    if (count >= 0)
        json_count("count", (uint64_t)count);
    json_close();
}

static void counting_show(const char *counters, const char *operation,
                          const struct item *item, const char *sentence)
{
    if (json) {
        counting_json(counters, operation, item, -1);
        return;
    }
    out("  %s %s: h1 = %d, h2 = %d, h3 = %d\n", operation, item->name, item->hashes[0],
        item->hashes[1], item->hashes[2]);
    lab_indexes(strlen(counters));
    lab_cells("C", counters, item->hashes, HASHES);
    if (sentence)
        out("    %s\n", sentence);
    lab_pause();
}

static void counting_insert(char *counters, const struct item *item)
{
    for (size_t i = 0; i < HASHES; i++)
        counters[item->hashes[i]]++;
    counting_show(counters, "insert", item, NULL);
}

static void counting_delete(char *counters, const struct item *item, const char *sentence)
{
    for (size_t i = 0; i < HASHES; i++)
        counters[item->hashes[i]]--;
    counting_show(counters, "delete", item, sentence);
}

static void counting_lookup(const char *counters, const struct item *item,
                            const char *sentence)
{
    int values[HASHES], least = 9;
    for (size_t i = 0; i < HASHES; i++) {
        values[i] = counters[item->hashes[i]] - '0';
        least = values[i] < least ? values[i] : least;
    }
    if (json) {
        counting_json(counters, "lookup", item, least);
        return;
    }
    out("  lookup %s: min(C[%d], C[%d], C[%d]) = min(%d, %d, %d) = %d\n    %s\n",
        item->name, item->hashes[0], item->hashes[1], item->hashes[2], values[0], values[1],
        values[2], least, sentence);
    lab_pause();
}

void lab_counting(void)
{
    char counters[] = "00000000";
    lab_title("Eight counters, three hash functions.  (A model: the hash values are made "
              "up.)");
    counting_insert(counters, &rose);
    counting_insert(counters, &tulip);
    counting_insert(counters, &rose);
    counting_lookup(counters, &rose,
                    "it was inserted twice.  C[3] is too high, the others are right");
    counting_lookup(counters, &tulip, "it was inserted once");
    counting_lookup(counters, &daisy,
                    "it was never inserted: a false positive.  A count is never too low");
    counting_delete(counters, &rose, "each counter goes down by 1");
    counting_lookup(counters, &rose, "one of the two is left");
    counting_delete(counters, &daisy,
                    "a mistake: daisy was never inserted.  Other keys lose a count");
    counting_lookup(counters, &rose,
                    "wrong: rose is still in the set.  Delete only what was inserted");
}
