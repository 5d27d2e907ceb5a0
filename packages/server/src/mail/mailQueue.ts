// Queues mails: a row in the transaction of their cause, from which the worker sends them.

import { randomUUID } from 'node:crypto';
import { mailboxOf } from '@provenance-registry/core';
import type { Mail, NewMail } from '../domain/ports/index.js';

const HOUR_MS = 3_600_000;

/** How long a mail that cannot be delivered is tried again: as long as its link works, and notices for a long weekend. */
const lifetimesMs: Readonly<Record<NewMail['template'], number>> = {
  'verify-email': 24 * HOUR_MS,
  'password-reset': HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
  'security-notice': 72 * HOUR_MS,
  'claim-notice': 72 * HOUR_MS,
  'domain-notice': 72 * HOUR_MS,
  'webhook-notice': 72 * HOUR_MS,
};

/** What counts as quick succession: long enough for a mail to arrive, short enough to ask again if it does not. */
const QUICK_SUCCESSION_MS = 600_000;

/** Mails to one address in quick succession that others can cause; more are not sent. */
const maxRecent: Partial<Readonly<Record<NewMail['template'], number>>> = {
  'password-reset': 1,
  // Of several accounts, organizations and Marks.
  'verify-email': 5,
  invitation: 5,
  // All claims are listed in the dashboard.
  'claim-notice': 5,
  // Receivers that are gone, resumed again and again.
  'webhook-notice': 5,
};

/**
 * Those that are sent to any address, also with a tag, are counted for all tags together. A reset is sent to addresses of
 * accounts only: a request for another tag must not use up the account's.
 */
const limitedByMailbox: readonly NewMail['template'][] = ['verify-email', 'invitation'];

export function createMailQueue({ isEnabled }: { isEnabled: boolean }): Mail {
  return {
    isEnabled,
    async enqueue(store, mail) {
      if (!isEnabled) return;
      const row = { id: randomUUID(), ...mail };
      const lifetimeMs = lifetimesMs[mail.template];
      const max = maxRecent[mail.template];
      if (max === undefined) return store.mails.insert(row, lifetimeMs);
      const key = limitedByMailbox.includes(mail.template) ? mailboxOf(mail.recipient) : mail.recipient;
      await store.mails.insertWithLimit(row, lifetimeMs, { key, max, withinMs: QUICK_SUCCESSION_MS });
    },
  };
}
