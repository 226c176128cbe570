/* hashes.h: very many hashes, 8 bytes each, by where in a filter they belong. */
#ifndef CLI_HASHES_H
#define CLI_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashes;

/* With `repeats`, duplicates are kept, and only counted once. */
struct hashes *hashes_new(bool repeats);
void           hashes_put(struct hashes *hashes, const uint64_t *some, size_t n);

/* Drops duplicates; how many different ones there are. */
uint64_t       hashes_settle(struct hashes *hashes, unsigned threads);

/* All of them, in pieces, neighbours together; two places of the filter at a time, one in
 * its first half and one in its second, so that two threads have work. */
void           hashes_each(const struct hashes *hashes,
                           void (*each)(void *context, const uint64_t *some, size_t n),
                           void *context);
void           hashes_free(struct hashes *hashes);

/* The same for hashes that are in one array: in place, in the order of hashes_each(), and
 * unless `repeats` are kept, without duplicates: then *n is less.  How many
 * different ones there are. */
uint64_t       hashes_arrange(uint64_t *some, size_t *n, bool repeats);

#endif
