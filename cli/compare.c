/*
 * compare.c: petal compare: filters and exact sets on the user's own keys (S15).
 *
 * All keys are held in memory, once each.  A round builds every structure, asks it for
 * members in random order, then for strangers, and drops it again before the next is
 * built; so a disturbance hits all of them alike, and the median of the rounds is told.
 * Strangers are members with a character changed, which no set has, each another one.
 * Look-ups are made one at a time, through the same kind of call for all.
 */
#include "args.h"
#include "filters.h"
#include "json.h"
#include "keys.h"
#include "plot.h"
#include "print.h"
#include "progress.h"
#include "sets.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ASKED          100000     /* members, and strangers */
#define ASKED_LEN      (64 << 20) /* fewer of them, if they are so long */
#define ROUNDS         5
#define ROUNDS_LEAST   3 /* do, when they take long */
#define ROUNDS_SECONDS 3.0
#define PASS_SECONDS   0.002 /* a list is not asked for all of them */
#define BITMAP_BITS    64    /* a key, at most */
#define SUBJECTS_MAX   24
#define SETS           3

static char *compare_svg;

static const struct arg compare_args[] = {
    { 'p', "fpr", "RATE", ARG_FILTER, &wanted,
      "false positive rate of the filters: 0.01, 1%, 1e-2; 1% unless given", "fpr" },
    { 0, "svg", "FILE", ARG_TEXT, &compare_svg, "bytes and look-up times as a picture",
      NULL },
    ARGS_INPUT,
    ARGS_FORCE,
    ARGS_JSON,
    ARGS_END,
};

/* ---- Keys ---- */

/* Keys in a row, each with a 0 after it: the text grows, so that the list knows only
 * lengths until all of it is there. */
struct bunch {
    struct buffer text, list;
};

static petal_key *bunch_keys(const struct bunch *bunch)
{
    return (void *)bunch->list.bytes;
}

static size_t bunch_n(const struct bunch *bunch)
{
    return bunch->list.len / sizeof(petal_key);
}

static void bunch_add(struct bunch *bunch, const void *key, size_t len)
{
    buffer_put(&bunch->text, key, len);
    buffer_put(&bunch->text, "", 1);
    buffer_put(&bunch->list, &(petal_key){ NULL, len }, sizeof(petal_key));
}

static void bunch_settle(struct bunch *bunch)
{
    const char *at = bunch->text.bytes;
    petal_key *keys = bunch_keys(bunch);
    for (size_t i = 0; i < bunch_n(bunch); i++) {
        keys[i].data = at;
        at += keys[i].len + 1;
    }
}

static void bunch_free(struct bunch *bunch)
{
    free(bunch->text.bytes);
    free(bunch->list.bytes);
}

static int compare_take(void *context, const struct line *line)
{
    bunch_add(context, line->key, line->key_len);
    return 0;
}

/* Drop duplicates; afterwards the set has the rest.  Returns how many there were. */
static size_t compare_unique(struct bunch *bunch, void *members)
{
    petal_key *keys = bunch_keys(bunch);
    const size_t n = bunch_n(bunch);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (set_table.add(members, &keys[i]))
            keys[kept++] = keys[i];
    bunch->list.len = kept * sizeof *keys;
    return n - kept;
}

/* ---- Who is asked for ---- */

