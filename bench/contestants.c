/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contestants.c: loads the contestants.
 *
 * Plug-ins come from the folder peers/ beside the program and from --peer; peer.h explains
 * how to write one.  petal comes first and the limits last.  If two contestants have the
 * same name, the second also gets the name of its file, so that two versions of a library
 * can be compared.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct contestant contestants[CONTESTANTS_MAX];
size_t contestants_n;

bool contestant_is_kind(const struct contestant *c)
{
    return strncmp(c->peer->name, "petal", 5) == 0 && strcmp(c->peer->name, "petal") != 0;
}

/* "=petal" matches that name only, "petal" every name that contains it. */
static bool contestant_named(const char *name, const struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->at[i][0] == '=' ? strcmp(name, names->at[i] + 1) == 0
                                   : strcasestr(name, names->at[i]) != NULL)
            return true;
    return false;
}

/* All names, including those that --only excludes, so that names do not depend on it. */
static char names_seen[4 * CONTESTANTS_MAX][NAME_MAX_LEN];
static size_t names_seen_n;

static bool name_seen(const char *name)
{
    for (size_t i = 0; i < names_seen_n; i++)
        if (strcmp(names_seen[i], name) == 0)
            return true;
    return false;
}

static void contestant_name(const char *wanted, const char *path, char name[NAME_MAX_LEN])
{
    const size_t len = strlen(path);
    snprintf(name, NAME_MAX_LEN, "%s", wanted);
    if (name_seen(name)) /* the end of a path is most specific */
        snprintf(name, NAME_MAX_LEN, "%.30s [%s]", wanted,
                 path + (len > 25 ? len - 25 : 0));
    for (unsigned i = 2; name_seen(name) && i < 100; i++)
        snprintf(name, NAME_MAX_LEN, "%.30s [%u]", wanted, i);
    if (names_seen_n == sizeof names_seen / sizeof *names_seen)
        fail("too many contestants");
    memcpy(names_seen[names_seen_n++], name, NAME_MAX_LEN);
}

static void contestant_enter(const struct peer *peer, const char *path)
{
    struct contestant c = { .peer = peer };
    if (!peer->make || !peer->drop || !peer->bytes || !(peer->add || peer->add_many))
        fail("%s: %s lacks make, drop, bytes or add", path, peer->name);
    contestant_name(peer->name, path, c.name);
    if ((settings.only.n > 0 && !contestant_named(peer->name, &settings.only)) ||
        contestant_named(c.name, &settings.without))
        return;
    if (contestants_n == CONTESTANTS_MAX)
        fail("more than %d contestants", CONTESTANTS_MAX);
    contestants[contestants_n++] = c;
}

static void contestants_from(const char *path)
{
    char place[4096]; /* without a slash, dlopen() searches the system */
    snprintf(place, sizeof place, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *const plugin = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        fail("%s", dlerror());
    const struct peer *peer = dlsym(plugin, "peers");
    if (!peer)
        fail("%s: not a plug-in: it does not export `peers`", path);
    for (; peer->name; peer++)
        contestant_enter(peer, path);
}

static void contestants_beside(void)
{
    char path[4096];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 16);
    if (len < 0)
        return;
    path[len] = 0;
    strcpy(strrchr(path, '/'), "/peers/*.so");
    glob_t found;
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            contestants_from(found.gl_pathv[i]);
    globfree(&found);
}

static int contestants_rank(const struct contestant *c)
{
    if (c->peer->what & PEER_LIMIT)
        return 4;
    if (c->peer->what & PEER_EXACT)
        return 3;
    return strcmp(c->name, "petal") == 0 ? 0 : contestant_is_kind(c) ? 1 : 2;
}

/* Stable: keeps the order within a rank. */
static void contestants_sort(void)
{
    for (size_t i = 1; i < contestants_n; i++) {
        const struct contestant c = contestants[i];
        size_t at = i;
        for (; at > 0 && contestants_rank(&contestants[at - 1]) > contestants_rank(&c);
             at--)
            contestants[at] = contestants[at - 1];
        contestants[at] = c;
    }
}

void contestants_load(void)
{
    contestants_beside();
    for (size_t i = 0; i < settings.peers.n; i++)
        contestants_from(settings.peers.at[i]);
    contestants_sort();
}
