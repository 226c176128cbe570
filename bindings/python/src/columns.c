/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns.c: many keys at once: contains_many(), match_many(), add_many(), update().
 *
 * A reader (objects.c, buffers.c, arrow.c) turns what was given into columns.  A column
 * gives its rows as keys, some hundred at a time, without creating a Python object.  The
 * work is divided among threads, which all release the interpreter lock.
 *
 * Lookups of different rows are independent.  Only one thread may add, so threads that add
 * first compute the hashes of their rows, which takes most of the time, and then one of
 * them adds the hashes.  That is not possible for forms, where a filter also records what
 * kinds of keys it has, for bitmaps, which reject keys, and for kinds that take no hashes.
 */
#include "binding.h"

#define SLICE_MAX   ((size_t)1 << 22) /* rows until others and Ctrl-C get their turn */
#define HASHES_MAX  ((size_t)1 << 18) /* rows that are hashed before they are added */
#define THREADS_MAX 256u

/* ---- Rows ---- */

char *rows_text(struct rows *rows, size_t size)
{
    if (size <= rows->text_size)
        return rows->text;
    char *text = realloc(rows->text, size);
    if (!text) {
        rows->error = PETAL_E_MEMORY;
        return NULL;
    }
    rows->text = text;
    rows->text_size = size;
    return text;
}

static struct rows *rows_new(void)
{
    struct rows *rows = malloc(sizeof *rows);
    if (rows) {
        rows->text = NULL;
        rows->text_size = 0;
        rows->error = 0;
    }
    return rows;
}

static void rows_free(struct rows *rows)
{
    if (rows)
        free(rows->text);
    free(rows);
}

/* ---- What one thread does ---- */

struct share {
    petal_filter *filter;
    const struct column *column;
    enum task task;
    size_t from, to;
    signed char *results; /* of row `from` on, or NULL */
    uint64_t *hashes;     /* of row `from` on: compute these instead */
    size_t rejected, error_row;
    int error;
    pthread_t thread;
    bool started;
};

/* Looks up rows.  A null or an invalid key is not found. */
static void share_look_up(struct share *s, struct rows *rows, size_t n,
                          signed char *results)
{
    if (s->task == TASK_CONTAINS)
        petal_contains_many(s->filter, rows->keys, n, (bool *)results);
    else
        petal_match_many(s->filter, rows->keys, n, results);
    for (size_t i = 0; s->task == TASK_MATCH && i < n; i++)
        results[i] = results[i] > 0;
    for (size_t i = 0; rows->has_nulls && i < n; i++)
        if (!rows->keys[i].data)
            results[i] = 0;
}

/* Adds rows, without the nulls.  Returns false if the filter takes no keys at all. */
static bool share_add(struct share *s, struct rows *rows, size_t at, size_t n,
                      signed char *results)
{
    uint16_t place[ROWS_MAX];
    signed char added[ROWS_MAX];
    petal_key keys[ROWS_MAX];
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (results)
            results[i] = 0;
        if (rows->keys[i].data) {
            place[m] = (uint16_t)i;
            keys[m++] = rows->keys[i];
        }
    }
    memset(added, 0, m);
    const int64_t rc = petal_add_many(s->filter, keys, m, added);
    if (rc < 0) {
        s->error = (int)rc;
        return false;
    }
    for (size_t i = 0; i < m; i++) {
        if (added[i] < 0 && s->rejected++ == 0) {
            s->error = added[i];
            s->error_row = at + place[i];
        }
        if (results)
            results[place[i]] = added[i] > 0;
    }
    return true;
}

/* Takes over what the library returned for n rows from `at` on, and makes flags of the
 * results. */
static void share_note_rejected(struct share *s, int64_t rc, size_t at, size_t n,
                                signed char *results)
{
    if (rc < 0)
        s->error = (int)rc;
    for (size_t i = 0; results && rc >= 0 && i < n; i++) {
        if (results[i] < 0 && s->rejected++ == 0) {
            s->error = results[i];
            s->error_row = at + i;
        }
        results[i] = results[i] > 0;
    }
}

