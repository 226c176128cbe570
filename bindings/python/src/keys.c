/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys.c: one Python object as a key.
 *
 * A str is its UTF-8, a bytes-like object its bytes, and an integer of any size its decimal
 * text.  So a key gets the same answer here as in the shell, in Redis and in SQL.
 * Everything else is a TypeError, also bool: whether True is "True" or "1" should not be a
 * guess.
 *
 * An object that can be an index, such as numpy.int64, is an integer.  That is checked
 * before its buffer, because NumPy's numbers have one: their bytes would be another key.
 */
#include "binding.h"

size_t key_digits(uint64_t magnitude, bool negative, char *text)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char end[20];
    size_t at = sizeof end;
    while (magnitude >= 100) {
        at -= 2;
        memcpy(end + at, pairs + 2 * (magnitude % 100), 2);
        magnitude /= 100;
    }
    if (magnitude >= 10) {
        at -= 2;
        memcpy(end + at, pairs + 2 * magnitude, 2);
    } else {
        end[--at] = (char)('0' + magnitude);
    }
    const size_t len = sizeof end - at;
    if (negative)
        *text++ = '-';
    memcpy(text, end + at, len);
    return len + negative;
}

static bool key_take_text(PyObject *text, struct key *key)
{
    Py_ssize_t len;
    key->data = PyUnicode_AsUTF8AndSize(text, &len);
    key->len = (size_t)len;
    return key->data != NULL;
}

/* Python refuses to convert more than a few thousand digits at once; _text.py can. */
static PyObject *key_long_text(PyObject *number)
{
    PyObject *text = PyNumber_ToBase(number, 10);
    if (text || !PyErr_ExceptionMatches(PyExc_ValueError))
        return text;
    PyErr_Clear();
    PyObject *module = PyImport_ImportModule("petal._text");
    if (!module)
        return NULL;
    text = PyObject_CallMethod(module, "decimal", "O", number);
    Py_DECREF(module);
    return text;
}

static bool key_take_int(PyObject *number, struct key *key)
{
    int overflow;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow) {
        key->owner = key_long_text(number);
        return key->owner && key_take_text(key->owner, key);
    }
    if (value == -1 && PyErr_Occurred())
        return false;
    const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    key->data = key->digits;
    key->len = key_digits(magnitude, value < 0, key->digits);
    return true;
}

static bool key_refuse(PyObject *object)
{
    PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name)
        PyErr_Format(PyExc_TypeError, "a key must be str, bytes or int, not %U", name);
    Py_XDECREF(name);
    return false;
}

/* Older versions of NumPy let their bool be an index, with a warning. */
static bool key_is_flag(PyObject *object)
{
    Py_buffer view;
    if (!PyObject_CheckBuffer(object))
        return false;
    if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_ND) < 0) {
        PyErr_Clear();
        return false;
    }
    const bool flag = view.format && strcmp(view.format, "?") == 0;
    PyBuffer_Release(&view);
    return flag;
}

static bool key_take_index(PyObject *object, struct key *key)
{
    if (key_is_flag(object))
        return key_refuse(object);
    PyObject *number = PyNumber_Index(object);
    if (!number)
        return false;
    const bool good = key_take_int(number, key);
    Py_DECREF(number);
    return good;
}

static bool key_take_buffer(PyObject *object, struct key *key)
{
    if (PyObject_HasAttrString(object, "dtype")) /* NumPy's dates are no bytes */
        return key_refuse(object);
    if (PyObject_GetBuffer(object, &key->view, PyBUF_FORMAT | PyBUF_ND) < 0)
        return false;
    key->has_view = true;
    const char *format = key->view.format ? key->view.format : "B";
    if (key->view.itemsize != 1 || !strchr("Bbc", format[strlen(format) - 1])) {
        key_drop(key);
        return key_refuse(object);
    }
    key->data = key->view.buf ? key->view.buf : "";
    key->len = (size_t)key->view.len;
    return true;
}

bool key_take(PyObject *object, struct key *key)
{
    key->owner = NULL;
    key->has_view = false;
    if (PyUnicode_Check(object))
        return key_take_text(object, key);
    if (PyBytes_Check(object)) {
        key->data = PyBytes_AsString(object);
        key->len = (size_t)PyBytes_Size(object);
        return true;
    }
    if (PyBool_Check(object))
        return key_refuse(object);
    if (PyLong_Check(object))
        return key_take_int(object, key);
    if (PyIndex_Check(object))
        return key_take_index(object, key);
    return PyObject_CheckBuffer(object) ? key_take_buffer(object, key) : key_refuse(object);
}

void key_drop(struct key *key)
{
    Py_CLEAR(key->owner);
    if (key->has_view)
        PyBuffer_Release(&key->view);
    key->has_view = false;
}
