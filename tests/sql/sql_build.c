/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sql_build.c: modules/sql/build.c by itself: the state of the aggregates, as an engine
 * sees it.
 *
 * The state that a worker sends to the leader is damaged in every way that a byte can be,
 * and cut at every length: loading gives an error or a state that works.  Every allocation
 * fails once.  The query is cancelled at every point at which that is possible.  Builds
 * that are merged in any way give the same bytes as one build.
 */
#include "sql/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint64_t sql_value_max = 1 << 20;

static unsigned long allocations, fail_at, blocks;

void *sql_memory(void *context, void *old, size_t len)
{
    (void)context;
    if (old) {
        blocks--;
        free(old);
        return NULL;
    }
    if (++allocations == fail_at)
        return NULL;
    void *block = malloc(len);
    if (!block)
        abort();
    blocks++;
    return memset(block, 0xA5, len);
}

#define CANCELLED_KEYS 2500 /* more than CANCEL_KEYS */

static unsigned long cancel_at; /* the call that cancels the query; 0: none does */

/* build.c is compiled with a small CANCEL_KEYS here, so that this is called often. */
bool sql_cancelled(void *host)
{
    unsigned long *calls = host;
    return calls && ++*calls == cancel_at;
}

static unsigned checks;

static void check(bool good, const char *what, const char *options)
{
    checks++;
    if (good)
        return;
    fprintf(stderr, "sql_build: %s (options \"%s\")\n", what, options);
    exit(1);
}

static const char *const all_options[] = {
    "",
    "capacity=300 fpr=0.1%",
    "kind=ribbon fpr=2%",
    "kind=counting",
    "kind=counting insert_only=yes capacity=100",
    "kind=scalable capacity=10",
    "kind=quotient capacity=100 growth=1",
    "kind=quotient insert_only=yes",
    "kind=split",
    "kind=bitmap bits=5000",
    "kind=classic bits=20000 capacity=2000",
    "form=word capacity=1000",
    "form=word",
    "kind=guava capacity=300",
    "kind=libbloom capacity=300 fpr=0.1%",
    "form=ip",
    "form=ip capacity=300",
    "hash=keyed seed=0x1f:0x2e",
};

static bool addresses; /* numbers are added as addresses */

static struct sql_build *begun(const char *options, struct sql_error *error)
{
    struct sql_build *build;
    return sql_build_new(options, strlen(options), 0, &build, error) < 0 ? NULL : build;
}

/* Adds the numbers from `from` to `to`.  Returns false if there is no memory. */
static bool add(struct sql_build *build, unsigned from, unsigned to,
                struct sql_error *error)
{
    for (unsigned i = from; i < to; i++) {
        char key[32];
        const int len = addresses
                            ? snprintf(key, sizeof key, "10.0.%u.%u", i / 256, i % 256)
                            : snprintf(key, sizeof key, "%u", i);
        if (sql_build_add(build, key, (size_t)len, error) < 0)
            return false;
    }
    return true;
}

/* The image of the result, to be freed with free(). */
static void *finished(struct sql_build *build, size_t *len, struct sql_error *error)
{
    petal_filter *filter;
    if (sql_build_finish(build, &filter, error) < 0)
        return NULL;
    const void *bytes = petal_bytes(filter, len);
    void *copy = bytes ? malloc(*len) : NULL;
    if (copy)
        memcpy(copy, bytes, *len);
    petal_free(filter);
    return copy;
}

static void same(struct sql_build *a, struct sql_build *b, const char *what,
                 const char *options)
{
    struct sql_error error;
    size_t a_len = 0, b_len = 0;
    void *of_a = finished(a, &a_len, &error), *of_b = finished(b, &b_len, &error);
    check(of_a && of_b && a_len == b_len && memcmp(of_a, of_b, a_len) == 0, what, options);
    free(of_a);
    free(of_b);
}

/* Sends a state as bytes and gives it back. */
static struct sql_build *sent(struct sql_build *build, const char *options)
{
    struct sql_error error;
    struct sql_build *loaded;
    const size_t len = sql_build_save(build, NULL);
    void *bytes = malloc(len);
    if (!bytes)
        abort();
    check(sql_build_save(build, bytes) == len, "a state is saved", options);
    check(sql_build_load(bytes, len, &loaded, &error) == 0, "a state is loaded", options);
    free(bytes);
    return loaded;
}

static void merged_builds_are_one_build(const char *options)
{
    struct sql_error error;
    struct sql_build *whole = begun(options, &error), *parts = NULL;
    check(whole && add(whole, 0, 4000, &error), "keys are added", options);
    for (unsigned i = 4; i-- > 0;) { /* in another order */
        struct sql_build *part = begun(options, &error);
        check(part && add(part, 1000 * i, 1000 * (i + 1), &error), "keys are added",
              options);
        struct sql_build *other = sent(part, options);
        check(sql_build_merge(&parts, i % 2 ? part : other, &error) == 0, "merged",
              options);
        same(part, other, "a state is the same after it was sent", options);
        sql_build_free(part);
        sql_build_free(other);
    }
    same(whole, parts, "merged builds give the same bytes", options);
    same(whole, parts, "and once more", options);
    sql_build_free(whole);
    sql_build_free(parts);
}

