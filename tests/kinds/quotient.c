/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quotient.c: random programs on filters of fingerprints, compared with a sorted list.
 *
 *     quotient N [M]      runs N small programs and some large ones, and fills M filters
 *
 * The list has each fingerprint with its copies.  It gives every answer exactly, and also
 * every bit of the filter: layout() writes the list down as docs/format.md says, symbol by
 * symbol.  The bytes must be the same, however the filter came to have these keys.
 */
#include "support.h"

#include <math.h>

#define STUCK 15
#define LINE  512

static unsigned long program;

#define holds(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: program %lu: not true: %s\n", __FILE__, __LINE__, \
                    program, #condition);                                             \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

/* ---- The model ---- */

struct item {
    uint64_t fingerprint;
    uint32_t copies;
};

struct model {
    struct item *items;
    size_t n, room;
    uint64_t total;
    bool once; /* at most one copy of each */
};

/* floor(hash * range / 2^64), by halves. */
static uint64_t fingerprint_of(uint64_t hash, uint64_t range)
{
    const uint64_t h0 = (uint32_t)hash, h1 = hash >> 32, r0 = (uint32_t)range,
                   r1 = range >> 32;
    const uint64_t low = h0 * r0 >> 32, mid = h1 * r0 + low;
    const uint64_t mid2 = h0 * r1 + (uint32_t)mid;
    return h1 * r1 + (mid >> 32) + (mid2 >> 32);
}

static size_t model_at(const struct model *m, uint64_t fingerprint)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (m->items[mid].fingerprint < fingerprint)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct item *model_find(const struct model *m, uint64_t fingerprint)
{
    const size_t at = model_at(m, fingerprint);
    return at < m->n && m->items[at].fingerprint == fingerprint ? &m->items[at] : NULL;
}

static void model_add(struct model *m, uint64_t fingerprint, uint32_t copies)
{
    struct item *item = model_find(m, fingerprint);
    if (!item) {
        if (m->n == m->room) {
            m->room = m->room * 2 + 16;
            m->items = realloc(m->items, m->room * sizeof *m->items);
            require(m->items);
        }
        const size_t at = model_at(m, fingerprint);
        item = &m->items[at];
        memmove(item + 1, item, (m->n++ - at) * sizeof *item);
        *item = (struct item){ fingerprint, 0 };
    }
    const uint32_t before = item->copies, most = m->once ? 1 : STUCK;
    item->copies = before + copies < most ? before + copies : most;
    m->total += item->copies - before;
}

static void model_remove(struct model *m, uint64_t fingerprint)
{
    struct item *item = model_find(m, fingerprint);
    if (!item || item->copies == STUCK)
        return;
    m->total--;
    if (--item->copies == 0) {
        const size_t at = (size_t)(item - m->items);
        memmove(item, item + 1, (--m->n - at) * sizeof *item);
    }
}

static void model_merge(struct model *m, const struct model *other, bool intersect)
{
    if (!intersect) {
        for (size_t i = 0; i < other->n; i++)
            model_add(m, other->items[i].fingerprint, other->items[i].copies);
        return;
    }
    size_t kept = 0;
    m->total = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct item *there = model_find(other, m->items[i].fingerprint);
        if (!there)
            continue;
        struct item both = m->items[i];
        both.copies = both.copies < there->copies ? both.copies : there->copies;
        m->total += both.copies;
        m->items[kept++] = both;
    }
    m->n = kept;
}

/* ---- The layout ---- */

static uint32_t root_of(uint32_t v)
{
    uint32_t root = 0;
    while ((root + 1) * (root + 1) <= v)
        root++;
    return root;
}

struct geometry {
    uint64_t homes, lines;
    uint32_t quotients, r, slots, symbols, base;
};

static struct geometry geometry_of(const petal_shape *s)
{
    struct geometry g = { .quotients = s->quotients, .r = s->hashes };
    g.homes = s->fingerprints / ((uint64_t)s->quotients << s->hashes);
    for (uint32_t slots = 8; slots <= 120; slots++) {
        const uint32_t slack = root_of(2 * slots);
        if ((g.r + 1) * slots + g.quotients + slack <= 501 &&
            slots + g.quotients + slack <= 190)
            g.slots = slots;
    }
    g.base = LINE - g.r * g.slots;
    g.symbols = g.base - 11 < 190 ? g.base - 11 : 190;
    uint32_t doublings = 0;
    while (doublings < 8 && (uint64_t)2 << doublings <= g.homes)
        doublings++;
    const uint32_t tail = 1 + (29 * doublings + g.slots - 1) / g.slots;
    g.lines = g.homes + (g.homes == 1 ? 0 : tail);
    return g;
}

