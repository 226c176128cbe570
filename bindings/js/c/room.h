/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * room.h: where functions leave results that are more than one number.
 *
 * JavaScript reads them from the memory of the module.  There is one thread, so one place is
 * enough: a result is valid until the next call.  js_room() returns its address, and room.js
 * knows the offsets.
 */
#ifndef PETAL_JS_ROOM_H
#define PETAL_JS_ROOM_H

#include "petal.h"

#define ROOM_TEXT 8704          /* more than the longest normalized key */

struct js_room {
    int32_t  error;             /* of the last call that returned no filter */
    uint32_t len;               /* of what the last call has written to `text` */
    double   numbers[32];
    uint64_t words[80];
    char     text[ROOM_TEXT];
};

extern struct js_room js_room_;

#endif
