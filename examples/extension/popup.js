// SPDX-License-Identifier: BSD-2-Clause
// popup.js: shows the counts.
import { counted } from './guard.js';

for (const [name, value] of Object.entries(await counted()))
    document.getElementById(name).textContent = value.toLocaleString();
