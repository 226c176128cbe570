/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * popcount.c: avx512.c once more, for processors that count the bits of eight words
 * at once.
 */
#define AVX512_POPCOUNT
#define KERNELS petal__ribbon_popcount
#include "kinds/ribbon/avx512.c" /* NOLINT(bugprone-suspicious-include) */
