/*
 * api.c: petal.h carried out, by way of a kind's petal_ops.
 *
 * Here a key becomes a hash, by way of its form, and here it is decided, once for all
 * kinds, what is refused: a change to what is read-only, and what a kind has no
 * function for.
 */
#include "batch.h"
#include "bits.h"
#include "build.h"
#include "deal.h"
#include "form.h"
#include "hash.h"
#include "image.h"
#include "kinds.h"
#include "memory.h"
#include "petal.h"
#include "system.h"

#include <float.h>
#include <math.h>

#define TEXT(x)  #x
#define QUOTE(x) TEXT(x)
#define NO_HASH  UINT64_MAX
#define NO_COVER UINT32_MAX
#define KEYS_MAX 1e18 /* more than fit anywhere, fewer than overflow anything */

#define COVERS_MAX 256

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

/* Which covers occur, at least for all cells that were read before. */
static void api_covers_of(const petal_filter *f, uint8_t mask[FORM_MASK_LEN])
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    petal__bits_copy(mask, f->covers, FORM_MASK_LEN);
}

/* ---- Making ---- */

/* What is no option at all, whatever the kind. */
static bool api_options_make_sense(const petal_options *o)
{
    const struct petal_form_ops *form = petal__form(o->form);
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        if (o->reserved[i])
            return false;
    return petal_form_name(o->form) && petal_hash_name(o->hash) &&
           (o->hash == PETAL_HASH_KEYED || !o->seed[1]) &&
           (o->hash != PETAL_HASH_XXH64 || !o->seed[0]) &&
           o->threads <= SYSTEM_THREADS_MAX &&
           (!o->covers || (form && form->covers && o->covers <= COVERS_MAX));
}

static bool api_options_suit(const struct petal_ops *ops, const petal_options *o)
{
    return ((ops->abilities & PETAL_CAN_COUNT) || (!o->counter_bits && !o->insert_only)) &&
           ((ops->abilities & PETAL_CAN_GROW) || (!o->growth && !o->capacity_max)) &&
           (!ops->point || o->form == PETAL_FORM_RAW);
}

/* A match asks several times, so that each ask must be so much rarer. */
static int api_plan_asks(const struct petal_ops *ops, const petal_options *options,
                         petal_shape *s)
{
    petal_options o = *options;
    const bool computed = o.bits && (o.capacity || o.hashes);
    if (o.fpr == 0 && !computed)
        o.fpr = 0.01;
    const double promise = o.fpr;
    if (o.fpr != 0 && !(o.fpr > 0 && o.fpr < 1))
        return PETAL_E_FPR;
    o.fpr /= s->covers;
    if (promise > 0 && o.fpr < DBL_MIN)
        return PETAL_E_FLOOR; /* it would vanish */
    const int rc = ops->plan(&o, s);
    const double all = s->fpr * s->covers;
    if (rc == PETAL_OK && all >= 1 && ops->abilities & PETAL_IS_STATIC)
        return PETAL_E_SHAPE; /* it is built by its rate, and this is none */
    if (rc == PETAL_OK)
        s->fpr = promise > 0 ? promise : all < 1 ? all : 1;
    return rc;
}

static int api_plan_kind(const struct petal_ops *ops, const petal_options *o,
                         petal_shape *s)
{
    const struct petal_form_ops *form = petal__form(o->form);
    *s = (petal_shape){ .kind = ops->kind,
                        .counter_bits = 1,
                        .form = o->form,
                        .covers =
                            form && form->covers ? o->covers ? o->covers : form->covers : 0,
                        .hash = o->hash,
                        .seed = { o->seed[0], o->seed[1] } };
    return s->covers ? api_plan_asks(ops, o, s) : ops->plan(o, s);
}

int petal_plan(const petal_options *options, petal_shape *shape)
{
    const struct petal_ops *ops = petal__ops(options->kind);
    *shape = (petal_shape){ 0 };
    if (!ops)
        return PETAL_E_KIND;
    if (!api_options_make_sense(options))
        return PETAL_E_OPTION;
    if (!api_options_suit(ops, options))
        return PETAL_E_SHAPE;
    petal_shape s;
    int rc = api_plan_kind(ops, options, &s);
    if (rc == PETAL_E_FLOOR && options->kind == PETAL_DEFAULT)
        rc = api_plan_kind(petal__ops(PETAL_CLASSIC), options, &s);
    if (rc < 0)
        return rc;
    petal__image_measure(&s, 1);
    *shape = s;
    return PETAL_OK;
}