/* SplitMix64, always from the same start: the same questions in every run. */
static uint64_t compare_random(void)
{
    static uint64_t state = 15;
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Copied in the order of asking: what is measured is the set, not the way to the key. */
static struct bunch compare_members(const struct bunch *keys)
{
    struct bunch asked = { 0 };
    while (bunch_n(&asked) < ASKED && asked.text.len < ASKED_LEN) {
        const petal_key *key = &bunch_keys(keys)[compare_random() % bunch_n(keys)];
        bunch_add(&asked, key->data, key->len);
    }
    bunch_settle(&asked);
    return asked;
}

/* Another character of the same sort. */
static char compare_alter(char c)
{
    const uint64_t random = compare_random();
    if (c >= '0' && c <= '9')
        return (char)('0' + (c - '0' + 1 + (int)(random % 9)) % 10);
    const int from = c >= 'a' && c <= 'z' ? c - 'a' : 0;
    return (char)('a' + (from + 1 + (int)(random % 25)) % 26);
}

/* A member with one character altered; and longer with every attempt that met a key. */
static void compare_stranger(const petal_key *member, unsigned attempt, struct buffer *key)
{
    key->len = 0;
    buffer_put(key, member->data, member->len);
    if (member->len > 0) {
        const size_t at = compare_random() % member->len;
        key->bytes[at] = compare_alter(key->bytes[at]);
    }
    for (unsigned i = 0; i < attempt; i++)
        buffer_put(key, &(char){ compare_alter('0') }, 1);
}

static struct bunch compare_strangers(const struct bunch *keys, const void *members)
{
    struct bunch strangers = { 0 };
    struct buffer text = { 0 };
    void *made = set_table.make(ASKED);
    while (bunch_n(&strangers) < ASKED && strangers.text.len < ASKED_LEN) {
        const petal_key *member = &bunch_keys(keys)[compare_random() % bunch_n(keys)];
        petal_key key;
        unsigned attempt = 0;
        do {
            compare_stranger(member, attempt++, &text);
            key = (petal_key){ text.bytes, text.len };
        } while (set_table.contains(members, &key) || !set_table.add(made, &key));
        bunch_add(&strangers, text.bytes, text.len);
    }
    set_table.drop(made);
    free(text.bytes);
    bunch_settle(&strangers);
    return strangers;
}

/* ---- One structure ---- */

struct subject {
    const char *name, *cost;
    const struct set_kind *exact; /* NULL: a filter of these options */
    petal_options options;
    const char *why_not; /* not NULL: it cannot be made of these keys */
    uint64_t bytes;
    double rate;                                            /* measured */
    double build[ROUNDS], member[ROUNDS], stranger[ROUNDS]; /* seconds a key */
};

struct comparison {
    struct bunch keys, members, strangers;
    size_t duplicates, subjects_n, rounds;
    struct subject subjects[SUBJECTS_MAX];
};

static bool subject_is_exact(const struct subject *s)
{
    return s->exact || petal_abilities(s->options.kind) & PETAL_IS_EXACT;
}

static petal_filter *subject_filter(const struct subject *s, const struct bunch *keys)
{
    petal_filter *filter;
    int rc = petal_new(&s->options, &filter);
    for (size_t i = 0; rc >= 0 && i < bunch_n(keys); i++)
        rc = petal_add(filter, bunch_keys(keys)[i].data, bunch_keys(keys)[i].len);
    if (rc >= 0 && petal_abilities(s->options.kind) & PETAL_IS_STATIC)
        rc = petal_seal(filter);
    if (rc < 0)
        fail("%s: %s", s->name, petal_strerror(rc));
    return filter;
}

static void *subject_set(const struct subject *s, const struct bunch *keys)
{
    if (!s->exact)
        return subject_filter(s, keys);
    void *set = s->exact->make(bunch_n(keys));
    for (size_t i = 0; i < bunch_n(keys); i++)
        s->exact->add(set, &bunch_keys(keys)[i]);
    return set;
}

static bool subject_filter_contains(const void *filter, const petal_key *key)
{
    return petal_contains(filter, key->data, key->len);
}

/* Seconds a look-up.  Each round asks for another share of the keys, or for as many of it
 * as there is time for.  The clock is read after 1, 2, 4 … look-ups, so that it costs
 * nothing. */
static double subject_ask(const struct subject *s, const void *set,
                          const struct bunch *asked, size_t round, bool member)
{
    bool (*contains)(const void *, const petal_key *) =
        s->exact ? s->exact->contains : subject_filter_contains;
    const petal_key *keys = bunch_keys(asked);
    const size_t n = bunch_n(asked), share = (n + ROUNDS - 1) / ROUNDS;
    size_t at = round * share % n, done = 0, found = 0;
    const double began = seconds_now();
    double took = 0;
    for (size_t batch = 1; done < share && took < PASS_SECONDS; batch *= 2) {
        for (size_t i = 0; i < batch && done < share; i++, done++) {
            found += contains(set, &keys[at]);
            at = at + 1 < n ? at + 1 : 0;
        }
        took = seconds_now() - began;
    }
    if (found < done && member)
        fail("%s: a key that was added is denied; this is a bug in petal", s->name);
    return took / (double)done;
}

static double subject_rate(const petal_filter *filter, const struct bunch *strangers)
{
    const size_t n = bunch_n(strangers);
    return (double)petal_contains_many(filter, bunch_keys(strangers), n, NULL) / (double)n;
}

static void subject_round(struct subject *s, const struct comparison *c, size_t round)
{
    const double began = seconds_now();
    void *set = subject_set(s, &c->keys);
    s->build[round] = (seconds_now() - began) / (double)bunch_n(&c->keys);
    s->member[round] = subject_ask(s, set, &c->members, round, true);
    s->stranger[round] = subject_ask(s, set, &c->strangers, round, false);
    if (s->exact) {
        s->bytes = s->exact->bytes(set);
        s->exact->drop(set);
        return;
    }
    s->bytes = petal_shape_of(set)->image_bytes;
    if (round == 0)
        s->rate = subject_rate(set, &c->strangers);
    petal_free(set);
}

/* ---- All of them ---- */

/* A bitmap up to the largest key, if all are integers and near enough to each other.
 * What an integer is, the library knows: a bitmap's hash of it is its value. */
static const char *compare_bitmap(const struct bunch *keys, petal_options *options)
{
    petal_filter *bitmap;
    *options = (petal_options){ .kind = PETAL_BITMAP, .bits = 1 };
    const int rc = petal_new(options, &bitmap);
    if (rc < 0)
        return petal_strerror(rc);
    uint64_t most = 0;
    for (size_t i = 0; i < bunch_n(keys); i++) {
        const uint64_t value =
            petal_hash(bitmap, bunch_keys(keys)[i].data, bunch_keys(keys)[i].len);
        most = value > most ? value : most;
    }
    petal_free(bitmap);
    if (most == UINT64_MAX)
        return "takes integers, and these keys are not";
    if (most / BITMAP_BITS >= bunch_n(keys))
        return "would take more than 64 bits a key for these integers";
    options->bits = most + 1;
    return NULL;
}

static void compare_subjects(struct comparison *c)
{
    static const struct set_kind *const sets[SETS] = { &set_list, &set_tree, &set_table };
    for (size_t i = 0; i < SETS; i++)
        c->subjects[c->subjects_n++] = (struct subject){ .name = sets[i]->name,
                                                         .cost = sets[i]->cost,
                                                         .exact = sets[i] };
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); k && c->subjects_n < SUBJECTS_MAX;
         k = petal_kind_next(k)) {
        struct subject *s = &c->subjects[c->subjects_n++];
        *s = (struct subject){ .name = petal_kind_name(k),
                               .cost = "O(1)",
                               .options = wanted };
        s->options.kind = k;
        s->options.capacity = bunch_n(&c->keys);
        petal_shape shape;
        if (k == PETAL_BITMAP)
            s->why_not = compare_bitmap(&c->keys, &s->options);
        const int rc = petal_plan(&s->options, &shape);
        if (rc < 0 && !s->why_not)
            s->why_not = petal_strerror(rc);
    }
}

