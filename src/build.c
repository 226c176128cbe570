/*
 * build.c: a ribbon made from the hashes that were held for it.
 *
 * kinds/ribbon.c explains what is made.  Layer after layer:
 *
 *   deal         the keys of this layer are dealt out into parts, by the order of their
 *                starts; in the first layer the chunks that become empty are used again, so
 *                that it takes no memory;
 *   solve        a gang of segments takes its keys from the parts that it overlaps, sorts
 *                their equations by bucket and group, and solves them (kernels/solve.h).
 *
 * Keys that were added twice have the same equation twice, and show when it is solved: a
 * second one of the same group has no effect.  Then they are dropped, and all begins again.
 *
 * Threads share the chunks, then the parts, then the gangs.  What a segment becomes depends
 * on the set of its keys alone, so that the bytes are the same for any number of threads
 * and any order of keys.  In the first layer all keys stay in the hoard, whatever happens;
 * so a failure loses nothing, and the next base finds them all.
 *
 * Memory comes from the thread that calls, and from no other.
 */
#include "build.h"

#include "image.h"
#include "memory.h"
#include "ribbon.h"
#include "system.h"

#define PART_KEYS   8192 /* so that it fits into the cache */
#define PARTS_MAX   8192
#define FOR_THREADS ((uint64_t)1 << 16) /* fewer keys each are not worth a thread */

#define SEGMENT_SLOTS   ((size_t)SEGMENT_STARTS + 64)
#define SEGMENT_BUCKETS ((size_t)SEGMENT_STARTS / BUCKET_STARTS)
#define SEGMENT_GROUPS  (SEGMENT_BUCKETS * BUCKET_GROUPS)

/* Chunks from the first to the last, whatever follows that; `last` may be NULL where
 * nothing does. */
struct list {
    struct petal__chunk *first, *last;
    size_t n; /* keys: in the first chunk, while it is filled; then in all of them */
};

/* What a thread works with. */
struct worker {
    struct list *lists;        /* one for each part: dealing */
    struct petal__chunk *free; /* chunks to use again */
    uint64_t *table;           /* of the keys that were seen: dropping repeats */
    uint64_t *keys;            /* of a gang: solving, from here on */
    uint64_t *coefficients;
    uint32_t *results;
    struct ribbon_equation *equations;
    uint32_t *groups;
    uint8_t *codes;
};

#define for_every_chunk(chunk, list)                       \
    for (struct petal__chunk *chunk = (list).first; chunk; \
         chunk = chunk == (list).last ? NULL : chunk->next)

/* The keys of a layer, dealt out, and the memory they are in; those of the first layer stay
 * in the hoard of the filter. */
struct stage {
    struct list *parts;
    size_t n;
    void *room;
    struct petal__hoard hoard;
};

struct build {
    petal_filter *f;
    struct ribbon_columns columns;
    uint32_t base, attempt;
    unsigned threads;
    bool dropped;    /* repeats, if there were any */
    struct ribbon r; /* the layers so far, and this one */
    uint32_t layer;
    uint64_t keys[RIBBON_LAYERS_MAX];
    struct ribbon_size sizes[RIBBON_LAYERS_MAX];
    uint8_t *made[RIBBON_LAYERS_MAX]; /* blocks and codes: of the first layer within the */
    petal_filter image;               /* image, which has room for the others; */
    void *blocks[RIBBON_LAYERS_MAX];  /* of the others in these */

    struct stage before, now;
    struct petal__chunk *pool; /* chunks, of which so many are used */
    size_t pool_used;
    struct worker *workers;
    unsigned gang; /* segments that are solved together */
    size_t gangs;
    size_t turn;   /* the next list, part or gang that nobody has taken */
    uint64_t left; /* keys that are no repeats; or that were bumped */
    bool repeats;  /* were seen */
};

static inline size_t build_turn(struct build *b)
{
    return __atomic_fetch_add(&b->turn, 1, __ATOMIC_RELAXED);
}

/* Is it known that all must begin again?  After repeats were dropped, there are none: two
 * hashes that are mixed into one do no harm. */
static inline bool build_is_vain(const struct build *b)
{
    return __atomic_load_n(&b->repeats, __ATOMIC_RELAXED) && !b->dropped;
}

