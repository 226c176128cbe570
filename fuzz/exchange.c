/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange.c: fuzzes the readers of other programs' filters: any bytes give a filter or an
 * error, whatever program they are said to be from.  A filter that was read is written
 * again as it was, and can be used like any other (G3).
 *
 * Most mutations change the length, so that the sizes in the header are wrong.  Half of the
 * inputs get the sizes that their length allows.
 */
#include "host.h"
#include "kinds/foreign/foreign.h"
#include "support.h"

#include <petal_exchange.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max_len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Where these programs have the number of 64-bit words, and the length of their headers. */
static void correct_words(uint8_t *data, size_t len, unsigned how)
{
    static const struct {
        size_t at, head;
    } places[] = { { 2, 6 }, { 8, 12 }, { 12, 16 } };
    const size_t i = how % 3;
    if (len > places[i].head)
        store_be32(data + places[i].at, (uint32_t)((len - places[i].head) / 8));
}

static void correct_bits(uint8_t *data, size_t len, unsigned how)
{
    if (how % 2 && len > 75) {
        store_le64(data + 19, 8 * (len - 75)); /* of a struct of 64 bytes after 11 */
        store_le64(data + 27, len - 75);
    } else if (len > 20 + 53) {
        store_le32(data + 8, 1); /* one link, whose array is the rest */
        store_le64(data + 20, len - 20 - 53);
        store_le64(data + 28, 8 * (len - 20 - 53));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned seed)
{
    len = LLVMFuzzerMutate(data, len, max_len);
    if (seed % 4 == 0)
        correct_words(data, len, seed / 4);
    if (seed % 4 == 1)
        correct_bits(data, len, seed / 4);
    return len;
}

/* Returns the length of what was written; the caller frees it. */
static size_t write_again(const petal_filter *f, uint8_t **bytes)
{
    const int64_t len = petal_write_foreign(f, NULL, 0);
    if (len <= 0 || !(*bytes = malloc((size_t)len)) ||
        petal_write_foreign(f, *bytes, (size_t)len) != len)
        abort();
    return (size_t)len;
}

/* The number of keys at the beginning of a chain is counted again, so it may differ. */
static bool as_it_was(const petal_filter *f, const uint8_t *again, const uint8_t *data,
                      size_t len)
{
    const unsigned able = petal_abilities(petal_shape_of(f)->kind);
    const size_t start = able & PETAL_CAN_GROW ? 8 : 0;
    return memcmp(again + start, data + start, len - start) == 0;
}

static void check_writing(const petal_filter *f, const uint8_t *data, size_t len)
{
    uint8_t *again, *twice;
    const size_t again_len = write_again(f, &again);
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_NEEDS_KEYS &&
        (again_len != len || !as_it_was(f, again, data, len)))
        abort(); /* other kinds may write a shorter header */
    petal_filter *g;
    const petal_options options = { .kind = petal_shape_of(f)->kind };
    if (petal_read_foreign(&options, again, again_len, &g) != PETAL_OK ||
        write_again(g, &twice) != again_len || memcmp(again, twice, again_len) != 0)
        abort(); /* we read what we write */
    petal_free(g);
    free(again);
    free(twice);
}

static void use(petal_filter *f, const uint8_t *data, size_t len)
{
    char text[4096];
    uint64_t cells[16];
    petal_stats stats;
    petal_stats_of(f, &stats);
    petal_describe(f, text, sizeof text);
    petal_fpr(petal_shape_of(f), 10);
    for (size_t i = 0; i + 8 <= len && i < 256; i += 8) {
        const size_t key_len = data[i] % 9;
        const bool found = petal_contains(f, data + i, key_len);
        if ((petal_count(f, data + i, key_len) > 0) != found)
            abort();
        if (petal_probes_of(f, data + i, key_len, cells, NULL, 16) > 64 * 64)
            abort();
        if (petal_add(f, data + i, key_len) >= 0 && !petal_contains(f, data + i, key_len))
            abort(); /* a false negative */
    }
    petal_filter *copy, *back;
    if (petal_copy(f, &copy) != PETAL_OK)
        return;
    if (petal_union(copy, f) < 0 &&
        petal_abilities(petal_shape_of(f)->kind) & PETAL_CAN_MERGE)
        abort();
    size_t again;
    const void *bytes = petal_bytes(copy, &again);
    if (petal_view(bytes, again, 0, &back) != PETAL_OK)
        abort(); /* its image is sound */
    petal_free(back);
    petal_clear(copy);
    petal_free(copy);
}

static void read_as(petal_kind kind, const uint8_t *data, size_t len)
{
    /* the form depends on the input, too */
    const petal_form form = len && petal_form_name((petal_form)(data[len - 1] % 16))
                                ? (petal_form)(data[len - 1] % 16)
                                : PETAL_FORM_RAW;
    const petal_options options = { .kind = kind, .form = form };
    petal_filter *f;
    host_begins(len);
    const int rc = petal_read_foreign(&options, data, len, &f);
    host.reading = false;
    if (rc != PETAL_OK) {
        if (f || rc == PETAL_E_MEMORY)
            abort();
        return;
    }
    host.most = (size_t)1 << 24;
    check_writing(f, data, len);
    use(f, data, len);
    petal_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    read_as(PETAL_DEFAULT, data, len);
    for_every_kind(kind)
        if (petal_foreign_name(kind))
            read_as(kind, data, len);
    return 0;
}
