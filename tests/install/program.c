/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside of petal's tree. */
#include <petal.h>
#include <stdio.h>

int main(void)
{
    petal_filter *f;
    if (petal_new(&(petal_options){ .capacity = 1000 }, &f) < 0)
        return 1;
    petal_add(f, "rose", 4);
    printf("%d %d\n", petal_contains(f, "rose", 4), petal_contains(f, "tulip", 5));
    petal_free(f);
    return 0;
}
