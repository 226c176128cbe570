/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * info.c: petal info: describe filters: kind, size, keys and false positive rate.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "notes.h"
#include "print.h"
#include "text.h"
#include "words.h"

#include <petal_explain.h>
#include <petal_host.h>

static const struct arg info_args[] = { ARGS_JSON, ARGS_END };

static void info_size(const petal_shape *shape)
{
    out("\n  size       %s bytes", text_count(shape->image_bytes));
    if (shape->image_bytes >= 1000)
        out(" (%s)", text_bytes((double)shape->image_bytes));
}

/* Such a filter is full when it has no room for more fingerprints, so its cells say
 * nothing. */
static void info_fingerprints(const petal_shape *shape, const petal_stats *stats)
{
    out("  fill       %.2f%% of the capacity\n",
        100 * (double)stats->keys_added / (double)shape->capacity);
    out("  range      %s fingerprints%s\n", text_count(shape->fingerprints),
        stats->stages > 1 ? " in the first stage, 64 times as many in each further one"
                          : "");
}

/* A kind that grows and shrinks has a size for the keys that are in it. */
static void info_bits_per_key(const petal_shape *shape, const petal_stats *stats)
{
    const unsigned can = petal_abilities(shape->kind);
    if (can & PETAL_CAN_COMPACT && stats->keys_added)
        out(", %.4g bits per key now", (double)shape->bits / (double)stats->keys_added);
    else if (!(can & (PETAL_IS_EXACT | PETAL_CAN_COMPACT)))
        out(", %.4g bits per key at capacity", shape->bits_per_key);
}

static void info_contents(const petal_shape *shape, const petal_stats *stats)
{
    const bool exact = petal_abilities(shape->kind) & PETAL_IS_EXACT;
    const petal_kind_words *words = petal_kind_words_of(shape->kind);
    if (shape->counter_bits > 1)
        out(" in %u-bit counters", shape->counter_bits);
    if (petal_abilities(shape->kind) & PETAL_CAN_LIST)
        out(", %u-bit remainders", shape->hashes);
    else if (!exact)
        out(", %s per key", text_many(shape->hashes, words->hashes));
    if (words->stage)
        out(", %s", text_many(stats->stages, words->stage));
    info_size(shape);
    info_bits_per_key(shape, stats);
    out("\n  keys       ");
    if (stats->counted)
        out("%s%s, ", text_count(stats->keys_added),
            exact                                            ? ""
            : petal_shape_abilities(shape) & PETAL_CAN_COUNT ? " added"
                                                             : " new when added");
    if (!exact)
        out("%s estimated, ", text_count((uint64_t)(stats->keys_estimate + 0.5)));
    out("capacity %s\n", text_count(shape->capacity));
    if (petal_abilities(shape->kind) & PETAL_CAN_LIST)
        info_fingerprints(shape, stats);
    else
        out("  fill       %.2f%% of the cells\n", stats->fill * 100);
    if (exact)
        out("  rate       0: exact, no false positives\n");
    else
        out("  rate       %s now, %s promised at capacity\n",
            text_rate(stats->fpr_estimate), text_rate(shape->fpr));
}

/* The keys of a static filter never change.  Its fill says nothing, because its cells are
 * the solution of a system of equations. */
static void info_static(const petal_shape *shape, const petal_stats *stats)
{
    const petal_kind_words *words = petal_kind_words_of(shape->kind);
    out(", %s", text_many(shape->hashes, words->hashes));
    if (words->stage)
        out(", %s", text_many(stats->stages, words->stage));
    info_size(shape);
    if (stats->keys_added)
        out(", %.4g bits per key", shape->bits_per_key);
    out("\n  keys       %s; none can be added\n", text_count(stats->keys_added));
    out("  rate       %s, %s promised\n", text_rate(stats->fpr_estimate),
        text_rate(shape->fpr));
}

static void info_text(const char *path, petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    petal_stats stats;
    uint64_t id;
    petal_stats_of(filter, &stats);
    out("%s\n", path);
    notes_print(filter);
    out("  kind       %s: %s bits", petal_kind_name(shape->kind), text_count(shape->bits));
    if (petal_abilities(shape->kind) & PETAL_IS_STATIC)
        info_static(shape, &stats);
    else
        info_contents(shape, &stats);
    out("  form       %s", petal_form_name(shape->form));
    out("\n  hash       %s", words_hash(shape->hash));
    if (shape->hash != PETAL_HASH_KEYED && shape->seed[0])
        out(", seed 0x%llx", (unsigned long long)shape->seed[0]);
    if (stats.saturated)
        out("\n  saturated  %s, which can no longer change",
            petal_abilities(shape->kind) & PETAL_CAN_LIST
                ? text_format("%s with %d copies",
                              text_many(stats.saturated, "fingerprint"), PETAL_COPIES_MAX)
                : text_many(stats.saturated, "counter"));
    out("\n  can        ");
    words_abilities(petal_shape_abilities(shape));
    if (petal_content_id(filter, &id) == PETAL_OK) /* a file is always sealed */
        out("  id         %016llx\n", (unsigned long long)id);
}

static void info_json(const char *path, const petal_filter *filter)
{
    json_open(NULL, '{');
    json_text("file", path);
    filter_json(filter);
    json_close();
}

static int info_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    for (size_t i = 0; i < n; i++) {
        petal_filter *filter = filter_open(files[i], 0);
        if (json)
            info_json(files[i], filter);
        else
            info_text(files[i], filter);
        petal_free(filter);
    }
    return STATUS_SOME;
}

const struct command command_info = {
    .name = "info",
    .synopsis = "FILTER...",
    .summary = "Describe filters: kind, size, keys and false positive rate",
    .text =
        "Prints what each filter is, how full it is, its false positive rate now and at\n"
        "capacity, and what it can do.  Label, source and time are printed if they are\n"
        "stored in the filter.  Filters with the same id have the same contents.\n\n"
        "  petal info bad.petal\n"
        "  petal info --json bad.petal | jq .fpr_estimate\n",
    .args = info_args,
    .run = info_run,
};
