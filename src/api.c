/*
 * api.c: petal.h carried out, by way of a kind's petal_ops.
 *
 * Here a key becomes a hash, and here it is decided, once for all kinds, what is
 * refused: a change to what is read-only, and what a kind has no function for.
 */
#include "bits.h"
#include "hash.h"
#include "image.h"
#include "kinds.h"
#include "memory.h"
#include "petal.h"
#include "system.h"

#define TEXT(x) #x
#define QUOTE(x) TEXT(x)
#define BATCH 64 /* keys hashed at a time */

/* ---- Making ---- */

int petal_plan(const petal_options *options, petal_shape *shape)
{
    const petal_options *o = options;
    const struct petal_ops *ops = petal__ops(o->kind);
    *shape = (petal_shape){ 0 };
    if (!ops)
        return PETAL_E_KIND;
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        if (o->reserved[i])
            return PETAL_E_OPTION;
    if (o->form != PETAL_FORM_RAW || (unsigned)o->hash > PETAL_HASH_XXH64 ||
        (o->hash != PETAL_HASH_KEYED && o->seed[1]) ||
        (o->hash == PETAL_HASH_XXH64 && o->seed[0]))
        return PETAL_E_OPTION;
    if ((ops->kind != PETAL_COUNTING && (o->counter_bits || o->insert_only)) ||
        (ops->kind != PETAL_SCALABLE && (o->growth || o->capacity_max)))
        return PETAL_E_SHAPE;

    petal_shape s = { .kind = ops->kind,
                      .counter_bits = 1,
                      .form = o->form,
                      .hash = o->hash,
                      .seed = { o->seed[0], o->seed[1] } };
    const int rc = ops->plan(o, &s);
    if (rc < 0)
        return rc;
    petal__image_measure(&s, 1);
    *shape = s;
    return PETAL_OK;
}

/* The handle of a filter that is otherwise complete.  Takes the image with it. */
static int api_handle(const petal_filter *made, petal_filter **filter)
{
    petal_filter *f = petal__memory_get(sizeof *f);
    if (f)
        *f = *made;
    else if (made->release)
        made->release(made->block, made->block_len);
    *filter = f;
    return f ? PETAL_OK : PETAL_E_MEMORY;
}

int petal_new(const petal_options *options, petal_filter **filter)
{
    *filter = NULL;
    petal_filter f = { .counted = true };
    int rc = petal_plan(options, &f.shape);
    if (rc < 0)
        return rc;
    uint64_t *seed = f.shape.seed;
    if (f.shape.hash == PETAL_HASH_KEYED && !seed[0] && !seed[1] &&
        (rc = petal__system_random(seed, sizeof f.shape.seed)) < 0)
        return rc;

    f.ops = petal__ops(f.shape.kind);
    rc = petal__image_alloc(&f);
    if (rc < 0)
        return rc;
    f.stages = 1;
    if (f.ops->start)
        f.ops->start(&f);
    return api_handle(&f, filter);
}

/* Its own memory for a filter, in place of what it looks at now. */
static int api_own(petal_filter *f)
{
    const uint8_t *image = f->image;
    const int rc = petal__image_alloc(f);
    if (rc == PETAL_OK)
        memcpy(f->image, image, (size_t)f->shape.image_bytes);
    return rc;
}

int petal_copy(const petal_filter *filter, petal_filter **copy)
{
    *copy = NULL;
    petal_filter f = *filter;
    const int rc = api_own(&f);
    return rc < 0 ? rc : api_handle(&f, copy);
}

int petal_view(const void *bytes, size_t len, unsigned flags, petal_filter **filter)
{
    *filter = NULL;
    petal_filter f;
    int rc = petal__image_read(&f, bytes, len, flags & PETAL_TRUST);
    if (rc == PETAL_OK && (flags & PETAL_COPY))
        rc = api_own(&f);
    return rc < 0 ? rc : api_handle(&f, filter);
}

int petal_import(const petal_options *options, const void *cells, size_t len,
                 petal_filter **filter)
{
    *filter = NULL;
    petal_options o = *options;
    const struct petal_ops *ops = petal__ops(o.kind);
    if (ops && ops->tail_len)
        return PETAL_E_ABILITY;
    if (o.hash == PETAL_HASH_KEYED && !o.seed[0] && !o.seed[1])
        return PETAL_E_OPTION;
    const uint64_t bytes = len;
    if (!o.bits && bytes <= PETAL__BITS_MAX / 8)
        o.bits = bytes * 8;

    petal_shape shape;
    int rc = petal_plan(&o, &shape);
    if (rc == PETAL_OK && round_up(shape.bits, 8) / 8 != len)
        rc = PETAL_E_SHAPE;
    petal_filter *f = NULL;
    if (rc == PETAL_OK)
        rc = petal_new(&o, &f);
    if (rc < 0)
        return rc;
    memcpy(f->cells, cells, len);
    f->counted = false;
    if (!petal__image_padded(f)) {
        petal_free(f);
        return PETAL_E_CORRUPT;
    }
    *filter = f;
    return PETAL_OK;
}