/* Contiguous bytes need no conversion: the library takes them as they are. */
static void share_fixed(struct share *s)
{
    const char *data = (const char *)s->column->data + s->from * s->column->fixed;
    const size_t n = s->to - s->from;
    if (s->task == TASK_CONTAINS) {
        petal_contains_column(s->filter, data, s->column->fixed, n, (bool *)s->results);
        return;
    }
    const int64_t rc = petal_add_column(s->filter, data, s->column->fixed, n, s->results);
    share_note_rejected(s, rc, s->from, n, s->results);
}

static void *share_run(void *context)
{
    struct share *s = context;
    if (s->column->fixed && !s->hashes && s->task != TASK_MATCH) {
        share_fixed(s);
        return NULL;
    }
    struct rows *rows = rows_new();
    if (!rows)
        s->error = PETAL_E_MEMORY;
    for (size_t at = s->from; rows && at < s->to; at += ROWS_MAX) {
        const size_t n = s->to - at < ROWS_MAX ? s->to - at : ROWS_MAX;
        signed char *results = s->results ? s->results + (at - s->from) : NULL;
        rows->has_nulls = false;
        s->column->read(s->column, at, n, rows);
        if (rows->error) {
            s->error = rows->error;
            s->error_row = rows->error_row;
            break;
        }
        if (s->hashes)
            petal_hash_many(s->filter, rows->keys, n, s->hashes + (at - s->from));
        else if (s->task != TASK_ADD)
            share_look_up(s, rows, n, results);
        else if (!share_add(s, rows, at, n, results))
            break;
    }
    rows_free(rows);
    return NULL;
}

/* ---- Several threads ---- */

/* Divides a share among threads.  A thread that cannot be started has its part done here.
 */
static void share_divide(struct share *whole, unsigned threads)
{
    struct share parts[THREADS_MAX];
    const size_t n = whole->to - whole->from;
    if (threads > n / ROWS_MAX + 1)
        threads = (unsigned)(n / ROWS_MAX + 1);
    if (threads <= 1) {
        share_run(whole);
        return;
    }
    for (unsigned i = 0; i < threads; i++) {
        const size_t begin = n * i / threads, end = n * (i + 1) / threads;
        parts[i] = *whole;
        parts[i].from = whole->from + begin;
        parts[i].to = whole->from + end;
        parts[i].results = whole->results ? whole->results + begin : NULL;
        parts[i].hashes = whole->hashes ? whole->hashes + begin : NULL;
        parts[i].started =
            i > 0 && pthread_create(&parts[i].thread, NULL, share_run, &parts[i]) == 0;
    }
    for (unsigned i = 0; i < threads; i++)
        if (!parts[i].started)
            share_run(&parts[i]);
    for (unsigned i = 0; i < threads; i++) {
        if (parts[i].started)
            pthread_join(parts[i].thread, NULL);
        if (parts[i].error && !whole->error) {
            whole->error = parts[i].error;
            whole->error_row = parts[i].error_row;
        }
    }
}

static bool share_can_hash(const petal_filter *filter, const struct column *column)
{
    const petal_shape *shape = petal_shape_of(filter);
    return shape->form == PETAL_FORM_RAW && !column->nullable &&
           !(petal_abilities(shape->kind) & (PETAL_IS_EXACT | PETAL_NEEDS_KEYS));
}

/* Hashes in all threads, then adds.  Goes on if keys are rejected, as when a filter is
 * full. */
static void share_add_hashed(struct share *s, unsigned threads)
{
    const size_t n = s->to - s->from < HASHES_MAX ? s->to - s->from : HASHES_MAX;
    uint64_t *hashes = malloc(n * sizeof *hashes);
    struct share part = *s;
    if (!hashes) {
        s->error = PETAL_E_MEMORY;
        return;
    }
    for (size_t at = s->from; at < s->to && (!s->error || s->rejected); at = part.to) {
        part.from = at;
        part.to = s->to - at < HASHES_MAX ? s->to : at + HASHES_MAX;
        part.hashes = hashes;
        share_divide(&part, threads);
        if (part.error) {
            s->error = part.error;
            s->error_row = part.error_row;
            s->rejected = 0;
            break;
        }
        signed char *results = s->results ? s->results + (at - s->from) : NULL;
        const int64_t rc = petal_add_hashes(s->filter, hashes, part.to - at, results);
        share_note_rejected(s, rc, at, part.to - at, results);
    }
    free(hashes);
}

