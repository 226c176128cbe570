// SPDX-License-Identifier: BSD-2-Clause
// try.js: the view "Try": a filter from a file, or from a list of keys, built, looked up in, measured and saved.
//
// In the address: `kind`, `p` and `form` for lists. Files stay on this machine.
import { el, labelled } from '../dom.js';
import { bytes as bytesText, count, rate, rateIn, real } from '../numbers.js';
import { Measurement } from './measurement.js';
import { LIST_MAX, isFilter, linesOf, sampleList } from './sources.js';

class Try {
    constructor(root, lab) {
        this.lab = lab;
        const go = (values) => lab.go({ ...this.given, ...values });
        const kinds = lab.petal.kinds
            .filter(
                ({ abilities }) =>
                    !abilities.includes('keys') && !abilities.includes('exact'),
            )
            .map(({ name }) => name);
        this.kind = el(
            'select',
            { change: () => go({ kind: this.kind.value }) },
            kinds.map((name) => el('option', {}, name)),
        );
        this.form = el(
            'select',
            { change: () => go({ form: this.form.value }) },
            ['raw', 'url', 'ip', 'word'].map((name) => el('option', {}, name)),
        );
        this.p = el('input', {
            type: 'text',
            inputmode: 'decimal',
            autocomplete: 'off',
            change: () => {
                const p = rateIn(this.p.value);
                this.p.setAttribute('aria-invalid', String(p === undefined));
                if (p !== undefined) go({ p });
            },
        });
        this.file = el('input', {
            type: 'file',
            class: 'visually-hidden',
            change: () => this.file.files[0] && this.take(this.file.files[0]),
        });
        this.drop = el(
            'div',
            { class: 'drop' },
            el(
                'p',
                {},
                'Drop a list with one key per line here, or a filter that petal saved (',
                el('b', {}, '.petal'),
                ')',
            ),
            el(
                'p',
                { class: 'row' },
                el(
                    'button',
                    { type: 'button', click: () => this.file.click() },
                    'Choose a file',
                ),
                el(
                    'button',
                    {
                        type: 'button',
                        click: () => this.list('20,000 words', sampleList()),
                    },
                    'Use a sample list',
                ),
            ),
            el('label', { class: 'visually-hidden' }, 'A filter or a list', this.file),
        );
        this.status = el('p', { class: 'headline', role: 'status' }, 'Nothing loaded yet.');
        this.found = el('div', {});
        lab.leaving(() => this.release());
        this.listenForDrops();
        root.append(
            el('h1', {}, 'Try a filter'),
            el(
                'section',
                { class: 'card', 'aria-label': 'What to try' },
                this.drop,
                el('h2', { class: 'after' }, 'If you load a list'),
                el(
                    'div',
                    { class: 'controls' },
                    labelled('Filter kind', this.kind),
                    labelled('False positive rate', this.p),
                    labelled(
                        'Key format',
                        this.form,
                        'url also finds a page by its site, ip an address by its network',
                    ),
                ),
                this.status,
            ),
            this.found,
        );
    }

    listenForDrops() {
        const { drop } = this;
        drop.addEventListener('dragover', (event) => {
            event.preventDefault();
            drop.classList.add('over');
        });
        drop.addEventListener('dragleave', () => drop.classList.remove('over'));
        drop.addEventListener('drop', (event) => {
            event.preventDefault();
            drop.classList.remove('over');
            if (event.dataTransfer.files[0]) this.take(event.dataTransfer.files[0]);
        });
    }

    /** Opens a file that a person gave: a filter, or a list. */
    async take(file) {
        try {
            if (file.size > LIST_MAX)
                throw new Error(
                    `it has ${bytesText(file.size)}; the lab takes at most ${bytesText(LIST_MAX)}. Use the petal command for larger files`,
                );
            const data = new Uint8Array(await file.arrayBuffer());
            if (isFilter(data)) return this.opened(file.name, data);
            const { keys, blank, repeated } = linesOf(data);
            return this.list(file.name, keys, { blank, repeated });
        } catch (error) {
            return this.complain(file.name, error);
        } finally {
            this.file.value = '';
        }
    }

    complain(name, error) {
        this.status.className = 'headline problem';
        this.status.textContent = `${name}: ${error.message}.`;
    }

    opened(name, data) {
        const filter = this.lab.petal.open(data);
        this.release();
        Object.assign(this, { filter, source: { name } });
        this.status.className = 'headline';
        this.status.textContent = `${name} is valid: every checksum is right.`;
        this.showFilter();
    }

    list(name, keys, skipped = { blank: 0, repeated: 0 }) {
        this.release();
        this.source = { name, keys, ...skipped };
        this.build();
    }

