/*
 * ip.c: IPv4 and IPv6 addresses, and prefixes of them.
 *
 * "203.0.113.7", "2001:db8::1", "203.0.113.0/24".  What is hashed are the 4 or 16 bytes
 * of the address, with the bits after the prefix zero, and one byte with the length of the
 * prefix.  An IPv4 address written as IPv6 (::ffff:203.0.113.7) is the IPv4 address.  An
 * address is covered by every prefix around it: the class of a key is the length of its
 * prefix, 0 to 32 for IPv4, 33 + 0 to 128 for IPv6.
 *
 * IPv4 with leading zeros, which some read as octal, is refused.
 *
 *   RFC 4291 and RFC 5952: how IPv6 addresses are written.  RFC 4632: prefixes.
 */
#include "form.h"

#include <stdio.h>

#define CLASS_6   33 /* the class of ::/0 */
#define CLASS_END (CLASS_6 + 129)

/* ---- Reading ---- */

/* A decimal number of at most so many digits, without leading zeros. */
static bool ip_number(const uint8_t **at, const uint8_t *end, unsigned digits, unsigned *n)
{
    const uint8_t *start = *at;
    *n = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - start < (ptrdiff_t)digits)
        *n = *n * 10 + (unsigned)(*(*at)++ - '0');
    return *at > start && (*at - start == 1 || *start != '0');
}

bool petal__ip_read4(const uint8_t *text, size_t len, uint8_t address[4])
{
    const uint8_t *at = text, *end = text + len;
    for (int i = 0; i < 4; i++) {
        unsigned n;
        if (i > 0 && (at == end || *at++ != '.'))
            return false;
        if (!ip_number(&at, end, 3, &n) || n > 255)
            return false;
        address[i] = (uint8_t)n;
    }
    return at == end;
}

static int ip_hex(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Up to four hexadecimal digits: two bytes. */
static bool ip_group(const uint8_t **at, const uint8_t *end, uint8_t bytes[2])
{
    const uint8_t *start = *at;
    unsigned n = 0;
    while (*at < end && ip_hex(**at) >= 0 && *at - start < 4)
        n = n << 4 | (unsigned)ip_hex(*(*at)++);
    bytes[0] = (uint8_t)(n >> 8);
    bytes[1] = (uint8_t)n;
    return *at > start;
}

/* Put the bytes after a "::" at the end, zeros before them. */
static bool ip_close_gap(uint8_t address[16], size_t len, size_t gap)
{
    if (gap == SIZE_MAX)
        return len == 16;
    if (len > 14) /* the gap must stand for something */
        return false;
    memmove(address + 16 - (len - gap), address + gap, len - gap);
    memset(address + gap, 0, 16 - len);
    return true;
}

bool petal__ip_read6(const uint8_t *text, size_t len, uint8_t address[16])
{
    const uint8_t *at = text, *end = text + len;
    size_t got = 0, gap = SIZE_MAX;
    if (end - at >= 2 && at[0] == ':' && at[1] == ':') {
        gap = 0;
        at += 2;
    }
    while (at < end) {
        if (got == 16)
            return false;
        const uint8_t *start = at;
        if (!ip_group(&at, end, address + got))
            return false;
        if (at < end && *at == '.') { /* the last four bytes as IPv4 has them */
            if (got > 12 || !petal__ip_read4(start, (size_t)(end - start), address + got))
                return false;
            got += 4;
            break;
        }
        got += 2;
        if (at == end)
            break;
        if (*at++ != ':' || at == end)
            return false;
        if (*at == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = got;
            at++;
        }
    }
    return ip_close_gap(address, got, gap);
}

/* ---- Writing ---- */

/* The longest run of zero groups, the first of equals; it is worth "::" from two on. */
static size_t ip_longest_gap(const uint8_t *address, size_t *groups)
{
    size_t best = 8, best_len = 1;
    for (size_t i = 0; i < 8; i++) {
        size_t n = 0;
        while (i + n < 8 && !address[2 * (i + n)] && !address[2 * (i + n) + 1])
            n++;
        if (n > best_len) {
            best = i;
            best_len = n;
        }
    }
    *groups = best < 8 ? best_len : 0;
    return best;
}

size_t petal__ip_write(const uint8_t *address, size_t len, char text[48])
{
    if (len == 4)
        return (size_t)snprintf(text, 48, "%u.%u.%u.%u", address[0], address[1], address[2],
                                address[3]);
    size_t groups, out = 0;
    const size_t gap = ip_longest_gap(address, &groups);
    for (size_t i = 0; i < 8; i++) {
        if (i == gap) {
            out += (size_t)snprintf(text + out, 48 - out, "::");
            i += groups - 1;
            continue;
        }
        const unsigned group = (unsigned)address[2 * i] << 8 | address[2 * i + 1];
        const bool colon = i > 0 && text[out - 1] != ':';
        out += (size_t)snprintf(text + out, 48 - out, "%s%x", colon ? ":" : "", group);
    }
    return out;
}

/* ---- The form ---- */

/* The first bits of an address, the others zero. */
static void ip_cut(uint8_t *address, size_t len, unsigned prefix)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned before = (unsigned)(8 * i);
        if (prefix <= before)
            address[i] = 0;
        else if (prefix < before + 8)
            address[i] &= (uint8_t)(0xff00u >> (prefix - before));
    }
}

