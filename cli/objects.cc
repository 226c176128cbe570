/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * objects.cc: values in JSON documents, with simdjson.
 *
 * The only C++ file of the command, because simdjson is C++.  It uses no exceptions, and
 * only C types cross its border.
 */
#include "objects.h"

#include <simdjson.h>

#include <new>

using simdjson::dom::element;
namespace lazy = simdjson::ondemand;

static_assert(OBJECTS_SLACK >= simdjson::SIMDJSON_PADDING, "blocks have too little slack");

namespace
{

/* Values at paths are found without reading the rest of the document; searching reads all.
 */
struct parsers {
    lazy::parser lazy;
    simdjson::dom::parser whole;
};

struct receiver {
    objects_found *found;
    void *context;
    size_t field;
};

/* Numbers are passed as they are written. */
bool pass(const receiver &r, lazy::value value)
{
    lazy::json_type type;
    std::string_view text;
    if (value.type().get(type) != simdjson::SUCCESS)
        return false;
    if (type == lazy::json_type::string) {
        if (value.get_string().get(text) != simdjson::SUCCESS)
            return false;
        r.found(r.context, r.field, text.data(), text.size());
    } else if (type == lazy::json_type::number) {
        text = value.raw_json_token();
        size_t len = text.size();
        while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t' ||
                           text[len - 1] == '\n' || text[len - 1] == '\r'))
            len--;
        r.found(r.context, r.field, text.data(), len);
    } else {
        r.found(r.context, r.field, nullptr, 0);
    }
    return true;
}

bool is_absent(simdjson::error_code error)
{
    return error == simdjson::NO_SUCH_FIELD || error == simdjson::INCORRECT_TYPE ||
           error == simdjson::INDEX_OUT_OF_BOUNDS;
}

/* Follows the steps of a path from here.  What is not there is no error.  Returns false if
 * the document is not valid. */
bool follow(const receiver &r, lazy::value value, const path_step *steps, size_t n)
{
    if (n == 0)
        return pass(r, value);
    if (steps->type == STEP_NAME) {
        lazy::object object;
        lazy::value member;
        auto error = value.get_object().get(object);
        if (error == simdjson::SUCCESS)
            error =
                object
                    .find_field_unordered(std::string_view(steps->name.at, steps->name.len))
                    .get(member);
        return error == simdjson::SUCCESS ? follow(r, member, steps + 1, n - 1)
                                          : is_absent(error);
    }
    lazy::array elements;
    const auto error = value.get_array().get(elements);
    if (error != simdjson::SUCCESS)
        return is_absent(error);
    uint64_t i = 0;
    for (auto each : elements) {
        lazy::value element;
        if (each.get(element) != simdjson::SUCCESS)
            return false;
        if ((steps->type == STEP_EACH || i++ == steps->index) &&
            !follow(r, element, steps + 1, n - 1))
            return false;
    }
    return true;
}

/* The number of the name; n if it is none of them. */
size_t name_number(std::string_view key, const span *names, size_t n)
{
    size_t i = 0;
    while (i < n && key != std::string_view(names[i].at, names[i].len))
        i++;
    return i;
}

void pass_strings(const receiver &r, element value)
{
    simdjson::dom::array elements;
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS)
        r.found(r.context, r.field, text.data(), text.size());
    else if (value.get(elements) == simdjson::SUCCESS)
        for (element each : elements)
            if (each.get(text) == simdjson::SUCCESS)
                r.found(r.context, r.field, text.data(), text.size());
}

void pass_type(const receiver &r, simdjson::dom::object members)
{
    std::string_view text;
    if (members["type"].get(text) != simdjson::SUCCESS &&
        members["ioc_type"].get(text) != simdjson::SUCCESS)
        text = std::string_view(nullptr, 0);
    r.found(r.context, OBJECTS_TYPE, text.data(), text.size());
}

void search(receiver r, element value, const span *names, size_t n)
{
    simdjson::dom::array elements;
    simdjson::dom::object members;
    if (value.get(elements) == simdjson::SUCCESS) {
        for (element each : elements)
            search(r, each, names, n);
    } else if (value.get(members) == simdjson::SUCCESS) {
        for (auto member : members) {
            r.field = name_number(member.key, names, n);
            if (r.field < n) {
                pass_type(r, members);
                pass_strings(r, member.value);
            }
            search(r, member.value, names, n);
        }
    }
}

parsers *parsers_of(void **parser)
{
    if (!*parser)
        *parser = new (std::nothrow) parsers;
    return static_cast<parsers *>(*parser);
}

/* A number may be too large for the parser; the document is valid all the same. */
bool is_valid(parsers &p, const char *text, size_t len)
{
    const auto error = p.whole.parse(text, len, false).error();
    return error == simdjson::SUCCESS || error == simdjson::NUMBER_ERROR;
}

} // namespace

void objects_need(void)
{
}

/* A document that is a single value is read as the path ".". */
bool objects_read(void **parser, const char *text, size_t len, const struct path *paths,
                  size_t n, objects_found *found, void *context)
{
    parsers *p = parsers_of(parser);
    lazy::document document;
    if (!p || !is_valid(*p, text, len) ||
        p->lazy.iterate(text, len, len + OBJECTS_SLACK).get(document) != simdjson::SUCCESS)
        return false;
    for (size_t i = 0; i < n; i++) {
        lazy::value root;
        document.rewind();
        const auto error = document.get_value().get(root);
        if (error == simdjson::SCALAR_DOCUMENT_AS_VALUE && paths[i].n > 0)
            continue; /* a number has no members */
        if (error != simdjson::SUCCESS ||
            !follow({ found, context, i }, root, paths[i].steps, paths[i].n))
            return false;
    }
    return true;
}

bool objects_search(void **parser, const char *text, size_t len, const struct span *names,
                    size_t n, objects_found *found, void *context)
{
    parsers *p = parsers_of(parser);
    element document;
    if (!p || p->whole.parse(text, len, false).get(document) != simdjson::SUCCESS)
        return false;
    const receiver r = { found, context, n };
    if (document.is_array()) /* of texts, perhaps */
        pass_strings(r, document);
    search(r, document, names, n);
    return true;
}

void objects_free(void *parser)
{
    delete static_cast<parsers *>(parser);
}
