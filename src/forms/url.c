/*
 * url.c: URLs, canonical as for Google's Safe Browsing, version 4.
 *
 * The canonical form is host, path and query, without scheme, user, port and fragment:
 * "HTTP://user@Example.COM:80/a/./b//c?q#f" is "example.com/a/b/c?q".  Tabs and line ends
 * are dropped, escapes are undone until none is left, dots and slashes are tidied, any
 * spelling of an IPv4 address becomes four decimal numbers, and at last what is no
 * printing ASCII, "#" and "%" are escaped.  A host in other letters is folded to lower
 * case and written as Punycode, label by label.
 *
 * What covers a URL are up to five hosts (itself, and its last five to two components,
 * unless it is an address) with up to six paths (with and without query, and the first
 * four folders from the root): at most 30 in all, each one run of bytes within the
 * canonical form, because a host's end and a path's beginning meet.
 *
 * The class of a key, 8 bits: 3 for the host (0 an address, 1 to 5 components, 6 for more),
 * 1 for a query, 1 for a path that does not end in a slash, 3 for the depth of its folder
 * (7 for more).
 *
 *   Google: "Safe Browsing APIs (v4): URLs and hashing".
 *   RFC 3492: Punycode.  RFC 3986, 5.2.4: dots in paths.
 */
#include "form.h"

#define HOST_ADDRESS 0
#define HOST_LONG    6
#define HOST_SHIFT   5
#define QUERY        (1u << 4)
#define PLAIN_FILE   (1u << 3)
#define DEPTH_MAX    7
#define FOLDERS_MAX  4
#define HOSTS_MAX    5
#define PATHS_MAX    6

/* A piece of text; most steps shorten it in place. */
struct piece {
    uint8_t *at;
    size_t len;
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_alpha(uint8_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static int url_hex(uint8_t c)
{
    return is_digit(c)                              ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

/* ---- The text ---- */

/* Without fragment, tabs, line ends, and spaces at both ends. */
static struct piece url_trim(const uint8_t *text, size_t len, uint8_t *to)
{
    const uint8_t *fragment = memchr(text, '#', len);
    const uint8_t *end = fragment ? fragment : text + len;
    while (text < end && *text <= ' ')
        text++;
    while (end > text && end[-1] <= ' ')
        end--;
    struct piece p = { to, 0 };
    for (; text < end; text++)
        if (*text != '\t' && *text != '\r' && *text != '\n')
            to[p.len++] = *text;
    return p;
}

/* How long "scheme://" or "//" is, 0 if the text does not begin so. */
static size_t url_scheme(struct piece p)
{
    size_t n = 0;
    while (n < p.len && (is_alpha(p.at[n]) ||
                         (n > 0 && (is_digit(p.at[n]) || memchr("+-.", p.at[n], 3)))))
        n++;
    if (p.len >= 2 && memcmp(p.at, "//", 2) == 0)
        return 2;
    return n > 0 && p.len - n >= 3 && memcmp(p.at + n, "://", 3) == 0 ? n + 3 : 0;
}

/* Undo escapes until there are none.  As soon as the last three bytes are an escape they
 * become what it stands for, which may be the end of another one; escapes never overlap,
 * so that the order makes no difference, and the time is linear. */
static void url_unescape(struct piece *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->len; i++) {
        p->at[n++] = p->at[i];
        while (n >= 3 && p->at[n - 3] == '%' && url_hex(p->at[n - 2]) >= 0 &&
               url_hex(p->at[n - 1]) >= 0) {
            p->at[n - 3] = (uint8_t)(url_hex(p->at[n - 2]) << 4 | url_hex(p->at[n - 1]));
            n -= 2;
        }
    }
    p->len = n;
}

/* Everything before the first of these two characters; the rest stays in p. */
static struct piece url_before(struct piece *p, uint8_t a, uint8_t b)
{
    size_t n = 0;
    while (n < p->len && p->at[n] != a && p->at[n] != b)
        n++;
    const struct piece before = { p->at, n };
    p->at += n;
    p->len -= n;
    return before;
}

/* ---- Writing the canonical form ---- */

static bool url_put(struct form_key *key, uint8_t c)
{
    if (key->len == FORM_KEY_MAX)
        return false;
    key->bytes[key->len++] = c;
    return true;
}

static bool url_is_plain(uint8_t c)
{
    return c > ' ' && c < 127 && c != '#' && c != '%';
}

static bool url_put_escaped(struct form_key *key, struct piece p)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < p.len; i++) {
        const uint8_t c = p.at[i];
        const bool put = url_is_plain(c)
                             ? url_put(key, c)
                             : url_put(key, '%') && url_put(key, (uint8_t)digits[c >> 4]) &&
                                   url_put(key, (uint8_t)digits[c & 15]);
        if (!put)
            return false;
    }
    return true;
}

