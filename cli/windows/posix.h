/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * posix.h: POSIX for the command on Windows, as far as the command uses it.
 *
 * The command is written for POSIX.  On Windows the compiler reads this header before each
 * of its files (cli/CMakeLists.txt), and posix.c implements it.  No other file of the
 * command knows about Windows.
 */
#ifndef CLI_WINDOWS_POSIX_H
#define CLI_WINDOWS_POSIX_H

#define _POSIX_C_SOURCE 200809L
#define _CRT_RAND_S     /* rand_s() */

#include <fcntl.h>
#include <io.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files.  Paths are UTF-8, and may be long ---- */

#define O_CLOEXEC  O_NOINHERIT
#define O_NONBLOCK 0    /* opening a file never waits */

#undef stat
#undef fstat
#define stat   windows_stat
#define fstat  windows_fstat
#define lstat  windows_lstat
#define open   windows_open
#define read   windows_read
#define write  windows_write
#define access windows_access
#define rename windows_rename
#define unlink windows_unlink
#define mkstemp windows_mkstemp
#define isatty windows_isatty

struct windows_stat {
    unsigned st_mode;
    uint64_t st_ino, st_size;
};

int     windows_stat(const char *path, struct windows_stat *st);
int     windows_lstat(const char *path, struct windows_stat *st);
int     windows_fstat(int fd, struct windows_stat *st);
int     windows_open(const char *path, int flags);      /* to read */
ssize_t windows_read(int fd, void *to, size_t len);
ssize_t windows_write(int fd, const void *from, size_t len);
int     windows_access(const char *path, int mode);     /* of a folder: does it exist? */
int     windows_rename(const char *from, const char *to);
int     windows_unlink(const char *path);
int     windows_mkstemp(char *path);
int     windows_isatty(int fd);     /* the C library takes NUL for a terminal, too */

/* A new file has the rights that its folder gives it. */
#define umask(mode)      windows_umask(mode)
#define fchmod(fd, mode) ((void)(mode), 0)
#define fsync(fd)        _commit(fd)

static inline mode_t windows_umask(mode_t mask)
{
    return mask;
}

#define LOCK_EX 1
#define LOCK_NB 2
int     flock(int fd, int operation);

/* ---- Signals.  Ctrl-C and Ctrl-Break, and closing the window ---- */

#define SIGPIPE 13  /* never comes: writing fails with EPIPE */
#define SIGQUIT 3   /* never comes */
#define SIGHUP  SIGBREAK

typedef unsigned windows_signals;
#define sigset_t         windows_signals
#define sigemptyset(set) ((void)(*(set) = 0))
#define sigfillset(set)  ((void)(*(set) = ~0u))
#define sigaddset(set, number) ((void)(*(set) |= 1u << (number)))

/* Signals are blocked for all threads, or for none. */
#undef pthread_sigmask
#undef SIG_BLOCK
#undef SIG_UNBLOCK
#undef SIG_SETMASK
#define SIG_BLOCK   1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define pthread_sigmask windows_sigmask
int     windows_sigmask(int how, const sigset_t *set, sigset_t *before);

struct sigaction {
    void (*sa_handler)(int number);
};
int     sigaction(int number, const struct sigaction *now, struct sigaction *before);
int     pause(void);

#define exit windows_exit
_Noreturn void windows_exit(int status);

/* Ends the process with the status that a shell of Unix reports for this signal. */
#define raise windows_raise
int     windows_raise(int number);

/* ---- The rest ---- */

#define _SC_NPROCESSORS_ONLN 1
long    sysconf(int name);
char   *strndup(const char *text, size_t len);

/* What the command aligns, it aligns for huge pages, which it does not use here. */
#define aligned_alloc(alignment, len) malloc(len)

#endif
