/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skips.c: what was skipped in the input, counted by reason.
 *
 * Every worker counts what it skips in its own block.  The counts are added up in the order
 * of the input, where the first few are also named with file and line.  At the end one
 * sentence has the totals.  Blank lines, comments and the like are counted, but not named,
 * and --strict accepts them.
 *
 * Keys that do not look like keys of their form are counted too.  If nearly all keys look
 * wrong, the wrong field was probably chosen, and the report suggests another.
 */
#include "skips.h"

#include "args.h"
#include "json.h"
#include "print.h"
#include "select.h"
#include "text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#define REMARKS_MAX 10 /* after these, only the totals are reported, at the end */
#define TEXT_MAX    60 /* bytes of a line that a remark shows */
#define ODD_MIN     20 /* keys, before most of them can be called odd */

static const struct reason {
    const char *name;      /* in JSON */
    const char *one, *all; /* in the totals: "1 comment", "2 comments" */
    const char *sentence;  /* after "FILE:LINE: "; NULL: not named, and not an error */
    bool shows;            /* the remark shows the text */
} reasons[SKIPS] = {
    [SKIP_BLANK] = { "blank", "blank line", "blank lines", NULL, false },
    [SKIP_COMMENT] = { "comment", "comment", "comments", NULL, false },
    [SKIP_HEADER] = { "header", "header line", "header lines", NULL, false },
    [SKIP_LOCAL] = { "local_name", "local name", "local names", NULL, false },
    [SKIP_FIELD] = { "no_field", "line without the field", "lines without the field", "",
                     false },
    [SKIP_CSV] = { "bad_csv", "malformed CSV row", "malformed CSV rows",
                   "malformed CSV: check the quotes", true },
    [SKIP_JSON] = { "bad_json", "line of invalid JSON", "lines of invalid JSON",
                    "not valid JSON", true },
    [SKIP_VALUE] = { "no_text", "value of another type", "values of other types",
                     "the value is neither text nor a number", true },
    [SKIP_TYPE] = { "other_type", "entry of another type", "entries of other types",
                    "an entry of another type", true },
    [SKIP_LONG] = { "too_long", "line over 16 MiB", "lines over 16 MiB",
                    "the line is longer than 16 MiB", false },
    [SKIP_NOT_KEY] = { "not_a_key", "not a key", "not keys", "", true },
    [SKIP_NOT_NAME] = { "impossible_host", "impossible host name", "impossible host names",
                        "no URL can have this host", true },
    [SKIP_PREFIX] = { "prefix", "prefix of addresses", "prefixes of addresses",
                      "a prefix; a filter of URLs has only single addresses", true },
    [SKIP_WILDCARD] = { "wildcard", "wildcard within a name", "wildcards within names",
                        "a wildcard is only possible at the start, as in *.example.com",
                        true },
    [SKIP_TEXT_AFTER] = { "text_after", "key with other text", "keys with other text",
                          "other text beside the key", true },
    [SKIP_RANGE] = { "bad_range", "invalid range", "invalid ranges",
                     "not a range of addresses", true },
    [SKIP_MASK] = { "bad_mask", "invalid netmask", "invalid netmasks",
                    "not a netmask that makes a prefix", true },
    [SKIP_EXCEPTION] = { "exception", "exception (@@)", "exceptions (@@)",
                         "an exception; a filter has no exceptions", true },
    [SKIP_COSMETIC] = { "cosmetic", "cosmetic rule", "cosmetic rules",
                        "a cosmetic rule: it hides parts of pages", true },
    [SKIP_REGEX] = { "regex", "regular expression", "regular expressions",
                     "a regular expression; a filter has only whole keys", true },
    [SKIP_PATTERN] = { "pattern", "pattern rule", "pattern rules",
                       "a pattern; a filter has only whole domains, folders and pages",
                       true },
    [SKIP_OPTIONS] = { "options", "rule with conditions", "rules with conditions",
                       "the rule applies only under conditions", true },
    [SKIP_FORWARD] = { "forward", "forwarded domain", "forwarded domains",
                       "the domain is forwarded, not blocked", true },
    [SKIP_PASSTHRU] = { "passthru", "allowed domain", "allowed domains",
                        "the domain is allowed, not blocked", true },
    [SKIP_TRIGGER] = { "trigger", "rule for addresses or name servers",
                       "rules for addresses or name servers",
                       "a rule for addresses or name servers", true },
    [SKIP_SYNTAX] = { "syntax", "line in another syntax", "lines in another syntax",
                      "not a line of this list format", true },
};

/* A remark in a block: this, and then `len` bytes of text. */
struct remark {
    uint64_t line;
    uint32_t why, len;
};

static struct skips all;
static pthread_mutex_t skips_mutex = PTHREAD_MUTEX_INITIALIZER; /* guards it */
static uint64_t skips_named;
static uint64_t skips_reported[SKIPS]; /* for JSON */

/* ---- In one block ---- */

void skips_clear(struct skips *s)
{
    memset(s->n, 0, sizeof s->n);
    s->keys = s->odd = 0;
    s->remarks.len = s->odd_text.len = 0;
}

void skips_free(struct skips *s)
{
    free(s->remarks.bytes);
    free(s->odd_text.bytes);
}

void skips_put(struct skips *s, enum skip why, uint64_t line, struct span text)
{
    s->n[why]++;
    if (!reasons[why].sentence || s->n[why] > REMARKS_MAX)
        return;
    const size_t len = text.len < TEXT_MAX ? text.len : TEXT_MAX;
    const struct remark r = { line, why, (uint32_t)len };
    buffer_put(&s->remarks, &r, sizeof r);
    buffer_put(&s->remarks, text.at, len);
}

