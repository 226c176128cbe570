/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probes_test.c: the cells that petal_probes() returns determine whether a key is found,
 * for every kind, by the rule that the kind names.
 */
#include "check.h"
#include "support.h"

#define N 2000

/* Does the rule depend only on which cells are set? */
static bool decides_by_cells(petal_kind kind)
{
    const petal_rule rule = petal_kind_words_of(kind)->rule;
    return rule == PETAL_RULE_ALL || rule == PETAL_RULE_ANY;
}

enum { PROBES_MAX = 32 * 64 };

struct probed {
    uint64_t cells[PROBES_MAX];
    uint32_t groups[PROBES_MAX];
    size_t n;
};

/* A filter for so many keys that holds N. */
static petal_filter *made(petal_kind kind, unsigned capacity, unsigned most)
{
    petal_filter *f = filter_made(options_with_room(kind, capacity, most));
    for (unsigned i = 0; i < N; i++)
        assert_true(petal_add_int(f, i) >= 0);
    return filter_built(f);
}

static size_t probes_of(const petal_filter *f, unsigned key, uint64_t *cells,
                        uint32_t *groups, size_t max)
{
    char text[24];
    const size_t len = (size_t)snprintf(text, sizeof text, "%u", key);
    return petal_probes_of(f, text, len, cells, groups, max);
}

static void probe(const petal_filter *f, unsigned key, struct probed *p)
{
    uint64_t cells[2 * PETAL_RUN_MAX];
    p->n = probes_of(f, key, p->cells, p->groups, PROBES_MAX);
    assert_true(p->n <= PROBES_MAX);
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_NEEDS_KEYS)
        return;
    assert_true(petal_probes(f, petal_hash_int(f, key), cells, NULL, 1) == p->n);
    assert_true(p->n == 0 || cells[0] == p->cells[0]);
}

static bool cell_is_set(const petal_filter *f, uint64_t cell)
{
    size_t len;
    const uint8_t *cells = petal_cells(f, &len);
    const uint32_t w = petal_shape_of(f)->counter_bits;
    bool set = false;
    for (uint64_t bit = cell * w; bit < (cell + 1) * w; bit++) {
        assert_true(bit / 8 < len);
        set |= cells[bit / 8] >> bit % 8 & 1;
    }
    return set;
}

/* For the rules ALL and ANY: are all cells set, or all cells of one group? */
static bool answer_of(const petal_filter *f, const struct probed *p)
{
    const petal_rule rule = petal_kind_words_of(petal_shape_of(f)->kind)->rule;
    bool any = false, all = true, group = true;
    for (size_t i = 0; i < p->n; i++) {
        group = group && cell_is_set(f, p->cells[i]);
        all = all && group;
        if (i + 1 == p->n || p->groups[i + 1] != p->groups[i]) {
            any |= group;
            group = true;
        }
    }
    return p->n > 0 && (rule == PETAL_RULE_ANY ? any : all);
}

/* The expected number of groups: the stages if groups are stages, otherwise `hashes`.  0 if
 * any one of them decides, where the kind may choose. */
static uint32_t groups_in(const petal_filter *f)
{
    const petal_shape *s = petal_shape_of(f);
    const petal_kind_words *words = petal_kind_words_of(s->kind);
    if (!words->group)
        return 1;
    if (words->stage && strcmp(words->group, words->stage) == 0)
        return petal_stages(f);
    return words->rule == PETAL_RULE_ANY ? 0 : s->hashes;
}