static int api_set_shared(petal_filter *f, uint64_t hash);

static inline bool api_is_static(const petal_filter *f)
{
    return f->ops->abilities & PETAL_IS_STATIC;
}

/* May keys be added?  0, or why not. */
static inline int api_is_open(const petal_filter *f)
{
    if (!f->writable)
        return PETAL_E_READONLY;
    return api_is_static(f) && f->image ? PETAL_E_SEALED : PETAL_OK;
}

/* Lets go of what a filter is in. */
static void api_release(petal_filter *f)
{
    petal__hoard_free(&f->hoard);
    if (f->release)
        f->release(f->block, f->block_len);
}

/* The handle of a filter that is otherwise complete.  Takes the image with it. */
static int api_handle(petal_filter *made, petal_filter **filter)
{
    petal_filter *f = petal__memory_get(sizeof *f + made->ops->own_len);
    if (f) {
        *f = *made;
        f->own = f + 1;
        f->kernels = petal__kernels();
        f->counts_all = f->ops->count;
        f->quick = !f->form && !f->ops->point && f->shape.hash == PETAL_HASH_FAST;
        f->flip = petal__hash_flip(f->shape.seed[0]);
        f->contains = f->ops->contains;
        f->add = f->ops->add;
        f->add_shared = api_set_shared;
        if (f->ops->choose)
            f->ops->choose(f);
    } else {
        api_release(made);
    }
    *filter = f;
    return f ? PETAL_OK : PETAL_E_MEMORY;
}

/* An empty filter of a shape that is in order. */
static int api_new(const petal_shape *shape, uint32_t threads, petal_filter **filter)
{
    petal_filter f = { .ops = petal__ops(shape->kind),
                       .form = petal__form(shape->form),
                       .shape = *shape,
                       .threads = threads,
                       .stages = 1,
                       .counted = true,
                       .writable = true };
    uint64_t *seed = f.shape.seed;
    int rc = PETAL_OK;
    if (f.shape.hash == PETAL_HASH_KEYED && !seed[0] && !seed[1])
        rc = petal__system_random(seed, sizeof f.shape.seed);
    if (rc == PETAL_OK && !api_is_static(&f)) /* that has no image before it is built */
        rc = petal__image_alloc(&f);
    if (rc < 0)
        return rc;
    if (f.ops->start && !api_is_static(&f))
        f.ops->start(&f);
    return api_handle(&f, filter);
}

int petal_new(const petal_options *options, petal_filter **filter)
{
    petal_shape shape;
    *filter = NULL;
    const int rc = petal_plan(options, &shape);
    return rc < 0 ? rc : api_new(&shape, options->threads, filter);
}

int petal_new_shaped(const petal_shape *shape, petal_filter **filter)
{
    *filter = NULL;
    petal_shape measured = *shape;
    const bool grown = shape->capacity_first && shape->capacity != shape->capacity_first;
    if (!petal__image_shape_fits(shape, 1) || grown)
        return PETAL_E_SHAPE;
    petal__image_measure(&measured, 1);
    return api_new(&measured, 0, filter);
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
                       .form = filter->form,
                       .covers_told = filter->covers_told,
                       .threads = filter->threads,
                       .keys = filter->keys,
                       .stages = filter->stages,
                       .writable = true };
    const int rc =
        filter->image ? api_own(&f) : petal__hoard_copy(&f.hoard, &filter->hoard);
    if (rc < 0)
        return rc;
    api_covers_of(filter, f.covers);
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

static void api_all_covers(petal_filter *f);

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
    if (ops && !(ops->abilities & PETAL_CAN_IMPORT))
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
    api_all_covers(f);
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
    api_release(filter);
    petal__memory_free(filter);
}

