// SPDX-License-Identifier: BSD-2-Clause
// chart.js: charts by Observable Plot, with our colours, a title, and words for people who cannot see them.
import * as Plot from '@observablehq/plot';
import { el } from './dom.js';
import { rate } from './numbers.js';

export { Plot };

/** The colour of a series: the page has them in its style, by day and by night. */
export const series = (i) => `var(--series-${i})`;

/** A rate on an axis. */
const rateTick = (p) =>
    p < 1e-7
        ? rate(p, 1)
        : `${Number((100 * p).toPrecision(1)).toLocaleString('en', { maximumFractionDigits: 5 })}%`;

/** A logarithmic axis of rates. */
export const rateAxis = (domain, label = 'false positive rate') => ({
    type: 'log',
    domain,
    label,
    tickFormat: rateTick,
    grid: true,
});

/** A place for a chart. set(options, words) draws it: `words` says what it shows. */
export function chart(title, remark) {
    const place = el('div', { class: 'plot', role: 'img' });
    const figure = el(
        'figure',
        { class: 'chart' },
        el('h3', {}, title),
        place,
        remark ? el('figcaption', { class: 'quiet small' }, remark) : null,
    );
    let last;
    const draw = () => {
        const [options, words] = last,
            width = Math.max(260, Math.floor(figure.clientWidth || 560));
        place.setAttribute('aria-label', words);
        place.replaceChildren(
            Plot.plot({
                width,
                height: Math.round(Math.min(300, 120 + 0.35 * width)),
                marginLeft: 56,
                marginBottom: 46,
                style: { fontSize: '12px' },
                ...options,
            }),
        );
        place.firstElementChild.setAttribute('aria-hidden', 'true');
    };
    figure.set = (options, words) => {
        last = [options, words];
        draw();
    };
    let width;
    new ResizeObserver(() => {
        if (last && width !== undefined && width !== figure.clientWidth) draw();
        width = figure.clientWidth;
    }).observe(figure);
    return figure;
}

/** Words and colours of series: [[text, colour, dashed?], ...]. */
export function legend(entries) {
    return el(
        'ul',
        { class: 'legend lines-legend' },
        entries.map(([text, colour, shape = 'line']) =>
            el(
                'li',
                {},
                el('i', {
                    class: shape,
                    style: `--colour: ${colour}`,
                    'aria-hidden': 'true',
                }),
                text,
            ),
        ),
    );
}
