/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make-libbloom.c: writes libbloom*, with libbloom 2.  make-libbloom.sh compiles and runs
 * it.
 *
 * libbloom makes no filter for fewer than 1000 keys.  Other keys fill it first, because the
 * members alone would give hardly any false positives.
 */
#include "bloom.h"

#include <stdio.h>
#include <string.h>

enum { MEMBERS = 100, MORE = 150 };

static int next_key(FILE *keys, char line[200])
{
    if (!fgets(line, 200, keys))
        return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

int main(void)
{
    char line[200];
    struct bloom bloom;
    FILE *others = fopen("int32.keys", "r"), *keys = fopen("text.keys", "r");
    FILE *found = fopen("libbloom.found", "w");
    if (!others || !keys || !found || bloom_init2(&bloom, 1000, 0.1) != 0)
        return 1;
    while (next_key(others, line))
        bloom_add(&bloom, line, (int)strlen(line));
    for (int i = 0; i < MORE && next_key(keys, line); i++) {
        if (i == MEMBERS && bloom_save(&bloom, "libbloom.filter") != 0)
            return 1;
        bloom_add(&bloom, line, (int)strlen(line));
    }
    if (bloom_save(&bloom, "libbloom-more.filter") != 0)
        return 1;
    bloom_free(&bloom);

    if (bloom_load(&bloom, "libbloom.filter") != 0)
        return 1;
    while (next_key(keys, line))
        if (bloom_check(&bloom, line, (int)strlen(line)) == 1)
            fprintf(found, "%s\n", line);
    bloom_free(&bloom);
    return fclose(others) || fclose(keys) || fclose(found);
}
