/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_keys.c: the keys of petal compare, and which of them are looked up.
 *
 * Each key is kept once.  Members are looked up in random order.  Non-members are members
 * with one character changed.  They are distinct, and none of them is in the set.
 */
#include "compare.h"

#include <assert.h>
#include <stdlib.h>

#define GROUP      100000     /* members, and non-members */
#define SAMPLE_LEN (64 << 20) /* bytes; fewer keys if they are long */

/* ---- A list of keys ---- */

petal_key *key_list_keys(const struct key_list *list)
{
    return (void *)list->keys.bytes;
}

size_t key_list_n(const struct key_list *list)
{
    return list->keys.len / sizeof(petal_key);
}

void key_list_add(struct key_list *list, const void *key, size_t len)
{
    buffer_put(&list->text, key, len);
    buffer_put(&list->text, "", 1);
    buffer_put(&list->keys, &(petal_key){ NULL, len }, sizeof(petal_key));
}

void key_list_finish(struct key_list *list)
{
    const char *at = list->text.bytes;
    petal_key *keys = key_list_keys(list);
    for (size_t i = 0; i < key_list_n(list); i++) {
        keys[i].data = at;
        at += keys[i].len + 1;
    }
}

void key_list_free(struct key_list *list)
{
    free(list->text.bytes);
    free(list->keys.bytes);
}

/* ---- The keys to look up ---- */

/* Drops duplicates, adds the other keys to `members`, and returns the number dropped. */
static size_t compare_unique(struct key_list *list, void *members)
{
    petal_key *keys = key_list_keys(list);
    const size_t n = key_list_n(list);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (set_table.add(members, &keys[i]))
            keys[kept++] = keys[i];
    list->keys.len = kept * sizeof *keys;
    return n - kept;
}

/* SplitMix64 with a fixed seed: the same lookups in every run. */
static uint64_t compare_random(void)
{
    static uint64_t state = 15;
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Copied in the order of the lookups, so that fetching the keys costs little time. */
static struct key_list compare_members(const struct key_list *keys)
{
    struct key_list sample = { 0 };
    const size_t n = key_list_n(keys);
    assert(n > 0);
    while (key_list_n(&sample) < GROUP && sample.text.len < SAMPLE_LEN) {
        const petal_key *key = &key_list_keys(keys)[compare_random() % n];
        key_list_add(&sample, key->data, key->len);
    }
    key_list_finish(&sample);
    return sample;
}

/* Another character of the same class. */
static char compare_alter(char c)
{
    const uint64_t random = compare_random();
    if (c >= '0' && c <= '9')
        return (char)('0' + (c - '0' + 1 + (int)(random % 9)) % 10);
    const int from = c >= 'a' && c <= 'z' ? c - 'a' : 0;
    return (char)('a' + (from + 1 + (int)(random % 25)) % 26);
}

/* A member with one character altered.  Each further attempt appends one more character. */
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

static struct key_list compare_nonmembers(const struct key_list *keys, const void *members)
{
    struct key_list nonmembers = { 0 };
    struct buffer text = { 0 };
    void *made = set_table.make(GROUP);
    const size_t n = key_list_n(keys);
    assert(n > 0);
    while (key_list_n(&nonmembers) < GROUP && nonmembers.text.len < SAMPLE_LEN) {
        const petal_key *member = &key_list_keys(keys)[compare_random() % n];
        petal_key key;
        unsigned attempt = 0;
        do {
            compare_nonmember(member, attempt++, &text);
            key = (petal_key){ text.bytes, text.len };
        } while (set_table.contains(members, &key) || !set_table.add(made, &key));
        key_list_add(&nonmembers, text.bytes, text.len);
    }
    set_table.drop(made);
    free(text.bytes);
    key_list_finish(&nonmembers);
    return nonmembers;
}

void compare_choose(struct comparison *c)
{
    void *members = set_table.make(key_list_n(&c->keys));
    c->duplicates = compare_unique(&c->keys, members);
    c->members = compare_members(&c->keys);
    c->nonmembers = compare_nonmembers(&c->keys, members);
    set_table.drop(members);
}