void skips_put_odd(struct skips *s, struct span key, struct span record)
{
    s->odd++;
    if (s->odd_text.len > 0)
        return;
    buffer_put(&s->odd_text, key.at, key.len);
    buffer_put(&s->odd_text, "", 1);
    buffer_put(&s->odd_text, record.at, record.len < 4096 ? record.len : 4096);
}

/* ---- In the whole input ---- */

static const char *skips_sentence(enum skip why, struct span text)
{
    char shown[TEXT_MAX + 1] = "";
    memcpy(shown, text.at, text.len);
    text_harmless(shown);
    if (why == SKIP_FIELD)
        return text_format("%s %s", select_no_field(), shown);
    const char *sentence = why == SKIP_NOT_KEY ? select_not_a_key() : reasons[why].sentence;
    if (!reasons[why].shows || !*shown)
        return sentence;
    return text_format("%s: %s%s", sentence, shown, text.len == TEXT_MAX ? "…" : "");
}

static void skips_name(const char *file, uint64_t line, enum skip why, struct span text)
{
    const char *sentence = skips_sentence(why, text);
    const char *where = line ? text_format("%s:%" PRIu64, file, line) : file;
    if (input.strict)
        fail("%s: %s; omit --strict to skip such lines", where, sentence);
    if (skips_named++ < REMARKS_MAX)
        remark("%s: %s; skipped", where, sentence);
}

/* The remarks of a block are few.  They are named in the order of their lines. */
static void skips_take_remarks(const struct skips *s, const char *file)
{
    struct remark r;
    size_t starts[SKIPS * REMARKS_MAX], n = 0;
    uint64_t lines[SKIPS * REMARKS_MAX];
    for (size_t at = 0; at < s->remarks.len; at += sizeof r + r.len) {
        memcpy(&r, s->remarks.bytes + at, sizeof r);
        size_t i = n++;
        for (; i > 0 && lines[i - 1] > r.line; i--) {
            starts[i] = starts[i - 1];
            lines[i] = lines[i - 1];
        }
        starts[i] = at;
        lines[i] = r.line;
    }
    for (size_t i = 0; i < n; i++) {
        const char *text = s->remarks.bytes + starts[i];
        memcpy(&r, text, sizeof r);
        skips_name(file, r.line, (enum skip)r.why, (struct span){ text + sizeof r, r.len });
    }
}

void skips_take(const struct skips *s, const char *file)
{
    pthread_mutex_lock(&skips_mutex);
    skips_take_remarks(s, file);
    for (unsigned i = 0; i < SKIPS; i++)
        all.n[i] += s->n[i];
    all.keys += s->keys;
    if (all.odd_text.len == 0)
        buffer_put(&all.odd_text, s->odd_text.bytes, s->odd_text.len);
    all.odd += s->odd;
    pthread_mutex_unlock(&skips_mutex);
}

void skips_take_long(const char *file, uint64_t line)
{
    pthread_mutex_lock(&skips_mutex);
    all.n[SKIP_LONG]++;
    skips_name(file, line, SKIP_LONG, (struct span){ "", 0 });
    pthread_mutex_unlock(&skips_mutex);
}

void skips_take_comments(uint64_t n)
{
    pthread_mutex_lock(&skips_mutex);
    all.n[SKIP_COMMENT] += n;
    pthread_mutex_unlock(&skips_mutex);
}

uint64_t skips_total(void)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < SKIPS; i++)
        total += reasons[i].sentence ? skips_reported[i] : 0;
    return total;
}

/* ---- The report ---- */

static const char *skips_words(enum skip why)
{
    if (why == SKIP_NOT_KEY)
        return text_format("invalid key%s (%s)", all.n[why] == 1 ? "" : "s",
                           select_not_a_key());
    return all.n[why] == 1 ? reasons[why].one : reasons[why].all;
}

static void skips_report_totals(void)
{
    uint64_t total = 0;
    struct buffer text = { 0 };
    for (unsigned i = 0; i < SKIPS; i++) {
        if (all.n[i] == 0)
            continue;
        const char *part = text_format("%s%s %s", total ? ", " : "", text_count(all.n[i]),
                                       skips_words((enum skip)i));
        buffer_put(&text, part, strlen(part));
        total += all.n[i];
    }
    if (total > skips_named || skips_named > REMARKS_MAX) /* not all were named */
        remark("skipped %.*s", (int)text.len, text.bytes);
    free(text.bytes);
}

/* If nearly all keys are wrong, or were refused. */
static void skips_report_odd(void)
{
    if (all.keys < ODD_MIN || all.odd < all.keys - all.keys / 10)
        return;
    const char *key = all.odd_text.bytes, *record = key + strlen(key) + 1;
    select_suggest(all.odd, all.keys, key,
                   (struct span){ record, all.odd_text.len - strlen(key) - 1 });
}

void skips_report(void)
{
    skips_report_totals();
    skips_report_odd();
    memcpy(skips_reported, all.n, sizeof all.n);
    free(all.odd_text.bytes);
    all = (struct skips){ 0 };
    skips_named = 0;
}

void skips_json(void)
{
    json_open("skipped", '{');
    for (unsigned i = 0; i < SKIPS; i++)
        if (skips_reported[i])
            json_count(reasons[i].name, skips_reported[i]);
    json_close();
}
