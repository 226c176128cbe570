/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c: petal.h sections 1 and 2: the names of kinds, abilities, forms and hashes.
 *
 * Kinds and forms define their own names.  Those of abilities and hashes are in
 * tables here.
 */
#include "core/form.h"
#include "kinds/list.h"

/* ---- Kinds ---- */

unsigned petal_abilities(petal_kind kind)
{
    const struct petal_ops *ops = petal__ops(kind);
    return ops ? ops->abilities : 0;
}

unsigned petal_shape_abilities(const petal_shape *shape)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    return ops ? ops->abilities & ~(shape->insert_only ? ops->insert_only_lacks : 0) : 0;
}

const char *petal_kind_name(petal_kind kind)
{
    const struct petal_ops *ops = kind == PETAL_DEFAULT ? NULL : petal__ops(kind);
    return ops ? ops->name : NULL;
}

petal_kind petal_kind_named(const char *name)
{
    for (size_t i = 0; petal__kinds[i]; i++)
        if (strcmp(petal__kinds[i]->name, name) == 0)
            return petal__kinds[i]->kind;
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
        return petal__kinds[0]->kind;
    for (size_t i = 0; petal__kinds[i]; i++)
        if (petal__kinds[i]->kind == kind)
            return petal__kinds[i + 1] ? petal__kinds[i + 1]->kind : PETAL_DEFAULT;
    return PETAL_DEFAULT;
}

/* ---- Abilities ---- */

static const struct {
    unsigned ability;
    const char *name;
} abilities[] = {
    { PETAL_CAN_REMOVE, "remove" },   { PETAL_CAN_COUNT, "count" },
    { PETAL_CAN_MERGE, "merge" },     { PETAL_CAN_GROW, "grow" },
    { PETAL_IS_EXACT, "exact" },      { PETAL_IS_STATIC, "static" },
    { PETAL_CAN_SHARE, "share" },     { PETAL_CAN_IMPORT, "import" },
    { PETAL_IS_STAGED, "staged" },    { PETAL_IS_ORDERED, "ordered" },
    { PETAL_CAN_FORGET, "forget" },   { PETAL_CAN_RENEW, "renew" },
    { PETAL_CAN_COMPACT, "compact" }, { PETAL_CAN_LIST, "list" },
    { PETAL_NEEDS_KEYS, "keys" },
};

#define ABILITIES (sizeof abilities / sizeof *abilities)

const char *petal_ability_name(unsigned ability)
{
    for (size_t i = 0; i < ABILITIES; i++)
        if (abilities[i].ability == ability)
            return abilities[i].name;
    return NULL;
}

unsigned petal_ability_named(const char *name)
{
    for (size_t i = 0; i < ABILITIES; i++)
        if (strcmp(abilities[i].name, name) == 0)
            return abilities[i].ability;
    return 0;
}

unsigned petal_ability_next(unsigned ability)
{
    if (ability == 0)
        return abilities[0].ability;
    for (size_t i = 0; i + 1 < ABILITIES; i++)
        if (abilities[i].ability == ability)
            return abilities[i + 1].ability;
    return 0;
}

/* ---- Forms ---- */

/* Returns the index of a form in the list, or that of the final NULL. */
static size_t names_form_at(petal_form form)
{
    size_t i = 0;
    while (petal__forms[i] && petal__forms[i]->form != form)
        i++;
    return i;
}

const char *petal_form_name(petal_form form)
{
    const struct petal_form_ops *ops = petal__forms[names_form_at(form)];
    return ops ? ops->name : NULL;
}

petal_form petal_form_named(const char *name)
{
    for (size_t i = 0; petal__forms[i]; i++)
        if (strcmp(petal__forms[i]->name, name) == 0)
            return petal__forms[i]->form;
    return PETAL_FORM_NONE;
}

petal_form petal_form_next(petal_form form)
{
    const size_t at = names_form_at(form);
    const struct petal_form_ops *next = form == PETAL_FORM_NONE ? petal__forms[0]
                                        : petal__forms[at]      ? petal__forms[at + 1]
                                                                : NULL;
    return next ? next->form : PETAL_FORM_NONE;
}

/* ---- Hashes ---- */

static const char *const hash_names[] = {
    [PETAL_HASH_FAST] = "fast",
    [PETAL_HASH_KEYED] = "keyed",
    [PETAL_HASH_XXH64] = "xxh64",
    [PETAL_HASH_FOREIGN] = "foreign",
};

#define HASHES (int)(sizeof hash_names / sizeof *hash_names)

const char *petal_hash_name(petal_hash_id hash)
{
    return (int)hash >= 0 && (int)hash < HASHES ? hash_names[hash] : NULL;
}

petal_hash_id petal_hash_named(const char *name)
{
    for (int i = 0; i < HASHES; i++)
        if (strcmp(hash_names[i], name) == 0)
            return (petal_hash_id)i;
    return PETAL_HASH_NONE;
}

petal_hash_id petal_hash_next(petal_hash_id hash)
{
    return (int)hash >= -1 && (int)hash + 1 < HASHES ? (petal_hash_id)((int)hash + 1)
                                                     : PETAL_HASH_NONE;
}
