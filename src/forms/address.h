/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.h: IPv4 and IPv6 addresses, from text and to text.
 */
#ifndef PETAL_FORMS_ADDRESS_H
#define PETAL_FORMS_ADDRESS_H

#include "core/portable.h"

/* Addresses as bytes: 4 or 16, and false if the text is none. */
bool   petal__address_read4(const uint8_t *text, size_t len, uint8_t address[4]);
bool   petal__address_read6(const uint8_t *text, size_t len, uint8_t address[16]);

/* As RFC 5952 writes it; the length, at most 39. */
size_t petal__address_write(const uint8_t *address, size_t len, char text[48]);

/* A decimal number of at most so many digits, without leading zeros; moves *at behind it. */
bool   petal__decimal(const uint8_t **at, const uint8_t *end, unsigned digits, unsigned *n);

#endif
