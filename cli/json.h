/* SPDX-License-Identifier: BSD-2-Clause */
/* json.h: print JSON to standard output, or to a buffer. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* From now on this thread prints to a buffer; NULL: to standard output. */
void json_to(struct buffer *buffer);

/* Print values in order.  Inside an object each has a name; inside an array it is NULL. */
void json_open(const char *name, char bracket);     /* '{' or '[' */
void json_close(void);                              /* after the outermost, a newline */
void json_bytes(const char *name, const void *bytes, size_t len);
void json_text(const char *name, const char *text);
void json_count(const char *name, uint64_t n);
void json_real(const char *name, double value);     /* null if it is not finite */
void json_flag(const char *name, bool flag);
void json_raw(const char *name, const char *json);  /* printed as it is */
void json_members(const char *object);              /* the members of {...} */

#endif