int petal_grown(const petal_shape *shape, uint64_t n, petal_shape *grown)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    *grown = *shape;
    uint32_t stages = 1;
    const int rc = ops && ops->grow ? ops->grow(grown, n, &stages) : PETAL_E_ABILITY;
    if (rc == PETAL_OK)
        petal__image_measure(grown, stages);
    return rc;
}

petal_filter *petal_relocate(petal_filter *filter, petal_move_fn *move, void *context)
{
    petal_filter *moved = move(context, filter), *f = moved ? moved : filter;
    if (moved)
        f->own = f + 1;
    const bool elsewhere = petal__image_move(f, move, context);
    if ((moved || elsewhere) && f->ops->choose)
        f->ops->choose(f);
    return f;
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

static inline uint64_t api_hash_bytes(const petal_filter *f, const void *key, size_t len)
{
    return f->ops->point ? f->ops->point(key, len)
                         : petal__hash(f->shape.hash, f->shape.seed, key, len);
}

/* By way of the form; `cover` is the class of the key.  PETAL_E_KEY if it is none. */
static int api_hash_form(const petal_filter *f, const void *text, size_t len,
                         uint64_t *hash, unsigned *cover)
{
    struct form_key key;
    const int rc = f->form->canonical(text, len, &key);
    *hash = rc == PETAL_OK ? api_hash_bytes(f, key.bytes, key.len) : NO_HASH;
    *cover = rc == PETAL_OK && f->form->covers ? key.cover : NO_COVER;
    return rc;
}

static int api_hash_other(const petal_filter *f, const void *key, size_t len,
                          uint64_t *hash)
{
    unsigned cover;
    if (f->form)
        return api_hash_form(f, key, len, hash, &cover);
    *hash = api_hash_bytes(f, key, len);
    return PETAL_OK;
}

static inline int api_hash(const petal_filter *f, const void *key, size_t len,
                           uint64_t *hash)
{
    if (!f->quick)
        return api_hash_other(f, key, len, hash);
    *hash = petal__hash_fast(f->shape.seed[0], key, len);
    return PETAL_OK;
}

/* What a key covers occurs from now on. */
static void api_cover(petal_filter *f, unsigned cover)
{
    if (cover != NO_COVER && bit_set(f->covers, cover))
        f->sealed = false;
}

/* Nobody knows what the keys cover. */
static void api_all_covers(petal_filter *f)
{
    for (unsigned cover = 0; f->form && f->form->covers && cover < COVERS_MAX; cover++)
        if (f->form->is_class(cover) && bit_set(f->covers, cover))
            f->sealed = false;
}

uint64_t petal_hash(const petal_filter *filter, const void *key, size_t len)
{
    uint64_t hash;
    api_hash(filter, key, len, &hash);
    return hash;
}

uint64_t petal_hash_int(const petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_hash(filter, text, api_decimal(key, text));
}

void petal_hash_many(const petal_filter *filter, const petal_key *keys, size_t n,
                     uint64_t *hashes)
{
    const struct petal__keys all = { .list = keys };
    if (!filter->form)
        petal__batch_hash(filter, &all, 0, n, hashes);
    else
        for (size_t i = 0; i < n; i++)
            api_hash(filter, keys[i].data, keys[i].len, &hashes[i]);
}

int64_t petal_canonical(const petal_filter *filter, const void *key, size_t len, char *text,
                        size_t size)
{
    if (!filter->form) {
        if (filter->ops->point && filter->ops->point(key, len) == NO_HASH)
            return PETAL_E_RANGE;
        return (int64_t)petal__form_plain_text(key, len, text, size);
    }
    struct form_key canonical;
    const int rc = filter->form->canonical(key, len, &canonical);
    if (rc < 0)
        return rc;
    return (int64_t)filter->form->text(canonical.bytes, canonical.len, text, size);
}

int petal_take_covers(petal_filter *filter, const petal_filter *of)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    if (filter->shape.form != of->shape.form)
        return PETAL_E_MISMATCH;
    uint8_t mask[FORM_MASK_LEN];
    api_covers_of(of, mask);
    for (size_t i = 0; i < FORM_MASK_LEN; i++)
        filter->covers[i] |= mask[i];
    filter->covers_told = true;
    filter->sealed = false;
    return PETAL_OK;
}

/* ---- One key ---- */

