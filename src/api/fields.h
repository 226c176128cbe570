/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fields.h: describes a field of petal_options, petal_shape or petal_stats, for conversion
 * from and to text.
 */
#ifndef PETAL_API_FIELDS_H
#define PETAL_API_FIELDS_H

#include "core/portable.h"
#include "petal.h"

enum type { KIND, FORM, HASH, SEED, FLAG, COUNT, SMALL, BITS, RATE };

struct field {
    const char *name;
    enum type   type;
    size_t      at;
};

#define FIELD(structure, name, type) { #name, type, offsetof(structure, name) }

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#endif
