// SPDX-License-Identifier: BSD-2-Clause
// inline_lookups.cc: the same as C++.
#include "kinds/inline_lookups.c"
