// SPDX-License-Identifier: BSD-2-Clause
// make.mjs FOLDER: writes the Parquet files of the tests, with DuckDB and hyparquet-writer.
//
//     tools/need-npm.sh tests/parquet build/npm-parquet
//     cp tests/parquet/*.mjs build/npm-parquet && node build/npm-parquet/make.mjs tests/parquet/golden
//
// golden/ has the files that the versions in package.json wrote.  They never change.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteBuffer } from 'hyparquet-writer';

const folder = process.argv[2];
const duckdb = await (await DuckDBInstance.create()).connect();

// DuckDB writes a filter only where a chunk has a dictionary.
const copy = (name, query, limit) =>
    duckdb.run(`COPY (${query}) TO '${join(folder, name)}' (FORMAT parquet,
  COMPRESSION zstd, ROW_GROUP_SIZE 2048, DICTIONARY_SIZE_LIMIT ${limit}, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01)`);

// All types, in three row groups.  The last one is smaller, and so are some of its filters.
await copy(
    'events.parquet',
    `SELECT (i * 3)::BIGINT AS id, (i % 100 - 50)::INTEGER AS small,
  'name-' || (i // 64) AS name, (i // 50) / 4::DOUBLE AS price, (i % 10 / 8)::FLOAT AS weight,
  {'city': 'city-' || (i % 5)} AS address, i % 2 = 0 AS flag FROM range(4300) t(i)`,
    100000,
);

// The second row group has too many different values for a dictionary, so it has no filter.
await copy(
    'mixed.parquet',
    `SELECT (CASE WHEN i < 2048 THEN i % 20 ELSE i END)::BIGINT AS id
  FROM range(4096) t(i)`,
    1000,
);

// No column has a filter.
await copy('plain.parquet', 'SELECT i::BIGINT AS id FROM range(10) t(i)', 1);

const numbers = (n, value) => Array.from({ length: n }, (_, i) => value(i));
const filter = { bloomFilter: true };
writeFileSync(
    join(folder, 'hyparquet.parquet'),
    Buffer.from(
        parquetWriteBuffer({
            columnData: [
                {
                    name: 'id',
                    data: numbers(250, (i) => BigInt(i * 7)),
                    type: 'INT64',
                    ...filter,
                },
                {
                    name: 'name',
                    data: numbers(250, (i) => `näme-${i}`),
                    type: 'STRING',
                    ...filter,
                },
                { name: 'x', data: numbers(250, (i) => i / 8), type: 'DOUBLE', ...filter },
                { name: 'y', data: numbers(250, (i) => -i / 8), type: 'FLOAT', ...filter },
                { name: 'n', data: numbers(250, (i) => -i), type: 'INT32' },
            ],
            rowGroupSize: 100,
        }),
    ),
);

// One column, one row group.
writeFileSync(
    join(folder, 'single.parquet'),
    Buffer.from(
        parquetWriteBuffer({
            columnData: [
                {
                    name: 'word',
                    data: ['rose', 'tulip', 'daisy'],
                    type: 'STRING',
                    ...filter,
                },
            ],
        }),
    ),
);
process.exit(0);
