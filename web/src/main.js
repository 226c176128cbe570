// SPDX-License-Identifier: BSD-2-Clause
// main.js: the lab: five views on the real library, one at a time.
//
// A view has a name, a title, and mount(root, lab), which builds its elements and returns show(values): what to
// do when the address changes. lab.go(values) changes the address. Everything that a view shows follows from it.
// A browser reports a new address a moment after it has changed. Until then the page shows the one before, which
// is in data-address, so that tests can wait for what they want to see.
import { Petal } from 'petal-filter/inline';
import { addressed, link, remember } from './address.js';
import { attack } from './attack.js';
import { el } from './dom.js';
import { plan } from './plan/plan.js';
import { poisson } from './poisson.js';
import { step } from './step/step.js';
import { tryOut } from './try/try.js';

const VIEWS = [step, plan, tryOut, poisson, attack];

const main = document.getElementById('content');
const tabs = VIEWS.map((view) => el('a', { href: link(view.name, {}) }, view.tab));
document.getElementById('tabs').append(...tabs.map((tab) => el('li', {}, tab)));

let current, show, leave;

/** Draws what the address asks for. */
function draw(values) {
    main.dataset.address = location.hash;
    show(values);
}

function labFor(view, petal) {
    return {
        petal,
        /** Shows other values in this view. If a person has just followed a link, the link wins. */
        go(values, options) {
            if (location.hash !== main.dataset.address) return;
            remember(view.name, values, options);
            draw(addressed().values);
        },
        /** Calls fn when another view is shown. */
        leaving(fn) {
            leave.push(fn);
        },
    };
}

function route(petal) {
    const { view: name, values } = addressed();
    if (name === 'content') {
        // the link to skip the head
        main.dataset.address = location.hash;
        return;
    }
    const view = VIEWS.find((one) => one.name === name) ?? VIEWS[0];
    if (view !== current) {
        leave?.forEach((fn) => fn());
        leave = [];
        current = view;
        main.replaceChildren();
        main.dataset.view = view.name;
        document.title = `${view.title} · petal lab`;
        tabs.forEach((tab, i) =>
            VIEWS[i] === view
                ? tab.setAttribute('aria-current', 'page')
                : tab.removeAttribute('aria-current'),
        );
        show = view.mount(main, labFor(view, petal));
    }
    draw(values);
}

async function begin() {
    try {
        const petal = await Petal.load();
        document.getElementById('version').textContent = petal.version;
        route(petal);
        addEventListener('hashchange', () => route(petal));
        document.documentElement.dataset.ready = '';
    } catch (error) {
        main.replaceChildren(
            el('p', { role: 'alert' }, `The library could not be loaded: ${error.message}`),
        );
        throw error;
    }
}

begin();
