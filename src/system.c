/*
 * system.c: what only the operating system can give.
 *
 * Random bytes come from getrandom(), which never returns fewer than asked for
 * below 256 bytes, but may be interrupted while the machine is still starting.
 */
#include "system.h"

#include "petal.h"

#include <errno.h>
#include <sys/random.h>

int petal__system_random(void *bytes, size_t len)
{
    uint8_t *p = bytes;
    while (len > 0) {
        const ssize_t got = getrandom(p, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PETAL_E_RANDOM;
        p += got;
        len -= (size_t)got;
    }
    return PETAL_OK;
}
