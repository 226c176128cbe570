/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * available.c: how much memory the server may still use.
 *
 * A system that overcommits memory never refuses to allocate it.  It ends the server when
 * the memory is used.  So before a large allocation, the module looks how much is left.
 */
#define _DEFAULT_SOURCE 1 /* _SC_PHYS_PAGES, which POSIX lacks */
#include "available.h"

#include "server.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* A number of bytes in a file of the system.  Returns SIZE_MAX if there is none. */
static size_t available_number(const char *path, const char *format, size_t unit)
{
    unsigned long long n = 0;
    char line[256];
    FILE *file = fopen(path, "re");
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, format, &n) == 1;
    if (file)
        fclose(file);
    return found && n <= SIZE_MAX / unit ? (size_t)n * unit : SIZE_MAX;
}

static size_t available_container(void)
{
    return available_number("/sys/fs/cgroup/memory.max", "%llu", 1);
}

size_t available_machine(void)
{
    static size_t known;
    if (known)
        return known;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t all = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX - 1;
    const size_t most = available_container();
    known = all < most ? all : most;
    return known;
}

/* What is left of the memory of the machine and of the container. */
static size_t available_system(void)
{
    const size_t left = available_number("/proc/meminfo", "MemAvailable: %llu", 1024);
    const size_t most = available_container();
    if (most == SIZE_MAX)
        return left;
    const size_t used = available_number("/sys/fs/cgroup/memory.current", "%llu", 1);
    const size_t here = used == SIZE_MAX ? SIZE_MAX : used < most ? most - used : 0;
    return here < left ? here : left;
}

size_t available_bytes(void)
{
    int error = REDISMODULE_OK;
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(NULL, "memory");
    const unsigned long long most = RedisModule_ServerInfoGetFieldUnsigned(
                                 info, "maxmemory", &error),
                             used = RedisModule_ServerInfoGetFieldUnsigned(
                                 info, "used_memory", &error);
    RedisModule_FreeServerInfo(NULL, info);
    const size_t left = available_system();
    if (error != REDISMODULE_OK || most == 0)
        return left;
    const size_t here = used < most ? (size_t)(most - used) : 0;
    return here < left ? here : left;
}
