/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * urls.c: writes lines that look like URLs, addresses or words.  Output depends only on the
 * arguments.
 *
 *     urls N [SEED]                             N URLs of 46 bytes
 *     urls N SEED links|addresses|words         N different keys of a form (texts.c)
 *     urls N SEED FORM LISTED [PERCENT]         traffic: PERCENT of the lines (default: 1)
 *                                               are drawn from the first LISTED keys, the
 *                                               others occur once and are not listed
 */
#include "splitmix.h"
#include "texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS ((uint32_t)1 << 31) /* keys from here on are not listed */

typedef char *text_maker(char *to, uint32_t i, uint64_t seed);

static text_maker *urls_form(const char *name)
{
    return strcmp(name, "links") == 0       ? text_link
           : strcmp(name, "addresses") == 0 ? text_address
           : strcmp(name, "words") == 0     ? text_word
                                            : NULL;
}

static void urls_equal_length(uint64_t n, uint64_t seed)
{
    for (uint64_t i = 1; i <= n; i++) { /* the factor undoes that of splitmix64() */
        const uint64_t x = splitmix64(seed * 0xF1DE83E19937733D + i);
        printf("https://www.%06x.example/%05x/%08x.html\n", (unsigned)(x & 0xffffff),
               (unsigned)(x >> 24 & 0xfffff), (unsigned)(x >> 32));
    }
}

static void urls_traffic(text_maker *make, uint64_t n, uint64_t seed, uint64_t listed,
                         unsigned percent)
{
    char line[TEXT_LINK_MAX + TEXT_SPARE];
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = splitmix64(~seed << 40 ^ i);
        uint32_t number = (uint32_t)i;
        if (listed > 0)
            number = x % 100 < percent ? (uint32_t)((x >> 32) * listed >> 32)
                                       : OTHERS + (uint32_t)i;
        char *end = make(line, number, seed);
        *end++ = '\n';
        fwrite(line, 1, (size_t)(end - line), stdout);
    }
}

int main(int argc, char **argv)
{
    text_maker *make = argc > 3 ? urls_form(argv[3]) : NULL;
    if (argc < 2 || argc > 6 || argv[1][0] == '-' || (argc > 3 && !make)) {
        fprintf(stderr,
                "usage: urls N [SEED [links|addresses|words [LISTED [PERCENT]]]]\n");
        return 2;
    }
    const uint64_t n = strtoull(argv[1], NULL, 10);
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (make)
        urls_traffic(make, n, seed, argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
                     argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 1);
    else
        urls_equal_length(n, seed);
    return fflush(stdout) == 0 ? 0 : 2;
}
