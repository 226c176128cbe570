/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hashset.cpp: std::unordered_set, which stores the keys and makes no errors.
 *
 * This is what most programs use before they use a filter.  Room for all keys is reserved.
 * Lookups of texts reuse one std::string, so that none allocates.  The size is what glibc's
 * malloc() hands out for nodes, texts and table.
 */
#include "peer.h"

#include <new>
#include <string>
#include <unordered_set>

namespace
{

struct hashset {
    size_t expected;
    std::unordered_set<uint64_t> ints;
    std::unordered_set<std::string> texts;
    size_t outside; /* bytes of texts that do not fit inside their std::string */
};

/* How much memory malloc() uses for `len` bytes. */
size_t taken(size_t len)
{
    return len < 24 ? 32 : (len + 8 + 15) / 16 * 16;
}

void *make(uint64_t n, double)
{
    return new (std::nothrow) hashset{ static_cast<size_t>(n), {}, {}, 0 };
}

void drop(void *filter)
{
    delete static_cast<hashset *>(filter);
}

size_t bytes(const void *filter)
{
    const hashset &set = *static_cast<const hashset *>(filter);
    const size_t text = taken(sizeof(void *) + sizeof(std::string) + sizeof(size_t));
    return set.ints.size() * taken(sizeof(void *) + 8) + set.texts.size() * text +
           set.outside + 8 * (set.ints.bucket_count() + set.texts.bucket_count());
}

void add(void *filter, peer_keys keys)
{
    hashset &set = *static_cast<hashset *>(filter);
    if (keys.ints) {
        if (set.ints.empty())
            set.ints.reserve(set.expected);
        for (size_t i = 0; i < keys.n; i++)
            set.ints.insert(keys.ints[i]);
        return;
    }
    if (set.texts.empty())
        set.texts.reserve(set.expected);
    for (size_t i = 0; i < keys.n; i++) {
        const bool fresh = set.texts.emplace(keys.texts[i].data, keys.texts[i].len).second;
        set.outside += fresh && keys.texts[i].len > 15 ? taken(keys.texts[i].len + 1) : 0;
    }
}

size_t contains(const void *filter, peer_keys keys)
{
    const hashset &set = *static_cast<const hashset *>(filter);
    size_t found = 0;
    if (keys.ints) {
        for (size_t i = 0; i < keys.n; i++)
            found += set.ints.count(keys.ints[i]);
        return found;
    }
    std::string key;
    for (size_t i = 0; i < keys.n; i++) {
        key.assign(keys.texts[i].data, keys.texts[i].len);
        found += set.texts.count(key);
    }
    return found;
}

} // namespace

const struct peer peers[] = {
    { "std::unordered_set", PEER_EXACT, 10000000, make, drop, bytes, add, contains, nullptr,
      nullptr, nullptr, nullptr, nullptr },
    {},
};
