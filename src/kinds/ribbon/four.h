/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * four.h: steps of group.h for four keys at a time, with 256-bit vectors.
 *
 * A vector holds a quad, which is four columns of a block.  The last quad is always the
 * last four columns.  It may repeat some of the quad before, but nothing behind the block
 * is read: it could be in another cache line.  The parities of eight columns of four keys
 * are 32 bits.  They are computed together, because most of the work is to fold vectors,
 * and folding two of them into one is as much work as folding one.  Fingerprints are
 * arranged to be compared with these 32 bits.
 */

/* A layer may have blocks with a column less, which still need a quad. */
#define FOUR_COLUMNS_MIN 5

INLINE unsigned four_quads(uint32_t top)
{
    return (top + 3) / 4;
}

INLINE __m256i four_get(const uint64_t *from)
{
    return _mm256_loadu_si256((const void *)from);
}

INLINE void four_put(void *to, __m256i v)
{
    _mm256_storeu_si256(to, v);
}

/* ---- Aiming ---- */

/* All bits of the words of keys that are bumped. */
INLINE __m256i four_bumps(__m256i start, const uint8_t *codes)
{
    int32_t four;
    memcpy(&four, codes, 4);
    const __m256i bytes = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
    const __m256i shift =
        _mm256_and_si256(_mm256_srli_epi64(start, 6), _mm256_set1_epi64x(6));
    const __m256i code =
        _mm256_and_si256(_mm256_srlv_epi64(bytes, shift), _mm256_set1_epi64x(3));
    /* looked up for each byte of a word; for those above the lowest the result is 0 */
    const __m256i threshold =
        _mm256_shuffle_epi8(_mm256_set1_epi32((int)RIBBON_THRESHOLDS), code);
    return _mm256_cmpgt_epi64(threshold, _mm256_and_si256(start, _mm256_set1_epi64x(127)));
}

/* The bits that the coefficients select. */
INLINE void four_aim_bits(struct group *g, size_t i)
{
    const __m256i c = four_get(g->c + i);
    const __m256i shift = _mm256_and_si256(four_get(g->start + i), _mm256_set1_epi64x(63));
    const __m256i rest = _mm256_sub_epi64(_mm256_set1_epi64x(64), shift);
    four_put(g->low + i, _mm256_sllv_epi64(c, shift));
    four_put(g->high + i, _mm256_srlv_epi64(c, rest)); /* 0 for a shift by 64 */
}

/* The addresses of the blocks.  Returns all bits of the words of keys whose blocks have a
 * column less. */
INLINE __m256i four_aim_blocks(struct group *g, size_t i, __m256i start,
                               const struct ribbon_layer *layer, uint32_t top)
{
    const __m256i lows = _mm256_set1_epi64x((long long)layer->low);
    const __m256i tops = _mm256_set1_epi64x(top);
    const __m256i block = _mm256_add_epi64(_mm256_srli_epi64(start, 6),
                                           _mm256_srli_epi64(start, SEGMENT_SHIFT));
    const __m256i is_low = _mm256_cmpgt_epi64(lows, block);
    const __m256i upper = _mm256_mul_epu32(_mm256_srli_epi64(block, 32), tops);
    const __m256i product =
        _mm256_add_epi64(_mm256_mul_epu32(block, tops), _mm256_slli_epi64(upper, 32));
    const __m256i word = _mm256_sub_epi64(product, _mm256_blendv_epi8(lows, block, is_low));
    const __m256i at =
        _mm256_add_epi64(_mm256_set1_epi64x((long long)(uintptr_t)layer->blocks),
                         _mm256_slli_epi64(word, 3));
    const __m256i columns = _mm256_add_epi64(tops, is_low);
    four_put(g->at + i, at);
    four_put(g->next + i, _mm256_add_epi64(at, _mm256_slli_epi64(columns, 3)));
    return is_low;
}

