/* SPDX-License-Identifier: BSD-2-Clause */
/* sizing.h: computes how large a filter must be. */
#ifndef PETAL_KINDS_SIZING_H
#define PETAL_KINDS_SIZING_H

#include "core/portable.h"
#include "petal_host.h"
#include "petal_math.h"

/* What a kind says about itself. */
struct petal__rule {
    double   (*rate)(uint64_t cells, uint32_t k, double n);
    double   (*estimate)(uint64_t cells, uint32_t k, double n); /* a fast approximation;
                           NULL if rate() is fast itself */
    uint32_t k_min, k_max;
    uint32_t k_liked;   /* the fastest k, used if it costs at most 1% of the size; 0: none */
    uint32_t granule;   /* the number of cells is a multiple of this; 0: of k */
    uint64_t cells_max;
    double   fpr_min;   /* the lowest rate for which this kind is worthwhile */
    double   rate_floor; /* the formula is not accurate below this */
};

/* Fills in capacity, fpr, bits and hashes of a shape, from any two of capacity, fpr and
 * bits, or from bits and hashes.  The caller has set shape->counter_bits. */
int petal__size(const petal_options *want, const struct petal__rule *rule,
                petal_shape *shape, petal_refusal *why);

/* Estimates how many keys have set `set` of m cells, if each key sets a given cell with
 * probability `hit`.  If all cells are set, it assumes that half a cell is clear. */
double petal__keys_for(double m, double set, double hit);

#endif
