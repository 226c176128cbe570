/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paths.c: where a value is in a JSON document.
 *
 * A path is a sequence of steps: ".name" or ."a name" goes to a member of an object, "[3]"
 * to an element of an array (counted from 0), and "[]" to every element.  "." alone is the
 * whole document.
 */
#include "paths.h"

#include "print.h"

static _Noreturn void path_refuse(struct span text, const char *why)
{
    fail("-f %.*s: %s; a path looks like .request.url or .items[].name", (int)text.len,
         text.at, why);
}

/* "[3]" or "[]" at the start of `rest`. */
static size_t path_bracket(struct path_step *step, struct span rest, struct span text)
{
    const size_t end = span_find(rest, ']');
    if (end == rest.len)
        path_refuse(text, "the bracket is not closed");
    step->type = end == 1 ? STEP_EACH : STEP_INDEX;
    for (size_t i = 1; i < end; i++) {
        if (!is_digit(rest.at[i]) || step->index > UINT32_MAX)
            path_refuse(text, "not a number in brackets");
        step->index = 10 * step->index + (uint64_t)(rest.at[i] - '0');
    }
    return end + 1;
}

/* ".name" or '."a name"' at the start of `rest`. */
static size_t path_name(struct path_step *step, struct span rest, struct span text)
{
    size_t from = 1, end = 1;
    if (rest.at[0] != '.')
        path_refuse(text, "a name must follow a dot");
    if (rest.len > 1 && rest.at[1] == '"') {
        from = 2;
        end = 2 + span_find(span_from(rest, 2), '"');
        if (end == rest.len)
            path_refuse(text, "the quote is not closed");
    } else {
        while (end < rest.len && rest.at[end] != '.' && rest.at[end] != '[')
            end++;
    }
    step->type = STEP_NAME;
    step->name = (struct span){ rest.at + from, end - from };
    if (step->name.len == 0)
        path_refuse(text, "a name is empty");
    return end + (from == 2);
}

void path_parse(struct path *path, struct span text)
{
    *path = (struct path){ 0 };
    struct span rest = text;
    if (span_starts(text, SPAN(".[")) || text.len == 1)
        rest = span_from(rest, 1);
    while (rest.len > 0) {
        if (path->n == PATH_STEPS_MAX)
            path_refuse(text, "more than 16 steps");
        struct path_step *step = &path->steps[path->n++];
        const size_t len = rest.at[0] == '[' ? path_bracket(step, rest, text)
                                             : path_name(step, rest, text);
        rest = span_from(rest, len);
    }
}
