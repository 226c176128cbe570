/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * notes_test.c: notes and the content id.  Notes stay with a filter whatever happens to it,
 * and change nothing but the end of its image.
 */
#include "check.h"
#include "core/hash.h"
#include "core/portable.h"
#include "folder.h"
#include "support.h"

#define LABEL "Bl\303\274ten"

static petal_filter *filled(petal_options o)
{
    petal_filter *f = filter_made(o);
    for (int64_t i = 0; i < 50; i++)
        assert_true(petal_add_int(f, i) >= 0);
    return f;
}

static petal_filter *noted(petal_options o)
{
    petal_filter *f = filter_made(o);
    assert_int_equal(petal_set_note(f, "label", LABEL), PETAL_OK);
    assert_int_equal(petal_set_note(f, "source", "here"), PETAL_OK);
    for (int64_t i = 0; i < 50; i++)
        assert_true(petal_add_int(f, i) >= 0);
    return f;
}

static void assert_note(const petal_filter *f, const char *name, const char *should)
{
    char text[5000];
    assert_true(petal_note(f, name, text, sizeof text) == strlen(should));
    assert_string_equal(text, should);
}

static void assert_noted(const petal_filter *f)
{
    assert_note(f, "label", LABEL);
    assert_note(f, "source", "here");
    assert_string_equal(petal_note_next(f, NULL), "label");
    assert_string_equal(petal_note_next(f, "label"), "source");
    assert_null(petal_note_next(f, "source"));
}

static uint64_t id_of(petal_filter *f)
{
    uint64_t id;
    assert_int_equal(petal_content_id(f, &id), PETAL_OK);
    return id;
}

static void assert_same_bytes(petal_filter *f, petal_filter *g)
{
    size_t len, g_len;
    const void *bytes = petal_bytes(f, &len), *g_bytes = petal_bytes(g, &g_len);
    assert_true(len == g_len);
    assert_memory_equal(bytes, g_bytes, len);
}

/* ---- Notes ---- */

static void notes_are_set_listed_replaced_and_removed(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 10 });
    assert_null(petal_note_next(f, NULL));
    assert_note(f, "label", "");
    static const char *const names[] = { "label", "a", "z", "label_", "_" };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(petal_set_note(f, names[i], names[i]), PETAL_OK);
    static const char *const ordered[] = { "_", "a", "label", "label_", "z" };
    const char *name = NULL;
    for (size_t i = 0; i < 5; i++) {
        name = petal_note_next(f, name);
        assert_string_equal(name, ordered[i]);
        assert_note(f, name, name);
    }
    assert_null(petal_note_next(f, name));
    assert_string_equal(petal_note_next(f, "b"), "label"); /* which need not exist */
    assert_int_equal(petal_set_note(f, "label", "another"), PETAL_OK);
    assert_note(f, "label", "another");
    assert_int_equal(petal_set_note(f, "label", NULL), PETAL_OK);
    assert_int_equal(petal_set_note(f, "a", ""), PETAL_OK);
    assert_int_equal(petal_set_note(f, "none", ""), PETAL_OK);
    assert_note(f, "label", "");
    assert_string_equal(petal_note_next(f, "_"), "label_");
    petal_free(f);
}

static void a_short_buffer_gets_the_start_of_a_text(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 10 });
    assert_int_equal(petal_set_note(f, "label", "roses"), PETAL_OK);
    for (size_t size = 0; size < 8; size++) {
        char text[] = "xxxxxxxxx";
        assert_true(petal_note(f, "label", text, size) == 5);
        assert_true(size == 0 || strlen(text) == (size < 6 ? size - 1 : 5));
        assert_memory_equal(text, "roses", size == 0 ? 0 : strlen(text));
        assert_true(text[size > 5 ? 6 : size] == 'x');
    }
    assert_true(petal_note(f, "label", NULL, 0) == 5);
    petal_free(f);
}

