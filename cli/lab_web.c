/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_web.c: petal lab --web: write the lab, a page for browsers, and open it.
 *
 * The page is one file, which `make lab` builds and `make install` installs.  It is found
 * from where the command is: in share/petal of the same prefix, or in the build folder.
 * PETAL_LAB names another one.
 */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef _WIN32
#include <spawn.h>
#endif

#define WEB_FILE     "petal-lab.html"
#define WEB_PAGE_MAX ((size_t)64 << 20)

struct page {
    char *text;
    size_t len;
};

/* Reads a file of reasonable size.  False if there is none. */
static bool page_read(const char *path, struct page *page)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    if (!file)
        return false;
    const bool fits = fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
                      (uint64_t)st.st_size <= WEB_PAGE_MAX;
    page->len = fits ? (size_t)st.st_size : 0;
    page->text = malloc(page->len + 1);
    if (!page->text)
        fail_memory();
    const bool read = fits && fread(page->text, 1, page->len, file) == page->len;
    fclose(file);
    if (!read)
        free(page->text);
    return read;
}

/* The page that belongs to this command. */
static bool page_find(struct page *page)
{
    static const char *const places[] = { "../share/petal/lab.html",
                                          "../../lab/" WEB_FILE };
    const char *given = getenv("PETAL_LAB");
    if (given && *given)
        return page_read(given, page);
#ifndef _WIN32
    char folder[4096];
    const ssize_t len = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (len <= 0)
        return false;
    folder[len] = 0;
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (page_read(text_format("%s/%s", folder, places[i]), page))
            return true;
#else
    (void)places;
#endif
    return false;
}

/* Writes the page, unless the file has it already. */
static void web_write(const char *path, const struct page *page)
{
    struct page old;
    if (page_read(path, &old)) {
        const bool same = old.len == page->len && !memcmp(old.text, page->text, page->len);
        free(old.text);
        if (same)
            return;
    }
    output_claim(path);
    output_text(path, page->text, page->len);
}

/* Opens a browser if someone sits at a screen.  Returns whether it was started. */
static bool web_open(const char *path)
{
#ifndef _WIN32
    extern char **environ;
    const bool screen = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    char *argv[] = { "xdg-open", (char *)(uintptr_t)path, NULL };
    pid_t pid;
    return screen && isatty(STDOUT_FILENO) &&
           posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) == 0;
#else
    (void)path;
    return false;
#endif
}

void lab_web(const char *output)
{
    const char *path = output ? output : WEB_FILE;
    struct page page;
    if (!page_find(&page))
        fail("--web: this petal was built without the page; run make lab in its source "
             "folder, then try again, or make install");
    web_write(path, &page);
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_count("bytes", page.len);
        json_close();
    } else if (strcmp(path, "-") != 0) {
        remark(web_open(path) ? "%s: opened in your browser"
                              : "%s: open this page in a browser; it needs no server",
               path);
    }
    free(page.text);
}
