/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.c: the table-valued functions petal_kinds() and petal_probes(filter, key).
 *
 *     SELECT kind, summary FROM petal_kinds();
 *     SELECT lookup, part, cell FROM petal_probes(petal('x.petal'), 'rose');
 *
 * A cursor computes all of its rows when it starts: there are a dozen kinds, and a lookup
 * has a bounded number of probes.
 */
#include "petal_explain.h"
#include "values.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- What both tables have in common ---- */

struct row {
    petal_kind kind;              /* petal_kinds() */
    size_t lookup_at, lookup_len; /* petal_probes(): in `texts` */
    uint64_t hash, cell;
    uint32_t part;
    bool found;
};

struct cursor {
    sqlite3_vtab_cursor base; /* must be first */
    struct row *rows;
    char *texts;
    size_t n, at, texts_len;
};

static int table_open(sqlite3_vtab *table, sqlite3_vtab_cursor **opened)
{
    (void)table;
    struct cursor *cursor = sqlite3_malloc64(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    memset(cursor, 0, sizeof *cursor);
    *opened = &cursor->base;
    return SQLITE_OK;
}

static void cursor_clear(struct cursor *cursor)
{
    sqlite3_free(cursor->rows);
    sqlite3_free(cursor->texts);
    cursor->rows = NULL;
    cursor->texts = NULL;
    cursor->n = cursor->at = cursor->texts_len = 0;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    cursor_clear((struct cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)base;
    return cursor->at >= cursor->n;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((struct cursor *)base)->at;
    return SQLITE_OK;
}

/* Room for more rows at the end, or NULL. */
static struct row *cursor_more(struct cursor *cursor, size_t more)
{
    struct row *rows = sqlite3_realloc64(cursor->rows, (cursor->n + more) * sizeof *rows);
    if (!rows)
        return NULL;
    cursor->rows = rows;
    memset(rows + cursor->n, 0, more * sizeof *rows);
    cursor->n += more;
    return rows + cursor->n - more;
}

static int table_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int table_connect(sqlite3 *db, sqlite3_vtab **table, const char *columns)
{
    int rc = sqlite3_declare_vtab(db, columns);
    if (rc == SQLITE_OK)
        rc = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (rc != SQLITE_OK)
        return rc;
    *table = sqlite3_malloc64(sizeof **table);
    if (!*table)
        return SQLITE_NOMEM;
    memset(*table, 0, sizeof **table);
    return SQLITE_OK;
}

/* ---- petal_kinds() ---- */

static int kinds_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **table, char **message)
{
    (void)aux, (void)argc, (void)argv, (void)message;
    return table_connect(db, table, "CREATE TABLE x(kind, summary, abilities)");
}

static int kinds_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 10;
    info->estimatedRows = 10;
    return SQLITE_OK;
}

static int kinds_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc,
                        sqlite3_value **argv)
{
    (void)number, (void)name, (void)argc, (void)argv;
    struct cursor *cursor = (struct cursor *)base;
    cursor_clear(cursor);
    for (petal_kind kind = petal_kind_next(PETAL_DEFAULT); kind;
         kind = petal_kind_next(kind)) {
        struct row *row = cursor_more(cursor, 1);
        if (!row)
            return SQLITE_NOMEM;
        row->kind = kind;
    }
    return SQLITE_OK;
}

static void kinds_abilities(sqlite3_context *context, petal_kind kind)
{
    char text[320];
    size_t len = 0;
    const unsigned abilities = petal_abilities(kind);
    for (unsigned a = petal_ability_next(0); a; a = petal_ability_next(a)) {
        const char *name = petal_ability_name(a);
        if (!(abilities & a) || len + strlen(name) + 2 > sizeof text)
            continue;
        if (len)
            text[len++] = ' ';
        memcpy(text + len, name, strlen(name));
        len += strlen(name);
    }
    sqlite3_result_text64(context, text, len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int kinds_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const petal_kind kind = cursor->rows[cursor->at].kind;
    if (column == 0)
        sqlite3_result_text(context, petal_kind_name(kind), -1, SQLITE_STATIC);
    else if (column == 1)
        sqlite3_result_text(context, petal_kind_words_of(kind)->summary, -1, SQLITE_STATIC);
    else
        kinds_abilities(context, kind);
    return SQLITE_OK;
}

/* ---- petal_probes(filter, key) ---- */

enum { PROBES_LOOKUP, PROBES_HASH, PROBES_PART, PROBES_CELL, PROBES_FOUND, PROBES_FILTER };

static int probes_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **table, char **message)
{
    (void)aux, (void)argc, (void)argv, (void)message;
    return table_connect(db, table,
                         "CREATE TABLE x(lookup, hash, part, cell, found, filter HIDDEN, "
                         "key HIDDEN)");
}

