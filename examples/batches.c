/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches.c: many keys in one call.
 *
 *     batches [KEYS]         a million by default
 *
 * Looks up the same integers in three ways: one by one, in batches, and as a column.  In a
 * batch, petal hashes a group of keys and fetches their cache lines before it needs them,
 * so the waits for memory overlap.  The larger the filter, the more this helps: try
 * "batches 30000000", which takes 400 MB.
 *
 * The program prints the times.  It ends with status 1 if the answers differ.
 */
#include <petal.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH 1024 /* overlaps well; keys and results stay in the cache */

static void stop_on_error(int64_t rc, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "batches: %s: %s\n", what, petal_strerror((int)rc));
        exit(1);
    }
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        fprintf(stderr, "batches: out of memory\n");
        exit(1);
    }
    return memory;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double report(const char *way, double start, size_t n, double single)
{
    const double ns = (now() - start) * 1e9 / (double)n;
    printf("%-28s %6.1f ns per lookup", way, ns);
    printf(single > 0 ? ", %.1f times as fast\n" : "\n", single / ns);
    return ns;
}

/* Different integers that look random. */
static uint64_t number(uint64_t i)
{
    i = (i ^ i >> 31) * 0x7fb5d329728ea185;
    return (i ^ i >> 27) * 0x81dadef4bc2dd44d;
}

static size_t one_by_one(const petal_filter *f, const uint64_t *column, size_t n,
                         bool *found)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += found[i] = petal_contains(f, &column[i], sizeof column[i]);
    return count;
}

/* A petal_key is a pointer and a length, so keys can be anywhere and of any length. */
static size_t in_batches(const petal_filter *f, const uint64_t *column, size_t n,
                         bool *found)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i += BATCH) {
        petal_key keys[BATCH];
        const size_t len = n - i < BATCH ? n - i : BATCH;
        for (size_t j = 0; j < len; j++)
            keys[j] = (petal_key){ &column[i + j], sizeof column[i + j] };
        count += petal_contains_many(f, keys, len, found + i);
    }
    return count;
}

int main(int argc, char **argv)
{
    char *rest = "";
    errno = 0;
    const size_t n = argc > 1 ? (size_t)strtoul(argv[1], &rest, 10) : 1000000;
    if (n == 0 || n > SIZE_MAX / 32 || *rest || errno) {
        fprintf(stderr, "batches: %s: not a number of keys\n", argv[1]);
        return 2;
    }
    uint64_t *column = allocate(n, sizeof *column);
    bool *single = allocate(n, 1), *batched = allocate(n, 1), *whole = allocate(n, 1);
    petal_filter *f;
    const petal_options options = { .capacity = n, .fpr = 0.01 };
    stop_on_error(petal_new(&options, &f), "creating the filter");
    for (size_t i = 0; i < n; i++)
        column[i] = number(i);
    stop_on_error(petal_add_column(f, column, sizeof *column, n, NULL), "adding the keys");
    for (size_t i = 0; i < n; i += 2)
        column[i] = number(n + i); /* now every other one is a non-member */

    double start = now();
    const size_t found = one_by_one(f, column, n, single);
    const double ns = report("petal_contains", start, n, 0);
    start = now();
    const size_t found_batched = in_batches(f, column, n, batched);
    report("petal_contains_many", start, n, ns);
    start = now();
    const size_t found_whole = petal_contains_column(f, column, sizeof *column, n, whole);
    report("petal_contains_column", start, n, ns);

    bool same = found == found_batched && found == found_whole;
    same = same && memcmp(single, batched, n) == 0 && memcmp(single, whole, n) == 0;
    for (size_t i = 1; i < n; i += 2)
        same = same && single[i]; /* the members */
    const petal_shape *shape = petal_shape_of(f);
    printf("%zu of %zu found in %.1f MB: %s\n", found, n, (double)shape->image_bytes / 1e6,
           same ? "the same in all ways" : "answers differ");
    petal_free(f);
    free(column);
    free(single);
    free(batched);
    free(whole);
    return same ? 0 : 1;
}
