// SPDX-License-Identifier: BSD-2-Clause
// player.js: goes through frames: to the start, back, play, forward, to the end.
import { calm, el } from '../dom.js';

const SHAPES = {
    start: 'M3 3h2v10H3zM13 3v10L6 8z',
    back: 'M11 3v10L4 8z',
    play: 'M4 3v10l9-5z',
    stop: 'M4 3h3v10H4zM9 3h3v10H9z',
    forward: 'M5 3v10l7-5z',
    end: 'M11 3h2v10h-2zM3 3v10l7-5z',
};
const FRAME_MS = 1100;

function icon(name) {
    const span = el('span', { 'aria-hidden': 'true' });
    span.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16"><path fill="currentColor" d="${SHAPES[name]}"/></svg>`;
    return span;
}

/** go(index) is called when a person wants another frame. */
export function player(go) {
    let at = 0,
        last = 0,
        timer;
    const button = (name, label, click) =>
        el(
            'button',
            { type: 'button', 'aria-label': label, title: label, click },
            icon(name),
        );
    const play = el('button', {
        type: 'button',
        class: 'primary',
        click: () => (timer ? stop() : start()),
    });
    const range = el('input', {
        type: 'range',
        min: 0,
        step: 1,
        'aria-label': 'Step',
        input: () => move(Number(range.value)),
    });
    const where = el('output', { class: 'quiet' });
    const back = button('back', 'One step back', () => move(at - 1)),
        forward = button('forward', 'One step forward', () => move(at + 1));
    const first = button('start', 'To the start', () => move(0)),
        end = button('end', 'To the end', () => move(last));

    function label() {
        play.replaceChildren(
            icon(timer ? 'stop' : 'play'),
            timer ? 'Pause' : at === last ? 'Play again' : 'Play',
        );
    }
    function stop() {
        clearInterval(timer);
        timer = undefined;
        label();
    }
    function move(to) {
        stop();
        go(to);
    }
    function start() {
        if (at === last) go(0);
        timer = setInterval(
            () => (at < last ? go(at + 1) : stop()),
            calm() ? 2 * FRAME_MS : FRAME_MS,
        );
        label();
    }

    const bar = el(
        'div',
        { class: 'player', role: 'group', 'aria-label': 'Steps' },
        el('div', { class: 'keys' }, first, back, play, forward, end),
        range,
        where,
    );
    bar.set = (index, frames) => {
        at = index;
        last = frames - 1;
        range.max = last;
        range.value = at;
        range.setAttribute('aria-valuetext', `${at} of ${last}`);
        where.textContent = `${at} / ${last}`;
        first.disabled = back.disabled = at === 0;
        end.disabled = forward.disabled = at === last;
        play.disabled = last === 0;
        if (at === last) stop();
        label();
    };
    bar.stop = stop;
    return bar;
}