static void set_bits(uint8_t *line, uint32_t at, uint32_t n, uint64_t value)
{
    for (uint32_t i = 0; i < n; i++)
        if (value >> i & 1)
            line[(at + i) / 8] |= (uint8_t)(1 << (at + i) % 8);
}

/* Writes the list.  False if it does not fit. */
static bool layout(const struct model *m, const struct geometry *g, uint8_t *cells)
{
    uint64_t quotient = 0; /* the next to write, */
    size_t item = 0;       /* and the next element of it */
    uint32_t copy = 0;
    memset(cells, 0, (size_t)(g->lines * LINE / 8));
    for (uint64_t line = 0; line < g->lines; line++) {
        uint8_t *at = cells + line * LINE / 8;
        const uint64_t own = line * g->quotients;
        uint32_t len = 0, keys = 0;
        if (own - quotient > 511)
            return false;
        set_bits(at, g->base - 9, 9, own - quotient);
        while (quotient < own + g->quotients && len < g->symbols && keys < g->slots) {
            len++;
            const struct item *next = item < m->n ? &m->items[item] : NULL;
            if (!next || next->fingerprint >> g->r != quotient) {
                quotient++;
                continue;
            }
            set_bits(at, len, 1, 1);
            set_bits(at, g->base + keys++ * g->r, g->r,
                     next->fingerprint & (((uint64_t)1 << g->r) - 1));
            if (++copy == next->copies) {
                item++;
                copy = 0;
            }
        }
    }
    return quotient == g->lines * g->quotients && item == m->n;
}

/* ---- Subjects ---- */

struct subject {
    petal_filter *f;
    struct model m;
};

static void subject_free(struct subject *s)
{
    petal_free(s->f);
    free(s->m.items);
    *s = (struct subject){ 0 };
}

struct listed {
    const struct model *m;
    uint64_t range;
    size_t n;
};

static int check_listed(void *context, const petal_fingerprint *found)
{
    struct listed *l = context;
    const struct item *item = &l->m->items[l->n];
    holds(l->n < l->m->n && found->copies == item->copies && found->other == 0);
    holds(fingerprint_of(found->first, l->range) == item->fingerprint);
    holds(fingerprint_of(found->last, l->range) == item->fingerprint);
    holds(found->first == 0 ||
          fingerprint_of(found->first - 1, l->range) < item->fingerprint);
    holds(found->last == UINT64_MAX ||
          fingerprint_of(found->last + 1, l->range) > item->fingerprint);
    l->n++;
    return 0;
}

/* Every fingerprint, every bit.  Only for one stage. */
static void check_whole(const struct subject *s)
{
    struct listed listed = { &s->m, petal_shape_of(s->f)->fingerprints, 0 };
    holds(petal_size(s->f) == s->m.total);
    holds(petal_fingerprints(s->f, NULL, check_listed, &listed) == PETAL_OK);
    holds(listed.n == s->m.n);
    petal_filter *copy;
    holds(petal_copy(s->f, &copy) == PETAL_OK);
    holds(petal_seal(copy) == PETAL_OK);
    const struct geometry g = geometry_of(petal_shape_of(copy));
    size_t len;
    const void *cells = petal_cells(copy, &len);
    uint8_t *mine = malloc(len);
    require(mine);
    holds(len == g.lines * LINE / 8);
    holds(layout(&s->m, &g, mine));
    holds(memcmp(cells, mine, len) == 0);
    free(mine);
    petal_free(copy);
}

static void check_hash(const struct subject *s, uint64_t hash)
{
    const struct item *item =
        model_find(&s->m, fingerprint_of(hash, petal_shape_of(s->f)->fingerprints));
    petal_run run;
    bool found = false;
    holds(petal_contains_hash(s->f, hash) == (item != NULL));
    holds(petal_count_hash(s->f, hash) == (item ? item->copies : 0));
    holds(petal_run_of(s->f, hash, 0, &run));
    for (uint32_t i = 0; i < run.len && i < PETAL_RUN_MAX; i++)
        found = found || run.remainders[i] == run.remainder;
    holds(found == (item != NULL) || run.len > PETAL_RUN_MAX);
}

/* Returns false if it was refused. */
static bool subject_add(struct subject *s, uint64_t hash)
{
    const uint64_t f = fingerprint_of(hash, petal_shape_of(s->f)->fingerprints);
    const bool known = model_find(&s->m, f);
    const int rc = petal_add_hash(s->f, hash);
    holds(rc == (known ? 0 : 1) || rc == PETAL_E_FULL);
    if (rc >= 0)
        model_add(&s->m, f, 1);
    return rc >= 0;
}