static void probes_are_the_cells_of_a_key(void **state)
{
    (void)state;
    struct probed all;
    for_every_kind(kind) {
        if (is_static(kind) || !decides_by_cells(kind))
            continue; /* no cells yet, or no cell decides alone: see below */
        petal_filter *f = filter_made(options_for(kind, N));
        for (unsigned i = 0; i < 50; i++) {
            uint64_t cells[64], first[2];
            const size_t n = probes_of(f, i, cells, NULL, 64);
            const petal_shape *s = petal_shape_of(f);
            assert_true(n > 0 && n <= 64);
            assert_true(probes_of(f, i, first, NULL, 2) == n && first[0] == cells[0]);
            assert_true(probes_of(f, i, NULL, NULL, 0) == n);
            petal_clear(f);
            petal_add_int(f, i);
            size_t len, set = 0;
            const uint8_t *bytes = petal_cells(f, &len);
            const uint32_t w = s->counter_bits;
            for (size_t p = 0; p < n; p++)
                set += bytes[cells[p] * w / 8] >> cells[p] * w % 8 & 1;
            probe(f, i, &all);
            assert_true(set == n || groups_in(f) == 0);
            assert_true(set > 0 && answer_of(f, &all));
            petal_stats stats;
            petal_stats_of(f, &stats);
            assert_true(stats.cells_set <= n);
        }
        petal_free(f);
    }
}

static void probes_are_ordered_by_group(void **state)
{
    (void)state;
    struct probed p;
    for_every_kind(kind) {
        petal_filter *f = made(kind, N / 10, N);
        assert_true(petal_stages(f) == 1 || petal_kind_words_of(kind)->stage);
        const uint32_t groups = groups_in(f);
        uint32_t most = 0;
        for (unsigned i = 0; i < N; i++) {
            probe(f, i, &p);
            assert_true(p.n > 0 && p.groups[0] == 0);
            for (size_t j = 1; j < p.n; j++)
                assert_true(p.groups[j] == p.groups[j - 1] ||
                            p.groups[j] == p.groups[j - 1] + 1);
            most = p.groups[p.n - 1] > most ? p.groups[p.n - 1] : most;
        }
        probe(f, 0, &p);
        assert_int_equal(most, groups ? groups - 1 : p.groups[p.n - 1]);
        petal_free(f);
    }
}

static void the_rule_gives_the_result_of_a_lookup(void **state)
{
    (void)state;
    struct probed p;
    for_every_kind(kind) {
        if (!decides_by_cells(kind))
            continue;
        /* overfilled; a kind that forgets still has at least its capacity */
        petal_filter *f = made(kind, N / 2, can_forget(kind) ? N / 2 : 10 * N);
        const unsigned least = can_forget(kind) ? N / 2 : N;
        petal_filter *whole; /* has its cells in one place */
        assert_int_equal(petal_copy(f, &whole), PETAL_OK);
        unsigned found = 0;
        for (unsigned i = 0; i < 10 * N; i++) { /* members and non-members */
            probe(f, i, &p);
            assert_int_equal(answer_of(whole, &p), petal_contains_int(f, i));
            found += petal_contains_int(f, i);
        }
        assert_true(found >= least && found < 10 * N); /* both answers occur */
        petal_free(whole);
        petal_free(f);
    }
}

/* The fingerprint is internal to the kind, but the parity of a group depends on its cells:
 * flipping any one of them turns a member into a non-member. */
static void every_cell_affects_the_parity(void **state)
{
    (void)state;
    struct probed p;
    for_every_kind(kind) {
        if (petal_kind_words_of(kind)->rule != PETAL_RULE_PARITY)
            continue;
        petal_filter *f = made(kind, N, N), *view;
        size_t len, cells_len;
        const uint8_t *bytes = petal_bytes(f, &len);
        const size_t first = (size_t)((const uint8_t *)petal_cells(f, &cells_len) - bytes);
        uint8_t *copy = malloc(len);
        assert_non_null(copy);
        memcpy(copy, bytes, len);
        assert_int_equal(petal_view(copy, len, PETAL_TRUST, &view), PETAL_OK);
        for (unsigned i = 0; i < N; i += 7) {
            probe(view, i, &p);
            for (size_t j = 0; j < p.n; j++) {
                uint8_t *byte = copy + first + p.cells[j] / 8, was = *byte;
                *byte ^= (uint8_t)(1u << p.cells[j] % 8);
                assert_false(petal_contains_int(view, i));
                *byte = was;
                assert_true(petal_contains_int(view, i));
            }
        }
        petal_free(view);
        petal_free(f);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_the_cells_of_a_key),
        cmocka_unit_test(probes_are_ordered_by_group),
        cmocka_unit_test(the_rule_gives_the_result_of_a_lookup),
        cmocka_unit_test(every_cell_affects_the_parity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