/* Every thread takes its turns, until there are none left. */
static void build_share(struct build *b, void (*fn)(void *context, unsigned i))
{
    b->turn = 0;
    b->left = 0;
    petal__system_threads(b->threads, fn, b);
}

/* What the key with this hash is in a layer. */
static inline uint64_t build_key(const struct build *b, uint32_t layer, uint64_t hash)
{
    uint64_t x = ribbon_next(&b->r.layers[0], hash);
    for (uint32_t i = 1; i <= layer; i++)
        x = ribbon_next(&b->r.layers[i], x);
    return x;
}

/* ---- Dealing ---- */

static struct petal__chunk *dealing_chunk(struct build *b, struct worker *w)
{
    struct petal__chunk *chunk = w->free;
    if (!chunk)
        return &b->pool[__atomic_fetch_add(&b->pool_used, 1, __ATOMIC_RELAXED)];
    w->free = chunk->next;
    return chunk;
}

static void dealing_more(struct build *b, struct worker *w, struct list *list)
{
    struct petal__chunk *chunk = dealing_chunk(b, w);
    if (list->first)
        list->first->n = list->n;
    else
        list->last = chunk;
    chunk->next = list->first;
    list->first = chunk;
    list->n = 0;
}

static inline void dealing_key(struct build *b, struct worker *w, uint64_t x, uint64_t hash)
{
    struct list *list = &w->lists[place_below(b->now.n, x)];
    if (list->n == CHUNK_KEYS || !list->first)
        dealing_more(b, w, list);
    list->first->keys[list->n++] = hash;
}

/* All keys of the first layer; then the chunk is free. */
static void dealing_all(struct build *b, struct worker *w, struct petal__chunk *chunk)
{
    const struct ribbon_layer *layer = &b->r.layers[0];
    for (size_t i = 0; i < chunk->n; i++)
        dealing_key(b, w, ribbon_next(layer, chunk->keys[i]), chunk->keys[i]);
    chunk->next = w->free;
    w->free = chunk;
}

/* Those that the layer before has bumped. */
static void dealing_bumped(struct build *b, struct worker *w, struct petal__chunk *chunk)
{
    const struct ribbon_layer *layer = &b->r.layers[b->layer], *before = layer - 1;
    for (size_t i = 0; i < chunk->n; i++) {
        const uint64_t x = build_key(b, b->layer - 1, chunk->keys[i]);
        if (ribbon_bumps(before, place_below(before->starts, x)))
            dealing_key(b, w, ribbon_next(layer, x), chunk->keys[i]);
    }
}

static void dealing_some(void *context, unsigned thread)
{
    struct build *b = context;
    struct worker *w = &b->workers[thread];
    for (size_t i; (i = build_turn(b)) < b->before.n;)
        for (struct petal__chunk *chunk = b->before.parts[i].first, *next; chunk;
             chunk = next) {
            next = chunk == b->before.parts[i].last ? NULL : chunk->next;
            (b->layer ? dealing_bumped : dealing_all)(b, w, chunk);
        }
    for (size_t i = 0; i < b->now.n; i++)
        if (w->lists[i].first)
            w->lists[i].first->n = w->lists[i].n;
}

/* Appends a list to another. */
static void list_join(struct list *to, struct list more)
{
    if (to->last && more.first)
        to->last->next = more.first;
    if (!to->first)
        to->first = more.first;
    if (more.last)
        to->last = more.last;
}

/* ---- Repeats ---- */

/* Open addressing; 0 is an empty place. */
static bool table_add(uint64_t *table, size_t len, uint64_t hash)
{
    size_t at = (size_t)place_below(len, ribbon_mix(hash ^ RIBBON_K2, RIBBON_K1));
    while (table[at] != 0 && table[at] != hash)
        at = at + 1 < len ? at + 1 : 0;
    const bool fresh = table[at] == 0;
    table[at] = hash;
    return fresh;
}

