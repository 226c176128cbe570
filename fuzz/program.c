/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.c: fuzzes sequences of calls: the input is a shape, followed by operations on two
 * filters of that shape.  An exact model runs beside them.  No filter may give a false
 * negative or a count that is too low.
 */
#include "support.h"

#define UNIVERSE 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct subject {
    petal_filter *f;
    unsigned count[UNIVERSE];
};

static void must(bool condition)
{
    if (!condition)
        abort();
}

static petal_options shape_from(const uint8_t *d)
{
    static const double rates[] = { 0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02 };
    petal_options o = { .kind = (petal_kind)(d[0] % kind_after_all()) };
    o.capacity = d[1] % 4 ? d[2] : 0;
    o.fpr = rates[d[3] % 8];
    o.bits = d[1] & 16 ? (uint64_t)d[4] << d[5] % 9 : 0;
    o.hashes = d[1] & 32 ? d[6] % 70 : 0;
    o.counter_bits = d[1] & 64 ? 4u << d[6] % 4 : 0;
    o.insert_only = d[7] & 1;
    o.growth = d[7] & 2 ? d[5] % 5 : 0;
    o.capacity_max = d[7] & 4 ? d[4] : 0;
    o.hash = (petal_hash_id)(((d[7] >> 3 & 3) + (d[7] >> 7) * 4) % (hash_after_all() + 1));
    o.seed[0] = d[7] & 32 ? d[6] : 0;
    o.seed[1] = d[7] & 64 ? 1 : 0;
    return o;
}

static void check(const struct subject *s)
{
    const petal_shape *shape = petal_shape_of(s->f);
    const uint64_t top = UINT32_MAX >> (32 - shape->counter_bits);
    const bool counts = petal_shape_abilities(shape) & PETAL_CAN_COUNT;
    for (int key = 0; key < UNIVERSE; key++) {
        const uint64_t truth = s->count[key];
        char text[24];
        const int len = snprintf(text, sizeof text, "%d", key);
        const uint64_t reported = petal_count(s->f, text, (size_t)len);
        must(needs_keys(shape->kind) ||
             reported == petal_count_hash(s->f, petal_hash_int(s->f, key)));
        must(petal_contains_int(s->f, key) == (reported > 0));
        must(reported >= (counts ? (truth < top ? truth : top) : truth > 0));
        if (is_exact(shape->kind))
            must(reported == truth);
    }
}

static void add(struct subject *s, int key)
{
    const int rc = petal_add_int(s->f, key);
    if (rc < 0)
        return;
    must(petal_contains_int(s->f, key));
    const bool counts = petal_shape_abilities(petal_shape_of(s->f)) & PETAL_CAN_COUNT;
    s->count[key] = counts ? s->count[key] + 1 : 1;
}

static void take(struct subject *s, int key)
{
    if (s->count[key] == 0)
        return;
    const int rc = petal_remove_int(s->f, key);
    must(rc == 1 || rc == PETAL_E_ABILITY);
    s->count[key] -= rc == 1;
}

static void merge(struct subject *a, const struct subject *b, bool intersect)
{
    const int rc = (intersect ? petal_intersect : petal_union)(a->f, b->f);
    if (rc < 0)
        return;
    const bool counts = petal_shape_abilities(petal_shape_of(a->f)) & PETAL_CAN_COUNT;
    for (int i = 0; i < UNIVERSE; i++) {
        const unsigned x = a->count[i], y = b->count[i];
        a->count[i] = intersect ? (x < y ? x : y) : counts ? x + y : (x || y);
    }
}

static void reload(struct subject *s, unsigned flags)
{
    size_t len;
    const void *bytes = petal_bytes(s->f, &len);
    petal_filter *back;
    must(petal_view(bytes, len, PETAL_COPY | flags, &back) == PETAL_OK);
    petal_free(s->f);
    s->f = back;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 8)
        return 0;
    const petal_options o = options_to_keep(shape_from(data), UNIVERSE);
    struct subject two[2] = { 0 };
    if (petal_new(&o, &two[0].f) < 0)
        return 0;
    if (petal_shape_of(two[0].f)->image_bytes < 200000 &&
        petal_copy(two[0].f, &two[1].f) == PETAL_OK) {
        for (size_t i = 8; i + 1 < len && i < 600; i += 2) {
            struct subject *s = &two[data[i] & 1];
            const int key = data[i + 1] % UNIVERSE;
            switch (data[i] >> 1 & 7) {
            case 0: take(s, key); break;
            case 1: merge(s, &two[!(data[i] & 1)], data[i + 1] & 1); break;
            case 2: reload(s, data[i + 1] & PETAL_TRUST); break;
            case 3:
                if (data[i + 1] == 0) {
                    must(petal_clear(s->f) == PETAL_OK);
                    memset(s->count, 0, sizeof s->count);
                }
                petal_compact(s->f);
                break;
            default: add(s, key);
            }
        }
        check(&two[0]);
        check(&two[1]);
    }
    petal_free(two[0].f);
    petal_free(two[1].f);
    return 0;
}
