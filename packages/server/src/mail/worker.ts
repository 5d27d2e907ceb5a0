// Sends queued mails, each at least once, until it is delivered, refused for good or expired.

import { setTimeout as delay } from 'node:timers/promises';
import { limitConcurrency } from '@provenance-registry/core';
import type { LeasedMail, MailOutbox, PreparedMail } from '../domain/ports/index.js';
import { LeasedRows } from '../jobs/leasedRows.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { mailsTotal } from '../monitoring/metrics.js';
import type { RenderedMail } from './layout.js';
import { MailError } from './mailError.js';
import type { MailTransport } from './transport.js';

/** Users wait for some of the mails, and an index tells quickly that none is due. */
const POLL_MS = 500;
/** Prepared or sent at once. Most are cheap in a flood of resets for addresses without an account. */
const MAX_ACTIVE = 20;
/** Mail servers limit the connections of a client. */
const MAX_CONNECTIONS = 4;
/** Longer than sending takes with a server that is slow at each step. */
const SEND_MS = 60_000;
/** Time for all active mails over those connections, and some more. After it, another worker may send the mail. */
const LEASE_MS = (MAX_ACTIVE / MAX_CONNECTIONS) * SEND_MS + 30_000;
/** After the first failure; doubles with each further one. */
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 900_000;
/** How often a server that failed is tried while no mail is due. */
const RECHECK_MS = 60_000;
/** Sending usually takes less. Most of the time for stopping is for requests in progress. */
const STOP_MS = 1_000;

export interface MailWorkerOptions {
  readonly outbox: MailOutbox;
  /** Undefined when there is nothing to send any more. */
  readonly prepare: (mail: LeasedMail) => Promise<PreparedMail | undefined>;
  readonly render: (mail: PreparedMail) => RenderedMail;
  readonly transport: MailTransport;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly notices?: WorkNotices;
}

export interface MailWorker {
  /** Throws when the mail server could not be used at the last attempt. */
  check(): Promise<void>;
  /** Waits for mails that are being sent, but not long: the rest is sent later. */
  close(): Promise<void>;
}

export function startMailWorker({ outbox, prepare, render, transport, log, notices }: MailWorkerOptions): MailWorker {
  const connect = limitConcurrency(MAX_CONNECTIONS, MAX_ACTIVE, () => new Error('too many mails at once'));
  let failure: Error | undefined;
  let triedAt = 0;

  /** Every use of the server shows whether it is available. */
  async function useServer(work: () => Promise<void>): Promise<void> {
    triedAt = performance.now();
    try {
      await work();
      failure = undefined;
    } catch (error) {
      if (!(error instanceof MailError && error.isFinal)) failure = toError(error);
      throw error;
    }
  }

  async function checkServer(): Promise<void> {
    await useServer(() => transport.check()).catch((error: unknown) => {
      log('warn', { reason: toError(error).message }, 'mail: the server cannot be used');
    });
  }

  async function deliver(mail: LeasedMail): Promise<void> {
    const { id, attempts, content } = mail;
    const details = { mailId: id, template: content.template, attempts };
    if (mail.isExpired) {
      mailsTotal.inc({ outcome: 'expired' });
      log('error', details, 'mail: given up, because it is of no use any more');
      return outbox.delete(id);
    }
    try {
      const prepared = await prepare(mail);
      if (prepared) {
        const message = { id, recipient: mail.recipient, ...render(prepared) };
        await connect(() => useServer(() => withDeadline(transport.send(message))));
      }
      const outcome = prepared ? 'sent' : 'skipped';
      await outbox.markSent(id);
      mailsTotal.inc({ outcome });
      log('info', details, `mail: ${outcome}`);
    } catch (error) {
      await handleFailure(mail, toError(error), details);
    }
  }

  async function handleFailure({ id, attempts }: LeasedMail, error: Error, details: object): Promise<void> {
    const reason = error.message;
    if (error instanceof MailError && error.isFinal) {
      mailsTotal.inc({ outcome: 'rejected' });
      log('error', { ...details, reason }, 'mail: rejected');
      return outbox.delete(id);
    }
    mailsTotal.inc({ outcome: 'failed' });
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS);
    log('warn', { ...details, reason, retrySeconds: retryMs / 1_000 }, 'mail: could not be sent and will be retried');
    await outbox.retryLater(id, retryMs, reason);
  }

  const checked = checkServer();
  const rows = new LeasedRows<LeasedMail>({
    name: 'mail',
    async leaseDue(freeSlots) {
      await checked;
      return outbox.leaseDue(freeSlots, LEASE_MS);
    },
    work: deliver,
    onUnrecorded: ({ id }, error) => log('warn', { mailId: id, err: error }, 'mail: the result could not be recorded'),
    async onIdle(activeCount) {
      if (failure && activeCount === 0 && performance.now() - triedAt > RECHECK_MS) await checkServer();
    },
    log,
    times: { pollMs: POLL_MS, stopMs: STOP_MS },
    ...(notices && { notices }),
    maxActive: MAX_ACTIVE,
  });
  return {
    async check() {
      if (failure) throw failure;
    },
    close: () => rows.close(),
  };
}

/** The connection has limits of its own, but each only for one step. */
async function withDeadline(sending: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const deadline = delay(SEND_MS, undefined, { signal: timer.signal }).then(() => {
    throw new MailError('The server did not take the mail in time.', false);
  });
  try {
    await Promise.race([sending, deadline]);
  } finally {
    timer.abort();
    deadline.catch(() => {});
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