static uint64_t part_drop_repeats(struct list *part, uint64_t *table)
{
    const size_t len = 2 * part->n;
    bool zero = false;
    memset(table, 0, len * sizeof *table);
    part->n = 0;
    for_every_chunk(chunk, *part)
    {
        size_t kept = 0;
        for (size_t i = 0; i < chunk->n; i++) {
            const uint64_t hash = chunk->keys[i];
            const bool fresh = hash ? table_add(table, len, hash) : !zero;
            zero |= hash == 0;
            chunk->keys[kept] = hash;
            kept += fresh;
        }
        chunk->n = kept;
        part->n += kept;
    }
    return part->n;
}

static void drop_some(void *context, unsigned thread)
{
    struct build *b = context;
    uint64_t left = 0;
    for (size_t i; (i = build_turn(b)) < b->now.n;)
        left += part_drop_repeats(&b->now.parts[i], b->workers[thread].table);
    __atomic_fetch_add(&b->left, left, __ATOMIC_RELAXED);
}

/* ---- Solving ---- */

/* The starts of a gang, and the parts where its keys are. */
struct gang {
    uint64_t first, span;
    size_t part, parts_end;
};

static struct gang gang_at(const struct build *b, size_t i)
{
    const uint64_t all = b->sizes[b->layer].starts, most = b->gang * SEGMENT_STARTS;
    const uint64_t first = i * most, span = all - first < most ? all - first : most;
    const uint64_t end = (first + span) * b->now.n / all + 1;
    return (struct gang){ first, span, (size_t)(first * b->now.n / all),
                          end < b->now.n ? (size_t)end : b->now.n };
}

/* A group of the gang. */
static inline uint32_t gang_group(uint64_t at)
{
    return (uint32_t)(at / BUCKET_STARTS * BUCKET_GROUPS) + ribbon_group(at);
}

/* Collects its keys, and counts those of each group, two places on. */
static size_t gang_collect(const struct build *b, const struct gang *g, struct worker *w)
{
    const uint64_t starts = b->sizes[b->layer].starts;
    size_t n = 0;
    for (size_t p = g->part; p < g->parts_end; p++)
        for_every_chunk(chunk, b->now.parts[p]) for (size_t i = 0; i < chunk->n; i++)
        {
            const uint64_t x = build_key(b, b->layer, chunk->keys[i]);
            const uint64_t at = place_below(starts, x) - g->first;
            if (at >= g->span)
                continue;
            w->keys[n++] = x;
            w->groups[gang_group(at) + 2]++;
        }
    return n;
}

/* Sorts their equations by group: each goes where its group has come to. */
static void gang_sort(const struct build *b, const struct gang *g, struct worker *w)
{
    const uint64_t starts = b->sizes[b->layer].starts;
    memset(w->groups, 0, (b->gang * SEGMENT_GROUPS + 2) * sizeof *w->groups);
    const size_t n = gang_collect(b, g, w);
    for (size_t i = 2; i < b->gang * SEGMENT_GROUPS + 2; i++)
        w->groups[i] += w->groups[i - 1];
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = place_below(starts, w->keys[i]) - g->first;
        w->equations[w->groups[gang_group(at) + 1]++] =
            ribbon_equation(w->keys[i], at % SEGMENT_STARTS, b->columns.top);
    }
}

static uint64_t segment_starts(const struct gang *g, unsigned i)
{
    const uint64_t left = g->span - i * SEGMENT_STARTS;
    return left < SEGMENT_STARTS ? left : SEGMENT_STARTS;
}

static struct ribbon_segment gang_segment(const struct gang *g, const struct worker *w,
                                          unsigned i)
{
    const size_t slots = (size_t)segment_starts(g, i) + 64;
    const struct ribbon_segment s = {
        .coefficients = w->coefficients + i * SEGMENT_SLOTS,
        .results = w->results + i * SEGMENT_SLOTS,
        .equations = w->equations,
        .groups = w->groups + i * SEGMENT_GROUPS,
        .buckets =
            (uint32_t)(round_up(segment_starts(g, i), BUCKET_STARTS) / BUCKET_STARTS),
        .codes = w->codes + i * SEGMENT_BUCKETS,
    };
    memset(s.coefficients, 0, slots * sizeof *s.coefficients);
    memset(s.results, 0, slots * sizeof *s.results);
    memset(s.codes, 0, s.buckets);
    return s;
}

