/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdb.c: fuzzes the reader of RDB files: any bytes give filters or an error, and what is
 * found in them goes to the library's validators (G3).
 *
 * The checksum at the end would hide everything else from the fuzzer.  So the input is what
 * stands between the beginning of a file and its end, unless it begins like a file itself.
 */
#include "petal.h"
#include "petal_exchange.h"
#include "rdb/scan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static size_t fuzz_len;

static void fuzz_found(void *context, const struct rdb_found *found)
{
    (void)context;
    petal_filter *filter;
    if (found->len > 100 * fuzz_len)
        abort();
    const petal_options options = { 0 };
    const int rc = found->origin == RDB_PETAL
                       ? petal_view(found->bytes, found->len, 0, &filter)
                       : petal_read_foreign(&options, found->bytes, found->len, &filter);
    if (rc == PETAL_OK)
        petal_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rdb_input in;
    uint8_t *all = malloc(len + 18);
    size_t all_len = 0;
    if (!all)
        return 0;
    if (len < 5 || memcmp(data, "REDIS", 5) != 0) {
        memcpy(all, "REDIS0011", 9);
        all_len = 9;
    }
    memcpy(all + all_len, data, len);
    all_len += len;
    if (all_len > len) {
        memset(all + all_len, 0, 9);
        all[all_len] = 0xff;
        all_len += 9;
    }
    fuzz_len = all_len;
    rdb_input_bytes(&in, all, all_len);
    if (rdb_scan(&in, fuzz_found, NULL) != (in.error[0] == 0))
        abort();
    rdb_input_free(&in);
    free(all);
    return 0;
}