/* Both hidden columns are arguments and must be there. */
static int probes_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int given = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const int argument = info->aConstraint[i].iColumn - PROBES_FILTER;
        if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = argument + 1;
        info->aConstraintUsage[i].omit = 1;
        given |= 1 << argument;
    }
    if (given != 3) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg = sqlite3_mprintf("petal_probes() needs a filter and a key");
        return SQLITE_ERROR;
    }
    info->estimatedCost = 10;
    info->estimatedRows = 10;
    return SQLITE_OK;
}

struct probing {
    struct cursor *cursor;
    const petal_filter *filter;
    bool failed;
};

/* Does the kind take keys, but no hashes? */
static bool probing_by_key(const petal_filter *filter)
{
    return petal_abilities(petal_shape_of(filter)->kind) & PETAL_NEEDS_KEYS;
}

static size_t probing_cells(const petal_filter *filter, const char *text, size_t len,
                            uint64_t hash, uint64_t *cells, uint32_t *parts, size_t max)
{
    return probing_by_key(filter) ? petal_probes_of(filter, text, len, cells, parts, max)
                                  : petal_probes(filter, hash, cells, parts, max);
}

static void probing_add(void *context, const char *text, size_t len, uint64_t hash)
{
    struct probing *probing = context;
    struct cursor *cursor = probing->cursor;
    const size_t n = probing_cells(probing->filter, text, len, hash, NULL, NULL, 0);
    uint64_t *cells = sqlite3_malloc64((n + 1) * sizeof *cells);
    uint32_t *parts = sqlite3_malloc64((n + 1) * sizeof *parts);
    char *texts = sqlite3_realloc64(cursor->texts, cursor->texts_len + len + 1);
    if (texts)
        cursor->texts = texts;
    struct row *rows = cells && parts && texts ? cursor_more(cursor, n) : NULL;
    if (rows) {
        probing_cells(probing->filter, text, len, hash, cells, parts, n);
        const bool found = probing_by_key(probing->filter)
                               ? petal_contains(probing->filter, text, len)
                               : petal_contains_hash(probing->filter, hash);
        memcpy(texts + cursor->texts_len, text, len);
        for (size_t i = 0; i < n; i++)
            rows[i] = (struct row){
                .lookup_at = cursor->texts_len,
                .lookup_len = len,
                .hash = hash,
                .cell = cells[i],
                .part = parts[i],
                .found = found,
            };
        cursor->texts_len += len;
    } else {
        probing->failed = n > 0;
    }
    sqlite3_free(cells);
    sqlite3_free(parts);
}

static int probes_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc,
                         sqlite3_value **argv)
{
    (void)number, (void)name, (void)argc;
    struct cursor *cursor = (struct cursor *)base;
    cursor_clear(cursor);
    struct sql_error error;
    struct key key;
    struct filter filter = { NULL, NULL };
    enum value_result result = key_of(argv[1], &key, &error);
    if (result == VALUE_FINE)
        result = filter_of(argv[0], &filter, &error);
    if (result == VALUE_FINE) {
        struct probing probing = { cursor, filter.is, false };
        petal_each_lookup(filter.is, key.data, key.len, probing_add, &probing);
        result = probing.failed ? VALUE_NO_MEMORY : VALUE_FINE;
    }
    petal_free(filter.parsed);
    if (result == VALUE_BAD) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqlite3_mprintf("%s", error.text);
        return SQLITE_ERROR;
    }
    return result == VALUE_NO_MEMORY ? SQLITE_NOMEM : SQLITE_OK;
}

static int probes_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const struct row *row = &cursor->rows[cursor->at];
    switch (column) {
    case PROBES_LOOKUP:
        sqlite3_result_text64(context, cursor->texts + row->lookup_at, row->lookup_len,
                              SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case PROBES_HASH: sqlite3_result_int64(context, (sqlite3_int64)row->hash); break;
    case PROBES_PART: sqlite3_result_int64(context, row->part); break;
    case PROBES_CELL: sqlite3_result_int64(context, (sqlite3_int64)row->cell); break;
    case PROBES_FOUND: sqlite3_result_int(context, row->found); break;
    default: break; /* the arguments are not repeated */
    }
    return SQLITE_OK;
}

/* ---- The list ---- */

#define TABLE(name)                                                                   \
    {                                                                                 \
        .xConnect = name##_connect, .xBestIndex = name##_best_index,                  \
        .xDisconnect = table_disconnect, .xOpen = table_open, .xClose = cursor_close, \
        .xFilter = name##_filter, .xNext = cursor_next, .xEof = cursor_eof,           \
        .xColumn = name##_column, .xRowid = cursor_rowid,                             \
    }

int tables_register(sqlite3 *db)
{
    static const sqlite3_module kinds = TABLE(kinds), probes = TABLE(probes);
    const int rc = sqlite3_create_module_v2(db, "petal_kinds", &kinds, NULL, NULL);
    return rc == SQLITE_OK
               ? sqlite3_create_module_v2(db, "petal_probes", &probes, NULL, NULL)
               : rc;
}
