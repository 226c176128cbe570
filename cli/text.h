/* SPDX-License-Identifier: BSD-2-Clause */
/* text.h: format numbers for people.  A result is valid until the sixteenth call after it. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdint.h>

const char *text_count(uint64_t n);         /* 1,234,567 */
const char *text_many(uint64_t n, const char *what);    /* 1 line, 2 lines */
const char *text_about(double n);           /* 1,234,567, or 3.2, or 1.2e+30 */
const char *text_bytes(double bytes);       /* 1.25 MB */
const char *text_rate(double rate);         /* 0.997%, 1.2e-07 */
const char *text_seconds(double seconds);   /* 25.5 ms */
const char *text_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Replaces control characters, which could change what a terminal shows, by question marks. */
void        text_harmless(char *text);

#endif
