/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pull.c: petal pull: a filter from a Redis server.
 *
 * It comes in parts, the first of which says how long it is; whole, it is checked, and then
 * written in one step.  Where it was changed between two parts, they do not fit together,
 * as its checksums tell: then it is fetched again, all in one reply, for which the server
 * stops everything else.
 */
#include "args.h"
#include "filters.h"
#include "print.h"
#include "progress.h"
#include "server.h"
#include "text.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define HEADER    256
#define LENGTH_AT 16 /* see docs/format.md */
#define TOTAL_MAX ((uint64_t)1 << 41)

static char *pull_output;

static const struct arg pull_args[] = {
    { 'o', "output", "FILE", ARG_TEXT, &pull_output, "where the filter goes", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

static const redisReply *pull_part(struct server *s, size_t at)
{
    const char *offset = text_format("%zu", at), *count = text_format("%zu", SERVER_PART);
    const struct word words[] = { { offset, strlen(offset) }, { count, strlen(count) } };
    return server_query(s, "PETAL.DUMP", words, 2);
}

/* How long the filter is, from the beginning of it; 0 if it is none. */
static uint64_t pull_total(const char *bytes, size_t len)
{
    uint64_t total = 0;
    if (len < HEADER || memcmp(bytes, "\x89PETAL\r\n", 8) != 0)
        return 0;
    for (unsigned i = 8; i-- > 0;)
        total = total << 8 | (unsigned char)bytes[LENGTH_AT + i];
    return total < HEADER || total > TOTAL_MAX ? 0 : total;
}

/* All parts, one behind the other; false where they come to an end too early. */
static bool pull_parts(struct server *s, struct buffer *got)
{
    uint64_t total = 0;
    do {
        const redisReply *reply = pull_part(s, got->len);
        if (!reply) {
            got->len = 0;
            continue;
        }
        const struct word part = server_expect_bytes(s, reply);
        if (got->len == 0) {
            total = pull_total(part.bytes, part.len);
            if (total == 0)
                filter_refuse(server_name(s), PETAL_E_FORMAT);
            progress_start(total);
        }
        if (part.len == 0)
            return false;
        buffer_put(got, part.bytes, part.len);
        progress_add(part.len);
    } while (got->len == 0 || got->len < total);
    return true;
}

/* The same in one reply, which is read where it lies. */
static petal_filter *pull_whole(struct server *s)
{
    const redisReply *reply;
    do
        reply = server_query(s, "PETAL.DUMP", NULL, 0);
    while (!reply);
    const struct word whole = server_expect_bytes(s, reply);
    petal_filter *filter;
    const int rc = petal_view(whole.bytes, whole.len, 0, &filter);
    if (rc < 0)
        filter_refuse(server_name(s), rc);
    return filter;
}

static int pull_run(char **files, size_t n)
{
    args_expect(n, 1, 1);
    if (!pull_output || !*pull_output)
        fail("-o FILE: where the filter goes must be said");
    output_claim_filter(pull_output);
    output_claim(pull_output);
    struct server *server = server_open(files[0]);
    struct buffer got = { 0 };
    petal_filter *filter;
    if (!pull_parts(server, &got) || petal_view(got.bytes, got.len, 0, &filter) < 0)
        filter = pull_whole(server);
    progress_end();
    output_claim(pull_output); /* it may have come meanwhile */
    filter_save(filter, pull_output);
    server_report(server, filter,
                  strcmp(pull_output, "-") == 0 ? "standard output" : pull_output);
    petal_free(filter);
    free(got.bytes);
    server_close(server);
    return STATUS_SOME;
}

const struct command command_pull = {
    .name = "pull",
    .synopsis = "-o FILE [options] redis://HOST/KEY",
    .summary = "a filter from a Redis or Valkey server with petal's module",
    .text =
        "The filter is fetched in parts, checked, and put in place in one step.  Where\n"
        "keys are added to it meanwhile, it is fetched again, in one piece.  What an\n"
        "address may be, petal help push says.\n\n"
        "  petal pull -o bad.petal redis://localhost/bad\n"
        "  petal pull -o - redis://localhost/bad | petal check - visited.txt\n",
    .args = pull_args,
    .run = pull_run,
};
