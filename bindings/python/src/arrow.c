/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrow.c: columns with the Arrow C data interface: pyarrow, Polars, pandas, DuckDB and
 * others.
 *
 * The interface is three structs, which the Arrow specification publishes so that nobody
 * needs Arrow's libraries to use them.  Python objects hand them over in capsules, by
 * __arrow_c_array__() or, in several chunks, by __arrow_c_stream__().
 *
 *   https://arrow.apache.org/docs/format/CDataInterface.html
 *   https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
 *
 * Strings and bytes are used where they are.  Integers become decimal text or, with
 * as_bytes, their bytes.  A dictionary is read through its indices.  A table with one
 * column is that column.
 */
#include "binding.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* ---- Reading rows ---- */

/* How a column finds the value of a row. */
struct arrow_column {
    const struct ArrowArray *parent; /* the table around the column, or NULL */
    const struct ArrowArray *index;  /* the indices into a dictionary, or NULL */
    const struct ArrowArray *values;
    size_t index_width;
    bool index_signed;
    void (*value)(const struct column *c, const struct ArrowArray *values, size_t at,
                  petal_key *key, char *digits);
};

static bool arrow_is_valid(const struct ArrowArray *array, size_t at)
{
    const uint8_t *bits = array->null_count && array->n_buffers ? array->buffers[0] : NULL;
    return !bits || bits[at / 8] >> at % 8 & 1;
}

static int64_t arrow_load(const void *data, size_t at, size_t width, bool is_signed)
{
    switch (is_signed ? -(int)width : (int)width) {
    case 1: return ((const uint8_t *)data)[at];
    case 2: return ((const uint16_t *)data)[at];
    case 4: return ((const uint32_t *)data)[at];
    case -1: return ((const int8_t *)data)[at];
    case -2: return ((const int16_t *)data)[at];
    case -4: return ((const int32_t *)data)[at];
    default: return ((const int64_t *)data)[at];
    }
}

static petal_key arrow_key(const char *data, int64_t from, int64_t to)
{
    return (petal_key){ data ? data + from : "", (size_t)(to - from) };
}

static void arrow_text(const struct column *c, const struct ArrowArray *a, size_t at,
                       petal_key *key, char *digits)
{
    (void)c, (void)digits;
    const int32_t *offsets = a->buffers[1];
    *key = arrow_key(a->buffers[2], offsets[at], offsets[at + 1]);
}

static void arrow_large_text(const struct column *c, const struct ArrowArray *a, size_t at,
                             petal_key *key, char *digits)
{
    (void)c, (void)digits;
    const int64_t *offsets = a->buffers[1];
    *key = arrow_key(a->buffers[2], offsets[at], offsets[at + 1]);
}

/* A view is 16 bytes: the length, then the text itself, or if that is longer than 12 bytes,
 * its first four bytes, the number of a buffer and the offset there. */
static void arrow_view(const struct column *c, const struct ArrowArray *a, size_t at,
                       petal_key *key, char *digits)
{
    (void)c, (void)digits;
    const char *view = (const char *)a->buffers[1] + 16 * at;
    int32_t len, buffer, offset;
    memcpy(&len, view, 4);
    memcpy(&buffer, view + 8, 4);
    memcpy(&offset, view + 12, 4);
    *key = len <= 12 ? arrow_key(view, 4, 4 + len)
                     : arrow_key(a->buffers[2 + buffer], offset, (int64_t)offset + len);
}

static void arrow_int(const struct column *c, const struct ArrowArray *a, size_t at,
                      petal_key *key, char *digits)
{
    const int64_t value = arrow_load(a->buffers[1], at, c->width, c->is_signed);
    const bool negative = c->is_signed && value < 0;
    const uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
    *key = (petal_key){ digits, key_digits(magnitude, negative, digits) };
}

static void arrow_bytes(const struct column *c, const struct ArrowArray *a, size_t at,
                        petal_key *key, char *digits)
{
    (void)digits;
    *key = (petal_key){ (const char *)a->buffers[1] + at * c->width, c->width };
}

static void arrow_null(const struct column *c, const struct ArrowArray *a, size_t at,
                       petal_key *key, char *digits)
{
    (void)c, (void)a, (void)at, (void)digits;
    *key = (petal_key){ NULL, 0 };
}

