/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench.h: what the parts of the benchmark share: trials, results and settings.
 *
 * A trial is one combination of keys, number of keys, size and memory pages.  All
 * contestants are measured in it side by side.  It runs in a process of its own, which
 * reads it from shared memory and writes the figures there.  So it holds no pointers.
 */
#ifndef BENCH_H
#define BENCH_H

#include "keys.h"
#include "peer.h"
#include "stats.h"

#define CONTESTANTS_MAX 64
#define NAME_MAX_LEN    64
#define WHY_MAX_LEN     96

/* ---- Trials and results ---- */

enum op {                       /* On the right: the same in batches. */
    OP_ADD,   OP_ADD_MANY,
    OP_HIT,   OP_HIT_MANY,      /* lookups of members */
    OP_MISS,  OP_MISS_MANY,     /* of non-members */
    OP_MIXED, OP_MIXED_MANY,    /* of both, half and half */
    OP_WHOLE,                   /* all keys of a new filter, in batches */
    OP_BULK,                    /* the same in one call */
    OP_READY,                   /* what a peer does once all keys are added */
    OPS
};

#define OP_BIT(op) (1u << (op))
#define OPS_ALL    (OP_BIT(OPS) - 1)

enum pages {
    PAGES_SHIPPED,              /* as each contestant uses them */
    PAGES_SMALL,                /* 4 KiB, whatever it requests */
    PAGES_HUGE,                 /* 2 MiB for all memory from malloc() */
    PAGES
};

struct result {                 /* of one contestant in one trial */
    char          name[NAME_MAX_LEN];
    char          left_out[WHY_MAX_LEN];    /* why it was not measured; empty if it was */
    unsigned      what;         /* PEER_EXACT and so on */
    bool          broken;
    char          parameters[NAME_MAX_LEN];
    double        bits;         /* per key, as measured */
    uint64_t      nonmembers, maybes;     /* looked up; of these, false positives */
    struct figure ops[OPS];     /* ns per key */
};

struct trial {
    enum keys_kind keys;
    uint64_t       n;
    double         bits;        /* per key */
    enum pages     pages;
    unsigned       ops;         /* OP_BIT()s */
    bool           kinds;       /* include petal's other kinds */
    bool           exact;       /* include exact sets */
    double         seconds;     /* for the rounds */
    double         fill_seconds;            /* slower contestants are left out */
    uint32_t       rounds;      /* exactly; 0: as many as fit in `seconds` */
    unsigned       number, of;  /* shown as progress */

    double         took;        /* seconds in total */
    uint32_t       rounds_done;
    char           busy[NAME_MAX_LEN];      /* the contestant at work, in case of a crash */
    size_t         results_n;
    struct result  results[CONTESTANTS_MAX];
};

/* ---- Settings ---- */

#define LIST_MAX 32

struct list {
    double at[LIST_MAX];
    size_t n;
};

struct names {
    const char *at[LIST_MAX];
    size_t      n;
};

struct settings {
    struct names peers, only, without;  /* without: broken in an earlier trial */
    unsigned     keys, pages, ops;  /* one bit for each value; 0: not given */
    struct list  n, bits;
    uint32_t     rounds;
    double       seconds;
    uint64_t     seed;
    const char  *json;
    bool         brief, quick, growth;
};

extern struct settings settings;

/* ---- contestants.c ---- */

struct contestant {
    const struct peer *peer;
    char               name[NAME_MAX_LEN];
};

extern struct contestant contestants[CONTESTANTS_MAX];
extern size_t contestants_n;

/* Loads the plug-ins in peers/ and those of --peer; keeps those that --only names. */
void contestants_load(void);

/* True for petal's kinds other than the default. */
bool contestant_is_kind(const struct contestant *c);

/* ---- plan.c ---- */

#define TRIALS_MAX 256

/* The trials of this run.  Prints to standard error what is left out. */
size_t plan(struct trial trials[TRIALS_MAX]);

/* ---- measure.c ---- */

void measure(struct trial *trial);

/* ---- results.c ---- */

extern const char *const op_names[OPS];
extern const char *const pages_names[PAGES];

/* "ints, n = 1e7, 12 bits per key, pages shipped"; valid until the next call. */
const char *trial_name(const struct trial *trial);

void results_print(const struct trial *trial);
int  results_save(const char *path, const struct trial *trials, size_t n, double seconds);

/* ---- bench.c ---- */

/* Shows progress on a terminal, over the previous line.  Prints nothing elsewhere. */
void progress(const struct trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void progress_wipe(void);

/* Prints one sentence and exits with status 2. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *must_alloc(size_t len);

#endif
