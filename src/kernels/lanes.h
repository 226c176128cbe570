/*
 * lanes.h: the types of vector.h, for a set of instructions to say what it does with them.
 */
#define INLINE static inline __attribute__((always_inline)) TARGET

typedef uint64_t words __attribute__((vector_size(8 * WORDS)));
typedef uint32_t halves __attribute__((vector_size(4 * HALVES)));
