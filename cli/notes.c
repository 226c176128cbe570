/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * notes.c: the notes that the command writes into filters: label, source and created.
 *
 * A filter gets notes only if the user asks for them, so that the same keys and options
 * give the same file.  With notes, the time is noted too.  SOURCE_DATE_EPOCH replaces it
 * for builds that must be reproducible.
 */
#include "notes.h"

#include "args.h"
#include "print.h"
#include "text.h"

#include <errno.h>
#include <petal_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROOM     4096         /* bytes of all notes of a filter */
#define GIVEN    4000         /* bytes of those that are given as options */
#define TIME_MAX 253402300799 /* the last second of the year 9999 */

static const struct {
    const char *name;
    const char **given;
} notes_rows[] = { { "label", &noted.label }, { "source", &noted.source } };

enum { ROWS = sizeof notes_rows / sizeof *notes_rows };

/* ---- The time ---- */

static char notes_created[32];

static time_t notes_now(void)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    if (!text)
        return time(NULL);
    char *end;
    errno = 0;
    const unsigned long long seconds = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || seconds > TIME_MAX ||
        (unsigned long long)(time_t)seconds != seconds)
        fail("SOURCE_DATE_EPOCH: '%s' is not a time in seconds since 1970", text);
    return (time_t)seconds;
}

static void notes_set_time(void)
{
    const time_t now = notes_now();
    const struct tm *utc = gmtime(&now);
    if (!utc ||
        strftime(notes_created, sizeof notes_created, "%Y-%m-%dT%H:%M:%SZ", utc) == 0)
        fail("the time is not known");
}

/* ---- New filters ---- */

static bool notes_given(void)
{
    for (int i = 0; i < ROWS; i++)
        if (*notes_rows[i].given && **notes_rows[i].given)
            return true;
    return false;
}

static void notes_set(petal_filter *filter, const char *name, const char *text)
{
    const int rc = petal_set_note(filter, name, text);
    if (rc < 0)
        fail("cannot store the note '%s': %s", name, petal_strerror(rc));
}

void notes_put(petal_filter *filter)
{
    if (!notes_given())
        return;
    notes_set(filter, "created", notes_created);
    for (int i = 0; i < ROWS; i++)
        if (*notes_rows[i].given)
            notes_set(filter, notes_rows[i].name, *notes_rows[i].given);
}

void notes_check(void)
{
    if (!notes_given())
        return;
    petal_filter *filter;
    size_t len = 0;
    notes_set_time();
    if (petal_new(&(petal_options){ .capacity = 1 }, &filter) < 0)
        fail_memory();
    for (int i = 0; i < ROWS; i++) {
        const char *name = notes_rows[i].name, *text = *notes_rows[i].given;
        len += text ? strlen(text) : 0;
        if (len > GIVEN)
            fail("--%s: too long; --label and --source have room for %s bytes", name,
                 text_count(GIVEN));
        if (petal_set_note(filter, name, text) == PETAL_E_OPTION)
            fail("--%s: must be one line of UTF-8 text without control characters", name);
    }
    petal_free(filter);
}

/* ---- Merged filters ---- */

/* The distinct texts of each note, each with a final 0. */
static struct gathered {
    char texts[ROOM];
    size_t len; /* above ROOM: they do not fit */
} notes_gathered[ROWS];

static void gathered_add(struct gathered *g, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (g->len > ROOM)
        return;
    for (size_t at = 0; at < g->len; at += strlen(g->texts + at) + 1)
        if (strcmp(g->texts + at, text) == 0)
            return;
    if (size <= ROOM - g->len)
        memcpy(g->texts + g->len, text, size);
    g->len = size <= ROOM - g->len ? g->len + size : ROOM + 1;
}

void notes_gather(const petal_filter *filter)
{
    char text[ROOM];
    for (int i = 0; i < ROWS; i++)
        if (petal_note(filter, notes_rows[i].name, text, sizeof text) > 0)
            gathered_add(&notes_gathered[i], text);
}

static void gathered_put(const struct gathered *g, const char *name, petal_filter *merged)
{
    char joined[2 * ROOM] = ""; /* a text is at least as long as the comma after it */
    size_t len = 0;
    for (size_t at = 0; at < g->len && g->len <= ROOM; at += strlen(g->texts + at) + 1)
        len += (size_t)sprintf(joined + len, "%s%s", at ? ", " : "", g->texts + at);
    const int rc = g->len > ROOM ? PETAL_E_OPTION : petal_set_note(merged, name, joined);
    if (rc == PETAL_E_OPTION)
        fail("the %ss of these filters are too long to be joined; give one with --%s", name,
             name);
    if (rc < 0)
        fail_memory();
}

void notes_put_gathered(petal_filter *merged)
{
    bool any = notes_given() || petal_note_next(merged, NULL);
    for (int i = 0; i < ROWS; i++)
        any |= notes_gathered[i].len > 0;
    if (!any)
        return;
    for (int i = 0; i < ROWS; i++)
        notes_set(merged, notes_rows[i].name, NULL); /* those of the first filter */
    notes_set_time();
    notes_set(merged, "created", notes_created);
    for (int i = 0; i < ROWS; i++) {
        if (*notes_rows[i].given)
            notes_set(merged, notes_rows[i].name, *notes_rows[i].given);
        else
            gathered_put(&notes_gathered[i], notes_rows[i].name, merged);
    }
}

/* ---- Showing them ---- */

void notes_print(const petal_filter *filter)
{
    char text[ROOM];
    for (const char *name = NULL; (name = petal_note_next(filter, name));) {
        petal_note(filter, name, text, sizeof text);
        out("  %-9s  %s\n", name, text);
    }
}
