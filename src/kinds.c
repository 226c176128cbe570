/*
 * kinds.c: the list of kinds.  A new kind is a file in kinds/, an enumerator in
 * petal.h, and a line in each of the two lists here.
 */
#include "kinds.h"

extern const struct petal_ops petal__bitmap, petal__classic, petal__partitioned,
    petal__blocked, petal__split, petal__counting, petal__scalable, petal__ribbon;

static const struct petal_ops *const kinds_list[] = {
    &petal__bitmap, &petal__classic,  &petal__partitioned, &petal__blocked,
    &petal__split,  &petal__counting, &petal__scalable,    &petal__ribbon,
};

#define KINDS (sizeof kinds_list / sizeof *kinds_list)

const struct petal_ops *petal__ops(petal_kind kind)
{
    if (kind == PETAL_DEFAULT)
        return &petal__blocked;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds_list[i]->kind == kind)
            return kinds_list[i];
    return NULL;
}

unsigned petal_abilities(petal_kind kind)
{
    const struct petal_ops *ops = petal__ops(kind);
    return ops ? ops->abilities : 0;
}

const char *petal_kind_name(petal_kind kind)
{
    const struct petal_ops *ops = kind == PETAL_DEFAULT ? NULL : petal__ops(kind);
    return ops ? ops->name : NULL;
}

petal_kind petal_kind_named(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds_list[i]->name, name) == 0)
            return kinds_list[i]->kind;
    return PETAL_DEFAULT;
}

petal_kind petal_kind_next(petal_kind kind)
{
    if (kind == PETAL_DEFAULT)
        return kinds_list[0]->kind;
    for (size_t i = 0; i + 1 < KINDS; i++)
        if (kinds_list[i]->kind == kind)
            return kinds_list[i + 1]->kind;
    return PETAL_DEFAULT;
}
