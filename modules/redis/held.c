/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * held.c: the value of a key: a filter, which is packed while it is small and not in use.
 *
 * Programs keep a filter for each user or day: many filters, small ones, and few in use at
 * a time.  A filter that is ready for use takes about a kilobyte more than its cells.  So
 * only the small filters that were used last are ready: they are awake.  When one more is
 * woken, the one that was used longest ago goes to sleep.  It is packed, and the shape that
 * it shares with others is kept once.  To wake a filter takes 0.2 us if it has one key, and
 * 3 us if it has a thousand.  To put it to sleep takes less.
 *
 * Filters that are larger, or that the library cannot pack, are always awake.
 *
 * The server changes values in its main thread only, but frees some in the background.  A
 * value that is awake may be put to sleep by the main thread at any moment, so a lock
 * protects those.  All others belong to whoever frees them.  A process that was forked
 * while another thread had the lock could never take it, so values are read without it.
 */
#define _POSIX_C_SOURCE 200809L
#include "held.h"

#include "memory.h"
#include "server.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#define AWAKE_MAX  (HELD_OTHERS + 1)
#define PACKED_MAX 4096             /* bytes of a packed filter */
#define LARGE_MIN  (4 * PACKED_MAX) /* bytes of a filter that is not tried */
#define SHAPES_MAX 256

enum state {
    ASLEEP, /* packed */
    AWAKE,  /* among the last ones that were used */
    LARGE   /* always ready for use */
};

struct held {
    union {
        petal_filter *filter;
        uint8_t *packed; /* if ASLEEP */
    };
    uint16_t len;  /* of `packed` */
    uint8_t shape; /* in held_shapes, if ASLEEP */
    uint8_t state; /* enum state */
};

static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;
static struct held *held_awake[AWAKE_MAX]; /* from the newest to the oldest */
static size_t held_awake_len;
static size_t held_number;
static size_t held_block_bytes; /* of a struct held, in the server's memory */

size_t held_total(void)
{
    return __atomic_load_n(&held_number, __ATOMIC_RELAXED);
}

/* ---- Shapes that packed filters have in common ---- */

/* Only the main thread adds shapes.  A shape without users stays until its place is needed.
 */
static struct {
    petal_shape shape;
    size_t users;
} held_shapes[SHAPES_MAX];

static size_t held_shapes_len;

static void shape_take(size_t i)
{
    __atomic_add_fetch(&held_shapes[i].users, 1, __ATOMIC_RELAXED);
}

static void shape_leave(size_t i)
{
    __atomic_sub_fetch(&held_shapes[i].users, 1, __ATOMIC_RELEASE);
}

static bool shape_is_free(size_t i)
{
    return i == held_shapes_len ||
           __atomic_load_n(&held_shapes[i].users, __ATOMIC_ACQUIRE) == 0;
}

/* Returns the place of a shape, and takes it; or SHAPES_MAX if there is none left. */
static size_t shape_place(const petal_shape *shape)
{
    static size_t last; /* most filters have the same shape as the one before */
    size_t i = last, n = 0;
    while (n < held_shapes_len && /* shapes that differ between members get two places */
           /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
           memcmp(&held_shapes[i].shape, shape, sizeof *shape) != 0) {
        i = i + 1 < held_shapes_len ? i + 1 : 0;
        n++;
    }
    if (n == held_shapes_len) { /* a new one */
        for (i = 0; i < SHAPES_MAX && !shape_is_free(i); i++)
            ;
        if (i == SHAPES_MAX)
            return i;
        memcpy(&held_shapes[i].shape, shape, sizeof *shape);
        held_shapes_len += i == held_shapes_len;
    }
    last = i;
    shape_take(i);
    return i;
}

/* ---- Asleep and awake ---- */

static enum state held_state(const struct held *held)
{
    return __atomic_load_n(&held->state, __ATOMIC_ACQUIRE);
}

/* The last thing that is done to a value that another thread may free. */
static void held_become(struct held *held, enum state state)
{
    __atomic_store_n(&held->state, (uint8_t)state, __ATOMIC_RELEASE);
}

static bool held_is_large(const petal_filter *filter)
{
    return petal_shape_of(filter)->image_bytes >= LARGE_MIN;
}

/* Packs a filter, or leaves it awake for good. */
static void held_sleep(struct held *held)
{
    static uint8_t bytes[PACKED_MAX];
    petal_shape shape;
    size_t len = 0, place = SHAPES_MAX;
    if (!held_is_large(held->filter))
        len = petal_pack(held->filter, &shape, bytes, sizeof bytes);
    if (len > 0 && len <= sizeof bytes)
        place = shape_place(&shape);
    if (place == SHAPES_MAX) {
        held_become(held, LARGE);
        return;
    }
    petal_free(held->filter);
    held->packed = memory_get(len);
    memcpy(held->packed, bytes, len);
    memset(bytes, 0, len); /* it has a secret */
    held->len = (uint16_t)len;
    held->shape = (uint8_t)place;
    held_become(held, ASLEEP);
}

/* The server ends if there is no memory for it, as for its own values. */
static petal_filter *held_unpacked(const struct held *held)
{
    petal_filter *filter;
    const int rc =
        petal_unpack(&held_shapes[held->shape].shape, held->packed, held->len, &filter);
    assert(rc == PETAL_OK);
    (void)rc;
    return filter;
}