/* What a segment has become: its blocks and its codes. */
static void segment_store(struct build *b, const struct ribbon_segment *s, uint64_t start,
                          uint64_t starts)
{
    const struct ribbon_size *size = &b->sizes[b->layer];
    const uint64_t first = ribbon_block(start);
    const uint64_t low = size->low > first ? size->low - first : 0;
    uint8_t *to = b->made[b->layer];
    b->f->kernels->ribbon.substitute(
        s, starts / 64 + 1, b->columns.top, low,
        to + 8 * ribbon_block_at(b->columns.top, size->low, first));
    to += 8 * size->words + start / (4 * BUCKET_STARTS);
    for (uint32_t i = 0; i < s->buckets && size->codes_len; i++) {
        const uint8_t before = i % 4 ? to[i / 4] : 0;
        to[i / 4] = (uint8_t)(before | s->codes[i] << i % 4 * 2);
    }
}

static uint64_t gang_solve(struct build *b, const struct gang *g, struct worker *w)
{
    struct ribbon_segment segments[RIBBON_GANG];
    const unsigned n = (unsigned)(round_up(g->span, SEGMENT_STARTS) / SEGMENT_STARTS);
    uint64_t bumped = 0;
    gang_sort(b, g, w);
    for (unsigned i = 0; i < n; i++)
        segments[i] = gang_segment(g, w, i);
    b->f->kernels->ribbon.eliminate(segments, n);
    for (unsigned i = 0; i < n; i++) {
        segment_store(b, &segments[i], g->first + i * SEGMENT_STARTS, segment_starts(g, i));
        bumped += segments[i].bumped;
        if (segments[i].repeats)
            __atomic_store_n(&b->repeats, true, __ATOMIC_RELAXED);
    }
    return bumped;
}

static void solve_some(void *context, unsigned thread)
{
    struct build *b = context;
    uint64_t bumped = 0;
    for (size_t i; (i = build_turn(b)) < b->gangs && !build_is_vain(b);) {
        const struct gang gang = gang_at(b, i);
        bumped += gang_solve(b, &gang, &b->workers[thread]);
    }
    __atomic_fetch_add(&b->left, bumped, __ATOMIC_RELAXED);
}

/* ---- Memory ---- */

/* Several arrays in one piece of memory: measured first, with no place yet, then placed. */
struct room {
    uint8_t *at;
    uint64_t len;
    void *block;
};

static void *room_take(struct room *room, uint64_t n, size_t size)
{
    void *at = room->at ? room->at + room->len : NULL;
    room->len += round_up(n * size, 64);
    return at;
}

/* Lays it out twice.  0 or PETAL_E_MEMORY. */
static int room_make(struct build *b, struct room *room,
                     void (*lay_out)(struct build *b, struct room *room))
{
    *room = (struct room){ NULL, 0, NULL };
    lay_out(b, room);
    if (room->len > SIZE_MAX)
        return PETAL_E_MEMORY;
    room->at = petal__memory_cells((size_t)room->len, &room->block);
    if (!room->at)
        return PETAL_E_MEMORY;
    room->len = 0;
    lay_out(b, room);
    return PETAL_OK;
}

static void stage_free(struct stage *stage)
{
    petal__hoard_free(&stage->hoard);
    petal__memory_free(stage->room);
    *stage = (struct stage){ 0 };
}

static void made_free(struct build *b)
{
    if (b->image.release)
        b->image.release(b->image.block, b->image.block_len);
    b->image = (petal_filter){ 0 };
}

static void build_free(struct build *b)
{
    stage_free(&b->before);
    stage_free(&b->now);
    made_free(b);
    for (uint32_t i = 0; i < RIBBON_LAYERS_MAX; i++) {
        petal__memory_free(b->blocks[i]);
        b->blocks[i] = NULL;
    }
}

/* ---- A layer ---- */

static void lay_out_deal(struct build *b, struct room *room)
{
    struct worker *workers = room_take(room, b->threads, sizeof *workers);
    struct list *sources = room_take(room, b->threads, sizeof *sources);
    b->now.parts = room_take(room, b->now.n, sizeof *b->now.parts);
    for (unsigned i = 0; i < b->threads; i++) {
        struct list *lists = room_take(room, b->now.n, sizeof *lists);
        if (room->at)
            workers[i].lists = lists;
    }
    b->workers = workers;
    if (b->layer == 0)
        b->before.parts = sources;
}