static inline int api_add(petal_filter *f, uint64_t hash)
{
    const int rc = f->add(f, hash);
    const bool changed = (rc > 0) | (f->counts_all & (rc == 0));
    f->keys += changed;
    f->sealed = f->sealed && !changed;
    return rc;
}

int petal_add_hash(petal_filter *filter, uint64_t hash)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    const int rc = api_add(filter, hash);
    if (rc >= 0 && filter->form && !filter->covers_told)
        api_all_covers(filter);
    return rc;
}

static int api_add_form(petal_filter *f, const void *key, size_t len)
{
    uint64_t hash;
    unsigned cover;
    int rc = api_hash_form(f, key, len, &hash, &cover);
    if (rc == PETAL_OK)
        rc = api_add(f, hash);
    if (rc >= 0)
        api_cover(f, cover);
    return rc;
}

APART static int api_add_other(petal_filter *f, const void *key, size_t len)
{
    if (!f->writable)
        return PETAL_E_READONLY;
    if (f->form)
        return api_add_form(f, key, len);
    uint64_t hash;
    api_hash(f, key, len, &hash);
    return api_add(f, hash);
}

/* Short keys that need nothing but a hash take so few steps that the processor has several
 * on their way at once. */
#define SHORT 16

static inline uint64_t api_hash_short(const petal_filter *f, const void *key, size_t len)
{
    return len == 8 ? petal__hash_word(f->flip, key)
                    : petal__hash_fast(f->shape.seed[0], key, len);
}

FLAT int petal_add(petal_filter *filter, const void *key, size_t len)
{
    if (!filter->writable || !filter->quick || len > SHORT)
        return api_add_other(filter, key, len);
    return api_add(filter, api_hash_short(filter, key, len));
}

int petal_add_int(petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_add(filter, text, api_decimal(key, text));
}

/* Cells by way of their list. */
static int api_set_shared(petal_filter *f, uint64_t hash)
{
    uint64_t bits[PETAL__HASHES_MAX];
    const size_t n = f->ops->probes(f, hash, bits, NULL, PETAL__HASHES_MAX);
    return bits_set_shared(f->cells, bits, n);
}

/* Before the cells, and in this order: who has seen those in a copy sees the cover, and who
 * has seen that sees that the checksums are void. */
