/* SPDX-License-Identifier: BSD-2-Clause */
/* address.h: parse the address of a filter on a Redis server. */
#ifndef CLI_ADDRESS_H
#define CLI_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address {
    char       *text;       /* memory of user, password and key */
    const char *user, *password, *key;
    size_t      key_len;
    char       *key_text;   /* as given, not decoded */
    char       *host;       /* host and port change after a redirection */
    int         port;
    uint64_t    db;
};

/* Parses redis://[[user]:password@]host[:port]/key[?db=N].  An error ends the program. */
void address_read(struct address *address, const char *text);
void address_free(struct address *address);

/* Parses a decimal number of at most nine digits, up to the end of the text. */
bool address_number(const char *text, uint64_t most, uint64_t *number);

/* Ends the text at `at` and returns what follows; NULL if `at` is NULL. */
char *address_cut(char *at);

#endif
