/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * combine.c: two filters: copies, |, &, |=, &= and ==.
 *
 * Two filters are equal if they give the same answers to all lookups: if they have the same
 * kind, size, probes, form, hash and seed, and the same cells.  Their notes and the number
 * of additions do not matter.
 */
#include "binding.h"

/* ---- Copies ---- */

/* A copy, for the library.  Returns NULL with an exception set. */
static petal_filter *combine_copy(FilterObject *self)
{
    PyThreadState *saved;
    petal_filter *copy;
    if (!filter_enter(self, LOCK_LOOK, &saved))
        return NULL;
    const int rc = petal_copy(self->filter, &copy);
    filter_leave(self, LOCK_LOOK, saved);
    return rc < 0 ? errors_raise(rc) : copy;
}

static PyObject *combine_copy_method(PyObject *self, PyObject *unused)
{
    (void)unused;
    petal_filter *copy = combine_copy((FilterObject *)self);
    return copy ? filter_wrap(Py_TYPE(self), copy) : NULL;
}

/* ---- Union and intersection ---- */

typedef int combine_fn(petal_filter *into, const petal_filter *other);

static bool combine_into(FilterObject *self, FilterObject *other, combine_fn *call)
{
    PyThreadState *saved;
    if (!filter_enter_both(self, LOCK_WRITE, other, LOCK_LOOK, &saved))
        return false;
    const int rc = call(self->filter, other->filter);
    filter_leave_both(self, LOCK_WRITE, other, LOCK_LOOK, saved);
    if (rc < 0)
        errors_raise(rc);
    return rc >= 0;
}

/* self | other: a new filter of the class of self. */
static PyObject *combine_new(PyObject *self, PyObject *other, combine_fn *call)
{
    if (!filter_check(self) || !filter_check(other))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *result = combine_copy_method(self, NULL);
    if (result && !combine_into((FilterObject *)result, (FilterObject *)other, call))
        Py_CLEAR(result);
    return result;
}

static PyObject *combine_in_place(PyObject *self, PyObject *other, combine_fn *call)
{
    if (!filter_check(other))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *second = self == other ? combine_copy_method(other, NULL) : Py_NewRef(other);
    const bool good =
        second && combine_into((FilterObject *)self, (FilterObject *)second, call);
    Py_XDECREF(second);
    return good ? Py_NewRef(self) : NULL;
}

static PyObject *combine_or(PyObject *self, PyObject *other)
{
    return combine_new(self, other, petal_union);
}

static PyObject *combine_and(PyObject *self, PyObject *other)
{
    return combine_new(self, other, petal_intersect);
}

static PyObject *combine_in_place_or(PyObject *self, PyObject *other)
{
    return combine_in_place(self, other, petal_union);
}

static PyObject *combine_in_place_and(PyObject *self, PyObject *other)
{
    return combine_in_place(self, other, petal_intersect);
}

/* ---- Equality ---- */

static bool combine_same_shape(const petal_shape *a, const petal_shape *b)
{
    return a->kind == b->kind && a->bits == b->bits && a->hashes == b->hashes &&
           a->counter_bits == b->counter_bits && a->insert_only == b->insert_only &&
           a->form == b->form && a->hash == b->hash && a->seed[0] == b->seed[0] &&
           a->seed[1] == b->seed[1];
}

/* Sealing puts the cells of a filter into one place. */
static int combine_same(petal_filter *a, petal_filter *b)
{
    if (!combine_same_shape(petal_shape_of(a), petal_shape_of(b)))
        return 0;
    int rc = petal_seal(a);
    if (rc == PETAL_OK)
        rc = petal_seal(b);
    if (rc < 0)
        return rc;
    size_t a_len, b_len;
    const void *a_cells = petal_cells(a, &a_len), *b_cells = petal_cells(b, &b_len);
    return a_len == b_len && memcmp(a_cells, b_cells, a_len) == 0;
}

/* A filter that is not built yet equals only itself: sealing would end its additions. */
static int combine_equal(FilterObject *self, FilterObject *other)
{
    PyThreadState *saved;
    if (self == other)
        return 1;
    if (!filter_enter_both(self, LOCK_SEAL, other, LOCK_SEAL, &saved))
        return -1;
    int rc = 0;
    if (!self->unsealed && !other->unsealed)
        rc = combine_same(self->filter, other->filter);
    filter_leave_both(self, LOCK_SEAL, other, LOCK_SEAL, saved);
    if (rc < 0)
        errors_raise(rc);
    return rc;
}

static PyObject *combine_compare(PyObject *self, PyObject *other, int op)
{
    if (!filter_check(other) || (op != Py_EQ && op != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    const int equal = combine_equal((FilterObject *)self, (FilterObject *)other);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

/* ---- Tables ---- */

PyMethodDef combine_methods[] = {
    { "copy", combine_copy_method, METH_NOARGS,
      "copy($self, /)\n--\n\nA copy, which can be changed even if this filter is "
      "read-only." },
    { "__copy__", combine_copy_method, METH_NOARGS, NULL },
    { "__deepcopy__", combine_copy_method, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

PyType_Slot combine_slots[] = {
    { Py_nb_or, (void *)combine_or },
    { Py_nb_and, (void *)combine_and },
    { Py_nb_inplace_or, (void *)combine_in_place_or },
    { Py_nb_inplace_and, (void *)combine_in_place_and },
    { Py_tp_richcompare, (void *)combine_compare },
    { 0, NULL },
};
