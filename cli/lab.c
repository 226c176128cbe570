/*
 * lab.c: petal lab: the worked examples of the lecture notes, step by step.
 *
 *   bitmap    a set of numbers below 10, one bit each: the library's own bitmap
 *   rows      three rows of five bits: two sites are added, a third is let through
 *   subsets   four bits for three keys: all eight sets, one of which lies
 *   poisson   how the binomial turns into Poisson's distribution, which is what tells
 *             how full the blocks of a filter become
 *
 * Where the notes give hash values, these are taken as they are: `rows` and `subsets`
 * are models to learn from, and say so.  On a terminal each step waits for Enter.
 */
#include "args.h"
#include "choices.h"
#include "json.h"
#include "print.h"
#include "text.h"

#include <petal_math.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct arg lab_args[] = { ARGS_JSON, ARGS_END };

static bool lab_waits; /* someone sits at the terminal */
static const char *lab_name;
static uint64_t lab_steps;

/* A step as data begins. */
static void lab_json(const char *operation)
{
    json_open(NULL, '{');
    json_text("lab", lab_name);
    json_count("step", ++lab_steps);
    if (operation)
        json_text("operation", operation);
}

static void lab_title(const char *title)
{
    if (!json)
        out("%s\n\n", title);
}

/* After a step: end the line, or let the Enter that is typed end it. */
static void lab_pause(void)
{
    if (!lab_waits) {
        out("\n");
        return;
    }
    out_flush();
    int c;
    while ((c = getchar()) != '\n')
        if (c == EOF) {
            lab_waits = false;
            out("\n");
            return;
        }
}

/* ---- The bitmap ---- */

#define BITMAP_BITS 10

static void lab_bitmap_bits(const petal_filter *bitmap, char bits[BITMAP_BITS + 1])
{
    for (int i = 0; i < BITMAP_BITS; i++)
        bits[i] = petal_contains_int(bitmap, i) ? '1' : '0';
    bits[BITMAP_BITS] = 0;
}

static void lab_bitmap_show(const petal_filter *bitmap, const char *operation, int key,
                            const char *what)
{
    char bits[BITMAP_BITS + 1];
    lab_bitmap_bits(bitmap, bits);
    if (json) {
        lab_json(operation);
        if (key >= 0)
            json_count("key", (uint64_t)key);
        json_text("bits", bits);
        json_count("size", petal_size(bitmap));
        json_close();
        return;
    }
    out("  %s%s: %s\n", operation, key >= 0 ? text_format(" %d", key) : "", what);
    out("    bits ");
    for (int i = 0; i < BITMAP_BITS; i++)
        out(" %c", bits[i]);
    out("    size %s\n         ", text_count(petal_size(bitmap)));
    for (int i = 0; i < BITMAP_BITS; i++)
        out(" %d", i);
    out("\n");
    lab_pause();
}

static void lab_bitmap(void)
{
    static const struct {
        bool add;
        int key;
    } steps[] = { { true, 4 }, { true, 8 }, { true, 1 }, { false, 8 }, { true, 4 } };
    petal_filter *bitmap;
    const int rc =
        petal_new(&(petal_options){ .kind = CHOICE_LAB, .bits = BITMAP_BITS }, &bitmap);
    if (rc < 0)
        fail("%s", petal_strerror(rc));

    lab_title("A bitmap: the numbers 0 to 9, one bit each (petal's own kind bitmap).");
    lab_bitmap_show(bitmap, "new", -1, "no bit is set");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const int key = steps[i].key;
        const bool changed = (steps[i].add ? petal_add_int(bitmap, key)
                                           : petal_remove_int(bitmap, key)) == 1;
        lab_bitmap_show(bitmap, steps[i].add ? "add" : "remove", key,
                        !changed       ? "nothing changes"
                        : steps[i].add ? "its bit becomes 1"
                                       : "its bit becomes 0");
    }
    petal_free(bitmap);
}

/* ---- Three rows of five bits ---- */

#define ROWS     3
#define ROW_BITS 5

struct site {
    const char *name;
    int hashes[ROWS]; /* as the notes have them */
};

static const struct site virus = { "thisisavirus.com", { 2, 1, 4 } };
static const struct site suspicious = { "totallynotsuspicious.com", { 1, 0, 4 } };
static const struct site normal = { "verynormalsite.com", { 2, 0, 4 } };

struct rows {
    char bits[ROWS][ROW_BITS + 1]; /* text: 0 and 1 */
};

static void rows_json(const struct rows *t, const char *operation, const struct site *site,
                      const char *verdict)
{
    lab_json(operation);
    if (site) {
        json_text("key", site->name);
        json_open("hashes", '[');
        for (int i = 0; i < ROWS; i++)
            json_count(NULL, (uint64_t)site->hashes[i]);
        json_close();
    }
    json_open("rows", '[');
    for (int i = 0; i < ROWS; i++)
        json_text(NULL, t->bits[i]);
    json_close();
    if (verdict)
        json_text("verdict", verdict);
    json_close();
}

