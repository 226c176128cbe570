// SPDX-License-Identifier: BSD-2-Clause
// programs.mjs PETAL FOLDER: compares petal with DuckDB and hyparquet, on files in FOLDER.
//
// make.mjs has written the files with the same programs just before.  For members and for many
// other values, petal check must give the answer of DuckDB's parquet_bloom_probe() and of
// hyparquet's own lookup, in every row group.  Then the filter of one column is replaced by one
// that petal has built and exported: both programs must find its keys, and no others than
// petal does.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { copyFileSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';

const bloom = await import(new URL('node_modules/hyparquet/src/bloom.js', import.meta.url));
const [, , petal, folder] = process.argv;
const duckdb = await (await DuckDBInstance.create()).connect();
let compared = 0;

const run = (input, ...args) => {
    const status = { 0: true, 1: true };
    try {
        return execFileSync(petal, args, {
            input,
            cwd: folder,
            encoding: 'utf8',
            stdio: ['pipe', 'pipe', 'ignore'],
        });
    } catch (error) {
        assert(status[error.status], `petal ${args.join(' ')} failed`);
        return error.stdout;
    }
};

// For each value, the row groups that may have it: "0,2".
const petalGroups = (file, column, values) => {
    const found = new Map(values.map((value) => [String(value), '']));
    for (const line of run(values.join('\n') + '\n', 'check', file, '--column', column)
        .split('\n')
        .filter(Boolean)) {
        const [groups, value] = line.split('\t');
        found.set(value, groups.replaceAll(`${file}#`, ''));
    }
    return values.map((value) => found.get(String(value)));
};

const sqlTypes = {
    INT32: 'INTEGER',
    INT64: 'BIGINT',
    FLOAT: 'FLOAT',
    DOUBLE: 'DOUBLE',
    BYTE_ARRAY: 'VARCHAR',
};
const duckdbGroups = async (file, column, type, value) => {
    const reader =
        await duckdb.runAndReadAll(`SELECT row_group_id, bloom_filter_excludes FROM
    parquet_bloom_probe('${join(folder, file)}', '${column}', '${value}'::${sqlTypes[type]}) ORDER BY 1`);
    return reader
        .getRows()
        .filter((row) => !row[1])
        .map((row) => row[0])
        .join(',');
};

const bytesOf = (file) => {
    const bytes = readFileSync(join(folder, file));
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
};

const chunksOf = (metadata, column) =>
    metadata.row_groups.map(
        (group) =>
            group.columns.find(
                ({ meta_data }) => meta_data.path_in_schema.join('.') === column,
            ).meta_data,
    );

const hyparquetGroups = (file, column) => {
    const buffer = bytesOf(file);
    const metadata = parquetMetadata(buffer);
    const element = column
        .split('.')
        .reduce(
            (tree, name) => tree.children.find((child) => child.element.name === name),
            parquetSchema(metadata),
        ).element;
    const filters = chunksOf(metadata, column).map(({ bloom_filter_offset }) =>
        bloom_filter_offset === undefined
            ? undefined
            : bloom.readBloomFilter({
                  view: new DataView(buffer),
                  offset: Number(bloom_filter_offset),
              }),
    );
    return (value) => {
        const hash = bloom.hashParquetValue(value, element);
        assert(hash !== undefined);
        return filters
            .map((filter, i) =>
                !filter || bloom.sbbfContains(filter.blocks, hash) ? i : '',
            )
            .filter((i) => i !== '')
            .join(',');
    };
};

const numbers = (n, value) => Array.from({ length: n }, (_, i) => value(i));
const parsed = {
    INT64: BigInt,
    INT32: Number,
    FLOAT: Number,
    DOUBLE: Number,
    BYTE_ARRAY: String,
};

const compare = async (file, column, type, values) => {
    const theirs = hyparquetGroups(file, column);
    const ours = petalGroups(file, column, values);
    for (const [i, value] of values.entries()) {
        assert.equal(
            ours[i],
            theirs(parsed[type](value)),
            `${file} ${column} ${value}: hyparquet differs`,
        );
        assert.equal(
            ours[i],
            await duckdbGroups(file, column, type, value),
            `${file} ${column} ${value}: DuckDB differs`,
        );
        compared++;
    }
    assert(ours.some((groups) => groups !== '') && ours.some((groups) => groups === ''));
};

