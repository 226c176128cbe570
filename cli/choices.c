/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * choices.c: the kinds of filter that the command chooses itself.
 */
#include "choices.h"

/* The first kind that has all these abilities; the library's default if there is none. */
static petal_kind choice_that_can(unsigned abilities)
{
    petal_kind kind = petal_kind_next(PETAL_DEFAULT);
    while (kind && (petal_abilities(kind) & abilities) != abilities)
        kind = petal_kind_next(kind);
    return kind;
}

petal_kind choice_growing(void)
{
    return choice_that_can(PETAL_CAN_GROW);
}

petal_kind choice_removing(void)
{
    return choice_that_can(PETAL_CAN_REMOVE | PETAL_CAN_COUNT | PETAL_CAN_GROW);
}

petal_kind choice_counting(void)
{
    return choice_that_can(PETAL_CAN_COUNT | PETAL_CAN_REMOVE);
}

bool choice_compared(petal_kind kind)
{
    return !(petal_abilities(kind) & PETAL_NEEDS_KEYS);
}
