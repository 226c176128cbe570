/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * windows_file.c: files on Windows: open, read, map, replace.
 *
 * Paths are UTF-8.  They are converted to UTF-16 and made absolute, with the prefix
 * \\?\ that lifts the limit of 260 characters.
 *
 * As in posix_file.c, new contents go to a new file in the same folder, are forced to disk,
 * and take the place of the old file by a rename.  Every file is opened so that others may
 * rename or delete it meanwhile (FILE_SHARE_DELETE).  The rename is tried in three ways:
 *
 *   1. With POSIX semantics (Windows 10 on NTFS).  It replaces a file that others have
 * open.
 *   2. The older way, for other file systems and systems.  It fails if the old file is open
 *      or mapped.
 *   3. The old file is renamed first, then the new file takes its name, then the old one is
 *      deleted.  This is the only way that is not one step: for a moment no file has the
 *      name, and a process that is killed at this moment leaves the old file under its
 *      temporary name, .petal-*.old.
 *
 * An old file that is still mapped cannot be deleted on every system.  The next save into
 * this folder tries again.
 */
#include "os/os.h"

#ifdef OS_WINDOWS

#include "petal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define CHUNK_MAX ((size_t)1 << 30) /* ReadFile() and WriteFile() count in 32 bits */
#define RENAME_EX ((FILE_INFO_BY_HANDLE_CLASS)22) /* FileRenameInfoEx, in newer headers */

/* ---- errno ---- */

static int file_errno(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE: return EACCES;
    case ERROR_WRITE_PROTECT: return EROFS;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT: return ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_NO_UNICODE_TRANSLATION: return EILSEQ;
    case ERROR_DIRECTORY: return ENOTDIR;
    default: return EIO;
    }
}

/* Set errno from the last error of the system.  Returns rc. */
static int file_failed(int rc)
{
    errno = file_errno(GetLastError());
    return rc;
}

static int file_refused(int why)
{
    errno = why;
    return PETAL_E_OPEN;
}

/* Close a file that has no more to tell.  Neither errno nor the last error changes. */
static int file_done(HANDLE handle, int rc)
{
    const DWORD error = GetLastError();
    const int why = errno;
    CloseHandle(handle);
    errno = why;
    SetLastError(error);
    return rc;
}

/* ---- Paths ---- */

/* The absolute path, with the prefix for long ones.  Devices keep their names. */
static int file_path(const char *path, wchar_t to[OS_PATH_MAX])
{
    wchar_t wide[OS_PATH_MAX], full[OS_PATH_MAX];
    const int len =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, OS_PATH_MAX);
    if (len == 0 && GetLastError() == ERROR_INSUFFICIENT_BUFFER)
        return file_refused(ENAMETOOLONG);
    if (len == 0)
        return file_failed(PETAL_E_OPEN);
    const DWORD full_len = GetFullPathNameW(wide, OS_PATH_MAX, full, NULL);
    if (full_len == 0)
        return file_failed(PETAL_E_OPEN);
    if (full_len >= OS_PATH_MAX - 8)
        return file_refused(ENAMETOOLONG);
    const bool device =
        wcsncmp(full, L"\\\\.\\", 4) == 0 || wcsncmp(full, L"\\\\?\\", 4) == 0;
    const bool share = !device && wcsncmp(full, L"\\\\", 2) == 0;
    wcscpy(to, device ? L"" : share ? L"\\\\?\\UNC" : L"\\\\?\\");
    wcscat(to, share ? full + 1 : full);
    return PETAL_OK;
}

/* ---- Opening ---- */

/* Only regular files are filters. */
static int file_wants_regular(HANDLE handle, BY_HANDLE_FILE_INFORMATION *about)
{
    if (GetFileType(handle) != FILE_TYPE_DISK)
        return file_refused(EINVAL);
    if (!GetFileInformationByHandle(handle, about))
        return file_failed(PETAL_E_OPEN);
    if (about->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return file_refused(EISDIR);
    return PETAL_OK;
}

int petal__os_open(const char *path, struct os_file *file)
{
    wchar_t wide[OS_PATH_MAX];
    BY_HANDLE_FILE_INFORMATION about;
    if (file_path(path, wide) < 0)
        return PETAL_E_OPEN;
    file->handle = CreateFileW(wide, GENERIC_READ, SHARE_ALL, NULL, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS, NULL); /* folders, too */
    if (file->handle == INVALID_HANDLE_VALUE)
        return file_failed(PETAL_E_OPEN);
    if (file_wants_regular(file->handle, &about) < 0)
        return file_done(file->handle, PETAL_E_OPEN);
    file->len = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    return PETAL_OK;
}

int petal__os_close(struct os_file *file, int rc)
{
    return file_done(file->handle, rc);
}

int64_t petal__os_read(struct os_file *file, void *bytes, size_t len)
{
    size_t done = 0;
    while (done < len) {
        const size_t left = len - done;
        DWORD got;
        if (!ReadFile(file->handle, (uint8_t *)bytes + done,
                      (DWORD)(left < CHUNK_MAX ? left : CHUNK_MAX), &got, NULL))
            return file_failed(PETAL_E_READ);
        if (got == 0)
            break;
        done += got;
    }
    return (int64_t)done;
}

void *petal__os_map(struct os_file *file)
{
    const HANDLE mapping =
        CreateFileMappingW(file->handle, NULL, PAGE_READONLY, 0, 0, NULL);
    void *bytes =
        mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, (size_t)file->len) : NULL;
    if (!bytes)
        file_failed(PETAL_E_READ);
    if (mapping)
        file_done(mapping, 0); /* the view keeps it */
    return bytes;
}

