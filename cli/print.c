/*
 * print.c: everything the command says.
 *
 * Data goes to standard output through one buffer, remarks to standard error.  When
 * whoever reads the output has gone, the program ends as if the system had ended it,
 * quietly; but what must be kept is kept first.
 */
#define _POSIX_C_SOURCE 200809L
#include "print.h"

#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
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

void fail(const char *format, ...)
{
    static bool failing; /* another thread may fail as well: once is enough */
    while (__atomic_exchange_n(&failing, true, __ATOMIC_RELAXED))
        pause();
    va_list values;
    va_start(values, format);
    out_rescue();
    print_sentence(format, values);
    va_end(values);
    exit(STATUS_ERROR);
}

void fail_system(const char *what)
{
    const int why = errno;
    fail("%s: %s", what, strerror(why));
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

void complain(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_sentence(format, values);
    va_end(values);
}

/* ---- Standard output ---- */

static char out_buffer[1 << 16];
static size_t out_len;
static void (*out_last)(void);

void out_on_closed(void (*last)(void))
{
    out_last = last;
}

static _Noreturn void out_failed(void)
{
    const int why = errno;
    out_len = 0; /* nobody wants it */
    if (out_last) {
        void (*last)(void) = out_last;
        out_last = NULL;
        last();
    }
    errno = why;
    if (why != EPIPE)
        fail_system("standard output");
    sigset_t pipe; /* a worker has it blocked */
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
        bytes += wrote;
        len -= (size_t)wrote;
    }
}

/* What was said before an error, as far as anybody takes it. */
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

/* Characters, not bytes: a byte that goes on with one takes no column. */
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

/* ---- Numbers as people read them ---- */

static char *text_next(void)
{
    static char texts[16][64];
    static unsigned next;
    return texts[next++ % 16];
}

const char *text_format(const char *format, ...)
{
    char *text = text_next();
    va_list values;
    va_start(values, format);
    vsnprintf(text, 64, format, values);
    va_end(values);
    return text;
}

const char *text_count(uint64_t n)
{
    char *text = text_next(), digits[24];
    const int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = text;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

const char *text_many(uint64_t n, const char *what)
{
    return text_format("%s %s%s", text_count(n), what, n == 1 ? "" : "s");
}

const char *text_about(double n)
{
    if (n >= 0.0005 && n < 100 && n != floor(n))
        return text_format("%.3g", n);
    return n >= 0 && n < 1e18 ? text_count((uint64_t)(n + 0.5)) : text_format("%.3g", n);
}

const char *text_bytes(double bytes)
{
    static const char units[][3] = { "B", "kB", "MB", "GB", "TB" };
    unsigned unit = 0;
    while (unit < 4 && bytes >= 999.5) {
        bytes /= 1000;
        unit++;
    }
    return text_format(unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
}

const char *text_rate(double rate)
{
    if (rate >= 0.9995e-4 || rate == 0)
        return text_format("%.3g%%", rate * 100);
    char digits[24]; /* 0.00819%, never 8.19e-03% */
    snprintf(digits, sizeof digits, "%.2e", rate * 100);
    const int places = 2 - atoi(strchr(digits, 'e') + 1);
    return rate >= 0.9995e-6 ? text_format("%.*f%%", places, rate * 100)
                             : text_format("%.2e", rate);
}

const char *text_seconds(double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" } };
    for (unsigned i = 0; i < 3; i++)
        if (seconds >= units[i].unit)
            return text_format(seconds >= 1000 ? "%.0f %s" : "%.3g %s",
                               seconds / units[i].unit, units[i].name);
    return text_format("%.3g ns", seconds / 1e-9);
}

/* ---- JSON ---- */

static char json_stack[16];
static unsigned json_depth;
static bool json_first = true;

static void json_begin(const char *name)
{
    if (!json_first)
        out_bytes(", ", 2);
    json_first = false;
    if (name)
        out("\"%s\": ", name);
}

void json_open(const char *name, char bracket)
{
    json_begin(name);
    out_bytes(&bracket, 1);
    json_stack[json_depth++] = bracket == '{' ? '}' : ']';
    json_first = true;
}

void json_close(void)
{
    out_bytes(&json_stack[--json_depth], 1);
    json_first = false;
    if (json_depth == 0) {
        out_bytes("\n", 1);
        json_first = true;
    }
}

/* How many bytes of well-formed UTF-8 are here: one character, or 0. */
static size_t json_character(const unsigned char *p, size_t len)
{
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;
    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    const bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
                     (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f);
    return bad ? 0 : n;
}

void json_bytes(const char *name, const void *bytes, size_t len)
{
    json_begin(name);
    out_bytes("\"", 1);
    const unsigned char *p = bytes;
    for (size_t i = 0, n; i < len; i += n ? n : 1) {
        n = json_character(p + i, len - i);
        if (n == 0)
            out("\\ufffd"); /* no text: JSON has no other way */
        else if (n == 1 && (p[i] < ' ' || p[i] == '"' || p[i] == '\\' || p[i] == 127))
            out("\\u%04x", p[i]);
        else
            out_bytes(p + i, n);
    }
    out_bytes("\"", 1);
}

void json_text(const char *name, const char *text)
{
    json_bytes(name, text, strlen(text));
}

void json_count(const char *name, uint64_t n)
{
    json_begin(name);
    out("%" PRIu64, n);
}

void json_real(const char *name, double value)
{
    json_begin(name);
    if (isfinite(value))
        out("%.9g", value);
    else
        out("null");
}

void json_flag(const char *name, bool flag)
{
    json_raw(name, flag ? "true" : "false");
}

void json_raw(const char *name, const char *json)
{
    json_begin(name);
    out_bytes(json, strlen(json));
}

void json_members(const char *object)
{
    json_begin(NULL);
    out_bytes(object + 1, strlen(object) - 2);
}
