/* SPDX-License-Identifier: BSD-2-Clause */
/* paths.h: where a value is in a JSON document: .request.url, .prefixes[].ip_prefix */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include "span.h"

#include <stdint.h>

#define PATH_STEPS_MAX 16

enum path_type { STEP_NAME, STEP_INDEX, STEP_EACH };

struct path_step {
    enum path_type type;
    struct span    name;        /* STEP_NAME */
    uint64_t       index;       /* STEP_INDEX, from 0 */
};

struct path {
    struct path_step steps[PATH_STEPS_MAX];
    size_t           n;
};

/* Parses a path that starts with a dot.  A name in quotes may contain anything but quotes.
 * An error ends the program. */
void path_parse(struct path *path, struct span text);

#endif
