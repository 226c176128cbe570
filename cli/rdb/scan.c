/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.c: finds the filters in an RDB file.
 *
 * The file is a sequence of keys with their values, and of remarks between them: which
 * database comes next, when a key expires.  A key expires in a server only, so filters
 * whose time is over are found too.  The file ends with a checksum, and only then is it
 * certain that a filter was read correctly.
 */
#include "scan.h"

#include "values.h"

#include <string.h>

#define NAME_LEN     9  /* of a module's type, of 6 bits each */
#define VERSION_BITS 10 /* of the type's version, which follows the name */
#define VERSION_MIN  8  /* of the file: the first with values of modules */
#define LINKS_MAX    4096

enum {
    MARK_SLOT = 0xf4, /* three numbers */
    MARK_LIBRARY,     /* functions */
    MARK_LIBRARY_OLD,
    MARK_MODULE,
    MARK_IDLE,
    MARK_FREQUENCY,
    MARK_NOTE,
    MARK_SIZES,
    MARK_EXPIRES_MS,
    MARK_EXPIRES,
    MARK_DATABASE,
    MARK_END,
};

struct scan {
    struct rdb_input *in;
    bool valkey;
    uint64_t db;
    struct rdb_string key, header, bits;
    rdb_found_fn *found;
    void *context;
};

/* ---- Types of modules ---- */

static void scan_type_name(uint64_t id, char name[NAME_LEN + 1])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789-_";
    id >>= VERSION_BITS;
    for (unsigned i = NAME_LEN; i-- > 0; id >>= 6)
        name[i] = letters[id & 63];
    name[NAME_LEN] = 0;
}

static bool scan_put(struct scan *s, uint64_t number, unsigned bytes)
{
    uint8_t raw[8];
    for (unsigned i = 0; i < bytes; i++)
        raw[i] = (uint8_t)(number >> 8 * i);
    if (bytes < 8 && number >> 8 * bytes)
        return rdb_error(s->in, "corrupt: a filter has an impossible number");
    return rdb_string_append(s->in, &s->header, raw, bytes);
}

/* The parts of a link are in another order than in the header. */
static bool scan_link(struct scan *s)
{
    uint64_t entries, error, hashes, per_entry, bits, n2, size;
    const size_t before = s->bits.len;
    if (!rdb_module_unsigned(s->in, &entries) || !rdb_module_double(s->in, &error) ||
        !rdb_module_unsigned(s->in, &hashes) || !rdb_module_double(s->in, &per_entry) ||
        !rdb_module_unsigned(s->in, &bits) || !rdb_module_unsigned(s->in, &n2) ||
        !rdb_module_string(s->in, &s->bits) || !rdb_module_unsigned(s->in, &size))
        return false;
    return scan_put(s, s->bits.len - before, 8) && scan_put(s, bits, 8) &&
           scan_put(s, size, 8) && scan_put(s, error, 8) && scan_put(s, per_entry, 8) &&
           scan_put(s, hashes, 4) && scan_put(s, entries, 8) && scan_put(s, n2, 1);
}

/* Makes of the value what BF.SCANDUMP returns: a header, and the bits of all links. */
static bool scan_redisbloom(struct scan *s)
{
    uint64_t size, links, options, growth;
    if (!rdb_module_unsigned(s->in, &size) || !rdb_module_unsigned(s->in, &links) ||
        !rdb_module_unsigned(s->in, &options) || !rdb_module_unsigned(s->in, &growth) ||
        !scan_put(s, size, 8) || !scan_put(s, links, 4) || !scan_put(s, options, 4) ||
        !scan_put(s, growth, 4))
        return false;
    if (links > LINKS_MAX)
        return rdb_error(s->in, "corrupt: a filter has an impossible number of links");
    for (; links > 0; links--)
        if (!scan_link(s))
            return false;
    return rdb_string_append(s->in, &s->header, s->bits.bytes, s->bits.len);
}

static bool scan_petal(struct scan *s)
{
    uint64_t len;
    if (!rdb_module_unsigned(s->in, &len))
        return false;
    while (s->header.len < len) {
        const size_t before = s->header.len;
        if (!rdb_module_string(s->in, &s->header))
            return false;
        if (s->header.len == before || s->header.len > len)
            return rdb_error(s->in, "corrupt: a filter has a wrong length");
    }
    return true;
}

static const struct scan_type {
    const char *name;
    unsigned version;
    enum rdb_origin origin;
    bool (*read)(struct scan *s);
} scan_types[] = {
    { "petal-set", 1, RDB_PETAL, scan_petal },
    { "MBbloom--", 4, RDB_REDISBLOOM, scan_redisbloom },
};

