/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffers.c: NumPy arrays and other objects with a buffer as columns.
 *
 * The format of a buffer says what its items are (the documentation of Python's struct
 * module lists the letters; NumPy adds w for UCS-4 text).  Integers become decimal text.
 * Text and bytes of fixed width end at their last character that is not 0, as NumPy has it.
 * With as_bytes, items are their bytes, whatever they mean.
 */
#include "binding.h"

/* ---- Reading rows ---- */

static const char *buffers_at(const struct column *c, size_t row)
{
    return (const char *)c->data + (ptrdiff_t)row * c->stride;
}

static inline uint64_t buffers_load(const char *at, size_t width, bool swapped)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t q;
    switch (width) {
    case 1: memcpy(&b, at, 1); return b;
    case 2: memcpy(&h, at, 2); return swapped ? __builtin_bswap16(h) : h;
    case 4: memcpy(&w, at, 4); return swapped ? __builtin_bswap32(w) : w;
    default: memcpy(&q, at, 8); return swapped ? __builtin_bswap64(q) : q;
    }
}

static void buffers_read_ints(const struct column *c, size_t from, size_t n,
                              struct rows *rows)
{
    const unsigned shift = 64 - 8 * (unsigned)c->width;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = buffers_load(buffers_at(c, from + i), c->width, c->is_swapped);
        const bool negative = c->is_signed && (int64_t)(value << shift) < 0;
        if (negative)
            value = 0 - (uint64_t)((int64_t)(value << shift) >> shift);
        const size_t len = key_digits(value, negative, rows->digits[i]);
        rows->keys[i] = (petal_key){ rows->digits[i], len };
    }
}

static void buffers_read_whole(const struct column *c, size_t from, size_t n,
                               struct rows *rows)
{
    for (size_t i = 0; i < n; i++)
        rows->keys[i] = (petal_key){ buffers_at(c, from + i), c->width };
}

static void buffers_read_padded(const struct column *c, size_t from, size_t n,
                                struct rows *rows)
{
    for (size_t i = 0; i < n; i++) {
        const char *at = buffers_at(c, from + i);
        size_t len = c->width;
        while (len > 0 && at[len - 1] == 0)
            len--;
        rows->keys[i] = (petal_key){ at, len };
    }
}

/* Returns the end of the text, or NULL if the character has no UTF-8. */
static char *buffers_put(char *text, uint32_t c)
{
    if (c < 0x80) {
        *text++ = (char)c;
        return text;
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return NULL;
    if (c < 0x800) {
        *text++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *text++ = (char)(0xe0 | c >> 12);
        } else {
            *text++ = (char)(0xf0 | c >> 18);
            *text++ = (char)(0x80 | (c >> 12 & 0x3f));
        }
        *text++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    *text++ = (char)(0x80 | (c & 0x3f));
    return text;
}

static void buffers_read_text(const struct column *c, size_t from, size_t n,
                              struct rows *rows)
{
    char *text = rows_text(rows, n * c->width + 1); /* four bytes for four bytes */
    for (size_t i = 0; text && i < n; i++) {
        const char *at = buffers_at(c, from + i);
        size_t len = c->width / 4;
        while (len > 0 && buffers_load(at + 4 * (len - 1), 4, false) == 0)
            len--;
        char *end = text;
        for (size_t j = 0; end && j < len; j++)
            end = buffers_put(end, (uint32_t)buffers_load(at + 4 * j, 4, c->is_swapped));
        if (!end) {
            rows->error = ROWS_UNICODE;
            rows->error_row = from + i;
            return;
        }
        rows->keys[i] = (petal_key){ text, (size_t)(end - text) };
        text = end;
    }
}

/* ---- Choosing by format ---- */

static bool buffers_refuse(const char *format)
{
    PyErr_Format(
        PyExc_TypeError,
        "cannot use items of format '%s' as keys; convert the array to integers or "
        "text, or pass as_bytes=True to use their bytes",
        format);
    return false;
}

/* Items that are Python objects. */
static bool buffers_work_objects(struct work *w, const Py_buffer *view)
{
    const size_t n = (size_t)view->shape[0];
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *object;
        memcpy(&object, (const char *)view->buf + (Py_ssize_t)i * view->strides[0],
               sizeof object);
        if (PyList_SetItem(list, (Py_ssize_t)i, Py_NewRef(object ? object : Py_None)) < 0)
            Py_CLEAR(list);
    }
    const bool good = list && work_objects(w, list);
    Py_XDECREF(list);
    return good;
}

bool work_buffer(struct work *w, Py_buffer *view)
{
    const char *format = view->format && view->format[0] ? view->format : "B";
    if (view->ndim != 1) {
        PyErr_Format(PyExc_TypeError, "keys must have one dimension, not %d", view->ndim);
        return false;
    }
    const bool big = strchr(">!", format[0]), little = format[0] == '<';
    const char *type = strchr("@=<>!", format[0]) ? format + 1 : format;
    const char last = *type ? type[strlen(type) - 1] : 0;
    const bool counted = last == 's' || last == 'w' || last == 'p';
    const bool simple = type[0] && (counted || !type[1]);
    struct column c = { .n = (size_t)view->shape[0],
                        .data = view->buf,
                        .stride = view->strides[0],
                        .width = (size_t)view->itemsize,
                        .is_swapped =
                            __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? little : big };
    if (simple && last == 'O')
        return buffers_work_objects(w, view);
    if (w->as_bytes) {
        if (strchr(type, 'O')) /* addresses of objects inside */
            return buffers_refuse(format);
        c.read = buffers_read_whole;
        c.fixed = c.stride == (ptrdiff_t)c.width ? c.width : 0;
    } else if (simple && last == 's') {
        c.read = buffers_read_padded;
    } else if (simple && last == 'c') {
        c.read = buffers_read_whole;
    } else if (simple && last == 'w' && c.width % 4 == 0) {
        c.read = buffers_read_text;
    } else if (simple && strchr("bhilqnBHILQN", last) && c.width <= 8) {
        c.read = buffers_read_ints;
        c.is_signed = last >= 'a';
    } else {
        return buffers_refuse(format);
    }
    return work_column(w, &c);
}
