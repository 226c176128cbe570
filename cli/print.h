/* print.h: everything the command says: data on standard output, remarks on standard error. */
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

/* ---- Numbers as people read them; each valid until the sixteenth call after it ---- */

const char *text_count(uint64_t n);         /* 1,234,567 */
const char *text_many(uint64_t n, const char *what);    /* 1 line, 2 lines */
const char *text_about(double n);           /* 1,234,567, or 3.2, or 1.2e+30 */
const char *text_bytes(double bytes);       /* 1.25 MB */
const char *text_rate(double rate);         /* 0.997%, 1.2e-07 */
const char *text_seconds(double seconds);   /* 25.5 ms */
const char *text_format(const char *format, ...) PRINTF_LIKE(1, 2);

/* ---- JSON, on standard output ---- */

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