/* ---- One column ---- */

/* Runs one slice, without the interpreter lock. */
static void work_slice(struct work *w, struct share *share)
{
    const bool add = w->task == TASK_ADD;
    if (!add)
        share_divide(share, w->threads);
    else if (w->threads > 1 && share_can_hash(share->filter, share->column))
        share_add_hashed(share, w->threads);
    else
        share_run(share);
}

/* Takes over what went wrong in a slice.  Returns false and sets an exception if the work
 * cannot go on. */
static bool work_take_errors(struct work *w, const struct share *share)
{
    const size_t row = w->done + share->error_row;
    if (share->error == ROWS_UNICODE) {
        PyErr_Format(PyExc_UnicodeError, "row %zu: a surrogate has no UTF-8", row);
        return false;
    }
    if (share->error && !share->rejected)
        return errors_raise(share->error);
    if (share->rejected && !w->rejected) {
        w->error = share->error;
        w->error_row = row;
    }
    w->rejected += share->rejected;
    return true;
}

/* Room for the results of n more rows. */
static signed char *work_room(struct work *w, size_t n)
{
    if (!w->results)
        w->results = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)n);
    else if (n && PyByteArray_Resize(w->results, (Py_ssize_t)(w->done + n)) < 0)
        return NULL;
    return w->results ? (signed char *)PyByteArray_AsString(w->results) + w->done : NULL;
}

bool work_column(struct work *w, const struct column *column)
{
    const enum lock_mode mode = w->task == TASK_ADD ? LOCK_WRITE : LOCK_READ;
    signed char *results = NULL;
    if (w->with_results && !(results = work_room(w, column->n)))
        return false;
    for (size_t from = 0, to; from < column->n; from = to) {
        PyThreadState *saved;
        to = column->n - from < SLICE_MAX ? column->n : from + SLICE_MAX;
        struct share share = { .column = column,
                               .task = w->task,
                               .from = from,
                               .to = to,
                               .results = results ? results + from : NULL };
        if (!filter_enter(w->self, mode, &saved))
            return false;
        share.filter = w->self->filter;
        work_slice(w, &share);
        filter_leave(w->self, mode, saved);
        if (!work_take_errors(w, &share) || PyErr_CheckSignals() < 0)
            return false;
    }
    w->done += column->n;
    return true;
}

/* ---- Anything with keys ---- */

/* Refuses what is one key, or no column. */
static bool work_accepts(PyObject *keys)
{
    if (!PyUnicode_Check(keys) && !PyBytes_Check(keys) && !PyByteArray_Check(keys))
        return true;
    PyErr_SetString(PyExc_TypeError,
                    "a str or bytes object is one key; give a list of keys, "
                    "or use add() and `in`");
    return false;
}

/* The buffer of an object, if it has one of a kind that holds keys. */
static bool work_get_buffer(PyObject *keys, Py_buffer *view)
{
    if (PyObject_CheckBuffer(keys) && !filter_check(keys)) {
        if (PyObject_GetBuffer(keys, view, PyBUF_RECORDS_RO) == 0)
            return true;
        PyErr_Clear(); /* NumPy has types without a buffer, but their items are objects */
    }
    return false;
}

/* pandas columns without pyarrow give a NumPy array. */
static PyObject *work_array_of(PyObject *keys)
{
    if (PyList_Check(keys) || PyTuple_Check(keys) || PyObject_CheckBuffer(keys) ||
        !PyObject_HasAttrString(keys, "__array__"))
        return Py_NewRef(keys);
    return PyObject_CallMethod(keys, "__array__", NULL);
}

static bool work_any(struct work *w, PyObject *keys)
{
    bool is_arrow = false;
    if (!work_accepts(keys))
        return false;
    if (!PyList_Check(keys) && !PyTuple_Check(keys)) {
        const bool good = work_arrow(w, keys, &is_arrow);
        if (is_arrow || !good)
            return good;
    }
    PyObject *array = work_array_of(keys);
    if (!array)
        return false;
    Py_buffer view;
    bool good;
    if (work_get_buffer(array, &view)) {
        good = work_buffer(w, &view);
        PyBuffer_Release(&view);
    } else {
        good = work_objects(w, array);
    }
    Py_DECREF(array);
    return good;
}

