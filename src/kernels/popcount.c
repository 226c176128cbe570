/*
 * popcount.c: those of avx512.c, where the processor can also count the bits of eight words
 * at once.
 */
#include "kernels.h"

#ifdef KERNELS_X86

#define NAME    "popcount"
#define KERNELS petal__kernels_popcount
#define TARGET \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512vpopcntdq,bmi,bmi2,popcnt")))
#define POPULAR(v) _mm512_popcnt_epi64(v)

#include "avx512.c"

#endif