static void invalid_notes_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } rows[] = {
        { "", "x" },
        { "Label", "x" },
        { "a b", "x" },
        { "a1", "x" },
        { "a", "\377" },
        { "a", "\303" },
        { "a", "two\n" },
        { "a", "\033[1m" },
        { "a", "\302\205" },
        { "a", "\177" },
        { "\303\251", "x" },
        { "", "" },
        { "abcdefghijklmnopqrstuvwxyz_abcdef", "x" },
    };
    petal_filter *f = noted((petal_options){ .capacity = 60 }), *was;
    assert_int_equal(petal_copy(f, &was), PETAL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(petal_set_note(f, rows[i].name, rows[i].text), PETAL_E_OPTION);
    assert_same_bytes(f, was);
    petal_free(was);
    petal_free(f);
}

/* Each name and each text is followed by a 0. */
static void all_notes_have_at_most_4096_bytes(void **state)
{
    (void)state;
    char text[6000];
    memset(text, 'x', sizeof text);
    petal_filter *f = filter_made((petal_options){ .capacity = 10 });
    text[4096 - 2 - 1] = 0; /* "a", 0, text, 0 */
    assert_int_equal(petal_set_note(f, "a", text), PETAL_OK);
    assert_note(f, "a", text);
    assert_int_equal(petal_set_note(f, "b", "x"), PETAL_E_OPTION);
    assert_int_equal(petal_set_note(f, "_", "x"), PETAL_E_OPTION);
    text[4096 - 2 - 1] = 'x';
    text[4096 - 2] = 0;
    assert_int_equal(petal_set_note(f, "a", text), PETAL_E_OPTION);
    text[4096 - 2] = 'x';
    text[sizeof text - 1] = 0;
    assert_int_equal(petal_set_note(f, "a", text), PETAL_E_OPTION);
    text[4096 - 2 - 1 - 4] = 0;
    assert_int_equal(petal_set_note(f, "a", text), PETAL_OK);
    assert_int_equal(petal_set_note(f, "b", "y"), PETAL_OK);
    assert_note(f, "a", text);
    assert_note(f, "b", "y");
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    petal_filter *again;
    assert_int_equal(petal_view(bytes, len, 0, &again), PETAL_OK);
    assert_note(again, "a", text);
    assert_int_equal(petal_set_note(again, "a", "x"), PETAL_E_READONLY);
    petal_free(again);
    petal_free(f);
}

/* ---- What happens to a filter with notes ---- */

/* An allocator that overwrites what is freed, so that no test passes by reading it. */
static void *host_realloc(void *context, void *old, size_t len)
{
    enum { HEAD = 64 };
    static void *(*const volatile fill)(void *, int, size_t) = memset;
    (void)context;
    if (old) {
        char *base = (char *)old - HEAD;
        memcpy(&len, base, sizeof len);
        fill(old, 0xA5, len);
        free(base);
        return NULL;
    }
    char *base = malloc(HEAD + len);
    require(base);
    memcpy(base, &len, sizeof len);
    return base + HEAD;
}

static int use_host(void **state)
{
    petal_set_allocator(host_realloc, NULL);
    return folder_setup(state);
}

static int leave_host(void **state)
{
    petal_set_allocator(NULL, NULL);
    return folder_teardown(state);
}