static bool scan_filter(struct scan *s, const struct scan_type *type, unsigned version)
{
    if (version != type->version)
        return rdb_error(s->in, "has a filter of type %s in version %u; petal reads %u",
                         type->name, version, type->version);
    s->header.len = s->bits.len = 0;
    if (!type->read(s) || !rdb_module_end(s->in))
        return false;
    s->found(s->context, &(struct rdb_found){ .db = s->db,
                                              .key = (const char *)s->key.bytes,
                                              .key_len = s->key.len,
                                              .origin = type->origin,
                                              .bytes = s->header.bytes,
                                              .len = s->header.len });
    return true;
}

static bool scan_module(struct scan *s)
{
    uint64_t id;
    char name[NAME_LEN + 1];
    if (!rdb_length(s->in, &id))
        return false;
    scan_type_name(id, name);
    for (size_t i = 0; i < sizeof scan_types / sizeof *scan_types; i++)
        if (strcmp(scan_types[i].name, name) == 0)
            return scan_filter(s, &scan_types[i],
                               (unsigned)(id & ((1 << VERSION_BITS) - 1)));
    return rdb_module_skip(s->in);
}

static bool scan_key(struct scan *s, unsigned type)
{
    s->key.len = 0;
    return rdb_string_put(s->in, &s->key) &&
           (type == RDB_MODULE ? scan_module(s) : rdb_value_skip(s->in, type, s->valkey));
}

/* ---- The file ---- */

static bool scan_lengths(struct scan *s, unsigned n)
{
    uint64_t unused;
    while (n > 0 && rdb_length(s->in, &unused))
        n--;
    return n == 0;
}

static bool scan_mark(struct scan *s, unsigned mark)
{
    switch (mark) {
    case MARK_SLOT: return scan_lengths(s, 3);
    case MARK_LIBRARY: return rdb_string_skip(s->in);
    case MARK_MODULE: return scan_lengths(s, 3) && rdb_module_skip(s->in);
    case MARK_IDLE: return scan_lengths(s, 1);
    case MARK_FREQUENCY: return rdb_skip(s->in, 1);
    /* NOLINTNEXTLINE(misc-redundant-expression): it has two strings */
    case MARK_NOTE: return rdb_string_skip(s->in) && rdb_string_skip(s->in);
    case MARK_SIZES: return scan_lengths(s, 2);
    case MARK_EXPIRES_MS: return rdb_skip(s->in, 8);
    case MARK_EXPIRES: return rdb_skip(s->in, 4);
    case MARK_DATABASE: return rdb_length(s->in, &s->db);
    default: return scan_key(s, mark);
    }
}

/* REDIS0011, or VALKEY080 since Valkey 9. */
static bool scan_magic(struct scan *s)
{
    char magic[9];
    unsigned version = 0;
    if (!rdb_read(s->in, magic, sizeof magic))
        return false;
    s->valkey = memcmp(magic, "VALKEY", 6) == 0;
    bool good = s->valkey || memcmp(magic, "REDIS", 5) == 0;
    for (size_t i = s->valkey ? 6 : 5; i < sizeof magic; i++) {
        good = good && magic[i] >= '0' && magic[i] <= '9';
        version = version * 10 + (unsigned)(magic[i] - '0');
    }
    if (!good)
        return rdb_error(s->in, "not an RDB file");
    return version >= VERSION_MIN ||
           rdb_error(s->in, "has version %u of the format, which is older than filters are",
                     version);
}

/* The server writes 0 if checksums are turned off.  Then at least nothing may follow. */
static bool scan_end(struct scan *s)
{
    const uint64_t computed = s->in->checksum;
    uint64_t stored;
    if (!rdb_little_endian(s->in, 8, &stored))
        return false;
    if (stored == 0)
        return rdb_is_end(s->in) || rdb_error(s->in, "corrupt: bytes after its end");
    return stored == computed || rdb_error(s->in, "corrupt: the checksum does not match");
}

static bool scan_all(struct scan *s)
{
    uint8_t mark;
    if (!scan_magic(s))
        return false;
    while (rdb_read(s->in, &mark, 1)) {
        if (mark == MARK_END)
            return scan_end(s);
        if (!scan_mark(s, mark))
            return false;
    }
    return false;
}

bool rdb_scan(struct rdb_input *in, rdb_found_fn *found, void *context)
{
    struct scan s = { .in = in, .found = found, .context = context };
    const bool good = scan_all(&s);
    rdb_string_free(&s.key);
    rdb_string_free(&s.header);
    rdb_string_free(&s.bits);
    return good;
}
