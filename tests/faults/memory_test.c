/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_test.c: every allocation can fail (G6), none is larger than necessary (G3), and
 * all memory is allocated and freed through the host's allocator.
 *
 * Each scenario runs with its first allocation failing, then its second, and so on until it
 * succeeds, and again with all allocations from that one on failing.  After a failure,
 * everything that existed before is unchanged.
 */
#include "check.h"
#include "folder.h"
#include "support.h"

#include <petal_exchange.h>

/* ---- An allocator that counts, and fails on request ---- */

static struct {
    uint64_t calls, fail_at; /* the number of the call that fails, or 0 */
    bool for_good;           /* all later calls fail too */
    uint64_t blocks;         /* allocated and not freed */
    size_t largest;
} host;

static void *host_realloc(void *context, void *old, size_t len)
{
    assert_ptr_equal(context, &host);
    if (len == 0) {
        assert_non_null(old);
        host.blocks--;
        free(old);
        return NULL;
    }
    assert_null(old);
    host.calls++;
    host.largest = len > host.largest ? len : host.largest;
    if (host.fail_at &&
        (host.calls == host.fail_at || (host.for_good && host.calls > host.fail_at)))
        return NULL;
    void *block = malloc(len);
    if (block) {
        memset(block, 0xA5, len); /* new memory is not zero */
        host.blocks++;
    }
    return block;
}

static int use_host(void **state)
{
    memset(&host, 0, sizeof host);
    petal_set_allocator(host_realloc, &host);
    return folder_setup(state);
}

static int leave_host(void **state)
{
    const uint64_t left = host.blocks;
    petal_set_allocator(NULL, NULL);
    folder_teardown(state);
    return left ? -1 : 0;
}

static void fail_from(uint64_t call, bool for_good)
{
    host.calls = 0;
    host.fail_at = call;
    host.for_good = for_good;
}

/* ---- Scenarios ---- */

/* What is done to an existing filter.  Returns the result of the call. */
typedef int scenario(petal_filter *f, const char *path);

static int making(petal_filter *f, const char *path)
{
    (void)path;
    petal_filter *new;
    const petal_options o = options_for(petal_shape_of(f)->kind, 1000);
    const int rc = petal_new(&o, &new);
    assert_true((new == NULL) == (rc < 0));
    petal_free(new);
    return rc;
}

static int copying(petal_filter *f, const char *path)
{
    (void)path;
    petal_filter *copy;
    const int rc = petal_copy(f, &copy);
    assert_true((copy == NULL) == (rc < 0));
    petal_free(copy);
    return rc;
}

static int viewing(petal_filter *f, const char *path)
{
    (void)path;
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    if (!bytes)
        return PETAL_E_MEMORY; /* it could not be built */
    petal_filter *view;
    const int rc = petal_view(bytes, len, 0, &view);
    petal_free(view);
    return rc;
}

static int viewing_a_copy(petal_filter *f, const char *path)
{
    (void)path;
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    if (!bytes)
        return PETAL_E_MEMORY;
    petal_filter *view;
    const int rc = petal_view(bytes, len, PETAL_COPY, &view);
    petal_free(view);
    return rc;
}

static petal_options options_before(petal_kind kind)
{
    return options_with_room(kind, 50, 1000);
}

static int importing(petal_filter *f, const char *path)
{
    (void)path;
    const petal_kind kind = petal_shape_of(f)->kind;
    if (!(petal_abilities(kind) & PETAL_CAN_IMPORT))
        return PETAL_OK;
    const petal_options o = options_before(kind);
    size_t len;
    const void *cells = petal_cells(f, &len);
    petal_filter *g;
    const int rc = petal_import(&o, cells, len, &g);
    petal_free(g);
    return rc;
}

static int read_foreign(petal_kind kind, const uint8_t *bytes, size_t len)
{
    petal_filter *g;
    const int rc = petal_read_foreign(&(petal_options){ .kind = kind }, bytes, len, &g);
    assert_true((g == NULL) == (rc < 0));
    petal_free(g);
    return rc;
}

/* What another program wrote: said to be of its kind, recognized, and with data after it,
 * which some programs have. */
