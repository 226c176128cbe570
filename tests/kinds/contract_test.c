/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contract_test.c: what every kind must do, for every kind in the list.
 *
 * It covers a new kind as soon as the kind is in src/kinds/list.c.
 */
#include "check.h"
#include "support.h"

#define N 2000

/* Keys that exact kinds accept too. */
static petal_key key_of(unsigned i, char text[24])
{
    return (petal_key){ text, (size_t)snprintf(text, 24, "%u", i) };
}

static petal_filter *filled(petal_kind kind, unsigned n)
{
    petal_filter *f = filter_made(options_for(kind, N));
    for (unsigned i = 0; i < n; i++)
        assert_true(petal_add_int(f, i) >= 0);
    return f;
}

static unsigned able(petal_kind kind)
{
    return petal_abilities(kind);
}

static void a_new_filter_is_empty(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_built(filled(kind, 0));
        petal_stats s;
        petal_stats_of(f, &s);
        assert_true(petal_size(f) == 0 && s.cells_set == 0 && s.fill == 0);
        assert_true(s.keys_estimate == 0 && s.fpr_estimate == 0 && s.keys_added == 0);
        assert_true(s.writable && s.counted && s.stages == 1 && s.saturated == 0);
        for (unsigned i = 0; i < N; i++)
            assert_false(petal_contains_int(f, i));
        petal_free(f);
    }
}

static void every_member_is_found(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_built(filled(kind, N));
        for (unsigned i = 0; i < N; i++)
            assert_true(petal_contains_int(f, i));
        petal_free(f);
    }
}

static void adding_reports_whether_the_key_is_new(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (able(kind) & PETAL_IS_STATIC)
            continue;
        petal_filter *f = filled(kind, 0);
        unsigned added = 0;
        for (unsigned i = 0; i < N; i++) {
            const bool before = petal_contains_int(f, i);
            const int rc = petal_add_int(f, i);
            assert_int_equal(rc, !before);
            assert_int_equal(petal_add_int(f, i), 0);
            added += (unsigned)rc;
        }
        assert_true(petal_size(f) == (able(kind) & PETAL_CAN_COUNT ? 2 * N : added));
        petal_free(f);
    }
}

/* Members and false positives. */
static void adding_a_key_again_changes_nothing(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (able(kind) & (PETAL_IS_STATIC | PETAL_CAN_RENEW))
            continue;
        petal_filter *f = filter_made(options_with_room(kind, N, 20 * N)), *before;
        for (unsigned i = 0; i < N; i++)
            assert_true(petal_add_int(f, i) >= 0);
        assert_int_equal(petal_seal(f), PETAL_OK);
        assert_int_equal(petal_copy(f, &before), PETAL_OK);
        const uint64_t size = petal_size(f);
        for (unsigned i = 0; i < 20 * N; i++) {
            if (!petal_contains_int(f, i))
                continue;
            assert_int_equal(petal_add_int(f, i), 0);
            assert_true(same_cells(f, before) && petal_size(f) == size);
        }
        assert_int_equal(petal_verify(f, NULL), PETAL_OK); /* still sealed */
        petal_free(f);
        petal_free(before);
    }
}

/* The integers below n, ascending or descending. */
static petal_filter *filled_in_order(petal_options o, unsigned n, bool down)
{
    petal_filter *f = filter_made(o);
    for (unsigned i = 0; i < n; i++)
        assert_true(petal_add_int(f, down ? n - 1 - i : i) >= 0);
    assert_int_equal(petal_seal(f), PETAL_OK);
    return f;
}

static void assert_order_shows_only_if_it_may(petal_options o)
{
    petal_filter *a = filled_in_order(o, N, false), *b = filled_in_order(o, N, true);
    for (unsigned i = 0; i < N; i++)
        assert_true(petal_contains_int(a, i) && petal_contains_int(b, i));
    if (!(able(o.kind) & PETAL_IS_ORDERED))
        assert_true(same_cells(a, b));
    petal_free(a);
    petal_free(b);
}

