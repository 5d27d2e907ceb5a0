// What the list says about a row.

import { count } from '../../../ui/format.js';
import type { IconName } from '../../../ui/Icon.js';
import type { Tone } from '../../../ui/Notice.js';
import type { Added, Summary } from './queue.js';
import type { Row, RowState } from './queueRow.js';

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
}

export const looks: Readonly<Record<RowState, Look>> = {
  waiting: { tone: 'info', icon: 'file', word: 'Waiting' },
  hashing: { tone: 'info', icon: 'clock', word: 'Hashing' },
  sending: { tone: 'info', icon: 'clock', word: 'Sending' },
  pending: { tone: 'info', icon: 'clock', word: 'Waiting for the chain' },
  submitting: { tone: 'info', icon: 'clock', word: 'Being written to the chain' },
  submitted: { tone: 'good', icon: 'check', word: 'On chain' },
  failed: { tone: 'bad', icon: 'cross', word: 'Failed' },
  yours: { tone: 'good', icon: 'check', word: 'Already yours' },
  others: { tone: 'warn', icon: 'warning', word: 'Registered by another' },
  missing: { tone: 'warn', icon: 'question', word: 'Choose it again' },
};

export function noteOf({ state, note }: Row): string | undefined {
  if (state === 'yours') return note === undefined ? undefined : `Under your Mark \u2068${note}\u2069.`;
  if (state === 'others') {
    const whose = note === undefined ? 'a private Mark' : `the Mark \u2068${note}\u2069`;
    return `Under ${whose}. Whoever registers a file first keeps it.`;
  }
  return note;
}

export function sumOf({ counts, rows }: Summary): string {
  const parts = [
    counts.submitted + counts.pending + counts.submitting > 0 &&
      `${counts.submitted + counts.pending + counts.submitting} registered, ${counts.submitted} on chain`,
    counts.yours > 0 && `${counts.yours} already yours`,
    counts.others > 0 && `${counts.others} registered by others`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.hashing + counts.sending > 0 && `${counts.hashing + counts.sending} under way`,
    counts.waiting > 0 && `${counts.waiting} waiting`,
    counts.missing > 0 && `${counts.missing} to be chosen again`,
  ];
  return `${count(rows.length, 'file')}: ${parts.filter((part) => part !== false).join(', ')}`;
}

export function addedWords({ added, known, left }: Added): string {
  const parts = [
    `${count(added, 'file')} added.`,
    known > 0 && `${count(known, 'file')} had a place in the list already.`,
    left > 0 && `${count(left, 'file')} found no room: add ${left === 1 ? 'it' : 'them'} when these are through.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}