static int exchanging(petal_filter *f, const char *path)
{
    (void)path;
    const petal_kind kind = petal_shape_of(f)->kind;
    const int64_t len = petal_write_foreign(f, NULL, 0);
    if (len < 0)
        return PETAL_OK;
    uint8_t *bytes = calloc((size_t)len + 5, 1);
    assert_non_null(bytes);
    petal_write_foreign(f, bytes, (size_t)len);
    int rc = read_foreign(kind, bytes, (size_t)len);
    if (rc == PETAL_OK)
        rc = read_foreign(PETAL_DEFAULT, bytes, (size_t)len);
    const int with_data =
        rc == PETAL_OK ? read_foreign(kind, bytes, (size_t)len + 5) : PETAL_OK;
    free(bytes);
    return with_data == PETAL_E_MEMORY ? with_data : rc;
}

static int saving_and_mapping(petal_filter *f, const char *path)
{
    int rc = petal_save(f, path);
    petal_filter *g = NULL;
    if (rc == PETAL_OK)
        rc = petal_open(path, 0, &g);
    petal_free(g);
    return rc;
}

static int saving_and_loading(petal_filter *f, const char *path)
{
    int rc = petal_save(f, path);
    petal_filter *g = NULL;
    if (rc == PETAL_OK)
        rc = petal_open(path, PETAL_COPY, &g);
    petal_free(g);
    return rc;
}

/* Adds a key that makes a filter grow if it can; others have room for it. */
static int adding(petal_filter *f, const char *path)
{
    (void)path;
    return petal_add_int(f, 999);
}

static int describing(petal_filter *f, const char *path)
{
    (void)path;
    char text[2000];
    petal_describe(f, text, sizeof text);
    return petal_verify(f, NULL) == PETAL_E_UNSEALED ? petal_seal(f) : PETAL_OK;
}

static petal_filter *before(petal_kind kind)
{
    fail_from(0, false);
    petal_filter *f = filter_made(options_before(kind));
    assert_int_equal(petal_set_note(f, "label", "before"), PETAL_OK);
    for (int64_t i = 0; i < 400; i++) {
        if (petal_size(f) == petal_shape_of(f)->capacity)
            break; /* full, but not yet grown */
        petal_add_int(f, i);
    }
    return f;
}

static void assert_unchanged(petal_filter *f, const petal_filter *was)
{
    size_t len, was_len;
    petal_filter *copy;
    fail_from(0, false);
    assert_int_equal(petal_copy(was, &copy), PETAL_OK);
    const void *a = petal_bytes(f, &len), *b = petal_bytes(copy, &was_len);
    assert_true(len == was_len);
    assert_memory_equal(a, b, len);
    petal_free(copy);
}

/* A copy has no room for more notes, so its image needs a new place. */
static int noting(petal_filter *f, const char *path)
{
    (void)path;
    char text[4000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    petal_filter *copy;
    int rc = petal_copy(f, &copy);
    if (rc < 0)
        return rc;
    rc = petal_set_note(copy, "label", text);
    if (rc == PETAL_E_MEMORY)
        assert_unchanged(copy, f);
    petal_free(copy);
    return rc;
}

static void any_allocation_may_fail(void **state)
{
    static scenario *const scenarios[] = { making,
                                           copying,
                                           viewing,
                                           viewing_a_copy,
                                           importing,
                                           exchanging,
                                           saving_and_mapping,
                                           saving_and_loading,
                                           adding,
                                           describing,
                                           noting };
    const char *path = in_folder(*state, "filter.petal");
    unsigned failures = 0;
    for_every_kind(kind) {
        for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
            for (int for_good = 0; for_good < 2; for_good++) {
                int rc = PETAL_E_MEMORY;
                for (uint64_t call = 1; rc == PETAL_E_MEMORY; call++) {
                    petal_filter *f = before(kind), *was = before(kind);
                    fail_from(call, for_good);
                    rc = scenarios[i](f, path);
                    assert_true(rc >= 0 || rc == PETAL_E_MEMORY);
                    failures += rc == PETAL_E_MEMORY;
                    if (rc == PETAL_E_MEMORY)
                        assert_unchanged(f, was);
                    petal_free(f);
                    petal_free(was);
                    assert_true(host.blocks == 0);
                }
            }
        }
    }
    /* creating, copying, viewing and mapping allocate memory for every kind */
    assert_true(failures >= 2 * 4 * kinds_there_are());
}