/* ---- Hosts ---- */

/* Without user and port.  False where what should be a port is none, or brackets hold no
 * address. */
static bool url_authority(struct piece *p, bool has_scheme)
{
    for (size_t i = p->len; i-- > 0;)
        if (p->at[i] == '@') {
            if (!has_scheme)
                return false; /* an e-mail address */
            p->at += i + 1;
            p->len -= i + 1;
            break;
        }
    size_t end = p->len;
    while (end > 0 && is_digit(p->at[end - 1]))
        end--;
    if (end > 0 && p->at[end - 1] == ':')
        p->len = end - 1;
    if (p->len > 0 && p->at[0] == '[')
        return true;
    for (size_t i = 0; i < p->len; i++)
        if (p->at[i] == ':' || p->at[i] == '[' || p->at[i] == ']')
            return false;
    return true;
}

/* No dots at the ends, no two in a row; ASCII letters small. */
static void url_tidy_host(struct piece *host)
{
    size_t n = 0;
    for (size_t i = 0; i < host->len; i++) {
        const uint8_t c = host->at[i];
        if (c == '.' && (n == 0 || host->at[n - 1] == '.'))
            continue;
        host->at[n++] = c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
    }
    host->len = n > 0 && host->at[n - 1] == '.' ? n - 1 : n;
}

/* One number of an IPv4 address: decimal, 0 octal, 0x hexadecimal. */
static bool url_number(const uint8_t **at, const uint8_t *end, uint64_t *value)
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

/* Any spelling that the old inet_aton() takes: one to four numbers, the last of which
 * stands for all bytes that are left. */
static bool url_host_is_ipv4(struct piece host, uint8_t address[4])
{
    const uint8_t *at = host.at, *end = at + host.len;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t n;
        if (!url_number(&at, end, &n))
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

/* RFC 3492, with its numbers. */
static unsigned puny_adapt(uint32_t delta, uint32_t points, bool first)
{
    unsigned k = 0;
    delta = first ? delta / 700 : delta / 2;
    for (delta += delta / points; delta > 455; k += 36)
        delta /= 35;
    return k + 36 * delta / (delta + 38);
}

static bool puny_number(struct form_key *key, uint32_t q, unsigned bias)
{
    for (unsigned k = 36;; k += 36) {
        const unsigned t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        const unsigned digit = q < t ? q : t + (q - t) % (36 - t);
        if (!url_put(key, (uint8_t)(digit < 26 ? 'a' + digit : '0' + digit - 26)))
            return false;
        if (q < t)
            return true;
        q = (q - t) / (36 - t);
    }
}

/* The characters of a label from the smallest up, each as the distance from the last. */
static bool puny_label(struct form_key *key, const uint32_t *c, size_t n)
{
    uint32_t next = 128, delta = 0;
    size_t done = 0;
    unsigned bias = 72;
    static const char prefix[] = "xn--";
    for (size_t i = 0; i < 4; i++)
        if (!url_put(key, (uint8_t)prefix[i]))
            return false;
    for (size_t i = 0; i < n; i++)
        if (c[i] < 128) {
            if (!url_is_plain((uint8_t)c[i]) || !url_put(key, (uint8_t)c[i]))
                return false;
            done++;
        }
    const size_t basic = done;
    if (basic > 0 && !url_put(key, '-'))
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
            if (!puny_number(key, delta, bias))
                return false;
            const bool first = done++ == basic;
            bias = puny_adapt(delta, (uint32_t)done, first);
            delta = 0;
        }
        delta++;
        next++;
    }
    return true;
}

#define LABEL_MAX 63 /* characters: a longer label is no name of a host */

static bool url_is_idn(struct piece label)
{
    bool other = false;
    uint32_t c;
    for (size_t at = 0, n; at < label.len; at += n) {
        n = petal__utf8_get(label.at + at, label.len - at, &c);
        if (n == 0)
            return false;
        other |= n > 1;
    }
    return other;
}

/* A label in other letters, in small ones; as Punycode, unless they all became ASCII. */
static bool url_put_idn(struct form_key *key, struct piece label)
{
    uint32_t letters[LABEL_MAX];
    size_t n = 0;
    bool other = false;
    for (size_t at = 0; at < label.len; n++) {
        uint32_t c;
        if (n == LABEL_MAX)
            return false;
        at += petal__utf8_get(label.at + at, label.len - at, &c);
        letters[n] = petal__fold(c);
        other |= letters[n] >= 128;
    }
    if (other)
        return puny_label(key, letters, n);
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)letters[i];
        if (!url_put_escaped(key, (struct piece){ &byte, 1 }))
            return false;
    }
    return true;
}

