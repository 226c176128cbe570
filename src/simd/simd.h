/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simd.h: the sets of vector instructions, and which of them this machine has.
 *
 * What is worth writing in vectors exists several times: as a plain loop, which defines the
 * result, and once for each set that makes it faster.  Its owner, a kind or the hash, chooses
 * between them by the set that it is given.  The headers beside this one define what the sets
 * have in common (lanes.h says what that is); they know no kind.
 *
 * A build with -DPETAL_PLAIN has none of them, one with -DPETAL_NO_AVX512 all but that: to
 * measure the others on a machine that has it.
 */
#ifndef PETAL_SIMD_SIMD_H
#define PETAL_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum simd {
    SIMD_PLAIN,
    SIMD_SSE2,
    SIMD_AVX2,
    SIMD_AVX512,
    SIMD_POPCOUNT,  /* AVX-512, and an instruction that counts the bits of eight words */
    SIMD_NEON,
    SIMD_SETS
};

/* A vector is not an atomic load: readers beside petal_add_shared() may see a block half
 * changed, which is harmless, but no thread sanitizer can know it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__GNUC__) && !defined(__SANITIZE_THREAD__) && !defined(PETAL_PLAIN)
#if defined(__x86_64__)
#define SIMD_X86 1
#elif defined(__aarch64__) && defined(__ARM_NEON) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SIMD_ARM 1
#endif
#endif

#ifdef SIMD_X86
static inline bool simd_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static inline bool simd_has_avx512(void)
{
#ifdef PETAL_NO_AVX512
    return false;
#else
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           simd_has_avx2();
#endif
}

static inline bool simd_has_popcount(void)
{
    return simd_has_avx512() && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

/* Can this machine run it? */
static inline bool simd_has(enum simd set)
{
    switch (set) {
    case SIMD_PLAIN: return true;
#if defined(SIMD_X86)
    case SIMD_SSE2: return true;
    case SIMD_AVX2: return simd_has_avx2();
    case SIMD_AVX512: return simd_has_avx512();
    case SIMD_POPCOUNT: return simd_has_popcount();
#elif defined(SIMD_ARM)
    case SIMD_NEON: return true;
#endif
    default: return false;
    }
}

/* The fastest that it can. */
static inline enum simd simd_best(void)
{
#if defined(SIMD_X86)
    if (simd_has_popcount())
        return SIMD_POPCOUNT;
    if (simd_has_avx512())
        return SIMD_AVX512;
    if (simd_has_avx2())
        return SIMD_AVX2;
    return SIMD_SSE2;
#elif defined(SIMD_ARM)
    return SIMD_NEON;
#else
    return SIMD_PLAIN;
#endif
}

#endif
