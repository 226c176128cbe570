/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live.c: filters that may be replaced while they are in use.
 *
 * A program that reads a log for days must notice when its filter is replaced.  Before each
 * block of lines, one thread looks once a second whether the path leads to another file.
 * The new filter takes the place of the old one in a petal_slot, which frees the old one
 * when no thread uses it any more.  If the new file cannot be used, the old filter stays.
 */
#define _POSIX_C_SOURCE 200809L
#include "live.h"

#include "filters.h"
#include "print.h"
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOOK_SECONDS 1

struct live {
    const char *path;
    unsigned flags;
    bool watched;
    petal_slot *slot;
    petal_form form;
    pthread_mutex_t looking; /* held by the thread that looks, which guards the rest */
    struct stat file;
    double looked;    /* when */
    bool gone;        /* there was no such file */
    unsigned hangups; /* that have been answered */
};

static unsigned live_hangups; /* how often SIGHUP came; other threads read it */

static void live_hangup(int signal_number)
{
    (void)signal_number;
    __atomic_fetch_add(&live_hangups, 1, __ATOMIC_RELAXED);
}

/* After nohup, SIGHUP is ignored and stays so. */
static void live_catch(void)
{
    struct sigaction now, reload = { .sa_handler = live_hangup };
    if (sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &reload, NULL);
}

struct live *live_of(const char *path, petal_filter *filter)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live || petal_slot_new(filter, &live->slot) < 0)
        fail_memory();
    live->path = path;
    live->form = petal_shape_of(filter)->form;
    pthread_mutex_init(&live->looking, NULL);
    return live;
}

struct live *live_open(const char *path, unsigned flags, bool watched)
{
    struct live *live = live_of(path, filter_open(path, flags));
    live->flags = flags;
    live->watched = watched && stat(path, &live->file) == 0 && S_ISREG(live->file.st_mode);
    live->looked = seconds_now();
    if (live->watched)
        live_catch();
    return live;
}

const char *live_path(const struct live *live)
{
    return live->path;
}

petal_form live_form(const struct live *live)
{
    return live->form;
}

static void live_reload(struct live *live)
{
    petal_filter *fresh;
    const int rc = petal_open(live->path, live->flags, &fresh);
    if (rc < 0) {
        warn("%s: %s: %s; the old filter stays in use", live->path, petal_strerror(rc),
             rc <= PETAL_E_OPEN ? strerror(errno) : "the new file cannot be used");
        return;
    }
    if (petal_shape_of(fresh)->form != live->form) {
        warn("%s: the new filter has keys of form %s, not %s; the old filter stays in use",
             live->path, petal_form_name(petal_shape_of(fresh)->form),
             petal_form_name(live->form));
        petal_free(fresh);
        return;
    }
    petal_slot_replace(live->slot, fresh);
    remark("%s: the filter was replaced; the new one is in use", live->path);
}

/* While a file is being replaced, there may be none: the next look finds it. */
static void live_look(struct live *live)
{
    struct stat now;
    const unsigned hangups = __atomic_load_n(&live_hangups, __ATOMIC_RELAXED);
    const double seconds = seconds_now();
    if (hangups == live->hangups && seconds - live->looked < LOOK_SECONDS)
        return;
    live->looked = seconds;
    const bool gone = stat(live->path, &now) < 0;
    if (gone && !live->gone)
        warn("%s: %s; the old filter stays in use", live->path, strerror(errno));
    live->gone = gone;
    if (!gone && (now.st_ino != live->file.st_ino || now.st_size != live->file.st_size ||
                  hangups != live->hangups)) {
        live->file = now;
        live_reload(live);
    }
    live->hangups = hangups;
}

const petal_filter *live_acquire(struct live *live)
{
    if (live->watched && pthread_mutex_trylock(&live->looking) == 0) {
        live_look(live);
        pthread_mutex_unlock(&live->looking);
    }
    return petal_slot_acquire(live->slot);
}

void live_release(struct live *live, const petal_filter *filter)
{
    petal_slot_release(live->slot, filter);
}

void live_close(struct live *live)
{
    petal_slot_free(live->slot);
    pthread_mutex_destroy(&live->looking);
    free(live);
}