void petal__os_unmap(void *bytes, size_t len)
{
    (void)len;
    UnmapViewOfFile(bytes);
}

/* ---- Replacing ---- */

/* The folder of a path, up to and with its last backslash. */
static void target_folder(struct os_target *target)
{
    wcscpy(target->folder, target->path);
    wchar_t *slash = wcsrchr(target->folder, L'\\');
    if (slash)
        slash[1] = 0;
}

/* A file that exists: is it regular, may it be replaced, and where is it behind links? */
static int target_look(struct os_target *target, HANDLE old)
{
    wchar_t real[OS_PATH_MAX];
    BY_HANDLE_FILE_INFORMATION about;
    if (file_wants_regular(old, &about) < 0)
        return PETAL_E_OPEN;
    if (about.dwFileAttributes & FILE_ATTRIBUTE_READONLY)
        return file_refused(EACCES);
    const DWORD len = GetFinalPathNameByHandleW(old, real, OS_PATH_MAX, 0);
    if (len > 0 && len < OS_PATH_MAX) /* not every file system can tell */
        wcscpy(target->path, real);
    return PETAL_OK;
}

int petal__os_target(const char *path, struct os_target *target)
{
    if (file_path(path, target->path) < 0)
        return PETAL_E_OPEN;
    const HANDLE old = CreateFileW(target->path, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL,
                                   OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    target->exists = old != INVALID_HANDLE_VALUE;
    if (!target->exists && file_failed(PETAL_E_OPEN) < 0 && errno != ENOENT)
        return PETAL_E_OPEN;
    if (target->exists && file_done(old, target_look(target, old)) < 0)
        return PETAL_E_OPEN;
    target_folder(target);
    const DWORD attributes = GetFileAttributesW(target->folder);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return file_failed(PETAL_E_OPEN);
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? PETAL_OK : file_refused(ENOTDIR);
}

/* A name in the folder that nobody else uses. */
static int target_name(const struct os_target *target, const wchar_t *ending,
                       wchar_t name[OS_PATH_MAX + 32])
{
    uint64_t random;
    const int rc = petal__os_random(&random, sizeof random);
    if (rc < 0)
        return rc;
    swprintf(name, OS_PATH_MAX + 32, L"%ls.petal-%08x%08x%ls", target->folder,
             (unsigned)(random >> 32), (unsigned)random, ending);
    return PETAL_OK;
}

/* Who may read and write the file that is replaced.  NULL if there is none, or if the file
 * system does not say: the new file then gets what files of the folder get. */
static SECURITY_DESCRIPTOR *target_rights(const struct os_target *target)
{
    DWORD len = 0;
    if (!target->exists)
        return NULL;
    GetFileSecurityW(target->path, DACL_SECURITY_INFORMATION, NULL, 0, &len);
    SECURITY_DESCRIPTOR *rights = len > 0 ? malloc(len) : NULL;
    if (rights &&
        !GetFileSecurityW(target->path, DACL_SECURITY_INFORMATION, rights, len, &len)) {
        free(rights);
        rights = NULL;
    }
    return rights;
}

/* A new file in the folder, open to write; its name in `temporary`.  It has the rights of
 * the old file from the beginning: a secret may be in it. */
static int target_create(const struct os_target *target, HANDLE *handle,
                         wchar_t temporary[OS_PATH_MAX + 32])
{
    const int rc = target_name(target, L"", temporary);
    if (rc < 0)
        return rc;
    SECURITY_ATTRIBUTES rights = { .nLength = sizeof rights,
                                   .lpSecurityDescriptor = target_rights(target) };
    *handle =
        CreateFileW(temporary, GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                    rights.lpSecurityDescriptor ? &rights : NULL, CREATE_NEW,
                    FILE_ATTRIBUTE_NORMAL, NULL);
    const DWORD error = GetLastError();
    free(rights.lpSecurityDescriptor);
    SetLastError(error);
    return *handle == INVALID_HANDLE_VALUE ? file_failed(PETAL_E_WRITE) : PETAL_OK;
}

static int target_fill(HANDLE handle, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        DWORD wrote;
        if (!WriteFile(handle, bytes, (DWORD)(len < CHUNK_MAX ? len : CHUNK_MAX), &wrote,
                       NULL))
            return file_failed(PETAL_E_WRITE);
        bytes += wrote;
        len -= wrote;
    }
    return FlushFileBuffers(handle) ? PETAL_OK : file_failed(PETAL_E_SYNC);
}

