/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.c: filters as bytes and as files; also sealing, clearing and what else works on a
 * whole filter.
 *
 * memoryview(f) shows the image where it is.  It could move when the filter changes, so the
 * filter refuses changes until the memoryview is released, like a bytearray that is
 * exported.
 */
#include "binding.h"

/* ---- Work on the whole filter ---- */

/* Calls a function of the library without the interpreter lock. */
static PyObject *image_call(PyObject *object, enum lock_mode mode,
                            int (*call)(petal_filter *filter))
{
    FilterObject *self = (FilterObject *)object;
    PyThreadState *saved;
    if (!filter_enter(self, mode, &saved))
        return NULL;
    const int rc = call(self->filter);
    filter_note_seal(self);
    filter_leave(self, mode, saved);
    if (rc < 0)
        return errors_raise(rc);
    Py_RETURN_NONE;
}

static PyObject *image_seal(PyObject *self, PyObject *unused)
{
    (void)unused;
    return image_call(self, LOCK_SEAL, petal_seal);
}

static PyObject *image_clear(PyObject *self, PyObject *unused)
{
    (void)unused;
    return image_call(self, LOCK_WRITE, petal_clear);
}

static PyObject *image_compact(PyObject *self, PyObject *unused)
{
    (void)unused;
    return image_call(self, LOCK_WRITE, petal_compact);
}

static PyObject *image_verify(PyObject *object, PyObject *unused)
{
    (void)unused;
    FilterObject *self = (FilterObject *)object;
    PyThreadState *saved;
    if (!filter_enter(self, LOCK_LOOK, &saved))
        return NULL;
    const int rc = petal_verify(self->filter, NULL);
    filter_leave(self, LOCK_LOOK, saved);
    if (rc < 0)
        return errors_raise(rc);
    Py_RETURN_NONE;
}

static PyObject *image_set_note(PyObject *object, PyObject *args)
{
    FilterObject *self = (FilterObject *)object;
    const char *name, *text;
    PyThreadState *saved;
    if (!PyArg_ParseTuple(args, "sz:set_note", &name, &text) ||
        !filter_enter(self, LOCK_WRITE, &saved))
        return NULL;
    const int rc = petal_set_note(self->filter, name, text);
    filter_leave(self, LOCK_WRITE, saved);
    if (rc == PETAL_E_OPTION)
        return PyErr_Format(
            PyExc_ValueError,
            "note %s: a name has 1 to 32 of the characters a-z and _, a text no "
            "control characters, and all notes together up to 4,096 bytes",
            name);
    if (rc < 0)
        return errors_raise(rc);
    Py_RETURN_NONE;
}

/* ---- Bytes ---- */

/* Seals the filter and exports its image.  The caller ends that by lowering `exports`. */
static const void *image_export(FilterObject *self, size_t *len)
{
    PyThreadState *saved;
    if (!filter_enter(self, LOCK_SEAL, &saved))
        return NULL;
    const int rc = petal_seal(self->filter);
    const void *bytes = rc < 0 ? NULL : petal_bytes(self->filter, len);
    if (bytes) {
        __atomic_fetch_add(&self->exports, 1, __ATOMIC_RELAXED);
        filter_note_seal(self);
    }
    filter_leave(self, LOCK_SEAL, saved);
    return bytes ? bytes : errors_raise(rc < 0 ? rc : PETAL_E_MEMORY);
}

static void image_end_export(FilterObject *self)
{
    __atomic_fetch_sub(&self->exports, 1, __ATOMIC_RELAXED);
}

static int image_getbuffer(PyObject *object, Py_buffer *view, int flags)
{
    FilterObject *self = (FilterObject *)object;
    size_t len;
    const void *bytes = image_export(self, &len);
    if (!bytes) {
        view->obj = NULL;
        return -1;
    }
    union {
        const void *constant;
        void *plain;
    } address = { bytes }; /* Py_buffer has no const, but the view is read-only */
    const int rc =
        PyBuffer_FillInfo(view, object, address.plain, (Py_ssize_t)len, 1, flags);
    if (rc < 0)
        image_end_export(self);
    return rc;
}