static void subject_remove(struct subject *s, uint64_t hash)
{
    const uint64_t f = fingerprint_of(hash, petal_shape_of(s->f)->fingerprints);
    const bool known = model_find(&s->m, f);
    if (s->m.once) {
        holds(petal_remove_hash(s->f, hash) == PETAL_E_ABILITY);
        return;
    }
    holds(petal_remove_hash(s->f, hash) == known);
    model_remove(&s->m, f);
}

static void subject_reload(struct subject *s)
{
    size_t len;
    petal_filter *copy;
    const void *bytes = petal_bytes(s->f, &len);
    holds(petal_view(bytes, len, PETAL_COPY, &copy) == PETAL_OK);
    petal_free(s->f);
    s->f = copy;
}

/* ---- Small programs ---- */

enum { UNIFORM, FEW, NEAR, SEQUENCE, PATTERNS };

static uint64_t hash_of_pattern(random_state *r, unsigned pattern)
{
    switch (pattern) {
    case FEW: return random_below(r, 20) * 0x9E3779B97F4A7C15;
    case NEAR: return (random_next(r) >> 12) + ((uint64_t)7 << 60);
    case SEQUENCE: return random_below(r, 400) << 40;
    default: return random_next(r);
    }
}

static petal_options options_random(random_state *r)
{
    static const double rates[] = { 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9 };
    petal_options o = { .kind = PETAL_QUOTIENT, .fpr = rates[random_below(r, 6)] };
    o.capacity = 1 + random_below(r, random_below(r, 2) ? 20 : 300);
    if (random_below(r, 2)) {
        o.growth = 4;
        o.capacity_max = o.capacity * (1 + random_below(r, 50));
    }
    o.insert_only = random_below(r, 4) == 0;
    return o;
}

static void do_merge(struct subject *a, const struct subject *b, bool intersect)
{
    const int rc = (intersect ? petal_intersect : petal_union)(a->f, b->f);
    holds(rc == PETAL_OK || rc == PETAL_E_FULL);
    if (rc == PETAL_OK)
        model_merge(&a->m, &b->m, intersect);
}

static void do_step(struct subject *a, struct subject *b, random_state *r, unsigned pattern)
{
    const uint64_t hash = hash_of_pattern(r, pattern);
    switch (random_below(r, 60)) {
    case 0: do_merge(a, b, false); break;
    case 1: do_merge(a, b, true); break;
    case 2: holds(petal_compact(a->f) == PETAL_OK); break;
    case 3: subject_reload(a); break;
    case 4:
        if (random_below(r, 4) == 0) {
            holds(petal_clear(a->f) == PETAL_OK);
            a->m.n = 0;
            a->m.total = 0;
        }
        break;
    case 5: check_whole(a); break;
    default:
        if (random_below(r, 3) == 0)
            subject_remove(a, hash);
        else if (!subject_add(a, hash))
            check_whole(a); /* nothing is lost */
        check_hash(a, hash);
        check_hash(a, hash_of_pattern(r, pattern));
    }
}

/* Two filters with the same keys have the same bytes, whatever was done to them. */
static void check_same_bytes(struct subject *s, petal_options o)
{
    petal_filter *again = filter_made(o);
    const uint64_t range = petal_shape_of(again)->fingerprints;
    struct listed l = { &s->m, range, 0 };
    for (size_t i = s->m.n; i-- > 0;)
        for (uint32_t copy = 0; copy < s->m.items[i].copies; copy++) {
            uint64_t hash = UINT64_MAX / range * s->m.items[i].fingerprint;
            while (fingerprint_of(hash, range) < s->m.items[i].fingerprint)
                hash += UINT64_MAX / range / 2 + 1;
            if (petal_add_hash(again, hash) < 0) { /* grown by other ways only */
                petal_free(again);
                return;
            }
        }
    holds(petal_fingerprints(again, NULL, check_listed, &l) == PETAL_OK);
    holds(petal_compact(again) == PETAL_OK && petal_compact(s->f) == PETAL_OK);
    holds(same_image(again, s->f));
    petal_free(again);
}

