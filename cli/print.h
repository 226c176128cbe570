/* SPDX-License-Identifier: BSD-2-Clause */
/* print.h: print data to standard output, and errors and remarks to standard error. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(text, values) __attribute__((format(printf, text, values)))

extern bool quiet;      /* --quiet: no remarks and no progress */

enum { STATUS_SOME = 0, STATUS_NONE = 1, STATUS_ERROR = 2 };

/* ---- Standard error ---- */

/* Prints "petal: " and one sentence, and exits with STATUS_ERROR. */
_Noreturn void fail(const char *format, ...) PRINTF_LIKE(1, 2);

/* Says whether other threads are at work.  Then fail() ends the program without exit(), whose
 * handlers would take away what the threads still use. */
void fail_with_threads(bool threads);

/* The same with ": " and the text of errno. */
_Noreturn void fail_system(const char *what);

/* The same with "out of memory". */
_Noreturn void fail_memory(void);

/* Prints a sentence for the user, except with --quiet. */
void remark(const char *format, ...) PRINTF_LIKE(1, 2);

/* Prints an error and goes on. */
void warn(const char *format, ...) PRINTF_LIKE(1, 2);

/* ---- Standard output ---- */

/* Output is buffered.  If the reader closes the pipe, the program runs the function given to
 * out_on_closed(), if any, and ends without a message. */
void out_bytes(const void *bytes, size_t len);
void out_line(const void *bytes, size_t len, char separator);
void out(const char *format, ...) PRINTF_LIKE(1, 2);
void out_flush(void);
void out_now(const void *bytes, size_t len);    /* many bytes, which are written at once */
void out_on_closed(void (*last)(void));

/* How many bytes were written so far; the same with those that are still buffered. */
uint64_t out_written(void);
uint64_t out_total(void);

/* Prints text padded to `width` columns: right-aligned, or left-aligned if it is negative. */
void out_column(int width, const char *text);

#endif
