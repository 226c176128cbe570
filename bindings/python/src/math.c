/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * math.c: the formulas of petal_math.h, for petal.math.
 */
#include "binding.h"

/* Defines math_NAME(), which takes `n` numbers in an array x. */
#define FORMULA(name, count, call)                                                    \
    static PyObject *math_##name(PyObject *module, PyObject *args)                    \
    {                                                                                 \
        double x[5];                                                                  \
        (void)module;                                                                 \
        return math_numbers(args, #name, count, x) ? PyFloat_FromDouble(call) : NULL; \
    }

static bool math_numbers(PyObject *args, const char *name, Py_ssize_t count, double *x)
{
    if (PyTuple_Size(args) != count) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd numbers", name, count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        x[i] = PyFloat_AsDouble(PyTuple_GetItem(args, i));
        if (x[i] == -1 && PyErr_Occurred())
            return false;
    }
    return true;
}

/* A count from a number; what is no count is 0. */
static uint64_t math_count(double x)
{
    return x >= 0 && x < 18446744073709549568.0 ? (uint64_t)x : 0;
}

static uint32_t math_small(double x)
{
    return x >= 0 && x <= 4294967295.0 ? (uint32_t)x : 0;
}

FORMULA(zero, 3, petal_math_zero(x[0], x[1], x[2]))
FORMULA(zero_exact, 3, petal_math_zero_exact(x[0], x[1], x[2]))
FORMULA(fpr, 3, petal_math_fpr(x[0], x[1], x[2]))
FORMULA(fpr_exact, 3,
        petal_math_fpr_exact(math_count(x[0]), math_small(x[1]), math_count(x[2])))
FORMULA(fpr_partitioned, 3, petal_math_fpr_partitioned(x[0], x[1], x[2]))
FORMULA(fpr_blocked, 4, petal_math_fpr_blocked(x[0], math_small(x[1]), x[2], x[3]))
FORMULA(fpr_best, 1, petal_math_fpr_best(x[0]))
FORMULA(best_k, 2, petal_math_best_k(x[0], x[1]))
FORMULA(k, 1, petal_math_k(x[0]))
FORMULA(bits, 2, petal_math_bits(x[0], x[1]))
FORMULA(capacity, 2, petal_math_capacity(x[0], x[1]))
FORMULA(lower_bound, 1, petal_math_lower_bound(x[0]))
FORMULA(keys, 3, petal_math_keys(x[0], x[1], x[2]))
FORMULA(binomial, 3, petal_math_binomial(x[0], x[1], x[2]))
FORMULA(poisson, 2, petal_math_poisson(x[0], x[1]))
FORMULA(lookup_time, 5, petal_math_lookup_time(x[0], x[1], x[2], x[3], x[4]))
FORMULA(cost, 3, petal_math_cost(x[0], x[1], x[2]))

static PyObject *math_poisson_fits(PyObject *module, PyObject *args)
{
    double x[2];
    (void)module;
    if (!math_numbers(args, "poisson_fits", 2, x))
        return NULL;
    return PyBool_FromLong(petal_math_poisson_fits(x[0], x[1]));
}

#define ROW(name, parameters, text)                                                        \
    {                                                                                      \
        "math_" #name, math_##name, METH_VARARGS, #name "(" parameters ", /)\n--\n\n" text \
    }

PyMethodDef math_functions[] = {
    ROW(zero, "m, k, n", "Probability that a bit is still 0: e^(-kn/m)."),
    ROW(zero_exact, "m, k, n", "The same, exactly: (1 - 1/m)^(kn)."),
    ROW(fpr, "m, k, n",
        "False positive rate of m bits, k probes, n keys: (1 - e^(-kn/m))^k."),
    ROW(fpr_exact, "m, k, n", "The same, exactly."),
    ROW(fpr_partitioned, "row, k, n", "False positive rate of k rows of `row` bits each."),
    ROW(fpr_blocked, "m, k, n, block_bits", "False positive rate of a filter in blocks."),
    ROW(fpr_best, "bits_per_key", "The rate with the best k: 0.6185^(m/n)."),
    ROW(best_k, "m, n", "The best number of probes: (m/n) ln 2."),
    ROW(k, "fpr", "The number of probes for a rate: ceil(log2(1/fpr))."),
    ROW(bits, "n, fpr", "Bits for n keys at this rate: -n ln(fpr) / (ln 2)^2."),
    ROW(capacity, "m, fpr", "How many keys m bits take at this rate."),
    ROW(lower_bound, "fpr", "The fewest bits per key that any filter needs: log2(1/fpr)."),
    ROW(keys, "m, k, bits_set", "The number of keys that explains this many set bits."),
    ROW(binomial, "n, p, i", "P(X = i) for a binomial variable."),
    ROW(poisson, "lambda_, i", "P(X = i) for a Poisson variable."),
    ROW(poisson_fits, "n, p",
        "Whether the Poisson distribution fits the binomial one well."),
    ROW(lookup_time, "visits, hits, slow, fast, fpr",
        "Mean time of a lookup in a store with a filter in front of it."),
    ROW(cost, "bits_per_key, key_bits, n",
        "Size of a filter relative to a table of the keys."),
    { NULL, NULL, 0, NULL },
};
