/* SPDX-License-Identifier: BSD-2-Clause */
/* held.h: the value of a key: a filter, which is packed while it is small and not in use. */
#ifndef REDIS_HELD_H
#define REDIS_HELD_H

#include "petal_host.h"

struct held;

/* Makes a value that owns this filter. */
struct held *held_new(petal_filter *filter);

/* NULL if there is not enough memory. */
struct held *held_copy(const struct held *held);

/* May be called in any thread, once the value is in no key any more.  NULL is allowed. */
void held_free(struct held *held);

/* The number of values in memory. */
size_t held_total(void);

/* The filter, ready for use.  It stays valid while up to HELD_OTHERS other values are woken or
 * made, and at least until this one is changed or freed.  A command that needs several filters
 * uses one after the other. */
#define HELD_OTHERS 127
petal_filter *held_wake(struct held *held);

/* Replaces the filter of a value that is awake by one that is the same.  Returns the old one. */
petal_filter *held_swap(struct held *held, petal_filter *filter);

/* The filter, to read it without waking the value.  Ends with held_close().  Takes no lock, so
 * it works in a process that the server has forked to save its keys. */
petal_filter *held_open(const struct held *held);
void held_close(const struct held *held, petal_filter *filter);

/* The memory that it takes now, as counted by the server's allocator. */
size_t held_bytes(const struct held *held);

/* What a value takes while its filter is awake. */
size_t held_bytes_awake(const petal_filter *filter);

/* The length of the longest block of memory that is freed with it, more or less. */
size_t held_longest(const struct held *held);

/* Lets a host that defragments memory move it.  Returns its new address. */
struct held *held_move(struct held *held, petal_move_fn *move, void *context);

#endif
