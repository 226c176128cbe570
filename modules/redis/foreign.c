/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foreign.c: filters of RedisBloom, in its own formats.
 *
 * A server can change from RedisBloom to petal by a restart, and back.  Filters that come
 * from its RDB file, AOF, DUMP or BF.SCANDUMP keep their bits, and the library hashes their
 * keys as RedisBloom does.  They are values of RedisBloom's type, so they are saved in its
 * format again.
 *
 * As chunks, a filter is a header and then the bits of all links, one after the other.
 * Chunks never have bits of two links.  The number of a chunk is 1 plus the bits up to and
 * including it, in bytes.  In RDB files the same fields follow each other in another order,
 * each with its type.
 */
#include "foreign.h"

#include "chunks.h"
#include "parts.h"
#include "petal_exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHAIN_LEN 20 /* of the header: size u64, links u32, options u32, growth u32 */
#define LINK_LEN  53 /* and of each link in it: see struct link */
#define LINKS_MAX 4096
#define FORCE64   4 /* an option */

struct link {
    uint64_t bytes, bits, size;
    uint64_t error, per_key; /* doubles */
    uint32_t hashes;
    uint64_t capacity;
    uint8_t n2;
};

/* ---- Bytes ---- */

static uint64_t bytes_get(const uint8_t *at, unsigned n)
{
    uint64_t number = 0;
    while (n-- > 0)
        number = number << 8 | at[n];
    return number;
}

static void bytes_put(uint8_t *at, uint64_t number, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

static double double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static struct link link_get(const uint8_t *at)
{
    return (struct link){ .bytes = bytes_get(at, 8),
                          .bits = bytes_get(at + 8, 8),
                          .size = bytes_get(at + 16, 8),
                          .error = bytes_get(at + 24, 8),
                          .per_key = bytes_get(at + 32, 8),
                          .hashes = (uint32_t)bytes_get(at + 40, 4),
                          .capacity = bytes_get(at + 44, 8),
                          .n2 = at[52] };
}

static void link_put(uint8_t *at, const struct link *link)
{
    bytes_put(at, link->bytes, 8);
    bytes_put(at + 8, link->bits, 8);
    bytes_put(at + 16, link->size, 8);
    bytes_put(at + 24, link->error, 8);
    bytes_put(at + 32, link->per_key, 8);
    bytes_put(at + 40, link->hashes, 4);
    bytes_put(at + 44, link->capacity, 8);
    at[52] = link->n2;
}

/* ---- The whole filter as bytes ---- */

struct dump {
    uint8_t *bytes;
    size_t len, head_len;
    uint32_t links;
};

static const uint8_t *dump_link(const struct dump *dump, uint32_t i)
{
    return dump->bytes + CHAIN_LEN + (size_t)i * LINK_LEN;
}

/* The caller frees dump.bytes. */
static struct dump dump_of(const petal_filter *filter)
{
    struct dump dump = { .len = (size_t)petal_write_foreign(filter, NULL, 0) };
    dump.bytes = RedisModule_Alloc(dump.len);
    petal_write_foreign(filter, dump.bytes, dump.len);
    dump.links = (uint32_t)bytes_get(dump.bytes + 8, 4);
    dump.head_len = CHAIN_LEN + (size_t)dump.links * LINK_LEN;
    return dump;
}

petal_kind foreign_kind(void)
{
    static petal_kind kind;
    if (!kind)
        kind = petal_foreign_named("redisbloom");
    return kind;
}

bool foreign_is(const petal_filter *filter)
{
    const petal_shape *shape = petal_shape_of(filter);
    return shape->kind == foreign_kind() && shape->form == PETAL_FORM_RAW &&
           !petal_note_next(filter, NULL);
}

/* ---- Chunks ---- */

bool foreign_is_header(const void *bytes, size_t len, uint64_t *total)
{
    const uint8_t *header = bytes;
    *total = len;
    if (len < CHAIN_LEN + LINK_LEN || (len - CHAIN_LEN) % LINK_LEN != 0 ||
        bytes_get(header + 8, 4) != (len - CHAIN_LEN) / LINK_LEN)
        return false;
    for (size_t at = CHAIN_LEN; at < len; at += LINK_LEN) {
        const uint64_t some = bytes_get(header + at, 8);
        if (some > INT64_MAX - *total)
            return false;
        *total += some;
    }
    return true;
}

size_t foreign_header_len(const void *bytes, size_t len, uint64_t total)
{
    uint64_t announced;
    if (len < CHAIN_LEN)
        return 0;
    const uint64_t head = CHAIN_LEN + bytes_get((const uint8_t *)bytes + 8, 4) * LINK_LEN;
    return head <= len && foreign_is_header(bytes, (size_t)head, &announced) &&
                   announced == total
               ? (size_t)head
               : 0;
}

/* The bits that follow this position, up to the end of a link.  0 if there are none. */
static size_t dump_some(const struct dump *dump, uint64_t at)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < dump->links; i++) {
        end += bytes_get(dump_link(dump, i), 8);
        if (at < end)
            return end - at < PART_MAX ? (size_t)(end - at) : PART_MAX;
    }
    return 0;
}

