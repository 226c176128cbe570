/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_explain.h: how a filter comes to its answers, for explaining and for teaching.
 *
 * Experimental: may still change before version 1.0.
 */
#ifndef PETAL_EXPLAIN_H
#define PETAL_EXPLAIN_H

#include "petal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the cells that petal_probes() lists decide about a key. */
typedef enum petal_rule {
    PETAL_RULE_ALL    = 0,  /* present if every cell is above 0 */
    PETAL_RULE_ANY    = 1,  /* present if every cell of any one group is */
    PETAL_RULE_PARITY = 2,  /* present if the sums of the groups, modulo 2, are a fingerprint */
    PETAL_RULE_EQUAL  = 3   /* present if any one group, read as a number, is a fingerprint */
} petal_rule;

/* What to call a kind's parts, and what it is for. */
typedef struct petal_kind_words {
    const char *summary;    /* one line, as beside its name in a list */
    const char *hashes;     /* what petal_shape.hashes counts: "probe", "column" */
    const char *stage;      /* what petal_stages() counts: "stage", "layer"; NULL: always 1 */
    const char *group;      /* what petal_probes() groups by: "row", "stage"; NULL: nothing */
    petal_rule  rule;
} petal_kind_words;

/* NULL for a number that is no kind. */
PETAL_API const petal_kind_words *petal_kind_words_of(petal_kind kind);

/* The hashes that a petal_match() of this key looks up: how many, of which at most max are
 * stored; one where nothing covers a key, none for what is no key. */
PETAL_API size_t petal_match_hashes(const petal_filter *filter, const void *key, size_t len,
                            uint64_t *hashes, size_t max);

/* Which cells decide about this hash, by petal_kind_words.rule: how many, of which at most
 * max are stored, group by group.  `groups`, unless NULL, gets the number of each cell's
 * group. For explaining and for teaching. */
PETAL_API size_t petal_probes(const petal_filter *filter, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_EXPLAIN_H */
