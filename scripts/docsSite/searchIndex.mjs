// The search index: built here, loaded by the browser for the first search. It is a script and not JSON, because browsers
// read no other files from `file:`.

import MiniSearch from 'minisearch';

/** What the browser needs to read the index; `browser/search.ts` has the same. */
const options = { fields: ['title', 'page', 'text'] };

/** @param {import('./markdown.mjs').Page[]} pages */
export function renderSearchIndex(pages) {
  const index = new MiniSearch(options);
  const sections = pages.flatMap((page) =>
    page.sections.map(({ anchor, title, text }) => ({
      url: `${page.name}.html${anchor === '' ? '' : `#${anchor}`}`,
      title,
      page: page.title,
      text,
    })),
  );
  index.addAll(sections.map(({ title, page, text }, id) => ({ id, title, page: page === title ? '' : page, text })));
  const content = JSON.stringify({ index, sections });
  return `globalThis.documentationIndex=JSON.parse(${JSON.stringify(content)});\n`;
}