static int compare_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median comes to stand first. */
static void compare_median(double *seconds, size_t n)
{
    qsort(seconds, n, sizeof *seconds, compare_order);
    seconds[0] = seconds[n / 2];
}

static void compare_measure(struct comparison *c)
{
    const double began = seconds_now();
    do {
        for (size_t i = 0; i < c->subjects_n; i++)
            if (!c->subjects[i].why_not)
                subject_round(&c->subjects[i], c, c->rounds);
        c->rounds++;
    } while (c->rounds < ROUNDS_LEAST ||
             (c->rounds < ROUNDS && seconds_now() - began < ROUNDS_SECONDS));
    for (size_t i = 0; i < c->subjects_n; i++) {
        compare_median(c->subjects[i].build, c->rounds);
        compare_median(c->subjects[i].member, c->rounds);
        compare_median(c->subjects[i].stranger, c->rounds);
    }
}

/* ---- What comes out ---- */

static double compare_per_key(const struct comparison *c, const struct subject *s)
{
    return (double)s->bytes / (double)bunch_n(&c->keys);
}

static double compare_key_len(const struct comparison *c)
{
    double sum = 0;
    for (size_t i = 0; i < bunch_n(&c->keys); i++)
        sum += (double)bunch_keys(&c->keys)[i].len;
    return sum / (double)bunch_n(&c->keys);
}