static void notes_stay_with_the_filter(void **state)
{
    for_every_kind(kind) {
        const char *path = in_folder(*state, "f.petal");
        petal_filter *f = noted(options_with_room(kind, 10, 1000)), *other; /* it grew */
        assert_noted(f);
        assert_int_equal(petal_copy(f, &other), PETAL_OK); /* perhaps not built yet */
        assert_noted(other);
        assert_same_bytes(f, other);
        petal_free(other);
        assert_int_equal(petal_save(f, path), PETAL_OK);
        for (unsigned flags = 0; flags < 4; flags++) {
            petal_filter *copy;
            assert_int_equal(petal_open(path, flags, &other), PETAL_OK);
            assert_noted(other);
            assert_same_bytes(f, other);
            assert_int_equal(petal_copy(other, &copy), PETAL_OK);
            assert_noted(copy);
            assert_int_equal(petal_set_note(copy, "created", "today"), PETAL_OK);
            for (int64_t i = 0; i < 50; i++)
                assert_true(petal_contains_int(copy, i));
            petal_free(copy);
            petal_free(other);
        }
        assert_int_equal(petal_clear(f), PETAL_OK);
        assert_noted(f);
        assert_true(petal_size(f) == 0);
        size_t len;
        const void *bytes = petal_bytes(f, &len);
        assert_int_equal(petal_view(bytes, len, 0, &other), PETAL_OK);
        assert_noted(other);
        petal_free(other);
        petal_free(f);
    }
}

/* Keys can still be added and found after the image has got a new place. */
static void notes_can_be_set_at_any_time(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_with_room(kind, 10, 1000));
        char text[200];
        for (int64_t i = 0; i < 150; i++) {
            memset(text, 'x', sizeof text);
            text[1 + i] = 0;
            assert_int_equal(petal_set_note(f, "label", text), PETAL_OK);
            assert_true(petal_add_int(f, i) >= 0);
            for (int64_t j = 0; j <= i; j++)
                assert_true(petal_contains_int(f, j));
        }
        filter_built(f);
        assert_int_equal(petal_set_note(f, "label", "built"), PETAL_OK);
        assert_int_equal(petal_verify(f, NULL), PETAL_E_UNSEALED);
        size_t len;
        const void *bytes = petal_bytes(f, &len);
        assert_true(len == petal_shape_of(f)->image_bytes);
        petal_filter *again;
        assert_int_equal(petal_view(bytes, len, 0, &again), PETAL_OK);
        assert_note(again, "label", "built");
        for (int64_t j = 0; j < 150; j++)
            assert_true(petal_contains_int(again, j));
        petal_free(again);
        petal_free(f);
    }
}

static void merging_keeps_the_notes_of_the_first_filter(void **state)
{
    (void)state;
    for_every_kind(kind) {
        if (!(petal_abilities(kind) & PETAL_CAN_MERGE))
            continue;
        petal_filter *a = noted(options_for(kind, 100));
        petal_filter *b = filled(options_for(kind, 100));
        assert_int_equal(petal_set_note(b, "created", "never"), PETAL_OK);
        assert_int_equal(petal_union(a, b), PETAL_OK);
        assert_noted(a);
        assert_int_equal(petal_intersect(a, b), PETAL_OK);
        assert_noted(a);
        petal_free(a);
        petal_free(b);
    }
}

static void notes_change_only_the_end_of_the_image(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *with = noted(options_with_room(kind, 10, 1000));
        petal_filter *without = filled(options_with_room(kind, 10, 1000));
        size_t len, with_len;
        const uint8_t *bytes = petal_bytes(without, &len);
        const uint8_t *with_bytes = petal_bytes(with, &with_len);
        assert_true(with_len > len);
        assert_memory_equal(with_bytes + 256, bytes + 256, len - 256);
        assert_true(id_of(with) == id_of(without));
        assert_int_equal(petal_set_note(with, "label", NULL), PETAL_OK);
        assert_int_equal(petal_set_note(with, "source", NULL), PETAL_OK);
        assert_same_bytes(with, without);
        petal_free(with);
        petal_free(without);
    }
}

static void the_order_of_setting_notes_makes_no_difference(void **state)
{
    (void)state;
    petal_filter *f = noted((petal_options){ .capacity = 60 });
    petal_filter *g = filled((petal_options){ .capacity = 60 });
    assert_int_equal(petal_set_note(g, "source", "here"), PETAL_OK);
    assert_int_equal(petal_set_note(g, "label", "other"), PETAL_OK);
    assert_int_equal(petal_set_note(g, "label", LABEL), PETAL_OK);
    assert_same_bytes(f, g);
    petal_free(f);
    petal_free(g);
}

