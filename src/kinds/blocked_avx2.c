/*
 * blocked_avx2.c: the same bits as blocked.c, with AVX2.
 *
 * The eight words of a block are two vectors.  Word j takes its bit from g >> (16 + 6j):
 * shifts that differ from lane to lane give all eight masks at once, and those of the words
 * that a key with fewer than eight probes leaves out, where (j - r) mod 8 is not below k,
 * are blanked.  One test for each half then answers for all probes, without a branch.  Keys
 * with more than eight probes are left to the plain loops.
 */
#include "blocked.h"

#ifdef HAS_AVX2_KERNEL

#include <immintrin.h>

#define AVX2  __attribute__((target("avx2")))
#define AHEAD 32

struct halves {
    __m256i low, high;
};

static inline AVX2 __m256i probed(__m256i j, __m256i r, __m256i k)
{
    const __m256i place = _mm256_and_si256(_mm256_sub_epi64(j, r), _mm256_set1_epi64x(7));
    return _mm256_cmpgt_epi64(k, place);
}

static inline AVX2 struct halves masks_of(uint64_t hash, __m256i k)
{
    const uint64_t g = hash * 0x9E3779B97F4A7C15;
    const __m256i all = _mm256_set1_epi64x((long long)g), one = _mm256_set1_epi64x(1);
    const __m256i r = _mm256_and_si256(_mm256_srli_epi64(all, 13), _mm256_set1_epi64x(7));
    const __m256i below = _mm256_set1_epi64x(63);
    const __m256i low = _mm256_srlv_epi64(all, _mm256_setr_epi64x(16, 22, 28, 34));
    const __m256i high = _mm256_srlv_epi64(all, _mm256_setr_epi64x(40, 46, 52, 58));
    return (struct halves){
        _mm256_and_si256(_mm256_sllv_epi64(one, _mm256_and_si256(low, below)),
                         probed(_mm256_setr_epi64x(0, 1, 2, 3), r, k)),
        _mm256_and_si256(_mm256_sllv_epi64(one, _mm256_and_si256(high, below)),
                         probed(_mm256_setr_epi64x(4, 5, 6, 7), r, k)),
    };
}

static inline AVX2 struct halves block_get(const uint8_t *block)
{
    return (
        struct halves){ _mm256_loadu_si256((const __m256i *)(const void *)block),
                        _mm256_loadu_si256((const __m256i *)(const void *)(block + 32)) };
}

static inline AVX2 bool block_has(struct halves block, struct halves masks)
{
    return _mm256_testc_si256(block.low, masks.low) &
           _mm256_testc_si256(block.high, masks.high);
}

AVX2 size_t petal__blocks_contain_many_avx2(const uint8_t *cells, struct blocks of,
                                            const uint64_t *hashes, size_t n, bool *found)
{
    const __m256i k = _mm256_set1_epi64x(of.k);
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *block = cells + place_below(of.n, hashes[i]) * BLOCK_BYTES;
        const bool there = block_has(block_get(block), masks_of(hashes[i], k));
        if (found)
            found[i] = there;
        total += there;
    }
    return total;
}

AVX2 int64_t petal__blocks_add_many_avx2(uint8_t *cells, struct blocks of,
                                         const uint64_t *hashes, size_t n,
                                         signed char *result)
{
    const __m256i k = _mm256_set1_epi64x(of.k);
    int64_t added = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            petal__blocks_fetch(cells, of, hashes[i + AHEAD]);
        uint8_t *at = cells + place_below(of.n, hashes[i]) * BLOCK_BYTES;
        const struct halves block = block_get(at), masks = masks_of(hashes[i], k);
        const bool fresh = !block_has(block, masks);
        _mm256_storeu_si256((__m256i *)(void *)at, _mm256_or_si256(block.low, masks.low));
        _mm256_storeu_si256((__m256i *)(void *)(at + 32),
                            _mm256_or_si256(block.high, masks.high));
        if (result)
            result[i] = fresh;
        added += fresh;
    }
    return added;
}

#endif
