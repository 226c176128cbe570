/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pull.c: petal pull: download a filter from a Redis server.
 *
 * The filter is fetched in chunks; the first has its length.  The complete filter is
 * checked and then written in one step.  If the filter changes between two chunks, its
 * checksums do not match.  Then it is fetched again in one reply, which blocks the server
 * for that time.
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
    { 'o', "output", "FILE", ARG_TEXT, &pull_output,
      "write the filter to FILE (required; - is standard output)", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

static const redisReply *pull_chunk(struct server *s, size_t at)
{
    const char *offset = text_format("%zu", at), *count = text_format("%zu", SERVER_CHUNK);
    const struct word words[] = { { offset, strlen(offset) }, { count, strlen(count) } };
    return server_query(s, "PETAL.DUMP", words, 2);
}

/* The length of the filter, from its header; 0 if it is not a filter. */
static uint64_t pull_total(const char *bytes, size_t len)
{
    uint64_t total = 0;
    if (len < HEADER || memcmp(bytes, "\x89PETAL\r\n", 8) != 0)
        return 0;
    for (unsigned i = 8; i-- > 0;)
        total = total << 8 | (unsigned char)bytes[LENGTH_AT + i];
    return total < HEADER || total > TOTAL_MAX ? 0 : total;
}

/* Fetches all chunks.  Returns false if the filter ends too early. */
static bool pull_chunks(struct server *s, struct buffer *got)
{
    uint64_t total = 0;
    do {
        const redisReply *reply = pull_chunk(s, got->len);
        if (!reply) {
            got->len = 0;
            continue;
        }
        const struct word chunk = server_expect_bytes(s, reply);
        if (got->len == 0) {
            total = pull_total(chunk.bytes, chunk.len);
            if (total == 0)
                filter_refuse(server_name(s), PETAL_E_FORMAT);
            progress_start(total);
        }
        if (chunk.len == 0)
            return false;
        buffer_put(got, chunk.bytes, chunk.len);
        progress_add(chunk.len);
    } while (got->len == 0 || got->len < total);
    return true;
}

/* The same in one reply, which is used in place. */
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
        fail("-o FILE is required");
    output_claim_filter(pull_output);
    output_claim(pull_output);
    struct server *server = server_open(files[0]);
    struct buffer got = { 0 };
    petal_filter *filter;
    if (!pull_chunks(server, &got) || petal_view(got.bytes, got.len, 0, &filter) < 0)
        filter = pull_whole(server);
    progress_end();
    output_claim(pull_output); /* it may have been created meanwhile */
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
    .summary = "Download a filter from a Redis or Valkey server with petal's module",
    .text = "Fetches the filter in chunks, checks it, and writes it in one step.  If the "
            "filter\n"
            "changes meanwhile, it is fetched again in one piece.  See petal help push for "
            "the\n"
            "format of the address.\n\n"
            "  petal pull -o bad.petal redis://localhost/bad\n"
            "  petal pull -o - redis://localhost/bad | petal check - visited.txt\n",
    .args = pull_args,
    .run = pull_run,
};
