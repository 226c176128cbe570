/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pattern.c: keys found by a regular expression, in a build without PCRE2.
 */
#include "pattern.h"

#include "print.h"

void pattern_compile(const char *expression)
{
    fail("--extract %s: this petal was built without PCRE2, so it has no regular "
         "expressions; url, ip and domain work",
         expression);
}

void pattern_take(struct batch *batch, struct span text)
{
    (void)batch;
    (void)text;
}

void pattern_free(void *match)
{
    (void)match;
}
