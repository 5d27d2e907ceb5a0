// The API reference: the filter of its operations, and the language of the examples, which is remembered.

import * as texts from '#texts/site/static';
import { announce } from './announce.js';

const LANGUAGE_KEY = 'provenance-example-language';

export function enhanceReference(): void {
  const filter = document.querySelector<HTMLInputElement>('#filter');
  const list = document.querySelector<HTMLElement>('#operation-list');
  if (filter && list) enableFilter(filter, list);
  rememberLanguage();
}

function enableFilter(filter: HTMLInputElement, list: HTMLElement): void {
  const items = [...list.querySelectorAll<HTMLElement>('[data-keywords]')];
  const groups = [...list.querySelectorAll('details')];
  const initiallyOpen = new Set(groups.filter(({ open }) => open));
  const findVisible = () => items.filter(({ hidden }) => !hidden).map((item) => item.querySelector('a'));

  function applyFilter(): void {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isActive = words.length > 0;
    for (const item of items) {
      const text = `${item.textContent} ${item.dataset['keywords']}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    const matching = new Set(groups.filter((group) => group.querySelector('[data-keywords]:not([hidden])')));
    for (const group of groups) group.open = (isActive ? matching : initiallyOpen).has(group);
    for (const entry of list.querySelectorAll<HTMLElement>(':scope > li')) {
      const group = entry.querySelector('details');
      entry.hidden = isActive && !(group && matching.has(group));
    }
    announce(isActive ? texts.operationCount(findVisible().length) : '');
  }

  filter.addEventListener('input', applyFilter);
  filter.addEventListener('keydown', (event) => {
    const [first] = findVisible();
    if (filter.value.trim() === '' || !first) return;
    if (event.key === 'Enter') first.click();
    else if (event.key === 'ArrowDown') first.focus();
    else return;
    event.preventDefault();
  });
  // On phones the list is over the page, which the link leads to.
  list.addEventListener('click', ({ target }) => {
    const popover = list.closest<HTMLElement>('[popover]');
    if (target instanceof HTMLAnchorElement && popover?.matches(':popover-open')) popover.hidePopover();
  });
}

function rememberLanguage(): void {
  const stored = readLanguage();
  if (stored !== null) chooseLanguage(stored);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.languages')) return;
    // Examples above change their height: what the user looks at stays where it is.
    const before = target.getBoundingClientRect().top;
    chooseLanguage(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
    storeLanguage(target.value);
  });
}

function chooseLanguage(language: string): void {
  for (const choice of document.querySelectorAll<HTMLInputElement>('.languages input')) {
    if (choice.value === language) choice.checked = true;
  }
}

function readLanguage(): string | null {
  try {
    return localStorage.getItem(LANGUAGE_KEY);
  } catch {
    return null;
  }
}

function storeLanguage(language: string): void {
  try {
    localStorage.setItem(LANGUAGE_KEY, language);
  } catch {
    // Blocked or full: the choice lasts until the page is left.
  }
}
