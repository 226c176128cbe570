/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parquet.c: fuzzes the reader of Parquet's footers and of the headers of filters.
 *
 * Whatever is accepted must be sound: every filter within the file, every column with a
 * name and a type, and a chunk for each column in each row group.
 */
#include "parquet/footer.h"

#include <stdlib.h>
#include <string.h>

#define FILE_LEN 100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

static void use(const struct parquet *p)
{
    char path[100];
    require(p->chunks_n == p->groups_n * p->columns_n);
    require(p->writer_len == 0 || p->writer[p->writer_len - 1] <= 255);
    for (size_t c = 0; c < p->columns_n; c++) {
        const size_t len = parquet_path(p, c, path, sizeof path);
        require(strlen(path) <= len && strlen(path) < sizeof path);
        require(parquet_type_name(parquet_type(p, c)) != NULL);
        for (size_t g = 0; g < p->groups_n; g++) {
            const struct parquet_chunk *chunk = parquet_chunk(p, g, c);
            require(chunk->elsewhere || chunk->encrypted || chunk->filter_at == 0 ||
                    (chunk->filter_at < FILE_LEN &&
                     chunk->filter_len <= FILE_LEN - chunk->filter_at));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct parquet p;
    size_t where, header_len;
    uint64_t bitset_len;
    if (parquet_read(data, size, FILE_LEN, &p, &where) == NULL)
        use(&p);
    require(where <= size);
    parquet_free(&p);
    if (parquet_filter_header(data, size, &header_len, &bitset_len) == NULL)
        require(bitset_len > 0 && bitset_len % 32 == 0);
    require(header_len <= size);
    return 0;
}
