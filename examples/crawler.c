/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crawler.c: a web crawler that remembers in a filter which pages it has seen.
 *
 *     crawler [OPTIONS]         for example: crawler "fpr=0.01% hash=keyed"
 *
 * petal_add() returns 1 if a URL is certainly new.  Such a URL goes to the frontier, the
 * list of pages to visit.  The filter normalizes URLs, so a page is visited once, however
 * the links to it are spelled.  Half way, the crawler saves the filter and the frontier
 * (crawler.petal and crawler.txt), opens them again and continues.
 *
 * A false positive hides a new page.  The expected number of hidden pages is the sum of the
 * false positive rates that the filter had when each page was added.  The web is generated,
 * so the program knows how many pages it missed.  It ends with status 1 if there were too
 * many, or if a page was visited twice.
 */
#include <petal.h>
#include <petal_host.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGES    20000u
#define LINKS    10u /* on each page */
#define URL_SIZE 64

static char frontier[PAGES + 1][URL_SIZE]; /* URLs to visit, from `next` to `end` */
static unsigned next, end;
static unsigned char visits[PAGES];
static double expected_missed;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "crawler: %s: %s\n", what, why);
    exit(1);
}

static void stop_on_error(int rc, const char *what)
{
    if (rc < 0)
        stop(what, petal_strerror(rc));
}

/* ---- The web: page i links to LINKS others, each time in another spelling ---- */

static void link_on(unsigned page, unsigned i, char url[URL_SIZE])
{
    static const char *const spellings[] = { "http://www.site%u.example/page/%u",
                                             "HTTPS://WWW.Site%u.example:443/page/%u",
                                             "www.site%u.example/other/../page/%u#top" };
    const unsigned any = (page * LINKS + i) * 2654435761u % 4294967291u;
    const unsigned to = (i == 0 ? page + 1 : any) % PAGES; /* so that all can be reached */
    snprintf(url, URL_SIZE, spellings[(page + i) % 3], to % 100, to);
}

static unsigned page_at(const char *url)
{
    const char *number = strstr(url, "/page/");
    const unsigned long page = number ? strtoul(number + 6, NULL, 10) : PAGES;
    if (page >= PAGES)
        stop(url, "no such page");
    return (unsigned)page;
}

/* ---- The crawler ---- */

static void see(petal_filter *seen, const char *url)
{
    const double rate = petal_fpr(petal_shape_of(seen), (double)petal_size(seen));
    const int rc = petal_add(seen, url, strlen(url));
    if (rc == PETAL_E_KEY) /* real pages have broken links, too */
        fprintf(stderr, "crawler: %s: not a URL, skipped\n", url);
    else
        stop_on_error(rc, url);
    if (rc == 1 && end > PAGES)
        stop(url, "the frontier is full"); /* a static kind calls every URL new */
    if (rc == 1) {
        strcpy(frontier[end++], url);
        expected_missed += rate;
    }
}

static void crawl(petal_filter *seen, unsigned pages)
{
    for (; next < end && pages > 0; next++, pages--) {
        const unsigned page = page_at(frontier[next]);
        visits[page]++;
        for (unsigned i = 0; i < LINKS; i++) {
            char url[URL_SIZE];
            link_on(page, i, url);
            see(seen, url);
        }
    }
}

/* The frontier first: if the power fails in between, some pages are visited twice.  The
 * other way round, pages would be lost: in the filter, but not in the frontier. */
static void save(petal_filter *seen)
{
    FILE *file = fopen("crawler.txt.tmp", "w");
    for (unsigned i = next; file && i < end; i++)
        fprintf(file, "%s\n", frontier[i]);
    if (!file || ferror(file) || fclose(file) != 0 ||
        rename("crawler.txt.tmp", "crawler.txt"))
        stop("crawler.txt", strerror(errno));
    stop_on_error(petal_save(seen, "crawler.petal"), "crawler.petal");
}

static petal_filter *resume(void)
{
    petal_filter *seen;
    stop_on_error(petal_open("crawler.petal", PETAL_COPY, &seen), "crawler.petal");
    FILE *file = fopen("crawler.txt", "r");
    if (!file)
        stop("crawler.txt", strerror(errno));
    for (next = end = 0; end <= PAGES && fgets(frontier[end], URL_SIZE, file); end++)
        frontier[end][strcspn(frontier[end], "\n")] = 0;
    fclose(file);
    return seen;
}

int main(int argc, char **argv)
{
    /* Only whole URLs are looked up, not their parents: one lookup each. */
    petal_options options = {
        .capacity = PAGES, .fpr = 0.001, .form = PETAL_FORM_URL, .match_lookups = 1
    };
    petal_refusal why;
    const char *text = argc > 1 ? argv[1] : "";
    if (petal_refused(&options, text, &why) < 0)
        stop(why.option, why.reason);
    stop_on_error(petal_parse_options(text, &options), text);
    petal_filter *seen;
    stop_on_error(petal_new(&options, &seen), "creating the filter");

    see(seen, "http://www.site0.example/page/0");
    crawl(seen, PAGES / 2);
    save(seen);
    petal_free(seen);
    printf("saved after %u pages, %u in the frontier\n", next, end - next);
    seen = resume();
    crawl(seen, PAGES);
    petal_free(seen);

    unsigned visited = 0, twice = 0;
    for (unsigned i = 0; i < PAGES; i++) {
        visited += visits[i] > 0;
        twice += visits[i] > 1;
    }
    printf("%u pages visited, %u more than once\n", visited, twice);
    printf("%u missed, %.1f expected\n", PAGES - visited, expected_missed);
    const double most = expected_missed + 6 * sqrt(expected_missed) + 6;
    return twice == 0 && PAGES - visited < most ? 0 : 1;
}
