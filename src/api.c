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

#define TEXT(x)  #x
#define QUOTE(x) TEXT(x)
#define BATCH    64   /* keys hashed at a time */
#define KEYS_MAX 1e18 /* more than fit anywhere, fewer than overflow anything */

/* ---- Flags that shared additions lower, beside readers ---- */

static inline bool api_flag(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* After the first thread that does this, all others only look. */
static inline void api_lower(bool *flag)
{
    if (api_flag(flag))
        __atomic_store_n(flag, false, __ATOMIC_RELAXED);
}

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
    if ((!(ops->abilities & PETAL_CAN_COUNT) && (o->counter_bits || o->insert_only)) ||
        (!(ops->abilities & PETAL_CAN_GROW) && (o->growth || o->capacity_max)))
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
        petal__bits_copy(f->image, image, f->shape.image_bytes);
    return rc;
}

/* Others may add meanwhile: the copy has all that was there when it began, and some of
 * what came since. */
int petal_copy(const petal_filter *filter, petal_filter **copy)
{
    *copy = NULL;
    petal_filter f = { .ops = filter->ops,
                       .shape = filter->shape,
                       .image = filter->image,
                       .keys = filter->keys,
                       .stages = filter->stages };
    const int rc = api_own(&f);
    if (rc < 0)
        return rc;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    f.counted = api_flag(&filter->counted);
    f.sealed = api_flag(&filter->sealed);
    return api_handle(&f, copy);
}

int petal_view(const void *bytes, size_t len, unsigned flags, petal_filter **filter)
{
    *filter = NULL;
    if (flags & ~(unsigned)(PETAL_COPY | PETAL_TRUST))
        return PETAL_E_OPTION;
    petal_filter f;
    int rc = petal__image_read(&f, bytes, len, flags & PETAL_TRUST);
    if (rc == PETAL_OK && (flags & PETAL_COPY))
        rc = api_own(&f);
    return rc < 0 ? rc : api_handle(&f, filter);
}

/* Do these options give so many bytes of cells?  If not, the bits may follow from the
 * bytes, where cells come in whole bytes: in another number of bits every key would have
 * other probes. */
static bool api_shape_of_cells(petal_options *o, const struct petal_ops *ops, uint64_t len)
{
    petal_shape shape;
    if (petal_plan(o, &shape) == PETAL_OK && round_up(shape.bits, 8) / 8 == len)
        return true;
    if (o->bits || len == 0 || len > PETAL__BITS_MAX / 8 ||
        !(ops->block_cells || ops->point))
        return false;
    o->bits = len * 8;
    return petal_plan(o, &shape) != PETAL_OK || shape.bits == o->bits;
}

/* The keys of an exact kind can be counted again. */
static void api_recount(petal_filter *f)
{
    if (!(f->ops->abilities & PETAL_IS_EXACT))
        return;
    petal_stats stats = { 0 };
    f->ops->measure(f, &stats);
    f->keys = stats.cells_set;
    f->counted = true;
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
    if (ops && !api_shape_of_cells(&o, ops, len))
        return PETAL_E_SHAPE;
    petal_filter *f;
    const int rc = petal_new(&o, &f);
    if (rc < 0)
        return rc;
    memcpy(f->cells, cells, len);
    f->counted = false;
    if (!petal__image_padded(f)) {
        petal_free(f);
        return PETAL_E_CORRUPT;
    }
    api_recount(f);
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
    const bool changed = rc > 0 || (rc == 0 && f->ops->count);
    f->keys += changed;
    f->sealed = f->sealed && !changed;
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

int petal_add_shared(petal_filter *filter, const void *key, size_t len)
{
    if (!filter->ops->add_shared)
        return PETAL_E_ABILITY;
    if (!filter->writable)
        return PETAL_E_READONLY;
    const uint64_t hash = api_hash(filter, key, len);
    /* before the cells: who has seen those in a copy sees these as well */
    api_lower(&filter->counted);
    api_lower(&filter->sealed);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return filter->ops->add_shared(filter, hash);
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
    if (!filter->ops->remove || filter->shape.insert_only)
        return PETAL_E_ABILITY;
    if (!filter->writable)
        return PETAL_E_READONLY;
    const int rc = filter->ops->remove(filter, hash);
    if (rc > 0) {
        filter->keys -= filter->keys > 0;
        filter->sealed = false;
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
    if (!filter->writable)
        return PETAL_E_READONLY;
    memset(filter->cells, 0, (size_t)petal__cells_len(&filter->shape));
    if (filter->ops->start)
        filter->ops->start(filter);
    petal__image_measure(&filter->shape, filter->stages);
    filter->keys = 0;
    filter->counted = true;
    filter->sealed = false;
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
        api_recount(into);
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
    const petal_shape *shape = &filter->shape;
    *stats = (petal_stats){
        .counted = api_flag(&filter->counted),
        .sealed = api_flag(&filter->sealed),
        .writable = filter->writable,
        .stages = filter->stages,
    };
    stats->keys_added = stats->counted ? filter->keys : 0;
    filter->ops->measure(filter, stats);
    stats->fill = (double)stats->cells_set / (double)(shape->bits / shape->counter_bits);
}

uint64_t petal_size(const petal_filter *filter)
{
    if (api_flag(&filter->counted))
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
    if (!(n > 0))
        return 0;
    return ops->fpr(shape, n < KEYS_MAX ? n : KEYS_MAX);
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
    const bool sealed = api_flag(&filter->sealed);
    if (sealed && petal__image_intact(filter, &where))
        return PETAL_OK;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!sealed || !api_flag(&filter->sealed)) /* or changed meanwhile */
        return PETAL_E_UNSEALED;
    if (damaged)
        *damaged = where;
    return PETAL_E_CORRUPT;
}

const char *petal_version(void)
{
    return QUOTE(PETAL_VERSION_MAJOR) "." QUOTE(PETAL_VERSION_MINOR) "." QUOTE(
        PETAL_VERSION_PATCH);
}
