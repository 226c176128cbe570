/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline.c: a reader of petal_inline.h gives the same answers as the filter.
 *
 *     inline
 *
 * The header is compiled several times (inline_lookups.c): as it is on this machine, for
 * AVX2, and both as C++.  Each is compared with petal_contains(), petal_contains_hash() and
 * petal_hash(), on members and non-members, in filters of all kinds, forms and hashes.
 * Filters are overfilled, so that many non-members are found too.
 */
#include "core/filter.h"
#include "folder.h"
#include "kinds/blocked/blocked.h"
#include "kinds/inline_lookups.h"
#include "support.h"

extern const struct lookups inline_c, inline_c_avx2, inline_cpp, inline_cpp_avx2;

/* Those that this compiler can make. */
static const struct lookups *const every[] = {
    &inline_c,
#ifdef HAS_INLINE_C_AVX2
    &inline_c_avx2,
#endif
#ifdef HAS_INLINE_CPP
    &inline_cpp,
#endif
#ifdef HAS_INLINE_CPP_AVX2
    &inline_cpp_avx2,
#endif
    NULL,
};

/* May the code compiled for AVX2 run here? */
static bool runs(const struct lookups *l)
{
#if defined(__x86_64__) || defined(__i386__)
    return !strstr(l->name, "avx2") || __builtin_cpu_supports("avx2");
#else
    return l != NULL;
#endif
}

#define for_every_lookups(l)                                                       \
    for (const struct lookups *const *l##_at = every, *l; (l = *l##_at); l##_at++) \
        if (runs(l))

/* ---- Keys ---- */

enum { LEN_MAX = 300, KEYS = 4000 };

struct key {
    char bytes[LEN_MAX + 1];
    size_t len;
};

/* Bytes, numbers, URLs and addresses; the same for the same i. */
static struct key key_of(uint64_t i)
{
    struct key key = { .len = (size_t)(i % (LEN_MAX + 1)) };
    random_state random = { i };
    switch (i / (LEN_MAX + 1) % 4) {
    case 0:
        for (size_t at = 0; at < key.len; at++)
            key.bytes[at] = (char)random_next(&random);
        return key;
    case 1: snprintf(key.bytes, sizeof key.bytes, "%llu", (unsigned long long)i); break;
    case 2:
        snprintf(key.bytes, sizeof key.bytes, "http://Host%llu.example/%llu/?q",
                 (unsigned long long)(i / 3), (unsigned long long)i);
        break;
    case 3:
        snprintf(key.bytes, sizeof key.bytes, "10.%d.%d.%d", (int)(i >> 16 & 255),
                 (int)(i >> 8 & 255), (int)(i & 255));
    }
    key.len = strlen(key.bytes);
    return key;
}

static struct key keys[KEYS];

static void add_keys(petal_filter *f, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++)
        petal_add(f, keys[i].bytes, keys[i].len); /* not valid for every kind and form */
}

/* ---- Comparing ---- */

/* Returns how many keys were found. */
static size_t compare(const struct lookups *l, const petal_reader *r, const petal_filter *f)
{
    size_t found = 0;
    for (size_t i = 0; i < KEYS; i++) {
        const void *key = keys[i].bytes;
        const size_t len = keys[i].len;
        const uint64_t hash = petal_hash(f, key, len);
        const bool there = petal_contains(f, key, len);
        require(l->contains(r, key, len) == there);
        require(l->contains_word(r, key) == petal_contains(f, key, 8));
        require(l->contains_hash(r, hash) == petal_contains_hash(f, hash));
        require(l->hash(r, key, len) == hash);
        found += there;
    }
    return found;
}

/* With a new reader. */
static size_t compare_new(const petal_filter *f)
{
    size_t found = 0;
    for_every_lookups(l) {
        petal_reader reader;
        petal_reader_of(f, &reader);
        found = compare(l, &reader, f);
    }
    return found;
}

/* With a reader that was made before. */
static void compare_old(const petal_reader *reader, const petal_filter *f)
{
    for_every_lookups(l) {
        compare(l, reader, f);
    }
}

/* ---- Filters ---- */

static void every_kind_form_and_hash(void)
{
    for_every_kind(kind) {
        for_every_form(form) {
            for_every_hash(hash) {
                petal_options o = options_for(kind, is_exact(kind) ? KEYS : KEYS / 8);
                o.form = form;
                o.hash = hash;
                if (!is_accepted(o))
                    continue;
                petal_filter *f = filter_made(o);
                compare_new(f);
                add_keys(f, 0, KEYS / 2);
                compare_new(filter_built(f));
                petal_free(f);
            }
        }
    }
}