static void the_same_keys_in_any_order_give_the_same_cells(void **state)
{
    (void)state;
    for_every_kind(kind) {
        assert_order_shows_only_if_it_may(options_for(kind, N));
        /* ten times the capacity: filters that can grow have grown */
        assert_order_shows_only_if_it_may(options_with_room(kind, N / 10, N));
    }
}

/* Without false positives the whole image is the same, not only the cells: the header
 * counts the keys that were new.  A tenth of the capacity fills so few cells that there are
 * none. */
static void the_same_keys_in_any_order_give_the_same_image(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const petal_options o = options_for(kind, N);
        petal_filter *a = filled_in_order(o, N / 10, false);
        petal_filter *b = filled_in_order(o, N / 10, true);
        if (!(able(kind) & PETAL_IS_ORDERED))
            assert_true(same_image(a, b));
        petal_free(a);
        petal_free(b);
    }
}

static void batches_give_the_results_of_single_calls(void **state)
{
    (void)state;
    static char text[N][24];
    static petal_key keys[N];
    static uint64_t hashes[N];
    static signed char result[N];
    static bool found[N];
    for (unsigned i = 0; i < N; i++)
        keys[i] = key_of(i, text[i]);
    for_every_kind(kind) {
        petal_filter *one = filled(kind, 0), *many = filled(kind, 0),
                     *by_hash = filled(kind, 0);
        for (unsigned i = 0; i < N; i++)
            hashes[i] = petal_hash(one, keys[i].data, keys[i].len);
        const int64_t added = petal_add_many(many, keys, N, result);
        assert_true(petal_add_hashes(by_hash, hashes, N, NULL) ==
                    (needs_keys(kind) ? PETAL_E_ABILITY : added));
        for (unsigned i = 0; i < N; i++) {
            const int rc = petal_add(one, keys[i].data, keys[i].len);
            assert_int_equal(rc, result[i]);
        }
        assert_true(same_image(one, many));
        assert_true(needs_keys(kind) || same_image(one, by_hash));
        assert_true(petal_contains_many(many, keys, N, found) == N);
        for (unsigned i = 0; i < N; i++)
            assert_true(found[i]);
        assert_true(petal_contains_hashes(many, hashes, N, NULL) == N);
        assert_true(petal_contains_many(many, keys, 0, NULL) == 0);
        assert_true(petal_add_many(many, keys, 0, NULL) ==
                    (able(kind) & PETAL_IS_STATIC ? PETAL_E_SEALED : 0));
        petal_free(one);
        petal_free(many);
        petal_free(by_hash);
    }
}

static void estimates_are_close(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_built(filled(kind, N));
        petal_stats s;
        petal_stats_of(f, &s);
        assert_true(s.keys_estimate > 0.93 * N && s.keys_estimate < 1.07 * N);
        assert_true(s.fill > 0 && s.fill <= 1);
        const double promised = petal_shape_of(f)->fpr;
        assert_true(s.fpr_estimate <= promised * 1.5);
        /* the estimate, compared with 200,000 lookups of non-members */
        unsigned found = 0;
        for (unsigned i = 0; i < 200000; i++)
            found += petal_contains_int(f, 1000000 + i);
        assert_true(found < binomial_limit(200000, s.fpr_estimate + 1e-12));
        assert_true(is_exact(kind) || found > 200000 * s.fpr_estimate * 0.8);
        petal_free(f);
    }
}

static void an_overfilled_filter_still_finds_its_members(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_with_room(kind, 10, 100000));
        for (unsigned i = 0; i < 100000; i++)
            assert_true(petal_add_int(f, i) >= 0);
        filter_built(f);
        for (unsigned i = 0; i < 100000; i++)
            assert_true(petal_contains_int(f, i));
        petal_stats s;
        petal_stats_of(f, &s);
        assert_true(s.keys_estimate > 0 && s.keys_estimate < 1e12);
        assert_true(s.fpr_estimate <= 1);
        if (!(able(kind) &
              (PETAL_IS_EXACT | PETAL_CAN_GROW | PETAL_IS_STATIC | PETAL_CAN_FORGET)))
            assert_true(s.fpr_estimate > 0.99);
        petal_free(f);
    }
}

/* ---- Kinds that forget ---- */

