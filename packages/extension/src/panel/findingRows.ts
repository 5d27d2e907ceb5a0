// What was found about a file: a row for each kind of check, with a state of its own that says no more than was checked.

import { type Child, element, replaceContent } from '../element.js';
import * as texts from '../texts/en.js';

const tones: Readonly<Record<texts.State, 'info' | 'good' | 'warn' | 'bad'>> = {
  checking: 'info',
  computed: 'info',
  found: 'good',
  noted: 'info',
  notFound: 'info',
  notChecked: 'info',
  failed: 'warn',
  invalid: 'bad',
  contested: 'warn',
  changed: 'bad',
};

export interface FindingRow {
  show(state: texts.State, ...children: readonly Child[]): void;
}

export type FindingRows = Readonly<Record<keyof typeof texts.rowTitles, FindingRow>>;

/** @param announce tells screen readers about results */
export function createFindingRows(announce: (text: string) => void): { list: HTMLElement; rows: FindingRows } {
  const list = element('dl', { class: 'finding-rows' });
  const createRow = (title: string): FindingRow => {
    const badge = element('span', { class: 'badge' });
    const body = element('dd');
    list.append(element('div', {}, element('dt', {}, element('span', {}, title), badge), body));
    return {
      show(state, ...children) {
        badge.className = `badge tone-${tones[state]}`;
        const isNew = badge.textContent !== texts.states[state];
        badge.textContent = texts.states[state];
        replaceContent(body, ...children);
        if (isNew && state !== 'checking') announce(texts.announcement(title, texts.states[state]));
      },
    };
  };
  const { rowTitles } = texts;
  const rows = {
    fingerprint: createRow(rowTitles.fingerprint),
    exact: createRow(rowTitles.exact),
    credentials: createRow(rowTitles.credentials),
    lookalikes: createRow(rowTitles.lookalikes),
    claims: createRow(rowTitles.claims),
  };
  return { list, rows };
}

export function paragraph(...children: readonly Child[]): HTMLParagraphElement {
  return element('p', {}, ...children);
}

export function quiet(...children: readonly Child[]): HTMLParagraphElement {
  return element('p', { class: 'quiet' }, ...children);
}
