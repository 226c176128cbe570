/* SPDX-License-Identifier: BSD-2-Clause */
/* buffer.h: bytes in memory that grow as more are put in. */
#ifndef CLI_BUFFER_H
#define CLI_BUFFER_H

#include <stddef.h>

struct buffer {
    char  *bytes;
    size_t len, room;
};

void buffer_put(struct buffer *buffer, const void *bytes, size_t len);
void buffer_reserve(struct buffer *buffer, size_t len);     /* room for so much more */

#endif
