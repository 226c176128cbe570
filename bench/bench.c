/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench.c: compares the speed of filters on this machine.
 *
 *     bench                         everything, in about ten minutes
 *     bench --short                 the most important part, in one minute
 *     bench --peer ./mine.so        with a filter of your own: see peer.h
 *
 * A run is a list of trials (plan.c).  This program starts itself again for each trial and
 * measures it in that process (measure.c).  So every trial has its own kind of memory
 * pages, all memory is returned when it ends, and a contestant that crashes does not end
 * the run.  Times depend on the machine.  Ratios within one trial are what counts.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings settings = { .seed = 1 };

static int child_memory = -1; /* file descriptor of a child's trial */

static const char help[] =
    "usage: bench [options]\n"
    "\n"
    "Compares filters: the time to add and look up keys, one at a time and in batches,\n"
    "in ns of processor time per key, the false positive rate, and the bits per key.\n"
    "\n"
    "  --peer FILE.so     also measure the filters of this plug-in (bench/peer.h);\n"
    "                     repeatable\n"
    "  --only TEXT        only contestants with TEXT in their name, or =NAME for exactly\n"
    "                     that name; repeatable\n"
    "  --short            take one minute instead of about ten\n"
    "  --quick            see that it works, with few keys and in one round; the figures\n"
    "                     mean nothing\n"
    "  --growth           lookup times from 1e5 to 1e9 keys\n"
    "  --json FILE        write all figures to FILE; bench/report.py turns them into\n"
    "                     tables and charts\n"
    "\n"
    "These options replace the default plan by all combinations of their values:\n"
    "  --keys LIST        ints, urls; links, addresses, words: as real ones, also for\n"
    "                     filters of a form (default: ints)\n"
    "  --n LIST           numbers of keys, such as 1e5,1e8 (default: 1e5,1e7)\n"
    "  --bits LIST        bits per key, such as 8,12.5 (default: 12)\n"
    "  --pages LIST       shipped: as each library uses them; small: 4 KiB; huge: 2 MiB\n"
    "                     for all memory from malloc() (default: shipped)\n"
    "\n"
    "  --ops LIST         add, hit, miss, mixed: one key at a time; add_many, hit_many,\n"
    "                     miss_many, mixed_many: batches; whole, bulk: all keys of a new\n"
    "                     filter in batches, in one call\n"
    "  --rounds N         the exact number of rounds\n"
    "  --seconds S        time for the rounds of each trial; at least 7 rounds are made\n"
    "  --seed N           use other keys and another order\n"
    "\n"
    "Exit status: 0 on success, 1 if a contestant denied a member or crashed, 2 on an\n"
    "error.\n";

/* ---- Messages ---- */

void progress_wipe(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

void progress(const struct trial *trial, const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    va_list values;
    va_start(values, format);
    fprintf(stderr, "\r\033[K[%u/%u] %s: ", trial->number, trial->of, trial_name(trial));
    vfprintf(stderr, format, values);
    va_end(values);
    fflush(stderr);
}

static void say(const char *format, va_list values)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, values);
    progress_wipe();
    fprintf(stderr, "bench: %s\n", text);
}

void remark(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
}

void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
    exit(2);
}

void *must_alloc(size_t len)
{
    void *const memory = malloc(len ? len : 1);
    if (!memory)
        fail("out of memory");
    return memory;
}

/* ---- Options ---- */

enum {
    WANT_PEER = 256,
    WANT_ONLY,
    WANT_WITHOUT,
    WANT_KEYS,
    WANT_N,
    WANT_BITS,
    WANT_PAGES,
    WANT_OPS,
    WANT_ROUNDS,
    WANT_SECONDS,
    WANT_SEED,
    WANT_JSON,
    WANT_SHORT,
    WANT_QUICK,
    WANT_GROWTH,
    WANT_HELP,
    WANT_CHILD
};

