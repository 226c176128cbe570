/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * petal_explain.h: how a filter reaches its answers, for explaining and teaching.
 *
 * Experimental: may still change before version 1.0.
 */
#ifndef PETAL_EXPLAIN_H
#define PETAL_EXPLAIN_H

#include "petal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the cells that petal_probes() lists decide whether a key is present. */
typedef enum petal_rule {
    PETAL_RULE_ALL    = 0,  /* if all cells are above 0 */
    PETAL_RULE_ANY    = 1,  /* if all cells of at least one group are above 0 */
    PETAL_RULE_PARITY = 2,  /* if the parities of the groups equal the key's fingerprint */
    PETAL_RULE_EQUAL  = 3,  /* if one group, read as a number, equals the key's fingerprint */
    PETAL_RULE_RUN    = 4   /* if one group, a run of remainders, has the key's: petal_run_of() */
} petal_rule;

/* The words for a kind and its parts. */
typedef struct petal_kind_words {
    const char *summary;    /* one line for a list of kinds */
    const char *hashes;     /* what petal_shape.hashes counts: "probe", "column" */
    const char *stage;      /* what petal_stages() counts: "stage", "layer"; NULL: always 1 */
    const char *group;      /* what petal_probes() groups cells by: "row"; NULL: nothing */
    petal_rule  rule;
} petal_kind_words;

/* NULL if there is no such kind. */
PETAL_API const petal_kind_words *petal_kind_words_of(petal_kind kind);

/* The hashes that petal_match() looks up for this key and its parents.  Returns how many there
 * are and stores at most `max` of them.  There is one hash if keys have no parents, and none if
 * the key is not valid. */
PETAL_API size_t petal_match_hashes(const petal_filter *filter, const void *key, size_t len,
                            uint64_t *hashes, size_t max);

/* The same with the text of each lookup: the normalized key first, then its parents.  Calls
 * `each` for every lookup and returns how many there are.  The text is valid during the call. */
typedef void petal_lookup_fn(void *context, const char *text, size_t len, uint64_t hash);
PETAL_API size_t petal_each_lookup(const petal_filter *filter, const void *key, size_t len,
                                   petal_lookup_fn *each, void *context);

/* The cells that decide whether this hash is present, by petal_kind_words.rule.  Returns how
 * many there are and stores at most `max` of them, group by group.  If `groups` is not NULL, it
 * receives the group number of each cell. */
PETAL_API size_t petal_probes(const petal_filter *filter, uint64_t hash, uint64_t *cells,
                              uint32_t *groups, size_t max);

/* The same for a key, which is normalized first.  This also works for kinds with
 * PETAL_NEEDS_KEYS.  Returns 0 if the key is not valid. */
PETAL_API size_t petal_probes_of(const petal_filter *filter, const void *key, size_t len,
                                 uint64_t *cells, uint32_t *groups, size_t max);

#define PETAL_RUN_MAX 64

/* How a filter with PETAL_RULE_RUN looks up a hash.  The hash selects a block, one of the
 * quotients of this block, and a remainder.  The block lists the elements of its quotients in
 * order: a symbol 1 for each element, then a 0 for the end of the quotient.  The elements of one
 * quotient are a run, and each element has a remainder. */
typedef struct petal_run {
    uint64_t block;             /* the number of the block, counted over all stages */
    uint32_t quotient;          /* of the key, counted from the first that belongs to the block */
    uint32_t behind;            /* quotients of earlier blocks with which this one begins */
    uint64_t remainder;         /* of the key */
    uint32_t remainder_bits;
    uint32_t len;               /* elements of the run; the last may be in the next blocks */
    uint64_t remainders[PETAL_RUN_MAX];     /* of the first ones */
    uint32_t symbols_len;
    uint8_t  symbols[192];      /* of the block: 0 or 1 */
    uint32_t first;             /* where the run begins; symbols_len: in the next block */
} petal_run;

/* Returns false if there is no such stage, or if the kind has another rule. */
PETAL_API bool petal_run_of(const petal_filter *filter, uint64_t hash, uint32_t stage,
                            petal_run *run);

#ifdef __cplusplus
}
#endif

#endif /* PETAL_EXPLAIN_H */