static inline int api_add_shared(petal_filter *f, uint64_t hash, unsigned cover)
{
    api_lower(&f->counted);
    api_lower(&f->sealed);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (cover != NO_COVER)
        bits_set_shared(f->covers, &(uint64_t){ cover }, 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return f->add_shared(f, hash);
}

APART static int api_add_shared_other(petal_filter *f, const void *key, size_t len)
{
    if (!(f->ops->abilities & PETAL_CAN_SHARE))
        return PETAL_E_ABILITY;
    if (!f->writable)
        return PETAL_E_READONLY;
    uint64_t hash;
    unsigned cover = NO_COVER;
    const int rc =
        f->form ? api_hash_form(f, key, len, &hash, &cover) : api_hash(f, key, len, &hash);
    if (rc < 0)
        return rc;
    if (f->ops->point && hash >= f->shape.bits)
        return PETAL_E_RANGE; /* before anything is changed */
    return api_add_shared(f, hash, cover);
}

FLAT int petal_add_shared(petal_filter *filter, const void *key, size_t len)
{
    if (!filter->writable || !filter->quick || len > SHORT ||
        !(filter->ops->abilities & PETAL_CAN_SHARE))
        return api_add_shared_other(filter, key, len);
    return api_add_shared(filter, api_hash_short(filter, key, len), NO_COVER);
}

bool petal_contains_hash(const petal_filter *filter, uint64_t hash)
{
    return filter->contains(filter, hash);
}

APART static bool api_contains_other(const petal_filter *f, const void *key, size_t len)
{
    uint64_t hash;
    return api_hash(f, key, len, &hash) == PETAL_OK && f->contains(f, hash);
}

FLAT bool petal_contains(const petal_filter *filter, const void *key, size_t len)
{
    if (!filter->quick || len > SHORT)
        return api_contains_other(filter, key, len);
    return filter->contains(filter, api_hash_short(filter, key, len));
}

/* Everything that covers the key and may occur; others may add meanwhile. */
static size_t api_asks(const petal_filter *f, const struct form_key *key,
                       struct form_ask *asks)
{
    uint8_t mask[FORM_MASK_LEN];
    api_covers_of(f, mask);
    return f->form->asks(key, mask, asks);
}

bool petal_match(const petal_filter *filter, const void *key, size_t len, char *matched,
                 size_t size)
{
    const struct petal_form_ops *form = filter->form;
    if (matched && size > 0)
        matched[0] = 0;
    if (!form || !form->covers) {
        const bool found = petal_contains(filter, key, len);
        if (found && matched)
            petal_canonical(filter, key, len, matched, size);
        return found;
    }
    struct form_key canonical;
    struct form_ask asks[FORM_ASKS_MAX];
    if (form->canonical(key, len, &canonical) < 0)
        return false;
    const size_t n = api_asks(filter, &canonical, asks);
    for (size_t i = 0; i < n; i++) {
        if (!petal_contains_hash(filter,
                                 api_hash_bytes(filter, asks[i].bytes, asks[i].len)))
            continue;
        if (matched)
            form->text(asks[i].bytes, asks[i].len, matched, size);
        return true;
    }
    return false;
}

bool petal_contains_int(const petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_contains(filter, text, api_decimal(key, text));
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
    uint64_t hash;
    const int rc = api_hash(filter, key, len, &hash);
    return rc < 0 ? rc : petal_remove_hash(filter, hash);
}

int petal_remove_int(petal_filter *filter, int64_t key)
{
    char text[20];
    return petal_remove(filter, text, api_decimal(key, text));
}

uint64_t petal_count_hash(const petal_filter *filter, uint64_t hash)
{
    return filter->ops->count ? filter->ops->count(filter, hash)
                              : filter->contains(filter, hash);
}

uint64_t petal_count(const petal_filter *filter, const void *key, size_t len)
{
    uint64_t hash;
    return api_hash(filter, key, len, &hash) < 0 ? 0 : petal_count_hash(filter, hash);
}

/* ---- Many keys ---- */

/* What became of many additions. */
struct api_tally {
    petal_filter *f;
    signed char *result;
    int64_t added;
    int refused; /* the first refusal */
};

static inline void api_note(struct api_tally *tally, size_t i, int rc)
{
    if (tally->result)
        tally->result[i] = (signed char)rc;
    else if (rc < 0 && !tally->refused)
        tally->refused = rc;
    tally->added += rc > 0;
}

static int64_t api_sum(const struct api_tally *tally)
{
    return tally->refused ? tally->refused : tally->added;
}

static void api_add_some(void *context, const uint64_t *hashes, size_t at, size_t n,
                         const uint64_t *later)
{
    struct api_tally *tally = context;
    signed char *result = tally->result ? tally->result + at : NULL;
    tally->added += tally->f->ops->add_many(tally->f, hashes, n, result, later);
}

static void api_add_in_order(void *context, const uint64_t *hashes, size_t at, size_t n,
                             const uint64_t *later)
{
    struct api_tally *tally = context;
    if (later)
        tally->f->ops->fetch_many(tally->f, later, n);
    for (size_t i = 0; i < n; i++)
        api_note(tally, at + i, api_add(tally->f, hashes[i]));
}

static int64_t api_add_keys(petal_filter *f, struct petal__keys keys, size_t n,
                            signed char *result)
{
    struct api_tally tally = { .f = f, .result = result };
    if (!f->ops->add_many) {
        petal__batch(f, &keys, n, api_add_in_order, &tally);
        return api_sum(&tally);
    }
    if (result || !petal__deal(f, &keys, n, &tally.added))
        petal__batch(f, &keys, n, api_add_some, &tally);
    const uint64_t changed = f->counts_all ? n : (uint64_t)tally.added;
    f->keys += changed;
    f->sealed = f->sealed && !changed;
    return tally.added;
}

int64_t petal_add_hashes(petal_filter *filter, const uint64_t *hashes, size_t n,
                         signed char *result)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    if (n > 0 && filter->form && !filter->covers_told)
        api_all_covers(filter);
    return api_add_keys(filter, (struct petal__keys){ .hashes = hashes }, n, result);
}

