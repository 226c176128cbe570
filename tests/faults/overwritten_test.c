/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overwritten_test.c: if the bytes of a filter change while it is in use, the worst result
 * is wrong answers.
 *
 * Files should be replaced by renaming, never written in place.  But if somebody does that,
 * it must not crash a reader.  Everything that determines addresses was read when the
 * filter was opened.  (A file that is truncated is different: its pages are gone, and the
 * system kills a process that touches them.)
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
    assert_int_equal(petal_set_note(f, "label", "before"), PETAL_OK);
    for (int i = 0; i < N; i++)
        petal_add_int(f, i);
    return filter_built(f);
}

static int read_fingerprint(void *sum, const petal_fingerprint *fingerprint)
{
    *(uint64_t *)sum += fingerprint->first + fingerprint->last + fingerprint->copies;
    return 0;
}

/* Lists what is in the filter, and merges it into others that are whole. */
static void use_contents(const petal_filter *f, uint64_t hash)
{
    const petal_kind kind = petal_shape_of(f)->kind;
    uint64_t sum = 0;
    petal_run run;
    for (uint32_t stage = 0; stage < 3; stage++)
        petal_run_of(f, hash, stage, &run);
    petal_fingerprints(f, NULL, read_fingerprint, &sum);
    petal_filter *a = filled(kind);
    petal_fingerprints(a, f, read_fingerprint, &sum);
    petal_union(a, f);
    petal_add_hash(a, hash);
    petal_intersect(a, f);
    petal_add_hash(a, hash);
    petal_free(a);
}

/* Calls everything that reads, and everything that can be done with a copy.  (A trusted
 * image may be damaged, and stays damaged.) */
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
    petal_note(f, "label", text, sizeof text);
    petal_size(f);
    petal_verify(f, NULL);
    use_contents(f, hashes[0]);
    petal_filter *copy;
    const int copied = petal_copy(f, &copy);
    if (copied < 0) { /* a kind that must rely on its cells to change them */
        assert_true(copied == PETAL_E_CORRUPT &&
                    petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_LIST);
        return;
    }
    petal_contains_hashes(copy, hashes, QUERY, found);
    for (int i = 0; i < QUERY; i++) {
        petal_add_int(copy, i);
        petal_remove_int(copy, i);
    }
    petal_filter *again;
    size_t len;
    const void *bytes = petal_bytes(copy, &len);
    const int rc = petal_view(bytes, len, 0, &again);
    assert_true(rc == PETAL_OK || trusted); /* every image that was made can be opened */
    petal_free(again);
    petal_clear(copy);
    petal_free(copy);
}

/* Writes a few values to each of these bytes while `f` uses them. */
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

static void views_of_changing_bytes_do_not_crash(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filled(kind), *view;
        size_t len, cells_len;
        const void *image = petal_bytes(f, &len);
        petal_cells(f, &cells_len);
        uint8_t *bytes = malloc(len); /* ends with the image */
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

static void overwritten_mapped_files_do_not_crash(void **state)
{
    for_every_kind(kind) {
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

/* ---- During opening ---- */

struct flipped {
    _Atomic uint8_t *bytes;
    size_t tail, len;
    atomic_bool stop;
};

static void *flip(void *context)
{
    struct flipped *x = context;
    random_state r = { 11 };
    while (!atomic_load(&x->stop)) { /* mostly the tail: the rest has a checksum */
        const size_t from = random_below(&r, 8) ? x->tail : 0;
        const size_t at = from + (size_t)random_below(&r, x->len - from);
        const uint8_t before = x->bytes[at];
        x->bytes[at] = (uint8_t)random_next(&r);
        x->bytes[at] = before;
    }
    return NULL;
}

/* Whatever bytes are read, only what was validated is used. */
static void bytes_that_change_during_opening_do_not_crash(void **state)
{
    (void)state;
    for_every_kind(kind) {
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
        cmocka_unit_test(views_of_changing_bytes_do_not_crash),
        in_a_folder(overwritten_mapped_files_do_not_crash),
        cmocka_unit_test(bytes_that_change_during_opening_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
