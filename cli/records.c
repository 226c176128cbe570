/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * records.c: groups of records of the input, and the keys in them.
 *
 * A batch holds up to 256 records, so that the library gets many keys in one call.  Keys
 * are usually pieces of the block that was read.  Where they are not, as when quotes or
 * escapes are removed, they are in memory of the batch.
 */
#include "records.h"

#include "objects.h"
#include "pattern.h"
#include "print.h"
#include "select.h"

#include <stdlib.h>

#define TEXTS_LEN ((size_t)64 << 10)

/* Memory for keys that are not part of their record.  Chunks never move. */
struct chunk_of_text {
    struct chunk_of_text *before;
    size_t used, room;
    char bytes[];
};

struct batch *batch_new(void)
{
    struct batch *b = calloc(1, sizeof *b);
    if (!b)
        fail_memory();
    return b;
}

/* Frees all chunks but the first, which is used again. */
static void batch_clear_texts(struct batch *b)
{
    while (b->texts && b->texts->before) {
        struct chunk_of_text *before = b->texts->before;
        free(b->texts);
        b->texts = before;
    }
    if (b->texts)
        b->texts->used = 0;
}

void batch_free(struct batch *b)
{
    if (!b)
        return;
    batch_clear_texts(b);
    free(b->texts);
    free(b->keys);
    free(b->places);
    skips_free(&b->skips);
    objects_free(b->parser);
    pattern_free(b->match);
    free(b);
}

char *batch_text(struct batch *b, size_t len)
{
    if (!b->texts || b->texts->room - b->texts->used < len) {
        const size_t room = len > TEXTS_LEN ? len : TEXTS_LEN;
        struct chunk_of_text *chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            fail_memory();
        *chunk = (struct chunk_of_text){ .before = b->texts, .room = room };
        b->texts = chunk;
    }
    char *text = b->texts->bytes + b->texts->used;
    b->texts->used += len;
    return text;
}

static void batch_grow(struct batch *b)
{
    b->keys_room = b->keys_room ? 2 * b->keys_room : 2 * BATCH_RECORDS;
    b->keys = realloc(b->keys, b->keys_room * sizeof *b->keys);
    b->places = realloc(b->places, b->keys_room * sizeof *b->places);
    if (!b->keys || !b->places)
        fail_memory();
}

void batch_key(struct batch *b, struct span key)
{
    if (b->keys_n == b->keys_room)
        batch_grow(b);
    b->keys[b->keys_n] = (petal_key){ key.at, key.len };
    b->places[b->keys_n++] = (struct key_place){ (uint32_t)b->n, b->field };
    b->records[b->n].keys++;
    if (select_is_odd(key))
        skips_put_odd(&b->skips, key, b->records[b->n].text);
}

void batch_skip(struct batch *b, enum skip why, struct span text)
{
    b->records[b->n].skipped = true;
    skips_put(&b->skips, why, b->records[b->n].line, text);
}

void batch_refuse(struct batch *b, size_t key)
{
    const struct record *record = &b->records[b->places[key].record];
    const struct span text = { b->keys[key].data, b->keys[key].len };
    skips_put(&b->skips, SKIP_NOT_KEY, record->line, text);
    if (!select_is_odd(text)) /* otherwise it has been counted */
        skips_put_odd(&b->skips, text, record->text);
}

bool batch_read(struct batch *b, struct block *block)
{
    b->n = b->keys_n = 0;
    b->origin = block->origin;
    batch_clear_texts(b);
    for (struct span text; b->n < BATCH_RECORDS && select_record(block, &text); b->n++) {
        b->records[b->n] = (struct record){ text, block->line + 1, b->keys_n, 0, false };
        select_keys(b, text);
        block->line += select_lines(block->origin, text);
    }
    b->skips.keys += b->keys_n;
    return b->n > 0;
}
