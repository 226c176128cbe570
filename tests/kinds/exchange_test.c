/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange_test.c: filters of other programs are read, used and written again.
 *
 * Files that the other programs wrote are in tests/exchange/.  Here, what we write is read.
 */
#include "check.h"
#include "support.h"

#include <petal_exchange.h>

#define N 200

#define for_every_foreign(k)                                                       \
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k; k = petal_kind_next(k)) \
        if (petal_foreign_name(k))

struct bytes {
    uint8_t *at;
    size_t len;
};

static petal_filter *filled(petal_kind kind, unsigned n)
{
    petal_filter *f = filter_made((petal_options){ .kind = kind, .capacity = N });
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(petal_add_int(f, i) >= 0, 1);
    return f;
}

static struct bytes written(const petal_filter *f)
{
    const int64_t len = petal_write_foreign(f, NULL, 0);
    assert_true(len > 0);
    struct bytes b = { malloc((size_t)len), (size_t)len };
    assert_non_null(b.at);
    assert_true(petal_write_foreign(f, b.at, b.len) == len);
    return b;
}

static int read_as(petal_kind kind, const void *bytes, size_t len, petal_filter **f)
{
    return petal_read_foreign(&(petal_options){ .kind = kind }, bytes, len, f);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for_every_foreign(kind) {
        for (unsigned n = 0; n <= 4 * N; n += n ? 4 * N - 1 : 1) { /* 0, 1, many */
            petal_filter *f = filled(kind, n), *again;
            const struct bytes b = written(f);
            assert_int_equal(read_as(kind, b.at, b.len, &again), PETAL_OK);
            assert_true(same_cells(f, again));
            for (unsigned i = 0; i < n; i++)
                assert_true(petal_contains_int(again, i));
            const struct bytes twice = written(again);
            assert_true(twice.len == b.len && memcmp(twice.at, b.at, b.len) == 0);
            free(b.at);
            free(twice.at);
            petal_free(f);
            petal_free(again);
        }
    }
}

static void a_filter_that_was_read_is_like_any_other(void **state)
{
    (void)state;
    for_every_foreign(kind) {
        petal_filter *f = filled(kind, N / 2), *again, *opened, *other;
        const struct bytes b = written(f);
        assert_int_equal(read_as(kind, b.at, b.len, &again), PETAL_OK);
        size_t len;
        const void *image = petal_bytes(again, &len);
        assert_int_equal(petal_view(image, len, PETAL_COPY, &opened), PETAL_OK);
        assert_int_equal(petal_copy(f, &other), PETAL_OK);
        for (unsigned i = N / 2; i < N; i++)
            assert_int_equal(petal_add_int(opened, i), petal_add_int(other, i));
        assert_int_equal(petal_union(opened, f), PETAL_OK);
        for (unsigned i = 0; i < N; i++)
            assert_true(petal_contains_int(opened, i));
        for (unsigned i = N; i < 10 * N; i++)
            assert_int_equal(petal_contains_int(opened, i), petal_contains_int(other, i));
        free(b.at);
        petal_free(f);
        petal_free(again);
        petal_free(opened);
        petal_free(other);
    }
}

static void the_program_is_recognized(void **state)
{
    (void)state;
    for_every_foreign(kind) {
        petal_filter *f = filled(kind, N), *again;
        const struct bytes b = written(f);
        assert_int_equal(read_as(PETAL_DEFAULT, b.at, b.len, &again), PETAL_OK);
        assert_int_equal(petal_shape_of(again)->kind, kind);
        assert_int_equal(petal_foreign_named(petal_foreign_name(kind)), kind);
        free(b.at);
        petal_free(f);
        petal_free(again);
    }
    petal_filter *f;
    assert_int_equal(read_as(PETAL_DEFAULT, "not a filter", 12, &f), PETAL_E_FORMAT);
    assert_null(f);
    assert_int_equal(petal_foreign_named("nobody"), PETAL_DEFAULT);
}