/* Without memory to sort them by region, keys are still added. */
static void bulk_additions_need_no_memory(void **state)
{
    (void)state;
    enum { N = 1100000 };
    static uint64_t hashes[N];
    random_state random = { 1 };
    for (size_t i = 0; i < N; i++)
        hashes[i] = random_next(&random);
    petal_filter *filters[2];
    for (uint64_t call = 0; call < 2; call++) {
        fail_from(0, false);
        filters[call] = filter_made((petal_options){ .capacity = N, .threads = 2 });
        fail_from(call, true);
        assert_true(petal_add_hashes(filters[call], hashes, N, NULL) > N * 9 / 10);
        assert_true(petal_size(filters[call]) == petal_size(filters[0]));
        assert_true(call == 0 || host.calls >= 1); /* one allocation did fail */
    }
    fail_from(0, false);
    size_t len;
    const void *cells = petal_cells(filters[0], &len);
    assert_memory_equal(petal_cells(filters[1], &len), cells, len);
    petal_free(filters[0]);
    petal_free(filters[1]);
}

/* A false length is rejected before anything is allocated.  A valid image takes its length.
 */
static void no_image_allocates_more_than_its_length(void **state)
{
    (void)state;
    for_every_kind(kind) {
        petal_filter *f = before(kind), *g;
        size_t len;
        const uint8_t *bytes = petal_bytes(f, &len);
        uint8_t *copy = malloc(len);
        assert_non_null(copy);
        memcpy(copy, bytes, len);
        host.largest = 0;
        assert_int_equal(petal_view(copy, len, PETAL_COPY, &g), PETAL_OK);
        assert_true(host.largest <= len + 65536);
        petal_free(g);
        copy[30] = 0x7F; /* about 2^55 bits */
        host.calls = 0;
        assert_true(petal_view(copy, len, PETAL_COPY, &g) < 0);
        assert_true(host.calls == 0);
        free(copy);
        petal_free(f);
    }
}

static void a_filter_that_does_not_fit_into_memory_is_rejected(void **state)
{
    (void)state;
    petal_filter *f;
    petal_set_allocator(NULL, NULL);
    const petal_options o = { .kind = PETAL_CLASSIC,
                              .bits = (uint64_t)1 << 43,
                              .hashes = 1 };
    const int rc = petal_new(&o, &f); /* 1 TiB: the system may promise that much */
    assert_true(rc == PETAL_E_MEMORY || rc == PETAL_OK);
    assert_true((f == NULL) == (rc == PETAL_E_MEMORY));
    petal_free(f);
    petal_free(NULL);
}

/* ---- Huge pages ---- */

/* Is the mapping of this address marked for huge pages (hg)? */
static bool requests_huge_pages(const void *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[4352];
    bool mine = false, lookups = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long first, end;
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            mine = (uintptr_t)address >= first && (uintptr_t)address < end;
        else if (mine && strncmp(line, "VmFlags:", 8) == 0)
            lookups = strstr(line, " hg");
    }
    fclose(maps);
    return lookups;
}

/* Created, loaded and mapped filters request them if they are large. */
static void large_filters_request_huge_pages(void **state)
{
    const char *path = in_folder(*state, "large.petal");
    petal_set_allocator(NULL, NULL);
#ifdef _WIN32 /* Linux may be below */
    puts("skipped: makes no sense: Windows has no transparent huge pages");
    skip();
#endif
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) < 0) {
        puts("skipped: huge pages: this kernel has none");
        skip();
    }
    size_t len;
    petal_filter *f = filter_made((petal_options){ .bits = (uint64_t)10 << 23 });
    assert_false(requests_huge_pages((const uint8_t *)petal_cells(f, &len) + len / 2));
    petal_free(f);
    f = filter_made((petal_options){ .bits = (uint64_t)20 << 23 });
    const uint8_t *bytes = petal_bytes(f, &len);
    assert_true((uintptr_t)bytes % ((size_t)2 << 20) == 0);
    assert_true(requests_huge_pages(bytes + len / 2));
    assert_int_equal(petal_save(f, path), PETAL_OK);
    petal_free(f);
    for (unsigned copy = 0; copy < 2; copy++) {
        assert_int_equal(petal_open(path, copy ? PETAL_COPY : 0, &f), PETAL_OK);
        assert_true(requests_huge_pages((const uint8_t *)petal_cells(f, &len) + len / 2));
        petal_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(large_filters_request_huge_pages, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(any_allocation_may_fail, use_host, leave_host),
        cmocka_unit_test_setup_teardown(bulk_additions_need_no_memory, use_host,
                                        leave_host),
        cmocka_unit_test_setup_teardown(no_image_allocates_more_than_its_length, use_host,
                                        leave_host),
        cmocka_unit_test_setup_teardown(a_filter_that_does_not_fit_into_memory_is_rejected,
                                        use_host, leave_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
