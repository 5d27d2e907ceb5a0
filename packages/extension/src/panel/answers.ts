// The list of answers: each question has a state of its own, which says no more than was checked.

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

export interface AnswerSlot {
  show(state: texts.State, ...children: readonly Child[]): void;
}

export type Answers = Readonly<Record<keyof typeof texts.questions, AnswerSlot>>;

/** @param announce tells screen readers about results */
export function createAnswers(announce: (text: string) => void): { list: HTMLElement; answers: Answers } {
  const list = element('dl', { class: 'answers' });
  const createSlot = (question: string): AnswerSlot => {
    const badge = element('span', { class: 'badge' });
    const body = element('dd');
    list.append(element('div', {}, element('dt', {}, element('span', {}, question), badge), body));
    return {
      show(state, ...children) {
        badge.className = `badge tone-${tones[state]}`;
        const isNew = badge.textContent !== texts.states[state];
        badge.textContent = texts.states[state];
        replaceContent(body, ...children);
        if (isNew && state !== 'checking') announce(texts.announcement(question, texts.states[state]));
      },
    };
  };
  const { questions } = texts;
  const answers = {
    fingerprint: createSlot(questions.fingerprint),
    exact: createSlot(questions.exact),
    credentials: createSlot(questions.credentials),
    lookalikes: createSlot(questions.lookalikes),
    claims: createSlot(questions.claims),
  };
  return { list, answers };
}

export function paragraph(...children: readonly Child[]): HTMLParagraphElement {
  return element('p', {}, ...children);
}

export function quiet(...children: readonly Child[]): HTMLParagraphElement {
  return element('p', { class: 'quiet' }, ...children);
}
