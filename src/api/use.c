/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * use.c: petal.h section 3: adds, looks up, matches, removes and counts single keys.
 *
 * A key is normalized by the form of the filter, hashed, and passed to the kind.  Short raw
 * keys skip most of this: the kinds with the fastest lookups hash them themselves
 * (f->by_key), and for the others there is a fast path here.  All other cases are in
 * separate functions that are not inlined.
 */
#include "api/api.h"

/* Adds the class of a key to the mask. */
static void use_class(petal_filter *f, unsigned class_id)
{
    if (class_id != NO_CLASS && bit_set(f->classes, class_id))
        petal__changed(f);
}

static int use_add_form(petal_filter *f, const void *key, size_t len)
{
    uint64_t hash;
    unsigned class_id;
    int rc = petal__hash_form(f, key, len, &hash, &class_id);
    if (rc == PETAL_OK)
        rc = api_add(f, hash);
    if (rc >= 0)
        use_class(f, class_id);
    return rc;
}

APART static int use_add_other(petal_filter *f, const void *key, size_t len)
{
    if (!f->writable)
        return PETAL_E_READONLY;
    return f->form ? use_add_form(f, key, len) : api_add(f, api_hash_raw(f, key, len));
}

/* Short raw keys take a fast path of so few instructions that the processor works on
 * several keys at once. */
#define SHORT 16

static inline uint64_t use_hash_short(const petal_filter *f, const void *key, size_t len)
{
    return len == 8 ? petal__hash_word(f->flip, key)
                    : petal__hash_fast(f->shape.seed[0], key, len);
}

FLAT static int use_add_key(petal_filter *f, const void *key, size_t len)
{
    if (!f->writable || !f->quick || len > SHORT)
        return use_add_other(f, key, len);
    return api_add(f, use_hash_short(f, key, len));
}

int petal_add(petal_filter *filter, const void *key, size_t len)
{
    return filter->by_key->add(filter, key, len);
}

int petal_add_int(petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_add(filter, text, petal__decimal_text(key, text));
}

int petal__add_shared_by_probes(petal_filter *f, uint64_t hash)
{
    uint64_t bits[PETAL__HASHES_MAX];
    const size_t n = f->ops->probes(f, hash, bits, NULL, PETAL__HASHES_MAX);
    return bits_set_shared(f->cells, bits, n);
}

/* The flags and the class are set before the cells, in this order: a copy that has the
 * cells also has the class, and a copy that has the class also knows that its checksums
 * are void. */
