/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build_threads.c: a filter built by many threads, in two ways.
 *
 *     build_threads [THREADS [KEYS]]         4 threads and a million keys by default
 *
 * Shared: all threads add to one filter with petal_add_shared().  This needs only one
 * filter, and other threads can look up keys at the same time.
 *
 * Apart: each thread has its own filter and calls petal_add(), which is faster.  Then
 * petal_union() merges the filters.  This needs one filter per thread.  It also works for
 * filters that other processes or machines have built.
 *
 * Both ways give the same cells as one thread that adds all keys.  The program compares
 * them and ends with status 1 if they differ.
 */
#include <petal_host.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 64

typedef int add_function(petal_filter *filter, const void *key, size_t len);

struct work { /* of one thread */
    petal_filter *filter;
    add_function *add;
    unsigned long from, to; /* keys */
    int error;
};

static void stop_on_error(int rc, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "build_threads: %s: %s\n", what, petal_strerror(rc));
        exit(1);
    }
}

static petal_filter *new_filter(unsigned long keys)
{
    petal_filter *filter;
    /* Filters can be merged if their options are equal. */
    const petal_options options = { .capacity = keys, .fpr = 0.01 };
    stop_on_error(petal_new(&options, &filter), "creating a filter");
    return filter;
}

static void *add_keys(void *argument)
{
    struct work *w = argument;
    for (unsigned long i = w->from; i < w->to && w->error == 0; i++) {
        char key[32];
        const int len = snprintf(key, sizeof key, "key-%lu", i);
        const int rc = w->add(w->filter, key, (size_t)len);
        w->error = rc < 0 ? rc : 0;
    }
    return NULL;
}

/* Each thread adds its part of the keys to the filter of its work. */
static void run(struct work *works, unsigned n, add_function *add, unsigned long keys)
{
    pthread_t threads[THREADS_MAX];
    for (unsigned i = 0; i < n; i++) {
        works[i].add = add;
        works[i].from = keys * i / n;
        works[i].to = keys * (i + 1) / n;
        const int error = pthread_create(&threads[i], NULL, add_keys, &works[i]);
        if (error != 0) {
            fprintf(stderr, "build_threads: starting a thread: %s\n", strerror(error));
            exit(1);
        }
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < n; i++)
        stop_on_error(works[i].error, "adding a key");
}

static petal_filter *build_shared(unsigned n, unsigned long keys)
{
    struct work works[THREADS_MAX] = { 0 };
    petal_filter *filter = new_filter(keys);
    for (unsigned i = 0; i < n; i++)
        works[i].filter = filter;
    run(works, n, petal_add_shared, keys);
    return filter;
}

static petal_filter *build_apart(unsigned n, unsigned long keys)
{
    struct work works[THREADS_MAX] = { 0 };
    for (unsigned i = 0; i < n; i++)
        works[i].filter =
            new_filter(keys); /* large enough for all keys, not for its part */
    run(works, n, petal_add, keys);
    for (unsigned i = 1; i < n; i++) {
        stop_on_error(petal_union(works[0].filter, works[i].filter), "merging");
        petal_free(works[i].filter);
    }
    return works[0].filter;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long number_of(const char *text, unsigned long most)
{
    char *rest;
    const unsigned long n = strtoul(text, &rest, 10); /* too large: ULONG_MAX */
    if (*rest || n < 1 || n > most) {
        fprintf(stderr, "build_threads: %s: not a number from 1 to %lu\n", text, most);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    const unsigned n = (unsigned)number_of(argc > 1 ? argv[1] : "4", THREADS_MAX);
    const unsigned long keys = number_of(argc > 2 ? argv[2] : "1000000", 1000000000);
    const double start = now();
    petal_filter *alone = build_apart(1, keys);
    const double after_alone = now();
    petal_filter *shared = build_shared(n, keys);
    const double after_shared = now();
    petal_filter *apart = build_apart(n, keys);
    printf("one thread           %.2f s\n", after_alone - start);
    printf("%2u threads, shared   %.2f s\n", n, after_shared - after_alone);
    printf("%2u threads, apart    %.2f s\n", n, now() - after_shared);

    size_t len, shared_len, apart_len;
    const void *cells = petal_cells(alone, &len);
    const void *shared_cells = petal_cells(shared, &shared_len);
    const void *apart_cells = petal_cells(apart, &apart_len);
    const bool same = shared_len == len && memcmp(shared_cells, cells, len) == 0 &&
                      apart_len == len && memcmp(apart_cells, cells, len) == 0;
    printf("%zu bytes of cells: %s\n", len, same ? "all three are equal" : "they differ");
    petal_free(alone);
    petal_free(shared);
    petal_free(apart);
    return same ? 0 : 1;
}
