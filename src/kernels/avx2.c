/*
 * avx2.c: the kernels with vectors of 256 bits: a block is two of them.
 */
#include "hash.h"
#include "kind.h"
#include "ribbon.h"

#ifdef KERNELS_X86

#include <immintrin.h>

#define NAME    "avx2"
#define KERNELS petal__kernels_avx2
#define TARGET  __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define WORDS   4
#define HALVES  8

#include "lanes.h"

#define no_words(v)  _mm256_testz_si256((__m256i)(v), (__m256i)(v))
#define no_halves(v) no_words(v)

/* The lowest bits of four words. */
typedef __m256i verdict;

INLINE verdict words_verdict(words v)
{
    return (__m256i)v;
}

INLINE verdict halves_verdict(halves v)
{
    return _mm256_and_si256((__m256i)v, _mm256_srli_epi64((__m256i)v, 32));
}

INLINE bool tell(verdict v)
{
    return _mm256_testc_si256(v, _mm256_set1_epi64x(1));
}

#define shuffled(a, b, which) ((__m256i)_mm256_shuffle_ps((__m256)(a), (__m256)(b), which))

/* The lower halves of the words are turned so that each key has a column of its own. */
INLINE void tell_four(const verdict four[4], bool *found)
{
    const __m256i a = shuffled(four[0], four[1], 0x88),
                  b = shuffled(four[2], four[3], 0x88);
    const __m256i all = _mm256_and_si256(shuffled(a, b, 0x88), shuffled(a, b, 0xDD));
    const __m128i keys =
        _mm_and_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    const __m128i bytes = _mm_shuffle_epi8(_mm_and_si128(keys, _mm_set1_epi32(1)),
                                           _mm_set1_epi32(0x0C080400));
    const int as_int = _mm_cvtsi128_si32(bytes);
    memcpy(found, &as_int, 4);
}

#define odd(v) ((unsigned)__builtin_popcountll(v))

/* The parities of eight columns, the lowest of four bits each.  Halves of words are added
 * together, then halves of bytes, whose parities are a table of sixteen. */
INLINE uint32_t parities_of_eight(const uint8_t *at, const uint8_t *next, __m256i low,
                                  __m256i high)
{
    const __m256i table = _mm256_broadcastsi128_si256(
        _mm_set_epi8(0, -1, -1, 0, -1, 0, 0, -1, -1, 0, 0, -1, 0, -1, -1, 0));
    __m256i sum[2];
    for (int i = 0; i < 2; i++) {
        const __m256i a = _mm256_loadu_si256((const void *)(at + 32 * i));
        const __m256i b = _mm256_loadu_si256((const void *)(next + 32 * i));
        sum[i] = _mm256_xor_si256(_mm256_and_si256(a, low), _mm256_and_si256(b, high));
    }
    __m256i v =
        _mm256_xor_si256(shuffled(sum[0], sum[1], 0x88), shuffled(sum[0], sum[1], 0xDD));
    v = _mm256_permute4x64_epi64(v, 0xD8); /* back into order */
    v = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi32(v, 4)),
                         _mm256_set1_epi8(15));
    uint32_t odd = (uint32_t)_mm256_movemask_epi8(_mm256_shuffle_epi8(table, v));
    odd ^= odd >> 2;
    return odd ^ odd >> 1;
}

#define OWN_AGREE
#define LOWEST 0x11111111

INLINE bool agree(const uint8_t *at, const uint8_t *next, uint64_t c, unsigned shift,
                  uint32_t columns, uint32_t fingerprint)
{
    const __m256i lows = _mm256_set1_epi64x((long long)(c << shift));
    const __m256i highs = _mm256_set1_epi64x((long long)(c >> 1 >> (63 - shift)));
    uint32_t bad = 0;
    for (; columns > 8; columns -= 8, at += 64, next += 64, fingerprint >>= 8)
        bad |= (parities_of_eight(at, next, lows, highs) ^ _pdep_u32(fingerprint, LOWEST)) &
               LOWEST;
    bad |= (parities_of_eight(at, next, lows, highs) ^ _pdep_u32(fingerprint, LOWEST)) &
           _bzhi_u32(LOWEST, 4 * columns);
    return bad == 0;
}

#include "vector.h"

#endif
