/* SPDX-License-Identifier: BSD-2-Clause */
/* address.h: which server has a filter, and under which key. */
#ifndef CLI_ADDRESS_H
#define CLI_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address {
    char       *text;       /* cut into user, password and key */
    const char *user, *password, *key;
    size_t      key_len;
    char       *key_text;   /* as it was given */
    char       *host;       /* this and the port change when the key is elsewhere */
    int         port;
    uint64_t    db;
};

/* redis://[[user]:password@]host[:port]/key[?db=N]; what is wrong with it ends the program. */
void address_read(struct address *address, const char *text);
void address_free(struct address *address);

/* A decimal number of at most nine digits, and nothing after it. */
bool address_number(const char *text, uint64_t most, uint64_t *number);

/* Cuts the text at this place, which may be NULL; what comes after it. */
char *address_cut(char *at);

#endif
