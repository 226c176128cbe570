/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host.c: for hosts that move and limit memory, and the version of the library.
 */
#include "api/api.h"
#include "core/image.h"

#define TEXT(x)  #x
#define QUOTE(x) TEXT(x)

petal_filter *petal_relocate(petal_filter *filter, petal_move_fn *move, void *context)
{
    petal_filter *moved = move(context, filter), *f = moved ? moved : filter;
    if (moved)
        f->state = f + 1;
    const bool image_moved = petal__image_move(f, move, context);
    if (f->ops->move)
        f->ops->move(f, move, context);
    if ((moved || image_moved) && f->ops->attach)
        f->ops->attach(f);
    return f;
}

void petal_limit_size(petal_filter *filter, uint64_t image_bytes)
{
    filter->size_over = image_bytes + 1; /* 0 for UINT64_MAX */
}

unsigned petal_version_number(void)
{
    return PETAL_VERSION_NUMBER;
}

const char *petal_version(void)
{
    return QUOTE(PETAL_VERSION_MAJOR) "." QUOTE(PETAL_VERSION_MINOR) "." QUOTE(
        PETAL_VERSION_PATCH);
}
