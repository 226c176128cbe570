/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errors.c: one sentence for each error, the same as beside its code in petal.h.  If errno
 * has the cause, whoever prints the sentence should add strerror().
 */
#include "petal.h"

const char *petal_strerror(int error)
{
    switch (error) {
    case PETAL_OK: return "no error";
    case PETAL_E_MEMORY: return "out of memory";
    case PETAL_E_KIND: return "no such kind of filter";
    case PETAL_E_CAPACITY: return "the capacity is missing or too large";
    case PETAL_E_FPR: return "the false positive rate must be above 0 and below 1";
    case PETAL_E_SHAPE: return "the options contradict each other or do not fit this kind";
    case PETAL_E_ABILITY: return "this kind of filter does not support that";
    case PETAL_E_READONLY: return "the filter is read-only";
    case PETAL_E_SEALED: return "this filter is built once and takes no more keys";
    case PETAL_E_UNSEALED: return "the filter has no checksums yet";
    case PETAL_E_RANGE: return "the key must be an integer below the filter's size";
    case PETAL_E_MISMATCH: return "the filters differ in kind, size, form, hash or seed";
    case PETAL_E_FORMAT: return "not a petal filter";
    case PETAL_E_VERSION: return "written by a newer version of petal";
    case PETAL_E_TRUNCATED: return "truncated: bytes are missing at the end";
    case PETAL_E_CORRUPT: return "corrupt: header, contents and checksums do not agree";
    case PETAL_E_BUILD: return "no filter can be built from these hashes";
    case PETAL_E_OPTION: return "unknown option, or not a valid value for it";
    case PETAL_E_KEY: return "the key is not valid for the filter's form";
    case PETAL_E_FLOOR: return "the rate is too low for this kind of filter";
    case PETAL_E_FULL: return "the filter cannot grow any further at this rate";
    case PETAL_E_OPEN: return "the file or its folder could not be opened";
    case PETAL_E_READ: return "the file could not be read";
    case PETAL_E_WRITE: return "the file could not be written";
    case PETAL_E_SYNC: return "the file could not be flushed to disk";
    case PETAL_E_RENAME: return "the file could not be replaced";
    case PETAL_E_RANDOM: return "the system has no random bytes";
    case PETAL_E_INTERRUPTED: return "interrupted before it was done";
    default: return "no such error";
    }
}