static void add_range(petal_filter *f, unsigned from, unsigned end)
{
    for (unsigned i = from; i < end; i++)
        assert_true(petal_add_int(f, i) >= 0);
}

static unsigned found_between(const petal_filter *f, unsigned from, unsigned end)
{
    unsigned found = 0;
    for (unsigned i = from; i < end; i++)
        found += petal_contains_int(f, i);
    return found;
}

/* At every moment the latest keys are found.  In the end the first are gone, and the rate
 * is the planned one. */
static void a_kind_that_forgets_has_the_latest_keys(void **state)
{
    (void)state;
    enum { KEEPS = 500, ALL = 20 * KEEPS };
    for_every_kind(kind) {
        if (!can_forget(kind))
            continue;
        petal_filter *f = filter_made(options_for(kind, KEEPS));
        const double rate = petal_shape_of(f)->fpr;
        double found = 0, queries = 0;
        for (unsigned n = 0; n < ALL; n++) {
            add_range(f, n, n + 1);
            const unsigned first = n < KEEPS ? 0 : n - KEEPS; /* the latest KEEPS keys */
            assert_int_equal(found_between(f, first, n + 1), n + 1 - first);
            found += found_between(f, ALL + 100 * n, ALL + 100 * n + 100);
            queries += 100;
        }
        /* 1.05: the rate of such a small filter varies */
        assert_true(found < binomial_limit(queries, 1.05 * rate));
        assert_true(found_between(f, 0, ALL / 2) < binomial_limit(ALL / 2, 1.05 * rate));
        petal_stats s;
        petal_stats_of(f, &s);
        assert_true(s.keys_estimate > 0.9 * KEEPS && s.keys_estimate < ALL / 2);
        assert_true(s.fpr_estimate < 1.2 * rate);
        assert_true(petal_fpr(petal_shape_of(f), ALL) <= rate);
        petal_free(f);
    }
}

/* Additions that returned 1, including keys that are forgotten by now. */
static void a_kind_that_forgets_counts_all_new_keys(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!can_forget(kind))
            continue;
        petal_filter *f = filter_made(options_for(kind, 100));
        uint64_t added = 0;
        for (unsigned i = 0; i < 5000; i++)
            added += petal_add_int(f, i) == 1;
        assert_true(petal_size(f) == added && petal_is_counted(f) && added > 4500);
        petal_free(f);
    }
}

/* A key that is added again and again is never forgotten.  Repeated keys displace no
 * others. */
static void a_key_that_is_added_again_is_not_forgotten(void **state)
{
    (void)state;
    enum { KEEPS = 300 };
    for_every_kind(kind) {
        if (!can_forget(kind))
            continue;
        petal_filter *f = filter_made(options_for(kind, KEEPS));
        for (unsigned n = 1; n < 20 * KEEPS; n++) {
            assert_true(petal_add_int(f, n) >= 0);
            if (n % KEEPS == 0)
                assert_true(petal_add_int(f, 0) >= 0);
            assert_true(n < KEEPS || petal_contains_int(f, 0));
        }
        petal_clear(f);
        add_range(f, 0, KEEPS);
        for (unsigned n = 0; n < 20 * KEEPS; n++)
            assert_int_equal(petal_add_int(f, n % 2), 0);
        assert_int_equal(found_between(f, 0, KEEPS), KEEPS);
        petal_free(f);
    }
}

/* The image contains all that determines which keys are forgotten. */
static void a_kind_that_forgets_continues_from_its_image(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!can_forget(kind))
            continue;
        petal_filter *f = filter_made(options_for(kind, 100)), *back, *copy;
        petal_filter *straight = filter_made(options_for(kind, 100));
        for (unsigned i = 0; i < 1000; i++) {
            petal_add_int(f, i);
            petal_add_int(straight, i);
            if (i % 30 == 0) {
                size_t len;
                const void *bytes = petal_bytes(f, &len);
                assert_int_equal(petal_view(bytes, len, PETAL_COPY, &back), PETAL_OK);
                assert_int_equal(petal_copy(back, &copy), PETAL_OK);
                petal_free(back);
                petal_free(f);
                f = copy;
            }
        }
        assert_true(same_image(f, straight));
        petal_free(f);
        petal_free(straight);
    }
}