bool foreign_next(RedisModuleCtx *ctx, const petal_filter *filter, uint64_t number)
{
    const struct dump dump = dump_of(filter);
    const uint64_t at = number - 1;
    const size_t len = number > 0 ? dump_some(&dump, at) : dump.head_len;
    if (number == 0)
        reply_chunk(ctx, 1, (char *)dump.bytes, len);
    else if (len > 0)
        reply_chunk(ctx, number + len, (char *)dump.bytes + dump.head_len + at, len);
    RedisModule_Free(dump.bytes);
    return len > 0;
}

int foreign_debug(RedisModuleCtx *ctx, const petal_filter *filter)
{
    const struct dump dump = dump_of(filter);
    const int width = bytes_get(dump.bytes + 12, 4) & FORCE64 ? 64 : 32;
    char text[256];
    RedisModule_ReplyWithArray(ctx, (long)dump.links + 1);
    snprintf(text, sizeof text, "size:%" PRIu64, bytes_get(dump.bytes, 8));
    RedisModule_ReplyWithStringBuffer(ctx, text, strlen(text));
    for (uint32_t i = 0; i < dump.links; i++) {
        const struct link link = link_get(dump_link(&dump, i));
        snprintf(text, sizeof text,
                 "bytes:%" PRIu64 " bits:%" PRIu64 " hashes:%" PRIu32
                 " hashwidth:%d capacity:%" PRIu64 " size:%" PRIu64 " ratio:%g",
                 link.bytes, link.bits, link.hashes, width, link.capacity, link.size,
                 double_of(link.error));
        RedisModule_ReplyWithStringBuffer(ctx, text, strlen(text));
    }
    RedisModule_Free(dump.bytes);
    return REDISMODULE_OK;
}

void foreign_rewrite(RedisModuleIO *io, RedisModuleString *key, const petal_filter *filter)
{
    const struct dump dump = dump_of(filter);
    RedisModule_EmitAOF(io, "BF.LOADCHUNK", "slb", key, 1LL, dump.bytes, dump.head_len);
    uint64_t at = 0;
    for (size_t len; (len = dump_some(&dump, at)) > 0; at += len)
        RedisModule_EmitAOF(io, "BF.LOADCHUNK", "slb", key,
                            (long long)at + (long long)len + 1,
                            dump.bytes + dump.head_len + at, len);
    RedisModule_Free(dump.bytes);
}

/* ---- RDB files ---- */

void foreign_save(RedisModuleIO *io, const petal_filter *filter)
{
    const struct dump dump = dump_of(filter);
    const uint8_t *bits = dump.bytes + dump.head_len;
    RedisModule_SaveUnsigned(io, bytes_get(dump.bytes, 8));
    RedisModule_SaveUnsigned(io, dump.links);
    RedisModule_SaveUnsigned(io, bytes_get(dump.bytes + 12, 4));
    RedisModule_SaveUnsigned(io, bytes_get(dump.bytes + 16, 4));
    for (uint32_t i = 0; i < dump.links; i++) {
        const struct link link = link_get(dump_link(&dump, i));
        RedisModule_SaveUnsigned(io, link.capacity);
        RedisModule_SaveDouble(io, double_of(link.error));
        RedisModule_SaveUnsigned(io, link.hashes);
        RedisModule_SaveDouble(io, double_of(link.per_key));
        RedisModule_SaveUnsigned(io, link.bits);
        RedisModule_SaveUnsigned(io, link.n2);
        RedisModule_SaveStringBuffer(io, (const char *)bits, (size_t)link.bytes);
        RedisModule_SaveUnsigned(io, link.size);
        bits += link.bytes;
    }
    RedisModule_Free(dump.bytes);
}

