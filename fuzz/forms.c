/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forms.c: fuzzes the forms: any bytes as a key of every form except raw.
 *
 * A URL after a space is the same URL, but it does not take the quick path.  Normalized
 * text and hashes must be the same.
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

/* The filter has a hash whose class is unknown, so that all parents are looked up. */
static void a_url_after_a_space(const uint8_t *data, size_t size)
{
    static char text[2][8193];
    uint64_t hashes[2][256];
    petal_filter *f =
        filter_made((petal_options){ .capacity = 10, .form = PETAL_FORM_URL });
    petal_add_hash(f, 1);
    char *spaced = malloc(size + 1);
    spaced[0] = ' ';
    memcpy(spaced + 1, data, size);
    const int64_t len = petal_normalize(f, data, size, text[0], sizeof text[0]);
    require(petal_normalize(f, spaced, size + 1, text[1], sizeof text[1]) == len);
    require(len < 0 || memcmp(text[0], text[1], (size_t)len) == 0);
    const size_t n = petal_match_hashes(f, data, size, hashes[0], 256);
    require(petal_match_hashes(f, spaced, size + 1, hashes[1], 256) == n);
    require(memcmp(hashes[0], hashes[1], n * sizeof **hashes) == 0);
    free(spaced);
    petal_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for_every_form(form) {
        if (form != PETAL_FORM_RAW)
            one_form(form, data, size);
    }
    if (size > 0 && size < 8192) /* with the space it must not be too long */
        a_url_after_a_space(data, size);
    return 0;
}
