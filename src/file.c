/*
 * file.c: open, map, save.
 *
 * Opening never writes.  Saving never touches the file that is there: the image goes
 * to a new file in the same folder, is forced to disk, and takes the place of the old
 * one by rename, so that the path holds the complete old filter or the complete new
 * one, whatever fails and whenever (G4).  Each step has its own error, and errno says
 * why it failed; a failed fsync() is never tried again, since the system may have
 * forgotten what it could not write.
 */
#define _DEFAULT_SOURCE
#ifndef __LP64__
#define _FILE_OFFSET_BITS 64 /* large files on 32 bits */
#endif

#include "image.h"
#include "memory.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- System calls, done with ---- */

static int file_open(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Linux closes the file even if it was interrupted. */
static int file_close(int fd)
{
    return close(fd) < 0 && errno != EINTR ? -1 : 0;
}

/* Close a file that has no more to tell, and keep errno for what went before. */
static int file_done(int fd, int rc)
{
    const int why = errno;
    close(fd);
    errno = why;
    return rc;
}

static int file_write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t wrote = write(fd, bytes, len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return -1;
        bytes += wrote;
        len -= (size_t)wrote;
    }
    return 0;
}

/* How many bytes there were: fewer than len if the file has shrunk. */
static ssize_t file_read_all(int fd, uint8_t *bytes, size_t len)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t got = read(fd, bytes + done, len - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* ---- Opening ---- */

static void file_unmap(void *block, size_t len)
{
    munmap(block, len);
}

static void file_unload(void *block, size_t len)
{
    (void)len;
    petal__memory_free(block);
}

/* Memory that holds an image, and how it is given back. */
struct held {
    void *block;
    size_t len;
    void (*release)(void *block, size_t len);
};

/* A view of these bytes that gives back their block when it goes. */
static int file_view(const void *bytes, size_t len, bool trust, struct held held,
                     petal_filter **filter)
{
    const int rc = petal_view(bytes, len, trust ? PETAL_TRUST : 0, filter);
    if (rc < 0) {
        held.release(held.block, held.len);
        return rc;
    }
    (*filter)->block = held.block;
    (*filter)->block_len = held.len;
    (*filter)->release = held.release;
    return PETAL_OK;
}

static int file_map(int fd, size_t len, bool trust, petal_filter **filter)
{
    void *block = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
    if (block == MAP_FAILED)
        return PETAL_E_READ;
    if (len >= SYSTEM_HUGE_LEN)
        petal__system_huge_pages(block, len);
    return file_view(block, len, trust, (struct held){ block, len, file_unmap }, filter);
}

/* Read, not mapped, so that no later change to the file shows. */
static int file_load(int fd, size_t len, bool trust, petal_filter **filter)
{
    void *block;
    uint8_t *bytes = petal__memory_cells(len, &block);
    if (!bytes)
        return PETAL_E_MEMORY;
    const ssize_t got = file_read_all(fd, bytes, len);
    if (got < 0) {
        const int why = errno;
        file_unload(block, len);
        errno = why;
        return PETAL_E_READ;
    }
    const struct held held = { block, len, file_unload };
    const int rc = file_view(bytes, (size_t)got, trust, held, filter);
    if (rc == PETAL_OK)
        (*filter)->writable = true;
    return rc;
}

int petal_open(const char *path, unsigned flags, petal_filter **filter)
{
    *filter = NULL;
    if (flags & ~(unsigned)(PETAL_COPY | PETAL_TRUST))
        return PETAL_E_OPTION;
    const int fd = file_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return PETAL_E_OPEN;
    struct stat st;
    if (fstat(fd, &st) < 0)
        return file_done(fd, PETAL_E_OPEN);
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return file_done(fd, PETAL_E_OPEN);
    }
    if ((uint64_t)st.st_size > SIZE_MAX)
        return file_done(fd, PETAL_E_MEMORY);
    if (st.st_size < IMAGE_HEADER) { /* too short to be mapped, perhaps empty */
        uint8_t start[IMAGE_HEADER];
        const ssize_t got = file_read_all(fd, start, sizeof start);
        petal_filter none;
        return file_done(fd, got < 0 ? PETAL_E_READ
                                     : petal__image_read(&none, start, (size_t)got, true));
    }
    const int rc = (flags & PETAL_COPY ? file_load : file_map)(fd, (size_t)st.st_size,
                                                               flags & PETAL_TRUST, filter);
    return file_done(fd, rc);
}

