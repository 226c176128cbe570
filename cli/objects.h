/* SPDX-License-Identifier: BSD-2-Clause */
/* objects.h: values in JSON documents.  Implemented with simdjson, which is C++. */
#ifndef CLI_OBJECTS_H
#define CLI_OBJECTS_H

#include "paths.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fails if this petal was built without simdjson. */
void objects_need(void);

/* Receives the values: text, or a number as text.  `field` is the number of the path.  The text
 * is NULL if the value is something else, such as an object, or null. */
typedef void objects_found(void *context, size_t field, const char *text, size_t len);

/* Finds the values at each path in a document.  SLACK bytes after it must be readable.
 * *parser is NULL at first, and is used again afterwards.  Returns false if the document is
 * not valid JSON. */
#define OBJECTS_SLACK 64
bool objects_read(void **parser, const char *text, size_t len, const struct path *paths,
                  size_t n, objects_found *found, void *context);

/* The same for all members, at any depth, that have one of these names, and for texts in a
 * document that is an array.  `field` is the number of the name, or n.  Before each value comes
 * the text of the member "type" of its object, with the field OBJECTS_TYPE; NULL if there is
 * none. */
#define OBJECTS_TYPE SIZE_MAX
bool objects_search(void **parser, const char *text, size_t len, const struct span *names,
                    size_t n, objects_found *found, void *context);

void objects_free(void *parser);

#ifdef __cplusplus
}
#endif

#endif
