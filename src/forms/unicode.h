/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unicode.h: folds letter case.
 */
#ifndef PETAL_FORMS_UNICODE_H
#define PETAL_FORMS_UNICODE_H

#include "core/portable.h"

/* Unicode's simple case folding. */
uint32_t petal__fold(uint32_t c);

#endif
