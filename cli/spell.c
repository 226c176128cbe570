/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spell.c: petal spell: print the words that are certainly not in a dictionary.
 *
 * The dictionary is a filter, so every printed word is certainly not in it, but a false
 * positive can accept a misspelt word.  The expected number is reported at the end.
 *
 * A word is a sequence of letters, possibly with apostrophes between them.  dictionary.c
 * has the spellings in which it is looked up.  Text between white space that contains a
 * digit, "@" or "://" is skipped.
 */
#define _XOPEN_SOURCE 700 /* tsearch() */
#include "args.h"
#include "characters.h"
#include "dictionary.h"
#include "filters.h"
#include "json.h"
#include "print.h"
#include "text.h"
#include "work.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

static bool spell_count, spell_list;

static const struct arg spell_args[] = {
    { 'c', "count", NULL, ARG_FLAG, &spell_count, "print only the number of words", NULL },
    { 0, "list", NULL, ARG_FLAG, &spell_list, "print each word once, without its position",
      NULL },
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

struct speller {
    struct dictionary dictionary;
    uint64_t words, unknown, printed;
    uint64_t lookups; /* of the unknown words */
    void *seen;       /* for --list: a tree of the printed words */
};

/* ---- A block of text, in any thread ---- */

/* The position of an unknown word. */
struct hit {
    uint32_t at, len;      /* in bytes, from the start of the block */
    uint32_t line, column; /* lines before it in the block; in characters, from 1 */
};

enum { TALLY_WORDS, TALLY_UNKNOWN, TALLY_LOOKUPS };

struct page {
    const struct speller *speller;
    struct result *result;
    const char *start;
    uint32_t line;
    const char *counted; /* the characters of the line are counted up to here ... */
    uint32_t column;     /* ... and this is their number */
};

static void page_word(struct page *page, const char *word, size_t len)
{
    unsigned lookups = 0;
    page->result->tally[TALLY_WORDS]++;
    if (dictionary_may_have(&page->speller->dictionary, word, len, &lookups))
        return;
    for (; page->counted < word; page->counted++)
        page->column += (*page->counted & 0xc0) != 0x80;
    const struct hit hit = { (uint32_t)(word - page->start), (uint32_t)len, page->line,
                             page->column + 1 };
    buffer_put(&page->result->out, &hit, sizeof hit);
    page->result->tally[TALLY_UNKNOWN]++;
    page->result->tally[TALLY_LOOKUPS] += lookups;
}

/* Moves *at to the end of the word that starts there.  Returns its number of letters. */
static size_t page_letters(const char **at, const char *end)
{
    const char *p = *at;
    size_t letters = 0;
    while (p < end) {
        struct character c = character_read(p, end);
        enum character_class class = character_class(c.code);
        if (class == APOSTROPHE && letters > 0 &&
            p + c.len < end) { /* must be between letters */
            p += c.len;
            c = character_read(p, end);
            class = character_class(c.code);
        }
        if (class != LETTER)
            break;
        p += c.len;
        *at = p;
        letters++;
    }
    return letters;
}

static void page_token(struct page *page, const char *p, const char *end)
{
    while (p < end) {
        const char *word = p;
        const size_t letters = page_letters(&p, end);
        if (letters > 1)
            page_word(page, word, (size_t)(p - word));
        if (letters == 0)
            p += character_read(p, end).len;
    }
}

/* Moves *at to the gap after the token.  Returns whether the token is prose. */
static bool page_prose(const char **at, const char *end)
{
    bool prose = true;
    const char *p = *at;
    for (struct character c; p < end; p += c.len) {
        c = character_read(p, end);
        const enum character_class class = character_class(c.code);
        if (class == GAP)
            break;
        if (class == DIGIT || c.code == '@' ||
            (c.code == ':' && end - p >= 3 && memcmp(p, "://", 3) == 0))
            prose = false;
    }
    *at = p;
    return prose;
}

static void page_line(struct page *page, const char *p, const char *end)
{
    page->counted = p;
    page->column = 0;
    while (p < end) {
        const char *token = p;
        if (page_prose(&p, end))
            page_token(page, token, p);
        if (p < end)
            p += character_read(p, end).len; /* the gap */
    }
}

static void spell_each(void *context, struct block *block, struct result *result)
{
    struct page page = { .speller = context, .result = result, .start = block->buffer };
    struct line line;
    for (; block_next(block, &line); page.line++)
        page_line(&page, line.text, line.text + line.text_len);
}

/* ---- Results, in the order of the input ---- */

static int spell_order(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* For --list: whether the word occurs for the first time. */
static bool spell_first(struct speller *s, const char *word, size_t len)
{
    char *copy = strndup(word, len);
    void *node = copy ? tsearch(copy, &s->seen, spell_order) : NULL;
    if (!node)
        fail_memory();
    const bool first = *(char **)node == copy;
    if (!first)
        free(copy);
    return first;
}

static void spell_print(const struct block *block, const struct hit *hit)
{
    const char *word = block->buffer + hit->at;
    const uint64_t line = block->line + hit->line + 1;
    if (json) {
        json_open(NULL, '{');
        json_text("file", block->file);
        json_count("line", line);
        json_count("column", hit->column);
        json_bytes("word", word, hit->len);
        json_close();
        return;
    }
    if (!spell_list)
        out("%s:%" PRIu64 ":%u: ", block->file, line, hit->column);
    out_line(word, hit->len, '\n');
}

static void spell_done(void *context, struct block *block, struct result *result)
{
    struct speller *s = context;
    s->words += result->tally[TALLY_WORDS];
    s->unknown += result->tally[TALLY_UNKNOWN];
    s->lookups += result->tally[TALLY_LOOKUPS];
    for (size_t i = 0; i < result->out.len; i += sizeof(struct hit)) {
        struct hit hit;
        memcpy(&hit, result->out.bytes + i, sizeof hit);
        if (spell_list && !spell_first(s, block->buffer + hit.at, hit.len))
            continue;
        s->printed++;
        if (!spell_count)
            spell_print(block, &hit);
    }
}

/* ---- The command ---- */

/* Of W misspelt words with t lookups each, W·t·p are accepted and the rest is found.  So
 * the number accepted follows from the number found. */
static void spell_report(const struct speller *s)
{
    petal_stats stats;
    petal_stats_of(s->dictionary.filter, &stats);
    const double p = stats.fpr_estimate;
    const double accepted = s->lookups ? (double)s->lookups * p / (1 - p) : 0;
    if (spell_count && json) {
        json_open(NULL, '{');
        json_count("words", s->words);
        json_count("unknown", s->printed);
        json_real("accepted_expected", accepted);
        json_close();
    } else if (spell_count) {
        out("%" PRIu64 "\n", s->printed);
    }
    out_flush(); /* print the remark last */
    remark("%s of %s certainly not in the dictionary; about %s accepted because of false "
           "positives (rate %s per lookup)",
           text_count(s->unknown), text_many(s->words, "word"), text_about(accepted),
           text_rate(p));
}

static int spell_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    petal_filter *dictionary = filter_open(files[0], 0);
    if (petal_shape_of(dictionary)->match_lookups > 0)
        fail("%s: not a dictionary: its keys are URLs or addresses; build one from a list "
             "of "
             "words",
             files[0]);
    struct speller s = { .dictionary = dictionary_of(dictionary) };
    struct lines *lines = lines_open(files + 1, n - 1);
    lines_count(lines);
    work_run(lines, args_threads(), &(struct work){ spell_each, spell_done, &s, NULL });
    lines_close(lines);
    spell_report(&s);
    while (s.seen) {
        char *word = *(char **)s.seen; /* of the root */
        tdelete(word, &s.seen, spell_order);
        free(word);
    }
    petal_free(dictionary);
    return s.printed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_spell = {
    .name = "spell",
    .synopsis = "[options] DICTIONARY [FILE...]",
    .summary = "Print the words that are certainly not in a dictionary",
    .text =
        "Prints file:line:column: word for each word; columns count characters.  A word\n"
        "that is capitalised, in capitals, or has a possessive 's is also accepted if\n"
        "the dictionary has it without.  Skips words of one letter, and text that\n"
        "contains a digit, \"@\" or \"://\".  A false positive can accept a misspelt\n"
        "word; the expected number is reported at the end.  The exit status is 1 if\n"
        "every word may be in the dictionary.\n\n"
        "  petal build -p 0.1% -o words.petal /usr/share/dict/american-english\n"
        "  petal spell words.petal letter.txt\n"
        "  petal spell --list words.petal chapter-*.txt\n",
    .args = spell_args,
    .run = spell_run,
};
