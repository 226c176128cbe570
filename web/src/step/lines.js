// SPDX-License-Identifier: BSD-2-Clause
// lines.js: a derivation with numbers, shown line by line.
import { el } from '../dom.js';

export function lineFrames(table) {
    return [
        { index: 0, shown: 0, sentence: table.empty },
        ...table.lines.map(([sentence], i) => ({
            index: i + 1,
            shown: i + 1,
            last: true,
            sentence,
        })),
    ];
}

export function drawLines(table, frame) {
    return el(
        'div',
        {},
        el(
            'ol',
            { class: 'lines' },
            table.lines
                .slice(0, frame.shown)
                .map(([sentence, formula], i) =>
                    el(
                        'li',
                        { class: i + 1 === frame.shown ? 'now' : undefined },
                        el('span', {}, sentence),
                        el('code', {}, formula),
                    ),
                ),
        ),
        table.more && el('p', {}, el('a', { href: table.more[1] }, table.more[0])),
    );
}
