/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * urls.c: writes lines that look like URLs.  Output depends only on N and SEED.
 *
 *     urls N [SEED]      N lines of 47 bytes
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: urls N [SEED]\n");
        return 2;
    }
    const uint64_t n = strtoull(argv[1], NULL, 10);
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = next_random(&state);
        printf("https://www.%06x.example/%05x/%08x.html\n", (unsigned)(x & 0xffffff),
               (unsigned)(x >> 24 & 0xfffff), (unsigned)(x >> 32));
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