static inline int use_add_shared(petal_filter *f, uint64_t hash, unsigned class_id)
{
    api_lower(&f->counted);
    api_lower(&f->estimated);
    api_lower(&f->sealed);
    api_lower(&f->marked);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (class_id != NO_CLASS)
        bits_set_shared(f->classes, &(uint64_t){ class_id }, 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return f->add_shared(f, hash);
}

APART static int use_add_shared_other(petal_filter *f, const void *key, size_t len)
{
    if (!(f->ops->abilities & PETAL_CAN_SHARE))
        return PETAL_E_ABILITY;
    if (!f->writable)
        return PETAL_E_READONLY;
    uint64_t hash;
    unsigned class_id = NO_CLASS;
    const int rc = f->form ? petal__hash_form(f, key, len, &hash, &class_id)
                           : api_hash(f, key, len, &hash);
    if (rc < 0)
        return rc;
    const int error = f->ops->allows ? f->ops->allows(f, hash) : PETAL_OK;
    if (error < 0)
        return error; /* nothing was changed */
    return use_add_shared(f, hash, class_id);
}

FLAT int petal_add_shared(petal_filter *filter, const void *key, size_t len)
{
    if (!filter->writable || !filter->quick || len > SHORT ||
        !(filter->ops->abilities & PETAL_CAN_SHARE))
        return use_add_shared_other(filter, key, len);
    return use_add_shared(filter, use_hash_short(filter, key, len), NO_CLASS);
}

static bool use_contains_form(const petal_filter *f, const void *key, size_t len)
{
    uint64_t hash;
    return api_hash(f, key, len, &hash) == PETAL_OK && f->contains(f, hash);
}

APART static bool use_contains_other(const petal_filter *f, const void *key, size_t len)
{
    if (f->form)
        return use_contains_form(f, key, len);
    return f->contains(f, api_hash_raw(f, key, len));
}

FLAT static bool use_contains_key(const petal_filter *f, const void *key, size_t len)
{
    if (!f->quick || len > SHORT)
        return use_contains_other(f, key, len);
    return f->contains(f, use_hash_short(f, key, len));
}

const struct petal__key_calls petal__key_calls = { use_contains_key, FULL(use_add_key) };

/* ---- Kinds that need the key itself ---- */

/* What use_normalized() does with a normalized key. */
typedef int use_key_fn(petal_filter *f, const uint8_t *key, size_t len);

static int use_normalized(petal_filter *f, const void *text, size_t len, use_key_fn *use)
{
    struct form_key key;
    if (!f->form)
        return use(f, text, len);
    const int rc = f->form->normalize(text, len, &key);
    return rc < 0 ? rc : use(f, key.bytes, key.len);
}

static int use_find(petal_filter *f, const uint8_t *key, size_t len)
{
    return f->ops->contains_key(f, key, len);
}

static int use_put(petal_filter *f, const uint8_t *key, size_t len)
{
    return api_added(f, f->ops->add_key(f, key, len));
}

int petal__find_key(const petal_filter *f, const void *key, size_t len)
{
    return use_normalized((petal_filter *)(uintptr_t)f, key, len, use_find);
}

static bool use_contains_by_key(const petal_filter *f, const void *key, size_t len)
{
    return petal__find_key(f, key, len) > 0;
}

static int use_add_by_key(petal_filter *f, const void *key, size_t len)
{
    return f->writable ? use_normalized(f, key, len, use_put) : PETAL_E_READONLY;
}

const struct petal__key_calls petal__key_calls_by_key = { use_contains_by_key,
                                                          use_add_by_key };

bool petal_contains(const petal_filter *filter, const void *key, size_t len)
{
    return filter->by_key->contains(filter, key, len);
}

/* Normalizes a key of a form with parents and lists its lookups.  Returns how many there
 * are, or PETAL_E_KEY. */
static int use_lookups(const petal_filter *f, const uint8_t *mask, const void *text,
                       size_t len, struct form_key *key, struct form_lookups *lookups)
{
    const int rc = f->form->normalize(text, len, key);
    return rc < 0 ? rc : (int)f->form->lookups(key, mask, lookups);
}

/* Finds the first of several hashes that the filter may contain.  Returns n if there
 * is none. */
static size_t use_first(const petal_filter *f, const uint64_t *hashes, size_t n)
{
    if (IS_FULL) { /* a batch overlaps the memory accesses */
        bool found[FORM_LOOKUPS_MAX];
        if (petal_contains_hashes(f, hashes, n, found) == 0)
            return n;
        const bool *first = memchr(found, true, n);
        return (size_t)(first - found);
    }
    size_t first = 0;
    while (first < n && !f->contains(f, hashes[first]))
        first++;
    return first;
}

static bool use_match_parents(const petal_filter *f, const void *text, size_t len,
                              char *matched, size_t size)
{
    struct form_key key;
    struct form_lookups lookups;
    uint64_t hashes[FORM_LOOKUPS_MAX];
    uint8_t mask[FORM_MASK_LEN];
    petal__classes_of(f, mask);
    const int n = use_lookups(f, mask, text, len, &key, &lookups);
    if (n <= 0)
        return false;
    api_hash_list(f, lookups.list, (size_t)n, hashes);
    const size_t first = use_first(f, hashes, (size_t)n);
    if (first == (size_t)n)
        return false;
    if (matched)
        f->form->text(lookups.list[first].data, lookups.list[first].len, matched, size);
    return true;
}

bool petal_match(const petal_filter *filter, const void *key, size_t len, char *matched,
                 size_t size)
{
    if (matched && size > 0)
        matched[0] = 0;
    if (filter->form && filter->form->match_lookups)
        return use_match_parents(filter, key, len, matched, size);
    const bool found = petal_contains(filter, key, len);
    if (found && matched)
        petal_normalize(filter, key, len, matched, size);
    return found;
}

bool petal_contains_int(const petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_contains(filter, text, petal__decimal_text(key, text));
}

int petal_remove(petal_filter *filter, const void *key, size_t len)
{
    uint64_t hash;
    const int rc = api_hash(filter, key, len, &hash);
    return rc < 0 ? rc : petal_remove_hash(filter, hash);
}

int petal_remove_int(petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_remove(filter, text, petal__decimal_text(key, text));
}

uint64_t petal_count(const petal_filter *filter, const void *key, size_t len)
{
    uint64_t hash;
    if (api_needs_keys(filter))
        return petal_contains(filter, key, len);
    return api_hash(filter, key, len, &hash) < 0 ? 0 : petal_count_hash(filter, hash);
}

/* ---- Normalized keys, and the hashes of a match ---- */

int64_t petal_normalize(const petal_filter *filter, const void *key, size_t len, char *text,
                        size_t size)
{
    if (!filter->form) {
        if (filter->ops->point && filter->ops->point(key, len) == NO_HASH)
            return PETAL_E_RANGE;
        return (int64_t)petal__form_plain_text(key, len, text, size);
    }
    struct form_key normalized;
    const int rc = filter->form->normalize(key, len, &normalized);
    if (rc < 0)
        return rc;
    return (int64_t)filter->form->text(normalized.bytes, normalized.len, text, size);
}

int petal__match_hashes(const petal_filter *f, const uint8_t *mask, const void *text,
                        size_t len, uint64_t hashes[FORM_LOOKUPS_MAX])
{
    if (!f->form || !f->form->match_lookups) {
        const int rc = api_hash(f, text, len, &hashes[0]);
        return rc < 0 ? rc : f->ops->point && hashes[0] == NO_HASH ? PETAL_E_RANGE : 1;
    }
    struct form_key key;
    struct form_lookups lookups;
    const int n = use_lookups(f, mask, text, len, &key, &lookups);
    if (n > 0)
        api_hash_list(f, lookups.list, (size_t)n, hashes);
    return n;
}

size_t petal_match_hashes(const petal_filter *filter, const void *key, size_t len,
                          uint64_t *hashes, size_t max)
{
    uint64_t all[FORM_LOOKUPS_MAX];
    uint8_t mask[FORM_MASK_LEN];
    petal__classes_of(filter, mask);
    const int n = petal__match_hashes(filter, mask, key, len, all);
    for (size_t i = 0; n > 0 && i < (size_t)n && i < max; i++)
        hashes[i] = all[i];
    return n > 0 ? (size_t)n : 0;
}

/* Keys without parents have one lookup. */
static size_t use_only_lookup(const petal_filter *f, const void *key, size_t len,
                              petal_lookup_fn *each, void *context)
{
    char text[FORM_KEY_MAX + 1];
    uint64_t hash;
    if (petal_match_hashes(f, key, len, &hash, 1) == 0)
        return 0;
    if (f->form)
        len = (size_t)petal_normalize(f, key, len, text, sizeof text);
    each(context, f->form ? text : key, len, hash);
    return 1;
}

size_t petal_each_lookup(const petal_filter *filter, const void *key, size_t len,
                         petal_lookup_fn *each, void *context)
{
    if (!filter->form || !filter->form->match_lookups)
        return use_only_lookup(filter, key, len, each, context);
    struct form_key normalized;
    struct form_lookups lookups;
    uint8_t mask[FORM_MASK_LEN];
    petal__classes_of(filter, mask);
    const int n = use_lookups(filter, mask, key, len, &normalized, &lookups);
    for (int i = 0; i < n; i++) {
        char text[FORM_KEY_MAX + 1];
        const petal_key *one = &lookups.list[i];
        const size_t text_len = filter->form->text(one->data, one->len, text, sizeof text);
        each(context, text, text_len, api_hash_bytes(filter, one->data, one->len));
    }
    return n > 0 ? (size_t)n : 0;
}
