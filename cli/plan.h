/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.h: what the files of petal plan share. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include <petal.h>

/* The rate that was asked for; 0 if it follows from the rest. */
double plan_rate(void);

/* The shape that petal build would make of this kind, or why there is none. */
int    plan_kind(petal_kind kind, petal_shape *shape);

/* Without -k, all kinds are planned. */
bool   plan_wants(petal_kind kind);

/* plan_table.c: the table of kinds, and the sentences below it.  Keys of `key_len` bytes are
 * compared with a table of them; 0: they are not. */
void   plan_table(uint64_t key_len);
void   plan_table_json(uint64_t key_len);

/* plan_curves.c: the rate against k and against keys, on the terminal and, unless NULL, as a
 * picture. */
void   plan_curves(bool terminal, const char *svg);

/* plan_cost.c: what a filter saves in front of a slow store; times are in seconds. */
struct plan_store {
    uint64_t visits, hits;
    double   slow, fast;
};
void   plan_cost(const struct plan_store *store);
void   plan_cost_json(const struct plan_store *store);

#endif
