/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_rows.c: three rows of five bits: two sites are added, and a third is a false
 * positive.
 *
 * This is a model: the hash values are those of the lecture notes.
 */
#include "lab.h"

#include "args.h"
#include "json.h"
#include "print.h"

#include <string.h>

#define ROWS     3
#define ROW_BITS 5

struct site {
    const char *name;
    int hashes[ROWS]; /* from the notes */
};

static const struct site virus = { "thisisavirus.com", { 2, 1, 4 } };
static const struct site suspicious = { "totallynotsuspicious.com", { 1, 0, 4 } };
static const struct site normal = { "verynormalsite.com", { 2, 0, 4 } };

struct rows {
    char bits[ROWS][ROW_BITS + 1]; /* text: 0 and 1 */
};

static void rows_json(const struct rows *t, const char *operation, const struct site *site,
                      const char *verdict)
{
    lab_json(operation);
    if (site) {
        json_text("key", site->name);
        json_open("hashes", '[');
        for (int i = 0; i < ROWS; i++)
            json_count(NULL, (uint64_t)site->hashes[i]);
        json_close();
    }
    json_open("rows", '[');
    for (int i = 0; i < ROWS; i++)
        json_text(NULL, t->bits[i]);
    json_close();
    if (verdict)
        json_text("verdict", verdict);
    json_close();
}

static void rows_draw(const struct rows *t, const struct site *site)
{
    static const char *const names[ROWS] = { "t1", "t2", "t3" };
    lab_indexes(ROW_BITS);
    for (int i = 0; i < ROWS; i++)
        lab_cells(names[i], t->bits[i], site ? &site->hashes[i] : NULL, site ? 1 : 0);
}

static void rows_show(const struct rows *t, const char *operation, const struct site *site,
                      const char *verdict, const char *truth)
{
    if (json) {
        rows_json(t, operation, site, verdict);
        return;
    }
    if (site)
        out("  %s %s: h1 = %d, h2 = %d, h3 = %d\n", operation, site->name, site->hashes[0],
            site->hashes[1], site->hashes[2]);
    else
        out("  %s(%d, %d)\n", operation, ROWS, ROW_BITS);
    rows_draw(t, site);
    if (verdict)
        out("    %s: %s\n", verdict, truth);
    lab_pause();
}

static void rows_add(struct rows *t, const struct site *site)
{
    for (int i = 0; i < ROWS; i++)
        t->bits[i][site->hashes[i]] = '1';
    rows_show(t, "add", site, NULL, NULL);
}

static void rows_contains(const struct rows *t, const struct site *site, const char *truth)
{
    bool all = true;
    for (int i = 0; i < ROWS; i++)
        all = all && t->bits[i][site->hashes[i]] == '1';
    rows_show(t, "contains", site, all ? "maybe" : "no", truth);
}

void lab_rows(void)
{
    struct rows t;
    for (int i = 0; i < ROWS; i++)
        strcpy(t.bits[i], "00000");
    lab_title(
        "A Bloom filter of k = 3 rows of m = 5 bits.  (A model: the hash values are those\n"
        "of the lecture, not petal's.)");
    rows_show(&t, "initialize", NULL, NULL, NULL);
    rows_add(&t, &virus);
    rows_contains(&t, &virus, "it was added");
    rows_add(&t, &suspicious);
    rows_contains(&t, &normal, "a false positive: it was never added");
}
