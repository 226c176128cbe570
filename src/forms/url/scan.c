/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.c: recognizes a URL that is normalized already, and finds its parts.
 *
 * Most URLs are: a host without user, port and address, a path without dot segments and
 * repeated slashes, and only escapes that normalizing would write again.  Such a URL is
 * looked at once, 64 bytes at a time.  Its interesting bytes are marked in 64-bit masks, so
 * that the rest of the work depends on the number of slashes and dots, not of bytes.  All
 * other URLs are left to url.c, which defines the result.
 *
 * The plain function that makes the masks has the same result as the one for SSE2.
 */
#include "forms/url/url.h"
#include "simd/simd.h"

#ifdef SIMD_X86
#include <emmintrin.h>
#endif

#define CHUNK 64

/* A bit for each byte of up to 64. */
struct marks {
    uint64_t slash, dot, query, fragment, escape;
    uint64_t odd;     /* must be escaped */
    uint64_t special; /* in a host: a user, a port or an IPv6 address */
    uint64_t upper;
};

static struct marks marks_plain(const uint8_t *text, size_t n)
{
    struct marks m = { 0 };
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = text[i];
        const uint64_t bit = (uint64_t)1 << i;
        if (c <= ' ' || c >= 127)
            m.odd |= bit;
        else if (c >= 'A' && c <= 'Z')
            m.upper |= bit;
        switch (c) {
        case '/': m.slash |= bit; break;
        case '.': m.dot |= bit; break;
        case '?': m.query |= bit; break;
        case '#': m.fragment |= bit; break;
        case '%': m.escape |= bit; break;
        case ':':
        case '@':
        case '[':
        case ']': m.special |= bit; break;
        default: break;
        }
    }
    return m;
}

#ifdef SIMD_X86
static inline uint64_t marks_mask(__m128i v, size_t at)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v) << at;
}

static inline uint64_t marks_equal(__m128i v, char c, size_t at)
{
    return marks_mask(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)), at);
}

/* Comparisons are signed, so the first byte of the range is moved to -128. */
static inline uint64_t marks_range(__m128i v, int first, int last, size_t at)
{
    const __m128i moved = _mm_sub_epi8(v, _mm_set1_epi8((char)(first - 128)));
    return marks_mask(_mm_cmplt_epi8(moved, _mm_set1_epi8((char)(last - first - 127))), at);
}

static inline void marks_add(struct marks *m, __m128i v, size_t at)
{
    m->slash |= marks_equal(v, '/', at);
    m->dot |= marks_equal(v, '.', at);
    m->query |= marks_equal(v, '?', at);
    m->fragment |= marks_equal(v, '#', at);
    m->escape |= marks_equal(v, '%', at);
    m->odd |= marks_range(v, 127, 255 + ' ' + 1, at);
}

static inline struct marks marks_of(const uint8_t *text, size_t n, bool host)
{
    struct marks m = { 0 };
    if (n < 16)
        return marks_plain(text, n);
    for (size_t i = 0; i < CHUNK; i += 16) {
        const size_t at = i < n - 16 ? i : n - 16; /* overlaps with the one before */
        const __m128i v = _mm_loadu_si128((const void *)(text + at));
        marks_add(&m, v, at);
        if (host) {
            m.upper |= marks_range(v, 'A', 'Z', at);
            m.special |= marks_equal(v, ':', at) | marks_equal(v, '@', at) |
                         marks_equal(v, '[', at) | marks_equal(v, ']', at);
        }
    }
    return m;
}
#else
static struct marks marks_of(const uint8_t *text, size_t n, bool host)
{
    (void)host;
    return marks_plain(text, n);
}
#endif

