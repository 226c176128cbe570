/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench.c: how fast filters are, beside each other, on this machine.
 *
 *     bench                         everything, in some ten minutes
 *     bench --quick                 in one
 *     bench --peer ./mine.so        with a filter of your own: see peer.h
 *
 * The run is a list of trials (plan.c).  Each is measured by this program again, in a
 * process of its own (measure.c), which is given the pages that the trial is about, returns
 * all its memory when it ends, and takes nobody with it if a contestant crashes.  Absolute
 * times say something about the machine; what counts are the ratios within one trial.
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

static int child_memory = -1; /* where a child finds its trial */

static const char help[] =
    "usage: bench [options]\n"
    "\n"
    "Measures filters beside each other: adding and asking, one key at a time and many,\n"
    "in ns a key; the rate of false positives, and the bits that a key takes.\n"
    "\n"
    "  --peer FILE.so     also the filters of this plug-in (bench/peer.h); repeatable\n"
    "  --only TEXT        only those with this in their name; =NAME: exactly; repeatable\n"
    "  --quick            in a minute; otherwise it takes some ten\n"
    "  --growth           look-ups against the number of keys, 1e5 to 1e9\n"
    "  --json FILE        keep all figures: for bench/report.py, which makes tables and\n"
    "                     pictures of them\n"
    "\n"
    "With any of these, all combinations of what they name, instead of the plan:\n"
    "  --keys LIST        ints, urls; otherwise ints\n"
    "  --n LIST           how many, such as 1e5,1e8; otherwise 1e5,1e7\n"
    "  --bits LIST        bits for each key, such as 8,12.5; otherwise 12\n"
    "  --pages LIST       shipped: as each does it for its users; small: 4 KiB; huge:\n"
    "                     2 MiB for all that malloc() gives; otherwise shipped\n"
    "\n"
    "  --ops LIST         add, hit, miss, mixed: one at a time; add_many and so on: in\n"
    "                     batches; whole, bulk: all keys to a new filter, in batches and\n"
    "                     in one call\n"
    "  --rounds N         exactly so many\n"
    "  --seconds S        for the rounds of each trial, of which there are at least 7\n"
    "  --seed N           other keys, another order\n"
    "\n"
    "Exit status: 0; 1 if a contestant denied a member, or crashed; 2 on an error.\n";

/* ---- What it says ---- */

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
        fail("--%s: no number in the list", name);
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
            fail("--%s: there is no '%s'; see bench --help", name, part);
        bits |= 1u << i;
    }
    if (bits == 0)
        fail("--%s: the list is empty", name);
    return bits;
}

static void option_name(const char *name, const char *text, struct names *names)
{
    if (names->n == LIST_MAX)
        fail("--%s: more than %d of these", name, LIST_MAX);
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
            fail("%s: no such option; see bench --help", argv[optind - 1]);
        if (want == ':')
            fail("%s: a value is missing; see bench --help", argv[optind - 1]);
        option_take(want, optarg);
    }
    if (optind < argc)
        fail("%s: there are only options; see bench --help", argv[optind]);
    const bool chosen = settings.keys || settings.n.n || settings.bits.n || settings.pages;
    if (chosen + settings.quick + settings.growth > 1)
        fail("--quick, --growth, and lists of what to measure: one of them");
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

/* The program again, with the pages that the trial is about; never returns. */
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
        remark("4 KiB pages cannot be asked for here: %s", strerror(errno));
    execv("/proc/self/exe", args);
    _exit(127);
}

/* Whoever denied a member, or was at work when the process ended, is not asked again. */
static void trial_without(const char *name, struct names *broken)
{
    char *text;
    if (asprintf(&text, "=%s", name) < 0)
        fail("out of memory");
    option_name("without", text, broken);
}

/* False if it must be tried again, without the contestant that ended it. */
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
        remark("%s was at work when signal %d came, and is left out (%s)", done.busy,
               WTERMSIG(status), trial_name(trial));
        trial_without(done.busy, broken);
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("%s: its process did not end well", trial_name(trial));
    *trial = done;
    for (size_t i = 0; i < trial->results_n; i++)
        if (trial->results[i].broken)
            trial_without(trial->results[i].name, broken);
    return true;
}

/* What cannot be kept is better known before the first trial than after it. */
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
        fail("no contestants: none is named so, or there is no plug-in");
    struct trial *trials = must_alloc(TRIALS_MAX * sizeof *trials);
    const size_t n = plan(trials);
    const int status = trials_run(trials, n, argc, argv);
    free(trials);
    return status;
}
