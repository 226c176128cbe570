/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verify.c: petal verify: check filters for damage.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "text.h"

static const struct arg verify_args[] = { ARGS_JSON, ARGS_END };

/* Finds where the damage starts, if the header is intact. */
static bool verify_where(const char *path, uint64_t *damaged)
{
    petal_filter *filter;
    if (petal_open(path, PETAL_TRUST, &filter) < 0)
        return false;
    const bool found = petal_verify(filter, damaged) == PETAL_E_CORRUPT;
    petal_free(filter);
    return found;
}

static void verify_report(const char *path, int rc)
{
    uint64_t damaged;
    const bool where = rc == PETAL_E_CORRUPT && verify_where(path, &damaged);
    if (quiet && !json && rc == PETAL_OK)
        return;
    if (json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_flag("ok", rc == PETAL_OK);
        if (rc < 0)
            json_text("error", petal_strerror(rc));
        if (where)
            json_count("damaged_from", damaged);
        json_close();
    } else if (where) {
        out("%s: %s (in the section that starts at byte %s)\n", path, petal_strerror(rc),
            text_count(damaged));
    } else {
        out("%s: %s\n", path, rc == PETAL_OK ? "OK" : petal_strerror(rc));
    }
}

static int verify_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    int status = STATUS_SOME;
    for (size_t i = 0; i < n; i++) {
        petal_filter *filter;
        const int rc = filter_try(files[i], 0, &filter);
        if (rc <= PETAL_E_OPEN || rc == PETAL_E_MEMORY)
            filter_refuse(files[i], rc);
        verify_report(files[i], rc);
        if (rc < 0)
            status = STATUS_NONE;
        petal_free(filter);
    }
    return status;
}

const struct command command_verify = {
    .name = "verify",
    .synopsis = "FILTER...",
    .summary = "Check filters for damage",
    .text =
        "Compares every byte with the checksums in the file.  The exit status is 1 if any\n"
        "file is damaged, truncated, or not a filter.  With --quiet, prints only those.\n\n"
        "  petal verify *.petal\n",
    .args = verify_args,
    .run = verify_run,
};
