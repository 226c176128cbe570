// SPDX-License-Identifier: BSD-2-Clause
// duck.cjs: runs SQL in DuckDB for tests/sql/duckdb.py.
//
//     node duck.cjs PACKAGE SETTINGS
//
// PACKAGE is a version of @duckdb/node-api, SETTINGS a JSON object for the database.  Each line on
// standard input is a JSON object with `sql` and perhaps `connection`, a number.  The answer is a line with
// the rows, in which blobs are hexadecimal, or with the error.  Statements of different connections run
// at the same time.  `interrupt` interrupts a connection.  With `blobs`, the statement runs once for each of
// them, as its parameter: the answer is a list with a value or an error for each.
const readline = require('node:readline');
const { DuckDBInstance } = require(process.argv[2]);

function plain(value) {
    if (typeof value === 'bigint')
        return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
    if (value && value.bytes instanceof Uint8Array)
        return Buffer.from(value.bytes).toString('hex');
    if (value && typeof value === 'object') return value.toString();
    return value;
}

function answer(id, what) {
    process.stdout.write(JSON.stringify({ id, ...what }) + '\n');
}

async function each(connection, sql, blobs) {
    const statement = await connection.prepare(sql);
    const answers = [];
    for (const blob of blobs) {
        try {
            statement.bindBlob(1, Buffer.from(blob, 'hex'));
            answers.push({
                value: plain((await statement.runAndReadAll()).getRows()[0][0]),
            });
        } catch (error) {
            answers.push({ error: error.message });
        }
    }
    return answers;
}

async function main() {
    const instance = await DuckDBInstance.create(':memory:', JSON.parse(process.argv[3]));
    const connections = new Map();
    for await (const line of readline.createInterface({
        input: process.stdin,
        crlfDelay: Infinity,
    })) {
        const { id, sql, connection, interrupt, blobs } = JSON.parse(line);
        const number = connection ?? 0;
        if (!connections.has(number)) connections.set(number, await instance.connect());
        if (interrupt) {
            connections.get(number).interrupt();
            continue;
        }
        if (blobs) {
            answer(id, { rows: await each(connections.get(number), sql, blobs) });
            continue;
        }
        connections
            .get(number)
            .runAndReadAll(sql)
            .then((reader) =>
                answer(id, { rows: reader.getRows().map((row) => row.map(plain)) }),
            )
            .catch((error) => answer(id, { error: error.message }));
    }
}

main();
