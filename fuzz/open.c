/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open.c: fuzzes the validator: any bytes give a filter or a specific error, and afterwards
 * every call does bounded work (G3).
 *
 * Random bytes fail at the checksum of the header.  So half of the inputs get correct
 * checksums after they were mutated.
 */
#include "core/hash.h"
#include "core/portable.h"
#include "host.h"
#include "support.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max_len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Corrects the magic bytes, sometimes the length in the header, and the checksums. */
static void correct_sums(uint8_t *data, size_t len, unsigned how)
{
    if (len < 256 + 64 + 8)
        return;
    memcpy(data, "\x89PETAL\r\n", 8);
    if (how % 2)
        store_le64(data + 16, len);
    const size_t sections = load_le32(data + 112);
    if (sections && sections <= len - 256 - 8) {
        len -= sections;
        store_le64(data + 120, petal__checksum(data + len, sections, 0));
    }
    const size_t body = (len - 256 - 8) / 64 * 64; /* one chunk, since no input is longer */
    if (256 + body + 8 == len) {
        store_le64(data + 256 + body, petal__checksum(data + 256, body, 0));
        store_le64(data + 240, petal__checksum(data + 256 + body, 8, 0));
    }
    store_le64(data + 248, petal__checksum(data, 248, 0));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned seed)
{
    len = LLVMFuzzerMutate(data, len, max_len);
    if (seed % 2)
        correct_sums(data, len, seed / 2);
    return len;
}

/* Every note that is listed can be read, and every text that is accepted can be stored. */
static void use_notes(petal_filter *f, const uint8_t *data, size_t len)
{
    char text[4096];
    for (const char *name = NULL; (name = petal_note_next(f, name));) {
        const size_t text_len = petal_note(f, name, text, sizeof text);
        if (text_len == 0 || text_len != strlen(text))
            abort();
    }
    const size_t n = len < sizeof text ? len : sizeof text - 1;
    memcpy(text, data + len - n, n);
    text[n] = 0;
    if (petal_set_note(f, "fuzz", text) == PETAL_OK &&
        petal_note(f, "fuzz", NULL, 0) != strlen(text))
        abort();
    uint64_t id;
    if (petal_content_id(f, &id) == PETAL_OK && petal_verify(f, NULL) == PETAL_E_UNSEALED)
        abort();
}

static int count_fingerprint(void *n, const petal_fingerprint *fingerprint)
{
    if (fingerprint->copies == 0)
        abort();
    ++*(uint64_t *)n;
    return 0;
}

static void use(petal_filter *f, const uint8_t *data, size_t len, bool trusted)
{
    char text[4096];
    uint64_t cells[16], n = 0;
    petal_stats stats;
    petal_stats_of(f, &stats);
    const unsigned able = petal_abilities(petal_shape_of(f)->kind);
    const size_t most = able & PETAL_CAN_LIST ? 1 << 21 : 32 * 64; /* runs may be damaged */
    petal_fingerprints(f, NULL, count_fingerprint, &n);
    petal_describe(f, text, sizeof text);
    for (size_t i = 0; i + 8 <= len && i < 256; i += 8) {
        const uint64_t hash = load_le64(data + i);
        const bool found = petal_contains_hash(f, hash);
        if ((petal_count_hash(f, hash) > 0) != found)
            abort();
        petal_run run;
        petal_run_of(f, hash, 0, &run);
        if (petal_probes(f, hash, cells, NULL, 16) > most)
            abort();
        const int rc = petal_add_hash(f, hash);
        if (rc >= 0 && !petal_contains_hash(f, hash))
            abort(); /* a false negative */
        if (rc >= 0 && i % 3 == 0)
            petal_remove_hash(f, hash);
        if (able & PETAL_NEEDS_KEYS &&
            petal_probes_of(f, data + i, 8, cells, NULL, 16) > 4096)
            abort();
        if (petal_add(f, data + i, 8) >= 0 && !petal_contains(f, data + i, 8))
            abort();
    }
    petal_size(f);
    petal_fpr(petal_shape_of(f), 10);
    petal_verify(f, NULL);
    petal_filter *copy;
    if (petal_copy(f, &copy) == PETAL_OK) {
        const bool chain = able & PETAL_NEEDS_KEYS && petal_stages(f) > 1;
        if (petal_union(copy, f) == PETAL_OK && petal_intersect(copy, f) != PETAL_OK &&
            !trusted && !chain)
            abort();
        if (petal_compact(copy) < 0 && able & PETAL_CAN_COMPACT)
            abort();
        use_notes(copy, data, len);
        size_t again;
        const void *bytes = petal_bytes(copy, &again);
        petal_filter *back;
        if (petal_view(bytes, again, 0, &back) != PETAL_OK && !trusted)
            abort(); /* we read what we write, unless it was damaged and trusted */
        petal_free(back);
        petal_clear(copy);
        petal_free(copy);
    }
}

/* Options with which these bytes may be the cells of this kind: a number of probes that the
 * kind accepts, which is faster than a rate, and the bits, if they cannot be derived. */
static petal_options options_of_cells(petal_kind kind, size_t len, bool with_bits)
{
    static const uint32_t hashes[] = { 1, 8 };
    petal_options o = { .kind = kind, .bits = 4096 };
    for (size_t i = 0; i < 2 && !o.hashes; i++) {
        petal_options other = o;
        other.hashes = hashes[i];
        o = options_either(other, o);
    }
    o.bits = with_bits ? 8 * (uint64_t)len : 0;
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    /* the last byte chooses the way in; no check depends on it alone */
    const unsigned entry = len > 0 ? data[len - 1] : 0;
    petal_filter *f;
    int rc;
    host_begins(len);
    if (entry % 4 < 3) {
        rc = petal_view(data, len, entry >> 2 & 3, &f);
    } else { /* cells without a header */
        const petal_kind kind = (petal_kind)((entry >> 2 & 31) % kind_after_all());
        const petal_options o = options_of_cells(kind, len, entry & 128);
        rc = petal_import(&o, data, len, &f);
    }
    if ((rc == PETAL_OK) != (f != NULL))
        abort();
    host_has_read();
    if (f)
        use(f, data, len, entry % 4 < 3 && (entry >> 2 & PETAL_TRUST));
    petal_free(f);
    return 0;
}
