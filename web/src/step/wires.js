// SPDX-License-Identifier: BSD-2-Clause
// wires.js: draws a line from each hash to the cell that it has reached.
import { svg } from '../dom.js';

/** The middle of an element's upper or lower edge, within the stage. */
function middle(element, stage, edge) {
    const box = element.getBoundingClientRect(),
        within = stage.getBoundingClientRect();
    return [
        box.left + box.width / 2 - within.left,
        (edge === 'top' ? box.top : box.bottom) - within.top,
    ];
}

export function wires(stage, frame) {
    stage.querySelector('.wires')?.remove();
    const lines = frame.probes?.slice(0, frame.reached).map((probe, i) => {
        const hash = stage.querySelector(`[data-hash="${i}"]`),
            cell = stage.querySelector(`[data-cell="${probe.cell}"]`);
        if (!hash || !cell) return null;
        const [x, y] = middle(hash, stage, 'bottom'),
            [u, v] = middle(cell, stage, 'top');
        const bend = (v - y) / 2;
        return svg('path', {
            d: `M${x} ${y}C${x} ${y + bend} ${u} ${v - bend} ${u} ${v}`,
            class: `${i + 1 === frame.reached && !frame.answer ? 'now' : ''} ${frame.values[probe.cell] === 0 ? 'miss' : ''}`,
        });
    });
    if (lines?.length)
        stage.append(svg('svg', { class: 'wires', 'aria-hidden': 'true' }, lines));
}
