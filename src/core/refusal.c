/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refusal.c: writes the reason why an option is rejected.
 *
 * Reasons are short enough to fit.  A longer one would be cut off and not overflow.
 */
#include "core/refusal.h"

#include "core/digits.h"

/* Appends text of a given length, as far as there is room. */
static size_t refusal_append(char *to, size_t size, size_t at, const char *text, size_t len)
{
    const size_t space = size - 1 - at, n = len < space ? len : space;
    memcpy(to + at, text, n);
    to[at + n] = 0;
    return at + n;
}

static size_t refusal_number(char *text, double value)
{
    const bool whole = value >= 1 && value < 1e15 && value == (double)(uint64_t)value;
    return whole ? petal__digits((uint64_t)value, 10, text)
                 : petal__digits_real(value, text);
}

int petal__refuse_with(petal_refusal *why, int error, const char *option,
                       const char *reason, double a, double b)
{
    if (!why)
        return error;
    *why = (petal_refusal){ .error = error };
    refusal_append(why->option, sizeof why->option, 0, option, strlen(option));
    size_t at = 0;
    for (double value = a; *reason; reason++) {
        char number[DIGITS_REAL_MAX];
        const bool is_number = *reason == '#';
        const size_t len = is_number ? refusal_number(number, value) : 1;
        at = refusal_append(why->reason, sizeof why->reason, at,
                            is_number ? number : reason, len);
        value = is_number ? b : value;
    }
    return error;
}
