/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdb.c: filters from RDB files of Redis and Valkey.
 *
 * A file is read to its end even if the filter has been found: the checksum is there, and
 * the key may be in another database too.
 */
#include "rdb.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "scan.h"
#include "text.h"

#include <petal_exchange.h>
#include <petal_host.h>
#include <stdlib.h>
#include <string.h>

#define KEY_SHOWN 200

bool rdb_is_one(const char *path)
{
    char magic[6] = "";
    FILE *file = fopen(path, "rb");
    const size_t len = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file)
        fclose(file);
    return len == sizeof magic &&
           (memcmp(magic, "REDIS0", 6) == 0 || memcmp(magic, "VALKEY", 6) == 0);
}

static void rdb_read_all(const char *path, rdb_found_fn *found, void *context)
{
    struct rdb_input in;
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_system(path);
    rdb_input_file(&in, file);
    if (!rdb_scan(&in, found, context))
        fail("%s: %s", path, in.error);
    rdb_input_free(&in);
    fclose(file);
}

static int rdb_filter(const struct rdb_found *found, petal_filter **filter)
{
    const petal_options options = { .kind = petal_foreign_named("redisbloom") };
    return found->origin == RDB_PETAL
               ? petal_view(found->bytes, found->len, PETAL_COPY, filter)
               : petal_read_foreign(&options, found->bytes, found->len, filter);
}

/* A key as text that is safe to print. */
static char *rdb_key_text(const struct rdb_found *found)
{
    static char text[KEY_SHOWN + 4];
    const size_t len = found->key_len < KEY_SHOWN ? found->key_len : KEY_SHOWN;
    memcpy(text, found->key, len);
    strcpy(text + len, len < found->key_len ? "..." : "");
    for (size_t i = 0; i < len; i++)
        if (!text[i])
            text[i] = '?';
    text_harmless(text);
    return text;
}

/* ---- One filter ---- */

struct wanted_key {
    const char *path, *key;
    petal_filter *filter;
    uint64_t db, others; /* where it is, and how often it is elsewhere */
    uint64_t other_db;
    size_t filters; /* in the file */
};

/* Is it this key, or the same with its database before it? */
static bool rdb_is_wanted(const struct rdb_found *found, const char *key)
{
    char db[32];
    const size_t len =
        (size_t)snprintf(db, sizeof db, "%llu/", (unsigned long long)found->db);
    if (strncmp(key, db, len) == 0 && strlen(key) - len == found->key_len &&
        memcmp(key + len, found->key, found->key_len) == 0)
        return true;
    return strlen(key) == found->key_len && memcmp(key, found->key, found->key_len) == 0;
}

static void rdb_take(void *context, const struct rdb_found *found)
{
    struct wanted_key *w = context;
    w->filters++;
    if (!rdb_is_wanted(found, w->key))
        return;
    if (w->filter) {
        w->others++;
        w->other_db = found->db;
        return;
    }
    const int rc = rdb_filter(found, &w->filter);
    if (rc < 0)
        fail("%s: the filter at %s cannot be read: %s", w->path, rdb_key_text(found),
             petal_strerror(rc));
    w->db = found->db;
}

petal_filter *rdb_import(const char *path, const char *key)
{
    struct wanted_key w = { .path = path, .key = key };
    rdb_read_all(path, rdb_take, &w);
    if (w.others > 0)
        fail("%s: %s is in databases %s and %s; use --key %llu/%s or --key %llu/%s", path,
             key, text_count(w.db), text_count(w.other_db), (unsigned long long)w.db, key,
             (unsigned long long)w.other_db, key);
    if (!w.filter && w.filters == 0)
        fail("%s: has no filters of petal or RedisBloom", path);
    if (!w.filter)
        fail("%s: has no filter at %s; without --key, all %s are listed", path, key,
             text_many(w.filters, "filter"));
    return w.filter;
}

/* ---- All filters ---- */

static void rdb_print_json(const struct rdb_found *found, const petal_filter *filter,
                           int rc)
{
    json_open(NULL, '{');
    json_count("database", found->db);
    json_bytes("key", found->key, found->key_len);
    if (rc < 0)
        json_text("error", petal_strerror(rc));
    else
        filter_json(filter);
    json_close();
}

static void rdb_print(void *context, const struct rdb_found *found)
{
    petal_filter *filter = NULL;
    const int rc = rdb_filter(found, &filter);
    ++*(uint64_t *)context;
    if (json) {
        rdb_print_json(found, filter, rc);
    } else if (rc < 0) {
        out("%llu/%s: %s\n", (unsigned long long)found->db, rdb_key_text(found),
            petal_strerror(rc));
    } else {
        const petal_shape *shape = petal_shape_of(filter);
        out("%llu/%s: %s filter, %s of %s, %s\n", (unsigned long long)found->db,
            rdb_key_text(found), petal_kind_name(shape->kind),
            text_count(petal_size(filter)), text_many(shape->capacity, "key"),
            text_bytes((double)shape->image_bytes));
    }
    petal_free(filter);
}

void rdb_list(const char *path)
{
    uint64_t n = 0;
    rdb_read_all(path, rdb_print, &n);
    if (n == 0)
        remark("%s: has no filters of petal or RedisBloom", path);
}
