/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * portable.h: what the compiler gives us, under names that say what it is for.
 *
 * Integers in an image are little-endian and may lie at any address, so they are
 * read and written as bytes; compilers turn each of these into one instruction.
 * Bits are addressed within bytes for the same reason: bit i is bit i mod 8 of
 * byte i/8 on every machine, and one byte is always an atomic access.
 */
#ifndef PETAL_CORE_PORTABLE_H
#define PETAL_CORE_PORTABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FLAT  __attribute__((flatten))  /* what it calls is compiled in, */
#define APART __attribute__((noinline)) /* but for this */
#define OWN   __attribute__((visibility("hidden"))) /* data of the library, found directly */

/* For a function that does nothing but prefetch: the compiler takes it for one without
 * effect, and may leave out calls of it. */
#define HAS_EFFECT() __asm__ volatile("")

static inline uint16_t load_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_le32(const uint8_t *p)
{
    return load_le16(p) | (uint32_t)load_le16(p + 2) << 16;
}

static inline uint64_t load_le64(const uint8_t *p)
{
    return load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

static inline void store_le16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
    store_le16(p, (uint16_t)v);
    store_le16(p + 2, (uint16_t)(v >> 16));
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
    store_le32(p, (uint32_t)v);
    store_le32(p + 4, (uint32_t)(v >> 32));
}

/* A double keeps its IEEE bits; they travel as an integer. */
static inline double load_le_double(const uint8_t *p)
{
    const uint64_t bits = load_le64(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline void store_le_double(uint8_t *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    store_le64(p, bits);
}

/* Does the machine multiply to 128 bits?  Where it does not, the compiler would call a
 * function of its runtime library. */
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
#define HAS_INT128 1
__extension__ typedef unsigned __int128 uint128;
#endif

/* The upper half of a 128-bit product. */
static inline uint64_t mul_high64(uint64_t a, uint64_t b)
{
#ifdef HAS_INT128
    return (uint64_t)((uint128)a * b >> 64);
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t mid = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (mid >> 32) + ((a0 * b1 + (uint32_t)mid) >> 32);
#endif
}

/* A uniform hash to a uniform place below n, without dividing. */
static inline uint64_t place_below(uint64_t n, uint64_t hash)
{
    return mul_high64(hash, n);
}

static inline uint64_t round_up(uint64_t v, uint64_t multiple)
{
    return (v + multiple - 1) / multiple * multiple;
}

/* Without an instruction for it the compiler would call a function with a table. */
static inline unsigned popcount64(uint64_t v)
{
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(v);
#else
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (unsigned)(v * 0x0101010101010101 >> 56);
#endif
}

/* Readers run beside petal_add_shared(): the load is atomic, and costs nothing. */
static inline bool bit_get(const uint8_t *cells, uint64_t i)
{
    return __atomic_load_n(&cells[i >> 3], __ATOMIC_RELAXED) >> (i & 7) & 1;
}

/* Eight bytes at once, in no particular order: for counting and merging.  Cells that are
 * shared are our own memory, and aligned; a view may lie anywhere. */
typedef uint64_t __attribute__((may_alias)) word_of_cells;

static inline uint64_t word_get(const uint8_t *p)
{
    uint64_t word;
    if ((uintptr_t)p % sizeof word == 0)
        return __atomic_load_n((const word_of_cells *)(const void *)p, __ATOMIC_RELAXED);
    memcpy(&word, p, sizeof word);
    return word;
}

static inline void word_put(uint8_t *p, uint64_t word)
{
    memcpy(p, &word, sizeof word);
}

/* Sets the bit; was it clear? */
static inline bool bit_set(uint8_t *cells, uint64_t i)
{
    const uint8_t mask = (uint8_t)(1u << (i & 7));
    const bool clear = !(cells[i >> 3] & mask);
    cells[i >> 3] |= mask;
    return clear;
}

/* Sets up to 64 bits beside other threads; was any clear, a moment ago?  All are looked at
 * before one is written: most bits of a well-filled filter are set already, and a look is
 * far cheaper than a locked write. */
static inline bool bits_set_shared(uint8_t *cells, const uint64_t *bits, size_t n)
{
    uint64_t clear = 0;
    for (size_t i = 0; i < n; i++)
        clear |= (uint64_t)!bit_get(cells, bits[i]) << i;
    for (uint64_t left = clear; left; left &= left - 1) {
        const uint64_t bit = bits[__builtin_ctzll(left)];
        __atomic_fetch_or(&cells[bit >> 3], (uint8_t)(1u << (bit & 7)), __ATOMIC_RELAXED);
    }
    return clear != 0;
}

#endif