static void compare_row(const struct comparison *c, const struct subject *s)
{
    out_column(-15, s->name);
    if (s->why_not) {
        out("%s\n", s->why_not);
        return;
    }
    out_column(-9, s->cost);
    out_column(8, text_bytes((double)s->bytes));
    out_column(9, text_format("%.3g B", compare_per_key(c, s)));
    out_column(10, text_seconds(s->build[0]));
    out_column(10, text_seconds(s->member[0]));
    out_column(10, text_seconds(s->stranger[0]));
    out_column(10, subject_is_exact(s) ? "exact" : text_rate(s->rate));
    out("\n");
}

static void compare_table(const struct comparison *c)
{
    out("%s keys of %.3g bytes; filters for so many, at a rate of %s:\n\n",
        text_count(bunch_n(&c->keys)), compare_key_len(c),
        text_rate(wanted.fpr > 0 ? wanted.fpr : 0.01));
    out("structure      look-up     size  per key     build    member  stranger      "
        "rate\n");
    for (size_t i = 0; i < c->subjects_n; i++)
        compare_row(c, &c->subjects[i]);
    out("\nTimes are for one key, the median of %zu round%s.  The rate is that of %s keys\n"
        "that are not in the set.\n",
        c->rounds, c->rounds == 1 ? "" : "s", text_count(bunch_n(&c->strangers)));
}

static void compare_json_subject(const struct comparison *c, const struct subject *s)
{
    json_open(NULL, '{');
    json_text("structure", s->name);
    json_text("look_up", s->cost);
    json_flag("exact", subject_is_exact(s));
    if (s->why_not) {
        json_text("error", s->why_not);
    } else {
        json_count("bytes", s->bytes);
        json_real("bytes_per_key", compare_per_key(c, s));
        json_real("build_seconds", s->build[0]);
        json_real("member_seconds", s->member[0]);
        json_real("stranger_seconds", s->stranger[0]);
        json_real("fpr_measured", s->rate);
    }
    json_close();
}

static void compare_json(const struct comparison *c)
{
    json_open(NULL, '{');
    json_count("keys", bunch_n(&c->keys));
    json_count("duplicates", c->duplicates);
    json_real("bytes_of_a_key", compare_key_len(c));
    json_count("strangers", bunch_n(&c->strangers));
    json_count("rounds", c->rounds);
    json_open("structures", '[');
    for (size_t i = 0; i < c->subjects_n; i++)
        compare_json_subject(c, &c->subjects[i]);
    json_close();
    json_close();
}

static const char *compare_bytes_text(double bytes)
{
    return text_format("%.3g", bytes);
}

/* Bars of a log axis begin a little below the least. */
static void compare_fit(struct plot *plot)
{
    double least = INFINITY, most = 0;
    for (size_t s = 0; s < plot->series_n; s++)
        for (size_t i = 0; i < plot->series[s].n; i++) {
            least = fmin(least, plot->series[s].points[i].x);
            most = fmax(most, plot->series[s].points[i].x);
        }
    plot->x.least = pow(10, floor(log10(least * 0.8)));
    plot->x.most = fmax(most, 10 * plot->x.least);
}