static bool ip_is_mapped(const uint8_t address[16])
{
    static const uint8_t start[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    return memcmp(address, start, sizeof start) == 0;
}

static void ip_key(struct form_key *key, size_t len, unsigned prefix)
{
    ip_cut(key->bytes, len, prefix);
    key->bytes[len] = (uint8_t)prefix;
    key->len = len + 1;
    key->cover = (len == 4 ? 0 : CLASS_6) + prefix;
}

static int ip_canonical(const uint8_t *text, size_t len, struct form_key *key)
{
    const uint8_t *slash = len ? memchr(text, '/', len) : NULL;
    const size_t address_len = slash ? (size_t)(slash - text) : len;
    unsigned prefix = 128;
    if (slash) {
        const uint8_t *at = slash + 1;
        if (!ip_number(&at, text + len, 3, &prefix) || at != text + len)
            return PETAL_E_KEY;
    }
    if (petal__ip_read4(text, address_len, key->bytes)) {
        if (slash && prefix > 32)
            return PETAL_E_KEY;
        ip_key(key, 4, slash ? prefix : 32);
        return PETAL_OK;
    }
    if (!petal__ip_read6(text, address_len, key->bytes) || prefix > 128)
        return PETAL_E_KEY;
    if (ip_is_mapped(key->bytes) && prefix >= 96) {
        memmove(key->bytes, key->bytes + 12, 4);
        ip_key(key, 4, prefix - 96);
    } else {
        ip_key(key, 16, prefix);
    }
    return PETAL_OK;
}

static size_t ip_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    char all[64];
    const unsigned prefix = bytes[len - 1];
    size_t n = petal__ip_write(bytes, len - 1, all);
    if (prefix < 8 * (len - 1))
        n += (size_t)snprintf(all + n, sizeof all - n, "/%u", prefix);
    return petal__form_plain_text((const uint8_t *)all, n, text, size);
}

/* From the narrowest to the widest. */
static size_t ip_asks(const struct form_key *key, const uint8_t *mask,
                      struct form_ask *asks)
{
    const size_t len = key->len - 1;
    const unsigned widest = len == 4 ? 0 : CLASS_6;
    size_t n = 0;
    for (unsigned cover = key->cover + 1; cover-- > widest;) {
        if (!mask_has(mask, cover))
            continue;
        struct form_ask *ask = &asks[n++];
        memcpy(ask->own, key->bytes, len);
        ip_cut(ask->own, len, cover - widest);
        ask->own[len] = (uint8_t)(cover - widest);
        ask->bytes = ask->own;
        ask->len = len + 1;
        ask->cover = cover;
    }
    return n;
}

static uint32_t ip_most(const uint8_t *mask)
{
    uint32_t n4 = 0, n6 = 0;
    for (unsigned cover = 0; cover < CLASS_END; cover++)
        *(cover < CLASS_6 ? &n4 : &n6) += mask_has(mask, cover);
    return n4 > n6 ? n4 : n6;
}

static bool ip_is_class(unsigned cover)
{
    return cover < CLASS_END;
}

const struct petal_form_ops petal__form_ip = {
    .form = PETAL_FORM_IP,
    .name = "ip",
    .covers = 8,
    .canonical = ip_canonical,
    .text = ip_text,
    .asks = ip_asks,
    .most = ip_most,
    .is_class = ip_is_class,
};