void petal_free(petal_filter *filter)
{
    if (!filter)
        return;
    if (filter->release)
        filter->release(filter->block, filter->block_len);
    petal__memory_free(filter);
}

/* ---- Keys ---- */

/* An integer as its decimal text; returns the length. */
static size_t api_decimal(int64_t key, char text[20])
{
    uint64_t left = key < 0 ? 0 - (uint64_t)key : (uint64_t)key;
    char reversed[20];
    size_t n = 0, len = 0;
    do
        reversed[n++] = (char)('0' + left % 10);
    while (left /= 10);
    if (key < 0)
        text[len++] = '-';
    while (n > 0)
        text[len++] = reversed[--n];
    return len;
}

static inline uint64_t api_hash(const petal_filter *f, const void *key, size_t len)
{
    return f->ops->point ? f->ops->point(key, len)
                         : petal__hash(f->shape.hash, f->shape.seed, key, len);
}

uint64_t petal_hash(const petal_filter *filter, const void *key, size_t len)
{
    return api_hash(filter, key, len);
}

uint64_t petal_hash_int(const petal_filter *filter, int64_t key)
{
    char text[20];
    return api_hash(filter, text, api_decimal(key, text));
}

/* ---- One key ---- */

static inline int api_add(petal_filter *f, uint64_t hash)
{
    const int rc = f->ops->add(f, hash);
    if (rc < 0)
        return rc;
    f->keys += f->ops->count ? 1 : (uint64_t)rc;
    f->sealed = false;
    return rc;
}

int petal_add_hash(petal_filter *filter, uint64_t hash)
{
    return filter->writable ? api_add(filter, hash) : PETAL_E_READONLY;
}

int petal_add(petal_filter *filter, const void *key, size_t len)
{
    return petal_add_hash(filter, api_hash(filter, key, len));
}

int petal_add_int(petal_filter *filter, int64_t key)
{
    return petal_add_hash(filter, petal_hash_int(filter, key));
}

/* Many threads may do this at once; after the first, they only look. */
static inline void api_lower(bool *flag)
{
    if (__atomic_load_n(flag, __ATOMIC_RELAXED))
        __atomic_store_n(flag, false, __ATOMIC_RELAXED);
}

int petal_add_shared(petal_filter *filter, const void *key, size_t len)
{
    if (!filter->ops->add_shared)
        return PETAL_E_ABILITY;
    if (!filter->writable)
        return PETAL_E_READONLY;
    const int rc = filter->ops->add_shared(filter, api_hash(filter, key, len));
    if (rc < 0)
        return rc;
    api_lower(&filter->counted);
    api_lower(&filter->sealed);
    return rc;
}

bool petal_contains_hash(const petal_filter *filter, uint64_t hash)
{
    return filter->ops->contains(filter, hash);
}

bool petal_contains(const petal_filter *filter, const void *key, size_t len)
{
    return petal_contains_hash(filter, api_hash(filter, key, len));
}

bool petal_contains_int(const petal_filter *filter, int64_t key)
{
    return petal_contains_hash(filter, petal_hash_int(filter, key));
}

int petal_remove_hash(petal_filter *filter, uint64_t hash)
{
    petal_filter *f = filter;
    if (!f->ops->remove)
        return PETAL_E_ABILITY;
    if (!f->writable)
        return PETAL_E_READONLY;
    const int rc = f->ops->remove(f, hash);
    if (rc > 0) {
        f->keys -= f->keys > 0;
        f->sealed = false;
    }
    return rc;
}

int petal_remove(petal_filter *filter, const void *key, size_t len)
{
    return petal_remove_hash(filter, api_hash(filter, key, len));
}

int petal_remove_int(petal_filter *filter, int64_t key)
{
    return petal_remove_hash(filter, petal_hash_int(filter, key));
}

uint64_t petal_count_hash(const petal_filter *filter, uint64_t hash)
{
    return filter->ops->count ? filter->ops->count(filter, hash)
                              : filter->ops->contains(filter, hash);
}

uint64_t petal_count(const petal_filter *filter, const void *key, size_t len)
{
    return petal_count_hash(filter, api_hash(filter, key, len));
}

/* ---- Many keys ---- */

int64_t petal_add_hashes(petal_filter *filter, const uint64_t *hashes, size_t n,
                         signed char *result)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    int64_t added = 0;
    int refused = 0;
    for (size_t i = 0; i < n; i++) {
        const int rc = api_add(filter, hashes[i]);
        if (result)
            result[i] = (signed char)rc;
        else if (rc < 0 && !refused)
            refused = rc;
        added += rc > 0;
    }
    return refused ? refused : added;
}

int64_t petal_add_many(petal_filter *filter, const petal_key *keys, size_t n,
                       signed char *result)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    uint64_t hashes[BATCH];
    int64_t added = 0, refused = 0;
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < BATCH ? n - done : BATCH;
        for (size_t i = 0; i < some; i++)
            hashes[i] = api_hash(filter, keys[done + i].data, keys[done + i].len);
        const int64_t rc =
            petal_add_hashes(filter, hashes, some, result ? result + done : NULL);
        if (rc < 0 && !refused)
            refused = rc;
        added += rc > 0 ? rc : 0;
    }
    return refused ? refused : added;
}

