/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * property.c: random programs, compared with an exact model (G1).
 *
 *     property PROGRAMS [SEED]
 *
 * A program performs some dozens of operations on two filters of the same shape: add,
 * remove, count, merge, grow, copy, clear, save and load.  A plain array holds the true
 * count of every key.  A filter must never miss a member and never count too low, and an
 * exact kind must never be wrong.  A failing program is reported by its number.  To run it
 * alone, give that number as the seed, and 1 program.
 *
 * No test framework, so that it also runs under emulators.
 */
#include "support.h"

#define UNIVERSE 64 /* distinct keys; few, so that they occur again */
#define STEPS    48

struct subject {
    petal_filter *f;
    uint64_t count[UNIVERSE]; /* the true counts */
    bool counted;
    bool built; /* a static kind that has been built */
};

static uint64_t member_checks, program_number;

#define holds(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "%s:%d: program %llu: not true: %s\n", __FILE__, __LINE__, \
                    (unsigned long long)program_number, #condition);                   \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

/* ---- Shapes ---- */

static petal_filter *pool[1024];
static size_t pool_len;

/* Without options that the kind does not take.  No program may cause a key to be forgotten.
 */
static void pool_try(petal_options o)
{
    o = options_to_keep(o, UNIVERSE);
    require(pool_len < sizeof pool / sizeof *pool);
    if (is_accepted(o))
        pool[pool_len++] = filter_made(o);
}

/* For few keys and for more, at every rate. */
static void pool_sizes(petal_kind kind)
{
    const size_t before = pool_len;
    static const double rates[] = { 0.5, 0.1, 0.01, 0.001 };
    for (uint64_t n = UNIVERSE; n <= 4 * UNIVERSE && is_exact(kind); n += 61)
        pool_try(options_for(kind, n));
    for (size_t r = 0; r < 4 && !is_exact(kind); r++)
        for (uint64_t n = 1; n <= 100; n *= 10) {
            petal_options o = options_for(kind, n), seeded;
            o.fpr = rates[r];
            seeded = o;
            seeded.hash = r % 2 ? PETAL_HASH_KEYED : PETAL_HASH_FAST;
            seeded.seed[0] = n;
            pool_try(options_either(seeded, o));
        }
    require(pool_len > before);
}

/* Filters of every kind that takes these options.  At least one must. */
static void pool_kinds(petal_options o)
{
    const size_t before = pool_len;
    for_every_kind(kind) {
        o.kind = kind;
        pool_try(o);
    }
    require(pool_len > before);
}

static void pool_fill(void)
{
    static const char *const some[] = {
        "capacity=10 counter_bits=4",
        "capacity=10 counter_bits=8",
        "capacity=10 counter_bits=16",
        "capacity=10 counter_bits=32",
        "capacity=10 counter_bits=4 insert_only=yes",
        "capacity=10 counter_bits=8 insert_only=yes",
        "capacity=10 counter_bits=16 insert_only=yes",
        "capacity=10 counter_bits=32 insert_only=yes",
        "capacity=10 insert_only=yes",
        "capacity=4 growth=4 insert_only=yes",
        "capacity=4 growth=1 fpr=20%",
        "capacity=4 growth=4",
        "capacity=4 capacity_max=40",
        "capacity=10 hash=xxh64",
    };
    for_every_kind(kind) {
        pool_sizes(kind);
    }
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        pool_kinds(options_and((petal_options){ 0 }, some[i]));
    for (uint32_t k = 1; k <= 16; k += 3) {
        pool_kinds((petal_options){ .bits = 31 * k, .hashes = k });
        pool_kinds((petal_options){ .bits = 512 * 3, .hashes = k });
    }
}

/* ---- Invariants ---- */

static const char *key_text(unsigned key, size_t *len)
{
    static char text[UNIVERSE][4];
    if (!text[key][0])
        snprintf(text[key], sizeof text[key], "%u", key % UNIVERSE);
    *len = strlen(text[key]);
    return text[key];
}

static void check_key(const struct subject *s, unsigned key)
{
    size_t len;
    const char *text = key_text(key, &len);
    const petal_shape *shape = petal_shape_of(s->f);
    const unsigned able = petal_shape_abilities(shape);
    const uint64_t truth = s->count[key];
    member_checks += truth > 0;
    holds(petal_contains(s->f, text, len) || truth == 0);
    if (able & PETAL_IS_EXACT)
        holds(petal_contains(s->f, text, len) == (truth > 0));
    if (able & PETAL_CAN_COUNT) {
        const uint64_t top = UINT32_MAX >> (32 - shape->counter_bits);
        holds(petal_count(s->f, text, len) >= (truth < top ? truth : top));
    }
}

/* Has the filter lost count of a fingerprint? */
static bool is_stuck(const petal_filter *f)
{
    petal_stats stats;
    petal_stats_of(f, &stats);
    return stats.saturated > 0 && petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_LIST;
}

static void check_all(const struct subject *s)
{
    uint64_t total = 0;
    for (unsigned key = 0; key < UNIVERSE; key++) {
        check_key(s, key);
        total += s->count[key];
    }
    const petal_kind kind = petal_shape_of(s->f)->kind;
    const bool counts = petal_shape_abilities(petal_shape_of(s->f)) & PETAL_CAN_COUNT;
    if (is_exact(kind) || (counts && s->counted) || (is_static(kind) && s->built))
        holds(petal_size(s->f) == total || is_stuck(s->f));
}

/* ---- Operations ---- */

