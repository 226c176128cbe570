/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange.c: petal_exchange.h: reads and writes filters of other programs.
 *
 * A kind that another program has too comes with a struct petal__foreign.  Reading fills in
 * a new filter of that kind; what results must be sound, like every image.  Without a kind,
 * every one of them is tried: the length of the bytes must agree with the header, so that
 * hardly anything is taken for what it is not.
 */
#include "petal_exchange.h"

#include "api/api.h"
#include "core/image.h"
#include "core/memory.h"
#include "kinds/list.h"

const char *petal_foreign_name(petal_kind kind)
{
    const struct petal_ops *ops = kind == PETAL_DEFAULT ? NULL : petal__ops(kind);
    return ops && ops->foreign ? ops->foreign->name : NULL;
}

petal_kind petal_foreign_named(const char *name)
{
    for (size_t i = 0; petal__kinds[i]; i++)
        if (petal__kinds[i]->foreign && strcmp(petal__kinds[i]->foreign->name, name) == 0)
            return petal__kinds[i]->kind;
    return PETAL_DEFAULT;
}

/* Fills in what the header of the other program says. */
static int exchange_read_header(const struct petal_ops *ops, petal_form form,
                                const void *bytes, size_t len, petal_filter *f)
{
    *f = (petal_filter){ .ops = ops,
                         .form = petal__form(form),
                         .shape = { .kind = ops->kind, .form = form, .counter_bits = 1 },
                         .stages = 1 };
    const int rc = ops->foreign->read(f, bytes, len);
    if (rc == PETAL_OK && petal__image_shape_fits(&f->shape, f->stages))
        return PETAL_OK;
    petal__sections_free(&f->sections);
    return rc == PETAL_OK ? PETAL_E_SHAPE : rc;
}

static int exchange_fill(petal_filter *f, const void *bytes, size_t len)
{
    petal__image_measure(&f->shape, f->stages, f->sections.len);
    const int rc = petal__image_alloc(f);
    if (rc < 0)
        return rc;
    f->ops->foreign->fill(f, bytes, len);
    if (petal__image_padded(f) && (!f->ops->sound || f->ops->sound(f)))
        return PETAL_OK;
    petal__image_release(f);
    return PETAL_E_CORRUPT;
}

static int exchange_read(const struct petal_ops *ops, petal_form form, const void *bytes,
                         size_t len, petal_filter **filter)
{
    petal_filter f;
    int rc = exchange_read_header(ops, form, bytes, len, &f);
    if (rc < 0)
        return rc;
    rc = exchange_fill(&f, bytes, len);
    if (rc < 0) {
        petal__sections_free(&f.sections);
        return rc;
    }
    return petal__adopt(&f, filter);
}

static int exchange_recognize(petal_form form, const void *bytes, size_t len,
                              petal_filter **filter)
{
    for (size_t i = 0; petal__kinds[i]; i++) {
        if (!petal__kinds[i]->foreign)
            continue;
        const int rc = exchange_read(petal__kinds[i], form, bytes, len, filter);
        if (rc == PETAL_OK || rc == PETAL_E_MEMORY)
            return rc;
    }
    return PETAL_E_FORMAT;
}

/* Is anything chosen beside kind and form?  The members are compared, because the bytes
 * between them may be anything. */
static bool exchange_has_more(const petal_options *o)
{
    uint64_t more = o->capacity | o->bits | o->hashes | o->counter_bits | o->insert_only |
                    o->growth | o->capacity_max | o->match_lookups | (uint64_t)o->hash |
                    o->seed[0] | o->seed[1] | o->threads;
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        more |= o->reserved[i];
    return more != 0 || o->fpr != 0;
}

/* Nothing but kind and form can be chosen. */
static int exchange_check(const petal_options *o)
{
    const struct petal_form_ops *form = petal__form(o->form);
    const struct petal_ops *ops = petal__ops(o->kind);
    if (!ops)
        return PETAL_E_KIND;
    if (!petal_form_name(o->form) || (form && form->match_lookups) || exchange_has_more(o))
        return PETAL_E_OPTION;
    return o->kind == PETAL_DEFAULT || ops->foreign ? PETAL_OK : PETAL_E_ABILITY;
}

int petal_read_foreign(const petal_options *options, const void *bytes, size_t len,
                       petal_filter **filter)
{
    *filter = NULL;
    const int rc = exchange_check(options);
    if (rc < 0)
        return rc;
    return options->kind == PETAL_DEFAULT
               ? exchange_recognize(options->form, bytes, len, filter)
               : exchange_read(petal__ops(options->kind), options->form, bytes, len,
                               filter);
}

int64_t petal_write_foreign(const petal_filter *filter, void *bytes, size_t size)
{
    if (!filter->ops->foreign)
        return PETAL_E_ABILITY;
    return (int64_t)filter->ops->foreign->write(filter, petal_size(filter), bytes, size);
}