/* Keys of a form one by one: each may be refused, and says what it covers. */
int64_t petal_add_many(petal_filter *filter, const petal_key *keys, size_t n,
                       signed char *result)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    if (!filter->form)
        return api_add_keys(filter, (struct petal__keys){ .list = keys }, n, result);
    struct api_tally tally = { .f = filter, .result = result };
    for (size_t i = 0; i < n; i++)
        api_note(&tally, i, petal_add(filter, keys[i].data, keys[i].len));
    return api_sum(&tally);
}

int64_t petal_add_column(petal_filter *filter, const void *keys, size_t width, size_t n,
                         signed char *result)
{
    const int rc = api_is_open(filter);
    if (rc < 0)
        return rc;
    const uint8_t *at = keys;
    if (!filter->form)
        return api_add_keys(filter, (struct petal__keys){ .column = at, .width = width }, n,
                            result);
    struct api_tally tally = { .f = filter, .result = result };
    for (size_t i = 0; i < n; i++, at += width)
        api_note(&tally, i, petal_add(filter, at, width));
    return api_sum(&tally);
}

/* ---- Many questions ---- */

struct api_answers {
    const petal_filter *f;
    bool *found;
    size_t total;
};

static inline void api_answer(struct api_answers *answers, size_t i, bool there)
{
    if (answers->found)
        answers->found[i] = there;
    answers->total += there;
}

static void api_ask_some(void *context, const uint64_t *hashes, size_t at, size_t n,
                         const uint64_t *later)
{
    struct api_answers *answers = context;
    bool nobody_asked[BATCH_MAX];
    bool *found = answers->found ? answers->found + at : nobody_asked;
    answers->total += answers->f->ops->contains_many(answers->f, hashes, n, found, later);
}

static void api_ask_in_order(void *context, const uint64_t *hashes, size_t at, size_t n,
                             const uint64_t *later)
{
    struct api_answers *answers = context;
    if (later)
        answers->f->ops->fetch_many(answers->f, later, n);
    for (size_t i = 0; i < n; i++)
        api_answer(answers, at + i, answers->f->contains(answers->f, hashes[i]));
}

static size_t api_ask(const petal_filter *f, struct petal__keys keys, size_t n, bool *found)
{
    struct api_answers answers = { .f = f, .found = found };
    petal__batch(f, &keys, n, f->ops->contains_many ? api_ask_some : api_ask_in_order,
                 &answers);
    return answers.total;
}

size_t petal_contains_hashes(const petal_filter *filter, const uint64_t *hashes, size_t n,
                             bool *found)
{
    return api_ask(filter, (struct petal__keys){ .hashes = hashes }, n, found);
}

size_t petal_contains_many(const petal_filter *filter, const petal_key *keys, size_t n,
                           bool *found)
{
    if (!filter->form)
        return api_ask(filter, (struct petal__keys){ .list = keys }, n, found);
    struct api_answers answers = { .found = found };
    for (size_t i = 0; i < n; i++)
        api_answer(&answers, i, petal_contains(filter, keys[i].data, keys[i].len));
    return answers.total;
}

size_t petal_contains_column(const petal_filter *filter, const void *keys, size_t width,
                             size_t n, bool *found)
{
    const uint8_t *at = keys;
    if (!filter->form)
        return api_ask(filter, (struct petal__keys){ .column = at, .width = width }, n,
                       found);
    struct api_answers answers = { .found = found };
    for (size_t i = 0; i < n; i++, at += width)
        api_answer(&answers, i, petal_contains(filter, at, width));
    return answers.total;
}

/* ---- The whole filter ---- */

/* As it was before it was built, and before any key. */
static void api_reopen(petal_filter *f)
{
    api_release(f);
    f->image = f->cells = NULL;
    f->block = NULL;
    f->release = NULL;
    f->stages = 1;
    f->ops->choose(f);
}