await compare(
    'events.parquet',
    'id',
    'INT64',
    numbers(700, (i) => i * 15 - 300),
);
await compare(
    'events.parquet',
    'small',
    'INT32',
    numbers(300, (i) => i - 150),
);
await compare(
    'events.parquet',
    'name',
    'BYTE_ARRAY',
    numbers(300, (i) => `name-${i}`),
);
await compare(
    'events.parquet',
    'price',
    'DOUBLE',
    numbers(300, (i) => i / 8),
);
await compare(
    'events.parquet',
    'weight',
    'FLOAT',
    numbers(200, (i) => i / 16 - 1),
);
await compare(
    'hyparquet.parquet',
    'id',
    'INT64',
    numbers(500, (i) => i * 5 - 500),
);
await compare(
    'hyparquet.parquet',
    'name',
    'BYTE_ARRAY',
    numbers(300, (i) => `näme-${i}`),
);
await compare(
    'hyparquet.parquet',
    'x',
    'DOUBLE',
    numbers(300, (i) => i / 16),
);
await compare(
    'hyparquet.parquet',
    'y',
    'FLOAT',
    numbers(300, (i) => -(i + 1) / 16),
);

// Every filter is exported with the bytes that it has in the file.
for (const file of ['events.parquet', 'hyparquet.parquet', 'single.parquet']) {
    const bytes = readFileSync(join(folder, file));
    const listed = JSON.parse(run('', 'parquet', '--json', file));
    for (const { column, row_groups } of listed.columns)
        for (const { row_group, filter } of row_groups.filter((group) => group.filter)) {
            run(
                '',
                'import',
                file,
                '--column',
                column,
                '--row-group',
                row_group,
                '--force',
                '-o',
                'one.petal',
            );
            run('', 'export', '--to', 'parquet', 'one.petal', '--force', '-o', 'one.bloom');
            const one = readFileSync(join(folder, 'one.bloom'));
            assert(
                one.length > filter.bytes &&
                    bytes.subarray(filter.offset, filter.offset + one.length).equals(one),
            );
            compared++;
        }
}

// A filter that petal built, in the place of the one of row group 1.
for (const file of ['events.parquet', 'hyparquet.parquet']) {
    const { bloom_filter_offset } = chunksOf(parquetMetadata(bytesOf(file)), 'id')[1];
    const { bytes } = JSON.parse(run('', 'parquet', '--json', file)).columns[0]
        .row_groups[1].filter;
    const keys = numbers(bytes / 4, (i) => i * 5 + 1000000);
    run(
        keys.join('\n'),
        'build',
        '-k',
        'split',
        '--form',
        'int64',
        '-m',
        `${bytes}B`,
        '--force',
        '-o',
        'mine.petal',
    );
    run('', 'export', '--to', 'parquet', 'mine.petal', '--force', '-o', 'mine.bloom');
    copyFileSync(join(folder, file), join(folder, 'replaced.parquet'));
    writeSync(
        openSync(join(folder, 'replaced.parquet'), 'r+'),
        readFileSync(join(folder, 'mine.bloom')),
        0,
        undefined,
        Number(bloom_filter_offset),
    );
    for (const key of keys.slice(0, 100))
        assert(
            (await duckdbGroups('replaced.parquet', 'id', 'INT64', key))
                .split(',')
                .includes('1'),
        );
    await compare(
        'replaced.parquet',
        'id',
        'INT64',
        numbers(300, (i) => i + 1000000),
    );
}

// Both programs use filters when they read: with an empty one they lose the rows that have the key.
const count = async (file, id) =>
    (
        await duckdb.runAndReadAll(
            `SELECT count(*) FROM '${join(folder, file)}' WHERE id = ${id}`,
        )
    ).getRows()[0][0];
const rows = async (file, id) =>
    (
        await parquetReadObjects({
            file: bytesOf(file),
            filter: { id: { $eq: id } },
            useBloomFilters: true,
        })
    ).length;
const single = 7n * 150n; // in row group 1 of hyparquet.parquet
assert.equal(await count('hyparquet.parquet', single), 1n);
assert.equal(await rows('hyparquet.parquet', single), 1);
run(
    '',
    'build',
    '-k',
    'split',
    '--form',
    'int64',
    '-m',
    '128B',
    '--force',
    '-o',
    'empty.petal',
);
run('', 'export', '--to', 'parquet', 'empty.petal', '--force', '-o', 'empty.bloom');
const offset = chunksOf(parquetMetadata(bytesOf('hyparquet.parquet')), 'id')[1]
    .bloom_filter_offset;
const emptied = readFileSync(join(folder, 'hyparquet.parquet'));
readFileSync(join(folder, 'empty.bloom')).copy(emptied, Number(offset));
writeFileSync(join(folder, 'emptied.parquet'), emptied);
assert.equal(await rows('emptied.parquet', single), 0);
assert.equal(await count('emptied.parquet', single), 0n);

console.log(`${compared} passed, 0 failed`);
process.exit(0);
