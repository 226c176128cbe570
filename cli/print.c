/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print.c: standard output and standard error.
 *
 * Data goes to standard output through one buffer, remarks go to standard error.  If the
 * reader closes the pipe, the program ends without a message, as if killed by SIGPIPE.
 * out_on_closed() sets a function that runs before that, to save data.
 */
#define _POSIX_C_SOURCE 200809L
#include "print.h"

#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool quiet;

/* ---- Standard error ---- */

static void print_sentence(const char *format, va_list values)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, values);
    progress_wipe();
    fprintf(stderr, "petal: %s\n", text);
}

static void out_rescue(void);

static bool print_threads; /* other threads are at work */

void fail_with_threads(bool threads)
{
    print_threads = threads;
}

void fail(const char *format, ...)
{
    static bool failing; /* only the first thread that fails prints */
    while (__atomic_exchange_n(&failing, true, __ATOMIC_RELAXED))
        pause();
    va_list values;
    va_start(values, format);
    out_rescue();
    print_sentence(format, values);
    va_end(values);
    if (print_threads)
        _Exit(STATUS_ERROR);
    exit(STATUS_ERROR);
}

void fail_system(const char *what)
{
    const int why = errno;
    fail("%s: %s", what, strerror(why));
}

void fail_memory(void)
{
    fail("out of memory");
}

void remark(const char *format, ...)
{
    if (quiet)
        return;
    va_list values;
    va_start(values, format);
    print_sentence(format, values);
    va_end(values);
}

void warn(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_sentence(format, values);
    va_end(values);
}

/* ---- Standard output ---- */

static char out_buffer[1 << 16];
static size_t out_len;
static uint64_t out_bytes_written;
static void (*out_last)(void);

uint64_t out_written(void)
{
    return out_bytes_written;
}

uint64_t out_total(void)
{
    return out_bytes_written + out_len;
}

void out_on_closed(void (*last)(void))
{
    out_last = last;
}

static _Noreturn void out_failed(void)
{
    const int why = errno;
    out_len = 0; /* it cannot be written */
    if (out_last) {
        void (*last)(void) = out_last;
        out_last = NULL;
        last();
    }
    errno = why;
    if (why != EPIPE)
        fail_system("standard output");
    sigset_t pipe; /* blocked in worker threads */
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
    _exit(STATUS_ERROR);
}

static void out_write(const char *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t wrote = write(STDOUT_FILENO, bytes, len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            out_failed();
        out_bytes_written += (uint64_t)wrote;
        bytes += wrote;
        len -= (size_t)wrote;
    }
}

/* Writes the output that precedes an error, as far as it can be written. */
static void out_rescue(void)
{
    const int why = errno;
    for (size_t done = 0; done < out_len;) {
        const ssize_t wrote = write(STDOUT_FILENO, out_buffer + done, out_len - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    out_len = 0;
    errno = why;
}

void out_flush(void)
{
    const size_t len = out_len;
    out_len = 0;
    out_write(out_buffer, len);
}

void out_now(const void *bytes, size_t len)
{
    out_flush();
    out_write(bytes, len);
}

void out_bytes(const void *bytes, size_t len)
{
    if (len == 0)
        return;
    if (len > sizeof out_buffer - out_len)
        out_flush();
    if (len > sizeof out_buffer) {
        out_write(bytes, len);
        return;
    }
    memcpy(out_buffer + out_len, bytes, len);
    out_len += len;
}

void out_line(const void *bytes, size_t len, char separator)
{
    out_bytes(bytes, len);
    out_bytes(&separator, 1);
}

void out(const char *format, ...)
{
    char text[8192];
    va_list values;
    va_start(values, format);
    int len = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (len >= (int)sizeof text)
        len = sizeof text - 1;
    out_bytes(text, (size_t)len);
}

/* Counts characters: a continuation byte of UTF-8 takes no column. */
static int print_columns(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += (*text & 0xc0) != 0x80;
    return columns;
}

void out_column(int width, const char *text)
{
    const int blank = abs(width) - print_columns(text);
    if (width < 0)
        out("%s", text);
    if (blank > 0)
        out("%*s", blank, "");
    if (width >= 0)
        out("%s", text);
}
