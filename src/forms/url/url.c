/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * url.c: the form of URLs, normalized as for Google's Safe Browsing, version 4.
 *
 * A normalized URL is host, path and query, without scheme, user, port and fragment:
 * "HTTP://user@Example.COM:80/a/./b//c?q#f" becomes "example.com/a/b/c?q".  Tabs and line
 * ends are removed, percent escapes are decoded until none is left, dots and slashes are
 * cleaned up, and an IPv4 address in any notation becomes four decimal numbers.  Finally
 * "#", "%" and all bytes that are not printable ASCII are escaped.  A host with non-ASCII
 * letters is folded to lower case and encoded as Punycode, label by label.
 *
 * A match looks up the URL and its parents: up to five hosts combined with up to six paths,
 * 30 lookups at most.  The hosts are the host itself and, unless it is an address, its last
 * five to two components.  The paths are the path with and without the query, and the first
 * four folders from the root.  Each combination is an end of the host followed by a
 * beginning of the path, so it is one substring of the normalized URL.
 *
 * The class of a key has 8 bits: 3 for the host (0 an address, 1 to 5 the number of
 * components, 6 for more), 1 for a query, 1 for a path that does not end in a slash, and 3
 * for the depth of the folder (7 for 7 and more).
 *
 *   Google: "Safe Browsing APIs (v4): URLs and hashing".
 *   RFC 3986, 5.2.4: dots in paths.
 */
#include "forms/url/url.h"

#include "forms/address.h"

/* ---- The text ---- */

/* Removes the fragment, tabs, line ends, and spaces at both ends. */
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

/* Returns the length of "scheme://" or "//" at the beginning of the text, or 0. */
static size_t url_scheme(struct piece p)
{
    size_t n = 0;
    while (n < p.len && (url_is_alpha(p.at[n]) ||
                         (n > 0 && (url_is_digit(p.at[n]) || memchr("+-.", p.at[n], 3)))))
        n++;
    if (p.len >= 2 && memcmp(p.at, "//", 2) == 0)
        return 2;
    return n > 0 && p.len - n >= 3 && memcmp(p.at + n, "://", 3) == 0 ? n + 3 : 0;
}

/* Decodes escapes until there are none.  As soon as the last three bytes are an escape,
 * they are replaced by the byte it stands for, which may complete another escape.  Escapes
 * never overlap, so the order does not matter, and the time is linear. */
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

/* ---- Writing the normalized key ---- */

bool petal__url_put(struct form_key *key, uint8_t c)
{
    if (key->len == FORM_KEY_MAX)
        return false;
    key->buffer[key->len++] = c;
    return true;
}

bool petal__url_put_escaped(struct form_key *key, struct piece p)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < p.len; i++) {
        const uint8_t c = p.at[i];
        const bool put = url_is_plain(c)
                             ? petal__url_put(key, c)
                             : petal__url_put(key, '%') &&
                                   petal__url_put(key, (uint8_t)digits[c >> 4]) &&
                                   petal__url_put(key, (uint8_t)digits[c & 15]);
        if (!put)
            return false;
    }
    return true;
}

/* ---- Hosts ---- */

/* Removes user and port.  Returns false if what follows a colon is not a port, if brackets
 * are misplaced, and if there is a user but no scheme. */
