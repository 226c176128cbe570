/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * posix.c: POSIX for the command on Windows (posix.h).
 *
 * Before main(), standard input and output are set to pass bytes as they are, and a console
 * to UTF-8 and to the escape sequences of terminals.  The arguments are UTF-8 by the
 * manifest (petal.manifest).  The shell of Windows leaves wildcards to programs, so the C
 * library expands them.
 */
#include "posix.h"

#include <errno.h>
#include <windows.h>

#define PATH_LEN  4096
#define CHUNK_MAX ((size_t)1 << 30) /* the C library counts in 32 bits */
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

extern int _dowildcard;
int _dowildcard = -1;

/* ---- Before main() ---- */

static UINT console_before;

static void console_restore(void)
{
    if (console_before != 0)
        SetConsoleOutputCP(console_before);
}

/* Escape sequences, where this is a console. */
static void console_start(DWORD which)
{
    const HANDLE console = GetStdHandle(which);
    DWORD mode;
    if (GetConsoleMode(console, &mode))
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

static void __attribute__((constructor)) posix_start(void)
{
    for (int fd = 0; fd < 3; fd++)
        _setmode(fd, _O_BINARY);
    console_start(STD_OUTPUT_HANDLE);
    console_start(STD_ERROR_HANDLE);
    console_before = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    atexit(console_restore);
}

/* ---- errno ---- */

static int posix_failed(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME: errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE: errno = EACCES; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_INSUFFICIENT_BUFFER:
    case ERROR_FILENAME_EXCED_RANGE: errno = ENAMETOOLONG; break;
    case ERROR_NO_UNICODE_TRANSLATION: errno = EILSEQ; break;
    default: errno = EIO;
    }
    return -1;
}

/* ---- Paths ---- */

/* The absolute path in UTF-16, with the prefix for long ones.  Devices keep their names. */
static int posix_path(const char *path, wchar_t to[PATH_LEN])
{
    wchar_t wide[PATH_LEN], full[PATH_LEN];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, PATH_LEN))
        return posix_failed();
    const DWORD len = GetFullPathNameW(wide, PATH_LEN, full, NULL);
    if (len == 0)
        return posix_failed();
    if (len >= PATH_LEN - 8) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int device =
        wcsncmp(full, L"\\\\.\\", 4) == 0 || wcsncmp(full, L"\\\\?\\", 4) == 0;
    const int share = !device && wcsncmp(full, L"\\\\", 2) == 0;
    wcscpy(to, device ? L"" : share ? L"\\\\?\\UNC" : L"\\\\?\\");
    wcscat(to, share ? full + 1 : full);
    return 0;
}

static HANDLE posix_handle(const char *path, DWORD rights, DWORD creation, DWORD flags)
{
    wchar_t wide[PATH_LEN];
    if (posix_path(path, wide) < 0)
        return INVALID_HANDLE_VALUE;
    const HANDLE handle = CreateFileW(wide, rights, SHARE_ALL, NULL, creation, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        posix_failed();
    return handle;
}

/* ---- What is there ---- */

static int posix_about(HANDLE handle, struct stat *st)
{
    BY_HANDLE_FILE_INFORMATION about;
    *st = (struct stat){ 0 };
    switch (GetFileType(handle)) {
    case FILE_TYPE_PIPE: st->st_mode = S_IFIFO; return 0;
    case FILE_TYPE_CHAR: st->st_mode = S_IFCHR; return 0;
    default: break;
    }
    if (!GetFileInformationByHandle(handle, &about))
        return posix_failed();
    st->st_mode = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG;
    st->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    st->st_size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    return 0;
}

static int posix_look(const char *path, DWORD flags, struct stat *st)
{
    const HANDLE handle = posix_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                                       FILE_FLAG_BACKUP_SEMANTICS | flags);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    const int rc = posix_about(handle, st);
    CloseHandle(handle);
    return rc;
}

int windows_stat(const char *path, struct stat *st)
{
    return posix_look(path, 0, st);
}

int windows_lstat(const char *path, struct stat *st)
{
    return posix_look(path, FILE_FLAG_OPEN_REPARSE_POINT, st);
}

/* A file that was passed on as standard input may tell its length and nothing else. */
int windows_fstat(int fd, struct stat *st)
{
    LARGE_INTEGER len;
    const HANDLE handle = (HANDLE)_get_osfhandle(fd);
    if (handle == INVALID_HANDLE_VALUE || GetFileType(handle) == FILE_TYPE_UNKNOWN) {
        errno = EBADF;
        return -1;
    }
    if (posix_about(handle, st) == 0)
        return 0;
    if (!GetFileSizeEx(handle, &len))
        return posix_failed();
    st->st_mode = S_IFREG;
    st->st_size = (uint64_t)len.QuadPart;
    return 0;
}

int windows_access(const char *path, int mode)
{
    struct stat st;
    (void)mode;
    return windows_stat(path, &st);
}