static void held_drop_packed(const struct held *held)
{
    shape_leave(held->shape);
    memory_free(held->packed);
}

/* Its place among those awake; AWAKE_MAX if it is not there. */
static size_t held_place(const struct held *held)
{
    for (size_t i = 0; i < held_awake_len; i++)
        if (held_awake[i] == held)
            return i;
    return AWAKE_MAX;
}

/* Makes a value the newest one of those awake.  If it is another one, the oldest goes to
 * sleep. */
static void held_renew(struct held *held)
{
    size_t place = held_place(held);
    if (place == AWAKE_MAX) {
        if (held_awake_len == AWAKE_MAX)
            held_sleep(held_awake[--held_awake_len]);
        place = held_awake_len++;
    }
    memmove(held_awake + 1, held_awake, place * sizeof *held_awake);
    held_awake[0] = held;
}

petal_filter *held_wake(struct held *held)
{
    if (held_state(held) == LARGE)
        return held->filter;
    pthread_mutex_lock(&held_lock);
    if (held_state(held) == ASLEEP) {
        petal_filter *filter = held_unpacked(held);
        held_drop_packed(held);
        held->filter = filter;
        held_become(held, AWAKE);
    }
    held_renew(held);
    pthread_mutex_unlock(&held_lock);
    return held->filter;
}

petal_filter *held_swap(struct held *held, petal_filter *filter)
{
    pthread_mutex_lock(&held_lock);
    petal_filter *old = held->filter;
    assert(held_state(held) != ASLEEP);
    held->filter = filter;
    pthread_mutex_unlock(&held_lock);
    return old;
}

/* ---- From new to free ---- */

struct held *held_new(petal_filter *filter)
{
    struct held *held = memory_get(sizeof *held);
    *held = (struct held){ .filter = filter };
    if (held_block_bytes == 0)
        held_block_bytes = RedisModule_MallocSize(held);
    __atomic_add_fetch(&held_number, 1, __ATOMIC_RELAXED);
    if (held_is_large(filter)) {
        held_become(held, LARGE);
        return held;
    }
    held_become(held, AWAKE);
    pthread_mutex_lock(&held_lock);
    held_renew(held);
    pthread_mutex_unlock(&held_lock);
    return held;
}

struct held *held_copy(const struct held *held)
{
    if (held_state(held) != ASLEEP) {
        petal_filter *filter;
        return petal_copy(held->filter, &filter) < 0 ? NULL : held_new(filter);
    }
    struct held *copy = memory_get(sizeof *copy);
    *copy = *held;
    copy->packed = memory_get(held->len);
    memcpy(copy->packed, held->packed, held->len);
    shape_take(held->shape);
    __atomic_add_fetch(&held_number, 1, __ATOMIC_RELAXED);
    return copy;
}

/* Once it is not among those awake, the main thread does not know it any more. */
static void held_forget(struct held *held)
{
    pthread_mutex_lock(&held_lock);
    const size_t place = held_place(held);
    if (place < AWAKE_MAX) {
        held_awake_len--;
        memmove(held_awake + place, held_awake + place + 1,
                (held_awake_len - place) * sizeof *held_awake);
    }
    pthread_mutex_unlock(&held_lock);
}

void held_free(struct held *held)
{
    if (!held)
        return;
    if (held_state(held) == AWAKE)
        held_forget(held);
    if (held_state(held) == ASLEEP)
        held_drop_packed(held);
    else
        petal_free(held->filter);
    memory_free(held);
    __atomic_sub_fetch(&held_number, 1, __ATOMIC_RELAXED);
}

/* ---- Reading ---- */

petal_filter *held_open(const struct held *held)
{
    return held_state(held) == ASLEEP ? held_unpacked(held) : held->filter;
}

void held_close(const struct held *held, petal_filter *filter)
{
    if (held_state(held) == ASLEEP)
        petal_free(filter);
}

/* ---- Memory ---- */

/* Adds up the blocks and moves none. */
static void *held_weigh(void *bytes, void *block)
{
    *(size_t *)bytes += RedisModule_MallocSize(block);
    return NULL;
}

size_t held_bytes(const struct held *held)
{
    size_t bytes = 0;
    held_move((struct held *)held, held_weigh, &bytes);
    return bytes;
}

size_t held_bytes_awake(const petal_filter *filter)
{
    size_t bytes = held_block_bytes;
    petal_relocate((petal_filter *)filter, held_weigh, &bytes);
    return bytes;
}

size_t held_longest(const struct held *held)
{
    return held_state(held) == ASLEEP ? held->len
                                      : (size_t)petal_shape_of(held->filter)->image_bytes;
}

struct held *held_move(struct held *held, petal_move_fn *move, void *context)
{
    pthread_mutex_lock(&held_lock);
    const size_t place = held_place(held);
    struct held *moved = move(context, held);
    held = moved ? moved : held;
    if (place < AWAKE_MAX)
        held_awake[place] = held;
    if (held_state(held) == ASLEEP) {
        uint8_t *packed = move(context, held->packed);
        held->packed = packed ? packed : held->packed;
    } else {
        held->filter = petal_relocate(held->filter, move, context);
    }
    pthread_mutex_unlock(&held_lock);
    return held;
}
