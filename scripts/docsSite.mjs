// Generates the documentation site from docs/ and scripts/docsSite/navigation.mjs: `docsSite.mjs [FOLDER]`. A link or an anchor
// that leads nowhere, and raw HTML, are errors.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderImage, writeAsset, writeScript, writeStyles } from './docsSite/assets.mjs';
import { renderDocument } from './docsSite/layout.mjs';
import { parsePage, renderPage } from './docsSite/markdown.mjs';
import { generatedPages, listPages, redirects } from './docsSite/navigation.mjs';
import { renderSearchIndex } from './docsSite/searchIndex.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = process.argv[2] ?? join(root, 'packages/web/dist/docs');

rmSync(folder, { recursive: true, force: true });
const pages = readPages();
const bySource = new Map(pages.map((page) => [page.source, page]));
const assets = {
  styles: writeStyles(folder),
  script: await writeScript(folder, 'page'),
  search: await writeScript(folder, 'search'),
  index: writeAsset(folder, 'index.js', renderSearchIndex(pages)),
  icon: writeAsset(folder, 'icon.svg', readFileSync(join(root, 'packages/web/src/icon.svg'))),
};
for (const page of pages) {
  const article = renderPage(page, createTargets(page));
  writeFileSync(join(folder, `${page.name}.html`), renderDocument({ page, article, pages, assets, prefix: '' }));
}
writeFileSync(join(folder, 'redirects.txt'), renderRedirects());
// For any address below /docs, so its links are absolute.
const missing = { name: '404', title: 'Page not found', description: 'This page does not exist.', headings: [] };
const article =
  '<h1>Page not found</h1>\n<p>The documentation has no page at this address. All pages are listed here, and the search finds every section.</p>\n';
writeFileSync(join(folder, '404.html'), renderDocument({ page: missing, article, pages, assets, prefix: '/docs/' }));

function readPages() {
  const files = listPages();
  return files.map((file) =>
    parsePage(file, readFileSync(join(root, file.source), 'utf8'), { isCodeSearched: !generatedPages.has(file.name) }),
  );
}

/** A line for each former page: its name, and the address that the service redirects to. */
function renderRedirects() {
  const byName = new Map(pages.map((page) => [page.name, page]));
  const lines = Object.entries(redirects).map(([name, target]) => {
    const [page, anchor] = target.split('#');
    const source = byName.get(page ?? '')?.source ?? target;
    return `${name} ${linkToPage({ source: 'scripts/docsSite/navigation.mjs' }, source, anchor)}\n`;
  });
  return lines.join('');
}

/** Where the links and pictures of a page lead. @param {import('./docsSite/markdown.mjs').Page} page */
function createTargets(page) {
  const sourceOf = (/** @type {string} */ path) => normalize(join(dirname(page.source), path));
  return {
    /** @param {string} href */
    titleOf: (href) => bySource.get(sourceOf(href.replace(/#.*/, '')))?.title,
    /** @param {string} href */
    link(href) {
      if (/^(https?|mailto):/.test(href)) return href;
      // Paths of the service itself.
      if (href.startsWith('/')) return `..${href}`;
      const [path = '', anchor] = href.split('#');
      const source = path === '' ? page.source : sourceOf(path);
      return source.endsWith('.schema.json') ? publishFile(source) : linkToPage(page, source, anchor);
    },
    /** @param {string} href @param {string} alt */
    image: (href, alt) => renderImage(folder, sourceOf(href), alt, ''),
  };
}

/** @param {{ source: string }} page @param {string} source of the page that it links to @param {string | undefined} anchor */
function linkToPage(page, source, anchor) {
  const target = bySource.get(source);
  if (!target) throw new Error(`${page.source}: ${source} is no page of the documentation`);
  const address = source === page.source ? '' : `${target.name}.html`;
  if (anchor === undefined) return address;
  if (!target.headings.some((heading) => heading.anchor === anchor)) {
    throw new Error(`${page.source}: ${source} has no heading #${anchor}`);
  }
  return `${address}#${anchor}`;
}

/** Publishes a file under its own name: other programs refer to it. @param {string} source */
function publishFile(source) {
  writeFileSync(join(folder, basename(source)), readFileSync(join(root, source)));
  return basename(source);
}