/* The bits that the site looks at stand in brackets. */
static void rows_draw(const struct rows *t, const struct site *site)
{
    out("        ");
    for (int j = 0; j < ROW_BITS; j++)
        out("  %d", j);
    out("\n");
    for (int i = 0; i < ROWS; i++) {
        const int at = site ? site->hashes[i] : ROW_BITS;
        out("    t%d  ", i + 1);
        for (int j = 0; j < ROW_BITS; j++)
            out("%s%c", j == at ? " [" : j - 1 == at ? "] " : "  ", t->bits[i][j]);
        out("%s\n", at == ROW_BITS - 1 ? "]" : "");
    }
}

static void rows_show(const struct rows *t, const char *operation, const struct site *site,
                      const char *verdict, const char *truth)
{
    if (json) {
        rows_json(t, operation, site, verdict);
        return;
    }
    if (site)
        out("  %s %s: h1 = %d, h2 = %d, h3 = %d\n", operation, site->name, site->hashes[0],
            site->hashes[1], site->hashes[2]);
    else
        out("  %s(%d, %d)\n", operation, ROWS, ROW_BITS);
    rows_draw(t, site);
    if (verdict)
        out("    %s: %s\n", verdict, truth);
    lab_pause();
}

static void rows_add(struct rows *t, const struct site *site)
{
    for (int i = 0; i < ROWS; i++)
        t->bits[i][site->hashes[i]] = '1';
    rows_show(t, "add", site, NULL, NULL);
}

static void rows_contains(const struct rows *t, const struct site *site, const char *truth)
{
    bool all = true;
    for (int i = 0; i < ROWS; i++)
        all = all && t->bits[i][site->hashes[i]] == '1';
    rows_show(t, "contains", site, all ? "maybe" : "no", truth);
}

static void lab_rows(void)
{
    struct rows t;
    for (int i = 0; i < ROWS; i++)
        strcpy(t.bits[i], "00000");
    lab_title(
        "A Bloom filter of k = 3 rows of m = 5 bits.  (A model to learn from: the hash\n"
        "values are those of the notes, not petal's.)");
    rows_show(&t, "initialize", NULL, NULL, NULL);
    rows_add(&t, &virus);
    rows_contains(&t, &virus, "it was added");
    rows_add(&t, &suspicious);
    rows_contains(&t, &normal, "a false positive: it was never added");
}

/* ---- Three keys on four bits ---- */

#define KEYS 3

static const unsigned universe[KEYS] = { 0, 1, 7 };

static unsigned lab_subsets_h0(unsigned key)
{
    return (key + 1) % 3;
}

static unsigned lab_subsets_h1(unsigned key)
{
    return key % 4;
}

static unsigned lab_subsets_bits(unsigned key)
{
    return 1u << lab_subsets_h0(key) | 1u << lab_subsets_h1(key);
}

/* As the notes write them: bit 0 is the last. */
static const char *lab_subsets_text(unsigned bits)
{
    return text_format("%u%u%u%u", bits >> 3 & 1, bits >> 2 & 1, bits >> 1 & 1, bits & 1);
}

static void lab_subsets_json(unsigned members, unsigned bits, unsigned maybe)
{
    const struct {
        const char *name;
        unsigned keys;
    } lists[] = { { "keys", members },
                  { "maybe", maybe },
                  { "false_positives", maybe & ~members } };
    lab_json(NULL);
    json_text("bits", lab_subsets_text(bits));
    for (int l = 0; l < 3; l++) {
        json_open(lists[l].name, '[');
        for (unsigned i = 0; i < KEYS; i++)
            if (lists[l].keys >> i & 1)
                json_count(NULL, universe[i]);
        json_close();
    }
    json_close();
}

static void lab_subsets_row(unsigned members, unsigned bits, unsigned maybe)
{
    char set[16] = "{";
    for (unsigned i = 0; i < KEYS; i++)
        if (members >> i & 1)
            sprintf(set + strlen(set), "%s%u", set[1] ? ", " : "", universe[i]);
    strcat(set, "}");
    out("  %-11s  %s", set, lab_subsets_text(bits));
    for (unsigned i = 0; i < KEYS; i++)
        out("  %6s", maybe >> i & 1 ? members >> i & 1 ? "maybe" : "maybe!" : "no");
    out("%s", maybe & ~members ? "  ! a false positive" : "");
    lab_pause();
}

/* One set of keys, a bit for each of the universe. */
static void lab_subsets_step(unsigned members)
{
    unsigned bits = 0, maybe = 0;
    for (unsigned i = 0; i < KEYS; i++)
        if (members >> i & 1)
            bits |= lab_subsets_bits(universe[i]);
    for (unsigned i = 0; i < KEYS; i++)
        if ((lab_subsets_bits(universe[i]) & ~bits) == 0)
            maybe |= 1u << i;
    if (json)
        lab_subsets_json(members, bits, maybe);
    else
        lab_subsets_row(members, bits, maybe);
}