/* The hoard, cut into a list for each thread. */
static void dealing_cut(struct build *b)
{
    struct petal__chunk *chunk = b->f->hoard.chunks;
    const uint64_t each = b->f->keys / b->threads;
    struct list *lists = b->before.parts;
    for (unsigned i = 0; i < b->threads; i++) {
        lists[i] = (struct list){ .first = chunk };
        for (uint64_t n = 0; chunk && n <= each; chunk = chunk->next) {
            n += chunk->n;
            lists[i].last = chunk;
        }
    }
    b->before.n = b->threads;
}

/* The lists of all threads become parts.  Those of the first layer are the hoard from now
 * on, one after the other. */
static void dealing_join(struct build *b)
{
    struct list all = { 0 };
    for (size_t p = 0; p < b->now.n; p++) {
        struct list *part = &b->now.parts[p];
        for (unsigned i = 0; i < b->threads; i++)
            list_join(part, b->workers[i].lists[p]);
        if (part->last)
            part->last->next = NULL;
        for_every_chunk(chunk, *part) part->n += chunk->n;
        list_join(&all, *part);
    }
    if (b->layer == 0)
        b->f->hoard.chunks = all.first;
}

static size_t stage_most(const struct stage *stage)
{
    size_t most = 0;
    for (size_t i = 0; i < stage->n; i++)
        most = stage->parts[i].n > most ? stage->parts[i].n : most;
    return most;
}

/* Far more keys in one part than in others are repeats, or were chosen so.  Then threads
 * could not share them, and only take memory. */
static bool stage_is_uneven(const struct stage *stage, uint64_t n)
{
    return stage_most(stage) > 4 * (n / stage->n + PART_KEYS);
}

/* Deals n keys out: all that are held, or those that the layer before has bumped. */
static int layer_deal(struct build *b, uint64_t n)
{
    const unsigned most = b->f->threads ? b->f->threads : 1;
    const uint64_t threads = n / FOR_THREADS + 1, parts = n / PART_KEYS + 1;
    b->threads = threads < most ? (unsigned)threads : most;
    b->now.n = parts < PARTS_MAX ? (size_t)parts : PARTS_MAX;
    struct room room;
    if (room_make(b, &room, lay_out_deal) < 0)
        return PETAL_E_MEMORY;
    b->now.room = room.block;
    const uint64_t chunks =
        (uint64_t)b->threads * b->now.n + (b->layer ? n / CHUNK_KEYS : 0);
    b->pool_used = 0;
    b->pool =
        chunks <= SIZE_MAX
            ? petal__hoard_chunks(b->layer ? &b->now.hoard : &b->f->hoard, (size_t)chunks)
            : NULL;
    if (!b->pool)
        return PETAL_E_MEMORY;
    if (b->layer == 0)
        dealing_cut(b);
    build_share(b, dealing_some);
    dealing_join(b);
    if (stage_is_uneven(&b->now, n))
        b->threads = 1;
    return PETAL_OK;
}

static void lay_out_tables(struct build *b, struct room *room)
{
    const size_t most = stage_most(&b->now);
    for (unsigned i = 0; i < b->threads; i++)
        b->workers[i].table = room_take(room, 2 * most, sizeof *b->workers[i].table);
}

static int layer_drop_repeats(struct build *b)
{
    struct room room;
    const int rc = room_make(b, &room, lay_out_tables);
    if (rc < 0)
        return rc;
    build_share(b, drop_some);
    petal__memory_free(room.block);
    b->f->keys = b->left;
    b->dropped = true;
    return PETAL_OK;
}

/* The most keys that a gang can have. */
static uint64_t gang_keys(const struct build *b)
{
    uint64_t most = 0;
    for (size_t i = 0; i < b->gangs; i++) {
        const struct gang gang = gang_at(b, i);
        uint64_t n = 0;
        for (size_t p = gang.part; p < gang.parts_end; p++)
            n += b->now.parts[p].n;
        most = n > most ? n : most;
    }
    return most;
}

