/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folder.h: a temporary folder for each test, removed when the test ends.
 */
#ifndef PETAL_FOLDER_H
#define PETAL_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef _WIN32
#include <io.h>
#endif

#ifdef _WIN32
static inline char *mkdtemp(char *path)
{
    return _mktemp(path) && mkdir(path) == 0 ? path : NULL;
}
#endif

/* The parent of temporary folders. */
static inline char *folder_made(void)
{
    const char *base = getenv("TMPDIR");
    char *path = malloc(4096);
    if (!path)
        return NULL;
    snprintf(path, 4096, "%s/petal-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(path);
}

/* A path in the folder, valid until the fourth call from now. */
static inline const char *in_folder(const char *folder, const char *name)
{
    static char paths[4][4352];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline int files_in(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return n;
}

/* Removes every file whose name begins with a prefix.  Returns how many there were. */
static inline int folder_sweep(const char *folder, const char *prefix)
{
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            n += unlink(in_folder(folder, entry->d_name)) == 0;
    if (dir)
        closedir(dir);
    return n;
}

static inline void folder_gone(char *folder)
{
    folder_sweep(folder, "");
    rmdir(folder);
    free(folder);
}

static inline int folder_setup(void **state)
{
    *state = folder_made();
    return *state ? 0 : -1;
}

static inline int folder_teardown(void **state)
{
    folder_gone(*state);
    return 0;
}

#define in_a_folder(test) \
    cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

#endif
