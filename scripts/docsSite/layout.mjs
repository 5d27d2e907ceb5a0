// The HTML document around an article: header, navigation, headings of the page, the pages before and after it. All links are
// relative, so that the folder also works from a disk or another web server.

import { escapeHtml } from './markdown.mjs';

const SITE_NAME = 'Provenance registry';
/** The number of headings above which those of the third level are left out. */
const MAX_HEADINGS = 30;

/**
 * @typedef {{ styles: string, script: string, search: string, index: string, icon: string }} Assets
 * @typedef {{ name: string, title: string, group: string }} Link
 */

/**
 * @param {{
 *   page: { name: string, title: string, description: string, headings: import('./markdown.mjs').Heading[] },
 *   article: string,
 *   pages: Link[],
 *   assets: Assets,
 *   prefix: string,
 * }} content `prefix`: before the paths of pages and assets
 */
export function renderDocument({ page, article, pages, assets, prefix }) {
  const title = page.name === 'index' ? `Documentation · ${SITE_NAME}` : `${page.title} · ${SITE_NAME} documentation`;
  const home = prefix === '' ? '../' : '/';
  const contents = renderContents(page.headings);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<meta property="og:site_name" content="${SITE_NAME}">
<meta property="og:type" content="article">
<meta property="og:title" content="${escapeHtml(page.title)}">
<meta property="og:description" content="${escapeHtml(page.description)}">
<link rel="icon" href="${prefix}${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}${assets.styles}">
<script src="${home}theme.js"></script>
<script src="${prefix}${assets.script}" defer data-search="${prefix}${assets.search}" data-index="${prefix}${assets.index}" data-prefix="${prefix}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar docs-bar">
<div class="docs-brand">
<a class="brand" href="${home}"><img src="${prefix}${assets.icon}" alt="" width="24" height="24">${SITE_NAME}</a>
<a class="docs-home" href="${prefix}index.html">Documentation</a>
</div>
<search class="docs-search">
<label for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" maxlength="100" aria-describedby="search-hint">
<span id="search-hint" class="hint">Press / to search, then the arrow keys to choose a result.</span>
<div class="docs-results" hidden><p role="status"></p><ol></ol></div>
</search>
<nav aria-label="Site">
<a class="docs-menu" href="#navigation">All pages</a>
<a href="${home}api/reference">API reference</a>
</nav>
<label class="docs-theme"><span class="hint">Theme</span> <select data-theme-switch>
<option value="system">System</option>
<option value="light">Light</option>
<option value="dark">Dark</option>
</select></label>
</header>
<div class="docs-columns">
<main id="main" tabindex="-1">
${contents === '' ? '' : `<details class="docs-contents-small"><summary>On this page</summary>\n${contents}\n</details>\n`}<article>
${article}</article>
${renderNeighbors(page.name, pages, prefix)}
</main>
${contents === '' ? '' : `<nav class="docs-contents" aria-labelledby="contents-title">\n<p id="contents-title">On this page</p>\n${contents}\n</nav>\n`}<nav id="navigation" class="docs-navigation" aria-label="Documentation">
${renderNavigation(page.name, pages, prefix)}
</nav>
</div>
</body>
</html>
`;
}

/** @param {string} current @param {Link[]} pages @param {string} prefix */
function renderNavigation(current, pages, prefix) {
  const groups = new Set(pages.map(({ group }) => group));
  return [...groups]
    .map((group) => {
      const links = pages
        .filter((page) => page.group === group)
        .map(({ name, title }) => {
          const state = name === current ? ' aria-current="page"' : '';
          return `<li><a href="${prefix}${name}.html"${state}>${escapeHtml(title)}</a></li>`;
        });
      return `<p>${escapeHtml(group)}</p>\n<ul>\n${links.join('\n')}\n</ul>`;
    })
    .join('\n');
}

/** @param {import('./markdown.mjs').Heading[]} headings */
function renderContents(headings) {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = below.length > MAX_HEADINGS ? below.filter(({ depth }) => depth === 2) : below;
  if (shown.length < 2) return '';
  const links = shown.map(
    ({ depth, anchor, text }) =>
      `<li${depth === 3 ? ' class="sub"' : ''}><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<ul>\n${links.join('\n')}\n</ul>`;
}

/** @param {string} current @param {Link[]} pages @param {string} prefix */
function renderNeighbors(current, pages, prefix) {
  const place = pages.findIndex(({ name }) => name === current);
  if (place < 0) return '';
  const link = (/** @type {Link | undefined} */ page, /** @type {string} */ rel, /** @type {string} */ label) =>
    page
      ? `<a rel="${rel}" href="${prefix}${page.name}.html"><span>${label}</span> ${escapeHtml(page.title)}</a>`
      : '<span></span>';
  return `<nav class="docs-neighbors" aria-label="Previous and next page">
${link(pages[place - 1], 'prev', 'Previous')}
${link(pages[place + 1], 'next', 'Next')}
</nav>`;
}
