/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inspect.c: petal.h section 7: reports what is in a filter.
 *
 * petal_stats_of() examines all cells, and so does petal_size() if the keys were
 * not counted and no earlier result was kept.
 */
#include "api/api.h"

const petal_shape *petal_shape_of(const petal_filter *filter)
{
    return &filter->shape;
}

void petal_stats_of(const petal_filter *filter, petal_stats *stats)
{
    const petal_shape *shape = &filter->shape;
    *stats = (petal_stats){
        .counted = api_flag(&filter->counted),
        .sealed = api_flag(&filter->sealed),
        .writable = filter->writable,
        .stages = filter->stages,
    };
    stats->keys_added = stats->counted ? filter->keys : 0;
    filter->ops->measure(filter, stats);
    if (filter->form && filter->form->match_lookups) {
        uint8_t mask[FORM_MASK_LEN];
        petal__classes_of(filter, mask);
        stats->match_lookups_now = filter->form->lookups_max(mask);
        stats->fpr_estimate =
            petal__match_rate(stats->fpr_estimate, stats->match_lookups_now);
    }
    const uint64_t cells = shape->bits / shape->counter_bits;
    stats->fill = cells ? (double)stats->cells_set / (double)cells : 0;
}

bool petal_is_counted(const petal_filter *filter)
{
    return api_flag(&filter->counted);
}

bool petal_is_sealed(const petal_filter *filter)
{
    return api_flag(&filter->sealed);
}

uint32_t petal_stages(const petal_filter *filter)
{
    return filter->stages;
}

uint64_t petal_size(const petal_filter *filter)
{
    if (api_flag(&filter->counted) || api_flag(&filter->estimated))
        return filter->keys;
    petal_stats stats;
    petal_stats_of(filter, &stats);
    return (uint64_t)(stats.keys_estimate + 0.5);
}

uint64_t petal_keep_size(petal_filter *filter)
{
    filter->keys = petal_size(filter);
    filter->estimated = true;
    return filter->keys;
}

bool petal_run_of(const petal_filter *filter, uint64_t hash, uint32_t stage, petal_run *run)
{
    return stage < filter->stages && filter->ops->run &&
           filter->ops->run(filter, hash, stage, run);
}

size_t petal_probes(const petal_filter *filter, uint64_t hash, uint64_t *cells,
                    uint32_t *groups, size_t max)
{
    if (groups)
        memset(groups, 0, max * sizeof *groups);
    return filter->ops->probes(filter, hash, cells, groups, max);
}

size_t petal_probes_of(const petal_filter *filter, const void *key, size_t len,
                       uint64_t *cells, uint32_t *groups, size_t max)
{
    struct form_key normalized = { .bytes = key, .len = len };
    uint64_t hash;
    if (!api_needs_keys(filter))
        return api_hash(filter, key, len, &hash) < 0
                   ? 0
                   : petal_probes(filter, hash, cells, groups, max);
    if (filter->form && filter->form->normalize(key, len, &normalized) < 0)
        return 0;
    if (groups)
        memset(groups, 0, max * sizeof *groups);
    return filter->ops->probes_key(filter, normalized.bytes, normalized.len, cells, groups,
                                   max);
}
