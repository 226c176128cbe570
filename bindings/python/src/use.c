/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * use.c: single keys: add, in, remove, discard, count, match, normalize, hash.
 *
 * If nobody else works on the filter, a call keeps the interpreter lock and goes straight
 * to the library (see lock.h).  `in` and add() also have a short way for str, because most
 * keys are text.
 */
#include "binding.h"

/* ---- One call for all ---- */

/* What to do with a filter and a key; how, and what came out of it. */
struct use {
    int64_t (*call)(petal_filter *filter, const char *key, size_t len, struct use *use);
    enum lock_mode mode;
    char *text; /* of use_text() */
    size_t size;
    uint64_t hash;
};

/* Returns what the call returned.  -1000 means that an exception is set. */
enum { USE_RAISED = -1000 };

static int64_t use_filter(PyObject *object, PyObject *arg, struct use *use)
{
    FilterObject *self = (FilterObject *)object;
    struct key key;
    if (!key_take(arg, &key))
        return USE_RAISED;
    int64_t rc = USE_RAISED;
    PyThreadState *saved;
    if (filter_quick(self, use->mode)) {
        rc = use->call(self->filter, key.data, key.len, use);
        filter_end_quick(self);
    } else if (filter_enter(self, use->mode, &saved)) {
        rc = use->call(self->filter, key.data, key.len, use);
        filter_leave(self, use->mode, saved);
    }
    key_drop(&key);
    if (rc < 0 && rc != USE_RAISED) {
        errors_raise((int)rc);
        rc = USE_RAISED;
    }
    return rc;
}

/* ---- contains and add ---- */

static int64_t use_call_contains(petal_filter *f, const char *key, size_t len,
                                 struct use *use)
{
    (void)use;
    return petal_contains(f, key, len);
}

static int64_t use_call_add(petal_filter *f, const char *key, size_t len, struct use *use)
{
    (void)use;
    return petal_add(f, key, len);
}

int use_contains(PyObject *object, PyObject *key)
{
    FilterObject *self = (FilterObject *)object;
    if (LIKELY(Py_IS_TYPE(key, &PyUnicode_Type))) {
        Py_ssize_t len;
        const char *data = PyUnicode_AsUTF8AndSize(key, &len);
        if (!LIKELY(data))
            return -1;
        if (LIKELY(filter_quick(self, LOCK_READ))) {
            const bool found = petal_contains(self->filter, data, (size_t)len);
            filter_end_quick(self);
            return found;
        }
    }
    struct use use = { use_call_contains, LOCK_READ, NULL, 0, 0 };
    const int64_t rc = use_filter(object, key, &use);
    return rc < 0 ? -1 : (int)rc;
}

PyObject *use_add(PyObject *object, PyObject *key)
{
    FilterObject *self = (FilterObject *)object;
    if (LIKELY(Py_IS_TYPE(key, &PyUnicode_Type))) {
        Py_ssize_t len;
        const char *data = PyUnicode_AsUTF8AndSize(key, &len);
        if (!LIKELY(data))
            return NULL;
        if (LIKELY(filter_quick(self, LOCK_WRITE))) {
            const int rc = petal_add(self->filter, data, (size_t)len);
            filter_end_quick(self);
            return LIKELY(rc >= 0) ? PyBool_FromLong(rc) : errors_raise(rc);
        }
    }
    struct use use = { use_call_add, LOCK_WRITE, NULL, 0, 0 };
    const int64_t rc = use_filter(object, key, &use);
    return rc < 0 ? NULL : PyBool_FromLong((long)rc);
}

/* ---- remove, discard, count, hash ---- */

static int64_t use_call_remove(petal_filter *f, const char *key, size_t len,
                               struct use *use)
{
    (void)use;
    return petal_remove(f, key, len);
}

static PyObject *use_discard(PyObject *object, PyObject *key)
{
    struct use use = { use_call_remove, LOCK_WRITE, NULL, 0, 0 };
    const int64_t rc = use_filter(object, key, &use);
    return rc < 0 ? NULL : PyBool_FromLong((long)rc);
}

static PyObject *use_remove(PyObject *object, PyObject *key)
{
    struct use use = { use_call_remove, LOCK_WRITE, NULL, 0, 0 };
    const int64_t rc = use_filter(object, key, &use);
    if (rc == 0)
        PyErr_SetObject(PyExc_KeyError, key);
    if (rc <= 0)
        return NULL;
    Py_RETURN_NONE;
}

