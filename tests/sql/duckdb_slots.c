/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * duckdb_slots.c: a DuckDB extension that checks modules/duckdb/engine.h.
 *
 * For each function in the list, the pointer in DuckDB's table must be the function that
 * the library exports under that name.  If one is not, loading this extension fails, and
 * the error names it.
 */
#include "engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct slot {
    unsigned number;
    const char *name;
} slots[] = {
#define SLOT(number, name, type, arguments) { number, "duckdb_" #name },
    ENGINE_FUNCTIONS(SLOT)
};

__attribute__((visibility("default"))) bool
slots_init_c_api(void *info, const struct engine_access *access);

bool slots_init_c_api(void *info, const struct engine_access *access)
{
    void *const *table = access->get_api(info, ENGINE_API_VERSION);
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        Dl_info found;
        const bool known = dladdr(table[slots[i].number], &found) && found.dli_sname;
        if (known && strcmp(found.dli_sname, slots[i].name) == 0)
            continue;
        char message[200];
        snprintf(message, sizeof message, "slot %u is %s, not %s", slots[i].number,
                 known ? found.dli_sname : "unknown", slots[i].name);
        access->set_error(info, message);
        return false;
    }
    return true;
}