static const struct option options[] = {
    { "peer", required_argument, NULL, WANT_PEER },
    { "only", required_argument, NULL, WANT_ONLY },
    { "without", required_argument, NULL, WANT_WITHOUT },
    { "keys", required_argument, NULL, WANT_KEYS },
    { "n", required_argument, NULL, WANT_N },
    { "bits", required_argument, NULL, WANT_BITS },
    { "pages", required_argument, NULL, WANT_PAGES },
    { "ops", required_argument, NULL, WANT_OPS },
    { "rounds", required_argument, NULL, WANT_ROUNDS },
    { "seconds", required_argument, NULL, WANT_SECONDS },
    { "seed", required_argument, NULL, WANT_SEED },
    { "json", required_argument, NULL, WANT_JSON },
    { "short", no_argument, NULL, WANT_SHORT },
    { "quick", no_argument, NULL, WANT_QUICK },
    { "growth", no_argument, NULL, WANT_GROWTH },
    { "help", no_argument, NULL, WANT_HELP },
    { "child", required_argument, NULL, WANT_CHILD },
    { NULL, 0, NULL, 0 },
};

static double option_number(const char *name, const char *text, double least, double most)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        fail("--%s %s: not a number from %g to %g", name, text, least, most);
    return value;
}

static void option_list(const char *name, const char *text, double least, double most,
                        struct list *list)
{
    char copy[1024], *rest;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        if (list->n == LIST_MAX)
            fail("--%s: more than %d numbers", name, LIST_MAX);
        list->at[list->n++] = option_number(name, part, least, most);
    }
    if (list->n == 0)
        fail("--%s: the list is empty", name);
}

static unsigned option_words(const char *name, const char *text, const char *const *words,
                             size_t n)
{
    char copy[1024], *rest;
    unsigned bits = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        size_t i = 0;
        while (i < n && strcmp(part, words[i]) != 0)
            i++;
        if (i == n)
            fail("--%s: unknown value '%s'; see bench --help", name, part);
        bits |= 1u << i;
    }
    if (bits == 0)
        fail("--%s: the list is empty", name);
    return bits;
}

static void option_name(const char *name, const char *text, struct names *names)
{
    if (names->n == LIST_MAX)
        fail("--%s: given more than %d times", name, LIST_MAX);
    names->at[names->n++] = text;
}

static void option_take(int want, char *value)
{
    switch (want) {
    case WANT_PEER: option_name("peer", value, &settings.peers); break;
    case WANT_ONLY: option_name("only", value, &settings.only); break;
    case WANT_WITHOUT: option_name("without", value, &settings.without); break;
    case WANT_KEYS:
        settings.keys = option_words("keys", value, keys_names, KEYS_KINDS);
        break;
    case WANT_N: option_list("n", value, 1, 1e11, &settings.n); break;
    case WANT_BITS: option_list("bits", value, 1, 1000, &settings.bits); break;
    case WANT_PAGES:
        settings.pages = option_words("pages", value, pages_names, PAGES);
        break;
    case WANT_OPS: settings.ops = option_words("ops", value, op_names, OPS); break;
    case WANT_ROUNDS:
        settings.rounds = (uint32_t)option_number("rounds", value, 1, 1e6);
        break;
    case WANT_SECONDS: settings.seconds = option_number("seconds", value, 0.01, 1e6); break;
    case WANT_SEED: settings.seed = (uint64_t)option_number("seed", value, 0, 1e15); break;
    case WANT_JSON: settings.json = value; break;
    case WANT_SHORT: settings.brief = true; break;
    case WANT_QUICK: settings.quick = true; break;
    case WANT_GROWTH: settings.growth = true; break;
    case WANT_CHILD: child_memory = (int)option_number("child", value, 3, 1e6); break;
    case WANT_HELP: fputs(help, stdout); exit(0);
    }
}

