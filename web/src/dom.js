// SPDX-License-Identifier: BSD-2-Clause
// dom.js: makes elements of the page.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, properties, children) {
    for (const [name, value] of Object.entries(properties ?? {}))
        if (typeof value === 'function') node.addEventListener(name, value);
        else if (value === true) node.setAttribute(name, '');
        else if (value !== undefined && value !== null && value !== false)
            node.setAttribute(name, value);
    node.append(
        ...children
            .flat(3)
            .filter((child) => child !== null && child !== undefined && child !== false),
    );
    return node;
}

/** An element. Functions among the properties listen: { click: () => ... }. */
export function el(name, properties, ...children) {
    return fill(document.createElement(name), properties, children);
}

/** An element of a drawing. */
export function svg(name, properties, ...children) {
    return fill(document.createElementNS(SVG, name), properties, children);
}

let labels = 0;

/** A control with its label. `text` comes above it, `hint` below. */
export function labelled(text, control, hint) {
    control.id ||= `control-${++labels}`;
    return el(
        'p',
        { class: 'field' },
        el('label', { for: control.id }, text),
        control,
        hint && el('span', { class: 'quiet small' }, hint),
    );
}

/** A group of buttons of which one is chosen: [[value, text], ...]. Returns the group; set(value) chooses. */
export function choice(label, options, chosen) {
    const buttons = options.map(([value, text]) =>
        el('button', { type: 'button', click: () => chosen(value) }, text),
    );
    const group = el(
        'div',
        { class: 'choice', role: 'group', 'aria-label': label },
        buttons,
    );
    group.set = (value) =>
        buttons.forEach((button, i) =>
            button.setAttribute('aria-pressed', String(options[i][0] === value)),
        );
    return group;
}

/** A number that can be typed or slid. `scale` turns positions from 0 to 1000 into values and back. */
export function slider(text, { read, write, scale, changed, hint }) {
    const box = el('input', {
        type: 'text',
        inputmode: 'decimal',
        autocomplete: 'off',
        spellcheck: 'false',
    });
    const range = el('input', {
        type: 'range',
        min: 0,
        max: 1000,
        step: 1,
        'aria-label': `${text}, slider`,
    });
    const field = labelled(text, box, hint);
    const apply = () => {
        const value = read(box.value);
        box.setAttribute('aria-invalid', String(value === undefined));
        if (value !== undefined) changed(value);
    };
    box.addEventListener('change', apply);
    range.addEventListener('input', () => changed(scale.value(Number(range.value) / 1000)));
    box.after(range);
    field.set = (value) => {
        if (document.activeElement !== box || read(box.value) !== value)
            box.value = write(value);
        box.setAttribute('aria-invalid', 'false');
        range.value = Math.round(1000 * scale.position(value));
        range.setAttribute('aria-valuetext', write(value));
    };
    return field;
}

/** Scales for slider(). */
export const linear = (from, to) => ({
    value: (x) => Math.round(from + x * (to - from)),
    position: (value) => (value - from) / (to - from),
});

export function logarithmic(from, to, rounded = (value) => value) {
    const ratio = Math.log(to / from);
    return {
        value: (x) => rounded(from * Math.exp(x * ratio)),
        position: (value) => Math.log(value / from) / ratio,
    };
}

/** A switch for people who want less motion. */
export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Lets the page draw and react between two parts of long work. */
export const pause = () =>
    new Promise((resolve) => {
        setTimeout(resolve);
    });
