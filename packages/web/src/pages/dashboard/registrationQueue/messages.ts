// What the registration queue tells about its files.

import * as texts from '#texts/artifacts/register';
import type { BadgeProps } from '../../../ui/feedback/StatusBadge.js';
import type { QueueSummary } from './queue.js';
import { needsUpload, type QueueRow, type RowState } from './queueRow.js';

export const stateDisplay: Readonly<Record<RowState, BadgeProps>> = {
  waiting: { tone: 'info', icon: 'file', label: texts.states.waiting },
  hashing: { tone: 'info', icon: 'clock', label: texts.states.hashing },
  sending: { tone: 'info', icon: 'clock', label: texts.states.sending },
  pending: { tone: 'info', icon: 'clock', label: texts.states.pending },
  submitting: { tone: 'info', icon: 'clock', label: texts.states.submitting },
  submitted: { tone: 'good', icon: 'check', label: texts.states.submitted },
  failed: { tone: 'bad', icon: 'cross', label: texts.states.failed },
  yours: { tone: 'good', icon: 'check', label: texts.states.yours },
  others: { tone: 'warn', icon: 'warning', label: texts.states.others },
  missing: { tone: 'warn', icon: 'question', label: texts.states.missing },
};

export function noteText({ state, note, isSignedCopy }: QueueRow): string | undefined {
  if (state === 'yours') return note === undefined ? undefined : texts.yours(note, isSignedCopy);
  return state === 'others' ? texts.others(note, isSignedCopy) : note;
}

/** What a file that is not registered yet will be sent as, where signed copies were asked for. */
export function planText(row: QueueRow): string | undefined {
  if (!row.wantsCopy || !['waiting', 'hashing', 'missing'].includes(row.state)) return undefined;
  return needsUpload(row) ? texts.willBeSent : texts.willNotBeSent;
}

export function summaryText({ counts, rows }: QueueSummary): string {
  return texts.summary({
    ...counts,
    files: rows.length,
    registered: counts.submitted + counts.pending + counts.submitting,
    onChain: counts.submitted,
    inProgress: counts.hashing + counts.sending,
    copies: rows.filter(({ copy }) => copy === 'ready').length,
  });
}
