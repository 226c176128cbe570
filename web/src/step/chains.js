// SPDX-License-Identifier: BSD-2-Clause
// chains.js: a hash table with chaining, step by step: what a filter is compared with.
import { el } from '../dom.js';
import { list } from '../numbers.js';

const comparisons = (n) => (n === 1 ? '1 comparison' : `${n} comparisons`);

export function chainFrames(table, operations) {
    const chains = Array.from({ length: table.chains }, () => []),
        frames = [];
    const frame = (what) =>
        frames.push({
            index: frames.length,
            chains: chains.map((chain) => [...chain]),
            compared: [],
            ...what,
        });
    frame({ sentence: table.empty });
    operations.forEach((operation, step) => {
        const { op, key } = operation,
            number = table.hash(key),
            chain = chains[number];
        frame({
            operation,
            step,
            key,
            number,
            sentence: `h(${key}) = ${key} mod ${table.chains} = ${number}: chain ${number}.`,
        });
        if (op === 'add') {
            const collides =
                chain.length > 0
                    ? ' The chain has other keys: a collision. It goes to the end.'
                    : '';
            chain.push(key);
            frame({
                operation,
                step,
                key,
                number,
                last: true,
                sentence: `${key} goes into chain ${number}.${collides}`,
            });
            return;
        }
        const at = chain.indexOf(key),
            n = at < 0 ? chain.length : at + 1;
        for (let i = 0; i < n; i++)
            frame({
                operation,
                step,
                key,
                number,
                compared: chain.slice(0, i + 1),
                sentence: `Compare ${key} with ${chain[i]}: ${chain[i] === key ? 'equal' : 'not equal'}.`,
            });
        frame({
            operation,
            step,
            key,
            number,
            compared: chain.slice(0, n),
            last: true,
            answer: at < 0 ? 'no' : 'yes',
            sentence:
                at < 0
                    ? `No, after ${comparisons(n)}: chain ${number} ${n === 0 ? 'is empty' : `holds only ${list(chain)}`}.`
                    : `Yes, after ${comparisons(n)}. The answer is always right, because the table keeps the keys themselves. That is what takes its space.`,
        });
    });
    return frames;
}

export function drawChains(table, frame, colour) {
    return el(
        'table',
        { class: 'chains' },
        el('caption', {}, table.caption),
        el(
            'tbody',
            {},
            frame.chains.map((chain, i) =>
                el(
                    'tr',
                    { class: frame.number === i ? 'chosen' : undefined },
                    el('th', { scope: 'row' }, String(i)),
                    el(
                        'td',
                        {},
                        chain.length === 0
                            ? el('span', { class: 'quiet' }, 'empty')
                            : chain.map((key, at) => [
                                  at > 0 ? ' → ' : '',
                                  el(
                                      'span',
                                      {
                                          class: `key k${colour(key)}${frame.compared.includes(key) ? ' lit' : ''}`,
                                      },
                                      key,
                                  ),
                              ]),
                    ),
                ),
            ),
        ),
    );
}
