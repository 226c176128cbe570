/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slot.c: petal.h section 9: replacing a filter that is in use.
 *
 * A slot counts the users of each filter that it has handed out.  The count is in the
 * filter, so a replaced filter still knows how many users it has.  A lock protects the
 * current filter and the counts; it is held for a few instructions only, never while a
 * filter is freed.
 */
#include "core/filter.h"
#include "core/memory.h"
#include "os/os.h"

struct petal_slot {
    struct os_lock lock;
    petal_filter *current;
};

int petal_slot_new(petal_filter *filter, petal_slot **slot)
{
    *slot = petal__memory_get(sizeof **slot);
    if (!*slot)
        return PETAL_E_MEMORY;
    petal__os_lock_init(&(*slot)->lock);
    (*slot)->current = filter;
    return PETAL_OK;
}

const petal_filter *petal_slot_acquire(petal_slot *slot)
{
    petal__os_lock(&slot->lock);
    petal_filter *f = slot->current;
    f->users++;
    petal__os_unlock(&slot->lock);
    return f;
}

void petal_slot_release(petal_slot *slot, const petal_filter *filter)
{
    petal_filter *f = (petal_filter *)(uintptr_t)filter; /* the slot owns it */
    petal__os_lock(&slot->lock);
    const bool unused = --f->users == 0 && f != slot->current;
    petal__os_unlock(&slot->lock);
    if (unused)
        petal_free(f);
}

void petal_slot_replace(petal_slot *slot, petal_filter *filter)
{
    petal__os_lock(&slot->lock);
    petal_filter *old = slot->current;
    slot->current = filter;
    const bool unused = old->users == 0 && old != filter;
    petal__os_unlock(&slot->lock);
    if (unused)
        petal_free(old);
}

void petal_slot_free(petal_slot *slot)
{
    if (!slot)
        return;
    petal_free(slot->current);
    petal__os_lock_free(&slot->lock);
    petal__memory_free(slot);
}
