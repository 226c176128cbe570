/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relocate_test.c: petal_relocate() moves a filter's memory and does not change the filter.
 */
#include "check.h"
#include "folder.h"
#include "support.h"

/* A host that gives every block a different offset within a cache line, and notices bytes
 * that are written behind it. */
static size_t host_blocks, host_bytes, host_turn;
static const char host_end[16] = "the end of block";

struct host_block {
    char *base;
    size_t len;
};

static void *host_realloc(void *context, void *old, size_t len)
{
    (void)context;
    struct host_block at;
    if (old) {
        memcpy(&at, (char *)old - sizeof at, sizeof at);
        host_blocks--;
        host_bytes -= at.len;
        assert_memory_equal((char *)old + at.len, host_end, sizeof host_end);
        free(at.base);
        return NULL;
    }
    at.base = malloc(len + 128);
    at.len = len;
    assert_non_null(at.base);
    char *block = at.base + 16 + host_turn++ % 7 * 16;
    memcpy(block - sizeof at, &at, sizeof at);
    memcpy(block + len, host_end, sizeof host_end);
    host_blocks++;
    host_bytes += len;
    return block;
}

static void *move_all(void *moved, void *block)
{
    struct host_block at;
    memcpy(&at, (char *)block - sizeof at, sizeof at);
    void *to = host_realloc(NULL, NULL, at.len);
    memcpy(to, block, at.len);
    host_realloc(NULL, block, 0);
    ++*(size_t *)moved;
    return to;
}

static void *only_look(void *bytes, void *block)
{
    struct host_block at;
    memcpy(&at, (char *)block - sizeof at, sizeof at);
    *(size_t *)bytes += at.len;
    return NULL;
}

static petal_filter *noted(petal_options o)
{
    petal_filter *f = filter_made(o);
    assert_int_equal(petal_set_note(f, "label", "moved"), PETAL_OK);
    return f;
}

static void add_some(petal_filter *f, int64_t from)
{
    for (int64_t i = from; i < from + 300; i++)
        assert_true(petal_add_int(f, i) >= 0);
}

static void assert_has(petal_filter *f, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        assert_true(petal_contains_int(f, i));
}

static void a_relocated_filter_is_the_same(void **state)
{
    (void)state;
    petal_set_allocator(host_realloc, NULL);
    for_every_kind(kind) {
        petal_filter *f = noted(options_for(kind, 1000));
        petal_filter *still = noted(options_for(kind, 1000));
        add_some(f, 0);
        add_some(still, 0);
        const bool built = petal_abilities(kind) & PETAL_IS_STATIC;
        filter_built(f);
        filter_built(still);
        for (int turn = 0; turn < 8; turn++) { /* every offset */
            size_t moved = 0;
            f = petal_relocate(f, move_all, &moved);
            assert_int_equal(moved, 3); /* the handle, the image and the notes */
            assert_has(f, 300);
            assert_string_equal(petal_note_next(f, NULL), "label");
        }
        for (int64_t from = 300; !built && from < 900; from += 300) {
            size_t moved = 0;
            add_some(f, from);
            add_some(still, from);
            f = petal_relocate(f, move_all, &moved);
            assert_has(f, from + 300);
        }
        size_t len, still_len;
        const void *image = petal_bytes(f, &len), *same = petal_bytes(still, &still_len);
        assert_int_equal(len, still_len);
        assert_memory_equal(image, same, len);
        petal_free(f);
        petal_free(still);
        assert_int_equal(host_blocks, 0);
    }
    petal_set_allocator(NULL, NULL);
}

static void a_host_that_moves_nothing_sees_all_memory(void **state)
{
    (void)state;
    petal_set_allocator(host_realloc, NULL);
    for_every_kind(kind) {
        if (is_static(kind))
            continue; /* the hashes that it collects are not visited */
        petal_filter *f = noted(options_with_room(kind, 1000, 30000));
        for (int64_t from = 0; from < 30000; from += 300) {
            add_some(f, from);
            size_t bytes = 0;
            assert_ptr_equal(petal_relocate(f, only_look, &bytes), f);
            assert_int_equal(bytes, host_bytes);
        }
        assert_has(f, 30000);
        petal_free(f);
    }
    petal_set_allocator(NULL, NULL);
}

/* ---- Filters that grow ---- */

static petal_options options_growing(petal_kind kind)
{
    petal_options o = options_for(kind, 50);
    o.growth = 2;
    return o;
}

/* Does something that must not change what the filter contains. */
static petal_filter *disturbed(petal_filter *f, uint64_t how)
{
    size_t len, moved = 0;
    petal_filter *other = NULL;
    switch (how) {
    case 0: return petal_relocate(f, move_all, &moved);
    case 1: assert_int_equal(petal_seal(f), PETAL_OK); return f;
    case 2: assert_int_equal(petal_copy(f, &other), PETAL_OK); break;
    case 3: {
        const void *image = petal_bytes(f, &len);
        assert_int_equal(petal_view(image, len, PETAL_COPY, &other), PETAL_OK);
        break;
    }
    default: return f;
    }
    petal_free(f);
    return other;
}

