// Checks domains that are due, each in one worker at a time.

import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedDomain, DomainChecker, DomainCheckResult, DomainQueue } from '../domain/ports/index.js';
import { domainChecksTotal } from '../monitoring/metrics.js';

/** Admins wait for the first check, and an index tells quickly that none is due. */
const POLL_MS = 1_000;
/** Most of a check is waiting. Servers that never answer occupy a place for ten seconds. */
const MAX_ACTIVE = 50;
/** Longer than any check. After it, another worker may check the domain. */
const LEASE_MS = 60_000;
/** Checks that are not through by then are repeated after their lease. */
const STOP_MS = 1_000;

export interface DomainWorkerOptions {
  readonly queue: DomainQueue;
  readonly checker: DomainChecker;
  readonly record: (domain: ClaimedDomain, result: DomainCheckResult) => Promise<void>;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export interface DomainWorker {
  close(): Promise<void>;
}

export function startDomainWorker({ queue, checker, record, log }: DomainWorkerOptions): DomainWorker {
  const stop = new AbortController();
  const active = new Set<Promise<void>>();

  async function checkDomain(claimed: ClaimedDomain): Promise<void> {
    const { domain, markId } = claimed;
    const result = await checker.check(domain, markId);
    const outcome = 'method' in result ? 'confirmed' : 'failed';
    await record(claimed, result);
    domainChecksTotal.inc({ outcome });
    log('info', { domain, markId, ...result }, `domain: ${outcome}`);
  }

  function start(claimed: ClaimedDomain): void {
    const { domain, markId } = claimed;
    const check = checkDomain(claimed)
      // The database is unavailable: the domain is due again after the lease.
      .catch((error: unknown) => log('warn', { domain, markId, err: error }, 'domain: the check was not recorded'))
      .finally(() => active.delete(check));
    active.add(check);
  }

  let lastFailure: string | undefined;
  /** Once for each reason: it is tried every second. */
  function reportFailure(error: unknown): ClaimedDomain[] {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== lastFailure) log('warn', { reason }, 'domain: the queue cannot be read');
    lastFailure = reason;
    return [];
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const room = MAX_ACTIVE - active.size;
      const claimed = room === 0 ? [] : await queue.claim(room, LEASE_MS).catch(reportFailure);
      for (const domain of claimed) start(domain);
      if (claimed.length === 0) await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      const done = running.then(() => Promise.all(active));
      await Promise.race([done, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}