static void a_copy_is_independent(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filled(kind, N / 2), *copy;
        assert_int_equal(petal_copy(f, &copy), PETAL_OK);
        assert_true(same_image(f, copy));
        assert_true(petal_size(copy) == petal_size(f));
        for (unsigned i = N / 2; i < N; i++)
            petal_add_int(copy, i);
        petal_free(copy);
        unsigned found = 0;
        for (unsigned i = N / 2; i < N; i++)
            found += petal_contains_int(f, i);
        assert_true(found < N / 20);
        petal_free(f);
    }
}

static void clearing_restores_the_new_filter(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_options o = options_with_room(kind, N, 5 * N);
        petal_filter *f = filter_made(o), *fresh = filter_made(o);
        for (unsigned i = 0; i < 5 * N; i++)
            petal_add_int(f, i);
        assert_int_equal(petal_clear(f), PETAL_OK);
        assert_true(same_image(f, fresh));
        size_t len;
        petal_bytes(f, &len);
        assert_true(petal_shape_of(f)->image_bytes == len);
        assert_int_equal(petal_clear(f), PETAL_OK);
        for (unsigned i = 0; i < 5 * N; i++)
            petal_add_int(f, i);
        filter_built(f);
        for (unsigned i = 0; i < 5 * N; i++)
            assert_true(petal_contains_int(f, i));
        petal_free(f);
        petal_free(fresh);
    }
}

static void a_union_is_the_filter_of_both_sets(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *a = filled(kind, 0), *b = filled(kind, 0), *both = filled(kind, 0);
        for (unsigned i = 0; i < N; i++) {
            petal_add_int(i % 2 ? a : b, i);
            petal_add_int(both, i);
        }
        const int rc = petal_union(a, b);
        if (!(able(kind) & PETAL_CAN_MERGE)) {
            assert_int_equal(rc, PETAL_E_ABILITY);
        } else {
            assert_int_equal(rc, PETAL_OK);
            assert_true(same_cells(a, both));
            const double size = (double)petal_size(a);
            assert_true(size > 0.95 * N && size < 1.05 * N);
        }
        petal_free(a);
        petal_free(b);
        petal_free(both);
    }
}

static void an_intersection_finds_keys_that_both_filters_have(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *a = filled(kind, 0), *b = filled(kind, 0);
        for (unsigned i = 0; i < N; i++) {
            if (i % 2 == 0)
                petal_add_int(a, i);
            if (i % 3 == 0)
                petal_add_int(b, i);
        }
        const int rc = petal_intersect(a, b);
        assert_int_equal(rc, able(kind) & PETAL_CAN_MERGE ? PETAL_OK : PETAL_E_ABILITY);
        for (unsigned i = 0; i < N; i += 6)
            assert_true(petal_contains_int(a, i));
        if (is_exact(kind))
            assert_true(petal_size(a) == (N + 5) / 6);
        petal_free(a);
        petal_free(b);
    }
}

static void assert_no_merge(petal_filter *f, petal_options other)
{
    petal_filter *g = filter_made(other);
    assert_int_equal(petal_union(f, g), PETAL_E_MISMATCH);
    assert_int_equal(petal_intersect(f, g), PETAL_E_MISMATCH);
    petal_free(g);
}

static void filters_that_differ_do_not_merge(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!(able(kind) & PETAL_CAN_MERGE))
            continue;
        petal_filter *f = filled(kind, N / 2), *before;
        assert_int_equal(petal_copy(f, &before), PETAL_OK);
        assert_no_merge(f, options_for(kind, 2 * N));
        if (takes_option(kind, "seed=1"))
            assert_no_merge(f, options_and(options_for(kind, N), "seed=1"));
        for_every_kind(other) {
            if (other != kind)
                assert_no_merge(f, options_for(other, N));
        }
        assert_true(same_image(f, before));
        petal_free(f);
        petal_free(before);
    }
}

