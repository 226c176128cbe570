// SPDX-License-Identifier: BSD-2-Clause
// guard.js: guards the links of a page: the filter first, and the slow check only for a maybe.
//
// A link is "safe" if the filter says that it is certainly not in the list. Otherwise it is "checking" until
// the slow check has answered, and then "blocked" or "cleared". A click on a link that is being checked waits
// for the answer.

export class Guard {
    #filter;
    #check;
    #answers = new Map(); // promises, by link

    /** `check(url)` is the slow question: it resolves to true if the URL is malicious. */
    constructor(filter, check) {
        this.#filter = filter;
        this.#check = check;
        this.onChange = () => {};
        this.onBlocked = () => {};
    }

    /** Marks links. One batch of lookups for all of them. Resolves when the last one has its answer. */
    async protect(links) {
        const maybe = this.#filter.matchMany(links.map((link) => link.href));
        links.forEach((link, i) => {
            this.#mark(link, maybe[i] ? 'checking' : 'safe');
            link.addEventListener('click', (event) => this.#clicked(event, link));
            if (maybe[i]) this.#answers.set(link, this.#asked(link));
        });
        await Promise.all(links.map((link) => this.#answers.get(link)));
    }

    #mark(link, state) {
        link.dataset.guard = state;
        this.onChange(link, state);
    }

    async #asked(link) {
        try {
            this.#mark(link, (await this.#check(link.href)) ? 'blocked' : 'cleared');
        } catch {
            // without an answer the link stays shut
            this.#mark(link, 'blocked');
        }
    }

    async #clicked(event, link) {
        if (link.dataset.guard === 'safe' || link.dataset.guard === 'cleared') return;
        event.preventDefault();
        await this.#answers.get(link);
        if (link.dataset.guard === 'blocked')
            this.onBlocked(link, this.#filter.match(link.href));
        else link.click();
    }
}
