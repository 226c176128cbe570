/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spell.c: petal spell: words that are certainly not in a dictionary.
 *
 * The dictionary is a filter, so what is printed is certainly not in it, and a wrong word
 * passes now and then; how many will have is said at the end.
 *
 * A word is a run of letters, apostrophes between them included.  dictionary.c says in
 * which spellings it is looked up.  What stands between white space and holds a digit,
 * "@" or "://" is no prose, and skipped.
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
    { 'c', "count", NULL, ARG_FLAG, &spell_count, "print only how many there are", NULL },
    { 0, "list", NULL, ARG_FLAG, &spell_list, "each word once, without its place", NULL },
    ARGS_THREADS,
    ARGS_JSON,
    ARGS_END,
};

struct speller {
    struct dictionary dictionary;
    uint64_t words, unknown, printed;
    uint64_t tries; /* made for the unknown ones */
    void *seen;     /* for --list: a tree of what was printed */
};

/* ---- A block of text, in any thread ---- */

/* Where an unknown word is. */
struct hit {
    uint32_t at, len;      /* bytes, from the beginning of the block */
    uint32_t line, column; /* lines before it in the block; characters, from 1 */
};

enum { TALLY_WORDS, TALLY_UNKNOWN, TALLY_TRIES };

struct page {
    const struct speller *speller;
    struct result *result;
    const char *start;
    uint32_t line;
    const char *counted; /* up to here the characters of the line are counted ... */
    uint32_t column;     /* ... and there are so many */
};

static void page_word(struct page *page, const char *word, size_t len)
{
    unsigned tries = 0;
    page->result->tally[TALLY_WORDS]++;
    if (dictionary_may_have(&page->speller->dictionary, word, len, &tries))
        return;
    for (; page->counted < word; page->counted++)
        page->column += (*page->counted & 0xc0) != 0x80;
    const struct hit hit = { (uint32_t)(word - page->start), (uint32_t)len, page->line,
                             page->column + 1 };
    buffer_put(&page->result->out, &hit, sizeof hit);
    page->result->tally[TALLY_UNKNOWN]++;
    page->result->tally[TALLY_TRIES] += tries;
}

/* Goes to the end of the word that begins here; says how many letters it has. */
static size_t page_letters(const char **at, const char *end)
{
    const char *p = *at;
    size_t letters = 0;
    while (p < end) {
        struct character c = character_read(p, end);
        enum sort sort = character_sort(c.code);
        if (sort == APOSTROPHE && letters > 0 && p + c.len < end) { /* between letters? */
            p += c.len;
            c = character_read(p, end);
            sort = character_sort(c.code);
        }
        if (sort != LETTER)
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

/* Goes to the gap after this token; true if it is prose. */
static bool page_prose(const char **at, const char *end)
{
    bool prose = true;
    const char *p = *at;
    for (struct character c; p < end; p += c.len) {
        c = character_read(p, end);
        const enum sort sort = character_sort(c.code);
        if (sort == GAP)
            break;
        if (sort == DIGIT || c.code == '@' ||
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
    struct page page = { .speller = context, .result = result, .start = block->at };
    struct line line;
    for (; block_next(block, &line); page.line++)
        page_line(&page, line.text, line.text + line.text_len);
}

/* ---- What was found, in order ---- */

static int spell_order(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* For --list: was it not seen before? */
static bool spell_first(struct speller *s, const char *word, size_t len)
{
    char *copy = strndup(word, len);
    void *node = copy ? tsearch(copy, &s->seen, spell_order) : NULL;
    if (!node)
        fail("%s", petal_strerror(PETAL_E_MEMORY));
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
    s->tries += result->tally[TALLY_TRIES];
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

/* Of W wrong words, tried t times each, W·t·p pass and the rest are found: hence the
 * number that passed from the number found. */
static void spell_report(const struct speller *s)
{
    petal_stats stats;
    petal_stats_of(s->dictionary.filter, &stats);
    const double p = stats.fpr_estimate;
    const double passed = s->tries ? (double)s->tries * p / (1 - p) : 0;
    if (spell_count && json) {
        json_open(NULL, '{');
        json_count("words", s->words);
        json_count("unknown", s->printed);
        json_real("expected_passed", passed);
        json_close();
    } else if (spell_count) {
        out("%" PRIu64 "\n", s->printed);
    }
    out_flush(); /* so that the remark comes last */
    remark("%s of %s words are certainly not in the dictionary; about %s wrong ones passed "
           "(each try lets through %s)",
           text_count(s->unknown), text_count(s->words), text_about(passed), text_rate(p));
}

static int spell_run(char **files, size_t n)
{
    args_expect(n, 1, SIZE_MAX);
    petal_filter *dictionary = filter_open(files[0], 0);
    if (petal_shape_of(dictionary)->match_lookups > 0)
        fail("%s: not a dictionary: its keys are URLs or addresses", files[0]);
    struct speller s = { .dictionary = dictionary_of(dictionary) };
    struct lines *lines = lines_open(files + 1, n - 1);
    lines_count(lines);
    work_run(lines, args_threads(), &(struct work){ spell_each, spell_done, &s });
    lines_close(lines);
    spell_report(&s);
    while (s.seen) {
        char *word = *(char **)s.seen; /* the root's */
        tdelete(word, &s.seen, spell_order);
        free(word);
    }
    petal_free(dictionary);
    return s.printed ? STATUS_SOME : STATUS_NONE;
}

const struct command command_spell = {
    .name = "spell",
    .synopsis = "[options] DICTIONARY [FILE...]",
    .summary = "words that are certainly not in a dictionary",
    .text = "Prints file:line:column: word for each; columns are counted in characters.  A "
            "word\n"
            "at the beginning of a sentence, in capitals or with a possessive 's passes if "
            "the\n"
            "dictionary may have it without.  Words of one letter, and what holds a digit, "
            "\"@\"\n"
            "or \"://\", are skipped.  At the end it says how many wrong words will have "
            "passed.\n"
            "Exit status 1 if every word may be in the dictionary.\n\n"
            "  petal build -p 0.1% -o words.petal /usr/share/dict/american-english\n"
            "  petal spell words.petal letter.txt\n"
            "  petal spell --list words.petal chapter-*.txt\n",
    .args = spell_args,
    .run = spell_run,
};
