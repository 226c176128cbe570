/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_findings.c: findings of petal check as bytes, to be used after their block is gone.
 */
#include "check.h"

#include "print.h"

#include <stdlib.h>

/* A finding is written as it is.  Its texts follow in this order: record, first key,
 * normalized key, and for each hit key and matched text. */

static void finding_write_text(struct buffer *notes, struct span text)
{
    buffer_put(notes, &text.len, sizeof text.len);
    buffer_put(notes, text.at, text.len);
}

void finding_write(struct buffer *notes, const struct finding *f)
{
    buffer_put(notes, f, sizeof *f);
    finding_write_text(notes, f->text);
    finding_write_text(notes, f->first.key);
    finding_write_text(notes, f->normalized);
    for (size_t i = 0; i < f->hits_n; i++) {
        buffer_put(notes, &f->hits[i], sizeof f->hits[i]);
        finding_write_text(notes, f->hits[i].key);
        finding_write_text(notes, f->hits[i].matched);
    }
}

static struct span finding_read_text(const struct buffer *notes, size_t *at)
{
    struct span text;
    memcpy(&text.len, notes->bytes + *at, sizeof text.len);
    text.at = notes->bytes + *at + sizeof text.len;
    *at += sizeof text.len + text.len;
    return text;
}

bool finding_read(const struct buffer *notes, size_t *at, struct finding *f)
{
    if (*at >= notes->len)
        return false;
    memcpy(f, notes->bytes + *at, sizeof *f);
    *at += sizeof *f;
    const bool has_key = f->first.key.at != NULL;
    f->text = finding_read_text(notes, at);
    f->first.key = finding_read_text(notes, at);
    f->first.key.at = has_key ? f->first.key.at : NULL;
    f->normalized = finding_read_text(notes, at);
    f->hits = malloc((f->hits_n + 1) * sizeof *f->hits);
    if (!f->hits)
        fail_memory();
    for (size_t i = 0; i < f->hits_n; i++) {
        memcpy(&f->hits[i], notes->bytes + *at, sizeof f->hits[i]);
        *at += sizeof f->hits[i];
        f->hits[i].key = finding_read_text(notes, at);
        f->hits[i].matched = finding_read_text(notes, at);
    }
    return true;
}

void finding_free(struct finding *f)
{
    free(f->hits);
    f->hits = NULL;
}
