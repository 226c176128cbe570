/*
 * images.c: files that must never change, and files for the independent reader.
 *
 *     images check DIR             every golden file, made again, is the same to the byte
 *     images write DIR             add golden files that are missing; never change one
 *     images random DIR N [SEED]   N random filters and what was done to them, and N
 * damaged ones with the reason for which they are refused
 *
 * Beside NAME.petal lies NAME.ops, a line for each thing done: "a HEX" added, "r HEX"
 * removed, "q HEX N" asked, and the count was N.  reader.py replays them.
 *
 * No test framework, so that `check` also runs under emulators: the same bytes on
 * every platform (G7).
 */
#include "hash.h" /* to repair the checksum of a damaged header */
#include "support.h"

#include <errno.h>

/* ---- A filter and its record ---- */

struct record {
    petal_filter *f;
    FILE *ops; /* NULL: nothing is written down */
};

static void record_line(struct record *r, char what, const char *key, size_t len)
{
    if (!r->ops)
        return;
    fprintf(r->ops, "%c ", what);
    for (size_t i = 0; i < len; i++)
        fprintf(r->ops, "%02x", (unsigned char)key[i]);
    fputc('\n', r->ops);
}

static void record_add(struct record *r, const char *key, size_t len)
{
    require(petal_add(r->f, key, len) >= 0);
    record_line(r, 'a', key, len);
}

static void record_remove(struct record *r, const char *key, size_t len)
{
    require(petal_remove(r->f, key, len) >= 0);
    record_line(r, 'r', key, len);
}

static void record_query(struct record *r, const char *key, size_t len)
{
    fprintf(r->ops, "q ");
    for (size_t i = 0; i < len; i++)
        fprintf(r->ops, "%02x", (unsigned char)key[i]);
    fprintf(r->ops, " %llu\n", (unsigned long long)petal_count(r->f, key, len));
}