/* The n lowest bits. */
static inline uint64_t scan_below(size_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

static inline size_t scan_first(uint64_t bits)
{
    return (size_t)__builtin_ctzll(bits);
}

static inline size_t scan_last(uint64_t bits)
{
    return 63 - (size_t)__builtin_clzll(bits);
}

/* The bytes from `at` on, up to the fragment. */
struct chunk {
    size_t at, n;
    struct marks marks;
};

static inline struct chunk chunk_at(const uint8_t *text, size_t *len, size_t at)
{
    const size_t n = *len - at < CHUNK ? *len - at : CHUNK;
    struct chunk chunk = { at, n, marks_of(text + at, n, at == 0) };
    if (chunk.marks.fragment) {
        chunk.n = scan_first(chunk.marks.fragment);
        *len = at + chunk.n;
    }
    return chunk;
}

/* Would this escape be written again?  It must stand for a byte that is always escaped,
 * other than "%", which may begin another escape. */
static bool scan_escape(const uint8_t *at, const uint8_t *end)
{
    if (end - at < 3 || !url_is_upper_hex(at[1]) || !url_is_upper_hex(at[2]))
        return false;
    const uint8_t c = (uint8_t)((unsigned)url_hex(at[1]) << 4 | (unsigned)url_hex(at[2]));
    return c != '%' && !url_is_plain(c);
}

/* Reads the host, which must end in the first chunk. */
static bool scan_host(const uint8_t *text, size_t len, const struct marks *m,
                      struct form_key *key)
{
    const uint64_t mine = scan_below(len), dots = m->dot & mine;
    if (len == 0 || (m->special | m->escape | m->odd) & mine)
        return false;
    if (dots & 1 || dots & dots >> 1 || dots >> (len - 1))
        return false;
    if (url_is_digit(text[dots ? scan_last(dots) + 1 : 0]))
        return false; /* it may be an address */
    const unsigned components = 1 + popcount64(dots);
    key->class_id = (components < HOST_LONG ? components : HOST_LONG) << HOST_SHIFT;
    key->starts[0] = 0;
    key->starts_n = 1;
    uint64_t rest = dots & scan_below(dots ? scan_last(dots) : 0);
    for (; rest && key->starts_n < HOSTS_MAX; rest &= scan_below(scan_last(rest)))
        key->starts[key->starts_n++] = (uint16_t)(scan_last(rest) + 1);
    return true;
}

/* What is known about the path so far. */
struct path {
    unsigned slashes, folders;
    uint16_t folder_ends[FOLDERS_MAX]; /* of the first ones */
    size_t query;                      /* where it begins; 0: not found yet */
    uint64_t after_slash;              /* 1 if the previous byte was a slash */
};

/* Reads the bytes of a chunk that `mine` selects: a part of the path and the query. */
static bool scan_path(const uint8_t *text, size_t len, const struct chunk *chunk,
                      uint64_t mine, struct path *path)
{
    const struct marks *m = &chunk->marks;
    const size_t at = chunk->at;
    if (m->odd & mine)
        return false;
    for (uint64_t rest = m->escape & mine; rest; rest &= rest - 1)
        if (!scan_escape(text + at + scan_first(rest), text + len))
            return false;
    if (path->query)
        return true;
    if (m->query & mine) {
        path->query = at + scan_first(m->query & mine);
        mine &= scan_below(path->query - at);
    }
    const uint64_t slash = m->slash & mine, dot = m->dot & mine;
    if ((slash << 1 | path->after_slash) & (slash | dot))
        return false;
    path->after_slash = slash >> 63;
    path->slashes += popcount64(slash);
    for (uint64_t rest = slash; rest && path->folders < FOLDERS_MAX; rest &= rest - 1)
        path->folder_ends[path->folders++] = (uint16_t)(at + scan_first(rest) + 1);
    return true;
}

/* Fills in what depends on the path. */
static void scan_ends(const uint8_t *text, size_t len, const struct path *path,
                      struct form_key *key)
{
    const size_t stop = path->query ? path->query : len;
    const unsigned depth = path->slashes - 1;
    key->class_id |= (depth < DEPTH_MAX ? depth : DEPTH_MAX) |
                     (text[stop - 1] == '/' ? 0 : PLAIN_FILE) | (path->query ? QUERY : 0);
    key->len = len;
    key->ends_n = 0;
    key->ends[key->ends_n++] = (uint16_t)len;
    if (path->query)
        key->ends[key->ends_n++] = (uint16_t)stop;
    for (unsigned i = 0; i < path->folders && path->folder_ends[i] < stop; i++)
        key->ends[key->ends_n++] = path->folder_ends[i];
}

/* Copies a host without a path, or with capital letters. */
static void scan_copy(const uint8_t *text, size_t host_len, struct form_key *key)
{
    for (size_t i = 0; i < host_len; i++)
        key->buffer[i] = fold_ascii(text[i]);
    memcpy(key->buffer + host_len, text + host_len, key->len - host_len);
    key->bytes = key->buffer;
}

/* A host is followed by a slash, even if there is no path. */
static void scan_bare_host(const uint8_t *text, size_t len, struct form_key *key)
{
    key->len = len;
    scan_copy(text, len, key);
    key->buffer[key->len++] = '/';
    key->ends[0] = (uint16_t)key->len;
    key->ends_n = 1;
}

bool petal__url_scan(const uint8_t *text, size_t len, struct form_key *key)
{
    struct chunk chunk = chunk_at(text, &len, 0);
    const uint64_t first = scan_below(chunk.n);
    const uint64_t stop = (chunk.marks.slash | chunk.marks.query) & first;
    const size_t host_len = stop ? scan_first(stop) : chunk.n;
    const bool has_upper = (chunk.marks.upper & scan_below(host_len)) != 0;
    if (host_len == CHUNK || !scan_host(text, host_len, &chunk.marks, key))
        return false;
    if (host_len == len) {
        scan_bare_host(text, len, key);
        return true;
    }
    if (text[host_len] == '?') /* a slash is missing */
        return false;
    struct path path = { 0 };
    for (uint64_t mine = first & ~scan_below(host_len);; mine = scan_below(chunk.n)) {
        if (!scan_path(text, len, &chunk, mine, &path))
            return false;
        if (chunk.at + CHUNK >= len)
            break;
        chunk = chunk_at(text, &len, chunk.at + CHUNK);
    }
    scan_ends(text, len, &path, key);
    key->bytes = text;
    if (has_upper)
        scan_copy(text, host_len, key);
    return true;
}