int petal_clear(petal_filter *filter)
{
    if (!filter->writable)
        return PETAL_E_READONLY;
    if (api_is_static(filter))
        api_reopen(filter);
    else
        memset(filter->cells, 0, (size_t)petal__cells_len(&filter->shape));
    memset(filter->covers, 0, sizeof filter->covers);
    filter->covers_told = false;
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
    uint8_t mask[FORM_MASK_LEN];
    api_covers_of(other, mask);
    for (size_t i = 0; i < FORM_MASK_LEN; i++)
        into->covers[i] = (uint8_t)(how == PETAL__UNION ? into->covers[i] | mask[i]
                                                        : into->covers[i] & mask[i]);
    into->covers_told = false; /* of what will be added */
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

/* The chance that one ask of several is let through. */
static double api_match_rate(double rate, uint32_t asks)
{
    return asks == 0 ? 0 : rate < 1 ? -expm1(asks * log1p(-rate)) : 1;
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
    if (filter->form && filter->form->covers) {
        uint8_t mask[FORM_MASK_LEN];
        api_covers_of(filter, mask);
        stats->asks = filter->form->most(mask);
        stats->fpr_estimate = api_match_rate(stats->fpr_estimate, stats->asks);
    }
    const uint64_t cells = shape->bits / shape->counter_bits;
    stats->fill = cells ? (double)stats->cells_set / (double)cells : 0;
}

bool petal_is_counted(const petal_filter *filter)
{
    return api_flag(&filter->counted);
}

uint32_t petal_stages(const petal_filter *filter)
{
    return filter->stages;
}

uint64_t petal_size(const petal_filter *filter)
{
    if (api_flag(&filter->counted))
        return filter->keys;
    petal_stats stats;
    petal_stats_of(filter, &stats);
    return (uint64_t)(stats.keys_estimate + 0.5);
}

size_t petal_asks(const petal_filter *filter, const void *key, size_t len, uint64_t *hashes,
                  size_t max)
{
    uint64_t all[FORM_ASKS_MAX];
    size_t n = 1;
    if (filter->form && filter->form->covers) {
        struct form_key canonical;
        struct form_ask asks[FORM_ASKS_MAX];
        if (filter->form->canonical(key, len, &canonical) < 0)
            return 0;
        n = api_asks(filter, &canonical, asks);
        for (size_t i = 0; i < n; i++)
            all[i] = api_hash_bytes(filter, asks[i].bytes, asks[i].len);
    } else if (api_hash(filter, key, len, &all[0]) < 0 ||
               (filter->ops->point && all[0] == NO_HASH)) {
        return 0;
    }
    for (size_t i = 0; i < n && i < max; i++)
        hashes[i] = all[i];
    return n;
}

size_t petal_probes(const petal_filter *filter, uint64_t hash, uint64_t *cells,
                    uint32_t *groups, size_t max)
{
    if (groups)
        memset(groups, 0, max * sizeof *groups);
    return filter->ops->probes(filter, hash, cells, groups, max);
}

double petal_fpr(const petal_shape *shape, double n)
{
    const struct petal_ops *ops = petal__ops(shape->kind);
    if (!ops || !ops->fits(shape))
        return 1;
    if (!(n > 0))
        return 0;
    const double rate = ops->fpr(shape, n < KEYS_MAX ? n : KEYS_MAX);
    return shape->covers ? api_match_rate(rate, shape->covers) : rate;
}

/* ---- The image ---- */

int petal_seal(petal_filter *filter)
{
    if (!filter->image) {
        const int rc = petal__build(filter);
        if (rc < 0)
            return rc;
        filter->ops->choose(filter);
    }
    if (!filter->sealed)
        petal__image_seal(filter);
    return PETAL_OK;
}

const void *petal_bytes(petal_filter *filter, size_t *len)
{
    *len = 0;
    if (petal_seal(filter) < 0)
        return NULL;
    *len = (size_t)filter->shape.image_bytes;
    return filter->image;
}

const void *petal_cells(const petal_filter *filter, size_t *len)
{
    *len = 0;
    if (!filter->image)
        return NULL;
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

unsigned petal_version_number(void)
{
    return PETAL_VERSION_NUMBER;
}

const char *petal_version(void)
{
    return QUOTE(PETAL_VERSION_MAJOR) "." QUOTE(PETAL_VERSION_MINOR) "." QUOTE(
        PETAL_VERSION_PATCH);
}
