/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bits_test.c: whole arrays of bits, against a loop over each bit.
 */
#include "check.h"
#include "core/bits.h"
#include "support.h"

enum { LEN = 64 * 5 };

static void fill(uint8_t *bytes, uint64_t seed)
{
    random_state r = { seed };
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (uint8_t)random_next(&r);
}

static void every_range_is_counted_bit_by_bit(void **state)
{
    (void)state;
    _Alignas(64) uint8_t bytes[LEN + 1];
    fill(bytes, 1);
    for (uint64_t first = 0; first < 200; first++) {
        uint64_t count = 0;
        for (uint64_t end = first; end <= LEN * 8; end++) {
            assert_true(petal__bits_count_range(bytes, first, end) == count);
            count += end < LEN * 8 && bytes[end / 8] >> end % 8 & 1;
        }
    }
    assert_true(petal__bits_count(bytes, LEN) ==
                petal__bits_count_range(bytes, 0, LEN * 8));
    memmove(bytes + 1, bytes, LEN); /* a view may lie anywhere */
    assert_true(petal__bits_count(bytes + 1, LEN) ==
                petal__bits_count_range(bytes + 1, 0, LEN * 8));
}

static void arrays_unite_and_intersect(void **state)
{
    (void)state;
    uint8_t a[LEN], b[LEN], both[LEN], common[LEN];
    fill(a, 2);
    fill(b, 3);
    memcpy(both, a, LEN);
    memcpy(common, a, LEN);
    petal__bits_or(both, b, LEN);
    petal__bits_and(common, b, LEN);
    for (size_t i = 0; i < LEN; i++)
        assert_true(both[i] == (a[i] | b[i]) && common[i] == (a[i] & b[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_is_counted_bit_by_bit),
        cmocka_unit_test(arrays_unite_and_intersect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
