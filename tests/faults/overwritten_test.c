/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overwritten_test.c: a filter whose bytes are changed while it is in use answers wrongly,
 * at worst.
 *
 * Files are replaced by renaming, never written in place; but what someone does all the
 * same must not end a reader.  What says where things are was read when the filter was
 * opened. (Not so a file that is cut short: its pages are gone, and the system ends who
 * touches them.)
 */
#include "check.h"
#include "folder.h"
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>

#define N     500
#define QUERY 300

static petal_filter *filled(petal_kind kind)
{
    petal_filter *f = filter_made(options_with_room(kind, N / 20, N));
    for (int i = 0; i < N; i++)
        petal_add_int(f, i);
    return filter_built(f);
}

/* Everything that reads, and everything that a copy can be asked to do.  (What was trusted
 * may be damaged, and stays so.) */
static void use(const petal_filter *f, bool trusted)
{
    uint64_t hashes[QUERY], cells[64];
    uint32_t groups[64];
    bool found[QUERY];
    char text[4096];
    petal_stats stats;
    for (int i = 0; i < QUERY; i++) {
        hashes[i] = petal_hash_int(f, 2 * i);
        petal_contains_hash(f, hashes[i]);
        petal_count_hash(f, hashes[i]);
        petal_probes(f, hashes[i], cells, groups, 64);
    }
    petal_contains_hashes(f, hashes, QUERY, found);
    petal_stats_of(f, &stats);
    petal_describe(f, text, sizeof text);
    petal_size(f);
    petal_verify(f, NULL);
    petal_filter *copy;
    assert_int_equal(petal_copy(f, &copy), PETAL_OK);
    petal_contains_hashes(copy, hashes, QUERY, found);
    for (int i = 0; i < QUERY; i++) {
        petal_add_int(copy, i);
        petal_remove_int(copy, i);
    }
    petal_filter *again;
    size_t len;
    const void *bytes = petal_bytes(copy, &len);
    const int rc = petal_view(bytes, len, 0, &again);
    assert_true(rc == PETAL_OK || trusted); /* what is made, opens */
    petal_free(again);
    petal_clear(copy);
    petal_free(copy);
}

/* A few values in place of each of these bytes, while `f` looks at them. */
static void change(uint8_t *bytes, size_t from, size_t end, size_t step,
                   const petal_filter *f)
{
    for (size_t at = from; at < end; at += step) {
        const uint8_t before = bytes[at];
        bytes[at] = (uint8_t)~before;
        use(f, false);
        bytes[at] = 0xFF;
        use(f, false);
        bytes[at] = before;
    }
}

static void views_of_changing_bytes_do_no_harm(void **state)
{
    (void)state;
    for_every_kind(kind)
    {
        petal_filter *f = filled(kind), *view;
        size_t len, cells_len;
        const void *image = petal_bytes(f, &len);
        petal_cells(f, &cells_len);
        uint8_t *bytes = malloc(len); /* which ends where the image does */
        assert_non_null(bytes);
        memcpy(bytes, image, len);
        assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
        change(bytes, 0, 256, 1, view);
        change(bytes, 256, len, len / 60 + 1, view);
        change(bytes, 256 + cells_len, len, len - cells_len > 2000 ? 7 : 1, view);
        memset(bytes, 0xFF, len);
        use(view, false);
        memset(bytes, 0, len);
        use(view, false);
        petal_free(view);
        free(bytes);
        petal_free(f);
    }
}

static void mapped_files_that_are_written_over_do_no_harm(void **state)
{
    for_every_kind(kind)
    {
        petal_filter *f = filled(kind), *mapped;
        const char *path = in_folder(*state, "f.petal");
        assert_int_equal(petal_save(f, path), PETAL_OK);
        assert_int_equal(petal_open(path, 0, &mapped), PETAL_OK);
        const uint64_t len = petal_shape_of(f)->image_bytes;
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        for (uint64_t i = 0; i < len; i++)
            fputc(0xA5, file);
        assert_int_equal(fclose(file), 0);
        use(mapped, false);
        petal_free(mapped);
        petal_free(f);
    }
}

/* ---- While it is opened ---- */

struct flipped {
    _Atomic uint8_t *bytes;
    size_t tail, len;
    atomic_bool stop;
};

static void *flip(void *context)
{
    struct flipped *x = context;
    random_state r = { 11 };
    while (
        !atomic_load(&x->stop)) { /* the tail, mostly: what is before it has a checksum */
        const size_t from = random_below(&r, 8) ? x->tail : 0;
        const size_t at = from + (size_t)random_below(&r, x->len - from);
        const uint8_t before = x->bytes[at];
        x->bytes[at] = (uint8_t)random_next(&r);
        x->bytes[at] = before;
    }
    return NULL;
}

/* Whatever is seen of the bytes, what was validated is what is used. */
static void bytes_that_change_while_they_are_opened_do_no_harm(void **state)
{
    (void)state;
    for_every_kind(kind)
    {
        petal_filter *f = filled(kind);
        size_t len, cells_len;
        const void *image = petal_bytes(f, &len);
        petal_cells(f, &cells_len);
        uint8_t *bytes = malloc(len);
        assert_non_null(bytes);
        memcpy(bytes, image, len);
        struct flipped x = { (_Atomic uint8_t *)bytes, 256 + cells_len, len, false };
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, flip, &x), 0);
        for (int i = 0; i < 300; i++) {
            petal_filter *view;
            const unsigned flags = (i % 3 ? PETAL_TRUST : 0) | (i % 2 ? PETAL_COPY : 0);
            if (petal_view(bytes, len, flags, &view) == PETAL_OK && i % 10 < 2)
                use(view, flags & PETAL_TRUST);
            petal_free(view);
        }
        atomic_store(&x.stop, true);
        pthread_join(thread, NULL);
        free(bytes);
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_of_changing_bytes_do_no_harm),
        in_a_folder(mapped_files_that_are_written_over_do_no_harm),
        cmocka_unit_test(bytes_that_change_while_they_are_opened_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
