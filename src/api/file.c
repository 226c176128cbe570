/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.c: petal.h section 8, files: open and save.
 *
 * Opening never writes.  Saving never changes the existing file: it writes a new file and
 * puts it in the place of the old one (os/os.h).
 */
#include "api/api.h"
#include "core/image.h"
#include "core/memory.h"
#include "os/os.h"

#include <errno.h>

static int file_map(struct os_file *file, bool trust, petal_filter **filter)
{
    const size_t len = (size_t)file->len;
    void *bytes = petal__os_map(file);
    if (!bytes)
        return PETAL_E_READ;
    if (len >= OS_HUGE_LEN)
        petal__os_huge_pages(bytes, len);
    petal_filter f;
    const int rc = petal__image_read(&f, bytes, len, trust);
    if (rc < 0) {
        petal__os_unmap(bytes, len);
        return rc;
    }
    f.block = bytes;
    f.block_len = len;
    f.release = petal__os_unmap;
    return petal__adopt(&f, filter);
}

/* Reads the file instead of mapping it, so that later changes to the file have
 * no effect. */
static int file_load(struct os_file *file, bool trust, petal_filter **filter)
{
    void *block;
    uint8_t *bytes = petal__memory_cells((size_t)file->len, &block);
    if (!bytes)
        return PETAL_E_MEMORY;
    petal_filter f;
    const int64_t len_read = petal__os_read(file, bytes, (size_t)file->len);
    const int rc = len_read < 0 ? (int)len_read
                                : petal__image_read(&f, bytes, (size_t)len_read, trust);
    if (rc < 0) {
        const int why = errno;
        petal__memory_free(block);
        errno = why;
        return rc;
    }
    petal__image_take(&f, block);
    return petal__adopt(&f, filter);
}

/* Returns the error for a file that is too short to be a filter and may be empty, which
 * cannot be mapped. */
static int file_short(struct os_file *file)
{
    uint8_t start[IMAGE_HEADER];
    const int64_t len_read = petal__os_read(file, start, sizeof start);
    petal_filter none;
    return len_read < 0 ? (int)len_read
                        : petal__image_read(&none, start, (size_t)len_read, true);
}

int petal_open(const char *path, unsigned flags, petal_filter **filter)
{
    *filter = NULL;
    if (flags & ~(unsigned)(PETAL_COPY | PETAL_TRUST))
        return PETAL_E_OPTION;
    struct os_file file;
    int rc = petal__os_open(path, &file);
    if (rc < 0)
        return rc;
    if (file.len > SIZE_MAX)
        rc = PETAL_E_MEMORY;
    else if (file.len < IMAGE_HEADER)
        rc = file_short(&file);
    else
        rc =
            (flags & PETAL_COPY ? file_load : file_map)(&file, flags & PETAL_TRUST, filter);
    return petal__os_close(&file, rc);
}

int petal_save(petal_filter *filter, const char *path)
{
    struct os_target target;
    int rc = petal__os_target(path, &target);
    if (rc < 0)
        return rc; /* the filter was not changed */
    rc = petal_seal(filter);
    if (rc < 0) {
        petal__os_replace(&target, NULL, 0);
        return rc;
    }
    return petal__os_replace(&target, filter->image, (size_t)filter->shape.image_bytes);
}
