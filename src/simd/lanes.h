/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lanes.h: vectors of 64-bit words and of 32-bit half words, in the compiler's
 * vector types.
 *
 * Included by the header of an instruction set, which first defines the length of its
 * vectors (WORDS of 64 bits, HALVES of 32) and the functions that may use them (TARGET).
 * That header then defines operations on all lanes:
 *
 *   words_are_zero(v)               is no bit of v set?
 *   lane_mask                       the lowest bits of all lanes, in a form that the
 *                                   instruction set computes cheaply
 *   words_mask(v), halves_mask(v)   the lane_mask of a vector
 *   mask_is_full(mask)              are all of these bits set?
 *   mask_is_full_four(masks, bools) the same for four masks at once
 *   words_are_zero_four(vectors)    words_are_zero() of four vectors, a bit for each
 *   halves_as_words(v)              the same bits; more lanes are zero
 *   words_rotate_32(v), words_rotate_24(v)
 *                                   each word rotated left
 *   parity_low(x)                   a number whose lowest bit is the parity of a 64-bit
 *                                   word; its other bits mean nothing
 *
 * Code written in these terms is compiled once for each instruction set, so what is tested
 * on one machine also holds on the others.
 */
#define INLINE static inline __attribute__((always_inline)) TARGET

typedef uint64_t words __attribute__((vector_size(8 * WORDS)));
typedef uint32_t halves __attribute__((vector_size(4 * HALVES)));

INLINE words words_get(const void *p)
{
    words v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE halves halves_get(const void *p)
{
    halves v;
    memcpy(&v, p, sizeof v);
    return v;
}
