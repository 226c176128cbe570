/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forged_test.c: images that break exactly one rule of the validator (G3).
 *
 * image_test.c changes single fields of valid images, which often violates several rules.
 * Here the length, cells, tail and checksums of each image agree with the values that it
 * claims.  Only the rule under test can reject it, and an image just within the rule is
 * accepted.
 */
#include "check.h"
#include "core/image.h"
#include "kinds/ribbon/ribbon.h"
#include "support.h"

/* A filter with these properties, and with cells and a tail of zeros. */
static petal_filter forged(petal_shape shape, uint32_t stages, uint64_t keys)
{
    petal_filter f = { .ops = petal__ops(shape.kind),
                       .shape = shape,
                       .stages = (uint8_t)stages,
                       .keys = keys,
                       .counted = true };
    petal__image_measure(&f.shape, stages, 0);
    assert_int_equal(petal__image_alloc(&f), PETAL_OK);
    return f;
}

/* The validator's result, which must not depend on trust.  A filter that is accepted is
 * used. */
static int opened(petal_filter *f)
{
    petal__image_seal(f);
    int first = 0;
    for (unsigned flags = 0; flags < 4; flags++) {
        petal_filter *view;
        const int rc = petal_view(f->image, (size_t)f->shape.image_bytes, flags, &view);
        if (flags == 0)
            first = rc;
        assert_int_equal(rc, first);
        for (int64_t i = 0; view && i < 1000; i++)
            petal_contains_int(view, i);
        petal_free(view);
    }
    petal__image_release(f);
    return first;
}

/* ---- Stages ---- */

enum { BLOCK = 512 };

/* Stages of one block and one key each; `blocks` is the number that the first one claims.
 */
static int opened_stages(uint32_t stages, uint64_t blocks)
{
    petal_filter f = forged((petal_shape){ .kind = PETAL_SCALABLE,
                                           .capacity = stages,
                                           .fpr = 0.01,
                                           .bits = (uint64_t)stages * BLOCK,
                                           .hashes = 8,
                                           .counter_bits = 1,
                                           .growth = 2,
                                           .capacity_first = 1 },
                            stages, 0);
    for (uint32_t i = 0; i < stages; i++) {
        uint8_t *entry = petal__tail(&f) + (size_t)32 * i;
        store_le64(entry, i == 0 ? blocks : 1);
        store_le64(entry + 8, 1);
        store_le32(entry + 24, 8);
    }
    return opened(&f);
}

static void there_are_at_most_40_stages(void **state)
{
    (void)state;
    const uint32_t most = petal__ops(PETAL_SCALABLE)->stages_max;
    assert_int_equal(most, 40);
    assert_int_equal(opened_stages(1, 1), PETAL_OK);
    assert_int_equal(opened_stages(most, 1), PETAL_OK);
    assert_int_equal(opened_stages(most + 1, 1), PETAL_E_CORRUPT);
}

/* 2^55 blocks of 512 bits are 2^64 bits, which is zero in 64-bit arithmetic.  The sum is
 * correct, but the stage extends past the end of memory. */
static void blocks_that_add_up_only_by_overflow_are_rejected(void **state)
{
    (void)state;
    assert_int_equal(opened_stages(2, ((uint64_t)1 << 55) + 1), PETAL_E_CORRUPT);
}

/* ---- Layers ---- */

static petal_filter forged_layers(const uint64_t *keys, uint32_t layers, uint32_t base,
                                  uint32_t attempt)
{
    const struct ribbon_columns columns = petal__ribbon_columns(0.01);
    petal_shape shape = { .kind = PETAL_RIBBON,
                          .capacity = keys[0] ? keys[0] : 1,
                          .fpr = 0.01,
                          .hashes = columns.top,
                          .counter_bits = 1 };
    for (uint32_t i = 0; i < layers; i++) {
        const struct ribbon_size size =
            petal__ribbon_size(columns, keys[i], i + 1 == layers ? attempt : 0);
        shape.bits += 64 * size.words + 8 * size.codes_len;
    }
    petal_filter f = forged(shape, layers, keys[0]);
    petal__ribbon_tail(&f, columns.share, base, attempt, keys);
    return f;
}

static int opened_layers(const uint64_t *keys, uint32_t layers, uint32_t base,
                         uint32_t attempt)
{
    petal_filter f = forged_layers(keys, layers, base, attempt);
    return opened(&f);
}

static void there_are_at_most_16_layers(void **state)
{
    (void)state;
    uint64_t keys[RIBBON_LAYERS_MAX + 1];
    for (uint32_t layers = 1; layers <= RIBBON_LAYERS_MAX + 1; layers++) {
        for (uint32_t i = 0; i < layers; i++)
            keys[i] = i + 1 < layers ? RIBBON_LAST + 1 : 1;
        assert_int_equal(opened_layers(keys, layers, 0, 0),
                         layers <= RIBBON_LAYERS_MAX ? PETAL_OK : PETAL_E_CORRUPT);
    }
}

/* A key that is bumped into a layer without rows would be looked up past the end. */
static void only_an_empty_filter_has_an_empty_layer(void **state)
{
    (void)state;
    assert_int_equal(opened_layers((uint64_t[]){ 0 }, 1, 0, 0), PETAL_OK);
    assert_int_equal(opened_layers((uint64_t[]){ 2000, 1 }, 2, 0, 0), PETAL_OK);
    assert_int_equal(opened_layers((uint64_t[]){ 2000, 0 }, 2, 0, 0), PETAL_E_CORRUPT);
}

