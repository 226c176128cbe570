/* SPDX-License-Identifier: BSD-2-Clause */
/* buffer.h: a byte buffer that grows. */
#ifndef CLI_BUFFER_H
#define CLI_BUFFER_H

#include <stddef.h>

struct buffer {
    char  *bytes;
    size_t len, room;
};

void buffer_put(struct buffer *buffer, const void *bytes, size_t len);
void buffer_reserve(struct buffer *buffer, size_t len);     /* room for len more bytes */

#endif
