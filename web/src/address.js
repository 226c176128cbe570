// SPDX-License-Identifier: BSD-2-Clause
// address.js: what the page shows is in its address, so that a view can be shared: #plan?n=1000&p=0.01.

/** { view: 'plan', values: URLSearchParams }. */
export function addressed() {
    const [view, query] = location.hash.slice(1).split(/\?(.*)/s);
    return { view, values: new URLSearchParams(query) };
}

function hashOf(view, values) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values))
        for (const one of Array.isArray(value) ? value : [value])
            if (one !== undefined && one !== null) query.append(name, one);
    const text = query.toString();
    return `#${view}${text && `?${text}`}`;
}

/** A link to a view. */
export const link = hashOf;

/** Writes the state into the address. `step`: the button "Back" of the browser returns to the state before. */
export function remember(view, values, { step = false } = {}) {
    const hash = hashOf(view, values);
    if (hash === location.hash) return;
    history[step ? 'pushState' : 'replaceState'](null, '', hash);
}
