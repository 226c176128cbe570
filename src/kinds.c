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

const petal_kind_words *petal_kind_words_of(petal_kind kind)
{
    const struct petal_ops *ops = petal__ops(kind);
    return ops ? &ops->words : NULL;
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

/* ---- Abilities ---- */

static const struct {
    unsigned ability;
    const char *name;
} kinds_abilities[] = {
    { PETAL_CAN_REMOVE, "remove" }, { PETAL_CAN_COUNT, "count" },
    { PETAL_CAN_MERGE, "merge" },   { PETAL_CAN_GROW, "grow" },
    { PETAL_IS_EXACT, "exact" },    { PETAL_IS_STATIC, "static" },
    { PETAL_CAN_SHARE, "share" },   { PETAL_CAN_IMPORT, "import" },
    { PETAL_IS_STAGED, "staged" },  { PETAL_IS_ORDERED, "ordered" },
};

#define ABILITIES (sizeof kinds_abilities / sizeof *kinds_abilities)

const char *petal_ability_name(unsigned ability)
{
    for (size_t i = 0; i < ABILITIES; i++)
        if (kinds_abilities[i].ability == ability)
            return kinds_abilities[i].name;
    return NULL;
}

unsigned petal_ability_named(const char *name)
{
    for (size_t i = 0; i < ABILITIES; i++)
        if (strcmp(kinds_abilities[i].name, name) == 0)
            return kinds_abilities[i].ability;
    return 0;
}

unsigned petal_ability_next(unsigned ability)
{
    if (ability == 0)
        return kinds_abilities[0].ability;
    for (size_t i = 0; i + 1 < ABILITIES; i++)
        if (kinds_abilities[i].ability == ability)
            return kinds_abilities[i + 1].ability;
    return 0;
}
