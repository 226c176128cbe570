/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errors.c: one plain sentence for each error, as petal.h has them.  Where errno says
 * why, whoever prints the sentence adds strerror().
 */
#include "petal.h"

const char *petal_strerror(int error)
{
    switch (error) {
    case PETAL_OK: return "no error";
    case PETAL_E_MEMORY: return "out of memory";
    case PETAL_E_KIND: return "no such kind of filter";
    case PETAL_E_CAPACITY: return "capacity is missing or too large";
    case PETAL_E_FPR: return "false positive rate is not between 0 and 1";
    case PETAL_E_SHAPE: return "the options do not fit together, or do not suit the kind";
    case PETAL_E_ABILITY: return "this kind of filter cannot do that";
    case PETAL_E_READONLY: return "the filter is a view, or was opened to read only";
    case PETAL_E_SEALED: return "a sealed static filter takes no more keys";
    case PETAL_E_UNSEALED: return "the filter has no checksum yet";
    case PETAL_E_RANGE: return "this filter takes only integers below its size";
    case PETAL_E_MISMATCH: return "the filters differ in shape, form, hash or seed";
    case PETAL_E_FORMAT: return "not a petal filter";
    case PETAL_E_VERSION: return "written by a newer version";
    case PETAL_E_TRUNCATED: return "cut short: shorter than its header says";
    case PETAL_E_CORRUPT: return "damaged: contents, header and checksums do not agree";
    case PETAL_E_BUILD: return "no filter can be built from these hashes";
    case PETAL_E_OPTION: return "no such option, or not a value it takes";
    case PETAL_E_KEY: return "not a key of this form";
    case PETAL_E_FLOOR: return "too low a rate for this kind; classic goes lowest";
    case PETAL_E_FULL: return "the filter has grown as far as its rate allows";
    case PETAL_E_OPEN: return "the file or its folder could not be opened";
    case PETAL_E_READ: return "the file could not be read";
    case PETAL_E_WRITE: return "the file could not be written";
    case PETAL_E_SYNC: return "the file could not be forced to disk";
    case PETAL_E_RENAME: return "the file could not be put in place";
    case PETAL_E_RANDOM: return "the system gave no random bytes";
    default: return "no such error";
    }
}