static FILE *file_made(const char *dir, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", dir, name, ending);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

static void file_put(const char *dir, const char *name, const char *ending,
                     const void *bytes, size_t len)
{
    FILE *file = file_made(dir, name, ending);
    require(fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

/* ---- Golden files ---- */

#define KEYED "hash=keyed seed=0x706050403020100:0xf0e0d0c0b0a0908 "

static const struct recipe {
    const char *name, *options;
    unsigned keys; /* when full */
} recipes[] = {
    { "bitmap", "kind=bitmap bits=1000", 300 },
    { "bitmap-10", "kind=bitmap bits=10", 7 },
    { "classic", "kind=classic capacity=300 fpr=1%", 300 },
    { "classic-keyed", KEYED "kind=classic capacity=300 fpr=0.001", 300 },
    { "classic-64", "kind=classic bits=9001 hashes=64", 97 },
    { "classic-low", "kind=classic capacity=3 fpr=1e-6 seed=99", 3 },
    { "partitioned", "kind=partitioned capacity=300 fpr=1%", 300 },
    { "partitioned-keyed", KEYED "kind=partitioned capacity=200 fpr=0.1%", 200 },
    { "partitioned-3x5", "kind=partitioned bits=15 hashes=3", 2 },
    { "blocked", "capacity=1000", 1000 },
    { "blocked-keyed", KEYED "kind=blocked capacity=300 fpr=0.3%", 300 },
    { "blocked-low", "kind=blocked capacity=300 fpr=0.01% seed=0xfedcba9876543210", 300 },
    { "blocked-xxh64", "kind=blocked capacity=100 fpr=10% hash=xxh64", 100 },
    { "blocked-sized", "kind=blocked capacity=200 bits=4Ki", 200 },
    { "split", "kind=split capacity=300 fpr=1%", 300 },
    { "counting", "kind=counting capacity=200 fpr=1%", 200 },
    { "counting-keyed", KEYED "kind=counting capacity=100 fpr=2%", 100 },
    { "counting-8", "kind=counting capacity=60 counter_bits=8", 60 },
    { "counting-16", "kind=counting capacity=60 counter_bits=16", 60 },
    { "counting-32", "kind=counting capacity=60 counter_bits=32", 60 },
    { "counting-insert-only", "kind=counting capacity=100 insert_only=yes", 100 },
    { "scalable", "kind=scalable capacity=50 fpr=1%", 500 },
    { "scalable-keyed", KEYED "kind=scalable capacity=20 fpr=5% growth=4", 300 },
    { "scalable-max", "kind=scalable capacity=20 capacity_max=700 fpr=2%", 700 },
    { "scalable-level", "kind=scalable capacity=10 growth=1 fpr=10%", 150 },
};

enum { EMPTY, ONE, FULL, FILLS };
static const char *const fill_names[] = { "empty", "one", "full" };

static void golden_key(const petal_filter *f, unsigned i, char key[32], size_t *len)
{
    const petal_shape *s = petal_shape_of(f);
    *len = s->kind == PETAL_BITMAP
               ? (size_t)snprintf(key, 32, "%llu", (unsigned long long)(i * 7 % s->bits))
               : (size_t)snprintf(key, 32, "key-%u", i);
}

static petal_filter *golden_build(const struct recipe *recipe, int fill, FILE *ops)
{
    petal_options o = { 0 };
    require(petal_parse_options(recipe->options, &o) == PETAL_OK);
    struct record r = { filter_made(o), ops };
    const petal_shape *s = petal_shape_of(r.f);
    const bool removes = petal_abilities(s->kind) & PETAL_CAN_REMOVE && !s->insert_only;
    const unsigned n = fill == EMPTY ? 0 : fill == ONE ? 1 : recipe->keys;
    char key[32];
    size_t len;
    for (unsigned i = 0; i < n; i++) {
        golden_key(r.f, i, key, &len);
        record_add(&r, key, len);
        if (i % 3 == 2)
            record_add(&r, key, len);
    }
    for (unsigned i = 4; i < n && removes; i += 5) {
        golden_key(r.f, i, key, &len);
        record_remove(&r, key, len);
    }
    return r.f;
}

/* Every key that is still there, through a mapped file and a loaded one. */
static void golden_ask(const struct recipe *recipe, int fill, const char *path)
{
    for (unsigned flags = 0; flags <= PETAL_COPY; flags++) {
        petal_filter *f;
        const int rc = petal_open(path, flags, &f);
        if (rc < 0) {
            fprintf(stderr, "%s: %s\n", path, petal_strerror(rc));
            exit(1);
        }
        const petal_shape *s = petal_shape_of(f);
        const bool removed = s->kind == PETAL_BITMAP;
        for (unsigned i = 0; fill == FULL && i < recipe->keys; i++) {
            char key[32];
            size_t len;
            golden_key(f, i, key, &len);
            require(petal_contains(f, key, len) || (removed && i % 5 == 4) ||
                    (s->kind == PETAL_COUNTING && i % 5 == 4));
        }
        require(petal_verify(f, NULL) == PETAL_OK);
        petal_free(f);
    }
}

static void golden_check(const char *path, const void *bytes, size_t len)
{
    uint8_t *stored = malloc(len + 1);
    FILE *file = fopen(path, "rb");
    if (!file || !stored) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    const size_t got = fread(stored, 1, len + 1, file);
    fclose(file);
    if (got != len || memcmp(stored, bytes, len) != 0) {
        fprintf(stderr, "%s: made again, it is not the same\n", path);
        exit(1);
    }
    free(stored);
}

static int golden_all(const char *dir, bool write)
{
    unsigned files = 0;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        for (int fill = 0; fill < FILLS; fill++, files++) {
            char name[64], path[4096];
            snprintf(name, sizeof name, "%s-%s", recipes[i].name, fill_names[fill]);
            snprintf(path, sizeof path, "%s/%s.petal", dir, name);
            FILE *there = fopen(path, "rb");
            if (there)
                fclose(there);
            const bool make = write && !there;
            FILE *ops = make ? file_made(dir, name, "ops") : NULL;
            petal_filter *f = golden_build(&recipes[i], fill, ops);
            size_t len;
            const void *bytes = petal_bytes(f, &len);
            if (make) {
                require(fclose(ops) == 0);
                file_put(dir, name, "petal", bytes, len);
            }
            golden_check(path, bytes, len);
            golden_ask(&recipes[i], fill, path);
            petal_free(f);
        }
    }
    printf("%u passed, 0 failed\n", files);
    return 0;
}

/* ---- Random files ---- */

static petal_options random_options(random_state *r)
{
    static const double rates[] = { 0.3, 0.1, 0.01, 0.002, 0.0004 };
    petal_options o = { .kind = (petal_kind)(1 + random_below(r, 7)) };
    const bool fixed = o.kind == PETAL_SPLIT || o.kind == PETAL_BITMAP; /* their hash */
    if (!fixed && random_below(r, 2)) {
        o.hash = PETAL_HASH_KEYED;
        o.seed[0] = random_next(r);
        o.seed[1] = random_next(r);
    } else if (!fixed) {
        o.seed[0] = random_below(r, 3);
    }
    const uint64_t n = 1 + random_below(r, random_below(r, 20) ? 60 : 100000);
    if (o.kind == PETAL_BITMAP) {
        o.bits = n * 20;
        return o;
    }
    o.capacity = n;
    o.fpr = rates[random_below(r, 5)];
    if (o.kind == PETAL_COUNTING) {
        o.counter_bits = 4u << random_below(r, 4);
        o.insert_only = random_below(r, 3) == 0;
    }
    if (o.kind == PETAL_SCALABLE) {
        o.capacity = 1 + random_below(r, 40);
        o.growth = (uint32_t)(1 + random_below(r, 4));
        o.capacity_max = random_below(r, 2) * (o.capacity + random_below(r, 40));
        o.fpr = rates[random_below(r, 3)]; /* constants: the same on every machine */
    }
    return o;
}

static size_t random_key(const petal_filter *f, random_state *r, char key[64])
{
    const petal_shape *s = petal_shape_of(f);
    if (s->kind == PETAL_BITMAP)
        return (size_t)snprintf(key, 64, "%llu",
                                (unsigned long long)random_below(r, s->bits));
    const size_t len = (size_t)random_below(r, 50);
    random_state content = { random_below(r, 120) }; /* few enough to meet again */
    for (size_t i = 0; i < len; i++)
        key[i] = (char)random_next(&content);
    return len;
}

static void random_ops(struct record *r, random_state *rnd)
{
    const petal_shape *s = petal_shape_of(r->f);
    const bool removes = petal_abilities(s->kind) & PETAL_CAN_REMOVE && !s->insert_only;
    for (uint64_t step = random_below(rnd, 120); step > 0; step--) {
        char key[64];
        const size_t len = random_key(r->f, rnd, key);
        if (removes && random_below(rnd, 5) == 0)
            record_remove(r, key, len);
        else
            record_add(r, key, len);
    }
    for (int i = 0; i < 40; i++) {
        char key[64];
        record_query(r, key, random_key(r->f, rnd, key));
    }
}

/* One thing wrong: cut short, too long, a bit turned, or a header that lies and has its
 * checksum put right. */
static size_t damage(uint8_t *bytes, size_t len, random_state *r)
{
    const uint64_t way = random_below(r, 8);
    if (way == 0)
        return (size_t)random_below(r, len);
    if (way == 1) {
        bytes[len] = 0;
        return len + 1;
    }
    if (way == 2) {
        bytes[random_below(r, len)] ^= (uint8_t)(1u << random_below(r, 8));
        return len;
    }
    const uint64_t at = random_below(r, 3) ? 8 + random_below(r, 98) : random_below(r, 248);
    bytes[at] =
        way < 6 ? (uint8_t)(bytes[at] ^ 1u << random_below(r, 8)) : (uint8_t)random_next(r);
    const uint64_t sum = petal__checksum(bytes, 248, 0);
    for (int i = 0; i < 8; i++)
        bytes[248 + i] = (uint8_t)(sum >> 8 * i);
    return len;
}

static const char *reason_of(int rc)
{
    switch (rc) {
    case PETAL_E_FORMAT: return "format";
    case PETAL_E_TRUNCATED: return "truncated";
    case PETAL_E_VERSION: return "newer";
    case PETAL_E_CORRUPT: return "corrupt";
    default: return NULL;
    }
}

/* A damaged copy, unless the damage happens to be another good file. */
static void random_bad(petal_filter *f, random_state *r, const char *dir, const char *name)
{
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    for (;;) {
        uint8_t *copy = malloc(len + 1);
        require(copy);
        memcpy(copy, bytes, len);
        const size_t now = damage(copy, len, r);
        petal_filter *opened;
        const int rc = petal_view(copy, now, 0, &opened);
        petal_free(opened);
        if (rc < 0) {
            require(reason_of(rc));
            file_put(dir, name, "bad", copy, now);
            file_put(dir, name, "reason", reason_of(rc), strlen(reason_of(rc)));
        }
        free(copy);
        if (rc < 0)
            return;
    }
}

static int random_all(const char *dir, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        random_state rnd = { seed * 1000003 + i };
        char name[32];
        snprintf(name, sizeof name, "%06llu", (unsigned long long)i);
        struct record r = { filter_made(random_options(&rnd)),
                            file_made(dir, name, "ops") };
        random_ops(&r, &rnd);
        require(fclose(r.ops) == 0);
        size_t len;
        const void *bytes = petal_bytes(r.f, &len);
        file_put(dir, name, "petal", bytes, len);
        random_bad(r.f, &rnd, dir, name);
        petal_free(r.f);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && (strcmp(argv[1], "check") == 0 || strcmp(argv[1], "write") == 0))
        return golden_all(argv[2], argv[1][0] == 'w');
    if (argc >= 4 && strcmp(argv[1], "random") == 0)
        return random_all(argv[2], strtoull(argv[3], NULL, 10),
                          argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
    fprintf(stderr,
            "usage: images check DIR | images write DIR | images random DIR N [SEED]\n");
    return 2;
}
