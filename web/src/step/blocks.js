// SPDX-License-Identifier: BSD-2-Clause
// blocks.js: draws one block, a cache line of 512 bits, as a grid of small squares.
import { el, svg } from '../dom.js';

const SIDE = 10; // of a cell, in units of the drawing

/** The cells of a block that are not 0, and those that the key in hand has reached. */
function square(table, frame, cell, colour) {
    const wide = table.blockColumns,
        at = cell % table.blockCells;
    const x = SIDE * (at % wide),
        y = SIDE * Math.floor(at / wide);
    const value = frame.values[cell],
        reached = frame.probes.slice(0, frame.reached);
    const lit = reached.some((probe) => probe.cell === cell);
    if (!value && !lit) return null;
    const owner = frame.owners[cell].at(-1);
    return svg(
        'g',
        { 'data-cell': cell },
        svg('rect', {
            x: x + 0.5,
            y: y + 0.5,
            width: SIDE - 1,
            height: SIDE - 1,
            rx: 1.5,
            class: [
                value ? 'on' : 'off',
                owner !== undefined && `k${colour(owner)}`,
                lit && 'lit',
                lit && !value && 'miss',
            ]
                .filter(Boolean)
                .join(' '),
        }),
        table.counts && value > 0
            ? svg(
                  'text',
                  { x: x + SIDE / 2, y: y + SIDE / 2 + 2.6, class: 'value' },
                  String(value),
              )
            : null,
    );
}

export function block(table, frame, number, colour) {
    const first = number * table.blockCells,
        wide = table.blockColumns,
        high = table.blockCells / wide;
    const cells = Array.from({ length: table.blockCells }, (_, i) => first + i);
    const set = cells.filter((cell) => frame.values[cell] > 0).length;
    const chosen =
        frame.probes.length > 0 &&
        Math.floor(frame.probes[0].cell / table.blockCells) === number;
    const what = table.counts ? 'counters above 0' : 'bits set';
    return el(
        'figure',
        { class: chosen ? 'block chosen' : 'block' },
        svg(
            'svg',
            {
                viewBox: `-1 -1 ${SIDE * wide + 2} ${SIDE * high + 2}`,
                role: 'img',
                'aria-label': `Block ${number}: ${set} of ${table.blockCells} ${what}`,
            },
            svg('rect', {
                x: 0,
                y: 0,
                width: SIDE * wide,
                height: SIDE * high,
                class: 'ground',
            }),
            cells.map((cell) => square(table, frame, cell, colour)),
        ),
        el('figcaption', {}, `Block ${number}: ${set} ${what}`),
    );
}
