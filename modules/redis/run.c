/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.c: a long run of bytes in an RDB file, as a sequence of strings of 1 MiB.
 *
 * The length in the file is not trusted: see parts.c.
 */
#include "run.h"

#define STRING_LEN ((size_t)1 << 20)

void run_save(RedisModuleIO *io, const void *bytes, size_t len)
{
    const char *from = bytes;
    for (size_t at = 0; at < len; at += STRING_LEN)
        RedisModule_SaveStringBuffer(io, from + at,
                                     len - at < STRING_LEN ? len - at : STRING_LEN);
}

bool run_load(RedisModuleIO *io, struct parts *parts, uint64_t len)
{
    while (parts->len < len) {
        size_t part_len = 0;
        char *part = RedisModule_LoadStringBuffer(io, &part_len);
        const bool good = part && !RedisModule_IsIOError(io) && part_len > 0 &&
                          part_len <= len - parts->len &&
                          parts_put(parts, parts->len, part, part_len);
        if (part)
            RedisModule_Free(part);
        if (!good)
            return false;
    }
    return true;
}
