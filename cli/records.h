/* SPDX-License-Identifier: BSD-2-Clause */
/* records.h: groups of records of the input, and the keys in them.
 *
 * A record is a line, a row of a CSV table or a JSON document.  Any number of keys can be in
 * one: none, the whole line, some fields, or every URL in it (select.h). */
#ifndef CLI_RECORDS_H
#define CLI_RECORDS_H

#include "lines.h"
#include "skips.h"

#include <petal.h>

#define BATCH_RECORDS 256

struct record {
    struct span text;           /* without the separator, which follows it in memory */
    uint64_t    line;           /* its number in the file, from 1 */
    size_t      key, keys;      /* its first key in the batch, and how many it has */
    bool        skipped;        /* something in it was skipped */
};

/* Where a key comes from. */
struct key_place {
    uint32_t record;            /* index in the batch */
    uint32_t field;             /* index in the list of -f */
};

/* A group of records and their keys, filled and used by one thread. */
struct batch {
    struct record     records[BATCH_RECORDS];
    size_t            n;
    petal_key        *keys;
    struct key_place *places;       /* of each key */
    size_t            keys_n, keys_room;
    struct skips      skips;        /* since the last skips_clear() */

    /* while it is filled: */
    const struct origin *origin;
    uint32_t             field;     /* whose keys are taken */
    bool                 found;     /* the record has one of the fields */
    struct chunk_of_text *texts;    /* keys that are not part of their record */
    void                *parser;    /* of objects.h */
    void                *match;     /* of pattern.h */
};

struct batch *batch_new(void);
void          batch_free(struct batch *batch);

/* Reads the next records of a block, and finds their keys.  Returns false after the last. */
bool batch_read(struct batch *batch, struct block *block);

/* Called for each record to find its keys: */

/* Adds a key.  The text is part of the record, or comes from batch_text(). */
void batch_key(struct batch *batch, struct span key);

/* Records why this text is not a key. */
void batch_skip(struct batch *batch, enum skip why, struct span text);

/* Memory for the text of a key.  It is valid as long as the batch holds the key. */
char *batch_text(struct batch *batch, size_t len);

/* For commands: reports that a key is not valid for the filter. */
void batch_refuse(struct batch *batch, size_t key);

#endif