/* Also more probes than petal_plan() would choose, but a file may have. */
static void every_number_of_probes(void)
{
    for (uint32_t k = 1; k <= BLOCK_K_MAX; k++)
        for (uint64_t blocks = 1; blocks <= 10; blocks += 3) {
            const petal_options o = { .kind = PETAL_BLOCKED, .bits = 512 * blocks };
            petal_filter *f = filter_made(o);
            f->shape.hashes = k;
            f->ops->attach(f);
            const uint64_t added = 120 * blocks;
            add_keys(f, 0, added);
            const size_t found = compare_new(f);
            require(found > added + 100 &&
                    found < KEYS - 100); /* both answers are common */
            petal_free(f);
        }
}

static void every_seed(void)
{
    static const uint64_t seeds[] = { 1, 0x123456789ABCDEF0, 0xFFFFFFFF, UINT64_MAX };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        petal_filter *f =
            filter_made((petal_options){ .capacity = KEYS / 2, .seed = { seeds[i] } });
        add_keys(f, 0, KEYS / 2);
        compare_new(f);
        petal_free(f);
    }
}

/* ---- Changes ---- */

/* Additions, growth, merges, removals and sealing are visible through an old reader. */
static void changes_are_visible(petal_kind kind)
{
    const petal_options o = options_for(kind, is_exact(kind) ? KEYS : 300);
    petal_filter *f = filter_made(o), *other = filter_made(o);
    petal_reader reader;
    petal_reader_of(f, &reader);
    add_keys(f, 0, KEYS / 4);
    compare_old(&reader, f);
    uint64_t hashes[100];
    for (uint64_t i = 0; i < 100; i++)
        hashes[i] = i;
    petal_add_hashes(f, hashes, 100, NULL);
    petal_add_shared(f, "1", 1); /* if the kind can */
    compare_old(&reader, f);
    add_keys(other, KEYS / 2, KEYS / 4);
    petal_union(f, other);
    compare_old(&reader, f);
    petal_intersect(f, other);
    compare_old(&reader, f);
    if (can_remove(f))
        petal_remove(f, "1800", 4);
    compare_old(&reader, f);
    require(petal_seal(f) == PETAL_OK);
    compare_old(&reader, f);
    petal_free(f);
    petal_free(other);
}

/* ---- Images ---- */

static void images_have_readers(petal_kind kind, const char *folder)
{
    petal_filter *f = filter_made(options_for(kind, is_exact(kind) ? KEYS : 300)), *other;
    add_keys(f, 0, KEYS / 2);
    require(petal_save(f, in_folder(folder, "f.petal")) == PETAL_OK);

    require(petal_open(in_folder(folder, "f.petal"), 0, &other) == PETAL_OK);
    compare_new(other);
    petal_free(other);

    require(petal_copy(f, &other) == PETAL_OK);
    compare_new(other);
    petal_free(other);

    size_t len;
    const void *bytes = petal_bytes(f, &len);
    char *odd = malloc(len + 1);
    require(odd);
    memcpy(odd + 1, bytes, len);
    require(petal_view(odd + 1, len, 0, &other) == PETAL_OK);
    compare_new(other);
    petal_free(other);
    free(odd);

    /* after these, a new reader is needed */
    require(petal_set_note(f, "label", "moved") == PETAL_OK);
    compare_new(f);
    require(petal_clear(f) == PETAL_OK);
    compare_new(f);
    petal_free(f);
}

/* ---- Versions ---- */

static void other_versions_fit(petal_kind kind)
{
    petal_filter *f = filter_made(options_for(kind, is_exact(kind) ? KEYS : 300));
    add_keys(f, 0, KEYS / 2);
    filter_built(f);

    /* what a newer library may say */
    petal_reader reader;
    petal_reader_of(f, &reader);
    reader.layout = reader.lookup = 1000;
    compare_old(&reader, f);
    reader.hash = 1000;
    compare_old(&reader, f);

    /* a program with a longer struct, and one with a shorter */
    struct {
        petal_reader reader;
        uint64_t more[2];
    } longer;
    memset(&longer, 0xFF, sizeof longer);
    petal_reader_fill(f, &longer.reader, sizeof longer - 8);
    require(longer.more[0] == 0 && longer.more[1] == UINT64_MAX);
    compare_old(&longer.reader, f);
    petal_reader whole = longer.reader;
    memset(&longer, 0xFF, sizeof longer);
    petal_reader_fill(f, &longer.reader, sizeof whole - 8);
    require(memcmp(&longer.reader, &whole, sizeof whole - 8) == 0);
    require(longer.reader.flip == UINT64_MAX);
    petal_free(f);
}

int main(void)
{
    char *folder = folder_made();
    require(folder);
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = key_of(i);
    every_kind_form_and_hash();
    every_number_of_probes();
    every_seed();
    for_every_kind(kind) {
        changes_are_visible(kind);
        images_have_readers(kind, folder);
        other_versions_fit(kind);
    }
    folder_gone(folder);
    for (size_t i = 0; every[i]; i++)
        printf(runs(every[i]) ? "%s: same as the library\n"
                              : "skipped: makes no sense: this processor cannot run %s\n",
               every[i]->name);
    return 0;
}
