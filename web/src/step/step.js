// SPDX-License-Identifier: BSD-2-Clause
// step.js: the view "Step through": a small filter, a program of additions and lookups, and its frames.
//
// In the address: `example` is one of the notes', or `table` with its sizes `m` and `k` a filter of the library.
// `do` is an operation, as often as there are some; `at` the frame.
import { choice, el, labelled } from '../dom.js';
import { list } from '../numbers.js';
import { bitFrames, colours, drawBits, operationText } from './bits.js';
import { chainFrames, drawChains } from './chains.js';
import { drawLines, lineFrames } from './lines.js';
import { ELSEWHERE, NOTES } from './notes.js';
import { player } from './player.js';
import { KINDS } from './real.js';
import { wires } from './wires.js';

const SIGNS = { add: '+', ask: '?', remove: '-' };
const KEY_MAX = 60,
    PROGRAM_MAX = 40;
const OWN = [
    ['add', 'rose'],
    ['add', 'tulip'],
    ['ask', 'rose'],
    ['ask', 'daisy'],
].map(([op, key]) => ({ op, key }));

const written = ({ op, key }) => SIGNS[op] + key;

function programIn(values) {
    return values
        .getAll('do')
        .slice(0, PROGRAM_MAX)
        .map((text) => ({
            op: Object.keys(SIGNS).find((op) => SIGNS[op] === text[0]),
            key: text.slice(1, 1 + KEY_MAX),
        }))
        .filter(({ op, key }) => op && key);
}

const within = (text, [from, to, normal]) =>
    text !== null && Number.isInteger(Number(text)) && text >= from && text <= to
        ? Number(text)
        : normal;

/** What the address asks for. The first view is the notes' example, at its end: the false positive. */
export function wantedIn(values) {
    const kind = Object.hasOwn(KINDS, values.get('table'))
        ? values.get('table')
        : undefined;
    const example = kind
        ? undefined
        : (NOTES.find(({ name }) => name === values.get('example')) ?? NOTES[0]);
    const sizes = {};
    for (const [name, limits] of Object.entries(kind ? KINDS[kind].sizes : {}))
        sizes[name] = within(values.get(name), limits);
    const program = values.has('do')
        ? programIn(values)
        : values.has('empty')
          ? []
          : example
            ? example.program
            : OWN;
    return { kind, example, sizes, program, at: values.get('at') };
}

const tables = { lines: [lineFrames, drawLines], chains: [chainFrames, drawChains] };

/** The frames of a program. Operations that the table cannot do are left out. */
export function framesOf(table, program) {
    const operations = program.filter(({ op, key }) => {
        try {
            table.positions?.(key);
            return table.operations.includes(op);
        } catch {
            return false;
        }
    });
    return {
        operations,
        frames: (tables[table.kind]?.[0] ?? bitFrames)(table, operations),
    };
}

class Step {
    constructor(root, lab) {
        this.lab = lab;
        this.build(root);
        const redraw = () => this.frame && this.showFrame();
        addEventListener('resize', redraw);
        lab.leaving(() => {
            removeEventListener('resize', redraw);
            this.player.stop();
        });
    }

    build(root) {
        this.kinds = choice(
            'Table',
            Object.entries(KINDS).map(([name, { text }]) => [name, text]),
            (table) => this.go({ table, at: 'end' }),
        );
        this.sizes = el('div', { class: 'sizes' });
        this.key = el('input', {
            type: 'text',
            maxlength: KEY_MAX,
            autocomplete: 'off',
            autocapitalize: 'off',
            spellcheck: 'false',
            placeholder: 'rose',
        });
        this.buttons = el('div', { class: 'row' });
        this.message = el('p', { class: 'problem', role: 'alert' });
        this.program = el('ol', { class: 'program' });
        this.examples = el(
            'ul',
            { class: 'examples' },
            NOTES.map(({ name, text }) =>
                el(
                    'li',
                    {},
                    el(
                        'a',
                        { href: `#step?example=${name}&at=0`, 'data-example': name },
                        text,
                    ),
                ),
            ),
            ELSEWHERE.map(({ text, href }) => el('li', {}, el('a', { href }, text))),
        );
        this.sentence = el('p', { class: 'sentence', 'aria-live': 'polite' });
        this.verdict = el('p', { class: 'verdict' });
        this.hashes = el('ul', { class: 'hashes', 'aria-label': 'Hashes of the key' });
        this.drawing = el('div', { class: 'drawing' });
        this.legend = el('ul', { class: 'legend', 'aria-label': 'Keys' });
        this.remark = el(
            'p',
            { class: 'quiet small' },
            'The coloured dots are for you: they show which key set a cell. The filter stores only the numbers.',
        );
        this.why = el('div', { class: 'why' });
        this.stage = el('div', { class: 'stage' }, this.hashes, this.drawing);
        this.player = player((at) => this.go({ at }, { step: false }));
        this.title = el('h1');
        this.next = el('p', { class: 'next' });
        this.lead = el(
            'p',
            { class: 'lead' },
            'A Bloom filter remembers a set of keys, such as words or addresses of pages, in a few bits. Adding a key sets the bits that its hashes point to. Looking up a key checks these bits.',
        );
        this.stepsHead = el(
            'div',
            { class: 'row spread' },
            el('h2', {}, 'Steps'),
            el(
                'button',
                {
                    type: 'button',
                    class: 'plain',
                    click: () => this.go({ program: [], at: 0 }),
                },
                'Clear',
            ),
        );
        root.append(
            this.title,
            this.lead,
            el(
                'div',
                { class: 'columns' },
                el(
                    'section',
                    { class: 'card main', 'aria-label': 'The filter' },
                    this.sentence,
                    this.verdict,
                    this.stage,
                    this.player,
                    this.legend,
                    this.remark,
                    this.why,
                    this.next,
                ),
                el(
                    'section',
                    { class: 'card side', 'aria-label': 'What to do' },
                    el('h2', {}, 'Your own keys'),
                    el('p', { class: 'small quiet kind' }, 'Kind of filter'),
                    this.kinds,
                    this.sizes,
                    el(
                        'form',
                        { class: 'ask', submit: (event) => this.submit(event) },
                        labelled('Key', this.key),
                        this.buttons,
                        this.message,
                    ),
                    this.stepsHead,
                    this.program,
                    el('h2', {}, 'From the lecture notes'),
                    this.examples,
                ),
            ),
        );
    }

