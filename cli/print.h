/* SPDX-License-Identifier: BSD-2-Clause */
/* print.h: data on standard output, remarks on standard error. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(text, values) __attribute__((format(printf, text, values)))

extern bool quiet;      /* --quiet: no remarks, no progress */

enum { STATUS_SOME = 0, STATUS_NONE = 1, STATUS_ERROR = 2 };

/* ---- Standard error ---- */

/* "petal: " and one sentence; then the end, with STATUS_ERROR. */
_Noreturn void fail(const char *format, ...) PRINTF_LIKE(1, 2);

/* The same with what errno says after it. */
_Noreturn void fail_system(const char *what);

/* A sentence for the user, unless --quiet. */
void remark(const char *format, ...) PRINTF_LIKE(1, 2);

/* An error that does not end the work. */
void complain(const char *format, ...) PRINTF_LIKE(1, 2);

/* ---- Standard output ---- */

/* Buffered here.  When the reader has gone, the program ends quietly, after `last`
 * (see out_on_closed) has run. */
void out_bytes(const void *bytes, size_t len);
void out_line(const void *bytes, size_t len, char separator);
void out(const char *format, ...) PRINTF_LIKE(1, 2);
void out_flush(void);
void out_on_closed(void (*last)(void));

/* A piece of a table: text that fills `width` columns, to the left if it is below zero. */
void out_column(int width, const char *text);

#endif