/* Finds a row among the values.  Returns false if it is null. */
static bool arrow_find(const struct arrow_column *arrow, size_t row, size_t *at)
{
    if (arrow->parent) {
        row += (size_t)arrow->parent->offset;
        if (!arrow_is_valid(arrow->parent, row))
            return false;
    }
    const struct ArrowArray *values = arrow->values, *index = arrow->index;
    if (index) {
        const size_t place = (size_t)index->offset + row;
        if (!arrow_is_valid(index, place))
            return false;
        row = (size_t)arrow_load(index->buffers[1], place, arrow->index_width,
                                 arrow->index_signed);
        if (row >= (size_t)values->length)
            return false;
    }
    *at = (size_t)values->offset + row;
    return arrow_is_valid(values, *at);
}

static void arrow_read(const struct column *c, size_t from, size_t n, struct rows *rows)
{
    const struct arrow_column *arrow = c->arrow;
    for (size_t i = 0; i < n; i++) {
        size_t at;
        if (arrow_find(arrow, from + i, &at))
            arrow->value(c, arrow->values, at, &rows->keys[i], rows->digits[i]);
        else
            rows->keys[i] = (petal_key){ NULL, 0 };
        rows->has_nulls |= !rows->keys[i].data;
    }
}

/* ---- Choosing by format ---- */

/* The width of an integer format, or 0. */
static size_t arrow_int_width(const char *format, bool *is_signed)
{
    static const char letters[] = "cCsSiIlL";
    const char *at = format[0] && !format[1] ? strchr(letters, format[0]) : NULL;
    *is_signed = at && (at - letters) % 2 == 0;
    return at ? (size_t)1 << (at - letters) / 2 : 0;
}

/* The width of numbers, times and decimals, or 0. */
static size_t arrow_width(const char *format)
{
    static const struct {
        const char *prefix;
        size_t width;
    } widths[] = { { "e", 2 },   { "f", 4 },   { "g", 8 },   { "tdD", 4 }, { "tdm", 8 },
                   { "tts", 4 }, { "ttm", 4 }, { "ttu", 8 }, { "ttn", 8 }, { "ts", 8 },
                   { "tD", 8 },  { "tiM", 4 }, { "tiD", 8 }, { "tin", 16 } };
    bool is_signed;
    const size_t width = arrow_int_width(format, &is_signed);
    if (width)
        return width;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strncmp(format, widths[i].prefix, strlen(widths[i].prefix)) == 0)
            return widths[i].width;
    if (strncmp(format, "d:", 2) == 0) { /* d:precision,scale or d:precision,scale,bits */
        const char *comma = strchr(format, ',');
        const char *bits = comma ? strchr(comma + 1, ',') : NULL;
        return bits ? (size_t)strtoul(bits + 1, NULL, 10) / 8 : 16;
    }
    return 0;
}

static bool arrow_choose(struct column *c, struct arrow_column *arrow, const char *format,
                         bool as_bytes)
{
    if (!strcmp(format, "u") || !strcmp(format, "z")) {
        arrow->value = arrow_text;
    } else if (!strcmp(format, "U") || !strcmp(format, "Z")) {
        arrow->value = arrow_large_text;
    } else if (!strcmp(format, "vu") || !strcmp(format, "vz")) {
        arrow->value = arrow_view;
    } else if (!strcmp(format, "n")) {
        arrow->value = arrow_null;
    } else if (strncmp(format, "w:", 2) == 0) {
        arrow->value = arrow_bytes;
        c->width = (size_t)strtoul(format + 2, NULL, 10);
    } else if (as_bytes && arrow_width(format)) {
        arrow->value = arrow_bytes;
        c->width = arrow_width(format);
    } else {
        arrow->value = arrow_int;
        c->width = arrow_int_width(format, &c->is_signed);
        if (c->width == 0) {
            PyErr_Format(PyExc_TypeError,
                         "cannot use an Arrow column of format '%s' as keys; convert it to "
                         "integers or text%s",
                         format, arrow_width(format) ? ", or pass as_bytes=True" : "");
            return false;
        }
    }
    return true;
}

static bool arrow_may_have_nulls(const struct ArrowArray *array)
{
    return array && array->null_count && array->n_buffers && array->buffers[0];
}