/* ---- Sections of later versions ---- */

/* A filter from an image to which a section of an unknown type was added. */
static petal_filter *from_later(petal_filter *f, const void *data, uint32_t data_len)
{
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    uint8_t *image = malloc(len + 8 + data_len);
    require(image);
    memcpy(image, bytes, len);
    store_le32(image + len, 1000);
    store_le32(image + len + 4, data_len);
    memcpy(image + len + 8, data, data_len);
    const uint32_t sections = load_le32(image + 112) + 8 + data_len;
    len += 8 + data_len;
    store_le64(image + 16, len);
    store_le32(image + 112, sections);
    store_le64(image + 120, petal__checksum(image + len - sections, sections, 0));
    store_le64(image + 248, petal__checksum(image, 248, 0));
    petal_filter *later;
    assert_int_equal(petal_view(image, len, PETAL_COPY, &later), PETAL_OK);
    assert_int_equal(petal_seal(later), PETAL_OK);
    free(image);
    petal_free(f);
    return later;
}

static void assert_ends_with(petal_filter *f, const void *data, uint32_t data_len)
{
    size_t len;
    const uint8_t *bytes = petal_bytes(f, &len);
    assert_memory_equal(bytes + len - data_len, data, data_len);
    assert_true(load_le32(bytes + len - data_len - 8) == 1000);
    petal_filter *view;
    assert_int_equal(petal_view(bytes, len, 0, &view), PETAL_OK);
    petal_free(view);
}

static void unknown_sections_are_kept(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = noted(options_with_room(kind, 10, 1000)), *copy;
        f = from_later(f, "an unknown thing", 16);
        assert_noted(f);
        assert_ends_with(f, "an unknown thing", 16);
        assert_int_equal(petal_copy(f, &copy), PETAL_OK);
        petal_add_int(copy, 500);
        assert_int_equal(petal_set_note(copy, "label", "x"), PETAL_OK);
        assert_ends_with(copy, "an unknown thing", 16);
        assert_int_equal(petal_set_note(copy, "label", ""), PETAL_OK);
        assert_int_equal(petal_set_note(copy, "source", ""), PETAL_OK);
        assert_ends_with(copy, "an unknown thing", 16);
        assert_null(petal_note_next(copy, NULL));
        assert_int_equal(petal_clear(copy), PETAL_OK);
        assert_ends_with(copy, "an unknown thing", 16);
        assert_int_equal(petal_set_note(copy, "label", "x"), PETAL_OK);
        assert_ends_with(copy, "an unknown thing", 16);
        petal_free(copy);
        petal_free(f);
    }
}

/* All sections together have at most 32,768 bytes. */
static void notes_need_room_beside_unknown_sections(void **state)
{
    (void)state;
    static const uint8_t zeros[32768];
    for (uint32_t left = 0; left <= 16; left += 8) {
        petal_filter *f = filled((petal_options){ .capacity = 60 });
        f = from_later(f, zeros, 32768 - 8 - left);
        const int rc = petal_set_note(f, "label", "x"); /* 8 bytes and 8 bytes */
        assert_int_equal(rc, left < 16 ? PETAL_E_OPTION : PETAL_OK);
        assert_ends_with(f, zeros, 32768 - 8 - left);
        petal_free(f);
    }
}

/* ---- The content id ---- */

static void the_id_depends_on_the_contents(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filled(options_for(kind, 1000));
        petal_filter *g = filled(options_for(kind, 1000));
        petal_filter *other = filter_made(options_for(kind, 1000));
        petal_add_int(other, 1);
        const uint64_t id = id_of(f);
        assert_true(id == id_of(g));
        assert_true(id != id_of(other));
        petal_free(other);
        other = filled(options_for(kind, 2000));
        if (!is_static(kind)) /* whose size follows from its keys */
            assert_true(id != id_of(other));
        assert_int_equal(petal_set_note(f, "label", "x"), PETAL_OK);
        assert_true(id == id_of(f));
        if (!is_static(kind)) {
            assert_true(petal_add_int(f, 999) >= 0);
            assert_true(id != id_of(f));
        }
        petal_free(f);
        petal_free(g);
        petal_free(other);
    }
}

