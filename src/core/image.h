/* SPDX-License-Identifier: BSD-2-Clause */
/* image.h: creates, writes, reads and validates the image of a filter: header, cells,
 * tail, checksums, sections. */
#ifndef PETAL_CORE_IMAGE_H
#define PETAL_CORE_IMAGE_H

#include "core/filter.h"

#define IMAGE_HEADER 256

/* Fills in the fields of a shape that follow from others: block_bits, bits_per_key
 * and image_bytes.  `sections_len` is that of the filter, f->sections.len. */
void petal__image_measure(petal_shape *shape, uint32_t stages, uint32_t sections_len);

/* The length of the cells and the tail. */
uint64_t petal__image_body(const petal_filter *f);

/* Could petal_plan() have produced this shape?  It may come from a hostile file or from
 * a caller. */
bool petal__image_shape_fits(const petal_shape *shape, uint32_t stages);

/* Allocates a zeroed image for f->shape.  Returns 0 or PETAL_E_MEMORY. */
int  petal__image_alloc(petal_filter *f);

/* The same, but the cells are not set to anything: that takes long if there are many. */
int  petal__image_alloc_unset(petal_filter *f);

/* May the filter grow to this shape?  Returns 0 or PETAL_E_MEMORY. */
int  petal__image_may_grow(const petal_filter *f, const petal_shape *grown);

/* Replaces the sections; f then owns the memory of the new ones.  A longer image may need a
 * new place, with room for any notes that follow, so the caller attaches.  A scattered
 * filter stays in place.  Returns 0, or PETAL_E_MEMORY with nothing changed. */
int  petal__image_put_sections(petal_filter *f, struct sections sections);

/* Brings the cells of a scattered filter together in a new image, and attaches.  Does
 * nothing for other filters.  Returns 0, or PETAL_E_MEMORY with nothing changed. */
int  petal__image_gather(petal_filter *f);

/* Frees the image.  The filter then has none.  It keeps its sections. */
void petal__image_release(petal_filter *f);

/* Lets a host that defragments memory move the image and the sections.  Returns whether
 * the image moved, or the copy of its tail. */
bool petal__image_move(petal_filter *f, petal_move_fn *move, void *context);

/* Writes the header, the checksums and the sections. */
void petal__image_seal(petal_filter *f);

/* An id of what a sealed filter contains, as docs/format.md defines it. */
uint64_t petal__image_id(const petal_filter *f);

/* Compares everything with its checksum.  On failure, `damaged` is the offset where the
 * first damaged part begins. */
bool petal__image_intact(const petal_filter *f, uint64_t *damaged);

/* The only validator: makes f a view of these bytes, or returns what is wrong with them.
 *
 * It reads nothing outside the bytes and allocates only copies of the tail and of the
 * sections.  Header, tail and sections are read once, and what was read is what is
 * validated, so the bytes may change at any time.  With `trust`, chunks are not compared
 * with their checksums, and the work is constant. */
int  petal__image_read(petal_filter *f, const void *bytes, size_t len, bool trust);

/* Checks, before a filter whose cells were not validated becomes writable, what changes rely
 * on.  Returns 0 or PETAL_E_CORRUPT. */
int  petal__image_check_change(const petal_filter *f);

/* The same for a copy of the bytes, which can then be changed. */
int  petal__image_read_copy(petal_filter *f, const void *bytes, size_t len, bool trust);

/* Makes f the owner of the bytes that it was read from, which lie in this block of memory.
 * f can then be changed, and frees the block. */
void petal__image_take(petal_filter *f, void *block);

/* Clears the bits between the last cell and the end of its cache line. */
void petal__image_pad(petal_filter *f);

/* Are those bits zero? */
bool petal__image_padded(const petal_filter *f);

#endif
