/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * states.c: finds out whether DuckDB has passed one state or one for each row.
 *
 * An aggregate's update function gets an array with the state of each row.  But for a
 * window over whole partitions, as in OVER (PARTITION BY x), the versions of DuckDB up
 * to 1.5 pass an array with a single element, and the interface does not say so.  To use
 * the others would crash.  So each state begins with a mark, and some elements of the array
 * are examined: if one of them is no state, there is only the first.
 *
 * An element may be any number, and reading from it must not crash either.  The system call
 * process_vm_readv() reports an address that cannot be read as an error.  A few calls for a
 * vector of rows take no noticeable time.
 */
#include "values.h"

#include <string.h>

#if defined(__linux__)
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

static bool states_is_one(void *address)
{
    uint64_t mark = 0;
    const struct iovec to = { &mark, sizeof mark }, from = { address, sizeof mark };
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (got < 0 && errno != EFAULT)
        return true; /* the system does not allow the question */
    return got == (ssize_t)sizeof mark && mark == STATE_MARK;
}
#else
static bool states_is_one(void *address)
{
    return address != NULL;
}
#endif

uint64_t states_step(void **states, uint64_t rows)
{
    const uint64_t some[] = { 1, 2, 3, rows / 4, rows / 2, rows - 1 };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i] < rows && states[some[i]] != states[0] &&
            !states_is_one(states[some[i]]))
            return 0;
    return 1;
}
