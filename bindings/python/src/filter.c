/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.c: the type Filter: creating and closing filters, who may use them, and its
 * tables.
 *
 * The class that users see, petal.Filter, is derived from this type in petal/_filter.py. It
 * turns keyword options into the text that petal_parse_options() reads.
 */
#include "binding.h"

PyTypeObject *filter_type;

/* ---- Creating and freeing ---- */

bool filter_check(PyObject *object)
{
    return PyObject_TypeCheck(object, filter_type);
}

void filter_note_seal(FilterObject *self)
{
    size_t len;
    const petal_kind kind = petal_shape_of(self->filter)->kind;
    self->unsealed =
        petal_abilities(kind) & PETAL_IS_STATIC && !petal_cells(self->filter, &len);
}

PyObject *filter_wrap(PyTypeObject *type, petal_filter *filter)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    FilterObject *self = (FilterObject *)alloc(type, 0);
    if (self && !lock_init(&self->lock)) {
        Py_DECREF(self);
        PyErr_NoMemory();
        self = NULL;
    }
    if (!self) {
        petal_free(filter);
        return NULL;
    }
    self->filter = filter;
    filter_note_seal(self);
    return (PyObject *)self;
}

/* Filter(text): the options as text. */
static PyObject *filter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "", NULL };
    const char *text;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s:Filter", names, &text))
        return NULL;
    petal_options options = { 0 };
    if (petal_parse_options(text, &options) < 0)
        return errors_raise_options(NULL, text);
    petal_filter *filter;
    const int rc = petal_new(&options, &filter);
    if (rc < 0)
        return rc == PETAL_E_MEMORY ? errors_raise(rc)
                                    : errors_raise_options(&options, NULL);
    return filter_wrap(type, filter);
}

static void filter_release(FilterObject *self)
{
    petal_free(self->filter);
    self->filter = NULL;
    if (self->has_source)
        PyBuffer_Release(&self->source);
    self->has_source = false;
}

static void filter_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    FilterObject *self = (FilterObject *)object;
    filter_release(self);
    lock_free(&self->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- Access ---- */

/* Why a filter cannot be used, or NULL. */
struct refusal {
    PyObject *class;
    const char *text;
};

static struct refusal filter_refusal(FilterObject *self, enum lock_mode mode)
{
    struct refusal why = { NULL, NULL };
    if (!self->filter)
        why = (struct refusal){ PyExc_ValueError, "the filter is closed" };
    else if (mode == LOCK_WRITE && __atomic_load_n(&self->exports, __ATOMIC_RELAXED))
        why =
            (struct refusal){ PyExc_BufferError,
                              "a memoryview of the filter is in use, so it cannot change; "
                              "release the memoryview first" };
    else if (mode == LOCK_READ && self->unsealed)
        why = (struct refusal){ error_class,
                                "this filter is built once from all its keys; call seal() "
                                "before you look up keys" };
    return why;
}

bool filter_enter(FilterObject *self, enum lock_mode mode, PyThreadState **saved)
{
    lock_count(&self->lock, mode, 1);
    *saved = PyEval_SaveThread();
    lock_wait(&self->lock, mode);
    const struct refusal why = filter_refusal(self, mode);
    if (LIKELY(!why.text))
        return true;
    filter_leave(self, mode, *saved);
    PyErr_SetString(why.class, why.text);
    return false;
}

void filter_leave(FilterObject *self, enum lock_mode mode, PyThreadState *saved)
{
    lock_unlock(&self->lock);
    PyEval_RestoreThread(saved);
    lock_count(&self->lock, mode, -1);
}

bool filter_enter_both(FilterObject *self, enum lock_mode mode, FilterObject *other,
                       enum lock_mode other_mode, PyThreadState **saved)
{
    lock_count(&self->lock, mode, 1);
    lock_count(&other->lock, other_mode, 1);
    *saved = PyEval_SaveThread();
    const bool in_order = (uintptr_t)self < (uintptr_t)other; /* the same in every thread */
    if (in_order)
        lock_wait(&self->lock, mode);
    lock_wait(&other->lock, other_mode);
    if (!in_order)
        lock_wait(&self->lock, mode);
    struct refusal why = filter_refusal(self, mode);
    if (!why.text)
        why = filter_refusal(other, other_mode);
    if (LIKELY(!why.text))
        return true;
    filter_leave_both(self, mode, other, other_mode, *saved);
    PyErr_SetString(why.class, why.text);
    return false;
}

void filter_leave_both(FilterObject *self, enum lock_mode mode, FilterObject *other,
                       enum lock_mode other_mode, PyThreadState *saved)
{
    lock_unlock(&other->lock);
    filter_leave(self, mode, saved);
    lock_count(&other->lock, other_mode, -1);
}

static PyObject *filter_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    FilterObject *self = (FilterObject *)object;
    PyThreadState *saved;
    if (!self->filter)
        Py_RETURN_NONE;
    if (!filter_enter(self, LOCK_WRITE, &saved))
        return NULL;
    petal_filter *filter = self->filter;
    self->filter = NULL;
    petal_free(filter);
    filter_leave(self, LOCK_WRITE, saved);
    filter_release(self);
    Py_RETURN_NONE;
}

