/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lanes.h: vectors of words and of half words, in the compiler's own types.
 *
 * Included by the header of a set of instructions, which says first how long its vectors are
 * (WORDS of 64 bits, HALVES of 32) and which functions may use them (TARGET).  Such a header
 * then says how to look at all lanes at once:
 *
 *   no_words(v), no_halves(v)    is no bit set?
 *   verdict                      whether the lowest bit of every lane is set, not yet told:
 *   words_verdict(v), halves_verdict(v), tell(verdict), tell_four(verdicts, bools)
 *   odd(x)                       a number that is odd where the number of bits set in x is
 *
 * A source file that is written in these words is compiled once for each set, so that what is
 * tested on one machine is true on others.
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
