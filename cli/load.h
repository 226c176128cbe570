/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.h: libraries that are loaded when they are first used.
 *
 * A file that uses a library lists its functions once, and calls them through a struct:
 *
 *     #define FUNCTIONS(F) F(sqlite3_, step) F(sqlite3_, reset)
 *     LOAD(sqlite, FUNCTIONS)
 *     ...
 *     const char *why = sqlite_load();    before the first call; NULL if all is well
 *     sqlite.step(query);                 calls sqlite3_step()
 *
 * The types are those of the library's own header.  cli/CMakeLists.txt decides for each
 * library whether it is loaded.  If so, it defines for that file:
 *
 *     LOAD_FILE        the library, as a linked program would name it: "libz.so.1".  The
 *                      number makes sure that its functions are those of the header.
 *     LOAD_PACKAGE     the Debian package that has it
 *     LOAD_MODULE      a file of ours that is linked with the library and has the functions
 *                      instead, for a library of C++.  "" if there is none
 *     LOAD_INSTALLED   where `make install` puts this file, for systems without /proc: there,
 *                      nobody knows where the command is
 *
 * Otherwise the library is linked, and the struct is a constant.
 */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#define LOAD_TYPE(prefix, name) __typeof__(&prefix##name) name;

#ifdef LOAD_FILE

#define LOAD_NAME(prefix, name) LOAD_TEXT(prefix##name) "\0"
#define LOAD_TEXT(function)     LOAD_QUOTED(function)   /* which may be a macro */
#define LOAD_QUOTED(function)   #function
#define LOAD(library, FUNCTIONS)                                                          \
    static struct { FUNCTIONS(LOAD_TYPE) } library;                                       \
    static const char *library##_load(void)                                               \
    {                                                                                     \
        static struct load what = { LOAD_FILE, LOAD_PACKAGE, LOAD_MODULE, LOAD_INSTALLED, \
                                    FUNCTIONS(LOAD_NAME), false };                        \
        return load_functions(&what, &library);                                           \
    }

struct load {
    const char *file, *package, *module, *installed;
    const char *names;          /* of the functions, each with a zero byte at its end */
    bool        done;           /* it is loaded */
};

/* Stores the addresses of the functions, unless it has done so before.  Returns NULL, or a
 * part of a sentence: "this petal cannot load libz.so.1 (Debian package zlib1g)". */
const char *load_functions(struct load *what, void *functions);

#else

#define LOAD_ADDRESS(prefix, name) prefix##name,
#define LOAD(library, FUNCTIONS)                                                          \
    static const struct { FUNCTIONS(LOAD_TYPE) } library = { FUNCTIONS(LOAD_ADDRESS) };   \
    static const char *library##_load(void)                                               \
    {                                                                                     \
        return NULL;                                                                      \
    }

#endif
#endif
