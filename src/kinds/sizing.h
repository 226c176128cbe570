/* SPDX-License-Identifier: BSD-2-Clause */
/* sizing.h: how large a filter must be. */
#ifndef PETAL_KINDS_SIZING_H
#define PETAL_KINDS_SIZING_H

#include "core/portable.h"
#include "petal_host.h"
#include "petal_math.h"

/* What a kind tells about itself. */
struct petal__rule {
    double   (*rate)(uint64_t cells, uint32_t k, double n);
    double   (*estimate)(uint64_t cells, uint32_t k, double n); /* nearly the same, at once;
                           NULL where rate() takes no time either */
    uint32_t k_min, k_max;
    uint32_t k_liked;   /* the fastest k, taken where it costs next to nothing; 0: none */
    uint32_t granule;   /* cells come in multiples of this; 0: of k */
    uint64_t cells_max;
    double   fpr_min;   /* the least rate worth having with this kind */
    double   rate_floor; /* the formula says nothing below this */
};

/* Fill in capacity, fpr, bits and hashes of a shape from any two of capacity, fpr
 * and bits, or from bits and hashes.  shape->counter_bits must be there. */
int petal__size(const petal_options *want, const struct petal__rule *rule, petal_shape *shape,
                petal_refusal *why);

/* How many keys explain that `set` of m cells are set, if each key sets a given cell
 * with probability `hit`?  Where all are set, as many as leave half a cell. */
double petal__keys_for(double m, double set, double hit);

#endif
