/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_crawler.c: a crawler's filter of ten bits, and the page that it skips by mistake.
 *
 * This is a model: the notes draw the page AAA with three hash functions and give no
 * numbers, so the hash values are made up.
 */
#include "lab.h"

#include "args.h"
#include "json.h"

#include <string.h>

#define HASHES 3

struct page {
    const char *name;
    int hashes[HASHES];
};

static void crawler_show(const char *bits, const char *operation, const struct page *page,
                         const char *verdict, const char *sentence)
{
    if (json) {
        lab_json(operation);
        json_text("key", page->name);
        json_open("hashes", '[');
        for (size_t i = 0; i < HASHES; i++)
            json_count(NULL, (uint64_t)page->hashes[i]);
        json_close();
        json_text("bits", bits);
        if (verdict)
            json_text("verdict", verdict);
        json_close();
        return;
    }
    out("  %s %s: h1 = %d, h2 = %d, h3 = %d\n", operation, page->name, page->hashes[0],
        page->hashes[1], page->hashes[2]);
    lab_indexes(strlen(bits));
    lab_cells("B", bits, page->hashes, HASHES);
    if (verdict)
        out("    %s: %s\n", verdict, sentence);
    lab_pause();
}

static void crawler_visit(char *bits, const struct page *page)
{
    for (size_t i = 0; i < HASHES; i++)
        bits[page->hashes[i]] = '1';
    crawler_show(bits, "add", page, NULL, NULL);
}

static void crawler_ask(const char *bits, const struct page *page, const char *sentence)
{
    bool all = true;
    for (size_t i = 0; i < HASHES; i++)
        all = all && bits[page->hashes[i]] == '1';
    crawler_show(bits, "contains", page, all ? "maybe" : "no", sentence);
}

void lab_crawler(void)
{
    static const struct page home = { "example.com/", { 1, 4, 7 } },
                             about = { "example.com/about", { 0, 4, 9 } },
                             fresh = { "BBB", { 2, 4, 7 } },
                             skipped = { "AAA", { 4, 7, 9 } };
    char bits[] = "0000000000";
    lab_title("A crawler marks the pages it has crawled in ten bits.  (A model: the hash\n"
              "values are made up.)");
    crawler_visit(bits, &home);
    crawler_visit(bits, &about);
    crawler_ask(bits, &home, "it was crawled before, so it is skipped");
    crawler_ask(bits, &fresh, "bit 2 is 0, so it is crawled now");
    crawler_ask(bits, &skipped,
                "a false positive.  Other pages set its bits, so it is skipped");
}