static void grow_and_disturb(petal_kind kind, uint64_t seed)
{
    random_state r = { seed };
    petal_filter *f = noted(options_growing(kind)), *still = noted(options_growing(kind));
    const uint64_t bits = petal_shape_of(f)->bits;
    int64_t n = 0;
    for (int turn = 0; turn < 40; turn++) {
        f = disturbed(f, random_below(&r, 6));
        const int64_t to = n + (int64_t)random_below(&r, 400);
        for (; n < to; n++)
            assert_int_equal(petal_add_int(f, n), petal_add_int(still, n));
        assert_has(f, n);
        assert_memory_equal(petal_shape_of(f), petal_shape_of(still), sizeof(petal_shape));
    }
    assert_true(petal_shape_of(f)->bits > 16 * bits);
    petal_stats stats, still_stats;
    petal_stats_of(f, &stats);
    petal_stats_of(still, &still_stats);
    assert_true(stats.cells_set == still_stats.cells_set);
    assert_true(stats.fpr_estimate == still_stats.fpr_estimate);
    assert_true(same_image(f, still));
    petal_free(f);
    petal_free(still);
    assert_int_equal(host_blocks, 0);
}

static void a_growing_filter_is_the_same_whatever_happens_to_it(void **state)
{
    (void)state;
    petal_set_allocator(host_realloc, NULL);
    for_every_kind(kind)
        for (uint64_t seed = 1; can_grow(kind) && seed <= 50; seed++)
            grow_and_disturb(kind, seed);
    petal_set_allocator(NULL, NULL);
}

/* A note that is set after a filter has grown needs room behind the first stage when only
 * that is left. */
static void a_grown_filter_that_is_cleared_is_as_new(void **state)
{
    (void)state;
    char text[3001] = "";
    memset(text, 'n', sizeof text - 1);
    petal_set_allocator(host_realloc, NULL);
    for_every_kind(kind) {
        for (int sealed = 0; can_grow(kind) && sealed < 2; sealed++) {
            petal_filter *f = filter_made(options_growing(kind));
            petal_filter *fresh = filter_made(options_growing(kind));
            add_some(f, 0);
            if (sealed)
                assert_int_equal(petal_seal(f), PETAL_OK);
            add_some(f, 300);
            assert_int_equal(petal_set_note(f, "label", text), PETAL_OK);
            assert_int_equal(petal_set_note(fresh, "label", text), PETAL_OK);
            assert_int_equal(petal_clear(f), PETAL_OK);
            assert_false(petal_contains_int(f, 0));
            for (int64_t i = 0; i < 20; i++)
                assert_int_equal(petal_add_int(f, i), petal_add_int(fresh, i));
            size_t moved = 0;
            f = petal_relocate(f, move_all, &moved);
            assert_has(f, 20);
            assert_true(same_image(f, fresh));
            add_some(f, 1000);
            add_some(fresh, 1000);
            assert_true(same_image(f, fresh));
            petal_free(f);
            petal_free(fresh);
            assert_int_equal(host_blocks, 0);
        }
    }
    petal_set_allocator(NULL, NULL);
}

/* ---- Opened filters ---- */

/* petal_open() and petal_view() copied the image into memory of the filter: all of it is
 * visited. */
static void all_memory_of_opened_copies_is_visited(void **state)
{
    const char *path = in_folder(*state, "f.petal");
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 1000)), *opened;
        add_some(f, 0);
        assert_int_equal(petal_save(f, path), PETAL_OK);
        size_t len, moved = 0;
        const void *image = petal_bytes(f, &len);
        for (int way = 0; way < 2; way++, moved = 0) {
            petal_set_allocator(host_realloc, NULL);
            assert_int_equal(way ? petal_view(image, len, PETAL_COPY, &opened)
                                 : petal_open(path, PETAL_COPY, &opened),
                             PETAL_OK);
            opened = petal_relocate(opened, move_all, &moved);
            assert_int_equal(moved, 2);
            assert_has(opened, 300);
            petal_free(opened);
            petal_set_allocator(NULL, NULL);
        }
        petal_free(f);
    }
}

static void relocating_a_view_does_not_move_its_image(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 1000)), *view;
        add_some(f, 0);
        size_t len, moved = 0;
        const void *image = petal_bytes(f, &len);
        petal_set_allocator(host_realloc, NULL);
        assert_int_equal(petal_view(image, len, 0, &view), PETAL_OK);
        view = petal_relocate(view, move_all, &moved);
        const uint64_t cells = (petal_shape_of(f)->bits + 511) / 512 * 64;
        const bool tail = len > 256 + cells + 8; /* header, cells, one checksum */
        assert_int_equal(moved, tail ? 2 : 1);
        assert_has(view, 300);
        petal_free(view);
        petal_set_allocator(NULL, NULL);
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relocated_filter_is_the_same),
        cmocka_unit_test(a_host_that_moves_nothing_sees_all_memory),
        cmocka_unit_test(a_growing_filter_is_the_same_whatever_happens_to_it),
        cmocka_unit_test(a_grown_filter_that_is_cleared_is_as_new),
        in_a_folder(all_memory_of_opened_copies_is_visited),
        cmocka_unit_test(relocating_a_view_does_not_move_its_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
