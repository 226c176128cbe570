/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * large.c: builds, saves, opens and queries one very large filter.
 *
 *     large N [KIND]
 *
 * Every member must be found in the mapped file.  It also looks up a tenth as many
 * non-members, of which no more may be found than the rate allows.  With 10^9 keys this
 * exceeds 32 bits: a billion keys at 1% take 9.9 Gbit.  That is the most: make soak asks
 * for more if it runs for hours, and other tests need memory too.  Prints the time of each
 * step and the peak memory.
 */
#include "folder.h"
#include "support.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Prints the time since the last call. */
static void say(const char *what, double n)
{
    static double before;
    const double now = seconds();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (before > 0)
        printf("%-8s %8.2f s, %6.1f ns per key; peak %ld MB so far\n", what, now - before,
               (now - before) * 1e9 / n, usage.ru_maxrss / 1024);
    before = now;
    fflush(stdout);
}

/* A number as a key: its bytes, or decimal text if the kind takes only integers. */
static petal_key key_of(const petal_filter *f, const uint64_t *number, char text[24])
{
    if (!is_exact(petal_shape_of(f)->kind))
        return (petal_key){ number, sizeof *number };
    const int len = snprintf(text, 24, "%llu", (unsigned long long)*number);
    return (petal_key){ text, (size_t)len };
}

static bool add(petal_filter *f, uint64_t number)
{
    char text[24];
    const petal_key key = key_of(f, &number, text);
    return petal_add(f, key.data, key.len) >= 0;
}

static bool contains(const petal_filter *f, uint64_t number)
{
    char text[24];
    const petal_key key = key_of(f, &number, text);
    return petal_contains(f, key.data, key.len);
}

#define KEYS_MAX 1000000000

int main(int argc, char **argv)
{
    const uint64_t asked = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const uint64_t n = asked < KEYS_MAX ? asked : KEYS_MAX;
    const petal_kind kind = argc > 2 ? petal_kind_named(argv[2]) : PETAL_DEFAULT;
    require(argc < 3 || kind != PETAL_DEFAULT);
    char *folder = folder_made();
    require(folder);
    const char *path = in_folder(folder, "large.petal");
    say("start", 1);

    petal_filter *f = filter_made(options_for(kind, n)); /* at 1%, if it has a rate */
    for (uint64_t key = 0; key < n; key++)
        require(add(f, key));
    say("add", (double)n);
    require(petal_save(f, path) == PETAL_OK);
    say("save", (double)n);
    const petal_shape shape = *petal_shape_of(f);
    petal_free(f);

    require(petal_open(path, 0, &f) == PETAL_OK);
    say("open", (double)n); /* opening verifies every byte */
    for (uint64_t key = 0; key < n; key++)
        require(contains(f, key));
    say("members", (double)n);
    uint64_t found = 0;
    for (uint64_t key = n; key < n + n / 10; key++)
        found += contains(f, key);
    say("others", (double)n / 10);
    petal_stats stats;
    petal_stats_of(f, &stats);
    say("stats", (double)n);
    printf(
        "%llu keys, %llu bits, k = %u, file of %llu bytes; rate %.4f%%, estimated %.4f%%; "
        "keys estimated %.0f\n",
        (unsigned long long)n, (unsigned long long)shape.bits, shape.hashes,
        (unsigned long long)shape.image_bytes, 1000.0 * (double)found / (double)n,
        100 * stats.fpr_estimate, stats.keys_estimate);
    /* the rate of a single filter may differ from the mean by 1% of it */
    require((double)found < binomial_limit((double)(n / 10), shape.fpr * 1.01));
    require(stats.keys_estimate > 0.995 * (double)n &&
            stats.keys_estimate < 1.005 * (double)n);
    petal_free(f);
    folder_gone(folder);
    return 0;
}