/* The lower halves of the results are the fingerprints; the upper halves mean nothing. */
INLINE __m256i four_fingerprints(__m256i x)
{
    const __m256i lower = _mm256_set1_epi64x((long long)(RIBBON_K2 & UINT32_MAX));
    const __m256i upper = _mm256_set1_epi64x((long long)(RIBBON_K2 >> 32));
    const __m256i crossed = _mm256_add_epi64(
        _mm256_mul_epu32(x, upper), _mm256_mul_epu32(_mm256_srli_epi64(x, 32), lower));
    return _mm256_add_epi64(crossed, _mm256_srli_epi64(_mm256_mul_epu32(x, lower), 32));
}

/* The fingerprints, with four bits for each quad.  The first word of the result has the
 * first eight bits of all four keys, and so on. */
INLINE void four_aim_fingerprints(struct group *g, size_t i, __m256i is_low, uint32_t top)
{
    const unsigned others = 4 * four_quads(top) - 4; /* columns before the last quad */
    const __m256i f = four_fingerprints(four_get(g->x + i));
    const __m256i gap = _mm256_sub_epi64(_mm256_set1_epi64x(others + 4 - top), is_low);
    const __m256i arranged = _mm256_or_si256(
        _mm256_and_si256(f, _mm256_set1_epi64x(((long long)1 << others) - 1)),
        _mm256_and_si256(_mm256_sllv_epi64(f, gap),
                         _mm256_set1_epi64x((long long)15 << others)));
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m128i transposed = _mm_shuffle_epi8(
        _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(arranged, even)),
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    _mm_storeu_si128((void *)(g->fingerprint + i), transposed);
}

TARGET static uint64_t group_aim(struct group *g, const struct ribbon_layer *layer,
                                 uint32_t top)
{
    if (top < FOUR_COLUMNS_MIN)
        return group_aim_each(g, layer, top);
    uint64_t bumped = 0;
    for (size_t i = 0; i < g->n; i += 4) {
        const __m256i start = four_get(g->start + i);
        const __m256i bumps = four_bumps(start, g->codes + i);
        bumped |= (uint64_t)(unsigned)_mm256_movemask_pd((__m256d)bumps) << i;
        four_aim_bits(g, i);
        const __m256i is_low =
            four_aim_blocks(g, i, _mm256_andnot_si256(bumps, start), layer, top);
        four_aim_fingerprints(g, i, is_low, top);
    }
    return bumped;
}

/* ---- Answering ---- */

/* Selects bits of a quad.  The result has one word for each column. */
INLINE __m256i four_select(const struct group *g, size_t i, const uint8_t *at,
                           const uint8_t *next)
{
    const __m256i a = _mm256_loadu_si256((const void *)at);
    const __m256i b = _mm256_loadu_si256((const void *)next);
    return _mm256_xor_si256(_mm256_and_si256(a, _mm256_set1_epi64x((long long)g->low[i])),
                            _mm256_and_si256(b, _mm256_set1_epi64x((long long)g->high[i])));
}

INLINE __m256i four_select_last(const struct group *g, size_t i)
{
    const uint8_t *next = g->next[i], *end = next + (next - g->at[i]);
    return four_select(g, i, next - 32, end - 32);
}

/* Folds words of 64 bits.  Each half of the result has two of a, then two of b. */
INLINE __m256i four_fold64(__m256i a, __m256i b)
{
    return (__m256i)_mm256_xor_ps(_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88),
                                  _mm256_shuffle_ps((__m256)a, (__m256)b, 0xDD));
}

/* Folds words of 32 bits, in turns one of a and one of b. */
INLINE __m256i four_fold32(__m256i a, __m256i b)
{
    const __m256i swap = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    return _mm256_xor_si256(_mm256_blend_epi16(a, b, 0xAA),
                            _mm256_shuffle_epi8(_mm256_blend_epi16(b, a, 0xAA), swap));
}

/* Folds words of 16 bits, in turns one of a and one of b. */
INLINE __m256i four_fold16(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(_mm256_xor_si256(a, _mm256_srli_epi16(a, 8)),
                              _mm256_xor_si256(b, _mm256_slli_epi16(b, 8)),
                              _mm256_set1_epi16((short)0xFF00));
}

