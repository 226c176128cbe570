/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thrift.c: reads structures of Thrift's compact protocol from memory.
 *
 * Every value takes at least one byte, so a list never has more elements than there are
 * bytes. That bounds the work.  Only skipping a value recurses, to a limited depth.
 *
 *   Apache Thrift: "Thrift Compact protocol encoding", the specification.
 */
#include "thrift.h"

#define DEPTH_MAX 32

void thrift_fail(struct thrift *t, const char *why)
{
    if (!t->why)
        t->why = why;
}

static size_t thrift_left(const struct thrift *t)
{
    return (size_t)(t->end - t->at);
}

static unsigned thrift_byte(struct thrift *t)
{
    if (t->why)
        return 0;
    if (t->at == t->end) {
        thrift_fail(t, "it ends too early");
        return 0;
    }
    return *t->at++;
}

static uint64_t thrift_varint(struct thrift *t)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const unsigned byte = thrift_byte(t);
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    thrift_fail(t, "a number is too long");
    return 0;
}

/* 0, -1, 1, -2 ... are stored as 0, 1, 2, 3 ... */
static int64_t thrift_zigzag(struct thrift *t)
{
    const uint64_t value = thrift_varint(t);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

bool thrift_field(struct thrift *t, int *id, unsigned *type)
{
    const unsigned head = thrift_byte(t);
    *type = head & 15;
    if (t->why || head == 0)
        return false;
    if (*type < THRIFT_TRUE || *type > THRIFT_UUID) {
        thrift_fail(t, "a field has a type that does not exist");
        return false;
    }
    const int64_t next = head >> 4 ? *id + (int64_t)(head >> 4) : thrift_zigzag(t);
    if (next < INT16_MIN || next > INT16_MAX)
        thrift_fail(t, "the number of a field is too large");
    *id = t->why ? 0 : (int)next;
    return !t->why;
}

int64_t thrift_integer(struct thrift *t, unsigned type)
{
    if (type == THRIFT_I8)
        return (int8_t)thrift_byte(t);
    if (type < THRIFT_I16 || type > THRIFT_I64) {
        thrift_fail(t, "a field that must be a number is not");
        return 0;
    }
    return thrift_zigzag(t);
}

const uint8_t *thrift_binary(struct thrift *t, unsigned type, size_t *len)
{
    *len = 0;
    if (type != THRIFT_BINARY)
        thrift_fail(t, "a field that must be a text is not");
    const uint64_t n = t->why ? 0 : thrift_varint(t);
    if (n > thrift_left(t))
        thrift_fail(t, "a text is longer than the bytes that follow");
    const uint8_t *text = t->at;
    if (t->why)
        return text;
    t->at += n;
    *len = (size_t)n;
    return text;
}

void thrift_structure(struct thrift *t, unsigned type)
{
    if (type != THRIFT_STRUCT)
        thrift_fail(t, "a field that must be a structure is not");
}

/* The head of a list or set. */
static uint32_t thrift_elements(struct thrift *t, unsigned *of)
{
    const unsigned head = thrift_byte(t);
    const uint64_t n = head >> 4 == 15 ? thrift_varint(t) : head >> 4;
    *of = head & 15;
    if (n > thrift_left(t) || n > UINT32_MAX)
        thrift_fail(t, "a list has more elements than bytes follow");
    return t->why ? 0 : (uint32_t)n;
}

uint32_t thrift_list(struct thrift *t, unsigned type, unsigned of)
{
    unsigned is;
    if (type != THRIFT_LIST)
        thrift_fail(t, "a field that must be a list is not");
    const uint32_t n = t->why ? 0 : thrift_elements(t, &is);
    if (n > 0 && is != of)
        thrift_fail(t, "the elements of a list have the wrong type");
    return t->why ? 0 : n;
}

static void thrift_skip_bytes(struct thrift *t, uint64_t n)
{
    if (n > thrift_left(t))
        thrift_fail(t, "it ends too early");
    if (!t->why)
        t->at += n;
}

static void thrift_skip_value(struct thrift *t, unsigned type, bool element, int depth);

static void thrift_skip_map(struct thrift *t, int depth)
{
    const uint64_t n = thrift_varint(t);
    if (n == 0)
        return;
    const unsigned types = thrift_byte(t);
    if (n > thrift_left(t))
        thrift_fail(t, "a map has more elements than bytes follow");
    for (uint64_t i = 0; i < n && !t->why; i++) {
        thrift_skip_value(t, types >> 4, true, depth);
        thrift_skip_value(t, types & 15, true, depth);
    }
}

static void thrift_skip_value(struct thrift *t, unsigned type, bool element, int depth)
{
    size_t len;
    unsigned of;
    int id = 0;
    if (depth == 0)
        thrift_fail(t, "structures are nested too deeply");
    if (t->why)
        return;
    switch (type) {
    case THRIFT_TRUE:
    case THRIFT_FALSE: /* a field has its value in its type, an element a byte */
        if (element)
            thrift_byte(t);
        break;
    case THRIFT_I8: thrift_byte(t); break;
    case THRIFT_I16:
    case THRIFT_I32:
    case THRIFT_I64: thrift_varint(t); break;
    case THRIFT_DOUBLE: thrift_skip_bytes(t, 8); break;
    case THRIFT_UUID: thrift_skip_bytes(t, 16); break;
    case THRIFT_BINARY: thrift_binary(t, type, &len); break;
    case THRIFT_LIST:
    case THRIFT_SET:
        for (uint32_t n = thrift_elements(t, &of); n > 0 && !t->why; n--)
            thrift_skip_value(t, of, true, depth - 1);
        break;
    case THRIFT_MAP: thrift_skip_map(t, depth - 1); break;
    case THRIFT_STRUCT:
        while (thrift_field(t, &id, &type))
            thrift_skip_value(t, type, false, depth - 1);
        break;
    default: thrift_fail(t, "a value has a type that does not exist");
    }
}

void thrift_skip(struct thrift *t, unsigned type)
{
    thrift_skip_value(t, type, false, DEPTH_MAX);
}