static bool url_authority(struct piece *p, bool has_scheme)
{
    for (size_t i = p->len; i-- > 0;)
        if (p->at[i] == '@') {
            if (!has_scheme)
                return false; /* it is an e-mail address */
            p->at += i + 1;
            p->len -= i + 1;
            break;
        }
    size_t end = p->len;
    while (end > 0 && url_is_digit(p->at[end - 1]))
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

/* ---- Paths ---- */

/* Resolves dot segments and merges repeated slashes.  The leading slash is left out. */
static void url_tidy_path(struct piece *path)
{
    uint8_t *p = path->at;
    size_t n = 0; /* kept bytes; they end in a slash, unless there are none */
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

/* ---- Classes and parents ---- */

static unsigned url_host_class(const uint8_t *host, size_t len)
{
    uint8_t address[4];
    if (host[0] == '[' || petal__address_read4(host, len, address))
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

/* Finds where the hosts to look up begin: the whole host, then its last two components, the
 * last three, and so on up to five. */
static void url_find_hosts(struct form_key *key, size_t host_len)
{
    key->starts[0] = 0;
    key->starts_n = 1;
    if (key->class_id >> HOST_SHIFT == HOST_ADDRESS)
        return;
    unsigned components = 0;
    for (size_t i = host_len; i-- > 1 && key->starts_n < HOSTS_MAX;)
        if (key->bytes[i - 1] == '.' && ++components >= 2)
            key->starts[key->starts_n++] = (uint16_t)i;
}

/* Finds where the paths to look up end: the whole path with its query, the path without the
 * query, then the folders from the root down. */
static void url_find_paths(struct form_key *key, size_t host_len)
{
    const uint8_t *path = key->bytes + host_len, *end = key->bytes + key->len;
    const uint8_t *query = memchr(path, '?', (size_t)(end - path));
    const uint8_t *stop = query ? query : end;
    key->ends[0] = (uint16_t)key->len;
    key->ends_n = 1;
    if (query)
        key->ends[key->ends_n++] = (uint16_t)(query - key->bytes);
    for (unsigned i = 0; i < FOLDERS_MAX; i++) {
        path = memchr(path, '/', (size_t)(stop - path));
        if (!path || ++path == stop) /* already listed as the path */
            break;
        key->ends[key->ends_n++] = (uint16_t)(path - key->bytes);
    }
}

/* Finds the class and the parents of a key that has been written. */
static void url_find_parts(struct form_key *key, size_t host_len)
{
    key->class_id = url_host_class(key->bytes, host_len) << HOST_SHIFT |
                    url_path_class(key->bytes + host_len, key->len - host_len);
    url_find_hosts(key, host_len);
    url_find_paths(key, host_len);
}

/* Counts the lookups of a URL whose host and path have these classes.  This is what
 * url_find_hosts() and url_find_paths() find, counted without a URL. */
static uint32_t url_lookups_of(const uint8_t *mask, unsigned host, unsigned path)
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

    uint32_t lookups = 0;
    for (unsigned h = 0; h < n_hosts; h++)
        for (unsigned p = 0; p < n_paths; p++)
            lookups += mask_has(mask, hosts[h] << HOST_SHIFT | paths[p]);
    return lookups;
}

static uint32_t url_lookups_max(const uint8_t *mask)
{
    uint32_t most = 0;
    for (unsigned host = 0; host <= HOST_LONG; host++)
        for (unsigned path = 0; path < 1u << HOST_SHIFT; path++) {
            const uint32_t lookups = url_lookups_of(mask, host, path);
            most = lookups > most ? lookups : most;
        }
    return most;
}

static bool url_is_class(unsigned class_id)
{
    return class_id >> HOST_SHIFT <= HOST_LONG;
}

/* ---- The form ---- */

/* Text without a scheme must look like a host: it must not contain spaces. */
static bool url_may_be(struct piece p)
{
    const struct piece host = url_before(&p, '/', '?');
    for (size_t i = 0; i < host.len; i++)
        if (host.at[i] <= ' ')
            return false;
    return true;
}

static bool url_write(const uint8_t *text, size_t len, struct form_key *key)
{
    uint8_t buffer[FORM_KEY_MAX];
    struct piece p = url_trim(text, len, buffer);
    const bool has_scheme = url_scheme(p) > 0;
    if (!has_scheme && !url_may_be(p))
        return false;
    url_unescape(&p);
    const size_t scheme = has_scheme ? url_scheme(p) : 0;
    p.at += scheme;
    p.len -= scheme;
    struct piece host = url_before(&p, '/', '?'), path = url_before(&p, '?', '?');
    key->bytes = key->buffer;
    key->len = 0;
    if (!url_authority(&host, has_scheme) || !petal__url_put_host(key, host))
        return false;
    const size_t host_len = key->len;
    url_tidy_path(&path);
    if (!petal__url_put(key, '/') || !petal__url_put_escaped(key, path) ||
        !petal__url_put_escaped(key, p))
        return false;
    url_find_parts(key, host_len);
    return true;
}

/* Returns the length of "http://" or "https://" at the beginning of the text, or 0. */
static size_t url_web_scheme(const uint8_t *text, size_t len)
{
    if (len < 8 || (load_le32(text) | 0x20202020) != 0x70747468) /* "http" */
        return 0;
    const size_t n = (text[4] | 0x20) == 's' ? 5 : 4;
    return memcmp(text + n, "://", 3) == 0 ? n + 3 : 0;
}

static int url_normalize(const uint8_t *text, size_t len, struct form_key *key)
{
    if (len == 0 || len > FORM_KEY_MAX)
        return PETAL_E_KEY;
    const size_t scheme = url_web_scheme(text, len);
    return petal__url_scan(text + scheme, len - scheme, key) || url_write(text, len, key)
               ? PETAL_OK
               : PETAL_E_KEY;
}

/* Lists the paths for the whole host, then for its last two components, and so on. */
static size_t url_lookups(const struct form_key *key, const uint8_t *mask,
                          struct form_lookups *lookups)
{
    unsigned paths[PATHS_MAX], folder = 0;
    size_t n = 0, p = 0;
    paths[p++] = key->class_id & ((1u << HOST_SHIFT) - 1);
    if (key->class_id & QUERY)
        paths[p++] = paths[0] & ~QUERY;
    while (p < key->ends_n)
        paths[p++] = folder++;
    for (unsigned h = 0; h < key->starts_n; h++) {
        const unsigned host = h == 0 ? key->class_id >> HOST_SHIFT : h + 1;
        const uint32_t row = load_le32(mask + 4 * host);
        for (p = 0; row && p < key->ends_n; p++) {
            lookups->list[n].data = key->bytes + key->starts[h];
            lookups->list[n].len = (size_t)(key->ends[p] - key->starts[h]);
            n += row >> paths[p] & 1;
        }
    }
    return n;
}

const struct petal_form_ops petal__form_url = {
    .form = PETAL_FORM_URL,
    .name = "url",
    .match_lookups = HOSTS_MAX * PATHS_MAX,
    .normalize = url_normalize,
    .text = petal__form_plain_text,
    .lookups = url_lookups,
    .lookups_max = url_lookups_max,
    .is_class = url_is_class,
};
