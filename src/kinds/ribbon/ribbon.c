/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ribbon.c: a filter that is built once and is close to the smallest size that is possible.
 *
 * A filter with false positive rate p needs at least log2(1/p) bits per key.  A Bloom
 * filter takes 1.44 times that, this one 1.003 times.  In return all keys must be known
 * before it is built, and none can be added afterwards.
 *
 * The idea.  Give every key an r-bit fingerprint, and find a table Z of r-bit entries
 * such that for every key the XOR of some entries, which the key selects, is its
 * fingerprint.  That is a system of linear equations over two elements, with one equation
 * for each key.  With about as many entries as keys it has a solution, and only Z is
 * stored.  For a non-member the XOR is as good as random, so it equals the fingerprint
 * with probability 2^-r.
 *
 * The ribbon.  Solving n random equations takes n^3 steps.  So a key selects only among 64
 * consecutive entries, from a random `start` on: its equation has 64 bits of coefficients,
 * and the first one is always 1.  Sorted by start, the matrix is a narrow band, the
 * ribbon.  Equations are added one by one and eliminated on the fly.  If the row of the
 * start is free, the equation is stored there.  If not, the stored equation is XORed into
 * it, which clears the first coefficient, and the equation moves on to its next
 * coefficient that is set.  If no coefficient remains, the equation depends on others: it
 * either holds already or contradicts them.  When all equations are stored, the entries
 * are computed from right to left.  Each column, that is one bit of all entries, is a
 * separate system with the same matrix.
 *
 * Bumping.  With no more entries than keys, some equations contradict each other.  So a
 * layer gets 7.5% fewer entries than keys, and the keys that do not fit are bumped: they go
 * to a second layer, which is made for them, and so on.  A lookup must know which keys are
 * bumped.  Starts are divided into buckets of 128.  Of each bucket either no starts are
 * bumped, or the first 19, the first 40, or all: two bits per bucket.  The last starts of a
 * bucket are added first, because their equations can still move into rows of the next
 * bucket.  The first starts find only the rows that remain, and are bumped first.
 *
 * The last layer has at most 1,024 keys and bumps none.  It has some spare entries, and if
 * there is a contradiction nevertheless, it is built again with another seed.  If 16 layers
 * do not suffice, which happens only with hashes that someone has crafted, everything is
 * built again from another base, that is with other seeds for all layers.
 *
 * Segments.  Every 2^16 starts are followed by 64 entries in which no key starts, so no
 * equation reaches into the next segment.  Segments are therefore solved independently, by
 * any number of threads, and the bytes are always the same.
 *
 * Any rate.  A whole number of columns gives rates of 1/2, 1/4, 1/8 and so on.  For rates
 * in between, the first blocks of 64 entries have one column less than the others.
 *
 * A lookup reads two adjacent blocks.  For each column it computes the parity of the bits
 * that the coefficients select.  The place follows from the hash, layer by layer: x is
 * mixed once more for each layer, its product with the number of starts gives the start,
 * and two other products give the coefficients and the fingerprint (ribbon.h).
 *
 *   Dillinger, Walzer: "Ribbon filter: practically smaller than Bloom and Xor", 2021.
 *   Dillinger, Huebschle-Schneider, Sanders, Walzer: "Fast Succinct Retrieval and
 *   Approximate Membership Using Ribbon", SEA 2022: bumping.
 *   Dietzfelbinger, Walzer: "Efficient Gauss Elimination for Near-Quadratic Matrices with
 *   One Short Random Block per Row", ESA 2019.
 *   Carter, Floyd, Gill, Markowsky, Wegman: "Exact and Approximate Membership Testers",
 *   STOC 1978: the bound.
 */
#include "kinds/ribbon/ribbon.h"

#include "core/bits.h"
#include "core/image.h"

#include <math.h>

/* ---- The tail ---- */

enum { AT_SHARE = 0, AT_BASE = 4, AT_ATTEMPT = 6, AT_KEYS = 8 }; /* offsets */

