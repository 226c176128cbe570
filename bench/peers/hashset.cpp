/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hashset.cpp: std::unordered_set: the whole keys, and no mistakes.
 *
 * What a program has before it has a filter.  Room for all keys is made beforehand, and the
 * text that is asked for is brought into one std::string again and again, so that no
 * look-up allocates.  Its bytes are those that glibc's malloc() gives out: nodes, texts and
 * table.
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
    size_t outside; /* bytes of texts too long to lie in their std::string */
};

/* What malloc() takes for so many bytes. */
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
      nullptr, nullptr },
    {},
};