int windows_isatty(int fd)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(fd), &mode);
}

/* ---- Reading and writing ---- */

/* Others may rename and delete the file while it is open, as petal_save() does. */
int windows_open(const char *path, int flags)
{
    const HANDLE handle =
        posix_handle(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    return _open_osfhandle((intptr_t)handle, flags | O_BINARY);
}

static unsigned posix_chunk(size_t len)
{
    return (unsigned)(len < CHUNK_MAX ? len : CHUNK_MAX);
}

ssize_t windows_read(int fd, void *to, size_t len)
{
    return _read(fd, to, posix_chunk(len));
}

/* To a pipe whose reader has gone, the C library says EINVAL. */
ssize_t windows_write(int fd, const void *from, size_t len)
{
    const int wrote = _write(fd, from, posix_chunk(len));
    if (wrote < 0 && errno == EINVAL &&
        GetFileType((HANDLE)_get_osfhandle(fd)) == FILE_TYPE_PIPE)
        errno = EPIPE;
    return wrote;
}

int windows_rename(const char *from, const char *to)
{
    wchar_t wide_from[PATH_LEN], wide_to[PATH_LEN];
    if (posix_path(from, wide_from) < 0 || posix_path(to, wide_to) < 0)
        return -1;
    return MoveFileExW(wide_from, wide_to,
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
               ? 0
               : posix_failed();
}

int windows_unlink(const char *path)
{
    wchar_t wide[PATH_LEN];
    if (posix_path(path, wide) < 0)
        return -1;
    return DeleteFileW(wide) ? 0 : posix_failed();
}

/* The last six characters of the path become digits. */
int windows_mkstemp(char *path)
{
    for (int tries = 0; tries < 100; tries++) {
        unsigned random;
        rand_s(&random);
        snprintf(path + strlen(path) - 6, 7, "%06x", random & 0xffffff);
        const HANDLE handle = posix_handle(path, GENERIC_WRITE, CREATE_NEW, 0);
        if (handle != INVALID_HANDLE_VALUE)
            return _open_osfhandle((intptr_t)handle, O_BINARY | O_NOINHERIT);
        if (errno != EEXIST)
            break;
    }
    return -1;
}

/* Locks of Windows keep others from reading what is locked.  This one is for a byte that no
 * file has. */
int flock(int fd, int operation)
{
    OVERLAPPED at = { .OffsetHigh = 0x40000000 };
    const DWORD flags =
        LOCKFILE_EXCLUSIVE_LOCK | (operation & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
    if (LockFileEx((HANDLE)_get_osfhandle(fd), flags, 0, 1, 0, &at))
        return 0;
    const DWORD error = GetLastError();
    errno = error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? EWOULDBLOCK : EIO;
    return -1;
}

/* ---- Signals ---- */

/* Windows calls handlers in a thread of their own.  While signals are blocked, that thread
 * waits. */
static CRITICAL_SECTION signals_held;
static __thread unsigned signals_blocked;

static BOOL WINAPI signals_wait(DWORD event)
{
    (void)event;
    EnterCriticalSection(&signals_held);
    LeaveCriticalSection(&signals_held);
    return FALSE; /* on to the next handler */
}

static void __attribute__((constructor)) signals_start(void)
{
    InitializeCriticalSection(&signals_held);
    SetConsoleCtrlHandler(signals_wait, TRUE);
}

int windows_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    const unsigned now = how == SIG_BLOCK     ? signals_blocked | *set
                         : how == SIG_UNBLOCK ? signals_blocked & ~*set
                                              : *set;
    if (before)
        *before = signals_blocked;
    if (now && !signals_blocked)
        EnterCriticalSection(&signals_held);
    if (!now && signals_blocked)
        LeaveCriticalSection(&signals_held);
    signals_blocked = now;
    return 0;
}

int sigaction(int number, const struct sigaction *now, struct sigaction *before)
{
    void (*old)(int) = signal(number, now ? now->sa_handler : SIG_DFL);
    if (old == SIG_ERR)
        return -1;
    if (!now)
        signal(number, old);
    if (before)
        before->sa_handler = old;
    return 0;
}

/* Other threads may be at work.  ExitProcess() would end them one by one, at any point, and
 * then run on in what they leave. */
_Noreturn void windows_exit(int status)
{
    fflush(NULL);
    console_restore();
    TerminateProcess(GetCurrentProcess(), (UINT)status);
    abort();
}

int windows_raise(int number)
{
    windows_exit(128 + number);
}

int pause(void)
{
    Sleep(INFINITE);
    return -1;
}

/* ---- The rest ---- */

/* The processors that this process may use. */
long sysconf(int name)
{
    DWORD_PTR mine, all;
    (void)name;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all))
        return -1;
    return __builtin_popcountll(mine);
}

char *strndup(const char *text, size_t len)
{
    len = strnlen(text, len);
    char *copy = malloc(len + 1);
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = 0;
    }
    return copy;
}
