/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pack_test.c: a filter that is packed and unpacked is the same filter.
 *
 * No test names a kind: petal_pack() says which filters can be packed.  The number of these
 * is checked, so that a test cannot pass because it tested none.
 */
#include "check.h"
#include "support.h"

#define BYTES_MAX 8192

/* ---- An allocator that fails on request ---- */

static struct {
    uint64_t calls, fail_at; /* the number of the call that fails, or 0 */
    uint64_t blocks;
} host;

static void *host_realloc(void *context, void *old, size_t len)
{
    (void)context;
    if (len == 0) {
        host.blocks--;
        free(old);
        return NULL;
    }
    if (++host.calls == host.fail_at)
        return NULL;
    host.blocks++;
    return malloc(len);
}

static int use_host(void **state)
{
    (void)state;
    memset(&host, 0, sizeof host);
    petal_set_allocator(host_realloc, NULL);
    return 0;
}

static int leave_host(void **state)
{
    (void)state;
    petal_set_allocator(NULL, NULL);
    return host.blocks ? -1 : 0;
}

/* ---- Filters ---- */

struct packed {
    petal_shape common;
    size_t len;
    uint8_t bytes[BYTES_MAX];
};

static bool pack(const petal_filter *f, struct packed *packed)
{
    memset(packed, 0, sizeof *packed);
    packed->len = petal_pack(f, &packed->common, packed->bytes, BYTES_MAX);
    return packed->len > 0 && packed->len <= BYTES_MAX;
}

/* Options of all sorts that make small filters. */
static petal_options options_of(petal_kind kind, uint64_t number)
{
    petal_options o = options_with_room(kind, 1 + number % 7 * 40, 3000);
    o.insert_only = number / 2 % 2;
    if (!is_exact(kind) && number % 3 == 0) {
        o.hash = PETAL_HASH_KEYED;
        o.seed[0] = 1 + number;
        o.seed[1] = number % 2 ? 0x0123456789ABCDEF : 0;
    }
    petal_shape shape;
    if (petal_plan(&o, &shape) < 0)
        o = options_with_room(kind, 100, 3000);
    return o;
}

static petal_filter *filter_with(petal_kind kind, uint64_t number, int64_t keys)
{
    petal_filter *f = filter_made(options_of(kind, number));
    for (int64_t i = 0; i < keys; i++)
        petal_add_int(f, i);
    return f;
}

/* ---- Round trips ---- */

/* Puts a filter to rest and wakes it.  Returns whether that was possible. */
static bool rested(petal_filter **f)
{
    struct packed packed;
    if (!pack(*f, &packed))
        return false;
    petal_filter *woken;
    assert_int_equal(petal_unpack(&packed.common, packed.bytes, packed.len, &woken),
                     PETAL_OK);
    petal_free(*f);
    *f = woken;
    return true;
}

static void assert_same(petal_filter *a, petal_filter *b)
{
    assert_true(petal_size(a) == petal_size(b));
    assert_memory_equal(petal_shape_of(a)->seed, petal_shape_of(b)->seed, 16);
    assert_true(same_image(a, b));
    assert_true(petal_shape_of(a)->image_bytes == petal_shape_of(b)->image_bytes);
}

/* One random step for both filters. */
static void step(petal_filter *a, petal_filter *b, random_state *random)
{
    const int64_t key = (int64_t)random_below(random, 1200);
    switch (random_below(random, 40)) {
    case 0: assert_int_equal(petal_compact(a), petal_compact(b)); break;
    case 1: assert_int_equal(petal_clear(a), petal_clear(b)); break;
    case 2: assert_int_equal(petal_seal(b), PETAL_OK); break; /* packed from an image */
    case 3:
    case 4:
    case 5:
    case 6: assert_int_equal(petal_remove_int(a, key), petal_remove_int(b, key)); break;
    case 7:
    case 8: assert_true(petal_contains_int(a, key) == petal_contains_int(b, key)); break;
    case 9: assert_true(petal_count(a, "7", 1) == petal_count(b, "7", 1)); break;
    default: assert_int_equal(petal_add_int(a, key), petal_add_int(b, key));
    }
}

static void packing_changes_nothing(void **state)
{
    (void)state;
    unsigned packed = 0;
    for_every_kind(kind) {
        if (is_static(kind)) /* sealing it would end the program */
            continue;
        for (uint64_t number = 0; number < 40; number++) {
            random_state random = { number };
            petal_filter *a = filter_with(kind, number, 0);
            petal_filter *b = filter_with(kind, number, 0);
            const uint64_t steps = 1 << random_below(&random, 12);
            for (uint64_t i = 0; i < steps; i++) {
                step(a, b, &random);
                if (random_below(&random, 4) == 0)
                    packed += rested(&b);
            }
            packed += rested(&b);
            assert_same(a, b);
            petal_free(a);
            petal_free(b);
        }
    }
    assert_true(packed > 1000);
}

/* Filters that were made alike have the same common shape, whatever keys they have. */
static void filters_made_alike_share_a_shape(void **state)
{
    (void)state;
    struct packed first, other;
    unsigned compared = 0;
    for_every_kind(kind) {
        petal_options o = options_of(kind, 1);
        o.hash = is_exact(kind) ? PETAL_HASH_FAST : PETAL_HASH_KEYED;
        petal_filter *f, *g = NULL;
        if (petal_new(&o, &f) < 0)
            continue;
        o.seed[0] = 77;
        if (pack(f, &first) && petal_new(&o, &g) == PETAL_OK) {
            for (int64_t i = 0; i < 700; i++)
                petal_add_int(g, i);
            assert_true(pack(g, &other));
            assert_memory_equal(&first.common, &other.common, sizeof first.common);
            assert_true(rested(&g) && pack(g, &other));
            assert_memory_equal(&first.common, &other.common, sizeof first.common);
            compared++;
        }
        petal_free(f);
        petal_free(g);
    }
    assert_true(compared > 0);
}

