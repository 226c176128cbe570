/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.c: petal_inline.h: what a lookup needs, for code that is compiled into programs.
 *
 * The kind describes its cells.  If it does not, or if the key of a filter must be
 * normalized first, the program calls the library.
 */
#include "api/api.h"
#include "petal_inline.h"

static uint32_t reader_hash(const petal_filter *f)
{
    if (f->form || f->ops->point)
        return 0;
    switch (f->shape.hash) {
    case PETAL_HASH_FAST: return PETAL_READER_XXH3;
    case PETAL_HASH_XXH64: return PETAL_READER_XXH64;
    case PETAL_HASH_KEYED:
    case PETAL_HASH_FOREIGN:
    case PETAL_HASH_NONE: break;
    }
    return 0;
}

/* The combinations of hash and layout that programs know. */
static uint32_t reader_lookup(uint32_t hash, uint32_t layout)
{
    switch (layout) {
    case PETAL_READER_512:
    case PETAL_READER_512_FEW:
    case PETAL_READER_512_MANY: return hash == PETAL_READER_XXH3 ? layout : 0;
    case PETAL_READER_256: return hash == PETAL_READER_XXH64 ? layout : 0;
    default: return 0;
    }
}

void petal_reader_fill(const petal_filter *filter, petal_reader *reader, size_t size)
{
    petal_reader made = { .filter = filter, .hash = reader_hash(filter) };
    made.seed = filter->shape.seed[0];
    made.flip = filter->flip;
    if (filter->ops->reader)
        filter->ops->reader(filter, &made);
    made.lookup = reader_lookup(made.hash, made.layout);
    memset(reader, 0, size);
    memcpy(reader, &made, size < sizeof made ? size : sizeof made);
}
