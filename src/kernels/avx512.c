/*
 * avx512.c: the kernels with vectors of 512 bits: a block is one of them.
 */
#include "hash.h"
#include "kind.h"

#ifdef KERNELS_X86

#include <immintrin.h>

#define NAME    "avx512"
#define KERNELS petal__kernels_avx512
#define TARGET  __attribute__((target("avx512f,avx512dq,avx512vl,bmi2")))
#define WORDS   8
#define HALVES  8

#include "lanes.h"

#define no_words(v)  (_mm512_test_epi64_mask((__m512i)(v), (__m512i)(v)) == 0)
#define no_halves(v) (_mm256_test_epi32_mask((__m256i)(v), (__m256i)(v)) == 0)

/* The lowest bits of eight lanes. */
typedef uint8_t verdict;

INLINE verdict words_verdict(words v)
{
    return _mm512_test_epi64_mask((__m512i)v, _mm512_set1_epi64(1));
}

INLINE verdict halves_verdict(halves v)
{
    return _mm256_test_epi32_mask((__m256i)v, _mm256_set1_epi32(1));
}

INLINE bool tell(verdict v)
{
    return v == 0xFF;
}

INLINE void tell_four(const verdict four[4], bool *found)
{
    for (int j = 0; j < 4; j++)
        found[j] = tell(four[j]);
}

#include "vector.h"

#endif
