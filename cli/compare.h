/* SPDX-License-Identifier: BSD-2-Clause */
/* compare.h: what the files of petal compare share. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "buffer.h"
#include "sets.h"

#include <petal.h>

#define COMPARE_ROUNDS   5
#define COMPARE_SUBJECTS 24     /* at most */

/* Keys in a row, each with a 0 after it.  The text may move while it grows, so that the list
 * knows only lengths until bunch_settle(). */
struct bunch {
    struct buffer text, list;
};

/* One structure, and what was measured; times are seconds per key, and after the last round
 * the median comes first. */
struct subject {
    const char            *name, *cost;
    const struct set_kind *exact;   /* NULL: a filter of these options */
    petal_options          options;
    const char            *why_not; /* not NULL: it cannot be made of these keys */
    uint64_t               bytes;
    double                 rate;
    double                 build[COMPARE_ROUNDS], member[COMPARE_ROUNDS],
                           nonmember[COMPARE_ROUNDS];
};

struct comparison {
    struct bunch   keys, members, nonmembers;
    size_t         duplicates, subjects_n, rounds;
    struct subject subjects[COMPARE_SUBJECTS];
};

/* ---- compare_keys.c: the keys, and which are looked up ---- */

void       bunch_add(struct bunch *bunch, const void *key, size_t len);
void       bunch_settle(struct bunch *bunch);
petal_key *bunch_keys(const struct bunch *bunch);
size_t     bunch_n(const struct bunch *bunch);
void       bunch_free(struct bunch *bunch);

/* Drops duplicates from c->keys, and chooses members and strangers to look up. */
void       compare_choose(struct comparison *c);

/* ---- compare_measure.c: the structures, and how long they take ---- */

void       compare_measure(struct comparison *c);
bool       subject_is_exact(const struct subject *subject);

/* ---- compare_report.c: the figures ---- */

void       compare_table(const struct comparison *c);
void       compare_json(const struct comparison *c);
void       compare_draw(const struct comparison *c, const char *svg);

#endif