    submit(event) {
        event.preventDefault();
        const op = event.submitter?.value ?? 'ask',
            key = this.key.value.trim();
        if (key === '') return this.complain('Type a key first.');
        if (this.operations.length >= PROGRAM_MAX)
            return this.complain(
                `The lab shows at most ${PROGRAM_MAX} steps. Clear them to go on.`,
            );
        try {
            this.table.positions(key);
        } catch (error) {
            return this.complain(error.message);
        }
        const before = this.frames.length;
        this.key.select();
        return this.go({
            program: [...this.operations, { op, key }],
            at: before,
            play: true,
        });
    }

    complain(text) {
        this.message.textContent = text;
    }

    /** Changes a part of what is shown. */
    go({ table, sizes, program, at, play } = {}, options) {
        const now = this.wanted,
            kind = table ?? now.kind;
        const values = kind
            ? { table: kind, ...(table ? {} : now.sizes), ...sizes }
            : { example: now.example.name };
        const operations = program ?? (table && !now.kind ? undefined : this.operations);
        if (operations)
            values[operations.length ? 'do' : 'empty'] = operations.length
                ? operations.map(written)
                : 1;
        values.at = at === 'end' ? undefined : (at ?? this.frame.index);
        this.lab.go(values, { step: true, ...options });
        if (play) this.player.querySelector('.primary').click();
    }

    show(values) {
        const wanted = wantedIn(values);
        const table = wanted.kind
            ? KINDS[wanted.kind].make(this.lab.petal, wanted.sizes)
            : wanted.example.table(this.lab.petal);
        const { operations, frames } = framesOf(table, wanted.program);
        Object.assign(this, { wanted, table, operations, frames });
        const at =
            wanted.at === null
                ? frames.length - 1
                : Math.min(
                      frames.length - 1,
                      Math.max(0, Math.floor(Number(wanted.at)) || 0),
                  );
        this.frame = frames[at];
        this.message.textContent = '';
        this.showControls();
        this.showFrame();
    }

    showControls() {
        const { kind, example, sizes } = this.wanted;
        this.kinds.set(kind);
        this.sizes.replaceChildren(
            ...Object.entries(kind ? KINDS[kind].sizes : {}).map(([name, [from, to]]) => {
                const range = el('input', {
                    type: 'range',
                    min: from,
                    max: to,
                    step: 1,
                    value: sizes[name],
                    change: () =>
                        this.go({
                            sizes: { ...sizes, [name]: Number(range.value) },
                            at: 'end',
                        }),
                });
                return labelled(`${KINDS[kind][name]}: ${sizes[name]}`, range);
            }),
            ...(example?.variants ?? []).map(([text, program]) =>
                el(
                    'button',
                    {
                        type: 'button',
                        class: 'small',
                        click: () => this.go({ program, at: 'end' }),
                    },
                    text,
                ),
            ),
        );
        this.key.closest('form').hidden = this.table.operations.length === 0;
        const names = { add: 'Add', ask: 'Look up', remove: 'Remove' };
        this.buttons.replaceChildren(
            ...this.table.operations.map((op) =>
                el(
                    'button',
                    { value: op, class: op === 'add' ? 'primary' : undefined },
                    names[op],
                ),
            ),
        );
        this.key.placeholder = this.table.keys?.at(-1) ?? 'rose';
        const other = this.table.kind !== undefined; // derivations and chains have no hashes to draw
        this.hashes.hidden = this.remark.hidden = this.lead.hidden = other;
        this.title.textContent = other ? example.text : 'See how a Bloom filter answers';
        for (const link of this.examples.querySelectorAll('[data-example]'))
            link.dataset.example === example?.name
                ? link.setAttribute('aria-current', 'true')
                : link.removeAttribute('aria-current');
    }

