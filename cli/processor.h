/* SPDX-License-Identifier: BSD-2-Clause */
/* processor.h: does this processor have AVX2?
 *
 * glibc found that out before main().  Its answer costs nothing, where the compiler's
 * builtin executes CPUID a dozen times at the start of every program, which a virtual
 * machine traps. */
#ifndef CLI_PROCESSOR_H
#define CLI_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#ifdef CPU_FEATURE_ACTIVE
static inline bool processor_has(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return leaf->active_array[feature % 128 / 32] >> feature % 32 & 1;
}
#define PROCESSOR_HAS(glibc, gcc) processor_has(x86_cpu_##glibc)
#else
#define PROCESSOR_HAS(glibc, gcc) __builtin_cpu_supports(gcc)
#endif

#endif