static void lay_out_solve(struct build *b, struct room *room)
{
    const uint64_t starts = b->sizes[b->layer].starts, keys = gang_keys(b);
    const uint64_t slots = b->gang > 1               ? b->gang * SEGMENT_SLOTS
                           : starts < SEGMENT_STARTS ? starts + 64
                                                     : SEGMENT_SLOTS;
    const uint64_t results_at = round_up(slots * sizeof(uint64_t), 64);
    const uint64_t rows_len = results_at + slots * sizeof(uint32_t);
    for (unsigned i = 0; i < b->threads; i++) {
        struct worker *w = &b->workers[i];
        uint8_t *rows = room_take(room, keys * 8 > rows_len ? keys * 8 : rows_len, 1);
        w->keys = (void *)rows; /* which are sorted before there are rows */
        w->coefficients = (void *)rows;
        w->results = (void *)(rows ? rows + results_at : NULL);
        w->equations = room_take(room, keys + 1, sizeof *w->equations);
        w->groups = room_take(room, b->gang * SEGMENT_GROUPS + 2, sizeof *w->groups);
        w->codes = room_take(room, b->gang * SEGMENT_BUCKETS, sizeof *w->codes);
    }
}

/* An image with room for all layers, if no more than usual is bumped. */
static int layer_image(struct build *b, uint64_t len)
{
    const uint64_t expected = petal__ribbon_bits(b->columns, b->keys[0]), own = 8 * len;
    const uint64_t others = expected > own ? expected - own : 0;
    made_free(b);
    b->image = (petal_filter){ .shape = b->f->shape };
    b->image.shape.bits = own + others + others / 16 + 8192;
    petal__image_measure(&b->image.shape, RIBBON_LAYERS_MAX);
    const int rc = petal__image_alloc(&b->image);
    b->made[0] = b->image.cells;
    return rc;
}

/* Where this layer's blocks and codes go. */
static int layer_place(struct build *b, uint64_t len)
{
    if (b->layer == 0)
        return layer_image(b, len);
    petal__memory_free(b->blocks[b->layer]);
    b->made[b->layer] = petal__memory_cells((size_t)len, &b->blocks[b->layer]);
    return b->made[b->layer] ? PETAL_OK : PETAL_E_MEMORY;
}

/* Makes the blocks and codes of this layer.  Leaves in b->left how many keys it bumped. */
static int layer_solve(struct build *b)
{
    struct ribbon_size *size = &b->sizes[b->layer];
    struct ribbon_layer *layer = &b->r.layers[b->layer];
    *size = petal__ribbon_size(b->columns, b->keys[b->layer], b->attempt);
    layer->starts = size->starts;

    const uint64_t segments = round_up(size->starts, SEGMENT_STARTS) / SEGMENT_STARTS;
    const uint64_t each = round_up(segments, b->threads) / b->threads;
    b->gang = each < RIBBON_GANG ? (unsigned)each : RIBBON_GANG;
    b->gangs = (size_t)(round_up(segments, b->gang) / b->gang);
    const uint64_t len = 8 * size->words + size->codes_len;
    struct room room;
    if (len > SIZE_MAX || room_make(b, &room, lay_out_solve) < 0)
        return PETAL_E_MEMORY;
    const int rc = layer_place(b, len);
    if (rc == PETAL_OK) {
        layer->codes = b->made[b->layer] + 8 * size->words;
        build_share(b, solve_some);
    }
    petal__memory_free(room.block);
    return rc;
}

/* Nothing may be bumped here: another seed, and sometimes more room, until nothing is. */
static int layer_last(struct build *b)
{
    if (b->keys[b->layer] == 0) /* but a layer with too few rows has bumped some */
        return b->layer == 0 ? PETAL_OK : PETAL_E_BUILD;
    for (b->attempt = 0; b->attempt < RIBBON_TRIES; b->attempt++) {
        b->r.layers[b->layer].seed = petal__ribbon_seed(b->base, b->layer, b->attempt);
        const int rc = layer_solve(b);
        if (rc < 0 || build_is_vain(b) || b->left == 0)
            return rc < 0 || !build_is_vain(b) ? rc : PETAL_E_BUILD;
    }
    return PETAL_E_BUILD;
}

/* The keys of the first layer: all that are held, each once. */
static int layer_first(struct build *b)
{
    int rc = layer_deal(b, b->f->keys);
    b->before = (struct stage){ 0 }; /* was the hoard */
    if (rc == PETAL_OK && !b->dropped &&
        (b->repeats || stage_is_uneven(&b->now, b->f->keys)))
        rc = layer_drop_repeats(b);
    return rc;
}