static void do_add(struct subject *s, unsigned key, int way)
{
    size_t len;
    const char *text = key_text(key, &len);
    const unsigned able = petal_shape_abilities(petal_shape_of(s->f));
    const bool counts = able & PETAL_CAN_COUNT;
    if ((able & PETAL_IS_STATIC) && s->built) {
        holds(petal_add(s->f, text, len) == PETAL_E_SEALED);
        return;
    }
    const bool before = !(able & PETAL_IS_STATIC) && petal_contains(s->f, text, len);
    int rc;
    if (way == 0) {
        rc = petal_add_int(s->f, key);
    } else if (way == 1 && !(able & PETAL_NEEDS_KEYS)) {
        rc = petal_add_hash(s->f, petal_hash(s->f, text, len));
    } else {
        signed char result;
        const petal_key one = { text, len };
        holds(petal_add_many(s->f, &one, 1, &result) == !before);
        rc = result;
    }
    holds(rc == !before);
    s->count[key] = counts ? s->count[key] + 1 : 1;
}

static void do_remove(struct subject *s, unsigned key)
{
    size_t len;
    const char *text = key_text(key, &len);
    if (!can_remove(s->f)) {
        holds(petal_remove(s->f, text, len) == PETAL_E_ABILITY);
    } else if (s->count[key] > 0) {
        holds(petal_remove(s->f, text, len) == 1);
        s->count[key]--;
    } else if (is_exact(petal_shape_of(s->f)->kind)) {
        holds(petal_remove(s->f, text, len) == 0);
    }
}

static void do_merge(struct subject *a, const struct subject *b, bool intersect)
{
    const petal_kind kind = petal_shape_of(a->f)->kind;
    const bool counts = petal_shape_abilities(petal_shape_of(a->f)) & PETAL_CAN_COUNT;
    const int rc = (intersect ? petal_intersect : petal_union)(a->f, b->f);
    if (!(petal_abilities(kind) & PETAL_CAN_MERGE)) {
        holds(rc == PETAL_E_ABILITY);
        return;
    }
    if (rc == PETAL_E_MISMATCH && needs_keys(kind) &&
        (petal_stages(a->f) > 1 || petal_stages(b->f) > 1))
        return; /* chains of other programs: a key may be in different links */
    holds(rc == PETAL_OK);
    for (unsigned key = 0; key < UNIVERSE; key++) {
        const uint64_t x = a->count[key], y = b->count[key];
        a->count[key] = intersect ? (x < y ? x : y) : counts ? x + y : (x || y);
    }
    a->counted = a->counted && b->counted && !intersect;
    check_all(a);
}

/* Through its image: viewed in place, copied, and at an odd address. */
static void do_reload(struct subject *s, unsigned offset)
{
    size_t len;
    const uint8_t *bytes = petal_bytes(s->f, &len);
    s->built = true;
    uint8_t *moved = malloc(len + 64);
    require(moved);
    memcpy(moved + offset, bytes, len);
    struct subject view = *s;
    holds(petal_view(moved + offset, len, 0, &view.f) == PETAL_OK);
    check_all(&view);
    holds(petal_add_int(view.f, 1) == PETAL_E_READONLY);
    petal_free(view.f);

    petal_filter *copy;
    holds(petal_view(moved + offset, len, PETAL_COPY, &copy) == PETAL_OK);
    free(moved);
    petal_free(s->f);
    s->f = copy;
    check_all(s);
}

static void do_copy(struct subject *s)
{
    petal_filter *copy;
    holds(petal_copy(s->f, &copy) == PETAL_OK);
    petal_free(s->f);
    s->f = copy;
    check_all(s);
}

static void do_clear(struct subject *s)
{
    holds(petal_clear(s->f) == PETAL_OK);
    holds(petal_size(s->f) == 0);
    memset(s->count, 0, sizeof s->count);
    s->counted = true;
    s->built = false;
}

static void run_program(random_state *r)
{
    petal_filter *shape = pool[random_below(r, pool_len)];
    struct subject two[2] = { { .counted = true }, { .counted = true } };
    for (int i = 0; i < 2; i++)
        holds(petal_copy(shape, &two[i].f) == PETAL_OK);

    for (int step = 0; step < STEPS; step++) {
        const uint64_t dice = random_below(r, 1000);
        struct subject *s = &two[random_below(r, 2)], *other = s == two ? two + 1 : two;
        const unsigned key = (unsigned)random_below(r, UNIVERSE);
        if (dice < 600)
            do_add(s, key, (int)(dice % 3));
        else if (dice < 700)
            do_remove(s, key);
        else if (dice < 930)
            check_key(s, key);
        else if (dice < 960)
            do_merge(s, other, dice % 3 == 0);
        else if (dice < 980)
            do_reload(s, (unsigned)(dice % 64));
        else if (dice < 995)
            do_copy(s);
        else
            do_clear(s);
    }
    for (int i = 0; i < 2; i++) {
        check_all(&two[i]);
        holds(petal_seal(two[i].f) == PETAL_OK);
        check_all(&two[i]);
        petal_free(two[i].f);
    }
}

int main(int argc, char **argv)
{
    const uint64_t programs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    pool_fill();
    for (program_number = first; program_number < first + programs; program_number++) {
        random_state r = { program_number * 0x632BE59BD9B4E019 };
        run_program(&r);
    }
    printf("%llu programs over %zu shapes, %llu lookups of members, none missed\n",
           (unsigned long long)programs, pool_len, (unsigned long long)member_checks);
    for (size_t i = 0; i < pool_len; i++)
        petal_free(pool[i]);
    return 0;
}