/* Truncated anywhere, or with one byte changed: an error, or a filter that can be used. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    random_state random = { 5 };
    for_every_foreign(kind) {
        petal_filter *f = filled(kind, N), *again;
        const struct bytes b = written(f);
        for (size_t len = 0; len < b.len; len++) {
            uint8_t *part = malloc(len + 1); /* so that reading beyond it is noticed */
            memcpy(part, b.at, len);
            assert_true(read_as(kind, part, len, &again) < 0);
            assert_null(again);
            free(part);
        }
        for (unsigned i = 0; i < 20000; i++) {
            const size_t at = i < 8000 ? i % 160 : random_below(&random, b.len);
            const uint8_t was = b.at[at % b.len];
            b.at[at % b.len] = (uint8_t)random_next(&random);
            const petal_kind as = i % 4 ? kind : PETAL_DEFAULT;
            if (read_as(as, b.at, b.len, &again) == PETAL_OK) {
                petal_contains_int(again, 1);
                petal_add_int(again, (int64_t)i + N);
                petal_free(again);
            }
            b.at[at % b.len] = was;
        }
        free(b.at);
        petal_free(f);
    }
}

static void kinds_that_need_keys_take_no_hashes(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!needs_keys(kind))
            continue;
        petal_filter *f = filled(kind, 1);
        const uint64_t hash = petal_hash_int(f, 0);
        signed char result;
        assert_true(hash == UINT64_MAX && petal_contains_hash(f, hash));
        assert_int_equal(petal_add_hash(f, hash), PETAL_E_ABILITY);
        assert_int_equal(petal_add_hashes(f, &hash, 1, &result), PETAL_E_ABILITY);
        assert_true(petal_count(f, "0", 1) == 1 && petal_count(f, "1", 1) == 0);
        assert_true(petal_match(f, "0", 1, NULL, 0) && !petal_match(f, "1", 1, NULL, 0));
        petal_free(f);
    }
}

/* C does not say which bytes are between the members of a struct that a program fills in.
 */
static void the_bytes_between_options_do_not_matter(void **state)
{
    (void)state;
    for_every_foreign(kind) {
        petal_filter *f;
        petal_options o;
        memset(&o, 0xff, sizeof o);
        o.kind = kind;
        o.capacity = o.bits = o.capacity_max = 0;
        o.fpr = 0;
        o.hashes = o.counter_bits = o.growth = o.match_lookups = o.threads = 0;
        o.insert_only = false;
        o.form = PETAL_FORM_RAW;
        o.hash = PETAL_HASH_FAST;
        memset(o.seed, 0, sizeof o.seed);
        memset(o.reserved, 0, sizeof o.reserved);
        assert_int_equal(petal_read_foreign(&o, "", 0, &f), read_as(kind, "", 0, &f));
    }
}

static void other_options_are_rejected(void **state)
{
    (void)state;
    petal_filter *f;
    for_every_foreign(kind) {
        const petal_options more = { .kind = kind, .capacity = 5 };
        const petal_options parents = { .kind = kind, .form = PETAL_FORM_URL };
        assert_int_equal(petal_read_foreign(&more, "", 0, &f), PETAL_E_OPTION);
        assert_int_equal(petal_read_foreign(&parents, "", 0, &f), PETAL_E_OPTION);
        assert_int_equal(
            petal_plan(
                &(petal_options){ .kind = kind, .capacity = 5, .hash = PETAL_HASH_KEYED },
                &(petal_shape){ 0 }),
            PETAL_E_SHAPE);
    }
    assert_int_equal(read_as(PETAL_CLASSIC, "", 0, &f), PETAL_E_ABILITY);
    petal_filter *own =
        filter_made((petal_options){ .kind = PETAL_CLASSIC, .capacity = 5 });
    assert_true(petal_write_foreign(own, NULL, 0) == PETAL_E_ABILITY);
    petal_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_filter_that_was_read_is_like_any_other),
        cmocka_unit_test(the_program_is_recognized),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(kinds_that_need_keys_take_no_hashes),
        cmocka_unit_test(the_bytes_between_options_do_not_matter),
        cmocka_unit_test(other_options_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
