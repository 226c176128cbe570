/* SPDX-License-Identifier: BSD-2-Clause */
/* live.h: filters that may be replaced while they are in use. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include <petal.h>

struct live;

/* Opens a filter.  If `watched`, a file that has been replaced is opened again: within a second,
 * or at once after SIGHUP. */
struct live *live_open(const char *path, unsigned flags, bool watched);
struct live *live_of(const char *path, petal_filter *filter);   /* takes over the filter */
const char  *live_path(const struct live *live);
petal_form   live_form(const struct live *live);

/* The filter, for as long as it is needed: it is not freed before it is released. */
const petal_filter *live_acquire(struct live *live);
void                live_release(struct live *live, const petal_filter *filter);

void live_close(struct live *live);

#endif
