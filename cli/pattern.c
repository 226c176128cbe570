/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pattern.c: keys found by a regular expression, with PCRE2.
 *
 * The expression is compiled to machine code once.  Each batch has its own memory for the
 * match.  Text is matched as bytes.
 */
#include "pattern.h"

#include "load.h"
#include "print.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* clang-format off */
#define FUNCTIONS(F)                                                                       \
    F(pcre2_, compile)              F(pcre2_, jit_compile)  F(pcre2_, get_error_message)   \
    F(pcre2_, match_data_create_from_pattern)               F(pcre2_, match_data_free)     \
    F(pcre2_, get_ovector_pointer)  F(pcre2_, match)
/* clang-format on */
LOAD(pcre2, FUNCTIONS)

static pcre2_code *pattern_code;

void pattern_compile(const char *expression)
{
    const char *missing = pcre2_load();
    if (missing)
        fail("--extract %s: %s, so it has no regular expressions; url, ip and domain work",
             expression, missing);
    int error;
    PCRE2_SIZE at;
    pattern_code =
        pcre2.compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, 0, &error, &at, NULL);
    if (!pattern_code) {
        PCRE2_UCHAR why[128];
        pcre2.get_error_message(error, why, sizeof why);
        fail("--extract %s: not url, ip or domain, and not a regular expression: %s at "
             "character %zu",
             expression, (const char *)why, (size_t)at + 1);
    }
    pcre2.jit_compile(pattern_code, PCRE2_JIT_COMPLETE); /* without it, only slower */
}

static pcre2_match_data *pattern_memory(struct batch *batch)
{
    if (!batch->match)
        batch->match = pcre2.match_data_create_from_pattern(pattern_code, NULL);
    if (!batch->match)
        fail_memory();
    return batch->match;
}

void pattern_free(void *match)
{
    if (match)
        pcre2.match_data_free(match);
}

void pattern_take(struct batch *batch, struct span text)
{
    pcre2_match_data *match = pattern_memory(batch);
    const PCRE2_SIZE *ends = pcre2.get_ovector_pointer(match);
    for (PCRE2_SIZE from = 0; from <= text.len;) {
        const int groups =
            pcre2.match(pattern_code, (PCRE2_SPTR)text.at, text.len, from, 0, match, NULL);
        if (groups < 1)
            return; /* no match, or one that would take too long to find */
        const size_t group = groups > 1 && ends[2] != PCRE2_UNSET ? 2 : 0;
        if (ends[group + 1] > ends[group])
            batch_key(batch, (struct span){ text.at + ends[group],
                                            ends[group + 1] - ends[group] });
        from = ends[1] > from ? ends[1] : from + 1;
    }
}