/* The sign of each byte becomes its parity. */
INLINE __m256i four_fold8(__m256i v)
{
    const __m256i table = _mm256_broadcastsi128_si256(
        _mm_set_epi8(0, -1, -1, 0, -1, 0, 0, -1, -1, 0, 0, -1, 0, -1, -1, 0));
    v = _mm256_xor_si256(v, _mm256_srli_epi32(v, 4));
    return _mm256_shuffle_epi8(table, _mm256_and_si256(v, _mm256_set1_epi8(15)));
}

/* The parities of quads q and q + 1 of the keys from i to i + 3. */
INLINE uint32_t four_two_quads(const struct group *g, size_t i, unsigned q, bool last)
{
    __m256i v[4];
    for (size_t j = 0; j < 4; j++) {
        const uint8_t *at = g->at[i + j] + 32 * q, *next = g->next[i + j] + 32 * q;
        const __m256i a = four_select(g, i + j, at, next);
        const __m256i b =
            last ? four_select_last(g, i + j) : four_select(g, i + j, at + 32, next + 32);
        v[j] = four_fold64(a, b);
    }
    /* columns 0, 1, 4, 5, 2, 3, 6, 7, each with a byte of the keys 0, 2, 1, 3 */
    __m256i bytes = four_fold16(four_fold32(v[0], v[1]), four_fold32(v[2], v[3]));
    bytes = four_fold8(_mm256_permute4x64_epi64(bytes, 0xD8));
    bytes = _mm256_shuffle_epi8(
        bytes, _mm256_broadcastsi128_si256(
                   _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15)));
    /* each half has four columns of all keys */
    bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* The parities of the last quad: four bits for each of the keys from i to i + 3, and four
 * zeros. */
INLINE uint32_t four_last_quad(const struct group *g, size_t i)
{
    __m256i v[4];
    for (size_t j = 0; j < 4; j++)
        v[j] = four_select_last(g, i + j);
    const __m256i two = four_fold32(four_fold64(v[0], v[1]), four_fold64(v[2], v[3]));
    __m256i bytes = four_fold8(four_fold16(two, two));
    /* the first half has columns 0 and 1, the second one 2 and 3 */
    bytes = _mm256_shuffle_epi8(
        bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, -1, -1,
                                                         -1, -1, -1, -1, -1, -1)));
    bytes = _mm256_permute4x64_epi64(bytes, 0x88); /* both in each half */
    bytes = _mm256_shuffle_epi8(
        bytes, _mm256_setr_epi8(0, 1, 8, 9, -1, -1, -1, -1, 2, 3, 10, 11, -1, -1, -1, -1, 4,
                                5, 12, 13, -1, -1, -1, -1, 6, 7, 14, 15, -1, -1, -1, -1));
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

INLINE void four_answer(struct group *g, unsigned quads, const struct group *coming)
{
    for (size_t i = 0; i < g->n; i += 4) {
        if (coming && i < coming->n)
            group_fetch(coming, i);
        const uint32_t *fingerprint = g->fingerprint + i;
        uint32_t wrong = 0;
        for (unsigned q = 0; q + 1 < quads; q += 2)
            wrong |= four_two_quads(g, i, q, q + 2 == quads) ^ *fingerprint++;
        if (quads % 2)
            wrong |= four_last_quad(g, i) ^ *fingerprint;
        const __m128i right =
            _mm_cmpeq_epi8(_mm_cvtsi32_si128((int)wrong), _mm_setzero_si128());
        const int found = _mm_cvtsi128_si32(_mm_abs_epi8(right));
        memcpy(g->found + i, &found, 4);
    }
}

/* The number of quads is a constant in each call, for common numbers. */
TARGET static void group_answer(struct group *g, uint32_t top, const struct group *coming)
{
    if (top < FOUR_COLUMNS_MIN)
        group_answer_each(g, coming);
    else if (top <= 8)
        four_answer(g, 2, coming);
    else if (top <= 12)
        four_answer(g, 3, coming);
    else if (top <= 16)
        four_answer(g, 4, coming);
    else
        four_answer(g, four_quads(top), coming);
}