static void run_small(random_state *r)
{
    const petal_options o = options_random(r);
    petal_shape shape;
    if (petal_plan(&o, &shape) < 0)
        return; /* too low a rate for the maximum */
    struct subject two[2] = { { .f = filter_made(o), .m.once = o.insert_only },
                              { .f = filter_made(o), .m.once = o.insert_only } };
    const unsigned pattern = (unsigned)random_below(r, PATTERNS);
    const uint64_t steps = random_below(r, 600);
    for (uint64_t i = 0; i < steps; i++) {
        const bool second = random_below(r, 4) == 0;
        do_step(&two[second], &two[!second], r, pattern);
    }
    check_whole(&two[0]);
    check_whole(&two[1]);
    check_same_bytes(&two[0], o);
    subject_free(&two[0]);
    subject_free(&two[1]);
}

/* ---- Large programs: tables that move a few lines at a time ---- */

static void run_large(random_state *r, petal_options o, unsigned keys)
{
    struct subject s = { .f = filter_made(o) };
    for (unsigned i = 0; i < keys; i++) {
        const uint64_t hash = random_next(r);
        holds(subject_add(&s, hash));
        if (i % 5 == 0)
            subject_remove(&s, random_below(r, 2) ? hash : random_next(r));
        if (i % 16 == 0) {
            check_hash(&s, hash);
            check_hash(&s, random_next(r));
        }
        if (i % 4999 == 0)
            check_whole(&s);
        if (i % 17989 == 0)
            subject_reload(&s);
    }
    check_whole(&s);
    for (unsigned i = 0; s.m.n > 100; i++) { /* smaller again */
        const struct item *item = &s.m.items[random_below(r, s.m.n)];
        const uint64_t range = petal_shape_of(s.f)->fingerprints;
        uint64_t hash = UINT64_MAX / range * item->fingerprint;
        while (fingerprint_of(hash, range) < item->fingerprint)
            hash += UINT64_MAX / range / 2 + 1;
        subject_remove(&s, hash);
        if (i % 7919 == 0) {
            holds(petal_compact(s.f) == PETAL_OK);
            check_whole(&s);
        }
    }
    check_whole(&s);
    check_same_bytes(&s, o);
    subject_free(&s);
}

/* ---- Refusals: a table takes as many keys as it is planned for ---- */

/* A fixed filter that refuses a key doubles instead, and that can be seen. */
static void run_full(random_state *r, uint64_t filters)
{
    static const double rates[] = { 0.05, 0.01, 1e-3, 1e-5, 1e-8 };
    for (program = 0; program < filters; program++) {
        const unsigned digits = (unsigned)random_below(r, 10);
        const uint64_t n = 1 + random_below(r, digits < 6   ? 100
                                               : digits < 9 ? 1000
                                                            : 10000);
        const petal_options o = { .kind = PETAL_QUOTIENT,
                                  .capacity = n,
                                  .fpr = rates[random_below(r, 5)] };
        petal_filter *f = filter_made(o);
        for (uint64_t i = 0; i < n; i++)
            holds(petal_add_hash(f, random_next(r)) >= 0);
        holds(petal_size(f) == n && petal_shape_of(f)->steps == 0);
        petal_free(f);
    }
}

/* ---- Keys that someone has chosen ---- */

static void run_chosen(void)
{
    struct subject s = { .f = filter_made((petal_options){ .kind = PETAL_QUOTIENT,
                                                           .capacity = 100000 }) };
    for (unsigned i = 0; i < 1000; i++) /* all equal */
        holds(subject_add(&s, 12345));
    holds(s.m.total == STUCK && petal_count_hash(s.f, 12345) == STUCK);
    subject_remove(&s, 12345);
    holds(petal_count_hash(s.f, 12345) == STUCK);
    const uint64_t step = UINT64_MAX / petal_shape_of(s.f)->fingerprints + 1;
    uint64_t i = 0;
    while (i < 100000 && subject_add(&s, ((uint64_t)3 << 62) + i * step))
        i++; /* neighbours, all in a few lines */
    holds(i > 100 && i < 100000);
    check_whole(&s);
    for (uint64_t j = 0; j < i; j++)
        check_hash(&s, ((uint64_t)3 << 62) + j * step);
    for (uint64_t j = 0; j < i; j++)
        subject_remove(&s, ((uint64_t)3 << 62) + j * step);
    holds(s.m.n == 1);
    check_whole(&s);
    subject_free(&s);
}

/* ---- Stages: the number of keys is not known ---- */

/* Opens the image of a filter, which has changed since it was opened. */
static petal_filter *reopened(petal_filter *f)
{
    size_t len;
    petal_filter *copy, *again;
    const uint64_t keys = petal_size(f);
    holds(petal_copy(f, &copy) == PETAL_OK);
    const void *bytes = petal_bytes(copy, &len);
    holds(petal_view(bytes, len, PETAL_COPY, &again) == PETAL_OK);
    holds(petal_size(again) == keys);
    petal_free(copy);
    petal_free(f);
    return again;
}

