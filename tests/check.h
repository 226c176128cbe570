/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h: cmocka, with the headers it wants before it. */
#ifndef PETAL_CHECK_H
#define PETAL_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
