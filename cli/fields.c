/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fields.c: fields of a line, separated by blanks or by a text.
 *
 * Without a delimiter, fields are separated by any number of blanks and tabs, as in awk,
 * and those at the start of the line do not count.  Logs are often written in columns. With
 * a delimiter, each occurrence separates two fields, which may be empty.
 */
#include "fields.h"

static bool fields_by_blanks(struct span line, uint64_t number, struct span *field)
{
    size_t at = 0, end = 0;
    for (uint64_t i = 0; i < number; i++) {
        at = end;
        while (at < line.len && is_blank(line.at[at]))
            at++;
        if (at == line.len)
            return false;
        end = at;
        while (end < line.len && !is_blank(line.at[end]))
            end++;
    }
    *field = (struct span){ line.at + at, end - at };
    return true;
}

bool fields_find(struct span line, uint64_t number, const char *delimiter,
                 struct span *field)
{
    if (!delimiter)
        return fields_by_blanks(line, number, field);
    const struct span between = { delimiter, strlen(delimiter) };
    for (uint64_t i = 1; i < number; i++) {
        const size_t end = span_find_text(line, between);
        if (end == line.len)
            return false;
        line = span_from(line, end + between.len);
    }
    *field = span_to(line, span_find_text(line, between));
    return true;
}
