/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_memory.c: one process builds a filter, and others use it in shared memory.
 *
 *     shared_memory [PROCESSES]         3 by default
 *
 * A filter is one block of bytes without pointers.  The builder copies petal_bytes() into a
 * POSIX shared memory object.  Each reader opens it with petal_view(), which copies
 * nothing: all readers use the same memory.
 *
 * The readers here are children of the builder, but they know only the name of the object.
 * If readers can start before the image is complete, let them try again when petal_view()
 * returns an error: it checks the whole image.  The program ends with status 1 if a reader
 * does not find every key.
 */
#define _POSIX_C_SOURCE 200809L
#include <petal.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS          100000
#define PROCESSES_MAX 64

static char name[32]; /* of the shared memory object */

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "shared_memory: %s: %s\n", what, why);
    return 1;
}

/* ---- The builder ---- */

static int publish(const void *bytes, size_t len)
{
    const int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (fd < 0)
        return fail(name, strerror(errno));
    void *shared = MAP_FAILED;
    if (ftruncate(fd, (off_t)len) == 0)
        shared = mmap(NULL, len, PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared == MAP_FAILED)
        return fail(name, strerror(errno));
    memcpy(shared, bytes, len);
    munmap(shared, len);
    return 0;
}

static int build_and_publish(void)
{
    petal_filter *words;
    /* A ribbon is the smallest kind for a set that does not change any more. */
    const petal_options options = { .kind = PETAL_RIBBON, .capacity = KEYS, .fpr = 0.01 };
    int rc = petal_new(&options, &words);
    for (int i = 0; i < KEYS && rc >= 0; i++) {
        char word[32];
        const int len = snprintf(word, sizeof word, "word-%d", i);
        rc = petal_add(words, word, (size_t)len);
    }
    if (rc >= 0)
        rc = petal_seal(words); /* petal_bytes() would do it, but not return the error */
    if (rc < 0) {
        petal_free(words);
        return fail("building the filter", petal_strerror(rc));
    }
    size_t len;
    const void *bytes = petal_bytes(words, &len);
    const int status = publish(bytes, len);
    if (status == 0)
        printf("%d keys in %zu bytes of shared memory\n", KEYS, len);
    petal_free(words);
    return status;
}

/* ---- A reader ---- */

static int look_up(const petal_filter *words)
{
    int missed = 0, false_positives = 0;
    for (int i = 0; i < KEYS; i++) {
        char word[32];
        int len = snprintf(word, sizeof word, "word-%d", i);
        missed += !petal_contains(words, word, (size_t)len);
        len = snprintf(word, sizeof word, "other-%d", i);
        false_positives += petal_contains(words, word, (size_t)len);
    }
    printf("process %ld: %d members missed, %d false positives in %d\n", (long)getpid(),
           missed, false_positives, KEYS);
    return missed > 0;
}

static int read_shared(void)
{
    const int fd = shm_open(name, O_RDONLY, 0);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        return fail(name, strerror(errno));
    const size_t len = (size_t)status.st_size;
    void *bytes = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0); /* aligned to a page */
    close(fd);
    if (bytes == MAP_FAILED)
        return fail(name, strerror(errno));
    petal_filter *words;
    const int rc = petal_view(bytes, len, 0, &words); /* nothing is copied */
    const int result = rc < 0 ? fail(name, petal_strerror(rc)) : look_up(words);
    if (rc == PETAL_OK)
        petal_free(words);
    munmap(bytes, len);
    return result;
}

int main(int argc, char **argv)
{
    const int processes = argc > 1 ? atoi(argv[1]) : 3;
    if (processes < 1 || processes > PROCESSES_MAX)
        return fail(argv[1], "not a number of processes from 1 to 64");
    snprintf(name, sizeof name, "/petal-%ld", (long)getpid());
    int failed = build_and_publish();
    fflush(stdout); /* so that the children do not print it again */
    for (int i = 0; i < processes && !failed; i++) {
        const pid_t child = fork();
        if (child == 0)
            return read_shared();
        failed = child < 0 ? fail("fork", strerror(errno)) : 0;
    }
    for (int status; wait(&status) > 0;)
        failed |= status != 0;
    shm_unlink(name); /* the memory is freed when the last process has unmapped it */
    return failed;
}
