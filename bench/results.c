/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * results.c: prints the results as a table and writes them as JSON.
 *
 * The JSON has every figure of every trial, and describes the machine as far as speed
 * depends on it: processor, caches, kernel, compiler, pages.  report.py makes tables and
 * charts of it.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

const char *const op_names[OPS] = { "add",   "add_many",  "hit",   "hit_many",
                                    "miss",  "miss_many", "mixed", "mixed_many",
                                    "whole", "bulk",      "ready" };
const char *const pages_names[PAGES] = { "shipped", "small", "huge" };

/* ---- The table ---- */

/* 1e5 for 100000, but 123456 in full. */
static const char *text_number(uint64_t n)
{
    static char text[32];
    uint64_t digits = n;
    int zeros = 0;
    for (; digits && digits % 10 == 0; digits /= 10)
        zeros++;
    if (zeros > 3)
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, zeros);
    else
        snprintf(text, sizeof text, "%" PRIu64, n);
    return text;
}

const char *trial_name(const struct trial *trial)
{
    static char text[96];
    snprintf(text, sizeof text, "%s, n = %s, %g bits per key, pages %s",
             keys_names[trial->keys], text_number(trial->n), trial->bits,
             pages_names[trial->pages]);
    return text;
}

static void table_cell(const struct figure *figure)
{
    if (figure->rounds > 0)
        printf(" %6.*f", figure->median < 99.95 ? 1 : 0, figure->median);
    else
        printf("      -");
}

static void table_row(const struct result *result)
{
    static const enum op columns[] = { OP_ADD,   OP_ADD_MANY,  OP_WHOLE, OP_BULK,
                                       OP_HIT,   OP_HIT_MANY,  OP_MISS,  OP_MISS_MANY,
                                       OP_MIXED, OP_MIXED_MANY };
    printf("%-26.26s", result->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        table_cell(&result->ops[columns[i]]);
    if (result->nonmembers > 0)
        printf(" %9.3g%%", 100 * (double)result->maybes / (double)result->nonmembers);
    else
        printf(" %10s", "-");
    if (result->bits > 0)
        printf(" %6.1f", result->bits);
    else
        printf(" %6s", "-");
    printf("%s%s\n", result->parameters[0] ? "  " : "", result->parameters);
}

/* The longest wall time, relative to the processor time. */
static void table_wall(const struct trial *trial)
{
    double most = 1.1;
    const char *who = NULL, *what = NULL;
    for (size_t i = 0; i < trial->results_n; i++)
        for (int op = 0; op < OPS; op++) {
            const struct figure *f = &trial->results[i].ops[op];
            if (f->rounds > 0 && f->wall > most * f->median) {
                most = f->wall / f->median;
                who = trial->results[i].name;
                what = op_names[op];
            }
        }
    if (who)
        printf("the machine is busy: these are processor times; wall times are up to %.2f "
               "times as long (%s, %s)\n",
               most, who, what);
}

static void table_remarks(const struct trial *trial)
{
    for (size_t i = 0; i < trial->results_n; i++) {
        const struct result *result = &trial->results[i];
        if (result->left_out[0])
            printf("%s %s: %s\n", result->broken ? "broken:" : "left out:", result->name,
                   result->left_out);
        else if (result->ops[OP_READY].rounds > 0)
            printf("%s: building takes another %.0f ns per key after adding\n",
                   result->name, result->ops[OP_READY].median);
    }
}

void results_print(const struct trial *trial)
{
    printf("\n%s: ns per key, median of %u rounds\n", trial_name(trial),
           trial->rounds_done);
    printf("%26s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %10s %6s  %s\n", "", "add", "many",
           "whole", "bulk", "hit", "many", "miss", "many", "mixed", "many", "rate", "bits",
           "parameters");
    for (size_t i = 0; i < trial->results_n; i++)
        if (!trial->results[i].left_out[0])
            table_row(&trial->results[i]);
    table_wall(trial);
    table_remarks(trial);
    fflush(stdout);
}

/* ---- JSON ---- */

static void json_text(FILE *to, const char *name, const char *text)
{
    fprintf(to, "\"%s\": \"", name);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
    fputc('"', to);
}

/* The first line of a system file, or with `key` the value of its line "key: value". */
static void machine_line(const char *path, const char *key, char *line, size_t size)
{
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, (int)size, file)) {
        line[strcspn(line, "\n")] = 0;
        char *colon = strchr(line, ':');
        found = !key || strncmp(line, key, strlen(key)) == 0;
        if (found && key && colon)
            memmove(line, colon + 1 + (colon[1] == ' '),
                    strlen(colon + 1 + (colon[1] == ' ')) + 1);
    }
    if (!found)
        *line = 0;
    if (file)
        fclose(file);
}

static void machine_caches(FILE *to)
{
    fprintf(to, "    \"caches\": [");
    for (int i = 0, n = 0; i < 8; i++) {
        static const char *const parts[] = { "level", "type", "size" };
        char texts[3][64], path[96];
        for (int part = 0; part < 3; part++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i,
                     parts[part]);
            machine_line(path, NULL, texts[part], sizeof texts[part]);
        }
        if (texts[0][0] && strcmp(texts[1], "Instruction") != 0)
            fprintf(to, "%s\"L%s %s\"", n++ ? ", " : "", texts[0], texts[2]);
    }
    fprintf(to, "],\n");
}

