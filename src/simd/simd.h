/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simd.h: the vector instruction sets, and which of them this machine has.
 *
 * Code that is worth vectorizing exists several times: as a plain loop, which defines the
 * result, and once for each instruction set that makes it faster.  Its owner, a kind or the
 * hash, chooses between them by the enum simd that it is given.  The other headers in this
 * folder define what the instruction sets have in common (see lanes.h).  They know nothing
 * of kinds.
 *
 * -DPETAL_PLAIN builds without vector instructions.  -DPETAL_NO_AVX512 builds without
 * AVX-512, to measure the other sets on a machine that has it.
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
    SIMD_POPCOUNT, /* AVX-512 with VPOPCNTDQ, which counts the bits of eight words */
    SIMD_NEON,
    SIMD_SETS
};

/* A vector load is not atomic, so a reader beside petal_add_shared() may see a block half
 * changed.  That is harmless, but the thread sanitizer would report it, so it gets the
 * plain loops. */
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

/* To find out what a processor has takes CPUID instructions, which take microseconds each
 * in a virtual machine.  glibc has executed them already.  libgcc executes them again,
 * before main() of every program that uses its builtin. */
#ifdef SIMD_X86
#if defined(__has_include) && !defined(PETAL_POSIX_ONLY)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif
#ifdef CPU_FEATURE_ACTIVE
#define SIMD_CPU_HAS(glibc, gcc) simd_cpu_has(x86_cpu_##glibc)

/* As CPU_FEATURE_ACTIVE(), whose shift into the sign is undefined. */
static inline bool simd_cpu_has(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return leaf->active_array[feature % 128 / 32] >> feature % 32 & 1;
}
#else
#define SIMD_CPU_HAS(glibc, gcc) __builtin_cpu_supports(gcc)
#endif

static inline bool simd_has_avx2(void)
{
    return SIMD_CPU_HAS(AVX2, "avx2") && SIMD_CPU_HAS(BMI2, "bmi2") &&
           SIMD_CPU_HAS(POPCNT, "popcnt");
}

static inline bool simd_has_avx512(void)
{
#ifdef PETAL_NO_AVX512
    return false;
#else
    return SIMD_CPU_HAS(AVX512DQ, "avx512dq") && SIMD_CPU_HAS(AVX512VL, "avx512vl") &&
           simd_has_avx2();
#endif
}

static inline bool simd_has_popcount(void)
{
    return simd_has_avx512() && SIMD_CPU_HAS(AVX512_VPOPCNTDQ, "avx512vpopcntdq");
}
#endif

/* Can this machine run the instruction set? */
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

/* Returns the fastest instruction set of this machine. */
static inline enum simd simd_best(void)
{
#if defined(SIMD_X86)
    return simd_has_popcount() ? SIMD_POPCOUNT
           : simd_has_avx512() ? SIMD_AVX512
           : simd_has_avx2()   ? SIMD_AVX2
                               : SIMD_SSE2;
#elif defined(SIMD_ARM)
    return SIMD_NEON;
#else
    return SIMD_PLAIN;
#endif
}

#endif