/* What was read so far, as bytes: the header, which is complete at the end, and the bits.
 */
struct reading {
    uint8_t *bytes;
    size_t len;
    uint32_t links;
};

static void reading_put(struct reading *r, const void *bytes, size_t len)
{
    r->bytes = RedisModule_Realloc(r->bytes, r->len + len);
    memcpy(r->bytes + r->len, bytes, len);
    r->len += len;
}

static bool reading_chain(struct reading *r, RedisModuleIO *io)
{
    const uint64_t size = RedisModule_LoadUnsigned(io),
                   links = RedisModule_LoadUnsigned(io),
                   options = RedisModule_LoadUnsigned(io),
                   growth = RedisModule_LoadUnsigned(io);
    if (RedisModule_IsIOError(io) || links == 0 || links > LINKS_MAX ||
        options > UINT32_MAX || growth > UINT32_MAX)
        return false;
    r->links = (uint32_t)links;
    r->len = CHAIN_LEN + (size_t)links * LINK_LEN;
    r->bytes = RedisModule_Calloc(1, r->len);
    bytes_put(r->bytes, size, 8);
    bytes_put(r->bytes + 8, links, 4);
    bytes_put(r->bytes + 12, options, 4);
    bytes_put(r->bytes + 16, growth, 4);
    return true;
}

static bool reading_link(struct reading *r, uint32_t i, RedisModuleIO *io)
{
    struct link link = { .capacity = RedisModule_LoadUnsigned(io) };
    link.error = bits_of(RedisModule_LoadDouble(io));
    const uint64_t hashes = RedisModule_LoadUnsigned(io);
    link.per_key = bits_of(RedisModule_LoadDouble(io));
    link.bits = RedisModule_LoadUnsigned(io);
    const uint64_t n2 = RedisModule_LoadUnsigned(io);
    size_t len = 0;
    char *bits = RedisModule_IsIOError(io) ? NULL : RedisModule_LoadStringBuffer(io, &len);
    if (!bits)
        return false;
    reading_put(r, bits, len);
    RedisModule_Free(bits);
    link.bytes = len;
    link.hashes = (uint32_t)hashes;
    link.n2 = (uint8_t)n2;
    link.size = RedisModule_LoadUnsigned(io);
    link_put(r->bytes + CHAIN_LEN + (size_t)i * LINK_LEN, &link);
    return !RedisModule_IsIOError(io) && hashes <= UINT32_MAX && n2 <= UINT8_MAX;
}

static int reading_all(struct reading *r, RedisModuleIO *io, petal_filter **filter)
{
    const size_t limit = filter_limit_reading(io);
    bool good = reading_chain(r, io);
    for (uint32_t i = 0; good && i < r->links; i++) {
        good = reading_link(r, i, io);
        if (r->len > limit)
            return FILTER_E_LIMIT;
    }
    if (!good)
        return RedisModule_IsIOError(io) ? PETAL_E_TRUNCATED : PETAL_E_CORRUPT;
    return filter_from_foreign(r->bytes, r->len, limit, filter);
}

petal_filter *foreign_load(RedisModuleIO *io, int version)
{
    if (version != FOREIGN_VERSION) {
        RedisModule_LogIOError(
            io, "warning",
            "cannot load a filter of type %s in version %d; save it again "
            "with a newer RedisBloom, which writes version %d",
            FOREIGN_TYPE, version, FOREIGN_VERSION);
        return NULL;
    }
    struct reading reading = { 0 };
    petal_filter *filter = NULL;
    const int rc = reading_all(&reading, io, &filter);
    if (rc < 0)
        RedisModule_LogIOError(io, "warning", "cannot load a filter of RedisBloom: %s",
                               filter_error(rc) + strlen("ERR "));
    RedisModule_Free(reading.bytes);
    return filter;
}
