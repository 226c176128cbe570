/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host.c: normalizes the host of a URL.
 *
 * An IPv4 address in any notation becomes four decimal numbers.  A name is written in
 * lowercase letters, without leading, trailing or repeated dots.  A label with non-ASCII
 * letters is folded to lower case and encoded as Punycode.
 *
 *   RFC 3492: Punycode.
 */
#include "core/utf8.h"
#include "forms/address.h"
#include "forms/url/url.h"

/* Removes leading, trailing and repeated dots, and makes ASCII letters lowercase. */
static void host_tidy(struct piece *host)
{
    size_t n = 0;
    for (size_t i = 0; i < host->len; i++) {
        const uint8_t c = host->at[i];
        if (c == '.' && (n == 0 || host->at[n - 1] == '.'))
            continue;
        host->at[n++] = fold_ascii(c);
    }
    host->len = n > 0 && host->at[n - 1] == '.' ? n - 1 : n;
}

/* Parses one number of an IPv4 address: decimal, octal with a leading 0, or hexadecimal
 * with 0x. */
static bool host_number(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    unsigned base = 10;
    const uint8_t *p = *at;
    if (end - p > 1 && p[0] == '0') {
        base = (p[1] | 0x20) == 'x' ? 16 : 8;
        p += base == 16 ? 2 : 1;
    }
    const uint8_t *start = p;
    *value = 0;
    for (; p < end && *p != '.'; p++) {
        const int digit = url_hex(*p);
        if (digit < 0 || digit >= (int)base || *value > UINT32_MAX)
            return false;
        *value = *value * base + (unsigned)digit;
    }
    *at = p;
    return p > start || (base == 8 && p == start);
}

/* Accepts every notation that the old inet_aton() accepts: one to four numbers, of which
 * the last one fills all remaining bytes. */
static bool host_is_ipv4(struct piece host, uint8_t address[4])
{
    const uint8_t *at = host.at, *end = at + host.len;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t n;
        if (!host_number(&at, end, &n))
            return false;
        if (at == end) {
            if (n >> (8 * (4 - i)))
                return false;
            for (unsigned j = 4; j-- > i; n >>= 8)
                address[j] = (uint8_t)n;
            return true;
        }
        if (n > 255)
            return false;
        address[i] = (uint8_t)n;
        at++;
    }
    return false;
}

/* The constants are those of RFC 3492. */
static unsigned host_puny_adapt(uint32_t delta, uint32_t points, bool first)
{
    unsigned k = 0;
    delta = first ? delta / 700 : delta / 2;
    for (delta += delta / points; delta > 455; k += 36)
        delta /= 35;
    return k + 36 * delta / (delta + 38);
}

static bool host_puny_number(struct form_key *key, uint32_t q, unsigned bias)
{
    for (unsigned k = 36;; k += 36) {
        const unsigned t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        const unsigned digit = q < t ? q : t + (q - t) % (36 - t);
        if (!petal__url_put(key, (uint8_t)(digit < 26 ? 'a' + digit : '0' + digit - 26)))
            return false;
        if (q < t)
            return true;
        q = (q - t) / (36 - t);
    }
}

/* Encodes the characters of a label in ascending order, each as its distance from the
 * previous one. */
static bool host_puny_label(struct form_key *key, const uint32_t *c, size_t n)
{
    uint32_t next = 128, delta = 0;
    size_t done = 0;
    unsigned bias = 72;
    static const char prefix[] = "xn--";
    for (size_t i = 0; i < 4; i++)
        if (!petal__url_put(key, (uint8_t)prefix[i]))
            return false;
    for (size_t i = 0; i < n; i++)
        if (c[i] < 128) {
            if (!url_is_plain((uint8_t)c[i]) || !petal__url_put(key, (uint8_t)c[i]))
                return false;
            done++;
        }
    const size_t basic = done;
    if (basic > 0 && !petal__url_put(key, '-'))
        return false;
    while (done < n) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < n; i++)
            if (c[i] >= next && c[i] < least)
                least = c[i];
        delta += (least - next) * (uint32_t)(done + 1);
        next = least;
        for (size_t i = 0; i < n; i++) {
            delta += c[i] < next;
            if (c[i] != next)
                continue;
            if (!host_puny_number(key, delta, bias))
                return false;
            const bool first = done++ == basic;
            bias = host_puny_adapt(delta, (uint32_t)done, first);
            delta = 0;
        }
        delta++;
        next++;
    }
    return true;
}

#define LABEL_MAX 63 /* characters; a longer label is not a valid host name */

static bool host_is_idn(struct piece label)
{
    bool has_non_ascii = false;
    uint32_t c;
    for (size_t at = 0, n; at < label.len; at += n) {
        n = petal__utf8_get(label.at + at, label.len - at, &c);
        if (n == 0)
            return false;
        has_non_ascii |= n > 1;
    }
    return has_non_ascii;
}

/* Writes a label with non-ASCII letters in lower case, as Punycode unless folding made all
 * of it ASCII. */
static bool host_put_idn(struct form_key *key, struct piece label)
{
    uint32_t letters[LABEL_MAX];
    size_t n = 0;
    bool has_non_ascii = false;
    for (size_t at = 0; at < label.len; n++) {
        uint32_t c;
        if (n == LABEL_MAX)
            return false;
        at += petal__utf8_get(label.at + at, label.len - at, &c);
        letters[n] = petal__fold(c);
        has_non_ascii |= letters[n] >= 128;
    }
    if (has_non_ascii)
        return host_puny_label(key, letters, n);
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)letters[i];
        if (!petal__url_put_escaped(key, (struct piece){ &byte, 1 }))
            return false;
    }
    return true;
}

/* Writes the name label by label, so that an unusual label does not hide the domain it
 * belongs to. */
static bool host_put_name(struct form_key *key, struct piece host)
{
    for (;;) {
        const struct piece label = url_before(&host, '.', '.');
        if (!(host_is_idn(label) ? host_put_idn : petal__url_put_escaped)(key, label))
            return false;
        if (host.len == 0)
            return true;
        if (!petal__url_put(key, '.'))
            return false;
        host.at++;
        host.len--;
    }
}

/* Replaces the dots of other scripts by ASCII dots. */
static void host_map_dots(struct piece *host)
{
    size_t n = 0;
    uint32_t c;
    for (size_t at = 0, char_len; at < host->len; at += char_len) {
        char_len = petal__utf8_get(host->at + at, host->len - at, &c);
        if (char_len == 3 && (c == 0x3002 || c == 0xff0e || c == 0xff61)) {
            host->at[n++] = '.';
        } else {
            char_len = char_len ? char_len : 1;
            memmove(host->at + n, host->at + at, char_len);
            n += char_len;
        }
    }
    host->len = n;
}

static bool host_put_address(struct form_key *key, const uint8_t *address, size_t len)
{
    char text[48];
    const size_t n = petal__address_write(address, len, text);
    const bool six = len == 16;
    return (!six || petal__url_put(key, '[')) &&
           petal__url_put_escaped(key, (struct piece){ (uint8_t *)text, n }) &&
           (!six || petal__url_put(key, ']'));
}

bool petal__url_put_host(struct form_key *key, struct piece host)
{
    uint8_t address[16];
    if (host.len > 0 && host.at[0] == '[')
        return host.at[host.len - 1] == ']' &&
               petal__address_read6(host.at + 1, host.len - 2, address) &&
               host_put_address(key, address, 16);
    host_map_dots(&host);
    host_tidy(&host);
    if (host.len > 0 && host_is_ipv4(host, address))
        return host_put_address(key, address, 4);
    return host_put_name(key, host) && key->len > 0;
}
