/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c: the filters that petal_load() has loaded into a database.
 *
 * They are a sorted array of names.  Lookups hold a read lock for one batch of rows, and
 * petal_load() takes the write lock only to swap a pointer.
 */
#include "values.h"

#include <pthread.h>
#include <string.h>

struct entry {
    char *name;
    size_t name_len;
    petal_filter *filter;
};

struct names {
    pthread_rwlock_t lock;
    unsigned users; /* functions that have a pointer to this; atomic */
    struct entry *entries;
    size_t n, room;
};

struct names *names_new(void)
{
    struct names *names = sql_memory(NULL, NULL, sizeof *names);
    if (!names)
        return NULL;
    memset(names, 0, sizeof *names);
    pthread_rwlock_init(&names->lock, NULL);
    names->users = 1;
    return names;
}

void names_share(struct names *names)
{
    __atomic_add_fetch(&names->users, 1, __ATOMIC_RELAXED);
}

static void entry_free(struct entry *entry)
{
    petal_free(entry->filter);
    sql_memory(NULL, entry->name, 0);
}

void names_release(void *of)
{
    struct names *names = of;
    if (!names || __atomic_sub_fetch(&names->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < names->n; i++)
        entry_free(&names->entries[i]);
    if (names->entries)
        sql_memory(NULL, names->entries, 0);
    pthread_rwlock_destroy(&names->lock);
    sql_memory(NULL, names, 0);
}

/* Where the name is or should be. */
static size_t names_place(const struct names *names, petal_key name, bool *there)
{
    size_t at = 0;
    *there = false;
    for (; at < names->n; at++) {
        const struct entry *entry = &names->entries[at];
        const size_t len = entry->name_len < name.len ? entry->name_len : name.len;
        int order = memcmp(entry->name, name.data, len);
        if (order == 0)
            order = entry->name_len < name.len ? -1 : entry->name_len > name.len;
        *there = order == 0;
        if (order >= 0)
            break;
    }
    return at;
}

/* Makes room for one more entry. */
static int names_grow(struct names *names)
{
    if (names->n < names->room)
        return PETAL_OK;
    const size_t room = names->room ? 2 * names->room : 8;
    struct entry *entries = sql_memory(NULL, NULL, room * sizeof *entries);
    if (!entries)
        return PETAL_E_MEMORY;
    if (names->n)
        memcpy(entries, names->entries, names->n * sizeof *entries);
    if (names->entries)
        sql_memory(NULL, names->entries, 0);
    names->entries = entries;
    names->room = room;
    return PETAL_OK;
}

int names_load(struct names *names, petal_key name, petal_filter *filter)
{
    char *copy = sql_memory(NULL, NULL, name.len + 1);
    if (!copy)
        return PETAL_E_MEMORY;
    memcpy(copy, name.data, name.len);
    struct entry old = { copy, name.len, filter };
    pthread_rwlock_wrlock(&names->lock);
    bool there;
    const size_t at = names_place(names, name, &there);
    const int rc = there ? PETAL_OK : names_grow(names);
    if (rc == PETAL_OK && there) {
        const struct entry found = names->entries[at];
        names->entries[at] = old;
        old = found;
    } else if (rc == PETAL_OK) {
        memmove(names->entries + at + 1, names->entries + at,
                (names->n - at) * sizeof *names->entries);
        names->entries[at] = old;
        names->n++;
    }
    pthread_rwlock_unlock(&names->lock);
    if (rc < 0)
        sql_memory(NULL, copy, 0); /* the filter is still the caller's */
    else if (there)
        entry_free(&old);
    return rc;
}

bool names_unload(struct names *names, petal_key name)
{
    struct entry old = { NULL, 0, NULL };
    pthread_rwlock_wrlock(&names->lock);
    bool there;
    const size_t at = names_place(names, name, &there);
    if (there) {
        old = names->entries[at];
        names->n--;
        memmove(names->entries + at, names->entries + at + 1,
                (names->n - at) * sizeof *names->entries);
    }
    pthread_rwlock_unlock(&names->lock);
    if (there)
        entry_free(&old);
    return there;
}

void names_lock(struct names *names)
{
    pthread_rwlock_rdlock(&names->lock);
}

void names_unlock(struct names *names)
{
    pthread_rwlock_unlock(&names->lock);
}

const petal_filter *names_find(struct names *names, petal_key name)
{
    bool there;
    const size_t at = names_place(names, name, &there);
    return there ? names->entries[at].filter : NULL;
}

const petal_filter *names_at(struct names *names, size_t i, petal_key *name)
{
    if (i >= names->n)
        return NULL;
    *name = (petal_key){ names->entries[i].name, names->entries[i].name_len };
    return names->entries[i].filter;
}