/* PETAL_E_BUILD if there are too many layers, or repeats. */
static int build_layers(struct build *b)
{
    b->attempt = 0;
    for (b->layer = 0; b->layer < RIBBON_LAYERS_MAX; b->layer++) {
        b->r.layers[b->layer].seed = petal__ribbon_seed(b->base, b->layer, 0);
        const uint64_t bumped = b->left;
        int rc = b->layer ? layer_deal(b, bumped) : layer_first(b);
        const uint64_t n = b->keys[b->layer] = b->layer ? bumped : b->f->keys;
        stage_free(&b->before);
        if (rc < 0 || n <= RIBBON_LAST)
            return rc < 0 ? rc : layer_last(b);
        rc = layer_solve(b);
        if (rc < 0 || build_is_vain(b))
            return rc < 0 ? rc : PETAL_E_BUILD;
        b->before = b->now;
        b->now = (struct stage){ 0 };
    }
    return PETAL_E_BUILD;
}

/* ---- The whole filter ---- */

/* Moves the codes of the first layer behind the blocks of all; puts the others where they
 * belong; clears what is left to the end of the tail. */
static void made_fill(struct build *b, petal_filter *f)
{
    const struct ribbon_size *sizes = b->sizes;
    uint64_t words = 0;
    for (uint32_t i = 0; i < f->stages; i++)
        words += sizes[i].words;
    uint8_t *codes = f->cells + 8 * words, *at = f->cells + 8 * sizes[0].words;
    if (b->made[0])
        memmove(codes, b->made[0] + 8 * sizes[0].words, (size_t)sizes[0].codes_len);
    codes += sizes[0].codes_len;
    for (uint32_t i = 1; i < f->stages; i++) {
        memcpy(at, b->made[i], (size_t)(8 * sizes[i].words));
        memcpy(codes, b->made[i] + 8 * sizes[i].words, (size_t)sizes[i].codes_len);
        at += 8 * sizes[i].words;
        codes += sizes[i].codes_len;
    }
    memset(codes, 0, (size_t)(f->image + f->shape.image_bytes - codes));
    petal__ribbon_tail(f, b->columns.share, b->base, b->attempt, b->keys);
}

/* The image that the first layer is in, or another, if that is too small. */
static int made_take(struct build *b, petal_filter *f)
{
    if (f->shape.image_bytes > b->image.shape.image_bytes) {
        const int rc = petal__image_alloc(f);
        if (rc == PETAL_OK && b->made[0])
            memcpy(f->cells, b->made[0], (size_t)(8 * b->sizes[0].words));
        return rc;
    }
    f->image = b->image.image;
    f->cells = b->image.cells;
    f->block = b->image.block;
    f->release = b->image.release;
    b->image.release = NULL;
    return PETAL_OK;
}

static int build_image(struct build *b)
{
    petal_filter f = *b->f;
    f.stages = b->layer + 1;
    f.shape.capacity = f.keys ? f.keys : 1;
    f.shape.hashes = b->columns.top;
    f.shape.bits = 0;
    for (uint32_t i = 0; i < f.stages; i++)
        f.shape.bits += 64 * b->sizes[i].words + 8 * b->sizes[i].codes_len;
    petal__image_measure(&f.shape, f.stages);
    const int rc = made_take(b, &f);
    if (rc < 0)
        return rc;
    made_fill(b, &f);
    petal__hoard_free(&f.hoard);
    *b->f = f;
    return PETAL_OK;
}

int petal__build(petal_filter *f)
{
    const double rate = petal__ask_rate(&f->shape);
    struct build b = { .f = f, .columns = petal__ribbon_columns(rate) };
    int rc = petal__ribbon_allows(rate, f->keys);
    if (rc < 0)
        return rc;
    for (;;) {
        rc = build_layers(&b);
        if (rc != PETAL_E_BUILD || (!build_is_vain(&b) && ++b.base == RIBBON_BASES))
            break;
        build_free(&b);
    }
    if (rc == PETAL_OK)
        rc = build_image(&b);
    build_free(&b);
    return rc;
}