static void unsupported_operations_return_the_same_error(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filled(kind, 10);
        const int removed = petal_remove_int(f, 3);
        assert_int_equal(removed, able(kind) & PETAL_CAN_REMOVE ? 1 : PETAL_E_ABILITY);
        const int shared = petal_add_shared(f, "7", 1);
        assert_int_equal(shared, able(kind) & PETAL_CAN_SHARE ? 0 : PETAL_E_ABILITY);
        assert_true(petal_count(f, "5", 1) == 1 &&
                    petal_count_hash(f, petal_hash_int(f, 5)) == 1);
        petal_free(f);
    }
}

static void cells_can_be_exported_and_imported(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_built(filled(kind, N / 2)), *back;
        const petal_shape *s = petal_shape_of(f);
        petal_options o = { .kind = kind, .bits = s->bits }, exactly = o;
        exactly.hashes = s->hashes;
        o = options_either(exactly, o);
        size_t len;
        const void *cells = petal_cells(f, &len);
        const int rc = petal_import(&o, cells, len, &back);
        if (!(able(kind) & PETAL_CAN_IMPORT)) { /* the cells are not all of it */
            assert_int_equal(rc, PETAL_E_ABILITY);
        } else {
            assert_int_equal(rc, PETAL_OK);
            assert_true(same_cells(f, back));
            for (unsigned i = 0; i < 10 * N; i++)
                assert_true(petal_contains_int(f, i) == petal_contains_int(back, i));
            const double size = (double)petal_size(back);
            assert_true(size > 0.94 * N / 2 && size < 1.06 * N / 2);
            petal_free(back);
            assert_int_equal(petal_import(&o, cells, len - 1, &back), PETAL_E_SHAPE);
        }
        assert_null(back);
        petal_free(f);
    }
}

/* Other bits or other probes would miss members. */
static void cells_are_imported_with_the_original_options(void **state)
{
    (void)state;
    for_every_kind(kind) {
        for (unsigned n = 1; n < 300 && able(kind) & PETAL_CAN_IMPORT; n += 7) {
            const petal_options o = options_for(kind, n);
            petal_filter *f = filter_made(o), *back;
            for (unsigned i = 0; i < n; i++)
                petal_add_int(f, i);
            filter_built(f);
            size_t len;
            const void *cells = petal_cells(f, &len);
            assert_int_equal(petal_import(&o, cells, len, &back), PETAL_OK);
            assert_true(petal_shape_of(back)->bits == petal_shape_of(f)->bits);
            assert_true(same_cells(f, back));
            for (unsigned i = 0; i < n; i++)
                assert_true(petal_contains_int(back, i));
            petal_free(f);
            petal_free(back);
        }
    }
}

static void shared_additions_give_the_same_cells(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!(able(kind) & PETAL_CAN_SHARE))
            continue;
        petal_filter *a = filled(kind, N), *b = filled(kind, 0);
        for (unsigned i = 0; i < N; i++) {
            char text[24];
            const petal_key key = key_of(i, text);
            const bool before = petal_contains(b, key.data, key.len);
            assert_int_equal(petal_add_shared(b, key.data, key.len), !before);
        }
        assert_true(same_cells(a, b));
        petal_stats s;
        petal_stats_of(b, &s);
        assert_true(!s.counted && s.keys_added == 0);
        const double size = (double)petal_size(b);
        assert_true(size > 0.93 * N && size < 1.07 * N);
        petal_free(a);
        petal_free(b);
    }
}

