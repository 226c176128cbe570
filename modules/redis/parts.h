/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.h: an image that arrives in parts, in order. */
#ifndef REDIS_PARTS_H
#define REDIS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_MAX ((size_t)16 << 20)     /* bytes in a part that we send, at most */

struct parts {
    unsigned char *bytes;
    size_t         len, room;
    uint64_t       total;       /* what len is when all parts have come */
};

/* Appends a part.  False if it does not belong here, or goes beyond the end. */
bool parts_put(struct parts *parts, uint64_t at, const void *bytes, size_t len);

bool parts_complete(const struct parts *parts);
void parts_free(struct parts *parts);

#endif