/* ---- Saving ---- */

/* The folder of a path, up to and with its last slash. */
static void file_folder(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash + 1 - path), path);
    else
        strcpy(folder, "./");
}

/* A new file in the folder, open to write; its name in `temporary`. */
static int file_create(const char *folder, mode_t mode, char temporary[PATH_MAX + 32])
{
    for (int tries = 0; tries < 100; tries++) {
        uint64_t random;
        const int rc = petal__system_random(&random, sizeof random);
        if (rc < 0)
            return rc;
        snprintf(temporary, PATH_MAX + 32, "%s.petal-%016llx", folder,
                 (unsigned long long)random);
        const int fd = file_open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    return PETAL_E_WRITE;
}

/* The mode of the file that is replaced; its owner and group where that is allowed, and
 * where the group is not, nothing for another group. */
static int file_inherit(int fd, const struct stat *old)
{
    const int before = errno;
    mode_t mode = old->st_mode & 07777;
    if (fchown(fd, old->st_uid, old->st_gid) < 0 && fchown(fd, (uid_t)-1, old->st_gid) < 0)
        mode &= ~(mode_t)(S_IRWXG | S_ISGID);
    errno = before;
    return fchmod(fd, mode);
}

static int file_fill(int fd, const petal_filter *f, const struct stat *old)
{
    if ((old && file_inherit(fd, old) < 0) ||
        file_write_all(fd, f->image, (size_t)f->shape.image_bytes) < 0)
        return file_done(fd, PETAL_E_WRITE);
    if (fsync(fd) < 0)
        return file_done(fd, PETAL_E_SYNC);
    return file_close(fd) < 0 ? PETAL_E_WRITE : PETAL_OK;
}

/* Where the file really is, for a path that may be a link; and what is there now.
 * 1 if there is a file to replace, 0 if there is none. */
static int file_target(const char *path, char target[PATH_MAX], struct stat *old)
{
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return PETAL_E_OPEN;
    }
    strcpy(target, path);
    if (stat(path, old) < 0)
        return errno == ENOENT ? 0 : PETAL_E_OPEN;
    if (!S_ISREG(old->st_mode)) {
        errno = S_ISDIR(old->st_mode) ? EISDIR : EINVAL;
        return PETAL_E_OPEN;
    }
    return realpath(path, target) ? 1 : PETAL_E_OPEN;
}

/* All of it but the folder: written, on disk, in place; or gone. */
static int file_replace(const petal_filter *f, const char *folder, const char *target,
                        const struct stat *old)
{
    char temporary[PATH_MAX + 32];
    const int fd = file_create(folder, old ? 0600 : 0666, temporary); /* for nobody yet */
    if (fd < 0)
        return fd;
    int rc = file_fill(fd, f, old);
    if (rc == PETAL_OK && rename(temporary, target) < 0)
        rc = PETAL_E_RENAME;
    if (rc < 0) {
        const int why = errno;
        unlink(temporary);
        errno = why;
    }
    return rc;
}

int petal_save(petal_filter *filter, const char *path)
{
    char target[PATH_MAX], folder[PATH_MAX];
    struct stat old;
    const int there = file_target(path, target, &old);
    if (there < 0)
        return there;
    file_folder(target, folder);
    const int fd = file_open(folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return PETAL_E_OPEN; /* before anything is changed */
    int rc = petal_seal(filter);
    if (rc == PETAL_OK)
        rc = file_replace(filter, folder, target, there ? &old : NULL);
    if (rc == PETAL_OK && fsync(fd) < 0 && errno != EINVAL) /* not every system can */
        return file_done(fd, PETAL_E_SYNC);
    return file_done(fd, rc);
}
