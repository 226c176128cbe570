/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * objects_load.c: load objects.cc when JSON is read for the first time.
 *
 * Of all libraries, simdjson and the library of C++ take the longest to load.  They cannot
 * be loaded function by function: much of simdjson is inline code, which becomes a part of
 * objects.cc.  So objects.cc is a module of its own, lib/petal/json.so.  If simdjson is
 * linked, objects.cc replaces this file.
 */
#include "load.h"
#include "objects.h"
#include "print.h"

#define FUNCTIONS(F) F(objects_, read) F(objects_, search) F(objects_, free)
LOAD(module, FUNCTIONS)

void objects_need(void)
{
    const char *why = module_load();
    if (why)
        fail("%s, so it cannot read JSON", why);
}

bool objects_read(void **parser, const char *text, size_t len, const struct path *paths,
                  size_t n, objects_found *found, void *context)
{
    return module.read(parser, text, len, paths, n, found, context);
}

bool objects_search(void **parser, const char *text, size_t len, const struct span *names,
                    size_t n, objects_found *found, void *context)
{
    return module.search(parser, text, len, names, n, found, context);
}

void objects_free(void *parser)
{
    if (parser)
        module.free(parser);
}