static void image_releasebuffer(PyObject *object, Py_buffer *view)
{
    (void)view;
    image_end_export((FilterObject *)object);
}

/* Seals the filter and copies its image to `to`, if it has this length.  Returns the
 * length, or 0 with an exception set. */
static size_t image_copy_to(FilterObject *self, char *to, size_t room)
{
    PyThreadState *saved;
    size_t len = 0;
    if (!filter_enter(self, LOCK_SEAL, &saved))
        return 0;
    const int rc = petal_seal(self->filter);
    const void *bytes = rc < 0 ? NULL : petal_bytes(self->filter, &len);
    if (bytes && len == room)
        memcpy(to, bytes, len);
    filter_note_seal(self);
    filter_leave(self, LOCK_SEAL, saved);
    if (!bytes)
        errors_raise(rc < 0 ? rc : PETAL_E_MEMORY);
    return bytes ? len : 0;
}

/* This is not an export, so other threads may change the filter meanwhile.  If it grows,
 * the room for it is made again. */
static PyObject *image_bytes(PyObject *object, PyObject *unused)
{
    (void)unused;
    FilterObject *self = (FilterObject *)object;
    PyObject *result = NULL;
    size_t room = image_copy_to(self, NULL, 0);
    while (room > 0) {
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
        const size_t len = result ? image_copy_to(self, PyBytes_AsString(result), room) : 0;
        if (len == room)
            return result;
        Py_CLEAR(result);
        room = len;
    }
    return NULL;
}

/* ---- Files ---- */

static PyObject *image_save(PyObject *object, PyObject *path)
{
    FilterObject *self = (FilterObject *)object;
    PyObject *name;
    PyThreadState *saved;
    if (!PyUnicode_FSConverter(path, &name))
        return NULL;
    if (!filter_enter(self, LOCK_SEAL, &saved)) {
        Py_DECREF(name);
        return NULL;
    }
    const int rc = petal_save(self->filter, PyBytes_AsString(name));
    const int number = errno;
    filter_note_seal(self);
    filter_leave(self, LOCK_SEAL, saved);
    Py_DECREF(name);
    errno = number;
    if (rc < 0)
        return errors_raise_at(rc, path);
    Py_RETURN_NONE;
}

/* open(type, path, copy, trust) */
static PyObject *image_open(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *type, *path, *name;
    int copy, trust;
    if (!PyArg_ParseTuple(args, "OOpp", &type, &path, &copy, &trust) ||
        !PyUnicode_FSConverter(path, &name))
        return NULL;
    petal_filter *filter;
    int rc, number;
    Py_BEGIN_ALLOW_THREADS rc =
        petal_open(PyBytes_AsString(name),
                   (copy ? PETAL_COPY : 0u) | (trust ? PETAL_TRUST : 0u), &filter);
    number = errno;
    Py_END_ALLOW_THREADS Py_DECREF(name);
    errno = number;
    return rc < 0 ? errors_raise_at(rc, path) : filter_wrap((PyTypeObject *)type, filter);
}

/* view(type, buffer, copy, trust).  Without a copy, the object keeps the buffer. */
static PyObject *image_view(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *type;
    Py_buffer view;
    int copy, trust;
    if (!PyArg_ParseTuple(args, "Oy*pp", &type, &view, &copy, &trust))
        return NULL;
    petal_filter *filter;
    int rc;
    Py_BEGIN_ALLOW_THREADS rc =
        petal_view(view.buf ? view.buf : "", (size_t)view.len,
                   (copy ? PETAL_COPY : 0u) | (trust ? PETAL_TRUST : 0u), &filter);
    Py_END_ALLOW_THREADS PyObject *object =
        rc < 0 ? errors_raise(rc) : filter_wrap((PyTypeObject *)type, filter);
    if (object && !copy) {
        FilterObject *self = (FilterObject *)object;
        self->source = view;
        self->has_source = true;
    } else {
        PyBuffer_Release(&view);
    }
    return object;
}

