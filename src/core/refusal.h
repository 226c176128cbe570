/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refusal.h: records why an option is rejected, for petal_refused().
 *
 * Code that rejects an option calls petal__refuse(), which records the reason and returns
 * the error.  petal_plan() passes NULL and pays nothing for it.
 */
#ifndef PETAL_CORE_REFUSAL_H
#define PETAL_CORE_REFUSAL_H

#include "core/portable.h"
#include "petal_host.h"

/* Records the option and the reason, unless `why` is NULL, and returns `error`.  The reason
 * continues a sentence that begins with the option's name: "must be at most 12".  The first
 * # in it stands for a, the second for b. */
int petal__refuse_with(petal_refusal *why, int error, const char *option,
                       const char *reason, double a, double b);

static inline int petal__refuse(petal_refusal *why, int error, const char *option,
                                const char *reason)
{
    return petal__refuse_with(why, error, option, reason, 0, 0);
}

#endif
