/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo.c: a browser's list of malicious URLs.
 *
 *     demo [FILE]
 *
 * Adds 20,000 URLs to a filter, saves it as FILE (demo.petal by default) and opens it
 * again. Then it looks up every URL of the list and a million others, and prints the size
 * of the filter, its false positive rate, and the time that it saves in front of a slow
 * database.
 */
#include <petal.h>
#include <petal_math.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MALICIOUS 20000
#define OTHERS    1000000

/* Makes a different URL for every number. */
static int url(char *text, size_t size, const char *scheme, unsigned long i)
{
    static const char *const words[] = { "free",   "prize", "login",  "bank",
                                         "update", "cloud", "photo",  "music",
                                         "games",  "pills", "crypto", "mail" };
    static const char *const ends[] = { "com", "net", "org", "info", "example" };
    return snprintf(text, size, "%s://%s-%s%lu.%s/%s/%lx", scheme, words[i % 12],
                    words[i / 12 % 12], i / 144 % 1000, ends[i % 5], words[i / 7 % 12],
                    i * 2654435761UL % 4294967291UL + i);
}

static petal_filter *stop_on_error(int rc, petal_filter *filter, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "demo: %s: %s\n", what, petal_strerror(rc));
        exit(1);
    }
    return filter;
}

static size_t build(const char *path)
{
    petal_filter *bad;
    const petal_options options = { .capacity = MALICIOUS, .fpr = 0.01 };
    stop_on_error(petal_new(&options, &bad), NULL, "cannot create the filter");
    size_t list_bytes = 0;
    for (unsigned long i = 0; i < MALICIOUS; i++) {
        char text[200];
        const int len = url(text, sizeof text, "http", i);
        stop_on_error(petal_add(bad, text, (size_t)len), NULL, text);
        list_bytes += (size_t)len + 1;
    }
    stop_on_error(petal_save(bad, path), NULL, path);
    petal_free(bad);
    return list_bytes;
}

static unsigned long count_found(const petal_filter *bad, const char *scheme,
                                 unsigned long n)
{
    unsigned long found = 0;
    for (unsigned long i = 0; i < n; i++) {
        char text[200];
        const int len = url(text, sizeof text, scheme, i);
        found += petal_contains(bad, text, (size_t)len);
    }
    return found;
}

static void show_url(const petal_filter *bad, const char *text)
{
    printf("  %-42s %s\n", text,
           petal_contains(bad, text, strlen(text)) ? "maybe malicious: check the database"
                                                   : "not malicious");
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "demo.petal";
    const size_t list_bytes = build(path);
    petal_filter *bad;
    stop_on_error(petal_open(path, 0, &bad), NULL, path);
    const petal_shape *shape = petal_shape_of(bad);
    petal_stats stats;
    petal_stats_of(bad, &stats);

    printf("%d malicious URLs, saved in %s\n\n", MALICIOUS, path);
    printf("  the list    %9zu bytes\n", list_bytes);
    printf("  the filter  %9llu bytes: %.2f bits per key, %u probes in one cache line\n",
           (unsigned long long)shape->image_bytes, shape->bits_per_key, shape->hashes);
    printf("  no filter of this rate can have less than %.2f bits per key\n\n",
           petal_math_lower_bound(0.01));

    char text[200];
    url(text, sizeof text, "http", 4711);
    show_url(bad, text);
    show_url(bad, "https://www.debian.org/");
    show_url(bad, "https://en.wikipedia.org/wiki/Bloom_filter");

    const unsigned long members = count_found(bad, "http", MALICIOUS);
    const unsigned long wrong = count_found(bad, "https", OTHERS);
    const double rate = (double)wrong / OTHERS;
    const double margin = 1.96 * sqrt(rate * (1 - rate) / OTHERS);
    printf("\n  looked up all %d: %lu found\n", MALICIOUS, members);
    printf("  looked up %d others: %lu false positives\n\n", OTHERS, wrong);
    printf(
        "  false positive rate: planned %.3f%%, estimated %.3f%% from the filter's bits,\n"
        "  measured %.3f%% +- %.3f%%\n",
        100 * shape->fpr, 100 * stats.fpr_estimate, 100 * rate, 100 * margin);
    printf(
        "  keys: %llu were new when added (the rest were false positives), estimated %.0f\n"
        "  from the filter's bits\n\n",
        (unsigned long long)petal_size(bad), stats.keys_estimate);

    printf("  102,000 visits, 2,000 of them malicious; a database lookup takes 500 ms, the "
           "filter 1 ms:\n"
           "  %.1f ms per visit instead of 500\n",
           petal_math_lookup_time(102000, 2000, 500, 1, rate));
    petal_free(bad);
    return members == MALICIOUS ? 0 : 1;
}