static int64_t use_call_count(petal_filter *f, const char *key, size_t len, struct use *use)
{
    (void)use;
    return (int64_t)petal_count(f, key, len);
}

static PyObject *use_count(PyObject *object, PyObject *key)
{
    struct use use = { use_call_count, LOCK_READ, NULL, 0, 0 };
    const int64_t rc = use_filter(object, key, &use);
    return rc < 0 ? NULL : PyLong_FromLongLong(rc);
}

static int64_t use_call_hash(petal_filter *f, const char *key, size_t len, struct use *use)
{
    if (petal_abilities(petal_shape_of(f)->kind) & PETAL_NEEDS_KEYS)
        return PETAL_E_ABILITY;
    use->hash = petal_hash(f, key, len);
    if (use->hash != UINT64_MAX)
        return 0;
    const int64_t rc = petal_normalize(f, key, len, NULL, 0);
    return rc < 0 ? rc : 0;
}

static PyObject *use_hash(PyObject *object, PyObject *key)
{
    struct use use = { use_call_hash, LOCK_LOOK, NULL, 0, 0 };
    return use_filter(object, key, &use) < 0 ? NULL : PyLong_FromUnsignedLongLong(use.hash);
}

/* ---- match and normalize ---- */

/* The library cuts off a text that is too long, so the room grows with the key: a
 * normalized byte has at most the four characters of an escape. */
static int64_t use_text(struct use *use, size_t len)
{
    use->size = 4 * len + 256;
    use->text = malloc(use->size);
    return use->text ? 0 : PETAL_E_MEMORY;
}

static int64_t use_call_match(petal_filter *f, const char *key, size_t len, struct use *use)
{
    const int64_t rc = use_text(use, len);
    return rc < 0 ? rc : petal_match(f, key, len, use->text, use->size);
}

static int64_t use_call_normalize(petal_filter *f, const char *key, size_t len,
                                  struct use *use)
{
    const int64_t rc = use_text(use, len);
    if (rc < 0)
        return rc;
    const int64_t text_len = petal_normalize(f, key, len, use->text, use->size);
    return text_len < 0 ? text_len : 1;
}

/* The text that the call has written, or None if it returned 0. */
static PyObject *use_found_text(PyObject *object, PyObject *key, struct use *use)
{
    const int64_t rc = use_filter(object, key, use);
    PyObject *text = NULL;
    if (rc == 0)
        text = Py_NewRef(Py_None);
    else if (rc > 0)
        text = PyUnicode_DecodeUTF8(use->text, (Py_ssize_t)strlen(use->text),
                                    "surrogateescape");
    free(use->text);
    return text;
}

static PyObject *use_match(PyObject *object, PyObject *key)
{
    struct use use = { use_call_match, LOCK_READ, NULL, 0, 0 };
    return use_found_text(object, key, &use);
}

static PyObject *use_normalize(PyObject *object, PyObject *key)
{
    struct use use = { use_call_normalize, LOCK_LOOK, NULL, 0, 0 };
    return use_found_text(object, key, &use);
}

PyMethodDef use_methods[] = {
    { "add", use_add, METH_O,
      "add($self, key, /)\n--\n\n"
      "Add a key.  Returns True if it was certainly new, False if it was probably there." },
    { "remove", use_remove, METH_O,
      "remove($self, key, /)\n--\n\n"
      "Undo one add() of this key.  Raises KeyError if it is not there.  Remove only keys\n"
      "that you added: removing a false positive can remove another key." },
    { "discard", use_discard, METH_O,
      "discard($self, key, /)\n--\n\n"
      "Like remove(), but returns whether the key was there." },
    { "count", use_count, METH_O,
      "count($self, key, /)\n--\n\n"
      "How often the key was added: never too low, sometimes too high.  Kinds that do not\n"
      "count return 1 or 0." },
    { "match", use_match, METH_O,
      "match($self, key, /)\n--\n\n"
      "Look up a key and its parents: the folders and domains above a URL, the prefixes\n"
      "above an address.  Returns the text of what was found, or None." },
    { "normalize", use_normalize, METH_O,
      "normalize($self, key, /)\n--\n\n"
      "The key as the filter's form sees it.  Raises ValueError if it is not valid." },
    { "hash", use_hash, METH_O,
      "hash($self, key, /)\n--\n\nThe 64-bit hash of a key in this filter." },
    { NULL, NULL, 0, NULL },
};