static PyObject *filter_enter_with(PyObject *object, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(object);
}

static PyObject *filter_exit_with(PyObject *object, PyObject *args)
{
    (void)args;
    return filter_close(object, NULL);
}

/* ---- The description ---- */

static PyObject *filter_describe(PyObject *object, PyObject *unused)
{
    (void)unused;
    FilterObject *self = (FilterObject *)object;
    PyThreadState *saved;
    if (!filter_enter(self, LOCK_LOOK, &saved))
        return NULL;
    const size_t size = petal_describe(self->filter, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
        petal_describe(self->filter, text, size);
    filter_leave(self, LOCK_LOOK, saved);
    if (!text)
        return PyErr_NoMemory();
    PyObject *result = PyUnicode_FromString(text);
    free(text);
    return result;
}

/* The names of what this filter can do. */
static PyObject *filter_abilities(PyObject *object, void *unused)
{
    (void)unused;
    FilterObject *self = (FilterObject *)object;
    PyThreadState *saved;
    if (!filter_enter(self, LOCK_LOOK, &saved))
        return NULL;
    const unsigned abilities = petal_shape_abilities(petal_shape_of(self->filter));
    filter_leave(self, LOCK_LOOK, saved);
    PyObject *names = PyFrozenSet_New(NULL);
    for (unsigned a = petal_ability_next(0); names && a; a = petal_ability_next(a)) {
        PyObject *name = abilities & a ? PyUnicode_FromString(petal_ability_name(a)) : NULL;
        if (abilities & a && (!name || PySet_Add(names, name) < 0))
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *filter_closed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!((FilterObject *)object)->filter);
}

/* Sealing ends additions to a filter that is built once.  pickle asks this, so as not to.
 */
static PyObject *filter_unsealed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((FilterObject *)object)->unsealed);
}

/* The number of keys.  After a merge it is an estimate, which reads the whole filter; it is
 * kept until the next merge if the filter may change. */
static Py_ssize_t filter_len(PyObject *object)
{
    FilterObject *self = (FilterObject *)object;
    PyThreadState *saved;
    if (filter_quick(self, LOCK_WRITE)) {
        const bool counted = petal_is_counted(self->filter);
        const uint64_t size = counted ? petal_size(self->filter) : 0;
        filter_end_quick(self);
        if (counted)
            return (Py_ssize_t)size;
    }
    if (!filter_enter(self, LOCK_SEAL, &saved))
        return -1;
    const uint64_t size =
        self->exports ? petal_size(self->filter) : petal_keep_size(self->filter);
    filter_leave(self, LOCK_SEAL, saved);
    return (Py_ssize_t)size;
}

static int filter_bool(PyObject *object)
{
    const Py_ssize_t len = filter_len(object);
    return len < 0 ? -1 : len > 0;
}

/* ---- The type ---- */

static PyMethodDef filter_methods[] = {
    { "close", filter_close, METH_NOARGS,
      "close()\n--\n\nFree the memory or unmap the file.  `with` does this at its end." },
    { "__enter__", filter_enter_with, METH_NOARGS, NULL },
    { "__exit__", filter_exit_with, METH_VARARGS, NULL },
    { "_describe", filter_describe, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef filter_getset[] = {
    { "abilities", filter_abilities, NULL,
      "The names of what this filter can do, such as \"remove\" and \"merge\".", NULL },
    { "_unsealed", filter_unsealed, NULL, NULL, NULL },
    { "closed", filter_closed, NULL, "Whether close() was called.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

/* The methods of all files, in one table. */
static PyMethodDef *filter_all_methods(void)
{
    static PyMethodDef all[64];
    PyMethodDef *const parts[] = { filter_methods, use_methods, column_methods,
                                   image_methods, combine_methods };
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const PyMethodDef *m = parts[i]; m->ml_name; m++)
            all[n++] = *m;
    return all;
}

PyObject *filter_type_new(PyObject *module);
PyObject *filter_type_new(PyObject *module)
{
    PyType_Slot slots[32] = {
        { Py_tp_new, (void *)filter_new },
        { Py_tp_dealloc, (void *)filter_dealloc },
        { Py_tp_methods, filter_all_methods() },
        { Py_tp_getset, filter_getset },
        { Py_tp_hash, (void *)PyObject_HashNotImplemented },
        { Py_sq_length, (void *)filter_len },
        { Py_sq_contains, (void *)use_contains },
        { Py_nb_bool, (void *)filter_bool },
    };
    size_t n = 8;
    for (const PyType_Slot *s = image_slots; s->slot; s++)
        slots[n++] = *s;
    for (const PyType_Slot *s = combine_slots; s->slot; s++)
        slots[n++] = *s;
    PyType_Spec spec = { "petal._petal.Filter", sizeof(FilterObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
    return PyType_FromModuleAndSpec(module, &spec, NULL);
}
