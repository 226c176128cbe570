/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c: fuzzes the options: any text gives options or an error, and any options give a
 * plan that keeps its promised rate, or an error.
 */
#include "petal_host.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = malloc(len + 1);
    if (!text)
        return 0;
    memcpy(text, data, len);
    text[len] = 0;
    petal_options o = { 0 };
    petal_shape shape;
    if (petal_parse_options(text, &o) == PETAL_OK && petal_plan(&o, &shape) == PETAL_OK) {
        if (petal_fpr(&shape, (double)shape.capacity) > shape.fpr * (1 + 1e-9))
            abort();
        if (shape.image_bytes < 1000000) {
            petal_filter *f;
            const int rc = petal_new(&o, &f);
            if (rc != PETAL_OK)
                abort();
            petal_add(f, data, len);
            char json[4096];
            petal_describe(f, json, sizeof json);
            petal_free(f);
        }
    }
    free(text);
    return 0;
}
