/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * posix_random.c: random bytes on Unix and similar systems.
 *
 * The bytes come from the best source of the system.  Linux has getrandom(), which may be
 * interrupted while the machine is still starting.  The BSDs and macOS have
 * arc4random_buf(), which never fails.  Other systems use /dev/urandom, and so does
 * -DPETAL_POSIX_ONLY, which is how that code is tested.
 */
#ifdef PETAL_POSIX_ONLY
#define _POSIX_C_SOURCE 200809L
#else
#define _DEFAULT_SOURCE
#endif
#include "os/os.h"

#ifdef OS_POSIX

#include "petal.h"

#include <errno.h>

#if defined(PETAL_POSIX_ONLY)
#define RANDOM_DEVICE "/dev/urandom"
#elif defined(__linux__)
#include <sys/random.h>
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || \
    defined(__OpenBSD__) || defined(__DragonFly__)
#define RANDOM_ARC4
#else
#define RANDOM_DEVICE "/dev/urandom"
#endif

#if defined(RANDOM_ARC4)

#include <stdlib.h>

int petal__os_random(void *bytes, size_t len)
{
    arc4random_buf(bytes, len);
    return PETAL_OK;
}

#else

#ifdef RANDOM_DEVICE

#include <fcntl.h>
#include <unistd.h>

/* Reads some bytes from the device.  It is opened each time, so that the library keeps no
 * open file. */
static ssize_t posix_random_some(void *bytes, size_t len)
{
    const int fd = open(RANDOM_DEVICE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t got = read(fd, bytes, len);
    const int why = got == 0 ? EIO : errno; /* the device never ends */
    close(fd);
    errno = why;
    return got == 0 ? -1 : got;
}

#else

static ssize_t posix_random_some(void *bytes, size_t len)
{
    return getrandom(bytes, len, 0);
}

#endif

int petal__os_random(void *bytes, size_t len)
{
    uint8_t *p = bytes;
    while (len > 0) {
        const ssize_t got = posix_random_some(p, len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PETAL_E_RANDOM;
        p += got;
        len -= (size_t)got;
    }
    return PETAL_OK;
}

#endif

#endif
