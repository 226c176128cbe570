/* SPDX-License-Identifier: BSD-2-Clause */
/* image.h: the bytes of a filter: header, cells, tail, checksums. */
#ifndef PETAL_CORE_IMAGE_H
#define PETAL_CORE_IMAGE_H

#include "core/filter.h"

#define IMAGE_HEADER 256

/* Fill in what follows from the rest of a shape: block_bits, bits_per_key, image_bytes. */
void petal__image_measure(petal_shape *shape, uint32_t stages);

/* Could it have been planned?  It may come from a hostile file; or from a caller. */
bool petal__image_shape_fits(const petal_shape *shape, uint32_t stages);

/* Zeroed memory for the image of f->shape.  0 or PETAL_E_MEMORY. */
int  petal__image_alloc(petal_filter *f);

/* For a kind that grows: make room for one more stage of this many bits, zeroed, and
 * count its capacity in.  The cells keep their places within the image; the tail moves
 * behind the new ones.  0, or PETAL_E_MEMORY with nothing changed. */
int  petal__extend(petal_filter *f, uint64_t more_bits, uint64_t more_capacity);

/* Give the image back: the filter has none. */
void petal__image_release(petal_filter *f);

/* Shows the block of the image to a host that moves memory.  Is it elsewhere now? */
bool petal__image_move(petal_filter *f, petal_move_fn *move, void *context);

/* Write the header and the checksums. */
void petal__image_seal(petal_filter *f);

/* Compare the chunks with their checksums; where the first bad one begins. */
bool petal__image_intact(const petal_filter *f, uint64_t *damaged);

/* The one validator: make f a view of these bytes, or say what is wrong with them.
 * Touches nothing outside them; allocates a copy of the tail, and nothing else.  Header
 * and tail are read once, and what was read is what is validated, so that the bytes may
 * change at any time.  With `trust` the chunks are not compared with their checksums, and
 * the work is constant. */
int  petal__image_read(petal_filter *f, const void *bytes, size_t len, bool trust);

/* The same with a copy of the bytes, which can be changed. */
int  petal__image_read_copy(petal_filter *f, const void *bytes, size_t len, bool trust);

/* The bytes that f was read from are our own, in this block of memory: f can be changed,
 * and frees it. */
void petal__image_take(petal_filter *f, void *block);

/* Clear the bits between the last cell and the end of its cache line. */
void petal__image_pad(petal_filter *f);

/* Are the bits between the last cell and the end of its cache line zero? */
bool petal__image_padded(const petal_filter *f);

#endif