static void a_static_kind_accepts_keys_only_before_it_is_built(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!(able(kind) & PETAL_IS_STATIC))
            continue;
        petal_filter *f = filled(kind, 0), *copy;
        const petal_key keys[2] = { { "1", 1 }, { "2", 1 } };
        const uint64_t hashes[2] = { 1, 2 };
        signed char result[2];
        size_t len;
        petal_stats s;
        assert_int_equal(petal_add(f, "1", 1), 1);
        assert_int_equal(petal_add_many(f, keys, 2, result), 2);
        assert_true(result[0] == 1 && result[1] == 1 && petal_size(f) == 3);
        assert_true(petal_contains(f, "any", 3)); /* not known before it is built */
        assert_true(petal_contains_many(f, keys, 2, NULL) == 2);
        petal_stats_of(f, &s);
        assert_true(s.fpr_estimate == 1 && s.cells_set == 0 && !s.sealed && s.writable);
        assert_null(petal_cells(f, &len));
        assert_true(len == 0 && petal_probes(f, 1, NULL, NULL, 0) == 0);
        assert_int_equal(petal_verify(f, NULL), PETAL_E_UNSEALED);
        assert_int_equal(petal_copy(f, &copy), PETAL_OK);
        assert_int_equal(petal_seal(f), PETAL_OK);
        assert_int_equal(petal_add(copy, "3", 1), 1); /* the copy is independent */

        assert_true(petal_size(f) == 2 && petal_shape_of(f)->capacity == 2);
        assert_true(petal_contains(f, "1", 1) && petal_contains(f, "2", 1));
        assert_int_equal(petal_add(f, "1", 1), PETAL_E_SEALED);
        assert_int_equal(petal_add(f, "a key of more than 16 bytes", 27), PETAL_E_SEALED);
        assert_int_equal(petal_add_int(f, 1), PETAL_E_SEALED);
        assert_int_equal(petal_add_hash(f, 1), PETAL_E_SEALED);
        result[0] = 7;
        assert_int_equal(petal_add_many(f, keys, 2, result), PETAL_E_SEALED);
        assert_int_equal(petal_add_column(f, hashes, 8, 2, result), PETAL_E_SEALED);
        assert_int_equal(petal_add_hashes(f, hashes, 2, result), PETAL_E_SEALED);
        assert_int_equal(petal_add_classes(f, copy), PETAL_E_SEALED);
        assert_int_equal(result[0], 7);
        assert_int_equal(petal_verify(f, NULL), PETAL_OK); /* still valid */
        assert_int_equal(petal_seal(copy), PETAL_OK);
        assert_true(petal_size(copy) == 3 && petal_contains(copy, "3", 1));

        assert_int_equal(petal_clear(f), PETAL_OK);
        assert_int_equal(petal_add(f, "4", 1), 1);
        assert_int_equal(petal_seal(f), PETAL_OK);
        assert_true(petal_size(f) == 1 && petal_contains(f, "4", 1));
        petal_free(f);
        petal_free(copy);
    }
}

static void a_view_cannot_be_changed(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filled(kind, N / 2), *view;
        size_t len;
        const void *bytes = petal_bytes(f, &len);
        assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
        const petal_key key = { "1", 1 };
        signed char result;
        assert_int_equal(petal_add(view, "1", 1), PETAL_E_READONLY);
        assert_int_equal(petal_add_many(view, &key, 1, &result), PETAL_E_READONLY);
        assert_int_equal(petal_add_many(view, &key, 0, NULL), PETAL_E_READONLY);
        assert_int_equal(petal_add_hashes(view, NULL, 0, NULL), PETAL_E_READONLY);
        assert_int_equal(petal_clear(view), PETAL_E_READONLY);
        if (able(kind) & PETAL_CAN_REMOVE)
            assert_int_equal(petal_remove(view, "1", 1), PETAL_E_READONLY);
        if (able(kind) & PETAL_CAN_SHARE)
            assert_int_equal(petal_add_shared(view, "1", 1), PETAL_E_READONLY);
        if (able(kind) & PETAL_CAN_MERGE)
            assert_int_equal(petal_union(view, f), PETAL_E_READONLY);
        assert_int_equal(petal_seal(view), PETAL_OK);
        size_t view_len;
        assert_ptr_equal(petal_bytes(view, &view_len), bytes);
        assert_true(view_len == len);
        petal_free(view);
        petal_free(f);
    }
}

static void keys_may_have_any_length(void **state)
{
    (void)state;
    char key[1025];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (char)(i * 37);
    for_every_kind(kind) {
        if (is_exact(kind))
            continue;
        petal_filter *f = filled(kind, 0);
        for (size_t len = 0; len < sizeof key; len++)
            assert_true(petal_add(f, key, len) >= 0);
        filter_built(f);
        for (size_t len = 0; len < sizeof key; len++)
            assert_true(petal_contains(f, key, len));
        assert_true(petal_contains(f, NULL, 0)); /* an empty key may be NULL */
        petal_free(f);
    }
}

