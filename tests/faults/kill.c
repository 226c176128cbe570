/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kill.c: a process is killed at a random moment during a save (G4).
 *
 *     kill TIMES
 *
 * The child saves two filters alternately, and the parent kills it after a while.  The path
 * must then hold one of the two, complete.  The killed process may leave a temporary file,
 * which is removed and counted.
 */
#include "folder.h"
#include "support.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static petal_filter *filters[2];

/* Reports that it has started, so that a busy machine does not kill it before. */
static void save_for_ever(const char *path, int ready)
{
    if (write(ready, "", 1) != 1)
        _exit(1);
    for (unsigned i = 0;; i++)
        if (petal_save(filters[i % 2], path) < 0)
            _exit(1);
}

static bool holds_one_of_the_two(const char *path)
{
    petal_filter *f;
    if (petal_open(path, 0, &f) < 0)
        return false;
    size_t len;
    const void *bytes = petal_bytes(f, &len);
    bool same = false;
    for (int i = 0; i < 2; i++) {
        size_t whole_len;
        const void *whole = petal_bytes(filters[i], &whole_len);
        same = same || (len == whole_len && memcmp(bytes, whole, len) == 0);
    }
    petal_free(f);
    return same;
}

int main(int argc, char **argv)
{
    const unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
    char *folder = folder_made();
    require(folder);
    char path[4352];
    snprintf(path, sizeof path, "%s/filter.petal", folder);
    for (unsigned i = 0; i < 2; i++) {
        filters[i] = filter_made((petal_options){ .capacity = 200000u << i });
        for (int64_t key = 0; key < 1000; key++)
            petal_add_int(filters[i], key + i);
        petal_seal(filters[i]);
    }
    require(petal_save(filters[0], path) == PETAL_OK);

    random_state r = { 7 };
    unsigned left_behind = 0, kills = 0;
    const unsigned most = times < 100 ? 0 : times / 10 + 1;
    /* goes on until enough of them were killed during a save: otherwise it proves nothing
     */
    for (; kills < times || left_behind < most; kills++) {
        int ready[2];
        require(pipe(ready) == 0);
        const pid_t child = fork();
        require(child >= 0);
        if (child == 0)
            save_for_ever(path, ready[1]);
        char byte;
        require(read(ready[0], &byte, 1) == 1);
        require(close(ready[0]) == 0 && close(ready[1]) == 0);
        /* up to 3 ms, and longer the slower the machine turns out to be */
        const uint64_t pause_ns = random_below(&r, 3000000 * (1 + kills / times));
        const struct timespec pause = { (time_t)(pause_ns / 1000000000),
                                        (long)(pause_ns % 1000000000) };
        nanosleep(&pause, NULL);
        int status;
        require(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
        require(WIFSIGNALED(status));
        require(holds_one_of_the_two(path));
        left_behind += (unsigned)folder_sweep(folder, ".petal-");
    }
    require(files_in(folder) == 1);
    printf("killed %u times, every file complete; %u of them during a save\n", kills,
           left_behind);
    petal_free(filters[0]);
    petal_free(filters[1]);
    folder_gone(folder);
    return 0;
}
