/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binding.h: what the files of the extension share.
 *
 *   module.c    the module, and its list of functions
 *   filter.c    the type Filter: creating, closing, its tables of methods
 *   use.c       single keys: add, in, remove, count, match
 *   image.c     bytes, buffers, files, sealing, pickling
 *   combine.c   copies, |, &, ==
 *   keys.c      one Python object as a key
 *   columns.c   many keys at once: chooses the reader below, runs the work in threads
 *   objects.c, buffers.c, arrow.c     the readers: lists, NumPy arrays, Arrow arrays
 *   lock.h      who may use a filter when
 *   errors.c    error codes as exceptions
 *   math.c      the formulas
 *
 * The Python part of the package (petal/) has what need not be fast: keyword options, info,
 * build().  The extension uses the limited API of CPython 3.11, so one wheel works with all
 * later versions.  Free-threaded interpreters have no limited API; there it is compiled for
 * one version.
 */
#ifndef PETAL_BINDING_H
#define PETAL_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <petal.h>

#include "lock.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* ---- The type ---- */

typedef struct FilterObject {
    PyObject_HEAD
    petal_filter *filter;       /* NULL once it is closed */
    struct lock   lock;
    bool          unsealed;     /* built once, and not built yet: lookups have no answer */
    Py_ssize_t    exports;      /* memoryviews of its image; it must not change meanwhile */
    bool          has_source;
    Py_buffer     source;       /* of petal.view(): the bytes that the filter uses in place */
} FilterObject;

extern PyTypeObject *filter_type;

/* Wraps a filter, which then belongs to the object or, on an error, is freed. */
PyObject *filter_wrap(PyTypeObject *type, petal_filter *filter);
bool      filter_check(PyObject *object);
void      filter_note_seal(FilterObject *self);    /* updates `unsealed` */

/* ---- Access, see lock.h ---- */

/* May this thread use the filter right now, without waiting and without releasing the
 * interpreter lock?  If so, call filter_end_quick() afterwards. */
static inline bool filter_quick(FilterObject *self, enum lock_mode mode)
{
    if (!LIKELY(lock_try(&self->lock, mode)))
        return false;
    if (LIKELY(self->filter && !(mode == LOCK_READ && self->unsealed) &&
               !(mode == LOCK_WRITE && self->exports)))
        return true;
    lock_end_try(&self->lock);
    return false;
}

static inline void filter_end_quick(FilterObject *self)
{
    lock_end_try(&self->lock);
}

/* Waits for the filter with the interpreter lock released, and leaves it released.  Returns
 * false and sets an exception if the filter cannot be used in this way. */
bool filter_enter(FilterObject *self, enum lock_mode mode, PyThreadState **saved);
void filter_leave(FilterObject *self, enum lock_mode mode, PyThreadState *saved);

/* The same for two different filters at once. */
bool filter_enter_both(FilterObject *self, enum lock_mode mode, FilterObject *other,
                       enum lock_mode other_mode, PyThreadState **saved);
void filter_leave_both(FilterObject *self, enum lock_mode mode, FilterObject *other,
                       enum lock_mode other_mode, PyThreadState *saved);

/* ---- Keys ---- */

struct key {
    const char *data;
    size_t      len;
    PyObject   *owner;          /* owns the bytes, or NULL */
    bool        has_view;
    Py_buffer   view;
    char        digits[24];
};

/* Returns false and sets an exception if the object is not a key. */
bool key_take(PyObject *object, struct key *key);
void key_drop(struct key *key);

/* Writes the decimal text of a number; returns its length, at most 20. */
size_t key_digits(uint64_t magnitude, bool negative, char *text);

/* ---- Columns ---- */

#define ROWS_MAX 1024u          /* rows that are read at once */

/* Rows of a column as keys.  A key with data == NULL is a null: it is never added or found. */
struct rows {
    petal_key keys[ROWS_MAX];
    bool      has_nulls;
    char     *text;             /* for keys that are converted */
    size_t    text_size;
    int       error;            /* 0, PETAL_E_MEMORY, or ROWS_UNICODE */
    size_t    error_row;
    char      digits[ROWS_MAX][20];
};
enum { ROWS_UNICODE = 1 };      /* a character that UTF-8 does not have */

/* A column of n rows.  `read` fills in rows->keys; it runs in any thread, without the
 * interpreter lock.  Columns with `fixed` are contiguous bytes of that width. */
struct column {
    size_t      n;
    void      (*read)(const struct column *column, size_t from, size_t n, struct rows *rows);
    const void *data;           /* whatever `read` needs */
    size_t      fixed;
    bool        nullable;       /* some rows may be null */
    size_t      width;          /* of an item, in bytes */
    ptrdiff_t   stride;         /* buffers.c: from one item to the next */
    bool        is_signed, is_swapped;
    const struct arrow_column *arrow;   /* arrow.c */
};

/* Room for `size` bytes of text.  Returns NULL and sets rows->error if there is no memory. */
char *rows_text(struct rows *rows, size_t size);

enum task { TASK_CONTAINS, TASK_MATCH, TASK_ADD };

/* What contains_many() and the others do, column after column. */
struct work {
    FilterObject *self;
    enum task     task;
    unsigned      threads;
    bool          as_bytes;
    bool          with_results;
    PyObject     *results;      /* a bytearray that grows, or NULL */
    size_t        done;         /* rows so far */
    size_t        rejected;     /* keys that could not be added */
    int           error;        /* why the first was not */
    size_t        error_row;
};

/* Each returns false and sets an exception on an error. */
bool work_column(struct work *work, const struct column *column);
bool work_objects(struct work *work, PyObject *iterable);
bool work_buffer(struct work *work, Py_buffer *view);
bool work_arrow(struct work *work, PyObject *object, bool *is_arrow);

extern PyMethodDef column_methods[];    /* of Filter */

/* ---- Errors ---- */

extern PyObject *error_class;

bool  errors_init(PyObject *module);
void *errors_raise(int code);                           /* returns NULL */
void *errors_raise_at(int code, PyObject *path);        /* with the name of a file */
void *errors_raise_rejected(int code, PyObject *sentence, size_t rejected);
void *errors_raise_options(const petal_options *options, const char *text);

/* ---- Methods, by file ---- */

PyObject *use_add(PyObject *self, PyObject *key);
int       use_contains(PyObject *self, PyObject *key);
extern PyMethodDef use_methods[], image_methods[], combine_methods[];
extern PyType_Slot image_slots[], combine_slots[];
extern PyMethodDef image_functions[], math_functions[];     /* of the module */

#endif
