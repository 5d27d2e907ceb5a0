// The texts of the registration queue.

import { pluralize } from '../../../ui/format.js';
import type { BadgeProps } from '../../../ui/StatusBadge.js';
import type { AddResult, QueueSummary } from './queue.js';
import { needsUpload, type QueueRow, type RowState } from './queueRow.js';

export const stateDisplay: Readonly<Record<RowState, BadgeProps>> = {
  waiting: { tone: 'info', icon: 'file', label: 'Waiting' },
  hashing: { tone: 'info', icon: 'clock', label: 'Hashing' },
  sending: { tone: 'info', icon: 'clock', label: 'Sending' },
  pending: { tone: 'info', icon: 'clock', label: 'Pending on chain' },
  submitting: { tone: 'info', icon: 'clock', label: 'Submitting to chain' },
  submitted: { tone: 'good', icon: 'check', label: 'On chain' },
  failed: { tone: 'bad', icon: 'cross', label: 'Failed' },
  yours: { tone: 'good', icon: 'check', label: 'Already yours' },
  others: { tone: 'warn', icon: 'warning', label: 'Registered by others' },
  missing: { tone: 'warn', icon: 'question', label: 'Choose again' },
};

export function noteText({ state, note, isSignedCopy }: QueueRow): string | undefined {
  const what = isSignedCopy ? 'Signed copy of a file under' : 'Under';
  if (state === 'yours') return note === undefined ? undefined : `${what} your Mark \u2068${note}\u2069.`;
  if (state === 'others') {
    const mark = note === undefined ? 'a private Mark' : `the Mark \u2068${note}\u2069`;
    return `${what} ${mark}. The first registration of a file stands.`;
  }
  return note;
}

/** What a file that is not registered yet will be sent as, where signed copies were asked for. */
export function planText(row: QueueRow): string | undefined {
  if (!row.wantsCopy || !['waiting', 'hashing', 'missing'].includes(row.state)) return undefined;
  return needsUpload(row) ? 'Will be sent for a signed copy.' : 'By fingerprint: no signed copy of this type or size.';
}

export function summaryText({ counts, rows }: QueueSummary): string {
  const registered = counts.submitted + counts.pending + counts.submitting;
  const inProgress = counts.hashing + counts.sending;
  const copies = rows.filter(({ copy }) => copy === 'ready').length;
  const parts = [
    registered > 0 && `${registered} registered, ${counts.submitted} on chain`,
    counts.yours > 0 && `${counts.yours} already yours`,
    counts.others > 0 && `${counts.others} registered by others`,
    counts.failed > 0 && `${counts.failed} failed`,
    inProgress > 0 && `${inProgress} in progress`,
    counts.waiting > 0 && `${counts.waiting} waiting`,
    counts.missing > 0 && `${counts.missing} to choose again`,
    copies > 0 && `${pluralize(copies, 'signed copy', 'signed copies')} to download`,
  ];
  return `${pluralize(rows.length, 'file')}: ${parts.filter((part) => part !== false).join(', ')}`;
}

export function addedText({ added, alreadyListed, withoutRoom }: AddResult): string {
  const parts = [
    `${pluralize(added, 'file')} added.`,
    alreadyListed > 0 && `${pluralize(alreadyListed, 'file')} already in the list.`,
    withoutRoom > 0 &&
      `The list is full: ${pluralize(withoutRoom, 'file')} not added. Add the rest when these are done.`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}
