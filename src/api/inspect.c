/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inspect.c: petal.h section 7: reports what is in a filter.
 *
 * petal_stats_of() examines all cells, and so does petal_size() if the keys were
 * not counted.
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

uint32_t petal_stages(const petal_filter *filter)
{
    return filter->stages;
}

uint64_t petal_size(const petal_filter *filter)
{
    if (api_flag(&filter->counted))
        return filter->keys;
    petal_stats stats;
    petal_stats_of(filter, &stats);
    return (uint64_t)(stats.keys_estimate + 0.5);
}

size_t petal_probes(const petal_filter *filter, uint64_t hash, uint64_t *cells,
                    uint32_t *groups, size_t max)
{
    if (groups)
        memset(groups, 0, max * sizeof *groups);
    return filter->ops->probes(filter, hash, cells, groups, max);
}
