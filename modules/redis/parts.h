/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.h: an image that arrives in chunks, in order. */
#ifndef REDIS_PARTS_H
#define REDIS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_MAX ((size_t)16 << 20)     /* the largest chunk that we send, in bytes */

struct parts {
    unsigned char *bytes;
    size_t         len, room;
    uint64_t       total;       /* the final value of len */
};

/* Appends a chunk.  False if its offset is wrong, or if it extends past the end. */
bool parts_put(struct parts *parts, uint64_t at, const void *bytes, size_t len);

bool parts_complete(const struct parts *parts);
void parts_free(struct parts *parts);

#endif
