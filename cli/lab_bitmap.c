/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_bitmap.c: a set of numbers below 10, one bit each.  It is the library's own bitmap.
 */
#include "lab.h"

#include "args.h"
#include "choices.h"
#include "json.h"
#include "print.h"
#include "text.h"

#define BITMAP_BITS 10

static void bitmap_bits(const petal_filter *bitmap, char bits[BITMAP_BITS + 1])
{
    for (int i = 0; i < BITMAP_BITS; i++)
        bits[i] = petal_contains_int(bitmap, i) ? '1' : '0';
    bits[BITMAP_BITS] = 0;
}

static void bitmap_show(const petal_filter *bitmap, const char *operation, int key,
                        const char *what)
{
    char bits[BITMAP_BITS + 1];
    bitmap_bits(bitmap, bits);
    if (json) {
        lab_json(operation);
        if (key >= 0)
            json_count("key", (uint64_t)key);
        json_text("bits", bits);
        json_count("size", petal_size(bitmap));
        json_close();
        return;
    }
    out("  %s%s: %s\n", operation, key >= 0 ? text_format(" %d", key) : "", what);
    out("    bits ");
    for (int i = 0; i < BITMAP_BITS; i++)
        out(" %c", bits[i]);
    out("    size %s\n         ", text_count(petal_size(bitmap)));
    for (int i = 0; i < BITMAP_BITS; i++)
        out(" %d", i);
    out("\n");
    lab_pause();
}

void lab_bitmap(void)
{
    static const struct {
        bool add;
        int key;
    } steps[] = { { true, 4 }, { true, 8 }, { true, 1 }, { false, 8 }, { true, 4 } };
    petal_filter *bitmap;
    const int rc =
        petal_new(&(petal_options){ .kind = CHOICE_LAB, .bits = BITMAP_BITS }, &bitmap);
    if (rc < 0)
        fail("%s", petal_strerror(rc));

    lab_title("A bitmap of capacity 10: one bit for each of the numbers 0 to 9.");
    bitmap_show(bitmap, "new", -1, "all bits are 0");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const int key = steps[i].key;
        const bool changed = (steps[i].add ? petal_add_int(bitmap, key)
                                           : petal_remove_int(bitmap, key)) == 1;
        bitmap_show(bitmap, steps[i].add ? "add" : "remove", key,
                    !changed       ? "its bit is 1 already"
                    : steps[i].add ? "its bit becomes 1"
                                   : "its bit becomes 0");
    }
    petal_free(bitmap);
}
