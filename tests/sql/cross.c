/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cross.c: builds and uses filters with the C library, for test_cross.py.
 *
 *     cross build OPTIONS FILTER < KEYS
 *     cross ask FILTER < KEYS          prints the lines that are found
 *
 * Keys are lines, which may contain any bytes.
 */
#include "petal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int fail(const char *what, int rc)
{
    fprintf(stderr, "cross: %s: %s\n", what, petal_strerror(rc));
    return 1;
}

int main(int argc, char **argv)
{
    petal_filter *filter = NULL;
    petal_options options = { 0 };
    const bool build = argc == 4 && strcmp(argv[1], "build") == 0;
    if (!build && !(argc == 3 && strcmp(argv[1], "ask") == 0))
        return fail("usage", PETAL_E_OPTION);
    int rc =
        build ? petal_parse_options(argv[2], &options) : petal_open(argv[2], 0, &filter);
    if (rc == PETAL_OK && build)
        rc = petal_new(&options, &filter);
    if (rc < 0)
        return fail(argv[2], rc);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
        const size_t n = (size_t)len - (line[len - 1] == '\n');
        if (build && (rc = petal_add(filter, line, n)) < 0)
            return fail("add", rc);
        if (!build && petal_contains(filter, line, n))
            fwrite(line, 1, (size_t)len, stdout);
    }
    free(line);
    rc = build ? petal_save(filter, argv[3]) : PETAL_OK;
    petal_free(filter);
    return rc < 0 ? fail("save", rc) : 0;
}