    /** Builds a filter from the list, with the options above. */
    build() {
        const { name, keys, blank, repeated } = this.source,
            { kind, p, form } = this.wanted,
            { petal } = this.lab;
        this.filter?.free();
        this.filter = undefined;
        this.measurement?.stop();
        let rejected = 0;
        try {
            const filter = petal.create({ kind, fpr: p, form, capacity: keys.length });
            filter.addMany(keys, { rejected: () => rejected++ });
            this.filter = filter.seal();
            this.source.added = keys.length - rejected;
        } catch (error) {
            this.found.replaceChildren();
            return this.complain(name, error);
        }
        const left = [
            [blank, 'blank lines'],
            [repeated, 'repeated lines'],
            [rejected, `lines that are not valid as ${form}`],
        ]
            .filter(([n]) => n > 0)
            .map(([n, what]) => `${count(n)} ${what}`);
        this.status.className = 'headline';
        this.status.textContent = `${count(keys.length - rejected)} keys from ${name}${left.length ? `, without ${left.join(', ')}` : ''}.`;
        return this.showFilter();
    }

    release() {
        this.measurement?.stop();
        this.filter?.free();
        this.filter = this.source = this.measurement = undefined;
        this.found.replaceChildren();
    }

    showFilter() {
        const { filter, source } = this,
            { info } = filter;
        this.measurement?.stop();
        this.measurement = new Measurement(this.lab.petal, filter, source.keys);
        const facts = [
            ['Kind', info.kind],
            ['Form of keys', info.form],
            ['Size', bytesText(filter.bytes().length)],
            source.keys
                ? ['Keys', count(source.added)]
                : ['Keys, estimated', count(info.keysEstimate)],
            [
                'Bits per key',
                real(info.bits / Math.max(1, source.added ?? info.keysEstimate)),
            ],
            ['Probes', info.hashes],
            ['Promised rate', rate(info.fpr)],
            ['Rate now', rate(info.fprEstimate)],
            ['Hash', info.hash],
            ...Object.entries(filter.notes).map(([name, text]) => [`Note: ${name}`, text]),
        ];
        this.found.replaceChildren(
            el(
                'section',
                { class: 'card', 'aria-label': 'The filter' },
                el(
                    'div',
                    { class: 'row spread' },
                    el('h2', {}, 'What it is'),
                    el(
                        'button',
                        { type: 'button', click: () => this.save() },
                        'Save as a .petal file',
                    ),
                ),
                el(
                    'dl',
                    { class: 'facts' },
                    facts.map(([name, value]) =>
                        el('div', {}, el('dt', {}, name), el('dd', {}, String(value))),
                    ),
                ),
            ),
            this.checker(),
            this.measurement.element,
        );
    }

    checker() {
        const key = el('input', {
            type: 'text',
            autocomplete: 'off',
            autocapitalize: 'off',
            spellcheck: 'false',
            placeholder: this.source.keys?.[0] ?? '',
        });
        const answer = el('p', { class: 'verdict', role: 'status' });
        const check = (event) => {
            event.preventDefault();
            const { filter } = this,
                text = key.value;
            const match = filter.match(text),
                probes = match === null ? [] : filter.probesOf(text);
            answer.className = `verdict ${match === null ? 'no' : 'maybe'}`;
            const truth =
                this.source.keys && match !== null
                    ? this.source.keys.includes(text)
                        ? ' Right: the list has it.'
                        : match === text
                          ? ' The list does not have it: a false positive.'
                          : ''
                    : '';
            answer.textContent =
                match === null
                    ? `${text}: certainly not in the set.`
                    : `${match}: maybe${
                          probes.length
                              ? `. Cells ${probes
                                    .slice(0, 12)
                                    .map(({ cell }) => count(cell))
                                    .join(', ')} are set.`
                              : '.'
                      }${truth}`;
        };
        return el(
            'section',
            { class: 'card', 'aria-label': 'Look up keys' },
            el('h2', {}, 'Look up a key'),
            el(
                'form',
                { class: 'row', submit: check },
                labelled('Key to look up', key),
                el('button', { class: 'primary' }, 'Look up'),
            ),
            answer,
        );
    }

    save() {
        const name = `${this.source.name.replace(/\.[^.]*$/, '').replace(/[^\w-]+/g, '-')}.petal`,
            address = URL.createObjectURL(new Blob([this.filter.bytes()]));
        el('a', { href: address, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(address), 10000);
    }

    show(values) {
        const kind = [...this.kind.options].some(
            ({ value }) => value === values.get('kind'),
        )
            ? values.get('kind')
            : 'blocked';
        const form = [...this.form.options].some(
            ({ value }) => value === values.get('form'),
        )
            ? values.get('form')
            : 'raw';
        const wanted = { kind, form, p: rateIn(values.get('p') ?? '') ?? 0.01 },
            changed = JSON.stringify(wanted) !== JSON.stringify(this.wanted);
        this.given = Object.fromEntries(values);
        this.wanted = wanted;
        this.kind.value = kind;
        this.form.value = form;
        this.p.value = rate(wanted.p);
        if (changed && this.source?.keys) this.build();
    }
}

export const tryOut = {
    name: 'try',
    tab: 'Try',
    title: 'Try a filter',
    mount(root, lab) {
        const view = new Try(root, lab);
        return (values) => view.show(values);
    },
};