/* Label by label, so that no strange one hides the domain that it stands in. */
static bool url_put_name(struct form_key *key, struct piece host)
{
    for (;;) {
        const struct piece label = url_before(&host, '.', '.');
        if (!(url_is_idn(label) ? url_put_idn : url_put_escaped)(key, label))
            return false;
        if (host.len == 0)
            return true;
        if (!url_put(key, '.'))
            return false;
        host.at++;
        host.len--;
    }
}

/* The dots of other scripts are dots. */
static void url_map_dots(struct piece *host)
{
    size_t n = 0;
    uint32_t c;
    for (size_t at = 0, some; at < host->len; at += some) {
        some = petal__utf8_get(host->at + at, host->len - at, &c);
        if (some == 3 && (c == 0x3002 || c == 0xff0e || c == 0xff61)) {
            host->at[n++] = '.';
        } else {
            some = some ? some : 1;
            memmove(host->at + n, host->at + at, some);
            n += some;
        }
    }
    host->len = n;
}

static bool url_put_address(struct form_key *key, const uint8_t *address, size_t len)
{
    char text[48];
    const size_t n = petal__ip_write(address, len, text);
    const bool six = len == 16;
    return (!six || url_put(key, '[')) &&
           url_put_escaped(key, (struct piece){ (uint8_t *)text, n }) &&
           (!six || url_put(key, ']'));
}

static bool url_put_host(struct form_key *key, struct piece host)
{
    uint8_t address[16];
    if (host.len > 0 && host.at[0] == '[')
        return host.at[host.len - 1] == ']' &&
               petal__ip_read6(host.at + 1, host.len - 2, address) &&
               url_put_address(key, address, 16);
    url_map_dots(&host);
    url_tidy_host(&host);
    if (host.len > 0 && url_host_is_ipv4(host, address))
        return url_put_address(key, address, 4);
    return url_put_name(key, host) && key->len > 0;
}

/* ---- Paths ---- */

/* Resolve "." and "..", make runs of slashes one; "/" where there is nothing. */
static void url_tidy_path(struct piece *path)
{
    uint8_t *p = path->at;
    size_t n = 0; /* what is kept ends in a slash here, but for that of the root */
    for (size_t at = 0, len; at < path->len; at += len + 1) {
        const uint8_t *part = p + at;
        const uint8_t *slash = memchr(part, '/', path->len - at);
        len = slash ? (size_t)(slash - part) : path->len - at;
        if (len == 0 || (len == 1 && part[0] == '.'))
            continue;
        if (len == 2 && part[0] == '.' && part[1] == '.') {
            while (n > 0 && --n > 0 && p[n - 1] != '/')
                ;
            continue;
        }
        memmove(p + n, part, len);
        n += len;
        if (slash)
            p[n++] = '/';
    }
    path->len = n;
}

/* ---- Classes ---- */

static unsigned url_host_class(const uint8_t *host, size_t len)
{
    uint8_t address[4];
    if (host[0] == '[' || petal__ip_read4(host, len, address))
        return HOST_ADDRESS;
    unsigned n = 1;
    for (size_t i = 0; i < len; i++)
        n += host[i] == '.';
    return n < HOST_LONG ? n : HOST_LONG;
}

static unsigned url_path_class(const uint8_t *path, size_t len)
{
    const uint8_t *query = memchr(path, '?', len);
    const size_t path_len = query ? (size_t)(query - path) : len;
    unsigned slashes = 0;
    for (size_t i = 0; i < path_len; i++)
        slashes += path[i] == '/';
    const unsigned depth = slashes - 1 < DEPTH_MAX ? slashes - 1 : DEPTH_MAX;
    return depth | (path[path_len - 1] == '/' ? 0 : PLAIN_FILE) | (query ? QUERY : 0);
}

/* How many classes of the mask a URL asks for, given its own: what url_hosts() and
 * url_paths() find, counted without a URL. */
static uint32_t url_asks_of(const uint8_t *mask, unsigned host, unsigned path)
{
    unsigned hosts[HOSTS_MAX], paths[PATHS_MAX], n_hosts = 0, n_paths = 0;
    hosts[n_hosts++] = host;
    for (unsigned n = 2; n < host; n++)
        hosts[n_hosts++] = n;
    paths[n_paths++] = path;
    if (path & QUERY)
        paths[n_paths++] = path & ~QUERY;
    const unsigned folders = (path & DEPTH_MAX) + (path & PLAIN_FILE ? 1 : 0);
    for (unsigned n = 0; n < folders && n < FOLDERS_MAX; n++)
        paths[n_paths++] = n;

    uint32_t asks = 0;
    for (unsigned h = 0; h < n_hosts; h++)
        for (unsigned p = 0; p < n_paths; p++)
            asks += mask_has(mask, hosts[h] << HOST_SHIFT | paths[p]);
    return asks;
}

