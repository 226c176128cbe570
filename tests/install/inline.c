/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside of petal's tree, in C or C++, that uses petal_inline.h. */
#include <petal.h>
#ifndef PETAL_INLINE_H /* the amalgamation has all headers in petal.h */
#include <petal_inline.h>
#endif
#include <stdio.h>
#include <string.h>

int main(void)
{
    petal_options options;
    petal_filter *f = NULL;
    petal_reader reader;
    bool same = true;
    memset(&options, 0, sizeof options);
    options.capacity = 1000;
    if (petal_new(&options, &f) < 0)
        return 1;
    petal_reader_of(f, &reader);
    for (uint64_t key = 0; key < 2000; key += 2)
        petal_add(f, &key, sizeof key);
    for (uint64_t key = 0; key < 2000; key++)
        same = same && petal_reader_contains(&reader, &key, sizeof key) ==
                           petal_contains(f, &key, sizeof key);
    printf("%d %d\n", same, petal_reader_contains(&reader, "tulip", 5));
    petal_free(f);
    return 0;
}
