/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * portable.h: byte access, bit operations and compiler features, under portable names.
 *
 * Integers in an image are little-endian and may be unaligned, so they are read and written
 * byte by byte.  Compilers turn each of these functions into one instruction.  Bits are
 * addressed within bytes for the same reason: bit i is bit i mod 8 of byte i/8 on every
 * machine, and an access to one byte is always atomic.
 */
#ifndef PETAL_CORE_PORTABLE_H
#define PETAL_CORE_PORTABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A build with -DPETAL_LOOKUPS opens filters from bytes and looks up keys, one after
 * another, and does nothing else.  It is as small as possible.  In tables of functions,
 * FULL() marks those that it does not have, so that the linker leaves out what only they
 * need. */
#ifdef PETAL_LOOKUPS
#define IS_FULL  0
#define FULL(fn) (0 ? (fn) : NULL)
#define FLAT
#else
#define IS_FULL  1
#define FULL(fn) (fn)
#define FLAT     __attribute__((flatten)) /* inline all calls made by this function, */
#endif
#define APART __attribute__((noinline)) /* except calls of these */
#ifdef _WIN32
#define OWN /* nothing: a DLL exports only what is on its list */
#else
#define OWN __attribute__((visibility("hidden"))) /* internal data, accessed directly */
#endif

/* Prefetches a cache line into the second cache.  The first one can only wait for a few
 * lines at a time: with that as the target, batches in a filter beyond the caches took
 * twice as long (AMD Zen 4; in the caches no longer). */
#define FETCH(address) __builtin_prefetch(address, 0, 2)

/* For a function that only prefetches.  The compiler considers such a function free of side
 * effects and might remove calls of it. */
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

/* A double is stored as the little-endian integer of its IEEE 754 bits. */
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

/* Returns the upper half of a 128-bit product. */
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

/* XORs both halves of a 128-bit product. */
static inline uint64_t mul_fold64(uint64_t a, uint64_t b)
{
#ifdef HAS_INT128
    const uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    return a * b ^ mul_high64(a, b);
#endif
}

/* Maps a uniformly distributed hash to a uniform index below n, without a division. */
static inline uint64_t place_below(uint64_t n, uint64_t hash)
{
    return mul_high64(hash, n);
}

static inline uint64_t round_up(uint64_t v, uint64_t multiple)
{
    return (v + multiple - 1) / multiple * multiple;
}

/* On machines without the instruction, the builtin would call a function that uses
 * a table. */
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

/* Readers may run at the same time as petal_add_shared(), so the load is atomic.  It
 * costs nothing. */
static inline bool bit_get(const uint8_t *cells, uint64_t i)
{
    return __atomic_load_n(&cells[i >> 3], __ATOMIC_RELAXED) >> (i & 7) & 1;
}

/* Reads eight bytes at once, in the machine's byte order, for counting and merging.
 * Cells that other threads may change are our own memory, which is aligned.  A view may
 * be unaligned. */
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

/* Sets the bit.  Returns whether it was clear. */
static inline bool bit_set(uint8_t *cells, uint64_t i)
{
    const uint8_t mask = (uint8_t)(1u << (i & 7));
    const bool was_clear = !(cells[i >> 3] & mask);
    cells[i >> 3] |= mask;
    return was_clear;
}

/* Sets up to 64 bits while other threads may do the same.  Returns whether any was clear
 * just before.  All bits are read before any is written: most bits of a well-filled filter
 * are already set, and reading is far cheaper than a locked write. */
static inline bool bits_set_shared(uint8_t *cells, const uint64_t *bits, size_t n)
{
    uint64_t was_clear = 0;
    for (size_t i = 0; i < n; i++)
        was_clear |= (uint64_t)!bit_get(cells, bits[i]) << i;
    for (uint64_t rest = was_clear; rest; rest &= rest - 1) {
        const uint64_t bit = bits[__builtin_ctzll(rest)];
        __atomic_fetch_or(&cells[bit >> 3], (uint8_t)(1u << (bit & 7)), __ATOMIC_RELAXED);
    }
    return was_clear != 0;
}

#endif
