/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.h: shared by the files of petal plan. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include <petal.h>

/* The requested rate; 0 if it follows from the other options. */
double plan_rate(void);

/* Plans the shape that petal build would use for this kind.  Returns an error if impossible. */
int    plan_kind(petal_kind kind, petal_shape *shape);

/* Why there is no such filter of this kind: the option, and what is wrong with it. */
const char *plan_refusal(petal_kind kind);

/* Whether `hashes` of this kind is k, the number of probes per key. */
bool   plan_has_probes(petal_kind kind);

/* Whether to plan this kind; without -k, all kinds. */
bool   plan_wants(petal_kind kind);

/* plan_table.c: the table of kinds and the text below it.  If `key_len` is not 0, compares
 * filters with a table of keys of that many bytes. */
void   plan_table(uint64_t key_len);
void   plan_table_json(uint64_t key_len);

/* plan_curves.c: plots the rate against k and against keys, on the terminal, and as an SVG file
 * unless `svg` is NULL. */
void   plan_curves(bool terminal, const char *svg);

/* plan_cost.c: the time a filter saves in front of a slow store, in seconds. */
struct plan_store {
    uint64_t visits, hits;
    double   slow, fast;
};
void   plan_cost(const struct plan_store *store);
void   plan_cost_json(const struct plan_store *store);

#endif