uint64_t petal__ribbon_seed(uint32_t base, uint32_t layer, uint32_t attempt)
{
    const uint64_t n = (uint64_t)256 * (RIBBON_LAYERS_MAX * base + layer) + attempt;
    uint64_t z = (n + 1) * RIBBON_K0; /* splitmix64 */
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static size_t ribbon_tail_len(uint32_t layers)
{
    return (size_t)round_up(AT_KEYS + 8 * (uint64_t)layers, 64);
}

void petal__ribbon_tail(petal_filter *f, uint32_t share, uint32_t base, uint32_t attempt,
                        const uint64_t *keys)
{
    uint8_t *tail = petal__tail(f);
    store_le32(tail + AT_SHARE, share);
    store_le16(tail + AT_BASE, (uint16_t)base);
    store_le16(tail + AT_ATTEMPT, (uint16_t)attempt);
    for (uint32_t i = 0; i < f->stages; i++)
        store_le64(tail + AT_KEYS + 8 * i, keys[i]);
}

static inline uint64_t ribbon_keys(const petal_filter *f, uint32_t layer)
{
    return load_le64(petal__tail(f) + AT_KEYS + 8 * layer);
}

static inline uint32_t ribbon_attempt(const petal_filter *f, uint32_t layer)
{
    return layer + 1 == f->stages ? load_le16(petal__tail(f) + AT_ATTEMPT) : 0;
}

static struct ribbon_size ribbon_layer_size(const petal_filter *f, uint32_t layer)
{
    const struct ribbon_columns columns = { f->shape.hashes,
                                            load_le32(petal__tail(f) + AT_SHARE) };
    return petal__ribbon_size(columns, ribbon_keys(f, layer), ribbon_attempt(f, layer));
}

/* All offsets follow from the numbers of keys, which must add up to the bits of
 * the filter. */
static bool ribbon_sound(const petal_filter *f)
{
    const uint8_t *tail = petal__tail(f);
    if (load_le16(tail + AT_BASE) >= RIBBON_BASES ||
        load_le16(tail + AT_ATTEMPT) >= RIBBON_TRIES)
        return false;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        const uint64_t keys = ribbon_keys(f, i);
        if (keys > RIBBON_KEYS_MAX || (keys <= RIBBON_LAST) != (i + 1 == f->stages) ||
            (keys == 0 && i > 0))
            return false;
        const struct ribbon_size size = ribbon_layer_size(f, i);
        bits += 64 * size.words + 8 * size.codes_len;
    }
    for (size_t at = AT_KEYS + 8 * (size_t)f->stages; at < ribbon_tail_len(f->stages); at++)
        if (tail[at] != 0)
            return false;
    const uint64_t keys = ribbon_keys(f, 0);
    return bits == f->shape.bits && f->counted && f->keys == keys &&
           f->shape.capacity == (keys ? keys : 1);
}

/* ---- Adding and looking up ---- */

static int ribbon_hold(petal_filter *f, uint64_t hash)
{
    const int rc = petal__pending_add(&ribbon_state(f)->pending, hash);
    return rc < 0 ? rc : 1;
}

static int ribbon_refuse(petal_filter *f, uint64_t hash)
{
    (void)f, (void)hash;
    return PETAL_E_SEALED;
}

static bool ribbon_maybe(const petal_filter *f, uint64_t hash)
{
    (void)f, (void)hash;
    return true;
}

static size_t ribbon_contains_many(const petal_filter *f, const uint64_t *hashes, size_t n,
                                   bool *found, const uint64_t *later)
{
    (void)later; /* the kernel prefetches: finding the address is half of the work */
    if (f->image)
        return ribbon_kernels(f)->contains_many(&ribbon_state(f)->ribbon, hashes, n, found);
    memset(found, true, n);
    return n;
}

const struct ribbon_kernels *petal__ribbon_kernels(enum simd set)
{
    switch (set) {
#ifdef SIMD_X86
    case SIMD_SSE2: return &petal__ribbon_sse2;
    case SIMD_AVX2: return &petal__ribbon_avx2;
    case SIMD_AVX512: return &petal__ribbon_avx512;
    case SIMD_POPCOUNT: return &petal__ribbon_popcount;
#endif
#ifdef SIMD_ARM
    case SIMD_NEON: return &petal__ribbon_neon;
#endif
    default: return &petal__ribbon_plain;
    }
}

/* The codes of the last layer, which bumps no key.  It has at most 1,024 keys and, at the
 * last attempt, 4.2 slots for each. */
static const uint8_t ribbon_no_codes[16];

static void ribbon_attach(petal_filter *f)
{
    f->kernels = petal__ribbon_kernels(f->simd);
    f->add = f->image ? ribbon_refuse : FULL(ribbon_hold);
    f->closed = f->image ? PETAL_E_SEALED : PETAL_OK;
    f->contains = f->image ? ribbon_kernels(f)->contains : ribbon_maybe;
    if (!f->image)
        return;
    struct ribbon *r = &ribbon_state(f)->ribbon;
    r->top = f->shape.hashes;
    r->last = f->stages - 1;
    r->far = petal__cells_len(&f->shape) > PETAL__NEAR_LEN;
    const uint32_t base = load_le16(petal__tail(f) + AT_BASE);
    const uint8_t *at = f->cells;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct ribbon_size size = ribbon_layer_size(f, i);
        r->layers[i] = (struct ribbon_layer){
            .seed = petal__ribbon_seed(base, i, ribbon_attempt(f, i)),
            .starts = size.starts,
            .low = size.low,
            .blocks = at,
        };
        at += 8 * size.words;
    }
    for (uint32_t i = 0; i < f->stages; i++) {
        r->layers[i].codes = i < r->last ? at : ribbon_no_codes;
        at += ribbon_layer_size(f, i).codes_len;
    }
}

/* ---- From new to free: hashes are kept pending until the filter is sealed ---- */

static int ribbon_start(petal_filter *f)
{
    (void)f; /* there is no image until the filter is built */
    return PETAL_OK;
}

static int ribbon_copy(petal_filter *to, const petal_filter *from)
{
    return petal__pending_copy(&ribbon_state(to)->pending, &ribbon_state(from)->pending);
}