/* ---- Plans and names ---- */

/* plan(text): the shape of a filter with these options, as JSON. */
static PyObject *image_plan(PyObject *module, PyObject *text_object)
{
    (void)module;
    petal_options options = { 0 };
    petal_shape shape;
    const char *text = PyUnicode_AsUTF8AndSize(text_object, NULL);
    if (!text)
        return NULL;
    if (petal_parse_options(text, &options) < 0)
        return errors_raise_options(NULL, text);
    if (petal_plan(&options, &shape) < 0)
        return errors_raise_options(&options, NULL);
    char json[4096];
    petal_describe_shape(&shape, json, sizeof json);
    return PyUnicode_FromString(json);
}

static bool image_append(PyObject *list, const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    const bool good = text && PyList_Append(list, text) == 0;
    Py_XDECREF(text);
    return good;
}

/* names(): the names of all kinds, forms and hashes. */
static PyObject *image_names(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *kinds = PyList_New(0), *forms = PyList_New(0), *hashes = PyList_New(0);
    bool good = kinds && forms && hashes;
    for (petal_kind k = petal_kind_next(PETAL_DEFAULT); good && k; k = petal_kind_next(k))
        good = image_append(kinds, petal_kind_name(k));
    for (petal_form f = petal_form_next(PETAL_FORM_NONE); good && f != PETAL_FORM_NONE;
         f = petal_form_next(f))
        good = image_append(forms, petal_form_name(f));
    for (petal_hash_id h = petal_hash_next(PETAL_HASH_NONE); good && h != PETAL_HASH_NONE;
         h = petal_hash_next(h))
        good = image_append(hashes, petal_hash_name(h));
    PyObject *names = good ? PyTuple_Pack(3, kinds, forms, hashes) : NULL;
    Py_XDECREF(kinds);
    Py_XDECREF(forms);
    Py_XDECREF(hashes);
    return names;
}

/* ---- Tables ---- */

PyMethodDef image_methods[] = {
    { "seal", image_seal, METH_NOARGS,
      "seal($self, /)\n--\n\n"
      "Compute the checksums.  A filter of a static kind is built here from all its keys,\n"
      "and takes no more." },
    { "clear", image_clear, METH_NOARGS,
      "clear($self, /)\n--\n\nRemove all keys and keep the shape." },
    { "compact", image_compact, METH_NOARGS,
      "compact($self, /)\n--\n\nGive back memory that the keys do not need." },
    { "verify", image_verify, METH_NOARGS,
      "verify($self, /)\n--\n\n"
      "Compare the contents with the checksums.  Raises an error if they differ or if the\n"
      "filter is not sealed." },
    { "set_note", image_set_note, METH_VARARGS,
      "set_note($self, name, text, /)\n--\n\n"
      "Set a note, such as \"label\", which is saved with the filter.  None removes it." },
    { "save", image_save, METH_O,
      "save($self, path, /)\n--\n\n"
      "Seal the filter and create or replace a file in one step.  On an error, the old "
      "file\n"
      "is unchanged." },
    { "__bytes__", image_bytes, METH_NOARGS, "The image: the same bytes as in a file." },
    { NULL, NULL, 0, NULL },
};

PyType_Slot image_slots[] = {
    { Py_bf_getbuffer, (void *)image_getbuffer },
    { Py_bf_releasebuffer, (void *)image_releasebuffer },
    { 0, NULL },
};

PyMethodDef image_functions[] = {
    { "open", image_open, METH_VARARGS, NULL },
    { "view", image_view, METH_VARARGS, NULL },
    { "plan", image_plan, METH_O, NULL },
    { "names", image_names, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};
