/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.c: petal merge: one filter from several.
 */
#include "merge.h"

#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "print.h"
#include "text.h"

#include <petal_explain.h>
#include <petal_host.h>

#include <string.h>

static char *merge_output;
static bool merge_intersect;

static const struct arg merge_args[] = {
    { 'o', "output", "FILE", ARG_TEXT, &merge_output, "where the result goes", NULL },
    { 0, "intersect", NULL, ARG_FLAG, &merge_intersect,
      "what all of them have, not what any has", NULL },
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

const char *merge_difference(const petal_shape *a, const petal_shape *b)
{
    if (a->kind != b->kind)
        return text_format("one is %s, one %s", petal_kind_name(a->kind),
                           petal_kind_name(b->kind));
    if (a->form != b->form)
        return text_format("one has keys of form %s, one of %s", petal_form_name(a->form),
                           petal_form_name(b->form));
    if (a->counter_bits != b->counter_bits)
        return text_format("one has counters of %u bits, one of %u", a->counter_bits,
                           b->counter_bits);
    if (a->bits != b->bits)
        return text_format("one has %s bits, one %s", text_count(a->bits),
                           text_count(b->bits));
    if (a->hashes != b->hashes)
        return text_format("one has %u %ss a key, one %u", a->hashes,
                           petal_kind_words_of(a->kind)->hashes, b->hashes);
    if (a->insert_only != b->insert_only)
        return "one is insert_only, one is not";
    if (a->hash != b->hash)
        return text_format("one has the %s hash, one %s", petal_hash_name(a->hash),
                           petal_hash_name(b->hash));
    return "they have different seeds";
}

void merge_into(petal_filter *into, const char *into_name, const petal_filter *other,
                const char *other_name, bool intersect)
{
    const int rc = (intersect ? petal_intersect : petal_union)(into, other);
    if (rc == PETAL_E_MISMATCH)
        fail("%s and %s do not fit together: %s", into_name, other_name,
             merge_difference(petal_shape_of(into), petal_shape_of(other)));
    if (rc == PETAL_E_ABILITY)
        fail("%s: %s filters cannot be laid over each other", into_name,
             petal_kind_name(petal_shape_of(into)->kind));
    if (rc < 0)
        fail("%s: %s", into_name, petal_strerror(rc));
}

static void merge_refuse_static(const petal_filter *filter, const char *name)
{
    filter_refuse_static(name, filter, "it cannot be merged; make one from all the keys");
}

static void merge_report(const petal_filter *merged, size_t n)
{
    petal_stats stats;
    petal_stats_of(merged, &stats);
    if (json) {
        char text[4096];
        petal_describe(merged, text, sizeof text);
        json_open(NULL, '{');
        json_text("file", merge_output);
        json_count("merged", n);
        json_members(text);
        json_close();
        return;
    }
    remark("%s: %s merged; about %s keys, rate %s", merge_output, text_many(n, "filter"),
           text_about(stats.keys_estimate), text_rate(stats.fpr_estimate));
    keys_warn(merge_output, merged, &stats);
}

static int merge_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    if (!merge_output || !*merge_output)
        fail("-o FILE: where the result goes must be said");
    output_claim_filter(merge_output);
    output_claim(merge_output);
    petal_filter *merged = filter_open(files[0], PETAL_COPY);
    merge_refuse_static(merged, files[0]);
    for (size_t i = 1; i < n; i++) {
        petal_filter *other = filter_open(files[i], 0);
        merge_refuse_static(other, files[i]);
        merge_into(merged, files[0], other, files[i], merge_intersect);
        petal_free(other);
    }
    output_claim(merge_output);
    filter_save(merged, merge_output);
    merge_report(merged, n);
    petal_free(merged);
    return STATUS_SOME;
}

const struct command command_merge = {
    .name = "merge",
    .synopsis = "-o FILE [options] FILTER...",
    .summary = "one filter from several",
    .text =
        "The result answers as if it had been given all the keys.  With --intersect it\n"
        "answers maybe for every key that all of them have, and for somewhat more\n"
        "others than a filter of those keys alone would.  The filters must be of the\n"
        "same kind, size, form, hash and seed: build them with the same -n and -p.\n\n"
        "  petal merge -o week.petal mon.petal tue.petal wed.petal\n",
    .args = merge_args,
    .run = merge_run,
};
