/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filters.c: how the command opens, locks and saves filters and other files.
 *
 * A file is written completely or not at all: petal_save() and output_text() write a
 * temporary file and rename it.  Signals that would end the program wait until that is
 * done, so that no temporary file is left behind.
 */
#define _DEFAULT_SOURCE
#include "filters.h"

#include "args.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <petal_host.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

void filter_refuse(const char *path, int error)
{
    const int why = errno;
    const char *name = is_dash(path) ? "standard input" : path;
    if (error == PETAL_E_OPEN)
        fail("%s: %s", name, why == EINVAL ? "not a regular file" : strerror(why));
    if (error <= PETAL_E_OPEN && error >= PETAL_E_RANDOM)
        fail("%s: %s: %s", name, petal_strerror(error), strerror(why));
    fail("%s: %s%s", name, petal_strerror(error),
         error == PETAL_E_CORRUPT || error == PETAL_E_TRUNCATED
             ? "; rebuild it or restore a copy"
         : error == PETAL_E_VERSION ? "; update petal"
                                    : "");
}

/* ---- Opening ---- */

static int filters_locked = -1; /* the file that this process has locked */

/* Saving replaces the file.  So a process that waited for the lock of the old file must
 * check that the path still leads to it, and otherwise start again. */
void filter_lock(const char *path, enum filter_patience patience)
{
    for (;;) {
        struct stat mine, there;
        const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return; /* opening the filter will report the error */
        if (flock(fd, patience == FILTER_WAIT ? LOCK_EX : LOCK_EX | LOCK_NB) < 0) {
            if (errno == EWOULDBLOCK)
                fail("%s: another petal is changing it; try again later", path);
            close(fd); /* not every file system has locks */
            return;
        }
        if (fstat(fd, &mine) == 0 && stat(path, &there) == 0 &&
            mine.st_ino == there.st_ino) {
            if (filters_locked >= 0)
                close(filters_locked);
            filters_locked = fd;
            return;
        }
        close(fd);
    }
}

/* The empty file that stands for a new filter until it is saved. */
static const char *filters_placeholder;

static void filters_drop_placeholder(void)
{
    struct stat st;
    if (stat(filters_placeholder, &st) == 0 && st.st_size == 0)
        unlink(filters_placeholder);
}

bool filter_is_new(const char *path)
{
    struct stat st;
    return stat(path, &st) < 0 ? errno == ENOENT : S_ISREG(st.st_mode) && st.st_size == 0;
}

void filter_lock_new(const char *path)
{
    FILE *file = fopen(path, "ab"); /* creates it, or leaves it as it is */
    if (!file)
        fail_system(path);
    fclose(file);
    if (filters_locked < 0) /* otherwise the file was there before, and empty */
        filter_lock(path, FILTER_FAIL);
    if (!filter_is_new(path)) /* another petal was faster */
        fail("%s: another petal has just created it; try again", path);
    filters_placeholder = path;
    atexit(filters_drop_placeholder);
}

/* Reads a whole pipe, or only its start if that is not the start of a filter. */
static int filters_read_all(int fd, char **bytes, size_t *len)
{
    size_t room = 1 << 20, got = 0;
    *bytes = malloc(room);
    while (*bytes) {
        const ssize_t some = read(fd, *bytes + got, room - got);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return PETAL_E_READ;
        got += (size_t)some;
        *len = got;
        if (some == 0 || (got >= 8 && memcmp(*bytes, "\x89PETAL\r\n", 8) != 0))
            return PETAL_OK;
        if (got == room) {
            char *larger = realloc(*bytes, room *= 2);
            if (!larger)
                break;
            *bytes = larger;
        }
    }
    return PETAL_E_MEMORY;
}

static int filters_read(int fd, unsigned flags, petal_filter **filter)
{
    char *bytes;
    size_t len = 0;
    int rc = filters_read_all(fd, &bytes, &len);
    if (rc == PETAL_OK)
        rc = petal_view(bytes, len, flags | PETAL_COPY, filter);
    free(bytes);
    return rc;
}

int filter_try(const char *path, unsigned flags, petal_filter **filter)
{
    struct stat st;
    *filter = NULL;
    if (is_dash(path)) {
        args_claim_input();
        return filters_read(STDIN_FILENO, flags, filter);
    }
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const int rc = fd < 0 ? PETAL_E_OPEN : filters_read(fd, flags, filter);
        if (fd >= 0)
            close(fd);
        return rc;
    }
    return petal_open(path, flags, filter);
}

petal_filter *filter_open(const char *path, unsigned flags)
{
    petal_filter *filter;
    const int rc = filter_try(path, flags, &filter);
    if (rc < 0)
        filter_refuse(path, rc);
    return filter;
}

void filter_refuse_static(const char *path, const petal_filter *filter, const char *so)
{
    const petal_kind kind = petal_shape_of(filter)->kind;
    if (petal_abilities(kind) & PETAL_IS_STATIC)
        fail("%s: a %s is built once: %s", is_dash(path) ? "standard input" : path,
             petal_kind_name(kind), so);
}

void filter_refuse_key(const char *path, int error)
{
    fail("%s: %s%s", path, petal_strerror(error),
         error == PETAL_E_FULL ? "; rebuild it with a larger -n" : "");
}

