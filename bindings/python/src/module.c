/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.c: the extension module petal._petal.
 *
 * Types and exceptions are global, so the module belongs to the interpreter that loads it
 * first, and refuses others in the same process.
 */
#include "binding.h"

PyObject *filter_type_new(PyObject *module);

static int module_exec(PyObject *module)
{
    static int64_t owner = -1;
    const int64_t id = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (owner >= 0 && owner != id) {
        PyErr_SetString(PyExc_ImportError,
                        "petal does not work in several interpreters of one "
                        "process");
        return -1;
    }
    owner = id;
    PyObject *type = filter_type_new(module);
    if (!type || !errors_init(module) ||
        PyModule_AddObjectRef(module, "Filter", type) < 0 ||
        PyModule_AddFunctions(module, image_functions) < 0 ||
        PyModule_AddFunctions(module, math_functions) < 0 ||
        PyModule_AddStringConstant(module, "version", petal_version()) < 0) {
        Py_XDECREF(type);
        return -1;
    }
    filter_type = (PyTypeObject *)type; /* for good */
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    { Py_mod_exec, (void *)module_exec },
#ifdef Py_GIL_DISABLED
    { Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
    { 0, NULL },
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_petal",
    .m_doc = "The compiled part of petal.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__petal(void)
{
    return PyModuleDef_Init(&module_def);
}
