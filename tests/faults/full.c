/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * full.c: saving when the disk is full or the file would be too large (G4).
 *
 *     full [FOLDER]      FOLDER is a small file system; without it, only the limits are
 * tested
 *
 * A save succeeds, or fails with the right error.  If it fails, the old filter is still
 * there, and no other file is left.
 */
#include "folder.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static unsigned failed, saved;

static bool holds(const char *path, unsigned key)
{
    petal_filter *f;
    if (petal_open(path, 0, &f) < 0)
        return false;
    const bool there = petal_contains_int(f, key);
    petal_free(f);
    return there;
}

/* Saves a filter of this size over a small one, and checks the result. */
static void try_saving(const char *folder, uint64_t bits, int why)
{
    char path[4352];
    snprintf(path, sizeof path, "%s/filter.petal", folder);
    petal_filter *small =
        filter_made((petal_options){ .kind = PETAL_BITMAP, .bits = 1000 });
    petal_filter *large =
        filter_made((petal_options){ .kind = PETAL_BITMAP, .bits = bits });
    petal_add_int(small, 1);
    petal_add_int(large, 2);
    require(petal_save(small, path) == PETAL_OK);
    errno = 0;
    const int rc = petal_save(large, path);
    if (rc == PETAL_OK) {
        require(holds(path, 2));
        saved++;
    } else {
        require(rc == PETAL_E_WRITE && errno == why);
        require(holds(path, 1));
        failed++;
    }
    require(files_in(folder) == 1);
    petal_free(small);
    petal_free(large);
}

int main(int argc, char **argv)
{
    random_state r = { 3 };
    if (argc > 1) {
        for (int i = 0; i < 100; i++)
            try_saving(argv[1], 1000 + random_below(&r, 16 << 20), ENOSPC);
        require(failed > 20 && saved > 20);
        folder_sweep(argv[1], "");
    }
    printf("disk full: %u saves failed, %u succeeded\n", failed, saved);

    failed = saved = 0;
    char *folder = folder_made();
    require(folder);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = { 1 << 20, 1 << 20 };
    require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (int i = 0; i < 100; i++)
        try_saving(folder, 1000 + random_below(&r, 16 << 20), EFBIG);
    require(failed > 20 && saved > 20);
    printf("file too large: %u saves failed, %u succeeded\n", failed, saved);
    folder_gone(folder);
    return 0;
}
