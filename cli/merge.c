/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.c: petal merge: merge several filters into one.
 *
 * Filters can be merged if they have the same kind, size, form, hash and seed.
 */
#include "merge.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "notes.h"
#include "print.h"
#include "text.h"

#include <petal_explain.h>
#include <petal_host.h>

#include <string.h>

static char *merge_output;
static bool merge_intersect;

static const struct arg merge_args[] = {
    { 'o', "output", "FILE", ARG_TEXT, &merge_output,
      "write the merged filter to FILE (required; - is standard output)", NULL },
    { 0, "intersect", NULL, ARG_FLAG, &merge_intersect,
      "keep only the keys that are in all filters", NULL },
    ARGS_NOTES,
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

/* The first difference between two shapes, as half a sentence about each, and the options
 * that determine it. */
struct difference {
    const char *a, *b, *options;
};

static struct difference merge_size_difference(const petal_shape *a, const petal_shape *b)
{
    if (petal_abilities(a->kind) & PETAL_IS_EXACT)
        return (struct difference){ text_format("integers below %s", text_count(a->bits)),
                                    text_format("below %s", text_count(b->bits)), "-m" };
    if (a->capacity != b->capacity)
        return (
            struct difference){ text_format("built for %s", text_many(a->capacity, "key")),
                                text_format("for %s", text_count(b->capacity)), "-n" };
    return (struct difference){ text_many(a->bits, "bit"), text_many(b->bits, "bit"),
                                "-p or -m" };
}

/* Filters of fingerprints fit together if they have the same range of these, whatever size
 * they have grown to. */
static struct difference merge_range_difference(const petal_shape *a, const petal_shape *b)
{
    const uint64_t a_keys = a->growth ? a->capacity_first : a->capacity,
                   b_keys = b->growth ? b->capacity_first : b->capacity;
    if (!a->growth != !b->growth)
        return (struct difference){ a->growth ? "grows" : "does not grow",
                                    b->growth ? "grows" : "does not grow", "-O growth" };
    if (a->capacity_max != b->capacity_max)
        return (struct difference){
            text_format("a capacity_max of %s", text_count(a->capacity_max)),
            text_format("one of %s", text_count(b->capacity_max)), "-O capacity_max"
        };
    if (a_keys != b_keys)
        return (struct difference){ text_format("built for %s", text_many(a_keys, "key")),
                                    text_format("for %s", text_count(b_keys)), "-n" };
    return (struct difference){
        text_format("a range of %s", text_many(a->fingerprints, "fingerprint")),
        text_format("one of %s", text_count(b->fingerprints)), "-p or -m"
    };
}

static struct difference merge_difference(const petal_shape *a, const petal_shape *b)
{
    if (a->kind != b->kind)
        return (struct difference){ text_format("a %s filter", petal_kind_name(a->kind)),
                                    text_format("a %s one", petal_kind_name(b->kind)),
                                    "-k" };
    if (a->form != b->form)
        return (struct difference){
            text_format("keys of form %s", petal_form_name(a->form)),
            text_format("of form %s", petal_form_name(b->form)), "--form"
        };
    if (a->counter_bits != b->counter_bits)
        return (struct difference){ text_format("%u-bit counters", a->counter_bits),
                                    text_format("%u-bit counters", b->counter_bits),
                                    "-O counter_bits" };
    const bool ranges = petal_abilities(a->kind) & PETAL_CAN_LIST;
    if (ranges && (a->fingerprints != b->fingerprints || !a->growth != !b->growth ||
                   !a->capacity_max != !b->capacity_max))
        return merge_range_difference(a, b);
    if (!ranges && a->bits != b->bits)
        return merge_size_difference(a, b);
    if (!ranges && a->hashes != b->hashes)
        return (struct difference){
            text_format("%s per key",
                        text_many(a->hashes, petal_kind_words_of(a->kind)->hashes)),
            text_count(b->hashes), "-p and -O hashes"
        };
    if (a->insert_only != b->insert_only)
        return (struct difference){ a->insert_only ? "insert_only" : "not insert_only",
                                    b->insert_only ? "insert_only" : "not insert_only",
                                    "-O insert_only" };
    if (a->hash != b->hash)
        return (struct difference){ text_format("the %s hash", petal_hash_name(a->hash)),
                                    text_format("the %s hash", petal_hash_name(b->hash)),
                                    "-O hash" };
    return (struct difference){ "built with one seed", "with another", "-O seed" };
}

void merge_refuse(const petal_filter *a, const char *a_name, const petal_filter *b,
                  const char *b_name, const char *verb)
{
    const struct difference d = merge_difference(petal_shape_of(a), petal_shape_of(b));
    fail("%s: %s, %s %s; build both with the same %s to %s them", a_name, d.a, b_name, d.b,
         d.options, verb);
}

void merge_into(petal_filter *into, const char *into_name, const petal_filter *other,
                const char *other_name, bool intersect, const char *verb)
{
    const int rc = (intersect ? petal_intersect : petal_union)(into, other);
    if (rc == PETAL_E_MISMATCH)
        merge_refuse(into, into_name, other, other_name, verb);
    if (rc == PETAL_E_ABILITY)
        fail("%s: cannot %s %s filters; build both with another -k", into_name, verb,
             petal_kind_name(petal_shape_of(into)->kind));
    if (rc < 0)
        fail("%s: %s", into_name, petal_strerror(rc));
}

static void merge_refuse_static(const petal_filter *filter, const char *name)
{
    filter_refuse_static(name, filter, "it cannot be merged; build one from all keys");
}

static void merge_report(const petal_filter *merged, size_t n)
{
    petal_stats stats;
    petal_stats_of(merged, &stats);
    if (json) {
        json_open(NULL, '{');
        json_text("file", merge_output);
        json_count("merged", n);
        filter_json(merged);
        json_close();
        return;
    }
    const bool exact = petal_abilities(petal_shape_of(merged)->kind) & PETAL_IS_EXACT;
    remark("%s: %s%s keys from %s%s", merge_output, exact ? "" : "about ",
           text_about(stats.keys_estimate), text_many(n, "filter"),
           exact ? "" : text_format(", rate %s", text_rate(stats.fpr_estimate)));
    keys_warn(merge_output, merged, &stats);
}

static int merge_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    if (!merge_output || !*merge_output)
        fail("-o FILE is required");
    output_claim_filter(merge_output);
    output_claim(merge_output);
    petal_filter *merged = filter_open(files[0], PETAL_COPY);
    merge_refuse_static(merged, files[0]);
    notes_gather(merged);
    for (size_t i = 1; i < n; i++) {
        petal_filter *other = filter_open(files[i], 0);
        merge_refuse_static(other, files[i]);
        merge_into(merged, files[0], other, files[i], merge_intersect, "merge");
        notes_gather(other);
        petal_free(other);
    }
    notes_put_gathered(merged);
    output_claim(merge_output);
    filter_save(merged, merge_output);
    merge_report(merged, n);
    petal_free(merged);
    return STATUS_SOME;
}

const struct command command_merge = {
    .name = "merge",
    .synopsis = "-o FILE [options] FILTER...",
    .summary = "Merge several filters into one",
    .text = "The result is the filter of the keys of all filters.  With --intersect, it "
            "answers\n"
            "maybe for every key that is in all of them, and has a somewhat higher false\n"
            "positive rate than a filter built from those keys.  The filters must have the "
            "same\n"
            "kind, size, form, hash and seed: build them with the same -n and -p.  Labels "
            "and\n"
            "sources of the filters are joined, unless --label or --source replaces "
            "them.\n\n"
            "  petal merge -o week.petal mon.petal tue.petal wed.petal\n",
    .args = merge_args,
    .run = merge_run,
};
