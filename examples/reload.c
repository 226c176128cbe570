/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reload.c: a server that reloads its filter without stopping.
 *
 *     reload [FILE]
 *
 * Four threads look up URLs in a blocklist, mapped from FILE (default: reload.petal).  A
 * fifth thread watches FILE.  When another program replaces it, this thread opens the new
 * filter and puts it into the slot.  Requests that hold the old filter finish with it, so
 * no request waits, fails or misses a URL.  The slot frees the old filter when no request
 * uses it any more.  A damaged file is refused, and the old filter stays in use.
 *
 * main() publishes ten versions of the list, each longer than the last, and finally a
 * damaged file.  The program ends with status 1 if a lookup ever missed a listed URL.
 */
#define _POSIX_C_SOURCE 200809L
#include <petal.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define THREADS  4
#define VERSIONS 10
#define STEP     2000 /* URLs that each version adds */

struct service {
    const char *path;
    petal_slot *slot;
    ino_t inode; /* of the file that was opened last */
    atomic_uint reloads, refusals;
    atomic_ulong listed; /* URLs 0 to listed-1 are in the list, and must be found */
    atomic_ulong requests, missed;
    atomic_bool stop;
};

static void stop_on_error(int rc, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "reload: %s: %s\n", what, petal_strerror(rc));
        exit(1);
    }
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static size_t url_of(unsigned long i, char *url, size_t size)
{
    return (size_t)snprintf(url, size, "http://site-%lu.example/", i);
}

/* ---- The server ---- */

static void *serve(void *argument)
{
    struct service *s = argument;
    while (!atomic_load(&s->stop)) {
        const unsigned long request = atomic_fetch_add(&s->requests, 1);
        char url[64];
        const size_t len = url_of(request % atomic_load(&s->listed), url, sizeof url);
        const petal_filter *filter = petal_slot_acquire(s->slot);
        if (!petal_contains(filter, url, len))
            atomic_fetch_add(&s->missed, 1);
        petal_slot_release(s->slot, filter);
    }
    return NULL;
}

/* The file that is mapped keeps its inode number, so a new file always has another one. */
static void *watch(void *argument)
{
    struct service *s = argument;
    for (; !atomic_load(&s->stop); pause_ms(2)) { /* a real server: once per second */
        struct stat now;
        if (stat(s->path, &now) < 0 || now.st_ino == s->inode)
            continue;
        s->inode = now.st_ino;
        petal_filter *fresh;
        const int rc = petal_open(s->path, 0, &fresh);
        if (rc == PETAL_OK) {
            petal_slot_replace(s->slot, fresh);
            atomic_fetch_add(&s->reloads, 1);
        } else {
            printf("%s: %s; the old filter stays in use\n", s->path, petal_strerror(rc));
            atomic_fetch_add(&s->refusals, 1);
        }
    }
    return NULL;
}

/* ---- The program that publishes the list ---- */

static void publish(const char *path, unsigned long n)
{
    petal_filter *list;
    const petal_options options = { .capacity = VERSIONS * STEP, .fpr = 0.01 };
    stop_on_error(petal_new(&options, &list), "creating the filter");
    for (unsigned long i = 0; i < n; i++) {
        char url[64];
        const size_t len = url_of(i, url, sizeof url);
        stop_on_error(petal_add(list, url, len), url);
    }
    stop_on_error(petal_save(list, path), path); /* replaces the file in one step */
    petal_free(list);
}

static void publish_damaged(const char *path)
{
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    FILE *file = fopen(temporary, "w");
    if (!file || fputs("not a filter", file) < 0 || fclose(file) || rename(temporary, path))
        stop_on_error(PETAL_E_WRITE, temporary);
}

/* Wait until the watcher has seen so many new files. */
static void wait_for(atomic_uint *count, unsigned n)
{
    while (atomic_load(count) < n)
        pause_ms(1);
}

/* Wait until there were as many requests as the list has URLs. */
static void wait_for_requests(struct service *s)
{
    const unsigned long end = atomic_load(&s->requests) + atomic_load(&s->listed);
    while (atomic_load(&s->requests) < end)
        pause_ms(1);
}

int main(int argc, char **argv)
{
    struct service s = { .path = argc > 1 ? argv[1] : "reload.petal", .listed = STEP };
    petal_filter *first;
    struct stat status;
    publish(s.path, STEP);
    s.inode = stat(s.path, &status) == 0 ? status.st_ino : 0;
    stop_on_error(petal_open(s.path, 0, &first), s.path);
    stop_on_error(petal_slot_new(first, &s.slot), "creating the slot");

    pthread_t threads[THREADS + 1];
    for (int i = 0; i <= THREADS; i++)
        if (pthread_create(&threads[i], NULL, i < THREADS ? serve : watch, &s) != 0)
            stop_on_error(PETAL_E_MEMORY, "starting threads");
    for (unsigned version = 2; version <= VERSIONS; version++) {
        publish(s.path, version * STEP);
        wait_for(&s.reloads, version - 1);
        atomic_store(&s.listed, version * STEP); /* now all of them must be found */
        wait_for_requests(&s);
    }
    publish_damaged(s.path);
    wait_for(&s.refusals, 1);
    wait_for_requests(&s);
    atomic_store(&s.stop, true);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    petal_slot_free(s.slot);

    printf("%lu requests in %d threads, %u reloads, %lu members missed\n", s.requests,
           THREADS, s.reloads, s.missed);
    return s.missed == 0 ? 0 : 1;
}
