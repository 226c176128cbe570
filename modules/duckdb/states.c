/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * states.c: finds out whether DuckDB has passed one state or one for each row.
 *
 * An aggregate's update function gets an array with the state of each row.  But for a
 * window over whole partitions, as in OVER (PARTITION BY x), the versions of DuckDB up
 * to 1.5 pass an array with a single element, and the interface does not say so.  To use
 * the others would crash, or add keys to the wrong filter: next to such an array there is
 * often that of another thread, with a good state.
 *
 * The array is a vector of DuckDB.  One for a whole chunk has room for VECTOR_ROWS
 * elements, the other one for a single element, so the size of its block of memory decides.
 * Who knows that size depends on where vectors come from.  states_learn() finds out, with a
 * vector of a known size:
 *
 *   DuckDB's own jemalloc, as in all its releases: its malloc_usable_size().
 *   glibc: the size stands in front of the block.
 *   anything else: nobody.  Then each state begins with a mark, and some elements of the
 *   array are examined: if one of them is no state, there is only the first.
 *
 * What is read may be no address at all.  The system call process_vm_readv() reports an
 * address that cannot be read as an error.
 */
#include "values.h"

#include <string.h>

#define VECTOR_ROWS 2048
#define VECTOR_LEN  (VECTOR_ROWS * sizeof(void *))
#define SINGLE_LEN  64 /* a block with a single element has less; others have far more */

#if defined(__linux__)
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads a number.  Returns 1 if that went well, 0 if the address cannot be read, and -1 if
 * the system does not allow the question. */
static int states_read(const void *address, uint64_t *number)
{
    const struct iovec to = { number, sizeof *number },
                       from = { (void *)(uintptr_t)address, sizeof *number };
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (got < 0 && errno != EFAULT)
        return -1;
    return got == (ssize_t)sizeof *number;
}

/* ---- The size of a block ---- */

typedef size_t size_fn(const void *block);

static size_fn *states_size; /* NULL: nobody knows */

/* glibc: the size of the block, with the 8 bytes that say so.  The lowest bits are flags.
 */
static size_t states_size_glibc(const void *block)
{
    uint64_t size = 0;
    return states_read((const char *)block - sizeof size, &size) > 0
               ? (size_t)(size & ~(uint64_t)7)
               : 0;
}

/* A function of the program or library that contains DuckDB. */
static void *states_symbol(const char *name)
{
    Dl_info found;
    void *place, *symbol;
    memcpy(&place, &duck.connect, sizeof place);
    if (!dladdr(place, &found))
        return NULL;
    void *library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        library = dlopen(NULL, RTLD_LAZY);
    symbol = library ? dlsym(library, name) : NULL;
    if (library)
        dlclose(library); /* it stays loaded: we run in it */
    return symbol;
}

/* Is malloc() that of glibc?  If not, a block may belong to an allocator that we know
 * nothing about, and to ask jemalloc for its size would crash. */
static bool states_malloc_is_plain(void)
{
    void *block = malloc(1000);
    const bool plain = states_size_glibc(block) == 1008;
    free(block);
    return plain;
}

static bool states_is_vector(size_t size)
{
    return size >= VECTOR_LEN && size < 2 * VECTOR_LEN;
}

void states_learn(void)
{
    duck_type type = duck.create_logical_type(DUCK_BIGINT);
    duck_chunk chunk = duck.create_data_chunk(&type, 1);
    const void *data = duck.vector_get_data(duck.data_chunk_get_vector(chunk, 0));
    void *symbol = states_symbol("duckdb_je_malloc_usable_size");
    size_fn *jemalloc;
    memcpy(&jemalloc, &symbol, sizeof jemalloc);
    states_size = NULL;
    if (states_is_vector(states_size_glibc(data)))
        states_size = states_size_glibc;
    else if (jemalloc && states_malloc_is_plain() && states_is_vector(jemalloc(data)))
        states_size = jemalloc;
    duck.destroy_data_chunk(&chunk);
    duck.destroy_logical_type(&type);
}

/* ---- Marks ---- */

static bool states_is_one(const void *address)
{
    uint64_t mark = 0;
    return states_read(address, &mark) < 0 || mark == STATE_MARK;
}
#else
static size_t (*const states_size)(const void *block) = NULL;

void states_learn(void)
{
}

static bool states_is_one(const void *address)
{
    return address != NULL;
}
#endif

/* Are these elements of the array states, as far as one can see? */
static bool states_look_good(void **states, uint64_t rows)
{
    const uint64_t some[] = { 1, 2, 3, 4, 5, 6, 7, rows / 4, rows / 2, rows - 1 };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i] < rows && states[some[i]] != states[0] &&
            !states_is_one(states[some[i]]))
            return false;
    return true;
}

uint64_t states_step(void **states, uint64_t rows)
{
    const size_t size = states_size && rows > 1 ? states_size(states) : 0;
    if (size >= VECTOR_LEN)
        return 1;
    if (size && size < SINGLE_LEN)
        return 0;
    return states_look_good(states, rows);
}
