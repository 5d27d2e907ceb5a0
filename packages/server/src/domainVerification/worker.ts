// Checks domains that are due, each in one worker at a time.

import type { DomainChecker, DomainCheckResult, DomainQueue, LeasedDomain } from '../domain/ports/index.js';
import { LeasedRows } from '../jobs/leasedRows.js';
import type { WorkNotices } from '../jobs/workNotices.js';
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
  /** What the domain may name the Mark by. */
  readonly listTexts: (domain: LeasedDomain) => readonly string[];
  readonly record: (domain: LeasedDomain, result: DomainCheckResult) => Promise<void>;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
  readonly notices?: WorkNotices;
}

export interface DomainWorker {
  close(): Promise<void>;
}

export function startDomainWorker(options: DomainWorkerOptions): DomainWorker {
  const { queue, checker, listTexts, record, log, notices } = options;

  async function checkDomain(claimed: LeasedDomain): Promise<void> {
    const { domain, markId } = claimed;
    const result = await checker.check(domain, listTexts(claimed));
    const outcome = 'method' in result ? 'confirmed' : 'failed';
    await record(claimed, result);
    domainChecksTotal.inc({ outcome });
    log('info', { domain, markId, ...result }, `domain: ${outcome}`);
  }

  return new LeasedRows<LeasedDomain>({
    name: 'domain',
    leaseDue: (freeSlots) => queue.leaseDue(freeSlots, LEASE_MS),
    work: checkDomain,
    onUnrecorded: ({ domain, markId }, error) =>
      log('warn', { domain, markId, err: error }, 'domain: the check was not recorded'),
    log,
    times: { pollMs: POLL_MS, stopMs: STOP_MS },
    ...(notices && { notices }),
    maxActive: MAX_ACTIVE,
  });
}