static void a_filter_with_one_key_takes_few_bytes(void **state)
{
    (void)state;
    const petal_options o = {
        .kind = PETAL_QUOTIENT, .capacity = 100, .growth = 2, .insert_only = true
    };
    petal_filter *f = filter_made(o);
    struct packed packed;
    petal_add_int(f, 1);
    assert_true(pack(f, &packed));
    /* the seed, the head, and a mark and a remainder, which may lie in two words */
    assert_true(packed.len <= 1 + 5 + 1 + 3 * 8);
    petal_free(f);
}

static void nothing_is_stored_beyond_the_size(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_with(kind, 3, is_static(kind) ? 0 : 60);
        struct packed whole;
        petal_shape common;
        uint8_t bytes[BYTES_MAX];
        if (pack(f, &whole))
            for (size_t size = 0; size <= whole.len + 100; size++) {
                memset(bytes, 0xA5, sizeof bytes);
                assert_true(petal_pack(f, &common, bytes, size) == whole.len);
                if (size >= whole.len)
                    assert_memory_equal(bytes, whole.bytes, whole.len);
                for (size_t i = size; i < size + 200; i++)
                    assert_int_equal(bytes[i], 0xA5);
            }
        petal_free(f);
    }
}

/* Each of these makes a filter that can be packed one that cannot. */
static void what_has_more_than_keys_is_not_packed(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_with(kind, 1, 5), *view, *form;
        struct packed packed;
        size_t len;
        if (pack(f, &packed)) {
            const void *bytes = petal_bytes(f, &len);
            assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
            assert_false(pack(view, &packed));
            petal_free(view);
            petal_options o = options_of(kind, 1);
            o.form = PETAL_FORM_URL;
            form = filter_made(o);
            assert_false(pack(form, &packed));
            petal_free(form);
            assert_int_equal(petal_set_note(f, "label", "noted"), PETAL_OK);
            assert_false(pack(f, &packed));
            assert_int_equal(petal_set_note(f, "label", NULL), PETAL_OK);
            assert_true(pack(f, &packed));
        }
        petal_free(f);
    }
}

/* ---- Damage ---- */

/* Whatever was accepted is a filter that works and can be saved. */
static void use(petal_filter *f)
{
    for (int64_t i = 0; i < 200; i++)
        if (petal_add_int(f, i) >= 0)
            assert_true(petal_contains_int(f, i));
    size_t len;
    petal_filter *view;
    const void *bytes = petal_bytes(f, &len);
    assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
    petal_free(view);
}

static void unpack_anything(const struct packed *packed, bool whole)
{
    petal_filter *f;
    uint8_t *exact = malloc(packed->len + 1); /* so that sanitizers see reads beyond it */
    assert_non_null(exact);
    memcpy(exact, packed->bytes, packed->len);
    const int rc = petal_unpack(&packed->common, exact, packed->len, &f);
    assert_true(rc == PETAL_E_CORRUPT || (whole && rc == PETAL_OK));
    assert_true((f == NULL) == (rc < 0));
    if (f)
        use(f);
    petal_free(f);
    free(exact);
}

static void damaged_bytes_are_safe(void **state)
{
    (void)state;
    random_state random = { 5 };
    for_every_kind(kind) {
        petal_filter *f = filter_with(kind, 3, is_static(kind) ? 0 : 90);
        struct packed packed, damaged;
        if (pack(f, &packed)) {
            for (size_t len = 0; len < packed.len + 9; len++) {
                damaged = packed;
                damaged.len = len;
                if (len != packed.len)
                    unpack_anything(&damaged, false);
            }
            for (size_t bit = 0; bit < 8 * packed.len; bit++) {
                damaged = packed;
                damaged.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
                unpack_anything(&damaged, true);
            }
            for (unsigned i = 0; i < 20000; i++) {
                damaged = packed;
                uint8_t *shape = (uint8_t *)&damaged.common;
                shape[random_below(&random, sizeof damaged.common)] =
                    (uint8_t)random_next(&random);
                damaged.common.insert_only = i % 2; /* any other value is no bool */
                unpack_anything(&damaged, true);
            }
        }
        petal_free(f);
    }
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    unsigned failures = 0;
    for_every_kind(kind) {
        petal_filter *f = filter_with(kind, 3, is_static(kind) ? 0 : 300), *g;
        struct packed packed;
        const uint64_t blocks = host.blocks;
        int rc = pack(f, &packed) ? PETAL_E_MEMORY : PETAL_OK;
        assert_true(host.blocks == blocks);
        for (uint64_t call = 1; rc == PETAL_E_MEMORY; call++) {
            host.calls = 0;
            host.fail_at = call;
            rc = petal_unpack(&packed.common, packed.bytes, packed.len, &g);
            assert_true(rc == PETAL_OK || (rc == PETAL_E_MEMORY && !g));
            failures += rc == PETAL_E_MEMORY;
            petal_free(g);
            assert_true(host.blocks == blocks);
        }
        host.fail_at = 0;
        petal_free(f);
    }
    assert_true(failures >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_changes_nothing),
        cmocka_unit_test(filters_made_alike_share_a_shape),
        cmocka_unit_test(a_filter_with_one_key_takes_few_bytes),
        cmocka_unit_test(nothing_is_stored_beyond_the_size),
        cmocka_unit_test(what_has_more_than_keys_is_not_packed),
        cmocka_unit_test(damaged_bytes_are_safe),
        cmocka_unit_test_setup_teardown(any_allocation_may_fail, use_host, leave_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