static int ribbon_seal(petal_filter *f, const struct petal__stop *stop)
{
    if (f->image)
        return PETAL_OK;
    const int rc = petal__ribbon_build(f, stop);
    if (rc == PETAL_OK)
        ribbon_attach(f);
    return rc;
}

static void ribbon_free(petal_filter *f)
{
    petal__pending_free(&ribbon_state(f)->pending);
}

/* Back to an empty filter that is not built yet. */
static void ribbon_clear(petal_filter *f)
{
    ribbon_free(f);
    petal__image_release(f);
    f->stages = 1;
    ribbon_attach(f);
}

/* ---- Looking inside ---- */

/* Lists the bits whose parities decide a lookup.  There are none if the filter has
 * no keys. */
static size_t ribbon_probes(const petal_filter *f, uint64_t hash, uint64_t *cells,
                            uint32_t *groups, size_t max)
{
    const struct ribbon *r = &ribbon_state(f)->ribbon;
    if (!f->image)
        return 0;
    uint32_t i = 0;
    uint64_t x = ribbon_next(&r->layers[0], hash);
    uint64_t start = place_below(r->layers[0].starts, x);
    for (; ribbon_bumps(ribbon_codes(&r->layers[i], start), start); i++) {
        x = ribbon_next(&r->layers[i + 1], x);
        start = place_below(r->layers[i + 1].starts, x);
    }
    const struct ribbon_layer *layer = &r->layers[i];
    if (layer->starts == 0)
        return 0;
    const uint64_t block = ribbon_block(start);
    const uint32_t columns = r->top - (block < layer->low);
    const uint64_t first = (uint64_t)(layer->blocks - f->cells) * 8 +
                           64 * ribbon_block_at(r->top, layer->low, block);
    size_t n = 0;
    for (uint32_t j = 0; j < columns; j++)
        for (uint64_t c = ribbon_coefficients(x); c; c &= c - 1, n++) {
            const uint64_t slot = start % 64 + (unsigned)__builtin_ctzll(c);
            if (n >= max)
                continue;
            cells[n] = first + 64 * (slot / 64 * columns + j) + slot % 64;
            if (groups)
                groups[n] = j;
        }
    return n;
}

/* Counts the starts that are not bumped among the 64 from `start`, a multiple of 64, on. */
static uint64_t ribbon_kept(const struct ribbon_layer *layer, uint64_t start)
{
    const uint64_t bumped = ribbon_threshold(ribbon_codes(layer, start), start),
                   before = start & 64;
    return bumped <= before ? 64 : bumped - before < 64 ? 64 - (bumped - before) : 0;
}

/* The false positive rate, averaged over all starts of all layers that a non-member
 * may reach. */
static double ribbon_rate_of(const struct ribbon *r)
{
    double rate = 0, reaching = 1; /* so far; the fraction that reaches this layer */
    for (uint32_t i = 0; i <= r->last; i++) {
        const struct ribbon_layer *layer = &r->layers[i];
        uint64_t low = 0, all = 0; /* starts not bumped: with a column less, in all */
        for (uint64_t start = 0; start < layer->starts; start += 64) {
            const uint64_t kept = ribbon_kept(layer, start);
            low += ribbon_block(start) < layer->low ? kept : 0;
            all += kept;
        }
        if (layer->starts == 0)
            break;
        const double stay = (double)all / (double)layer->starts;
        rate += reaching * ldexp((double)(all + low) / (double)layer->starts, -(int)r->top);
        reaching *= 1 - stay;
    }
    return rate;
}

static void ribbon_measure(const petal_filter *f, petal_stats *stats)
{
    stats->keys_estimate = (double)f->keys;
    stats->fpr_estimate = f->image ? ribbon_rate_of(&ribbon_state(f)->ribbon) : 1;
    stats->cells_set =
        f->image ? petal__bits_count(f->cells, petal__cells_len(&f->shape)) : 0;
}

const struct petal_ops petal__ribbon = {
    .kind = PETAL_RIBBON,
    .name = "ribbon",
    .abilities = PETAL_IS_STATIC | PETAL_IS_STAGED,
    .words = { .summary = "near the smallest possible; built once, from all its keys",
               .hashes = "column",
               .stage = "layer",
               .group = "column",
               .rule = PETAL_RULE_PARITY },
    .state_len = sizeof(struct ribbon_state),
    .plan = FULL(petal__ribbon_plan),
    .fits = petal__ribbon_fits,
    .fpr = FULL(petal__ribbon_fpr),
    .add = FULL(ribbon_hold),
    .contains = ribbon_maybe,
    .probes = FULL(ribbon_probes),
    .measure = FULL(ribbon_measure),
    .contains_many = FULL(ribbon_contains_many),
    .tail_len = ribbon_tail_len,
    .stages_max = RIBBON_LAYERS_MAX,
    .start = FULL(ribbon_start),
    .attach = ribbon_attach,
    .copy = FULL(ribbon_copy),
    .clear = FULL(ribbon_clear),
    .seal = FULL(ribbon_seal),
    .free = ribbon_free,
    .sound = ribbon_sound,
};
