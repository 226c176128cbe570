/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.h: reads and writes IPv4 and IPv6 addresses.
 */
#ifndef PETAL_FORMS_ADDRESS_H
#define PETAL_FORMS_ADDRESS_H

#include "core/portable.h"

/* Parse an address into 4 or 16 bytes.  Return false if the text is not an address. */
bool   petal__address_read4(const uint8_t *text, size_t len, uint8_t address[4]);
bool   petal__address_read6(const uint8_t *text, size_t len, uint8_t address[16]);

/* Writes the address as RFC 5952 describes.  Returns the length, at most 39. */
size_t petal__address_write(const uint8_t *address, size_t len, char text[48]);

/* Parses a decimal number of at most `digits` digits, without leading zeros, and moves *at
 * behind it. */
bool   petal__decimal(const uint8_t **at, const uint8_t *end, unsigned digits, unsigned *n);

#endif