static void options_read(int argc, char **argv)
{
    int want;
    opterr = 0;
    while ((want = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (want == '?')
            fail("%s: unknown option; see bench --help", argv[optind - 1]);
        if (want == ':')
            fail("%s: missing value; see bench --help", argv[optind - 1]);
        option_take(want, optarg);
    }
    if (optind < argc)
        fail("%s: unexpected argument; see bench --help", argv[optind]);
    const bool chosen = settings.keys || settings.n.n || settings.bits.n || settings.pages;
    if (chosen + settings.brief + settings.quick + settings.growth > 1)
        fail("--short, --quick, --growth and --keys, --n, --bits or --pages exclude each "
             "other");
    keys_seed = settings.seed + 1;
}

/* ---- Trials, each in a process ---- */

static struct trial *trial_map(int memory)
{
    void *const at =
        mmap(NULL, sizeof(struct trial), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (at == MAP_FAILED)
        fail("shared memory: %s", strerror(errno));
    return at;
}

static _Noreturn void trial_child(void)
{
    struct trial *trial = trial_map(child_memory);
    contestants_load();
    measure(trial);
    progress_wipe();
    exit(0);
}

/* Starts this program again, with the memory pages of the trial.  Never returns. */
static void trial_exec(const struct trial *trial, int argc, char **argv, int memory,
                       const struct names *broken)
{
    char **args = must_alloc(((size_t)argc + 3 + 2 * LIST_MAX) * sizeof *args), number[16];
    size_t n = 0;
    snprintf(number, sizeof number, "%d", memory);
    args[n++] = argv[0];
    args[n++] = "--child";
    args[n++] = number;
    for (size_t i = 0; i < broken->n; i++) {
        args[n++] = "--without";
        args[n++] = (char *)broken->at[i];
    }
    for (int i = 1; i < argc; i++)
        args[n++] = argv[i];
    args[n] = NULL;
    unsetenv("GLIBC_TUNABLES");
    if (trial->pages == PAGES_HUGE)
        setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1);
    if (trial->pages == PAGES_SMALL && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) < 0)
        remark("cannot request 4 KiB pages: %s", strerror(errno));
    execv("/proc/self/exe", args);
    _exit(127);
}

/* A contestant that denied a member or crashed is left out of all later trials. */
static void trial_without(const char *name, struct names *broken)
{
    char *text;
    if (asprintf(&text, "=%s", name) < 0)
        fail("out of memory");
    option_name("without", text, broken);
}

/* False if a contestant crashed and the trial must be repeated without it. */
static bool trial_run(struct trial *trial, int argc, char **argv, struct names *broken)
{
    const int memory = memfd_create("trial", 0);
    if (memory < 0 || ftruncate(memory, sizeof *trial) < 0)
        fail("shared memory: %s", strerror(errno));
    struct trial *shared = trial_map(memory);
    *shared = *trial;
    progress(trial, "starting");
    const pid_t child = fork();
    if (child == 0)
        trial_exec(trial, argc, argv, memory, broken);
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        fail("a process for the trial: %s", strerror(errno));
    const struct trial done = *shared;
    munmap(shared, sizeof *shared);
    close(memory);
    if (WIFSIGNALED(status) && done.busy[0]) {
        remark("%s crashed with signal %d and is left out (%s)", done.busy,
               WTERMSIG(status), trial_name(trial));
        trial_without(done.busy, broken);
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("%s: the process of the trial failed", trial_name(trial));
    *trial = done;
    for (size_t i = 0; i < trial->results_n; i++)
        if (trial->results[i].broken)
            trial_without(trial->results[i].name, broken);
    return true;
}

/* Fail before the first trial if the output cannot be written. */
static void json_try(void)
{
    FILE *file = settings.json ? fopen(settings.json, "a") : NULL;
    if (settings.json && (!file || fclose(file) != 0))
        fail("%s: %s", settings.json, strerror(errno));
}

static int trials_run(struct trial *trials, size_t n, int argc, char **argv)
{
    json_try();
    const double start = seconds_now();
    struct names broken = { .n = 0 };
    for (size_t i = 0; i < n; i++) {
        struct trial *trial = &trials[i];
        while (!trial_run(trial, argc, argv, &broken))
            ;
        if (!isatty(STDERR_FILENO))
            fprintf(stderr, "[%u/%u] %s: %u rounds, %.1f s\n", trial->number, trial->of,
                    trial_name(trial), trial->rounds_done, trial->took);
        results_print(trial);
        if (settings.json &&
            results_save(settings.json, trials, i + 1, seconds_now() - start) < 0)
            fail("%s: %s", settings.json, strerror(errno));
    }
    return broken.n == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    options_read(argc, argv);
    if (child_memory >= 0)
        trial_child();
    contestants_load();
    if (contestants_n == 0)
        fail("no contestants: no name matches --only, or no plug-in was found");
    struct trial *trials = must_alloc(TRIALS_MAX * sizeof *trials);
    const size_t n = plan(trials);
    const int status = trials_run(trials, n, argc, argv);
    free(trials);
    return status;
}