/* The current mode is in brackets. */
static void machine_pages(FILE *to)
{
    char line[128];
    machine_line("/sys/kernel/mm/transparent_hugepage/enabled", NULL, line, sizeof line);
    char *mode = strchr(line, '[');
    if (mode)
        mode[strcspn(mode, "]")] = 0;
    fprintf(to, "    ");
    json_text(to, "huge_pages", mode ? mode + 1 : "none");
    fprintf(to, ",\n");
}

static void machine_save(FILE *to)
{
    char line[8192];
    struct utsname system = { .release = "" };
    fprintf(to, "  \"machine\": {\n    ");
    machine_line("/proc/cpuinfo", "model name", line, sizeof line);
    json_text(to, "processor", line[0] ? line : "unknown");
    fprintf(to, ",\n    \"processors\": %ld,\n", sysconf(_SC_NPROCESSORS_ONLN));
    machine_caches(to);
    machine_line("/proc/cpuinfo", "flags", line, sizeof line);
    fprintf(to, "    \"avx2\": %s,\n    \"avx512\": %s,\n    ",
            strstr(line, " avx2") ? "true" : "false",
            strstr(line, " avx512f") ? "true" : "false");
    uname(&system);
    json_text(to, "kernel", system.release);
    fprintf(to, ",\n    ");
    json_text(to, "architecture", system.machine);
    fprintf(to, ",\n");
    machine_pages(to);
    fprintf(to, "    \"memory_bytes\": %.0f\n  },\n",
            (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
}

static void result_save(FILE *to, const struct result *result)
{
    fprintf(to, "        { ");
    json_text(to, "name", result->name);
    fprintf(to, ", \"exact\": %s, \"limit\": %s",
            result->what & PEER_EXACT ? "true" : "false",
            result->what & PEER_LIMIT ? "true" : "false");
    if (result->left_out[0]) {
        fprintf(to, ", \"broken\": %s, ", result->broken ? "true" : "false");
        json_text(to, "left_out", result->left_out);
        fprintf(to, " }");
        return;
    }
    fprintf(to, ", \"bits\": %.6g, ", result->bits);
    json_text(to, "parameters", result->parameters);
    if (result->nonmembers > 0)
        fprintf(to, ", \"rate\": %.6g, \"nonmembers\": %" PRIu64 ", \"maybes\": %" PRIu64,
                (double)result->maybes / (double)result->nonmembers, result->nonmembers,
                result->maybes);
    fprintf(to, ",\n          \"ns\": {");
    for (int op = 0, n = 0; op < OPS; op++) {
        const struct figure *f = &result->ops[op];
        if (f->rounds > 0)
            fprintf(
                to,
                "%s\n            \"%s\": { \"median\": %.5g, \"min\": %.5g, \"q1\": %.5g, "
                "\"q3\": %.5g, \"wall\": %.5g, \"rounds\": %u }",
                n++ ? "," : "", op_names[op], f->median, f->min, f->q1, f->q3, f->wall,
                f->rounds);
    }
    fprintf(to, " } }");
}

static void trial_save(FILE *to, const struct trial *trial)
{
    fprintf(to,
            "    { \"keys\": \"%s\", \"n\": %" PRIu64 ", \"bits\": %g, \"pages\": \"%s\", "
            "\"rounds\": %u, \"seconds\": %.1f,\n      \"contestants\": [\n",
            keys_names[trial->keys], trial->n, trial->bits, pages_names[trial->pages],
            trial->rounds_done, trial->took);
    for (size_t i = 0; i < trial->results_n; i++) {
        result_save(to, &trial->results[i]);
        fprintf(to, "%s\n", i + 1 < trial->results_n ? "," : "");
    }
    fprintf(to, "      ] }");
}

static void run_save(FILE *to, double seconds)
{
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(to, "{\n  \"format\": 1,\n  ");
    json_text(to, "date", date);
    fprintf(to, ",\n  \"seed\": %" PRIu64 ",\n  \"seconds\": %.1f,\n", settings.seed,
            seconds);
    fprintf(to, "  \"plan\": \"%s\",\n  \"versions\": { ",
            settings.growth  ? "growth"
            : settings.brief ? "short"
            : settings.quick ? "quick"
            : settings.keys || settings.n.n || settings.bits.n || settings.pages
                ? "chosen"
                : "default");
    json_text(to, "petal", BENCH_PETAL_VERSION);
    fprintf(to, ", ");
    json_text(to, "compiler", BENCH_COMPILER);
    fprintf(to, ", ");
    json_text(to, "libc", gnu_get_libc_version());
    fprintf(to, " },\n");
}

int results_save(const char *path, const struct trial *trials, size_t n, double seconds)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return -1;
    run_save(to, seconds);
    machine_save(to);
    fprintf(to, "  \"cases\": [\n");
    for (size_t i = 0; i < n; i++) {
        trial_save(to, &trials[i]);
        fprintf(to, "%s\n", i + 1 < n ? "," : "");
    }
    fprintf(to, "  ]\n}\n");
    const bool bad = ferror(to) != 0;
    return fclose(to) == 0 && !bad ? 0 : -1;
}