static void compare_draw(const struct comparison *c)
{
    const char *names[SUBJECTS_MAX];
    struct plot_point bytes[SUBJECTS_MAX], members[SUBJECTS_MAX], strangers[SUBJECTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < c->subjects_n; i++) {
        const struct subject *s = &c->subjects[i];
        if (s->why_not)
            continue;
        names[n] = s->name;
        bytes[n].x = compare_per_key(c, s);
        members[n].x = s->member[0];
        strangers[n++].x = s->stranger[0];
    }
    struct plot plots[2] = {
        { .title = "Bytes a key",
          .x = { "bytes, log scale", true, 0, 0, compare_bytes_text },
          .series = { { "nodes, pointers and keys; or the whole filter", false, bytes,
                        n } },
          .series_n = 1,
          .names = names },
        { .title = "Time of a look-up",
          .x = { "time, log scale", true, 0, 0, text_seconds },
          .series = { { "of a member", false, members, n },
                      { "of a stranger", false, strangers, n } },
          .series_n = 2,
          .names = names },
    };
    struct buffer svg = { 0 };
    compare_fit(&plots[0]);
    compare_fit(&plots[1]);
    plot_svg(&svg, plots, 2);
    output_text(compare_svg, svg.bytes, svg.len);
    free(svg.bytes);
}

/* ---- The command ---- */

static void compare_read(struct comparison *c, char **files, size_t n)
{
    struct lines *lines = lines_open(files, n);
    keys_each(NULL, lines, compare_take, NULL, &c->keys);
    lines_close(lines);
    bunch_settle(&c->keys);
}

static void compare_work(struct comparison *c)
{
    void *members = set_table.make(bunch_n(&c->keys));
    c->duplicates = compare_unique(&c->keys, members);
    if (c->duplicates)
        remark("duplicates left out: %s", text_count(c->duplicates));
    c->members = compare_members(&c->keys);
    c->strangers = compare_strangers(&c->keys, members);
    set_table.drop(members);
    compare_subjects(c);
    compare_measure(c);
}

static int compare_run(char **files, size_t n)
{
    static struct comparison c;
    const bool alone = compare_svg && compare_svg[0] == '-' && !compare_svg[1];
    if (wanted.fpr != 0 && !(wanted.fpr > 0 && wanted.fpr < 1))
        fail("-p: %s", petal_strerror(PETAL_E_FPR));
    if (json && alone)
        fail("--json: not together with a picture on standard output");
    if (compare_svg && !alone)
        output_claim(compare_svg);
    compare_read(&c, files, n);
    const bool any = bunch_n(&c.keys) > 0;
    if (any)
        compare_work(&c);
    else
        remark("no keys to compare");
    if (any && json)
        compare_json(&c);
    else if (any && !alone)
        compare_table(&c);
    if (any && compare_svg)
        compare_draw(&c);
    bunch_free(&c.keys);
    bunch_free(&c.members);
    bunch_free(&c.strangers);
    return any ? STATUS_SOME : STATUS_NONE;
}

const struct command command_compare = {
    .name = "compare",
    .synopsis = "[FILE...]",
    .summary = "lists, trees, tables and filters, on your own keys",
    .text =
        "Builds a linear list, a balanced tree, a hash table and a filter of each kind "
        "from\n"
        "the same keys, and measures their bytes, the time to build them and to look up a\n"
        "member and a stranger, and how often a filter says \"maybe\" to a stranger.  A "
        "bitmap\n"
        "takes part if all keys are integers, not too far apart.  All keys are held in\n"
        "memory.  Beside each stands what the textbook says that a look-up costs; the "
        "bytes\n"
        "of lists, trees and tables are those asked of malloc(), without what that "
        "adds.\n\n"
        "  petal compare /usr/share/dict/words\n"
        "  petal compare -f 2 -d , -p 0.1% visits.csv.gz\n"
        "  petal compare --svg compare.svg urls.txt\n",
    .args = compare_args,
    .run = compare_run,
};
