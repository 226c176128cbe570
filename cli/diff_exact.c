/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_exact.c: petal diff --exact: compare the fingerprints of two filters.
 *
 * A filter that stores fingerprints can list them in order, so two of them can be compared
 * by reading both once.  A fingerprint occurs as often as it was added.  These copies are
 * compared too: a fingerprint with 3 copies in the first filter and 1 in the second has 1
 * in both and 2 only in the first.
 *
 * Two keys can have the same fingerprint, at the rate of the filter.  So a fingerprint that
 * only one filter has is a key that only that one has, but a few keys may differ without
 * being counted.
 */
#include "diff.h"

#include "args.h"
#include "choices.h"
#include "filters.h"
#include "json.h"
#include "merge.h"
#include "print.h"
#include "text.h"

#include <petal_host.h>

/* Fingerprints, and their copies. */
struct amount {
    uint64_t fingerprints, copies;
};

struct exact {
    struct amount a, b, both, only_a, only_b;
    uint64_t counts_differ; /* fingerprints in both, with other numbers of copies */
};

static void amount_add(struct amount *amount, bool there, uint64_t copies)
{
    amount->fingerprints += there;
    amount->copies += copies;
}

static int exact_visit(void *context, const petal_fingerprint *f)
{
    struct exact *e = context;
    const uint64_t common = f->copies < f->other ? f->copies : f->other;
    amount_add(&e->a, f->copies > 0, f->copies);
    amount_add(&e->b, f->other > 0, f->other);
    amount_add(&e->both, common > 0, common);
    amount_add(&e->only_a, f->other == 0, f->copies - common);
    amount_add(&e->only_b, f->copies == 0, f->other - common);
    e->counts_differ += common > 0 && f->copies != f->other;
    return 0;
}

/* ---- Printing ---- */

static void amount_print(const char *name, struct amount amount)
{
    out("  ");
    out_column(-24, name);
    out_column(14, text_count(amount.fingerprints));
    out_column(14, text_count(amount.copies));
    out("\n");
}

static void exact_print(const struct exact *e, char **files)
{
    out_column(-26, "");
    out("  fingerprints        copies\n");
    amount_print(files[0], e->a);
    amount_print(files[1], e->b);
    amount_print("in both", e->both);
    amount_print("only in the first", e->only_a);
    amount_print("only in the second", e->only_b);
    if (e->counts_differ)
        out("  %s in both, but with different numbers of copies\n",
            text_many(e->counts_differ, "fingerprint"));
}

static void amount_json(const char *name, struct amount amount)
{
    json_open(name, '{');
    json_count("fingerprints", amount.fingerprints);
    json_count("copies", amount.copies);
    json_close();
}

static void exact_json(const struct exact *e)
{
    json_open(NULL, '{');
    amount_json("a", e->a);
    amount_json("b", e->b);
    amount_json("both", e->both);
    amount_json("only_a", e->only_a);
    amount_json("only_b", e->only_b);
    json_count("counts_differ", e->counts_differ);
    json_close();
}

/* ---- The command ---- */

static void exact_refuse_kind(const petal_filter *filter, const char *name)
{
    const petal_kind kind = petal_shape_of(filter)->kind;
    if (!(petal_abilities(kind) & PETAL_CAN_LIST))
        fail("%s: a %s filter stores no fingerprints to compare; leave out --exact, or "
             "build "
             "both with -k %s",
             name, petal_kind_name(kind), petal_kind_name(choice_removing()));
}

static void exact_refuse_stages(const petal_filter *filter, const char *name)
{
    if (petal_stages(filter) > 1)
        fail("%s: has %u stages, whose fingerprints cannot be compared; leave out --exact, "
             "or "
             "build both with the same -n or -O capacity_max",
             name, petal_stages(filter));
}

int diff_exact(char **files)
{
    petal_filter *a = filter_open(files[0], 0), *b = filter_open(files[1], 0);
    struct exact e = { .counts_differ = 0 };
    exact_refuse_kind(a, files[0]);
    exact_refuse_kind(b, files[1]);
    exact_refuse_stages(a, files[0]);
    exact_refuse_stages(b, files[1]);
    const int rc = petal_fingerprints(a, b, exact_visit, &e);
    if (rc == PETAL_E_MISMATCH)
        merge_refuse(a, files[0], b, files[1], "compare");
    if (rc < 0)
        filter_refuse(files[0], rc);
    if (json)
        exact_json(&e);
    else
        exact_print(&e, files);
    petal_free(a);
    petal_free(b);
    return e.only_a.copies + e.only_b.copies ? STATUS_SOME : STATUS_NONE;
}
