/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.c: load a library when it is first used.
 *
 * Most runs use none of the command's libraries, and loading all of them at the start took
 * longer than such a run does.  A library stays loaded until the program ends.
 */
#define _POSIX_C_SOURCE 200809L
#define LOAD_FILE       /* this build loads libraries */
#include "load.h"

#include "text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* A module is found from the place of the command, so that an installation can be moved.
 * The loader asks /proc for that place.  A chroot may have none. */
static void *load_module(const struct load *what)
{
    const bool known = access("/proc/self/exe", F_OK) == 0;
    return dlopen(known ? what->module : what->installed, RTLD_LAZY);
}

/* Functions are bound at their first call, as those of a linked library are. */
static const char *load_open(const struct load *what, void **handle)
{
    *handle = dlopen(what->file, RTLD_LAZY);
    if (!*handle)
        return text_format("this petal cannot load %s (Debian package %s)", what->file,
                           what->package);
    if (what->module[0])
        *handle = load_module(what);
    if (!*handle)
        return text_format("this petal cannot load its module %s (install petal again)",
                           strrchr(what->module, '/') + 1);
    return NULL;
}

/* The struct is a row of pointers to functions, in the order of the names.  POSIX
 * guarantees that they have the representation of the pointers that dlsym() returns. */
static const char *load_find(const struct load *what, void *handle, void *functions)
{
    char *to = functions;
    for (const char *name = what->names; *name; name += strlen(name) + 1) {
        void *function = dlsym(handle, name);
        if (!function)
            return text_format("this petal finds no %s in %s (Debian package %s)", name,
                               what->file, what->package);
        memcpy(to, &function, sizeof function);
        to += sizeof function;
    }
    return NULL;
}

const char *load_functions(struct load *what, void *functions)
{
    static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
    const char *why = NULL;
    void *handle;
    pthread_mutex_lock(&alone);
    if (!what->done) {
        why = load_open(what, &handle);
        if (!why)
            why = load_find(what, handle, functions);
        what->done = !why;
    }
    pthread_mutex_unlock(&alone);
    return why;
}
