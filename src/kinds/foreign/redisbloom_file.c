/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * redisbloom_file.c: a RedisBloom filter as BF.SCANDUMP returns it: a header, and then the
 * arrays of all links.
 *
 * The header is little-endian and packed.  For the chain it has the number of keys (u64),
 * the number of links, the options and the growth (u32 each).  For each link it has bytes,
 * bits and keys (u64), the rate and the bits per key (f64), the number of probes (u32), the
 * capacity (u64) and n2 (u8).
 */
#include "kinds/foreign/redisbloom.h"

#define CHAIN_HEAD 20
#define LINK_HEAD  53

static struct link redisbloom_file_link(const uint8_t *at)
{
    return (struct link){ .bits = load_le64(at + 8),
                          .keys = load_le64(at + 16),
                          .error = load_le_double(at + 24),
                          .per_key = load_le_double(at + 32),
                          .hashes = load_le32(at + 40),
                          .capacity = load_le64(at + 44),
                          .n2 = at[52] };
}

static uint64_t redisbloom_file_link_bytes(const struct link *link)
{
    return round_up(link->bits, 8) / 8;
}

/* Adds a link to what the shape says.  Returns 0 or an error. */
static int redisbloom_file_read_link(petal_filter *f, const uint8_t *at, uint64_t *body)
{
    const struct link link = redisbloom_file_link(at);
    if (load_le64(at) != redisbloom_file_link_bytes(&link) && link.bits <= PETAL__BITS_MAX)
        return PETAL_E_CORRUPT;
    if (!petal__redisbloom_link_fits(&link) ||
        link_room(&link) > PETAL__BITS_MAX - f->shape.bits ||
        link.capacity > PETAL__BITS_MAX - f->shape.capacity)
        return PETAL_E_SHAPE;
    if (f->shape.bits == 0) {
        f->shape.hashes = link.hashes;
        f->shape.capacity_first = link.capacity;
        f->shape.fpr = f->shape.growth ? link.error * 2 : link.error;
    }
    f->shape.bits += link_room(&link);
    f->shape.capacity += link.capacity;
    *body += redisbloom_file_link_bytes(&link);
    return PETAL_OK;
}

static int redisbloom_file_read(petal_filter *f, const uint8_t *bytes, size_t len)
{
    if (len < CHAIN_HEAD)
        return PETAL_E_TRUNCATED;
    const uint32_t links = load_le32(bytes + 8), options = load_le32(bytes + 12),
                   growth = load_le32(bytes + 16);
    if (links == 0 || links > LINKS_MAX || options > CHAIN_ALL || growth > 32768)
        return PETAL_E_FORMAT;
    const uint64_t head = CHAIN_HEAD + (uint64_t)links * LINK_HEAD;
    uint64_t body = 0;
    if (len < head)
        return PETAL_E_TRUNCATED;
    f->shape.hash = PETAL_HASH_FOREIGN;
    f->shape.growth = options & CHAIN_FIXED ? 0 : growth;
    for (uint32_t i = 0; i < links; i++) {
        const int rc =
            redisbloom_file_read_link(f, bytes + CHAIN_HEAD + (size_t)i * LINK_HEAD, &body);
        if (rc < 0)
            return rc;
    }
    if (f->shape.fpr >= 1)
        f->shape.fpr = 0.999;
    if (len - head != body)
        return len - head < body ? PETAL_E_TRUNCATED : PETAL_E_CORRUPT;
    f->stages = (uint8_t)links;
    f->keys = load_le64(bytes);
    f->counted = true;
    return f->keys <= PETAL__BITS_MAX ? PETAL_OK : PETAL_E_CORRUPT;
}

static void redisbloom_file_fill(petal_filter *f, const uint8_t *bytes, size_t len)
{
    const uint8_t *body = bytes + CHAIN_HEAD + (size_t)f->stages * LINK_HEAD;
    uint8_t *cells = f->cells;
    (void)len;                             /* checked by redisbloom_file_read() */
    memcpy(petal__tail(f), bytes + 12, 8); /* options and growth */
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct link link =
            redisbloom_file_link(bytes + CHAIN_HEAD + (size_t)i * LINK_HEAD);
        link_write(link_at(f, i), &link);
        memcpy(cells, body, (size_t)redisbloom_file_link_bytes(&link));
        body += redisbloom_file_link_bytes(&link);
        cells += link_room(&link) / 8;
    }
}

static void redisbloom_file_write_link(uint8_t *at, const struct link *link)
{
    store_le64(at, redisbloom_file_link_bytes(link));
    store_le64(at + 8, link->bits);
    store_le64(at + 16, link->keys);
    store_le_double(at + 24, link->error);
    store_le_double(at + 32, link->per_key);
    store_le32(at + 40, link->hashes);
    store_le64(at + 44, link->capacity);
    at[52] = (uint8_t)link->n2;
}

static size_t redisbloom_file_write(const petal_filter *f, uint64_t keys, uint8_t *bytes,
                                    size_t size)
{
    const size_t head = CHAIN_HEAD + (size_t)f->stages * LINK_HEAD;
    size_t whole = head, first = 0;
    uint64_t sum = 0; /* of the keys of all links, as its loader expects */
    (void)keys;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct link link = link_read(link_at(f, i));
        whole += (size_t)redisbloom_file_link_bytes(&link);
        sum += link.keys;
    }
    if (size < whole)
        return whole;
    store_le64(bytes, sum);
    store_le32(bytes + 8, f->stages);
    memcpy(bytes + 12, petal__tail(f), 8);
    uint8_t *body = bytes + head;
    for (uint32_t i = 0; i < f->stages; i++) {
        const struct link link = link_read(link_at(f, i));
        redisbloom_file_write_link(bytes + CHAIN_HEAD + (size_t)i * LINK_HEAD, &link);
        memcpy(body, f->cells + first, (size_t)redisbloom_file_link_bytes(&link));
        body += redisbloom_file_link_bytes(&link);
        first += (size_t)(link_room(&link) / 8);
    }
    return whole;
}

const struct petal__foreign petal__redisbloom_foreign = { "redisbloom",
                                                          FULL(redisbloom_file_read),
                                                          FULL(redisbloom_file_fill),
                                                          FULL(redisbloom_file_write) };