/* An option of the library as the user gave it: "-p 2", "-O hashes". */
static const char *filters_given(const petal_options *o, const char *option)
{
    if (strcmp(option, "capacity") == 0)
        return o->capacity ? text_format("-n %s", text_count(o->capacity)) : "-n";
    if (strcmp(option, "bits") == 0)
        return o->bits ? text_format("-m %s", text_count(o->bits)) : "-m";
    if (strcmp(option, "fpr") == 0)
        return text_format("-p %g", o->fpr);
    if (strcmp(option, "kind") == 0)
        return "-k";
    if (strcmp(option, "form") == 0 || strcmp(option, "threads") == 0)
        return text_format("--%s", option);
    return text_format("-O %s", option);
}

void filter_impossible(const petal_options *options, int error)
{
    petal_refusal why;
    if (petal_refused(options, NULL, &why) == PETAL_OK)
        fail("%s%s", petal_strerror(error),
             error == PETAL_E_MEMORY ? ": use a smaller -n or -m" : "");
    fail("%s: %s", filters_given(options, why.option), why.reason);
}

petal_filter *filter_new(void)
{
    petal_filter *filter;
    if (wanted.capacity && wanted.bits && wanted.fpr > 0)
        fail("-n, -p, -m: give two of the three; petal computes the third");
    const int rc = petal_new(&wanted, &filter);
    if (rc < 0)
        filter_impossible(&wanted, rc);
    return filter;
}

/* A static kind would store every hash, so another kind takes its place. */
petal_filter *filter_model(void)
{
    petal_options o = wanted;
    const unsigned can = petal_abilities(o.kind);
    if (can & PETAL_NEEDS_KEYS)
        fail("-k %s: cannot be used here, because filters of this kind take no hashes",
             petal_kind_name(o.kind));
    if (can & PETAL_IS_STATIC)
        o.kind = PETAL_DEFAULT;
    o.capacity = can & PETAL_IS_EXACT ? 0 : 1000;
    o.bits = can & PETAL_IS_EXACT ? 1 : 0;
    petal_filter *model;
    const int rc = petal_new(&o, &model);
    if (rc < 0)
        filter_impossible(&o, rc);
    memcpy(wanted.seed, petal_shape_of(model)->seed, sizeof wanted.seed);
    return model;
}

petal_filter *filter_recorder(const petal_filter *filter)
{
    const petal_options o = { .capacity = 1, .form = petal_shape_of(filter)->form };
    petal_filter *recorder;
    if (petal_new(&o, &recorder) < 0)
        fail_memory();
    return recorder;
}

bool form_has_parents(petal_form form)
{
    petal_shape shape;
    return petal_plan(&(petal_options){ .capacity = 1, .form = form }, &shape) ==
               PETAL_OK &&
           shape.match_lookups > 0;
}

/* ---- Describing ---- */

void filter_json(const petal_filter *filter)
{
    const size_t size = petal_describe(filter, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
        fail_memory();
    petal_describe(filter, text, size);
    json_members(text);
    free(text);
}

/* ---- Saving ---- */

static void filters_hold_signals(sigset_t *before)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGQUIT);
    pthread_sigmask(SIG_BLOCK, &ends, before);
}

static void filters_let_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void output_claim(const char *path)
{
    struct stat st;
    if (is_dash(path))
        return;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        fail("%s: %s", path, S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file");
    if (!force && lstat(path, &st) == 0)
        fail("%s: file exists; use --force to overwrite it", path);
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                 slash ? path : ".") < (int)sizeof folder &&
        access(folder, W_OK | X_OK) < 0)
        fail_system(path); /* now, rather than after an hour of work */
}

void output_claim_filter(const char *path)
{
    if (is_dash(path) && isatty(STDOUT_FILENO))
        fail("a filter is not text, and standard output is a terminal; use -o FILE or "
             "redirect it");
    if (is_dash(path) && json)
        fail("--json: the filter already goes to standard output; write it to a file");
}

int filter_try_save(petal_filter *filter, const char *path)
{
    sigset_t before;
    filters_hold_signals(&before);
    const int rc = petal_save(filter, path);
    const int why = errno;
    filters_let_signals(&before);
    errno = why;
    return rc;
}

void filter_save(petal_filter *filter, const char *path)
{
    if (is_dash(path)) {
        size_t len;
        const void *bytes = petal_bytes(filter, &len);
        out_bytes(bytes, len);
        out_flush();
        return;
    }
    const int rc = filter_try_save(filter, path);
    if (rc < 0)
        filter_refuse(path, rc);
}

/* Returns 0, or -1 and sets errno. */
static int output_write(const char *temporary, int fd, const char *path, const char *text,
                        size_t len)
{
    for (size_t done = 0; done < len;) {
        const ssize_t wrote = write(fd, text + done, len - done);
        if (wrote < 0 && errno != EINTR)
            return -1;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) < 0 || fsync(fd) < 0 || close(fd) < 0)
        return -1;
    return rename(temporary, path);
}

void output_text(const char *path, const char *text, size_t len)
{
    if (is_dash(path)) {
        out_bytes(text, len);
        return;
    }
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        fail("%s: %s", path, strerror(ENAMETOOLONG));
    sigset_t before;
    filters_hold_signals(&before);
    const int fd = mkstemp(temporary);
    if (fd < 0)
        fail_system(path);
    if (output_write(temporary, fd, path, text, len) < 0) {
        const int why = errno;
        unlink(temporary);
        errno = why;
        fail_system(path);
    }
    filters_let_signals(&before);
}
