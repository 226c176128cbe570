/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host.h: the memory of a careful host, for fuzz targets.
 *
 * Reading bytes may allocate no more than their length plus 64 KiB.  A filter that grows
 * later may need more, and gets as much as a careful host would give.
 */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include <petal_host.h>
#include <stdbool.h>
#include <stdlib.h>

static struct {
    bool reading;
    size_t most;
} host;

static inline void *host_realloc(void *context, void *old, size_t len)
{
    (void)context;
    if (len <= host.most)
        return realloc(old, len);
    if (host.reading)
        abort();
    return NULL;
}

/* Before bytes of this length are read, and afterwards. */
static inline void host_begins(size_t len)
{
    petal_set_allocator(host_realloc, NULL);
    host.reading = true;
    host.most = len + 65536;
}

static inline void host_has_read(void)
{
    host.reading = false;
    host.most = 32 << 20;
}

#endif
