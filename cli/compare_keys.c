/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_keys.c: the keys of petal compare, and which of them are looked up.
 *
 * Each key is kept once.  Members are looked up in random order.  Strangers are members
 * with one character changed, each of them a different one, and none of them in the set.
 */
#include "compare.h"

#include <stdlib.h>

#define GROUP      100000     /* members, and strangers */
#define SAMPLE_LEN (64 << 20) /* fewer of them, if they are so long */

/* ---- A bunch of keys ---- */

petal_key *bunch_keys(const struct bunch *bunch)
{
    return (void *)bunch->list.bytes;
}

size_t bunch_n(const struct bunch *bunch)
{
    return bunch->list.len / sizeof(petal_key);
}

void bunch_add(struct bunch *bunch, const void *key, size_t len)
{
    buffer_put(&bunch->text, key, len);
    buffer_put(&bunch->text, "", 1);
    buffer_put(&bunch->list, &(petal_key){ NULL, len }, sizeof(petal_key));
}

void bunch_settle(struct bunch *bunch)
{
    const char *at = bunch->text.bytes;
    petal_key *keys = bunch_keys(bunch);
    for (size_t i = 0; i < bunch_n(bunch); i++) {
        keys[i].data = at;
        at += keys[i].len + 1;
    }
}

void bunch_free(struct bunch *bunch)
{
    free(bunch->text.bytes);
    free(bunch->list.bytes);
}

/* ---- Who is sample for ---- */

/* Drop duplicates; afterwards the set has the rest.  Returns how many there were. */
static size_t compare_unique(struct bunch *bunch, void *members)
{
    petal_key *keys = bunch_keys(bunch);
    const size_t n = bunch_n(bunch);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (set_table.add(members, &keys[i]))
            keys[kept++] = keys[i];
    bunch->list.len = kept * sizeof *keys;
    return n - kept;
}

/* SplitMix64, always from the same start: the same questions in every run. */
static uint64_t compare_random(void)
{
    static uint64_t state = 15;
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Copied in the order of asking: what is measured is the set, not the way to the key. */
static struct bunch compare_members(const struct bunch *keys)
{
    struct bunch sample = { 0 };
    while (bunch_n(&sample) < GROUP && sample.text.len < SAMPLE_LEN) {
        const petal_key *key = &bunch_keys(keys)[compare_random() % bunch_n(keys)];
        bunch_add(&sample, key->data, key->len);
    }
    bunch_settle(&sample);
    return sample;
}

/* Another character of the same sort. */
static char compare_alter(char c)
{
    const uint64_t random = compare_random();
    if (c >= '0' && c <= '9')
        return (char)('0' + (c - '0' + 1 + (int)(random % 9)) % 10);
    const int from = c >= 'a' && c <= 'z' ? c - 'a' : 0;
    return (char)('a' + (from + 1 + (int)(random % 25)) % 26);
}

/* A member with one character altered; and longer with every attempt that met a key. */
static void compare_nonmember(const petal_key *member, unsigned attempt, struct buffer *key)
{
    key->len = 0;
    buffer_put(key, member->data, member->len);
    if (member->len > 0) {
        const size_t at = (size_t)(compare_random() % member->len);
        key->bytes[at] = compare_alter(key->bytes[at]);
    }
    for (unsigned i = 0; i < attempt; i++)
        buffer_put(key, &(char){ compare_alter('0') }, 1);
}

static struct bunch compare_nonmembers(const struct bunch *keys, const void *members)
{
    struct bunch nonmembers = { 0 };
    struct buffer text = { 0 };
    void *made = set_table.make(GROUP);
    while (bunch_n(&nonmembers) < GROUP && nonmembers.text.len < SAMPLE_LEN) {
        const petal_key *member = &bunch_keys(keys)[compare_random() % bunch_n(keys)];
        petal_key key;
        unsigned attempt = 0;
        do {
            compare_nonmember(member, attempt++, &text);
            key = (petal_key){ text.bytes, text.len };
        } while (set_table.contains(members, &key) || !set_table.add(made, &key));
        bunch_add(&nonmembers, text.bytes, text.len);
    }
    set_table.drop(made);
    free(text.bytes);
    bunch_settle(&nonmembers);
    return nonmembers;
}

void compare_choose(struct comparison *c)
{
    void *members = set_table.make(bunch_n(&c->keys));
    c->duplicates = compare_unique(&c->keys, members);
    c->members = compare_members(&c->keys);
    c->nonmembers = compare_nonmembers(&c->keys, members);
    set_table.drop(members);
}