size_t petal_contains_hashes(const petal_filter *filter, const uint64_t *hashes, size_t n,
                             bool *found)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const bool there = filter->ops->contains(filter, hashes[i]);
        if (found)
            found[i] = there;
        total += there;
    }
    return total;
}

size_t petal_contains_many(const petal_filter *filter, const petal_key *keys, size_t n,
                           bool *found)
{
    uint64_t hashes[BATCH];
    size_t total = 0;
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < BATCH ? n - done : BATCH;
        for (size_t i = 0; i < some; i++)
            hashes[i] = api_hash(filter, keys[done + i].data, keys[done + i].len);
        total += petal_contains_hashes(filter, hashes, some, found ? found + done : NULL);
    }
    return total;
}

/* ---- The whole filter ---- */

int petal_clear(petal_filter *filter)
{
    petal_filter *f = filter;
    if (!f->writable)
        return PETAL_E_READONLY;
    memset(f->cells, 0, (size_t)petal__cells_len(&f->shape));
    if (f->ops->start)
        f->ops->start(f);
    petal__image_measure(&f->shape, f->stages);
    f->keys = 0;
    f->counted = true;
    f->sealed = false;
    return PETAL_OK;
}

static bool api_alike(const petal_shape *a, const petal_shape *b)
{
    return a->kind == b->kind && a->bits == b->bits && a->hashes == b->hashes &&
           a->counter_bits == b->counter_bits && a->insert_only == b->insert_only &&
           a->form == b->form && a->hash == b->hash && a->seed[0] == b->seed[0] &&
           a->seed[1] == b->seed[1];
}

static int api_merge(petal_filter *into, const petal_filter *other, enum petal_merge how)
{
    if (!(into->ops->abilities & PETAL_CAN_MERGE))
        return PETAL_E_ABILITY;
    if (!into->writable)
        return PETAL_E_READONLY;
    if (!api_alike(&into->shape, &other->shape))
        return PETAL_E_MISMATCH;

    if (into->ops->merge) {
        into->ops->merge(into, other, how);
    } else {
        const uint64_t len = petal__cells_len(&into->shape);
        (how == PETAL__UNION ? petal__bits_or : petal__bits_and)(into->cells, other->cells,
                                                                 len);
        into->counted = false;
    }
    into->sealed = false;
    return PETAL_OK;
}

int petal_union(petal_filter *into, const petal_filter *other)
{
    return api_merge(into, other, PETAL__UNION);
}

int petal_intersect(petal_filter *into, const petal_filter *other)
{
    return api_merge(into, other, PETAL__INTERSECT);
}

/* ---- Looking inside ---- */

const petal_shape *petal_shape_of(const petal_filter *filter)
{
    return &filter->shape;
}

void petal_stats_of(const petal_filter *filter, petal_stats *stats)
{
    const petal_filter *f = filter;
    *stats = (petal_stats){
        .counted = __atomic_load_n(&f->counted, __ATOMIC_RELAXED),
        .sealed = __atomic_load_n(&f->sealed, __ATOMIC_RELAXED),
        .writable = f->writable,
        .stages = f->stages,
    };
    stats->keys_added = stats->counted ? f->keys : 0;
    f->ops->measure(f, stats);
    stats->fill =
        (double)stats->cells_set / (double)(f->shape.bits / f->shape.counter_bits);
}

uint64_t petal_size(const petal_filter *filter)
{
    if (__atomic_load_n(&filter->counted, __ATOMIC_RELAXED))
        return filter->keys;
    petal_stats stats;
    petal_stats_of(filter, &stats);
    return (uint64_t)(stats.keys_estimate + 0.5);
}

size_t petal_probes(const petal_filter *filter, uint64_t hash, uint64_t *cells, size_t max)
{
    return filter->ops->probes(filter, hash, cells, max);
}

double petal_fpr(const petal_shape *shape, double n)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    if (!ops || !ops->fits(shape))
        return 1;
    return n > 0 ? ops->fpr(shape, n) : 0;
}

/* ---- The image ---- */

int petal_seal(petal_filter *filter)
{
    if (!filter->sealed)
        petal__image_seal(filter);
    return PETAL_OK;
}

const void *petal_bytes(petal_filter *filter, size_t *len)
{
    petal_seal(filter);
    *len = (size_t)filter->shape.image_bytes;
    return filter->image;
}

const void *petal_cells(const petal_filter *filter, size_t *len)
{
    *len = (size_t)(round_up(filter->shape.bits, 8) / 8);
    return filter->cells;
}

int petal_verify(const petal_filter *filter, uint64_t *damaged)
{
    uint64_t where;
    if (!filter->sealed)
        return PETAL_E_UNSEALED;
    if (petal__image_intact(filter, &where))
        return PETAL_OK;
    if (damaged)
        *damaged = where;
    return PETAL_E_CORRUPT;
}

const char *petal_version(void)
{
    return QUOTE(PETAL_VERSION_MAJOR) "." QUOTE(PETAL_VERSION_MINOR) "." QUOTE(
        PETAL_VERSION_PATCH);
}