/* Works on one array with its schema. */
static bool arrow_work(struct work *w, const struct ArrowSchema *schema,
                       const struct ArrowArray *array)
{
    struct arrow_column arrow = { .values = array };
    struct column c = { .n = (size_t)array->length, .read = arrow_read, .arrow = &arrow };
    if (!strcmp(schema->format, "+s")) {
        if (schema->n_children != 1) {
            PyErr_Format(PyExc_TypeError,
                         "a table with %lld columns is not one column of keys",
                         (long long)schema->n_children);
            return false;
        }
        arrow.parent = array;
        arrow.values = array = array->children[0];
        schema = schema->children[0];
    }
    if (schema->dictionary) {
        arrow.index = array;
        arrow.values = array->dictionary;
        arrow.index_width = arrow_int_width(schema->format, &arrow.index_signed);
        schema = schema->dictionary;
    }
    if (!arrow_choose(&c, &arrow, schema->format, w->as_bytes))
        return false;
    c.nullable = arrow.index || arrow.value == arrow_null ||
                 arrow_may_have_nulls(arrow.parent) || arrow_may_have_nulls(arrow.values);
    if (arrow.value == arrow_bytes && !c.nullable && c.n > 0) {
        const size_t first = (size_t)arrow.values->offset +
                             (arrow.parent ? (size_t)arrow.parent->offset : 0);
        c.fixed = c.width;
        c.data = (const char *)arrow.values->buffers[1] + first * c.width;
    }
    return work_column(w, &c);
}

/* ---- Capsules ---- */

/* Releasing may run Python code, which must not see an exception that is set already. */
static void arrow_release(struct ArrowSchema *schema, struct ArrowArray *array,
                          PyObject *owner)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (schema && schema->release)
        schema->release(schema);
    if (array && array->release)
        array->release(array);
    Py_XDECREF(owner);
    PyErr_Restore(type, value, trace);
}

static bool arrow_work_array(struct work *w, PyObject *pair)
{
    PyObject *first, *second;
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "__arrow_c_array__() must return two capsules");
        return false;
    }
    first = PyTuple_GetItem(pair, 0);
    second = PyTuple_GetItem(pair, 1);
    const struct ArrowSchema *schema = PyCapsule_GetPointer(first, "arrow_schema");
    const struct ArrowArray *array =
        schema ? PyCapsule_GetPointer(second, "arrow_array") : NULL;
    if (array && (!schema->release || !array->release)) {
        PyErr_SetString(PyExc_ValueError,
                        "the Arrow array was released before it was used");
        return false;
    }
    return array && arrow_work(w, schema, array);
}

static bool arrow_stream_failed(struct ArrowArrayStream *stream)
{
    const char *why = stream->get_last_error(stream);
    PyErr_Format(PyExc_OSError, "the Arrow stream failed: %s",
                 why ? why : "no reason given");
    return false;
}

static bool arrow_work_stream(struct work *w, PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    struct ArrowSchema schema = { .release = NULL };
    if (!stream)
        return false;
    if (!stream->release) {
        PyErr_SetString(PyExc_ValueError,
                        "the Arrow stream was released before it was used");
        return false;
    }
    if (stream->get_schema(stream, &schema))
        return arrow_stream_failed(stream);
    bool good = true;
    while (good) {
        struct ArrowArray array = { .release = NULL };
        if (stream->get_next(stream, &array)) {
            good = arrow_stream_failed(stream);
            break;
        }
        if (!array.release)
            break; /* the end */
        good = arrow_work(w, &schema, &array);
        arrow_release(NULL, &array, NULL);
    }
    arrow_release(&schema, NULL, NULL);
    return good;
}

/* Calls a method without arguments.  `is_arrow` is false if there is no such method, or if
 * it needs a package that is missing and the object can be read in another way. */
static PyObject *arrow_call(PyObject *object, const char *name, bool *is_arrow)
{
    *is_arrow = PyObject_HasAttrString(object, name);
    if (!*is_arrow)
        return NULL;
    const bool is_array = PyObject_HasAttrString(object, "__array__");
    PyObject *result = PyObject_CallMethod(object, name, NULL);
    if (!result && is_array && PyErr_ExceptionMatches(PyExc_ImportError)) {
        PyErr_Clear();
        *is_arrow = false;
    }
    return result;
}

bool work_arrow(struct work *w, PyObject *object, bool *is_arrow)
{
    bool good = true;
    PyObject *result = arrow_call(object, "__arrow_c_array__", is_arrow);
    if (*is_arrow) {
        good = result && arrow_work_array(w, result);
    } else if ((result = arrow_call(object, "__arrow_c_stream__", is_arrow), *is_arrow)) {
        good = result && arrow_work_stream(w, result);
    }
    arrow_release(NULL, NULL, result);
    return good;
}