static void a_filter_from_a_plan_equals_the_one_from_its_options(void **state)
{
    (void)state;
    for_every_kind(kind) {
        const petal_options o = options_for(kind, 1000);
        petal_shape shape;
        petal_filter *from_plan, *from_options = filter_made(o), *none;
        assert_int_equal(petal_plan(&o, &shape), PETAL_OK);
        assert_int_equal(petal_new_shaped(&shape, &from_plan), PETAL_OK);
        for (int64_t i = 0; i < 900; i++) {
            assert_int_equal(petal_add_int(from_plan, i), petal_add_int(from_options, i));
            assert_true(petal_contains_int(from_plan, i));
        }
        assert_true(same_image(from_plan, from_options));
        petal_free(from_plan);
        petal_free(from_options);

        shape.capacity = 0;
        assert_int_equal(petal_new_shaped(&shape, &none), PETAL_E_SHAPE);
        assert_null(none);
        shape.capacity = 1000;
        shape.kind = kind_after_all();
        assert_int_equal(petal_new_shaped(&shape, &none), PETAL_E_SHAPE);
    }
}

static void a_plan_with_a_secret_draws_one_for_each_filter(void **state)
{
    (void)state;
    const petal_options o = { .capacity = 10, .hash = PETAL_HASH_KEYED };
    petal_shape shape;
    petal_filter *a, *b;
    assert_int_equal(petal_plan(&o, &shape), PETAL_OK);
    assert_int_equal(petal_new_shaped(&shape, &a), PETAL_OK);
    assert_int_equal(petal_new_shaped(&shape, &b), PETAL_OK);
    assert_memory_not_equal(petal_shape_of(a)->seed, petal_shape_of(b)->seed, 16);
    petal_free(a);
    petal_free(b);
}

static void a_shape_that_has_grown_is_rejected_as_a_plan(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!can_grow(kind))
            continue;
        petal_filter *f = filter_made(options_for(kind, 10)), *g;
        for (int64_t i = 0; i < 100; i++)
            petal_add_int(f, i);
        assert_int_equal(petal_new_shaped(petal_shape_of(f), &g), PETAL_E_SHAPE);
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_filter_is_empty),
        cmocka_unit_test(every_member_is_found),
        cmocka_unit_test(adding_reports_whether_the_key_is_new),
        cmocka_unit_test(adding_a_key_again_changes_nothing),
        cmocka_unit_test(the_same_keys_in_any_order_give_the_same_cells),
        cmocka_unit_test(the_same_keys_in_any_order_give_the_same_image),
        cmocka_unit_test(batches_give_the_results_of_single_calls),
        cmocka_unit_test(estimates_are_close),
        cmocka_unit_test(an_overfilled_filter_still_finds_its_members),
        cmocka_unit_test(a_kind_that_forgets_has_the_latest_keys),
        cmocka_unit_test(a_kind_that_forgets_counts_all_new_keys),
        cmocka_unit_test(a_key_that_is_added_again_is_not_forgotten),
        cmocka_unit_test(a_kind_that_forgets_continues_from_its_image),
        cmocka_unit_test(a_copy_is_independent),
        cmocka_unit_test(clearing_restores_the_new_filter),
        cmocka_unit_test(a_union_is_the_filter_of_both_sets),
        cmocka_unit_test(an_intersection_finds_keys_that_both_filters_have),
        cmocka_unit_test(filters_that_differ_do_not_merge),
        cmocka_unit_test(unsupported_operations_return_the_same_error),
        cmocka_unit_test(cells_can_be_exported_and_imported),
        cmocka_unit_test(cells_are_imported_with_the_original_options),
        cmocka_unit_test(shared_additions_give_the_same_cells),
        cmocka_unit_test(a_static_kind_accepts_keys_only_before_it_is_built),
        cmocka_unit_test(a_view_cannot_be_changed),
        cmocka_unit_test(keys_may_have_any_length),
        cmocka_unit_test(a_filter_from_a_plan_equals_the_one_from_its_options),
        cmocka_unit_test(a_plan_with_a_secret_draws_one_for_each_filter),
        cmocka_unit_test(a_shape_that_has_grown_is_rejected_as_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
