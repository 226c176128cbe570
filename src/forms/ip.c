/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ip.c: the form of IPv4 and IPv6 addresses and prefixes.
 *
 * Keys look like "203.0.113.7", "2001:db8::1" or "203.0.113.0/24".  The normalized key is
 * the 4 or 16 bytes of the address, with the bits after the prefix set to zero, followed by
 * one byte with the length of the prefix.  An IPv4 address written as IPv6
 * (::ffff:203.0.113.7) is normalized to the IPv4 address.
 *
 * The parents of an address are all prefixes that contain it.  The class of a key is the
 * length of its prefix: 0 to 32 for IPv4, 33 + 0 to 128 for IPv6.
 *
 *   RFC 4632: prefixes.
 */
#include "core/digits.h"
#include "core/form.h"
#include "forms/address.h"

#define CLASS_6   33 /* the class of ::/0 */
#define CLASS_END (CLASS_6 + 129)

/* Clears all bits after the prefix. */
static void ip_cut(uint8_t *address, size_t len, unsigned prefix)
{
    for (size_t i = prefix / 8; i < len; i++)
        address[i] &= i == prefix / 8 ? (uint8_t)(0xff00u >> prefix % 8) : 0;
}

static bool ip_is_mapped(const uint8_t address[16])
{
    static const uint8_t start[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    return memcmp(address, start, sizeof start) == 0;
}

static void ip_key(struct form_key *key, size_t len, unsigned prefix)
{
    ip_cut(key->buffer, len, prefix);
    key->buffer[len] = (uint8_t)prefix;
    key->bytes = key->buffer;
    key->len = len + 1;
    key->class_id = (len == 4 ? 0 : CLASS_6) + prefix;
}

/* Normalizes a text with a slash, or an IPv6 address. */
static int ip_normalize_other(const uint8_t *text, size_t len, struct form_key *key)
{
    const uint8_t *slash = len ? memchr(text, '/', len) : NULL;
    const size_t address_len = slash ? (size_t)(slash - text) : len;
    unsigned prefix = 128;
    if (slash) {
        const uint8_t *at = slash + 1;
        if (!petal__decimal(&at, text + len, 3, &prefix) || at != text + len)
            return PETAL_E_KEY;
    }
    if (petal__address_read4(text, address_len, key->buffer)) {
        if (slash && prefix > 32)
            return PETAL_E_KEY;
        ip_key(key, 4, slash ? prefix : 32);
        return PETAL_OK;
    }
    if (!petal__address_read6(text, address_len, key->buffer) || prefix > 128)
        return PETAL_E_KEY;
    if (ip_is_mapped(key->buffer) && prefix >= 96) {
        memmove(key->buffer, key->buffer + 12, 4);
        ip_key(key, 4, prefix - 96);
    } else {
        ip_key(key, 16, prefix);
    }
    return PETAL_OK;
}

static int ip_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    if (!petal__address_read4(text, len, key->buffer))
        return ip_normalize_other(text, len, key);
    ip_key(key, 4, 32);
    return PETAL_OK;
}

static size_t ip_text(const uint8_t *bytes, size_t len, char *text, size_t size)
{
    char all[64];
    const unsigned prefix = bytes[len - 1];
    size_t n = petal__address_write(bytes, len - 1, all);
    if (prefix < 8 * (len - 1)) {
        all[n++] = '/';
        n += petal__digits(prefix, 10, all + n);
    }
    return petal__form_plain_text((const uint8_t *)all, n, text, size);
}

/* Lists the longest prefix first. */
static size_t ip_lookups(const struct form_key *key, const uint8_t *mask,
                         struct form_lookups *lookups)
{
    const size_t len = key->len - 1;
    const unsigned first_class = len == 4 ? 0 : CLASS_6;
    size_t n = 0;
    for (unsigned end = key->class_id + 1; (end = mask_end(mask, end)) > first_class;
         end--) {
        const unsigned prefix = end - 1 - first_class;
        uint8_t *own = lookups->own[n];
        memcpy(own, key->buffer, sizeof lookups->own[n]);
        ip_cut(own, len, prefix);
        own[len] = (uint8_t)prefix;
        lookups->list[n++] = (petal_key){ own, len + 1 };
    }
    return n;
}

static uint32_t ip_lookups_max(const uint8_t *mask)
{
    uint32_t n4 = 0, n6 = 0;
    for (unsigned class_id = 0; class_id < CLASS_END; class_id++)
        *(class_id < CLASS_6 ? &n4 : &n6) += mask_has(mask, class_id);
    return n4 > n6 ? n4 : n6;
}

static bool ip_is_class(unsigned class_id)
{
    return class_id < CLASS_END;
}

const struct petal_form_ops petal__form_ip = {
    .form = PETAL_FORM_IP,
    .name = "ip",
    .match_lookups = 8,
    .normalize = ip_normalize,
    .text = ip_text,
    .lookups = ip_lookups,
    .lookups_max = ip_lookups_max,
    .is_class = ip_is_class,
};
