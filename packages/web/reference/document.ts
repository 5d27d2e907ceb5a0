// Writes the pages of the API reference for the service: complete without JavaScript, with the look of the other pages.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml, openApiDocument } from '@provenance-registry/core';
import { type ReferencePage, renderReference } from './pages.js';

/** Stands for the base URL of the service, which is known when it starts. */
const BASE_URL = 'https://base-url.invalid';

const texts = {
  home: 'Provenance registry',
  skip: 'Skip to content',
  pages: 'Pages',
  more: 'More',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
};
const headerLinks: Readonly<Record<string, string>> = {
  '/': 'Verify',
  '/gallery': 'Gallery',
  '/docs/': 'Docs',
  '/api/reference': 'API reference',
};
const footerLinks: Readonly<Record<string, string>> = {
  '/': 'Home',
  '/docs/': 'Docs',
  '/api/reference': 'API reference',
  '/api/openapi.json': 'OpenAPI document (JSON)',
};

/** Writes `reference.json`: the documents, each with a placeholder for what its head says about it. */
export function writeReference(folder: string, version: string): void {
  const [start, middle, end] = readFileSync(join(folder, 'static.html'), 'utf8').split(/<!-- (?:head|body) -->/);
  if (end === undefined) throw new Error(`${folder}/static.html lacks the placeholders for head and body`);
  const [, icon = ''] = /href="([^"]+\.svg)"/.exec(`${start}${middle}`) ?? [];
  const pages = renderReference(openApiDocument(BASE_URL, version), BASE_URL).map((page) => {
    const { title, description, path } = page;
    return { title, description, path, html: `${start}<!-- head -->${middle}${renderBody(page, icon)}${end}` };
  });
  writeFileSync(join(folder, 'reference.json'), JSON.stringify({ baseUrl: BASE_URL, pages }));
}

function renderBody({ path, side, main }: ReferencePage, icon: string): string {
  return `<a class="skip" href="#main">${texts.skip}</a>
<header class="bar">
<a href="/" class="brand"><img src="${icon}" alt="" width="28" height="28">${texts.home}</a>
<nav aria-label="${texts.pages}">${renderLinks(headerLinks, path)}</nav>
</header>
<div class="static-page has-side">
${side}
<main id="main" tabindex="-1">
${main}
</main>
</div>
<footer class="foot">
<nav aria-label="${texts.more}">${renderLinks(footerLinks)}</nav>
${renderThemeSwitch()}
</footer>`;
}

function renderLinks(links: Readonly<Record<string, string>>, path?: string): string {
  const isCurrent = (href: string) => href !== '/' && (path === href || path?.startsWith(`${href}/`));
  return Object.entries(links)
    .map(([href, label]) => {
      const current = isCurrent(href) ? ` aria-current="${path === href ? 'page' : 'true'}"` : '';
      return `<a href="${href}"${current}>${escapeHtml(label)}</a>`;
    })
    .join('\n');
}

/** Operated by /theme.js; hidden without it. */
function renderThemeSwitch(): string {
  const options = Object.entries(texts.themes).map(([value, label]) => `<option value="${value}">${label}</option>`);
  return `<label class="theme-switch">${texts.theme} <select data-theme-switch>${options.join('')}</select></label>`;
}
