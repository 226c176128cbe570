/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench.h: what the parts of the benchmark share: trials, their results, and who does what.
 *
 * A trial is one combination of keys, number, size and pages, on which all contestants are
 * measured beside each other.  It runs in a process of its own, which finds it in shared
 * memory and leaves the figures there; so it holds no pointers.
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

enum op {                       /* The second of two is the one for many keys in a call. */
    OP_ADD,   OP_ADD_MANY,
    OP_HIT,   OP_HIT_MANY,      /* look-ups of members, */
    OP_MISS,  OP_MISS_MANY,     /* of strangers, */
    OP_MIXED, OP_MIXED_MANY,    /* of both, half and half */
    OP_WHOLE,                   /* adding all keys to a new filter, first touch and all, */
    OP_BULK,                    /* and the same in one call */
    OP_READY,                   /* what a peer does once all were added */
    OPS
};

#define OP_BIT(op) (1u << (op))
#define OPS_ALL    (OP_BIT(OPS) - 1)

enum pages {
    PAGES_SHIPPED,              /* what each contestant does for its users */
    PAGES_SMALL,                /* 4 KiB, whatever it asks for */
    PAGES_HUGE,                 /* 2 MiB for all that malloc() gives */
    PAGES
};

struct result {                 /* of one contestant in one trial */
    char          name[NAME_MAX_LEN];
    char          left_out[WHY_MAX_LEN];    /* why it was not measured; empty if it was */
    unsigned      what;         /* PEER_EXACT and so on */
    bool          broken;
    double        bits;         /* that it takes for each key */
    uint64_t      nonmembers, maybes;        /* asked for, let through */
    struct figure ops[OPS];     /* ns a key */
};

struct trial {
    enum keys_kind keys;
    uint64_t       n;
    double         bits;        /* for each key */
    enum pages     pages;
    unsigned       ops;         /* OP_BIT()s */
    bool           kinds;       /* with petal's other kinds, too */
    bool           exact;       /* with those who keep the keys, too */
    double         seconds;     /* for the rounds */
    double         fill_seconds;            /* who needs longer to fill is left out */
    uint32_t       rounds;      /* exactly; 0: at least 7, as many as the time allows */
    unsigned       number, of;  /* which trial of how many, for the eye */

    double         took;        /* seconds, in all */
    uint32_t       rounds_done;
    char           busy[NAME_MAX_LEN];      /* who was at work, should it all end here */
    size_t         results_n;
    struct result  results[CONTESTANTS_MAX];
};

/* ---- What the user wants ---- */

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
    struct names peers, only, without;  /* without: found to be broken before */
    unsigned     keys, pages, ops;  /* one bit for each; 0: not said */
    struct list  n, bits;
    uint32_t     rounds;
    double       seconds;
    uint64_t     seed;
    const char  *json;
    bool         quick, growth;
};

extern struct settings settings;

/* ---- contestants.c ---- */

struct contestant {
    const struct peer *peer;
    char               name[NAME_MAX_LEN];
};

extern struct contestant contestants[CONTESTANTS_MAX];
extern size_t contestants_n;

/* Load the plug-ins beside the program and those of --peer; keep what --only names. */
void contestants_load(void);

/* Is it one of petal's kinds, other than the default? */
bool contestant_is_kind(const struct contestant *c);

/* ---- plan.c ---- */

#define TRIALS_MAX 256

/* The trials that the settings ask for; says on standard error what it leaves out. */
size_t plan(struct trial trials[TRIALS_MAX]);

/* ---- measure.c ---- */

void measure(struct trial *trial);

/* ---- results.c ---- */

extern const char *const op_names[OPS];
extern const char *const pages_names[PAGES];

/* "ints, n = 1e7, 12 bits a key, pages shipped"; until the next call. */
const char *trial_name(const struct trial *trial);

void results_print(const struct trial *trial);
int  results_save(const char *path, const struct trial *trials, size_t n, double seconds);

/* ---- bench.c ---- */

/* Where the work is, drawn over the last on a terminal; nothing elsewhere. */
void progress(const struct trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void progress_wipe(void);

/* One sentence, and the end, with status 2. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *must_alloc(size_t len);

#endif
