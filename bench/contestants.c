/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contestants.c: who takes part.
 *
 * Plug-ins are loaded from the folder peers/ beside the program, and from wherever --peer
 * says; peer.h tells how to write one.  petal's own comes first, the limits last, and
 * whoever has the name of another is given its file's name, too: so two versions of a
 * library can be compared.
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

/* "=petal" is petal alone, "petal" everything with that in its name. */
static bool contestant_named(const char *name, const struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->at[i][0] == '=' ? strcmp(name, names->at[i] + 1) == 0
                                   : strcasestr(name, names->at[i]) != NULL)
            return true;
    return false;
}

/* All names, also of those who do not take part: who is called what must not depend on it.
 */
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
    if (name_seen(name)) /* the end of the path says most */
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
        fail("%s: %s cannot be made, dropped, weighed or filled", path, peer->name);
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
    char place[4096]; /* without a slash, dlopen() would look elsewhere */
    snprintf(place, sizeof place, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *const plugin = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        fail("%s", dlerror());
    const struct peer *peer = dlsym(plugin, "peers");
    if (!peer)
        fail("%s: no plug-in: it has no array `peers`", path);
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

/* Stable: within a rank they stay as they came. */
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
