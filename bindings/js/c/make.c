/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make.c: plans and makes filters from options in text, for JavaScript.
 *
 * js_parse() sets the options, and the other functions use them.
 */
#include "petal_host.h"
#include "room.h"

#include <string.h>

int32_t js_parse(const char *text);
int32_t js_wants_seed(void);
void js_seed(uint64_t first, uint64_t second);
int32_t js_plan(void);
petal_filter *js_new(void);
petal_filter *js_copy(const petal_filter *f);
void js_shape(const petal_filter *f);
double js_size(const petal_filter *f);
double js_plan_fpr(double n);
double js_fpr_at(const petal_filter *f, double n);
int32_t js_grown(double n);

static petal_options make_options;
static petal_shape make_shape;

/* Leaves "option: what is wrong with it". */
static int32_t make_refused(const char *text)
{
    petal_refusal why;
    const int rc = petal_refused(&make_options, text, &why);
    strcpy(js_room_.text, why.option);
    strcat(js_room_.text, *why.option ? " " : "");
    strcat(js_room_.text, why.reason);
    js_room_.len = (uint32_t)strlen(js_room_.text);
    return rc;
}

int32_t js_parse(const char *text)
{
    memset(&make_options, 0, sizeof make_options);
    const int rc = petal_parse_options(text, &make_options);
    return rc < 0 ? make_refused(text) : rc;
}

/* Do the options ask for a secret?  There are no random bytes here, but JavaScript has
 * them. */
int32_t js_wants_seed(void)
{
    return make_options.hash == PETAL_HASH_KEYED && !make_options.seed[0] &&
           !make_options.seed[1];
}

void js_seed(uint64_t first, uint64_t second)
{
    make_options.seed[0] = first;
    make_options.seed[1] = second;
}

/* The order is that of SHAPE in plan.js. */
static void make_numbers(const petal_shape *s)
{
    const double numbers[] = {
        s->kind,
        (double)s->capacity,
        s->fpr,
        (double)s->bits,
        s->hashes,
        s->block_bits,
        s->counter_bits,
        s->insert_only,
        s->growth,
        (double)s->capacity_first,
        (double)s->capacity_max,
        s->form,
        s->match_lookups,
        s->hash,
        s->bits_per_key,
        (double)s->image_bytes,
        (double)s->fingerprints,
        s->quotients,
        s->steps,
    };
    memcpy(js_room_.numbers, numbers, sizeof numbers);
}

int32_t js_plan(void)
{
    const int rc = petal_plan(&make_options, &make_shape);
    if (rc < 0)
        return make_refused(NULL);
    make_numbers(&make_shape);
    return PETAL_OK;
}

/* The rate that a filter of the last plan has with n keys. */
double js_plan_fpr(double n)
{
    return petal_fpr(&make_shape, n);
}

/* The shape that a filter of the last plan will have after it has grown to n keys. */
int32_t js_grown(double n)
{
    petal_shape grown;
    const int rc = petal_grown(&make_shape, (uint64_t)n, &grown);
    if (rc == PETAL_OK)
        make_numbers(&grown);
    return rc;
}

/* NULL: js_room.error, and its text if an option was refused. */
petal_filter *js_new(void)
{
    petal_filter *f;
    js_room_.len = 0;
    js_room_.error = petal_new(&make_options, &f);
    if (!f && js_room_.error != PETAL_E_MEMORY)
        make_refused(NULL);
    return f;
}

petal_filter *js_copy(const petal_filter *f)
{
    petal_filter *copy;
    js_room_.error = petal_copy(f, &copy);
    return copy;
}

void js_shape(const petal_filter *f)
{
    make_numbers(petal_shape_of(f));
}

double js_fpr_at(const petal_filter *f, double n)
{
    return petal_fpr(petal_shape_of(f), n);
}

double js_size(const petal_filter *f)
{
    return (double)petal_size(f);
}