    showFrame() {
        const { frame, frames, table, operations } = this,
            colour = colours(operations);
        const draw = tables[table.kind]?.[1] ?? drawBits;
        this.sentence.textContent = frame.sentence;
        this.verdict.className = `verdict ${frame.answer ?? ''} ${frame.wrong ? 'wrong' : ''}`;
        this.verdict.textContent = frame.answer
            ? `${frame.key}: ${frame.answer}${frame.wrong ? ` (${frame.wrong})` : ''}`
            : table.showsSize
              ? `Size: ${frame.size}`
              : '';
        this.hashes.replaceChildren(
            ...(frame.probes ?? []).map((probe, i) =>
                el(
                    'li',
                    {
                        'data-hash': i,
                        class: `k${colour(frame.key)} ${i < frame.reached ? 'lit' : ''} ${i + 1 === frame.reached && !frame.answer ? 'now' : ''}`,
                    },
                    probe.name ? `${probe.name} = ${probe.at}` : probe.at,
                ),
            ),
        );
        this.drawing.replaceChildren(draw(table, frame, colour));
        this.player.set(frame.index, frames.length);
        this.showProgram(colour);
        this.showWhy(colour);
        this.showNext();
        wires(this.stage, frame);
    }

    showProgram(colour) {
        const { frame, frames, operations } = this;
        const keys = [...new Set(operations.map(({ key }) => key))];
        this.legend.replaceChildren(
            ...keys.map((key) =>
                el(
                    'li',
                    {},
                    el('i', { class: `k${colour(key)}`, 'aria-hidden': 'true' }),
                    key,
                ),
            ),
        );
        this.program.replaceChildren(
            ...operations.map((operation, step) => {
                const end = frames.findLastIndex((one) => one.step === step);
                const done = frames[end].answer;
                return el(
                    'li',
                    { class: frame.step === step ? 'now' : undefined },
                    el(
                        'button',
                        {
                            type: 'button',
                            class: 'plain',
                            click: () => this.go({ at: end }, { step: false }),
                        },
                        el('i', {
                            class: `k${colour(operation.key)}`,
                            'aria-hidden': 'true',
                        }),
                        operationText(operation),
                        done && end <= frame.index
                            ? el(
                                  'span',
                                  {
                                      class: `mark ${done} ${frames[end].wrong ? 'wrong' : ''}`,
                                  },
                                  frames[end].wrong
                                      ? `${done}: ${frames[end].wrong}`
                                      : done,
                              )
                            : null,
                    ),
                );
            }),
        );
        this.program.hidden = operations.length === 0;
        this.stepsHead.hidden = this.table.operations.length === 0;
    }

    /** At the end of an example: a link to the next one. */
    showNext() {
        const { example } = this.wanted,
            next = NOTES[(NOTES.indexOf(example) + 1) % NOTES.length];
        this.next.replaceChildren(
            ...(example && this.frame.index === this.frames.length - 1
                ? [
                      'Next example: ',
                      el('a', { href: `#step?example=${next.name}&at=0` }, next.text),
                  ]
                : []),
        );
    }

    showWhy(colour) {
        const { frame, table } = this,
            cells = table.counts ? 'Counter' : 'Bit';
        if (!frame.why) return this.why.replaceChildren();
        return this.why.replaceChildren(
            el(
                'h2',
                {},
                frame.wrong
                    ? `Why ${frame.key} looks like a member`
                    : `Why the answer is maybe`,
            ),
            el(
                'ul',
                {},
                frame.why.map(({ probe, owners }) =>
                    el(
                        'li',
                        {},
                        `${cells} ${probe.at}${probe.place ? ` of ${probe.place}` : ''} was set by `,
                        owners.map((key, i) => [
                            i === 0 ? '' : i + 1 === owners.length ? ' and ' : ', ',
                            el('b', { class: `key k${colour(key)}` }, key),
                        ]),
                        '.',
                    ),
                ),
            ),
            el('p', {}, this.whyText(frame, cells.toLowerCase())),
        );
    }

    whyText(frame, cell) {
        const keys = [...new Set(frame.why.flatMap(({ owners }) => owners))],
            alone = keys.find((key) =>
                frame.why.every(({ owners }) => owners.includes(key)),
            );
        if (!frame.wrong)
            return `The filter only sees that these ${cell}s are set. Other keys could have set them too, so it never says "yes".`;
        return alone
            ? `${alone} has the same ${cell}s. The filter cannot tell the two apart.`
            : `Between them, ${list(keys)} set all of these ${cell}s. The filter does not store which key set a ${cell}, so it cannot tell the difference.`;
    }
}

export const step = {
    name: 'step',
    tab: 'Step through',
    title: 'Step through a Bloom filter',
    mount(root, lab) {
        const view = new Step(root, lab);
        return (values) => view.show(values);
    },
};
