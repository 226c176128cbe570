/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * narrow.c: filters larger than the address space are rejected.
 *
 * On a 32-bit machine the length of an image may not fit into a size_t.  Truncated to 32
 * bits it would be a different length, and the filter would exceed its memory.  On other
 * machines no image is that large, and this program checks only that nothing breaks.
 *
 * No test framework, so that it also runs under emulators.
 */
#define _FILE_OFFSET_BITS 64 /* large files on 32-bit machines */
#include "folder.h"
#include "support.h"

#include <fcntl.h>

static const bool narrow = sizeof(size_t) < 8;

/* ---- New filters ---- */

static uint64_t requested; /* the size requested for an image, far more than for a handle */

static void *host_realloc(void *context, void *old, size_t len)
{
    (void)context;
    if (len == 0)
        free(old);
    else if (len <= 65536)
        return malloc(len);
    else
        requested = len;
    return NULL;
}

/* The allocator is never asked for less than the length of the image. */
static void filters_larger_than_memory_are_not_created(void)
{
    static const uint64_t bits[] = { (uint64_t)1 << 43, (uint64_t)1 << 36,
                                     ((uint64_t)1 << 35) + 8 };
    petal_set_allocator(host_realloc, NULL);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const petal_options o = { .kind = PETAL_CLASSIC, .bits = bits[i], .hashes = 1 };
        petal_shape shape;
        petal_filter *f;
        require(petal_plan(&o, &shape) == PETAL_OK && shape.image_bytes > UINT32_MAX);
        requested = 0;
        require(petal_new(&o, &f) == PETAL_E_MEMORY && !f);
        require(narrow ? requested == 0 : requested > shape.image_bytes);
    }
    petal_set_allocator(NULL, NULL);
}

/* ---- Files ---- */

/* A file that begins with a valid filter and is 2^32 bytes longer.  Only its full length
 * shows that it is invalid. */
static void no_file_is_opened_that_memory_cannot_hold(void)
{
    char *folder = folder_made();
    require(folder);
    const char *path = in_folder(folder, "large.petal");
    petal_filter *f = filter_made((petal_options){ .capacity = 100 });
    const off_t len = (off_t)petal_shape_of(f)->image_bytes;
    require(petal_save(f, path) == PETAL_OK);
    petal_free(f);
    const int fd = open(path, O_WRONLY);
    require(fd >= 0 && ftruncate(fd, len + ((off_t)1 << 32)) == 0 && close(fd) == 0);
    for (unsigned copy = 0; copy < (narrow ? 2 : 1); copy++) {
        const int rc = petal_open(path, PETAL_TRUST | (copy ? PETAL_COPY : 0), &f);
        require(rc == (narrow ? PETAL_E_MEMORY : PETAL_E_CORRUPT) && !f);
    }
    folder_gone(folder);
}

int main(void)
{
    filters_larger_than_memory_are_not_created();
    no_file_is_opened_that_memory_cannot_hold();
    return 0;
}
