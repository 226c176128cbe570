// SPDX-License-Identifier: BSD-2-Clause
// build.mjs PACKAGE NPM-JS NPM-LAB TO: makes the lab: one page with its style, its scripts and the library in it.
//
// PACKAGE is the folder of petal-filter, NPM-JS has esbuild, NPM-LAB the library for charts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , packageFolder, npmTools, npmLab, to] = process.argv;
const here = fileURLToPath(new URL('.', import.meta.url));
const esbuild = createRequire(join(resolve(npmTools), 'x.js'))('esbuild');

const {
    outputFiles: [script],
    metafile,
} = esbuild.buildSync({
    entryPoints: [join(here, 'src/main.js')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    charset: 'utf8',
    legalComments: 'none',
    alias: { 'petal-filter/inline': join(resolve(packageFolder), 'inline.js') },
    nodePaths: [resolve(npmLab)],
    define: { 'import.meta.url': 'document.baseURI' },
    metafile: true,
});
/** The licences of the packages that are in the page. */
function licences() {
    const names = new Set(
        Object.keys(metafile.inputs)
            .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
            .filter(Boolean),
    );
    return [...names]
        .sort()
        .map((name) => {
            const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt']
                .map((file) => join(npmLab, name, file))
                .find(existsSync);
            if (!file) throw new Error(`${name} has no licence`);
            return `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`;
        })
        .join('\n');
}

const style = esbuild.transformSync(readFileSync(join(here, 'lab.css'), 'utf8'), {
    loader: 'css',
    minify: true,
}).code;
const page = readFileSync(join(here, 'index.html'), 'utf8')
    .replace('/* lab.css */', () => style)
    .replace('<!-- licences -->', () => licences().replaceAll('<', '&lt;'))
    .replace('/* lab.js */', () => script.text.replaceAll('</script', '<\\/script'));
mkdirSync(dirname(to), { recursive: true });
writeFileSync(to, page);
