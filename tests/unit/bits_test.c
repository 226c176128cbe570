/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bits_test.c: operations on arrays of bits, compared with a loop over single bits.
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

static void every_range_has_the_count_of_a_simple_loop(void **state)
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
    memmove(bytes + 1, bytes, LEN); /* the array need not be aligned */
    assert_true(petal__bits_count(bytes + 1, LEN) ==
                petal__bits_count_range(bytes + 1, 0, LEN * 8));
}

static void union_and_intersection_of_arrays(void **state)
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
        cmocka_unit_test(every_range_has_the_count_of_a_simple_loop),
        cmocka_unit_test(union_and_intersection_of_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
