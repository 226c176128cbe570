/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * objects.c: lists, tuples and other iterables of Python objects as columns.
 *
 * Keys are taken from some thousand objects at a time.  Meanwhile the objects are held, so
 * that another thread can change the list without harm.  The text of a str is used in
 * place. What else is a key is copied, because a bytearray can change and an int has no
 * text.
 */
#include "binding.h"

#define OBJECTS_MAX 4096u

struct objects {
    size_t n;
    petal_key keys[OBJECTS_MAX];
    PyObject *held[OBJECTS_MAX];
    char *text; /* copies of keys, one after the other */
    size_t text_len, text_size;
};

static void objects_read(const struct column *column, size_t from, size_t n,
                         struct rows *rows)
{
    const petal_key *keys = column->data;
    memcpy(rows->keys, keys + from, n * sizeof *keys);
}

/* Copies a key.  The text can move, so until the end keys[i].data is an offset plus one. */
static bool objects_copy(struct objects *o, const struct key *key)
{
    if (o->text_size - o->text_len < key->len) {
        const size_t size = 2 * (o->text_size + key->len) + 1024;
        char *text = realloc(o->text, size);
        if (!text) {
            PyErr_NoMemory();
            return false;
        }
        o->text = text;
        o->text_size = size;
    }
    memcpy(o->text + o->text_len, key->data, key->len);
    o->keys[o->n] = (petal_key){ NULL, key->len };
    o->text_len += key->len;
    return true;
}

/* Takes over the reference to the object. */
static bool objects_take(struct objects *o, PyObject *object)
{
    struct key key;
    if (!key_take(object, &key)) {
        Py_DECREF(object);
        return false;
    }
    bool good = true;
    if (PyUnicode_Check(object) || PyBytes_Check(object)) {
        o->keys[o->n] = (petal_key){ key.data, key.len };
        o->held[o->n] = object;
    } else {
        good = objects_copy(o, &key);
        o->held[o->n] = NULL;
        Py_DECREF(object);
    }
    key_drop(&key);
    o->n += good;
    return good;
}

/* Adds which row it was to the message of a TypeError. */
static void objects_say_where(size_t row)
{
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_Format(PyExc_TypeError, "row %zu: %S", row, value ? value : type);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static bool objects_run(struct work *w, struct objects *o)
{
    for (size_t i = 0, at = 0; i < o->n; i++) {
        if (o->keys[i].data)
            continue;
        o->keys[i].data = o->text ? o->text + at : "";
        at += o->keys[i].len;
    }
    const struct column column = { .n = o->n, .read = objects_read, .data = o->keys };
    return work_column(w, &column);
}

static void objects_drop(struct objects *o)
{
    for (size_t i = 0; i < o->n; i++)
        Py_XDECREF(o->held[i]);
    o->n = o->text_len = 0;
}

bool work_objects(struct work *w, PyObject *iterable)
{
    PyObject *iterator = PyObject_GetIter(iterable), *object = NULL;
    struct objects *o = iterator ? calloc(1, sizeof *o) : NULL;
    if (!o) {
        if (iterator)
            PyErr_NoMemory();
        Py_XDECREF(iterator);
        return false;
    }
    bool good = true;
    while (good && (object = PyIter_Next(iterator))) {
        good = objects_take(o, object);
        if (!good)
            objects_say_where(w->done + o->n);
        if (good && o->n == OBJECTS_MAX) {
            good = objects_run(w, o);
            objects_drop(o);
        }
    }
    if (PyErr_Occurred())
        good = false;
    if (good)
        good = objects_run(w, o);
    objects_drop(o);
    free(o->text);
    free(o);
    Py_DECREF(iterator);
    return good;
}
