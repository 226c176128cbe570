/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forms.c: fuzzes the forms: any bytes as a key of every form except raw.
 *
 * If the bytes are a valid key, then the normalized text is the same key, the key is found
 * after it was added, by a lookup and by a match, the match takes no more lookups than the
 * statistics say, and the image is sound.
 */
#include "support.h"

static void one_form(petal_form form, const uint8_t *data, size_t size)
{
    petal_filter *f = filter_made((petal_options){ .capacity = 10, .form = form });
    static char text[8193], again[8193];
    const int64_t len = petal_normalize(f, data, size, text, sizeof text);
    const int rc = petal_add(f, data, size);
    require((len < 0) == (rc < 0));
    require(petal_contains(f, data, size) == (rc >= 0));
    require(petal_match(f, data, size, again, sizeof again) == (rc >= 0));
    if (rc >= 0) {
        require(rc == 1 && len <= 8192 && strcmp(again, text) == 0);
        require(petal_normalize(f, text, (size_t)len, again, sizeof again) == len);
        require(memcmp(again, text, (size_t)len + 1) == 0);
        require(petal_add(f, text, (size_t)len) == 0);
        petal_stats stats;
        petal_stats_of(f, &stats);
        require(stats.match_lookups_now == (petal_shape_of(f)->match_lookups > 0));
        require(petal_match_hashes(f, data, size, NULL, 0) == 1);
    }
    size_t image_len;
    const void *image = petal_bytes(f, &image_len);
    petal_filter *view;
    require(petal_view(image, image_len, 0, &view) == PETAL_OK);
    petal_free(view);
    petal_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for_every_form(form)
    {
        if (form != PETAL_FORM_RAW)
            one_form(form, data, size);
    }
    return 0;
}