static void lab_subsets(void)
{
    static const unsigned order[] = { 0, 1, 2, 4, 3, 5, 6, 7 }; /* that of the notes */
    lab_title(
        "Every set of keys from {0, 1, 7} on four bits, with h0(k) = (k + 1) mod 3 and\n"
        "h1(k) = k mod 4.  (A model to learn from: the hash functions of the notes.)");
    if (!json) {
        out("  key  h0  h1  bits\n");
        for (unsigned i = 0; i < KEYS; i++)
            out("  %3u  %2u  %2u  %s\n", universe[i], lab_subsets_h0(universe[i]),
                lab_subsets_h1(universe[i]),
                lab_subsets_text(lab_subsets_bits(universe[i])));
        lab_pause();
        out("  keys added   bits      0?      1?      7?\n");
    }
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        lab_subsets_step(order[i]);
    if (!json)
        out("\n");
}

/* ---- The binomial on its way to Poisson ---- */

#define LAMBDA     5.0
#define POISSON_TO 12 /* what is beyond is too small to see */
#define BAR_WIDTH  10
#define BAR_TOP    0.25

static const unsigned trials[] = { 10, 15, 20 };
#define TRIALS (sizeof trials / sizeof *trials)

static double lab_poisson_binomial(size_t t, unsigned i)
{
    return petal_math_binomial(trials[t], LAMBDA / trials[t], i);
}

static void lab_poisson_cell(double probability, int width)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    const unsigned n = (unsigned)lround(probability / BAR_TOP * BAR_WIDTH * 8);
    char bar[3 * BAR_WIDTH + 4] = "";
    for (unsigned i = 0; i < n / 8; i++)
        strcat(bar, "█");
    strcat(bar, eighths[n % 8]);
    out("  %.4f ", probability);
    out_column(-width, bar);
}

static void lab_poisson_json(unsigned i)
{
    lab_json(NULL);
    json_count("i", i);
    json_open("binomial", '{');
    for (size_t t = 0; t < TRIALS; t++)
        json_real(text_format("%u", trials[t]), lab_poisson_binomial(t, i));
    json_close();
    json_real("poisson", petal_math_poisson(LAMBDA, i));
    json_close();
}

static void lab_poisson_row(unsigned i)
{
    out("  %2u", i);
    for (size_t t = 0; t < TRIALS; t++)
        lab_poisson_cell(lab_poisson_binomial(t, i), BAR_WIDTH);
    lab_poisson_cell(petal_math_poisson(LAMBDA, i), 0);
    out("\n");
}

static void lab_poisson_rule(void)
{
    unsigned n = trials[TRIALS - 1];
    while (!petal_math_poisson_fits(n, LAMBDA / n))
        n++;
    out("\nThe rule of thumb: Poisson may stand for the binomial where n > 20 and p < "
        "0.05, or\n"
        "n > 100 and p < 0.1.  With np = 5 that begins at n = %u: here it is too early.\n",
        n);
}

static void lab_poisson(void)
{
    lab_title(
        "P(X = i) for X binomial with np = 5, beside Poisson's with mean 5: the more "
        "tries,\n"
        "the closer.  (It tells how many keys fall into a block of a blocked filter.)");
    if (!json) {
        out("   i");
        for (size_t t = 0; t < TRIALS; t++)
            out("  %-17s", text_format("n = %u", trials[t]));
        out("  Poisson\n");
    }
    for (unsigned i = 0; i <= POISSON_TO; i++)
        if (json)
            lab_poisson_json(i);
        else
            lab_poisson_row(i);
    if (!json)
        lab_poisson_rule();
}

/* ---- The command ---- */

static const struct {
    const char *name;
    void (*run)(void);
} examples[] = {
    { "bitmap", lab_bitmap },
    { "rows", lab_rows },
    { "subsets", lab_subsets },
    { "poisson", lab_poisson }, /* a figure and no example: only when asked for */
};

static void lab_start(size_t i)
{
    lab_name = examples[i].name;
    lab_steps = 0;
    examples[i].run();
}

static int lab_run(char **names, size_t n)
{
    args_expect(n, 0, 1);
    lab_waits = !json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (lab_waits)
        remark("Enter goes on to the next step");
    for (size_t i = 0; n == 0 && i < 3; i++)
        lab_start(i);
    for (size_t i = 0; n == 1; i++) {
        if (i == sizeof examples / sizeof *examples)
            fail("%s: no such example; there are bitmap, rows, subsets and poisson",
                 names[0]);
        if (strcmp(examples[i].name, names[0]) == 0) {
            lab_start(i);
            break;
        }
    }
    return STATUS_SOME;
}

const struct command command_lab = {
    .name = "lab",
    .synopsis = "[bitmap|rows|subsets|poisson]",
    .summary = "the worked examples of the lecture notes, step by step",
    .text =
        "Shows a bitmap under additions and removals; a filter of three rows that lets a\n"
        "stranger through; and every set of three keys on four bits.  Without a name, "
        "these\n"
        "three; poisson shows how the binomial becomes Poisson's distribution.  On a\n"
        "terminal each step waits for Enter.\n\n"
        "  petal lab\n"
        "  petal lab rows\n"
        "  petal lab --json subsets | jq -c 'select(.false_positives != [])'\n",
    .args = lab_args,
    .run = lab_run,
};
