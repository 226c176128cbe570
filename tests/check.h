/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h: cmocka and the headers that it needs. */
#ifndef PETAL_CHECK_H
#define PETAL_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
