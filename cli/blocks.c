/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.c: find the lines of a block.
 *
 * Vector instructions compare 64 bytes with the separator at once, which gives a word with
 * a bit for each end of a line.  The loop in block_keys() is the definition.  With AVX2,
 * the places of the ends are stored first, and keys made of them in a second loop.  The
 * first two places of each word are stored without asking whether they exist, because the
 * number of lines in a word is hard to predict.
 */
#include "lines.h"
#include "processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A bit for each of the next 64 bytes: is it a separator?  May read beyond the block. */
static inline uint64_t block_ends(const char *at)
{
    uint64_t ends = 0;
#ifdef __SSE2__
    const __m128i separator = _mm_set1_epi8(line_separator);
    for (unsigned i = 0; i < 4; i++) {
        const __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(some, separator));
        ends |= (uint64_t)(uint32_t)equal << 16 * i;
    }
#else
    for (unsigned i = 0; i < 64; i++)
        ends |= (uint64_t)(at[i] == line_separator) << i;
#endif
    return ends;
}

/* Without the bits of bytes beyond the block. */
static inline uint64_t block_cut(uint64_t ends, const char *at, const char *end)
{
    return end - at < 64 ? ends & (((uint64_t)1 << (end - at)) - 1) : ends;
}

/* Stores the line as a key.  There is a byte before the first line too. */
static inline void key_put(petal_key *key, const char *start, const char *stop)
{
    const bool has_return = (stop > start) & (stop[-1] == line_return);
    key->data = start;
    key->len = (size_t)(stop - start) - has_return;
}

#ifdef AVX2
#define WORD_LINES 64 /* the most in a word */
#define PLACES_MAX 512

static inline AVX2 uint64_t block_ends_avx2(const char *at, __m256i separator)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
    const int first = _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, separator));
    const int second = _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, separator));
    return (uint64_t)(uint32_t)second << 32 | (uint32_t)first;
}

/* Stores where lines end, relative to the block, as long as those of a whole word fit. */
static AVX2 size_t block_places_avx2(const struct block *block, uint32_t *places,
                                     size_t most)
{
    const __m256i separator = _mm256_set1_epi8(line_separator);
    size_t n = 0;
    for (const char *at = block->at; at < block->end && n + WORD_LINES <= most; at += 64) {
        const uint32_t from = (uint32_t)(at - block->at);
        uint64_t ends = block_cut(block_ends_avx2(at, separator), at, block->end);
        const size_t count = (size_t)_mm_popcnt_u64(ends);
        places[n] = from + (uint32_t)_tzcnt_u64(ends);
        ends = _blsr_u64(ends);
        places[n + 1] = from + (uint32_t)_tzcnt_u64(ends);
        for (size_t i = 2; i < count; i++) {
            ends = _blsr_u64(ends);
            places[n + i] = from + (uint32_t)_tzcnt_u64(ends);
        }
        n += count;
    }
    return n;
}

static size_t block_keys_avx2(struct block *block, petal_key *keys, size_t most)
{
    uint32_t places[PLACES_MAX];
    size_t n = 0;
    for (size_t more; n + WORD_LINES <= most; n += more) {
        const size_t room = most - n < PLACES_MAX ? most - n : PLACES_MAX;
        char *start = block->at;
        more = block_places_avx2(block, places, room);
        if (more == 0)
            break;
        for (size_t i = 0; i < more; i++) {
            key_put(&keys[n + i], start, block->at + places[i]);
            start = block->at + places[i] + 1;
        }
        block->at = start;
    }
    return n;
}

static AVX2 uint64_t block_count_avx2(const struct block *block)
{
    const __m256i separator = _mm256_set1_epi8(line_separator);
    uint64_t n = 0;
    for (const char *at = block->at; at < block->end; at += 64)
        n += (uint64_t)_mm_popcnt_u64(
            block_cut(block_ends_avx2(at, separator), at, block->end));
    return n;
}

static bool has_avx2(void)
{
    return PROCESSOR_HAS(AVX2, "avx2") && PROCESSOR_HAS(BMI1, "bmi");
}
#endif

size_t block_keys(struct block *block, petal_key *keys, size_t most)
{
#ifdef AVX2
    if (most >= 2 * WORD_LINES && has_avx2())
        return block_keys_avx2(block, keys, most);
#endif
    const char *start = block->at;
    size_t n = 0;
    for (const char *at = start; at < block->end && n < most; at += 64) {
        uint64_t ends = block_cut(block_ends(at), at, block->end);
        for (; ends && n < most; ends &= ends - 1) {
            const char *stop = at + __builtin_ctzll(ends);
            key_put(&keys[n++], start, stop);
            start = stop + 1;
        }
    }
    block->at = (char *)(uintptr_t)start;
    return n;
}

uint64_t block_count(const struct block *block)
{
#ifdef AVX2
    if (has_avx2())
        return block_count_avx2(block);
#endif
    uint64_t n = 0;
    for (const char *p = block->at; p < block->end; p++)
        n += *p == line_separator;
    return n;
}

bool block_next(struct block *block, struct line *line)
{
    petal_key key;
    if (block_keys(block, &key, 1) == 0)
        return false;
    *line = (struct line){ key.data, (size_t)(block->at - (const char *)key.data) - 1 };
    return true;
}
