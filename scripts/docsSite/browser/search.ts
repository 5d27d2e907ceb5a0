// The search of the documentation: results with excerpts while the user types. Queries and texts are shown as text, never as
// markup.

import MiniSearch from 'minisearch';

interface Section {
  readonly url: string;
  readonly title: string;
  readonly page: string;
  readonly text: string;
}

declare global {
  /** Set by the script of the index. */
  var documentationIndex: { readonly index: object; readonly sections: readonly Section[] } | undefined;
}

const MAX_RESULTS = 12;
const EXCERPT_CHARACTERS = 160;
/** Before the first term that was found. */
const EXCERPT_LEAD = 50;
/** Shorter words have too many neighbors. */
const MIN_FUZZY_CHARACTERS = 5;

const input = document.querySelector<HTMLInputElement>('.docs-search input');
const panel = document.querySelector<HTMLElement>('.docs-results');
const status = panel?.querySelector('[role=status]');
const list = panel?.querySelector('ol');
const prefix = document.querySelector<HTMLScriptElement>('script[data-search]')?.dataset['prefix'] ?? '';
const data = globalThis.documentationIndex;

if (input && panel && status && list && data) start(input, panel, status, list, data);

function start(
  input: HTMLInputElement,
  panel: HTMLElement,
  status: Element,
  list: Element,
  { index, sections }: NonNullable<typeof data>,
): void {
  const engine = MiniSearch.loadJS(index as Parameters<typeof MiniSearch.loadJS>[0], {
    fields: ['title', 'page', 'text'],
  });
  const links = () => [...list.querySelectorAll('a')];

  const update = () => {
    const query = input.value.trim();
    panel.hidden = query === '';
    if (query === '') return;
    const found = findSections(engine, query);
    status.textContent = describeCount(found.length);
    list.replaceChildren(
      ...found.slice(0, MAX_RESULTS).flatMap(({ id, terms }) => {
        const section = sections[id];
        return section ? [renderResult(section, terms)] : [];
      }),
    );
  };

  const move = (event: KeyboardEvent, step: number) => {
    const places = [input, ...links()];
    const { activeElement } = document;
    const target = places[places.findIndex((place) => place.isSameNode(activeElement)) + step];
    if (!target) return;
    event.preventDefault();
    target.focus();
  };

  input.addEventListener('input', update);
  input.addEventListener('focus', update);
  input.closest('search')?.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    if (event.key === 'ArrowDown') move(event, 1);
    else if (event.key === 'ArrowUp') move(event, -1);
    else if (event.key === 'Escape') {
      input.focus();
      panel.hidden = true;
    } else if (event.key === 'Enter' && event.target === input) links()[0]?.click();
  });
  document.addEventListener('click', (event) => {
    if (event.target instanceof Element && !event.target.closest('.docs-search')) panel.hidden = true;
  });
  // A result on the same page only changes the place.
  list.addEventListener('click', () => {
    panel.hidden = true;
  });
  update();
}

/** All words, or, if nothing has all of them, any. */
function findSections(engine: MiniSearch, query: string): { id: number; terms: string[] }[] {
  const options = {
    prefix: true,
    fuzzy: (term: string) => (term.length < MIN_FUZZY_CHARACTERS ? false : 0.2),
    boost: { title: 4, page: 2 },
  };
  const all = engine.search(query, { ...options, combineWith: 'AND' });
  const found = all.length > 0 ? all : engine.search(query, options);
  return found.map(({ id, match }) => ({ id: Number(id), terms: Object.keys(match) }));
}

function describeCount(count: number): string {
  if (count === 0) return 'No results.';
  if (count > MAX_RESULTS) return `The best ${MAX_RESULTS} of ${count} results.`;
  return count === 1 ? '1 result.' : `${count} results.`;
}

function renderResult({ url, title, page, text }: Section, terms: readonly string[]): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = prefix + url;
  const heading = document.createElement('strong');
  heading.textContent = title;
  link.append(heading);
  if (page !== title) {
    const place = document.createElement('span');
    place.textContent = ` in ${page}`;
    link.append(place);
  }
  const excerpt = document.createElement('p');
  excerpt.className = 'excerpt';
  excerpt.append(...markTerms(cutExcerpt(text, terms), terms));
  link.append(excerpt);
  item.append(link);
  return item;
}

function cutExcerpt(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first < EXCERPT_LEAD ? 0 : text.indexOf(' ', first - EXCERPT_LEAD) + 1;
  const cut = text.slice(start, start + EXCERPT_CHARACTERS);
  const isEnd = start + EXCERPT_CHARACTERS >= text.length;
  return `${start > 0 ? '… ' : ''}${isEnd ? cut : `${cut.replace(/ \S*$/, '')} …`}`;
}

function markTerms(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  return text.split(/([\p{L}\p{N}]+)/u).map((word) => {
    if (!terms.includes(word.toLowerCase())) return word;
    const mark = document.createElement('mark');
    mark.textContent = word;
    return mark;
  });
}
