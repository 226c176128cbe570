/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.c: show progress on a terminal.
 *
 * One line on standard error has the bytes, the speed and the time left.  It appears after
 * one second and is redrawn ten times per second.  There is no progress line if standard
 * error is not a terminal, or with --quiet.
 */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "print.h"
#include "text.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 24

static uint64_t progress_total, progress_done;
static double progress_began, progress_drawn;
static bool progress_on;

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(uint64_t total)
{
    progress_on = !quiet && isatty(STDERR_FILENO);
    progress_total = total;
    progress_done = 0;
    progress_began = progress_on ? seconds_now() : 0;
    progress_drawn = 0;
}

static void progress_bar(double part)
{
    char bar[3 * WIDTH + 1], *to = bar;
    for (int i = 0; i < WIDTH; i++)
        to += snprintf(to, 4, "%s", i < part * WIDTH ? "█" : "░");
    fprintf(stderr, "%s %3.0f%%  ", bar, part * 100);
}

static void progress_draw(double now)
{
    const double rate = (double)progress_done / (now - progress_began);
    fprintf(stderr, "\r\033[K");
    if (progress_total) {
        double part = (double)progress_done / (double)progress_total;
        part = part < 1 ? part : 1;
        progress_bar(part);
        fprintf(stderr, "%s/s  %s left", text_bytes(rate),
                text_seconds((double)progress_total * (1 - part) / rate));
    } else {
        fprintf(stderr, "%s  %s/s", text_bytes((double)progress_done), text_bytes(rate));
    }
    fflush(stderr);
    progress_drawn = now;
}

void progress_add(uint64_t bytes)
{
    if (!progress_on)
        return;
    progress_done += bytes;
    const double now = seconds_now();
    if (now - progress_began > 1 && now - progress_drawn > 0.1)
        progress_draw(now);
}

void progress_wipe(void)
{
    if (progress_on && progress_drawn > 0)
        fprintf(stderr, "\r\033[K");
}

void progress_end(void)
{
    progress_wipe();
    progress_on = false;
}
