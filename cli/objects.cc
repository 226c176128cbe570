/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * objects.cc: values in JSON documents, with simdjson.
 *
 * The only C++ file of the command, because simdjson is C++.  It uses no exceptions, and
 * only C types cross its border.
 */
#include "objects.h"

#include <simdjson.h>

#include <cstdio>
#include <new>

using simdjson::dom::element;

static_assert(OBJECTS_SLACK >= simdjson::SIMDJSON_PADDING, "blocks have too little slack");

namespace {

struct receiver {
    objects_found *found;
    void *context;
    size_t field;
};

void pass_text(const receiver &r, const char *text, size_t len)
{
    r.found(r.context, r.field, text, len);
}

/* Numbers are written as integers where they are, otherwise in the shortest form that C has. */
void pass(const receiver &r, element value)
{
    char text[32];
    switch (value.type()) {
    case simdjson::dom::element_type::STRING: {
        const std::string_view string = value.get_string().value_unsafe();
        pass_text(r, string.data(), string.size());
        return;
    }
    case simdjson::dom::element_type::INT64:
        pass_text(r, text, size_t(snprintf(text, sizeof text, "%lld",
                                           (long long)value.get_int64().value_unsafe())));
        return;
    case simdjson::dom::element_type::UINT64:
        pass_text(r, text,
                  size_t(snprintf(text, sizeof text, "%llu",
                                  (unsigned long long)value.get_uint64().value_unsafe())));
        return;
    case simdjson::dom::element_type::DOUBLE:
        pass_text(r, text, size_t(snprintf(text, sizeof text, "%.17g",
                                           value.get_double().value_unsafe())));
        return;
    default: r.found(r.context, r.field, nullptr, 0);
    }
}

/* Follows the steps of a path from here.  What is not there is no error. */
void follow(const receiver &r, element value, const path_step *steps, size_t n)
{
    if (n == 0) {
        pass(r, value);
        return;
    }
    if (steps->type == STEP_NAME) {
        element member;
        if (value[std::string_view(steps->name.at, steps->name.len)].get(member) ==
            simdjson::SUCCESS)
            follow(r, member, steps + 1, n - 1);
        return;
    }
    simdjson::dom::array elements;
    if (value.get(elements) != simdjson::SUCCESS)
        return;
    uint64_t i = 0;
    for (element each : elements)
        if (steps->type == STEP_EACH || i++ == steps->index)
            follow(r, each, steps + 1, n - 1);
}

bool is_named(std::string_view key, const span *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (key == std::string_view(names[i].at, names[i].len))
            return true;
    return false;
}

void pass_strings(const receiver &r, element value)
{
    simdjson::dom::array elements;
    if (value.is_string())
        pass(r, value);
    else if (value.get(elements) == simdjson::SUCCESS)
        for (element each : elements)
            if (each.is_string())
                pass(r, each);
}

void search(const receiver &r, element value, const span *names, size_t n)
{
    simdjson::dom::array elements;
    simdjson::dom::object members;
    if (value.get(elements) == simdjson::SUCCESS) {
        for (element each : elements)
            search(r, each, names, n);
    } else if (value.get(members) == simdjson::SUCCESS) {
        for (auto member : members) {
            if (is_named(member.key, names, n))
                pass_strings(r, member.value);
            search(r, member.value, names, n);
        }
    }
}

bool parse(void **parser, const char *text, size_t len, element &document)
{
    if (!*parser)
        *parser = new (std::nothrow) simdjson::dom::parser;
    auto *p = static_cast<simdjson::dom::parser *>(*parser);
    return p && p->parse(text, len, false).get(document) == simdjson::SUCCESS;
}

} // namespace

void objects_need(void)
{
}

bool objects_read(void **parser, const char *text, size_t len, const struct path *paths,
                  size_t n, objects_found *found, void *context)
{
    element document;
    if (!parse(parser, text, len, document))
        return false;
    for (size_t i = 0; i < n; i++)
        follow({ found, context, i }, document, paths[i].steps, paths[i].n);
    return true;
}

bool objects_search(void **parser, const char *text, size_t len, const struct span *names,
                    size_t n, objects_found *found, void *context)
{
    element document;
    if (!parse(parser, text, len, document))
        return false;
    search({ found, context, 0 }, document, names, n);
    return true;
}

void objects_free(void *parser)
{
    delete static_cast<simdjson::dom::parser *>(parser);
}
