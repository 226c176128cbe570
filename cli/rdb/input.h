/* SPDX-License-Identifier: BSD-2-Clause */
/* input.h: reads the numbers and strings of an RDB file, from anywhere. */
#ifndef CLI_RDB_INPUT_H
#define CLI_RDB_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RDB_SENTENCE 160

/* Once an error has been found, `error` says what is wrong, and every function returns
 * false. */
struct rdb_input {
    FILE          *file;            /* or NULL: everything is in `bytes` */
    const uint8_t *bytes;
    size_t         at, len;         /* of `bytes`: the next one, and the end */
    uint64_t       before;          /* bytes of the file before `bytes` */
    uint64_t       checksum;        /* of everything up to `at` */
    char           error[RDB_SENTENCE];
    uint8_t       *block;           /* holds a block of the file */
};

/* A string that was read.  Begin with { 0 }. */
struct rdb_string {
    uint8_t *bytes;                 /* never NULL after a string was read */
    size_t   len, room;
};

void rdb_input_file(struct rdb_input *in, FILE *file);
void rdb_input_bytes(struct rdb_input *in, const void *bytes, size_t len);
void rdb_input_free(struct rdb_input *in);

/* Sets the error, unless there is one already.  Returns false. */
bool rdb_error(struct rdb_input *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How far the input was read, in bytes. */
uint64_t rdb_offset(const struct rdb_input *in);

/* Are there no more bytes? */
bool rdb_is_end(struct rdb_input *in);

/* Reads or skips as many bytes. */
bool rdb_read(struct rdb_input *in, void *bytes, size_t len);
bool rdb_skip(struct rdb_input *in, uint64_t len);

/* A number in as few bytes as it needs. */
bool rdb_length(struct rdb_input *in, uint64_t *length);

bool rdb_little_endian(struct rdb_input *in, unsigned bytes, uint64_t *number);

/* Appends a string, or skips one.  A string may be compressed, or a number that is written
 * out.  The length in the file is not trusted: memory is taken as bytes arrive. */
bool rdb_string_put(struct rdb_input *in, struct rdb_string *string);
bool rdb_string_skip(struct rdb_input *in);
bool rdb_string_append(struct rdb_input *in, struct rdb_string *string, const void *bytes,
                       size_t len);
void rdb_string_free(struct rdb_string *string);

#endif
