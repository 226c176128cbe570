/* SPDX-License-Identifier: BSD-2-Clause */
/* compare.h: shared by the files of petal compare. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "buffer.h"
#include "sets.h"

#include <petal.h>

#define COMPARE_ROUNDS   11     /* at most */
#define COMPARE_SUBJECTS 24     /* at most */

/* A list of keys, stored one after another, each followed by a 0 byte.  The text may move while
 * it grows, so the list holds only lengths until key_list_finish(). */
struct key_list {
    struct buffer text, keys;
};

/* Seconds per key, by round.  After the last round: the median, and the range of the middle
 * half of the rounds, or a little more.  A single disturbed round hardly changes them. */
struct timing {
    double rounds[COMPARE_ROUNDS];
    double median, low, high;
};

/* One structure and its measurements. */
struct subject {
    const char            *name, *cost;
    const struct set_kind *exact;   /* NULL: a filter with these options */
    petal_options          options;
    const char            *why_not; /* not NULL: cannot be built from these keys */
    uint64_t               bytes;
    double                 rate;
    struct timing          build, member, nonmember;
};

struct comparison {
    struct key_list keys, members, nonmembers;
    size_t          duplicates, subjects_n, rounds;
    struct subject  subjects[COMPARE_SUBJECTS];
};

/* ---- compare_keys.c: the keys, and which of them are looked up ---- */

void       key_list_add(struct key_list *list, const void *key, size_t len);
void       key_list_finish(struct key_list *list);
petal_key *key_list_keys(const struct key_list *list);
size_t     key_list_n(const struct key_list *list);
void       key_list_free(struct key_list *list);

/* Drops duplicates from c->keys and chooses members and non-members to look up. */
void       compare_choose(struct comparison *c);

/* ---- compare_measure.c: build and time the structures ---- */

void       compare_measure(struct comparison *c);
bool       subject_is_exact(const struct subject *subject);

/* ---- compare_report.c: print the results ---- */

void       compare_table(const struct comparison *c);
void       compare_json(const struct comparison *c);
void       compare_draw(const struct comparison *c, const char *svg);

#endif