/* Removing every key that was added, in any order, never fails and leaves nothing. */
static void run_stages(random_state *r, unsigned keys)
{
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_QUOTIENT, .capacity = 10, .growth = 4 });
    uint64_t *hashes = malloc(keys * sizeof *hashes);
    require(hashes);
    for (unsigned i = 0; i < keys; i++) {
        hashes[i] = random_next(r);
        holds(petal_add_hash(f, hashes[i]) >= 0);
        const uint64_t other = hashes[random_below(r, i + 1)];
        holds(petal_contains_hash(f, other) && petal_count_hash(f, other) > 0);
    }
    holds(petal_stages(f) == 3 && petal_size(f) == keys);
    petal_filter *copy;
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    holds(petal_view(bytes, len, PETAL_COPY, &copy) == PETAL_OK);
    for (unsigned i = keys; i-- > 0;) {
        const size_t at = (size_t)random_below(r, i + 1);
        const uint64_t hash = hashes[at];
        holds(petal_contains_hash(copy, hash) && petal_remove_hash(copy, hash) == 1);
        hashes[at] = hashes[i];
        if (i == keys / 2) {
            holds(petal_add_hash(copy, 1) >= 0);
            copy = reopened(copy);
            holds(petal_remove_hash(copy, 1) == 1);
        }
    }
    holds(petal_size(copy) == 0);
    holds(petal_compact(copy) == PETAL_OK && petal_stages(copy) == 1);
    free(hashes);
    petal_free(copy);
    petal_free(f);
}

/* With insert_only, a key is in one stage only. */
static void run_once(random_state *r, unsigned keys)
{
    petal_filter *f = filter_made((petal_options){
        .kind = PETAL_QUOTIENT, .capacity = 10, .growth = 4, .insert_only = true });
    uint64_t *hashes = malloc(keys * sizeof *hashes);
    require(hashes);
    uint64_t added = 0;
    for (unsigned i = 0; i < keys; i++) {
        hashes[i] = random_next(r);
        added += petal_add_hash(f, hashes[i]) > 0;
        const uint64_t bits = petal_shape_of(f)->bits;
        holds(petal_add_hash(f, hashes[i]) == 0);
        holds(petal_shape_of(f)->bits == bits); /* it does not grow for a known key */
    }
    const uint32_t stages = petal_stages(f);
    holds(stages > 1 && petal_size(f) == added);
    for (unsigned i = 0; i < keys; i++)
        holds(petal_add_hash(f, hashes[i]) == 0 && petal_count_hash(f, hashes[i]) == 1);
    holds(petal_stages(f) == stages && petal_size(f) == added);
    free(hashes);
    petal_free(f);
}

/* ---- Statistics ---- */

/* Copies raise neither the number of distinct keys nor the rate. */
static void run_copies(random_state *r)
{
    petal_filter *f =
        filter_made((petal_options){ .kind = PETAL_QUOTIENT, .capacity = 5000 });
    petal_stats once, again;
    for (unsigned i = 0; i < 1000; i++)
        holds(petal_add_hash(f, random_next(r)) >= 0);
    petal_stats_of(f, &once);
    holds(fabs(once.keys_estimate - 1000) < 10);
    for (unsigned i = 0; i < 20; i++)
        holds(petal_add_hash(f, 1) >= 0);
    petal_stats_of(f, &again);
    holds(again.keys_added == 1000 + STUCK && again.saturated == 1);
    holds(again.keys_estimate < once.keys_estimate + 2);
    holds(again.fpr_estimate < once.fpr_estimate * 1.01);
    petal_free(f);
}

int main(int argc, char **argv)
{
    const unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    for (program = 0; program < programs; program++) {
        random_state r = { program };
        run_small(&r);
    }
    random_state r = { 17 };
    run_full(&r, argc > 2 ? strtoull(argv[2], NULL, 10) : 2000);
    run_chosen();
    run_stages(&r, 500000);
    run_once(&r, 100000);
    run_copies(&r);
    run_large(&r, (petal_options){ .kind = PETAL_QUOTIENT, .capacity = 40000 }, 50000);
    run_large(
        &r,
        (petal_options){
            .kind = PETAL_QUOTIENT, .capacity = 100, .capacity_max = 1000000, .fpr = 1e-3 },
        60000);
    return 0;
}