/* The classes of the keys are part of the contents. */
static void the_id_depends_on_the_mask(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 9, .form = PETAL_FORM_IP });
    petal_filter *g = filter_made((petal_options){ .capacity = 9, .form = PETAL_FORM_IP });
    assert_true(id_of(f) == id_of(g));
    assert_int_equal(petal_add(g, "10.0.0.0/8", 10), 1);
    assert_int_equal(petal_add_classes(f, g), PETAL_OK);
    petal_clear(g);
    assert_true(id_of(f) != id_of(g));
    petal_free(f);
    petal_free(g);
}

/* A secret must not show, not even in a checksum.  Other seeds are part of the contents. */
static void the_id_does_not_reveal_a_secret(void **state)
{
    (void)state;
    for_every_hash(hash) {
        petal_options o = { .capacity = 100, .hash = hash, .seed = { 1, 2 } }, other = o;
        if (!is_accepted(o))
            o.seed[1] = 0;
        if (!is_accepted(o))
            continue; /* no seeds at all */
        other = o;
        other.seed[0] = 3;
        petal_filter *f = filter_made(o), *g = filter_made(other);
        assert_true((id_of(f) == id_of(g)) == (hash == PETAL_HASH_KEYED));
        petal_add_int(f, 1);
        petal_add_int(g, 1);
        assert_true(id_of(f) != id_of(g));
        petal_free(f);
        petal_free(g);
    }
}

/* ---- Descriptions ---- */

static void a_description_has_the_notes_and_the_id(void **state)
{
    (void)state;
    petal_filter *f = filled((petal_options){ .capacity = 60 });
    char text[4000], part[64];
    petal_describe(f, text, sizeof text);
    assert_null(strstr(text, "\"notes\""));
    assert_null(strstr(text, "\"content_id\"")); /* not sealed */
    snprintf(part, sizeof part, ", \"content_id\": \"%016llx\"}",
             (unsigned long long)id_of(f));
    petal_describe(f, text, sizeof text);
    assert_non_null(strstr(text, part));
    assert_int_equal(petal_set_note(f, "label", "a \"b\" \\c\\ \303\274"), PETAL_OK);
    assert_int_equal(petal_set_note(f, "z", "x"), PETAL_OK);
    petal_describe(f, text, sizeof text);
    assert_non_null(strstr(
        text,
        ", \"notes\": {\"label\": \"a \\\"b\\\" \\\\c\\\\ \303\274\", \"z\": \"x\"}}"));
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_set_listed_replaced_and_removed),
        cmocka_unit_test(a_short_buffer_gets_the_start_of_a_text),
        cmocka_unit_test(invalid_notes_are_rejected),
        cmocka_unit_test(all_notes_have_at_most_4096_bytes),
        cmocka_unit_test_setup_teardown(notes_stay_with_the_filter, use_host, leave_host),
        cmocka_unit_test_setup_teardown(notes_can_be_set_at_any_time, use_host, leave_host),
        cmocka_unit_test(merging_keeps_the_notes_of_the_first_filter),
        cmocka_unit_test(notes_change_only_the_end_of_the_image),
        cmocka_unit_test(the_order_of_setting_notes_makes_no_difference),
        cmocka_unit_test(unknown_sections_are_kept),
        cmocka_unit_test(notes_need_room_beside_unknown_sections),
        cmocka_unit_test(the_id_depends_on_the_contents),
        cmocka_unit_test(the_id_depends_on_the_mask),
        cmocka_unit_test(the_id_does_not_reveal_a_secret),
        cmocka_unit_test(a_description_has_the_notes_and_the_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
