/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * objects.c: values in JSON documents, in a build without simdjson.
 */
#include "objects.h"

#include "print.h"

void objects_need(void)
{
    fail("this petal was built without simdjson, so it cannot read JSON");
}

bool objects_read(void **parser, const char *text, size_t len, const struct path *paths,
                  size_t n, objects_found *found, void *context)
{
    (void)parser, (void)text, (void)len, (void)paths, (void)n, (void)found, (void)context;
    return false;
}

bool objects_search(void **parser, const char *text, size_t len, const struct span *names,
                    size_t n, objects_found *found, void *context)
{
    (void)parser, (void)text, (void)len, (void)names, (void)n, (void)found, (void)context;
    return false;
}

void objects_free(void *parser)
{
    (void)parser;
}
