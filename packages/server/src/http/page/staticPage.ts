// Documents without the application, such as the API reference: complete without JavaScript, with the look of the other pages.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../../escapeHtml.js';
import { renderHead } from './htmlHead.js';

export interface StaticPage {
  readonly title: string;
  readonly description: string;
  /** Canonical path. */
  readonly path: string;
  /** HTML of the navigation beside the content. */
  readonly side?: string;
  /** HTML of the content. */
  readonly main: string;
}

export const staticPageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

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

/** The built template has placeholders for its head and its body. */
export function createStaticPageRenderer(folder: string, baseUrl: string): (page: StaticPage) => string {
  const [start, middle, end] = readFileSync(join(folder, 'static.html'), 'utf8').split(/<!-- (?:head|body) -->/);
  if (end === undefined) throw new Error(`${folder}/static.html lacks the placeholders for head and body`);
  const [, icon = ''] = /href="([^"]+\.svg)"/.exec(`${start}${middle}`) ?? [];
  return (page) => {
    const { title, description, path } = page;
    const { head } = renderHead({ status: 200, title, description, path, text: [] }, baseUrl);
    return `${start}${head}${middle}${renderBody(page, icon)}${end}`;
  };
}

function renderBody({ path, side, main }: StaticPage, icon: string): string {
  return `<a class="skip" href="#main">${texts.skip}</a>
<header class="bar">
<a href="/" class="brand"><img src="${icon}" alt="" width="28" height="28">${texts.home}</a>
<nav aria-label="${texts.pages}">${renderLinks(headerLinks, path)}</nav>
</header>
<div class="static-page${side === undefined ? '' : ' has-side'}">
${side ?? ''}
<main id="main" tabindex="-1">
${main}
</main>
</div>
<footer class="foot">
<nav aria-label="${texts.more}">${renderLinks(footerLinks, undefined)}</nav>
${renderThemeSwitch()}
</footer>
<p class="visually-hidden" role="status" id="announcement"></p>`;
}

function renderLinks(links: Readonly<Record<string, string>>, path: string | undefined): string {
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