static void damaged_states_are_refused_or_work(const char *options)
{
    struct sql_error error;
    struct sql_build *build = begun(options, &error), *loaded;
    check(build && add(build, 0, 40, &error), "keys are added", options);
    const size_t len = sql_build_save(build, NULL);
    uint8_t *bytes = malloc(len);
    if (!bytes)
        abort();
    sql_build_save(build, bytes);
    for (size_t cut = 0; cut < len; cut++)
        check(sql_build_load(bytes, cut, &loaded, &error) < 0, "cut", options);
    for (size_t at = 0; at < len; at++) {
        const uint8_t bit = (uint8_t)(1 << at % 8);
        bytes[at] ^= bit;
        if (sql_build_load(bytes, len, &loaded, &error) == 0) {
            size_t image_len;
            add(loaded, 0, 10, &error);
            free(finished(loaded, &image_len, &error));
            sql_build_free(loaded);
        }
        bytes[at] ^= bit;
        checks++;
    }
    free(bytes);
    sql_build_free(build);
}

/* Builds, sends, merges and finishes.  Returns false if an allocation failed. */
static bool scenario(const char *options)
{
    struct sql_error error;
    struct sql_build *a = begun(options, &error), *b = begun(options, &error), *c = NULL;
    size_t len = 0;
    void *bytes = NULL;
    bool good = a && b && add(a, 0, 1500, &error) && add(b, 1000, 2500, &error) &&
                sql_build_merge(&a, b, &error) == 0 && sql_build_merge(&c, a, &error) == 0;
    if (good && (len = sql_build_save(c, NULL)) > 0 && (bytes = malloc(len))) {
        struct sql_build *d = NULL;
        good =
            sql_build_save(c, bytes) == len && sql_build_load(bytes, len, &d, &error) == 0;
        free(bytes);
        bytes = good ? finished(d, &len, &error) : NULL;
        sql_build_free(d);
        good = bytes != NULL;
        free(bytes);
    } else {
        good = false;
    }
    sql_build_free(a);
    sql_build_free(b);
    sql_build_free(c);
    return good;
}

static void every_allocation_may_fail(const char *options)
{
    const unsigned long before = blocks;
    for (unsigned long at = 1;; at++) {
        allocations = 0;
        fail_at = at;
        const bool good = scenario(options);
        fail_at = 0;
        check(blocks == before, "all memory is freed", options);
        if (good && allocations < at)
            return;
        check(!good || allocations >= at, "a failure is reported", options);
    }
}

/* Adds numbers, then saves and finishes the state.  What is cancelled, at one of the calls,
 * does not change its keys.  Returns whether anything was. */
static bool cancelled_at(const char *options, unsigned long at, struct sql_build *whole)
{
    struct sql_error error;
    struct sql_build *build = begun(options, &error);
    unsigned long calls = 0;
    petal_filter *filter;
    check(build, "a build is begun", options);
    sql_build_set_host(build, &calls);
    cancel_at = at;
    for (unsigned i = 0; i < CANCELLED_KEYS; i++)
        check(add(build, i, i + 1, &error) || (calls == at && add(build, i, i + 1, &error)),
              "a key is added again after the query was cancelled", options);
    unsigned long before = calls;
    const size_t len = sql_build_save(build, NULL);
    check((len == 0) == (before < at && calls >= at), "a state is saved", options);
    before = calls;
    const int rc = sql_build_finish(build, &filter, &error);
    check(rc == (before < at && calls >= at ? PETAL_E_INTERRUPTED : PETAL_OK),
          "a filter is made", options);
    check((rc == PETAL_OK) == (filter != NULL), "unless the query was cancelled", options);
    petal_free(filter);
    sql_build_set_host(build, NULL);
    same(whole, build, "a cancelled build has all keys", options);
    sql_build_free(build);
    return calls >= at;
}

/* Returns at how many points. */
static unsigned long every_query_may_be_cancelled(const char *options)
{
    struct sql_error error;
    struct sql_build *whole = begun(options, &error);
    check(whole && add(whole, 0, CANCELLED_KEYS, &error), "keys are added", options);
    const unsigned long before = blocks;
    unsigned long at = 1;
    for (; cancelled_at(options, at, whole); at++)
        check(blocks == before, "all memory is freed", options);
    sql_build_free(whole);
    return at - 1;
}

int main(void)
{
    petal_set_allocator(sql_memory, NULL);
    unsigned long points = 0;
    for (size_t i = 0; i < sizeof all_options / sizeof *all_options; i++) {
        addresses = strstr(all_options[i], "form=ip") != NULL;
        merged_builds_are_one_build(all_options[i]);
        damaged_states_are_refused_or_work(all_options[i]);
        every_allocation_may_fail(all_options[i]);
        const unsigned long more = every_query_may_be_cancelled(all_options[i]);
        points = i == 0 ? more : points;
        check(more > points || !strstr(all_options[i], "ribbon"), "sealing takes long too",
              all_options[i]);
    }
    check(blocks == 0, "no memory is left", "");
    printf("%u checks passed\n", checks);
    return 0;
}
