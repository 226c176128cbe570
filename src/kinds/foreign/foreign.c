/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foreign.c: what all kinds of this folder do with hashes.
 *
 * These kinds need the key itself.  A hash of 64 bits says nothing about the probes of its
 * key, so it cannot be added, and any key may have it.
 */
#include "kinds/foreign/foreign.h"

int petal__keys_add(petal_filter *f, uint64_t hash)
{
    (void)f, (void)hash;
    return PETAL_E_ABILITY;
}

bool petal__keys_contains(const petal_filter *f, uint64_t hash)
{
    (void)f, (void)hash;
    return true;
}

size_t petal__keys_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                          uint32_t *groups, size_t max)
{
    (void)f, (void)hash, (void)cells, (void)groups, (void)max;
    return 0;
}