static uint32_t url_most(const uint8_t *mask)
{
    uint32_t most = 0;
    for (unsigned host = 0; host <= HOST_LONG; host++)
        for (unsigned path = 0; path < 1u << HOST_SHIFT; path++) {
            const uint32_t asks = url_asks_of(mask, host, path);
            most = asks > most ? asks : most;
        }
    return most;
}

static bool url_is_class(unsigned cover)
{
    return cover >> HOST_SHIFT <= HOST_LONG;
}

/* ---- The form ---- */

/* Text without a scheme must look like a host: no spaces in it. */
static bool url_may_be(struct piece p)
{
    const struct piece host = url_before(&p, '/', '?');
    for (size_t i = 0; i < host.len; i++)
        if (host.at[i] <= ' ')
            return false;
    return true;
}

static int url_canonical(const uint8_t *text, size_t len, struct form_key *key)
{
    uint8_t buffer[FORM_KEY_MAX];
    if (len == 0 || len > FORM_KEY_MAX)
        return PETAL_E_KEY;
    struct piece p = url_trim(text, len, buffer);
    const bool has_scheme = url_scheme(p) > 0;
    if (!has_scheme && !url_may_be(p))
        return PETAL_E_KEY;
    url_unescape(&p);
    const size_t scheme = has_scheme ? url_scheme(p) : 0;
    p.at += scheme;
    p.len -= scheme;
    struct piece host = url_before(&p, '/', '?'), path = url_before(&p, '?', '?');
    key->len = 0;
    if (!url_authority(&host, has_scheme) || !url_put_host(key, host))
        return PETAL_E_KEY;
    key->host_len = key->len;
    url_tidy_path(&path);
    if (!url_put(key, '/') || !url_put_escaped(key, path) || !url_put_escaped(key, p))
        return PETAL_E_KEY;
    key->cover = url_host_class(key->bytes, key->host_len) << HOST_SHIFT |
                 url_path_class(key->bytes + key->host_len, key->len - key->host_len);
    return PETAL_OK;
}

/* Where the hosts to ask for begin: the whole one, then the last two components, the last
 * three, and so on to five. */
static size_t url_hosts(const struct form_key *key, size_t starts[HOSTS_MAX])
{
    size_t n = 0;
    starts[n++] = 0;
    if (key->cover >> HOST_SHIFT == HOST_ADDRESS)
        return n;
    unsigned components = 0;
    for (size_t i = key->host_len; i-- > 1 && n < HOSTS_MAX;)
        if (key->bytes[i - 1] == '.' && ++components >= 2)
            starts[n++] = i;
    return n;
}

/* Where the paths to ask for end: the whole one, the one without query, the folders from
 * the root down. */
static size_t url_paths(const struct form_key *key, size_t ends[PATHS_MAX])
{
    const uint8_t *path = key->bytes + key->host_len, *end = key->bytes + key->len;
    const uint8_t *query = memchr(path, '?', (size_t)(end - path));
    const uint8_t *stop = query ? query : end;
    size_t n = 0;
    ends[n++] = key->len;
    if (query)
        ends[n++] = (size_t)(query - key->bytes);
    for (unsigned i = 0; i < FOLDERS_MAX; i++) {
        path = memchr(path, '/', (size_t)(stop - path));
        if (!path || ++path == stop) /* the last is asked for already */
            break;
        ends[n++] = (size_t)(path - key->bytes);
    }
    return n;
}

static size_t url_asks(const struct form_key *key, const uint8_t *mask,
                       struct form_ask *asks)
{
    size_t starts[HOSTS_MAX], ends[PATHS_MAX], n = 0;
    const size_t hosts = url_hosts(key, starts), paths = url_paths(key, ends);
    for (size_t h = 0; h < hosts; h++) {
        const unsigned host = h == 0 ? key->cover >> HOST_SHIFT : (unsigned)h + 1;
        for (size_t p = 0; p < paths; p++) {
            const unsigned path =
                url_path_class(key->bytes + key->host_len, ends[p] - key->host_len);
            struct form_ask *ask = &asks[n];
            ask->bytes = key->bytes + starts[h];
            ask->len = ends[p] - starts[h];
            ask->cover = host << HOST_SHIFT | path;
            n += mask_has(mask, ask->cover);
        }
    }
    return n;
}

const struct petal_form_ops petal__form_url = {
    .form = PETAL_FORM_URL,
    .name = "url",
    .covers = HOSTS_MAX * PATHS_MAX,
    .canonical = url_canonical,
    .text = petal__form_plain_text,
    .asks = url_asks,
    .most = url_most,
    .is_class = url_is_class,
};