/* Only the last layer has 1,024 keys or fewer, because it is the only one that bumps none.
 */
static void only_the_last_layer_is_small(void **state)
{
    (void)state;
    const uint64_t last = RIBBON_LAST;
    assert_int_equal(opened_layers((uint64_t[]){ last }, 1, 0, 0), PETAL_OK);
    assert_int_equal(opened_layers((uint64_t[]){ last + 1 }, 1, 0, 0), PETAL_E_CORRUPT);
    assert_int_equal(opened_layers((uint64_t[]){ last + 1, last }, 2, 0, 0), PETAL_OK);
    assert_int_equal(opened_layers((uint64_t[]){ last, last }, 2, 0, 0), PETAL_E_CORRUPT);
}

/* 925 times this number of keys overflows to the 14 blocks of 1,025 keys.  It is found with
 * the inverse of 925 modulo 2^64. */
static void the_number_of_keys_of_a_layer_does_not_overflow(void **state)
{
    (void)state;
    uint64_t inverse = 925;
    while (inverse * 925 != 1)
        inverse *= 2 - inverse * 925;
    const uint64_t many = inverse * ((RIBBON_LAST + 1) * 925 + 1);
    assert_true(many > RIBBON_KEYS_MAX);
    const struct ribbon_columns columns = petal__ribbon_columns(0.01);
    assert_true(petal__ribbon_size(columns, many, 0).starts ==
                petal__ribbon_size(columns, RIBBON_LAST + 1, 0).starts);
    assert_int_equal(opened_layers((uint64_t[]){ 2000, RIBBON_LAST + 1, 1 }, 3, 0, 0),
                     PETAL_OK);
    assert_int_equal(opened_layers((uint64_t[]){ 2000, many, 1 }, 3, 0, 0),
                     PETAL_E_CORRUPT);
}

/* Each attempt has its own size, so an attempt past the last could also have a valid size.
 */
static void attempts_and_bases_are_bounded(void **state)
{
    (void)state;
    const uint64_t keys[] = { 700 };
    assert_int_equal(opened_layers(keys, 1, 0, RIBBON_TRIES - 1), PETAL_OK);
    assert_int_equal(opened_layers(keys, 1, 0, RIBBON_TRIES), PETAL_E_CORRUPT);
    assert_int_equal(opened_layers(keys, 1, RIBBON_BASES - 1, 0), PETAL_OK);
    assert_int_equal(opened_layers(keys, 1, RIBBON_BASES, 0), PETAL_E_CORRUPT);
}

/* A ribbon always knows its number of keys.  If that is zero, the number alone does not
 * show that the image claims it is unknown. */
static void a_ribbon_counts_its_keys(void **state)
{
    (void)state;
    static const struct {
        uint64_t keys, claimed;
        bool counted;
        int should;
    } rows[] = {
        { 0, 0, true, PETAL_OK },           { 0, 0, false, PETAL_E_CORRUPT },
        { 0, 1, true, PETAL_E_CORRUPT },    { 100, 100, true, PETAL_OK },
        { 100, 99, true, PETAL_E_CORRUPT }, { 100, 0, false, PETAL_E_CORRUPT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        petal_filter f = forged_layers(&rows[i].keys, 1, 0, 0);
        f.keys = rows[i].claimed;
        f.counted = rows[i].counted;
        assert_int_equal(opened(&f), rows[i].should);
    }
}

/* ---- Headers ---- */

static void damage_to_a_header_is_detected_even_if_trusted(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = filter_made(options_for(kind, 60)), *view;
        size_t len;
        const void *bytes = petal_bytes(f, &len);
        uint8_t *copy = malloc(len);
        require(copy);
        memcpy(copy, bytes, len);
        for (size_t bit = 0; bit < 8 * IMAGE_HEADER; bit++) {
            copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_true(petal_view(copy, len, PETAL_TRUST, &view) < 0);
            copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_int_equal(petal_view(copy, len, PETAL_TRUST, &view), PETAL_OK);
        petal_free(view);
        free(copy);
        petal_free(f);
    }
}

/* A file may change while a filter is mapped from it. */
static void damage_to_a_header_in_use_is_detected(void **state)
{
    (void)state;
    petal_filter *f = filter_made((petal_options){ .capacity = 60 });
    assert_int_equal(petal_seal(f), PETAL_OK);
    assert_int_equal(petal_verify(f, NULL), PETAL_OK);
    f->image[48] ^= 1;
    uint64_t damaged = 1;
    assert_int_equal(petal_verify(f, &damaged), PETAL_E_CORRUPT);
    assert_true(damaged == 0);
    petal_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_at_most_40_stages),
        cmocka_unit_test(blocks_that_add_up_only_by_overflow_are_rejected),
        cmocka_unit_test(there_are_at_most_16_layers),
        cmocka_unit_test(only_an_empty_filter_has_an_empty_layer),
        cmocka_unit_test(only_the_last_layer_is_small),
        cmocka_unit_test(the_number_of_keys_of_a_layer_does_not_overflow),
        cmocka_unit_test(attempts_and_bases_are_bounded),
        cmocka_unit_test(a_ribbon_counts_its_keys),
        cmocka_unit_test(damage_to_a_header_is_detected_even_if_trusted),
        cmocka_unit_test(damage_to_a_header_in_use_is_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
