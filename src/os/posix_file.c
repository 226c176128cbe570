/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * posix_file.c: opens, reads, maps and replaces files on Unix and similar systems.
 *
 * A file is never written in place.  The new contents go to a new file in the same folder,
 * are forced to disk, and replace the old file by rename.  So the path always holds either
 * the complete old file or the complete new one, whatever fails at whatever moment.  Each
 * step has its own error, and errno says why it failed.  A failed fsync() is never retried,
 * because the system may have forgotten the data that it could not write.
 */
#ifdef PETAL_POSIX_ONLY
#define _XOPEN_SOURCE 700
#else
#define _DEFAULT_SOURCE /* as in the other files: tools/amalgamate.py makes one of them */
#endif
#ifndef __LP64__
#define _FILE_OFFSET_BITS 64 /* large files on 32-bit systems */
#endif
#include "os/os.h"

#ifdef OS_POSIX

#include "petal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- System calls, with their interruptions handled ---- */

static int file_open(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Most systems close the file even if close() is interrupted, so EINTR is not an error. */
static int file_close(int fd)
{
    return close(fd) < 0 && errno != EINTR ? -1 : 0;
}

/* Closes a file whose result does not matter, and keeps errno for the caller. */
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

/* Only regular files can be filters. */
static int file_wants_regular(const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return PETAL_OK;
    errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
    return PETAL_E_OPEN;
}

/* ---- Opening ---- */

int petal__os_open(const char *path, struct os_file *file)
{
    file->fd = file_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (file->fd < 0)
        return PETAL_E_OPEN;
    struct stat st;
    if (fstat(file->fd, &st) < 0 || file_wants_regular(&st) < 0)
        return file_done(file->fd, PETAL_E_OPEN);
    file->len = (uint64_t)st.st_size;
    return PETAL_OK;
}

int petal__os_close(struct os_file *file, int rc)
{
    return file_done(file->fd, rc);
}

int64_t petal__os_read(struct os_file *file, void *bytes, size_t len)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t got = read(file->fd, (uint8_t *)bytes + done, len - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PETAL_E_READ;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (int64_t)done;
}

void *petal__os_map(struct os_file *file)
{
    void *bytes = mmap(NULL, (size_t)file->len, PROT_READ, MAP_SHARED, file->fd, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void petal__os_unmap(void *bytes, size_t len)
{
    munmap(bytes, len);
}

/* ---- Replacing ---- */

/* Finds the folder of the path, up to and including its last slash. */
static void target_folder(struct os_target *target)
{
    const char *slash = strrchr(target->path, '/');
    if (slash)
        snprintf(target->folder, sizeof target->folder, "%.*s",
                 (int)(slash + 1 - target->path), target->path);
    else
        strcpy(target->folder, "./");
}

/* Finds the real path of a file, since the given path may be a link, and examines what is
 * there now. */
static int target_find(const char *path, struct os_target *target)
{
    char real[PATH_MAX];
    struct stat old;
    if (strlen(path) >= sizeof target->path) {
        errno = ENAMETOOLONG;
        return PETAL_E_OPEN;
    }
    strcpy(target->path, path);
    target->exists = stat(path, &old) == 0;
    if (!target->exists)
        return errno == ENOENT ? PETAL_OK : PETAL_E_OPEN;
    target->mode = old.st_mode & 07777;
    target->owner = old.st_uid;
    target->group = old.st_gid;
    if (file_wants_regular(&old) < 0 || !realpath(path, real))
        return PETAL_E_OPEN;
    snprintf(target->path, sizeof target->path, "%s", real);
    return PETAL_OK;
}

int petal__os_target(const char *path, struct os_target *target)
{
    const int rc = target_find(path, target);
    if (rc < 0)
        return rc;
    target_folder(target);
    target->folder_fd = file_open(target->folder, O_RDONLY | O_DIRECTORY, 0);
    return target->folder_fd < 0 ? PETAL_E_OPEN : PETAL_OK;
}

/* Creates a new file in the folder, opens it for writing and puts its name into
 * `temporary`.  A file that will replace an old one is private at first, because its
 * contents may be secret. */
static int target_create(const struct os_target *target, char temporary[OS_PATH_MAX + 32])
{
    for (int tries = 0; tries < 100; tries++) {
        uint64_t random;
        const int rc = petal__os_random(&random, sizeof random);
        if (rc < 0)
            return rc;
        snprintf(temporary, OS_PATH_MAX + 32, "%s.petal-%016llx", target->folder,
                 (unsigned long long)random);
        const int fd =
            file_open(temporary, O_WRONLY | O_CREAT | O_EXCL, target->exists ? 0600 : 0666);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    return PETAL_E_WRITE;
}

/* Gives the new file the mode of the old one, and its owner and group as far as that is
 * allowed.  If the group cannot be set, another group gets no access. */
static int target_inherit(const struct os_target *target, int fd)
{
    const int before = errno;
    mode_t mode = (mode_t)target->mode;
    const uid_t owner = (uid_t)target->owner;
    const gid_t group = (gid_t)target->group;
    if (fchown(fd, owner, group) < 0 && fchown(fd, (uid_t)-1, group) < 0)
        mode &= ~(mode_t)(S_IRWXG | S_ISGID);
    errno = before;
    return fchmod(fd, mode);
}

static int target_fill(const struct os_target *target, int fd, const void *bytes,
                       size_t len)
{
    if ((target->exists && target_inherit(target, fd) < 0) ||
        file_write_all(fd, bytes, len) < 0)
        return file_done(fd, PETAL_E_WRITE);
    if (fsync(fd) < 0)
        return file_done(fd, PETAL_E_SYNC);
    return file_close(fd) < 0 ? PETAL_E_WRITE : PETAL_OK;
}

/* Writes the new file, forces it to disk and puts it in place.  Removes it if
 * that fails. */
static int target_put(const struct os_target *target, const void *bytes, size_t len)
{
    char temporary[OS_PATH_MAX + 32];
    const int fd = target_create(target, temporary);
    if (fd < 0)
        return fd;
    int rc = target_fill(target, fd, bytes, len);
    if (rc == PETAL_OK && rename(temporary, target->path) < 0)
        rc = PETAL_E_RENAME;
    if (rc < 0) {
        const int why = errno;
        unlink(temporary);
        errno = why;
    }
    return rc;
}

int petal__os_replace(struct os_target *target, const void *bytes, size_t len)
{
    int rc = bytes ? target_put(target, bytes, len) : PETAL_OK;
    if (bytes && rc == PETAL_OK && fsync(target->folder_fd) < 0 &&
        errno != EINVAL) /* some systems cannot sync folders */
        rc = PETAL_E_SYNC;
    return file_done(target->folder_fd, rc);
}

#endif