/* ---- Methods ---- */

/* The results as a NumPy array, if the program uses NumPy. */
static PyObject *work_results(PyObject *results)
{
    PyObject *numpy = NULL, *modules = PyImport_GetModuleDict();
    if (results && modules)
        numpy = PyMapping_GetItemString(modules, "numpy");
    if (!numpy || !PyObject_HasAttrString(numpy, "frombuffer")) {
        PyErr_Clear();
        Py_XDECREF(numpy);
        return results;
    }
    PyObject *array = PyObject_CallMethod(numpy, "frombuffer", "Os", results, "?");
    Py_DECREF(numpy);
    Py_DECREF(results);
    return array;
}

static PyObject *work_end(struct work *w, bool good)
{
    if (good && w->rejected) {
        PyObject *sentence = PyUnicode_FromFormat(
            "%zu of %zu keys were rejected and the others were added; row %zu: %s",
            w->rejected, w->done, w->error_row, petal_strerror(w->error));
        errors_raise_rejected(w->error, sentence, w->rejected);
        good = false;
    }
    if (!good) {
        Py_CLEAR(w->results);
        return NULL;
    }
    if (!w->with_results)
        Py_RETURN_NONE;
    if (!w->results)
        w->results = PyByteArray_FromStringAndSize(NULL, 0);
    return work_results(w->results);
}

static PyObject *work_method(PyObject *self, PyObject *args, PyObject *keywords,
                             struct work work)
{
    static char *names[] = { "", "as_bytes", "threads", NULL };
    PyObject *keys;
    int as_bytes = 0;
    long threads = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$pl", names, &keys, &as_bytes,
                                     &threads))
        return NULL;
    if (threads < 1 || threads > (long)THREADS_MAX)
        return PyErr_Format(PyExc_ValueError, "threads must be between 1 and %u",
                            THREADS_MAX);
    work.self = (FilterObject *)self;
    work.as_bytes = as_bytes;
    work.threads = (unsigned)threads;
    return work_end(&work, work_any(&work, keys));
}

static PyObject *work_contains_many(PyObject *self, PyObject *args, PyObject *keywords)
{
    return work_method(self, args, keywords,
                       (struct work){ .task = TASK_CONTAINS, .with_results = true });
}

static PyObject *work_match_many(PyObject *self, PyObject *args, PyObject *keywords)
{
    return work_method(self, args, keywords,
                       (struct work){ .task = TASK_MATCH, .with_results = true });
}

static PyObject *work_add_many(PyObject *self, PyObject *args, PyObject *keywords)
{
    return work_method(self, args, keywords,
                       (struct work){ .task = TASK_ADD, .with_results = true });
}

static PyObject *work_update(PyObject *self, PyObject *args, PyObject *keywords)
{
    return work_method(self, args, keywords, (struct work){ .task = TASK_ADD });
}

#define KEYWORDS(function) \
    (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

PyMethodDef column_methods[] = {
    { "contains_many", KEYWORDS(work_contains_many),
      "contains_many($self, keys, /, *, as_bytes=False, threads=1)\n--\n\n"
      "Look up many keys: a list, a NumPy array, or a column with the Arrow C data "
      "interface.\n"
      "Returns a NumPy array of bool if NumPy is loaded, otherwise a bytearray.  With\n"
      "as_bytes, the numbers of an array are not their decimal text but their bytes." },
    { "match_many", KEYWORDS(work_match_many),
      "match_many($self, keys, /, *, as_bytes=False, threads=1)\n--\n\n"
      "Like contains_many(), but look up the parents of each key too, as match() does." },
    { "add_many", KEYWORDS(work_add_many),
      "add_many($self, keys, /, *, as_bytes=False, threads=1)\n--\n\n"
      "Add many keys, given as for contains_many().  Returns which of them were new." },
    { "_update", KEYWORDS(work_update), NULL },
    { NULL, NULL, 0, NULL },
};
