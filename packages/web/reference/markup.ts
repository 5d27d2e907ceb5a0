// HTML of the texts in the OpenAPI document.

import { escapeHtml } from '@provenance-registry/core';

/** Text with `code` between backticks, as descriptions have it. */
export function renderText(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : renderCode(part)))
    .join('');
}

export function renderCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** Several lines of code. */
export function renderCodeBlock(source: string): string {
  return `<pre><code>${source.split('\n').map(escapeHtml).join('\n')}</code></pre>`;
}

export function renderParagraphs(...paragraphs: readonly string[]): string {
  return paragraphs.map((text) => `<p>${renderText(text)}</p>`).join('\n');
}
