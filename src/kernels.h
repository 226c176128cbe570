/*
 * kernels.h: the inner loops, once for each set of vector instructions.
 *
 * The plain loops in kinds/ and hash.c say what the bits are; a set of vector instructions
 * brings the same functions again (kernels/), and changes nothing but the time they take.
 * Which set is used is decided at run time, by what the machine has.  A build with
 * -DPETAL_PLAIN has none of them, one with -DPETAL_NO_AVX512 all but that: to measure the
 * others on a machine that has it.
 */
#ifndef PETAL_KERNELS_H
#define PETAL_KERNELS_H

#include "base.h"
#include "petal.h"

#define BLOCK_BITS  512
#define BLOCK_BYTES 64
#define BLOCKS_MAX  (((uint64_t)1 << 32) - 1)
#define BLOCK_K_MAX 16 /* two probes in each of eight words */

#define SPLIT_BITS  256
#define SPLIT_BYTES 32

/* So many blocks, one after the other, and the probes a key makes in its own. */
struct blocks {
    uint64_t n;
    uint32_t k;
};

typedef bool petal__contains_fn(const uint8_t *cells, struct blocks of, uint64_t hash);
typedef int  petal__add_fn(uint8_t *cells, struct blocks of, uint64_t hash);

/* What can be done with the blocks of a filter.  Many return how many were found, or new.
 * `later`, unless NULL, are n hashes whose blocks will be wanted soon: they are asked for
 * between the others, one by one, since memory takes no more than some at a time. */
struct petal__kernel {
    petal__contains_fn *contains;
    petal__add_fn      *add;
    size_t  (*contains_many)(const uint8_t *cells, struct blocks of, const uint64_t *hashes,
                             size_t n, bool *found, const uint64_t *later);
    int64_t (*add_many)(uint8_t *cells, struct blocks of, const uint64_t *hashes, size_t n,
                        signed char *result, const uint64_t *later);
};

/* A key in its block of cells of 4 bits: is no cell 0?  One more in each: was one 0?  One
 * less in each, of a key that is there. */
struct petal__nibbles {
    bool    (*contain)(const uint8_t *block, uint64_t hash);
    int     (*raise)(uint8_t *block, uint64_t hash);
    void    (*lower)(uint8_t *block, uint64_t hash);
};

/* Single keys of a whole filter in blocks of 512 bits, without a step in between. */
struct petal__single {
    bool    (*contains)(const petal_filter *f, uint64_t hash);
    int     (*add)(petal_filter *f, uint64_t hash);
    int     (*add_shared)(petal_filter *f, uint64_t hash);  /* NULL: by petal_ops.probes() */
};

/* A ribbon asked, and its equations solved: kinds/ribbon.h. */
struct ribbon;
struct ribbon_segment;

struct petal__ribbon_kernel {
    bool    (*contains)(const petal_filter *f, uint64_t hash);
    size_t  (*contains_many)(const struct ribbon *r, const uint64_t *hashes, size_t n,
                             bool *found);
    void    (*eliminate)(struct ribbon_segment *segments, unsigned n);
    void    (*substitute)(const struct ribbon_segment *segment, uint64_t blocks,
                          uint32_t columns, uint64_t low, uint8_t *to);
};

struct petal__kernels {
    const char *name;
    struct petal__kernel blocked, split;
    struct petal__single once, twice;   /* for up to eight probes, and for more */
    struct petal__nibbles nibbles;
    struct petal__ribbon_kernel ribbon;

    /* XXH3 of n keys of 8 bytes, one after the other, at any address. */
    void    (*hash_words)(const void *keys, size_t n, uint64_t seed, uint64_t *hashes);
};

/* The plain ones, in kinds/blocked.c, split.c and counting.c, and hash.c. */
bool petal__blocked_contains(const uint8_t *cells, struct blocks of, uint64_t hash);
int  petal__blocked_add(uint8_t *cells, struct blocks of, uint64_t hash);
bool petal__split_contains(const uint8_t *cells, struct blocks of, uint64_t hash);
int  petal__split_add(uint8_t *cells, struct blocks of, uint64_t hash);
bool petal__nibbles_contain(const uint8_t *block, uint64_t hash);
int  petal__nibbles_raise(uint8_t *block, uint64_t hash);
void petal__nibbles_lower(uint8_t *block, uint64_t hash);
void petal__hash_words(const void *keys, size_t n, uint64_t seed, uint64_t *hashes);

/* In kernels/sse2.c, for a set that is plain otherwise. */
bool   petal__sse2_contains(const petal_filter *f, uint64_t hash);
size_t petal__sse2_contains_many(const struct ribbon *r, const uint64_t *hashes, size_t n,
                                 bool *found);

/* For k probes that begin at word r: 0 in the words that are probed, 1 in the others. */
extern const uint64_t petal__blocks_unprobed[9][8][8] OWN;

extern const uint32_t petal__split_salt[8] OWN;

/* The upper half of the hash picks the block. */
static inline uint64_t split_place(uint64_t blocks, uint64_t hash)
{
    return (hash >> 32) * blocks >> 32;
}

extern const struct petal__kernels petal__kernels_plain;

/* A vector is not an atomic load: readers beside petal_add_shared() may see a block half
 * changed, which is harmless, but no thread sanitizer can know it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__GNUC__) && !defined(__SANITIZE_THREAD__) && !defined(PETAL_PLAIN)
#if defined(__x86_64__)
#define KERNELS_X86 1
extern const struct petal__kernels petal__kernels_sse2, petal__kernels_avx2,
    petal__kernels_avx512, petal__kernels_popcount;
#elif defined(__aarch64__) && defined(__ARM_NEON) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define KERNELS_NEON 1
extern const struct petal__kernels petal__kernels_neon;
#endif
#endif

#ifdef KERNELS_X86
static inline bool petal__has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static inline bool petal__has_avx512(void)
{
#ifdef PETAL_NO_AVX512
    return false;
#else
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           petal__has_avx2();
#endif
}

static inline bool petal__has_popcount(void)
{
    return petal__has_avx512() && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

/* The best that this machine can do. */
static inline const struct petal__kernels *petal__kernels(void)
{
#if defined(KERNELS_X86)
    if (petal__has_popcount())
        return &petal__kernels_popcount;
    if (petal__has_avx512())
        return &petal__kernels_avx512;
    if (petal__has_avx2())
        return &petal__kernels_avx2;
    return &petal__kernels_sse2;
#elif defined(KERNELS_NEON)
    return &petal__kernels_neon;
#endif
    return &petal__kernels_plain;
}

#endif
