/* SPDX-License-Identifier: BSD-2-Clause */
/* sets.h: exact sets, as in a textbook, to compare filters with. */
#ifndef CLI_SETS_H
#define CLI_SETS_H

#include <petal.h>

/* A data structure for a set of keys.  Keys are copied into the set. */
struct set_kind {
    const char *name;
    const char *cost;                                   /* of a lookup, in the textbook */
    void     *(*make)(size_t n);                        /* empty, for n keys */
    bool      (*add)(void *set, const petal_key *key);  /* whether it was new */
    bool      (*contains)(const void *set, const petal_key *key);
    uint64_t  (*bytes)(const void *set);                /* nodes, pointers and keys */
    void      (*drop)(void *set);
};

extern const struct set_kind set_list;      /* treats every key as new */
extern const struct set_kind set_tree;
extern const struct set_kind set_table;

#endif
