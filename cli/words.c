/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * words.c: names of forms, hashes and abilities in messages.
 *
 * The names come from the library.  The tables here replace some of them.  A new name that
 * is not listed appears as in the library.
 */
#include "words.h"

#include "print.h"
#include "text.h"

#include <petal_host.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const char *words_hash(petal_hash_id hash)
{
    static const struct {
        petal_hash_id hash;
        const char *text;
    } texts[] = {
        { PETAL_HASH_FAST, "fast (XXH3)" },
        { PETAL_HASH_KEYED, "keyed (SipHash-1-3)" },
        { PETAL_HASH_XXH64, "XXH64" },
        { PETAL_HASH_FOREIGN, "its own" },
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i].hash == hash)
            return texts[i].text;
    return petal_hash_name(hash);
}

static const struct {
    petal_form form;
    const char *text;
    enum holds holds;
} words_forms[] = {
    { PETAL_FORM_URL, "a URL", HOLDS_NAMES },
    { PETAL_FORM_IP, "an address", HOLDS_ADDRESSES },
    { PETAL_FORM_WORD, "a word", HOLDS_ANYTHING },
    { PETAL_FORM_INT32, "an integer of 32 bits", HOLDS_ANYTHING },
    { PETAL_FORM_INT64, "an integer of 64 bits", HOLDS_ANYTHING },
    { PETAL_FORM_FLOAT, "a number of 32 bits", HOLDS_ANYTHING },
    { PETAL_FORM_DOUBLE, "a number of 64 bits", HOLDS_ANYTHING },
    { PETAL_FORM_UTF16, "text in UTF-8", HOLDS_ANYTHING },
};

const char *words_key(petal_form form)
{
    for (size_t i = 0; i < COUNT_OF(words_forms); i++)
        if (words_forms[i].form == form)
            return words_forms[i].text;
    return text_format("a key of form %s", petal_form_name(form));
}

enum holds words_holds(petal_form form)
{
    for (size_t i = 0; i < COUNT_OF(words_forms); i++)
        if (words_forms[i].form == form)
            return words_forms[i].holds;
    return HOLDS_ANYTHING;
}

petal_form words_form(enum holds holds)
{
    for (size_t i = 0; i < COUNT_OF(words_forms); i++)
        if (words_forms[i].holds == holds && holds != HOLDS_ANYTHING)
            return words_forms[i].form;
    return PETAL_FORM_RAW;
}

/* NULL: only of interest to programs, so not printed. */
static const char *words_ability(unsigned ability)
{
    static const struct {
        unsigned ability;
        const char *text;
    } texts[] = {
        { PETAL_IS_STATIC, "built once" }, { PETAL_CAN_IMPORT, NULL },
        { PETAL_IS_STAGED, NULL },         { PETAL_IS_ORDERED, NULL },
        { PETAL_CAN_RENEW, NULL },         { PETAL_CAN_LIST, NULL },
        { PETAL_NEEDS_KEYS, NULL },
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i].ability == ability)
            return texts[i].text;
    return petal_ability_name(ability);
}

void words_abilities(unsigned abilities)
{
    const char *before = "";
    for (unsigned a = petal_ability_next(0); a; a = petal_ability_next(a))
        if (abilities & a && words_ability(a)) {
            out("%s%s", before, words_ability(a));
            before = ", ";
        }
    out("%s\n", *before ? "" : "-");
}
