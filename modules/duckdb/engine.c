/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.c: takes the functions that the extension uses from DuckDB's table.
 */
#include "engine.h"

#include <string.h>

struct engine duck;

bool engine_load(void *info, const struct engine_access *access)
{
    const char *table = access->get_api(info, ENGINE_API_VERSION);
    if (!table) {
        access->set_error(info, "petal needs DuckDB 1.2 or later");
        return false;
    }
#define TAKE(slot, name, type, arguments) \
    memcpy(&duck.name, table + (slot) * sizeof duck.name, sizeof duck.name);
    ENGINE_FUNCTIONS(TAKE)
    return true;
}
