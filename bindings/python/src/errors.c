/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errors.c: error codes of the library as exceptions.
 *
 * Every exception is a petal.Error with the library's sentence and its number, `code`.  It
 * is also a ValueError, an OSError or a MemoryError where that fits.  An OSError is of the
 * class that open() would raise too: petal.open() of a missing file raises something that
 * is both a petal.Error and a FileNotFoundError.
 */
#include "binding.h"

PyObject *error_class;
static PyObject *value_error, *memory_error, *os_error;
static PyObject *os_errors; /* classes of OSError: those of ours that are both */

static PyObject *errors_class(const char *name, const char *doc, PyObject *builtin)
{
    PyObject *bases =
        error_class ? PyTuple_Pack(2, error_class, builtin) : PyTuple_Pack(1, builtin);
    PyObject *class = bases ? PyErr_NewExceptionWithDoc(name, doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    return class;
}

static bool errors_set_number(PyObject *error, const char *name, size_t value,
                              bool negative)
{
    PyObject *number = PyLong_FromLongLong(negative ? -(long long)value : (long long)value);
    const bool good = number && PyObject_SetAttrString(error, name, number) == 0;
    Py_XDECREF(number);
    return good;
}

bool errors_init(PyObject *module)
{
    error_class = NULL;
    error_class = errors_class("petal.Error",
                               "Every error of petal.  `code` is its number in petal.h.",
                               PyExc_Exception);
    if (!error_class || !errors_set_number(error_class, "code", 0, false) ||
        !errors_set_number(error_class, "rejected", 0, false))
        return false;
    value_error =
        errors_class("petal.InvalidError", "Options, keys or bytes that are not valid.",
                     PyExc_ValueError);
    memory_error =
        errors_class("petal.OutOfMemoryError", "Out of memory.", PyExc_MemoryError);
    os_error = errors_class("petal.FileError", "A file that cannot be read or written.",
                            PyExc_OSError);
    os_errors = PyDict_New();
    return value_error && memory_error && os_error && os_errors &&
           PyModule_AddObjectRef(module, "Error", error_class) == 0 &&
           PyModule_AddObjectRef(module, "InvalidError", value_error) == 0 &&
           PyModule_AddObjectRef(module, "OutOfMemoryError", memory_error) == 0 &&
           PyModule_AddObjectRef(module, "FileError", os_error) == 0;
}

static PyObject *errors_class_of(int code)
{
    switch (code) {
    case PETAL_E_MEMORY: return memory_error;
    case PETAL_E_ABILITY:
    case PETAL_E_READONLY:
    case PETAL_E_SEALED:
    case PETAL_E_UNSEALED:
    case PETAL_E_BUILD:
    case PETAL_E_INTERRUPTED:
    case PETAL_E_FULL: return error_class;
    default: return code <= PETAL_E_OPEN ? os_error : value_error;
    }
}

/* Raises an instance with its code.  Takes over the reference to the instance. */
static void *errors_set(PyObject *error, int code)
{
    if (error && errors_set_number(error, "code", (size_t)-code, true))
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return NULL;
}

/* Takes over the reference to the sentence, which may be NULL. */
static PyObject *errors_make(int code, PyObject *sentence)
{
    PyObject *class = errors_class_of(code), *error = NULL;
    if (sentence)
        error = PyObject_CallFunctionObjArgs(class, sentence, NULL);
    Py_XDECREF(sentence);
    return error;
}

void *errors_raise_rejected(int code, PyObject *sentence, size_t rejected)
{
    PyObject *error = errors_make(code, sentence);
    if (error && !errors_set_number(error, "rejected", rejected, false))
        Py_CLEAR(error);
    return errors_set(error, code);
}

static void *errors_raise_text(int code, const char *text)
{
    return errors_set(PyObject_CallFunction(errors_class_of(code), "s", text), code);
}

/* The class that is both FileError and, for example, FileNotFoundError. */
static PyObject *errors_combine(PyTypeObject *builtin)
{
    PyObject *name = PyType_GetName(builtin), *class = NULL;
    PyObject *full = name ? PyUnicode_FromFormat("petal.%U", name) : NULL;
    PyObject *bases = PyTuple_Pack(2, os_error, (PyObject *)builtin);
    const char *text = full ? PyUnicode_AsUTF8AndSize(full, NULL) : NULL;
    if (bases && text)
        class = PyErr_NewException(text, bases, NULL);
    Py_XDECREF(name);
    Py_XDECREF(full);
    Py_XDECREF(bases);
    return class;
}

/* The class for an errno, which is made once. */
static PyObject *errors_os_class(int number)
{
    PyObject *sample = PyObject_CallFunction(PyExc_OSError, "is", number, "");
    if (!sample)
        return NULL;
    PyObject *builtin = (PyObject *)Py_TYPE(sample), *class = NULL;
    if (builtin == PyExc_OSError) {
        class = Py_NewRef(os_error);
    } else if ((class = PyDict_GetItemWithError(os_errors, builtin))) {
        Py_INCREF(class);
    } else if (!PyErr_Occurred()) {
        class = errors_combine((PyTypeObject *)builtin);
        if (class && PyDict_SetItem(os_errors, builtin, class) < 0)
            Py_CLEAR(class);
    }
    Py_DECREF(sample);
    return class;
}

void *errors_raise_at(int code, PyObject *path)
{
    const int number = errno;
    if (errors_class_of(code) != os_error) {
        PyObject *text = PyUnicode_FromFormat("%S: %s", path, petal_strerror(code));
        return errors_set(errors_make(code, text), code);
    }
    PyObject *class = errors_os_class(number);
    if (!class)
        return NULL;
    PyObject *text =
        PyUnicode_FromFormat("%s (%s)", petal_strerror(code), strerror(number));
    PyObject *error =
        text ? PyObject_CallFunction(class, "iOO", number, text, path ? path : Py_None)
             : NULL;
    Py_XDECREF(text);
    Py_DECREF(class);
    return errors_set(error, code);
}

void *errors_raise(int code)
{
    if (errors_class_of(code) == os_error)
        return errors_raise_at(code, NULL);
    return errors_raise_text(code, petal_strerror(code));
}

void *errors_raise_options(const petal_options *options, const char *text)
{
    const petal_options none = { 0 };
    petal_refusal refusal;
    const int code = petal_refused(options ? options : &none, text, &refusal);
    if (code == PETAL_OK)
        return errors_raise(PETAL_E_MEMORY); /* the options were fine */
    char sentence[sizeof refusal.option + sizeof refusal.reason + 1];
    snprintf(sentence, sizeof sentence, "%s %s", refusal.option, refusal.reason);
    return errors_raise_text(code, sentence);
}
