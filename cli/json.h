/* SPDX-License-Identifier: BSD-2-Clause */
/* json.h: JSON on standard output. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values in order; inside an object each has a name, inside a list NULL. */
void json_open(const char *name, char bracket);     /* '{' or '[' */
void json_close(void);                              /* at the outermost, a newline follows */
void json_bytes(const char *name, const void *bytes, size_t len);
void json_text(const char *name, const char *text);
void json_count(const char *name, uint64_t n);
void json_real(const char *name, double value);     /* null if it is no number */
void json_flag(const char *name, bool flag);
void json_raw(const char *name, const char *json);  /* as it is */
void json_members(const char *object);              /* the members of {...}, one by one */

#endif