/* Rename an open file; `flags` are 0 for a name that must be free. */
static bool target_rename(HANDLE handle, const wchar_t *to, DWORD flags)
{
    struct {
        FILE_RENAME_INFO info;
        wchar_t rest[OS_PATH_MAX + 32];
    } rename = { .info.Flags = flags };
    rename.info.FileNameLength = (DWORD)(wcslen(to) * sizeof *to);
    wcscpy(rename.info.FileName, to);
    const bool posix = flags & FILE_RENAME_FLAG_POSIX_SEMANTICS;
    return SetFileInformationByHandle(handle, posix ? RENAME_EX : FileRenameInfo, &rename,
                                      sizeof rename);
}

/* Deletes a file, also one that is mapped, as far as the system can. */
static void target_delete(const wchar_t *path)
{
    const HANDLE handle = CreateFileW(path, DELETE, SHARE_ALL, NULL, OPEN_EXISTING,
                                      FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (handle != INVALID_HANDLE_VALUE)
        file_done(handle, 0);
}

/* The third way: the old file steps aside.  While we have it open for ourselves, no sweep
 * deletes it, and it can go back. */
static bool target_swap(const struct os_target *target, HANDLE handle)
{
    wchar_t aside[OS_PATH_MAX + 32];
    if (target_name(target, L".old", aside) < 0)
        return false;
    const HANDLE old = CreateFileW(target->path, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                   NULL, OPEN_EXISTING, 0, NULL);
    if (old == INVALID_HANDLE_VALUE)
        return false;
    bool done = target_rename(old, aside, 0);
    if (done && !target_rename(handle, target->path, 0)) {
        const DWORD error = GetLastError();
        target_rename(old, target->path, 0);
        SetLastError(error);
        done = false;
    }
    return file_done(old, done);
}

/* Delete old files that were still mapped when they were replaced. */
static void target_sweep(const struct os_target *target)
{
    wchar_t path[OS_PATH_MAX + MAX_PATH];
    WIN32_FIND_DATAW found;
    swprintf(path, OS_PATH_MAX + MAX_PATH, L"%ls.petal-*.old", target->folder);
    const HANDLE search = FindFirstFileW(path, &found);
    if (search == INVALID_HANDLE_VALUE)
        return;
    do {
        swprintf(path, OS_PATH_MAX + MAX_PATH, L"%ls%ls", target->folder, found.cFileName);
        target_delete(path);
    } while (FindNextFileW(search, &found));
    FindClose(search);
}

/* The new file takes the name.  Somebody may be about to open or replace the old one, or
 * examine the new one for viruses: such moments are waited for. */
static int target_move(const struct os_target *target, HANDLE handle)
{
    for (int tries = 0; tries < 50; tries++) {
        if (target_rename(handle, target->path,
                          FILE_RENAME_FLAG_REPLACE_IF_EXISTS |
                              FILE_RENAME_FLAG_POSIX_SEMANTICS) ||
            target_rename(handle, target->path, FILE_RENAME_FLAG_REPLACE_IF_EXISTS) ||
            target_swap(target, handle))
            return PETAL_OK;
        if (file_errno(GetLastError()) != EACCES && file_errno(GetLastError()) != ENOENT)
            break;
        Sleep(10);
    }
    return file_failed(PETAL_E_RENAME);
}

int petal__os_replace(struct os_target *target, const void *bytes, size_t len)
{
    wchar_t temporary[OS_PATH_MAX + 32];
    HANDLE handle;
    if (!bytes)
        return PETAL_OK;
    int rc = target_create(target, &handle, temporary);
    if (rc < 0)
        return rc;
    rc = target_fill(handle, bytes, len);
    if (rc == PETAL_OK)
        rc = target_move(target, handle);
    if (rc < 0) {
        target_delete(temporary);
        return file_done(handle, rc);
    }
    if (!FlushFileBuffers(handle)) /* the name, too */
        rc = file_failed(PETAL_E_SYNC);
    target_sweep(target);
    return file_done(handle, rc);
}

#endif
