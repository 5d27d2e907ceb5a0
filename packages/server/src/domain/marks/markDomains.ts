// Domains of Marks: claiming and removing them, and what the result of a check changes.

import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import {
  DOMAIN_FILE_PATH,
  DOMAIN_RECORD_LABEL,
  MAX_DOMAINS,
  type Mark,
  type MarkDomain,
  RegistryError,
} from '@provenance-registry/core';
import { notifyAboutDomain } from '../accounts/notices.js';
import { type Caller, requireOwnOrganization } from '../caller.js';
import { unexpectedValueError } from '../errors.js';
import type { DomainCheckResult, LeasedDomain, Ports, RecordedCheck, Store, StoredDomain } from '../ports/index.js';
import { requireActive } from '../tiers.js';
import { appendMarkEvent, findMark, lockMarkAsAdmin, lockMarkOwner, mayWrite, requireMarkAdmin } from './marks.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A new record takes minutes to appear, or hours, so checks are frequent at first: by age of the claim. */
const FIRST_CHECKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
/** While a domain is not confirmed. */
const RETRY_MS = HOUR_MS;
const VERIFIED_INTERVAL_MS = DAY_MS;
/** Spreads the daily checks of domains that were claimed together. */
const JITTER_MS = HOUR_MS;
/** A claim that is not confirmed by then was a mistake, or a try. */
const PENDING_TTL_MS = 30 * DAY_MS;
/** Outages and changes of the web server take less than a week. */
const GRACE_MS = 7 * DAY_MS;
/** Most outages are over by then, and six days are left. */
const WARN_AFTER_MS = DAY_MS;
/** Checks that a user requests: as often as a user waits for a change, not so often that others' servers suffer. */
const MIN_CHECK_INTERVAL_MS = MINUTE_MS;

/** Names that do not belong to one owner on the internet (RFC 6761, 6762, 7686, 8375, 9476, ICANN's `internal`). */
const specialNames = ['localhost', 'local', 'internal', 'test', 'invalid', 'onion', 'alt', 'arpa'];

/** Normalizes the name of a domain to ASCII and lower case; undefined when it is none on the internet. */
export function normalizeDomain(text: string): string | undefined {
  // These belong to URLs, and the conversion would interpret them.
  if (/[\s/\\:@%?#[\]]/.test(text)) return undefined;
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  const isName =
    domain.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    // Otherwise it is an IP address.
    /^[a-z]/.test(labels.at(-1) ?? '');
  return isName && !specialNames.includes(labels.at(-1) ?? '') ? domain : undefined;
}

export async function addDomain(ports: Ports, caller: Caller, markId: string, text: string): Promise<MarkDomain> {
  const domain = normalizeDomain(text);
  if (domain === undefined)
    throw unexpectedValueError('domain', 'the name of a domain on the internet, such as example.org');
  return ports.store.transaction(async (store) => {
    // A freeze, and closing the owner's account, lock the owner.
    await lockMarkOwner(store, await requireMarkAdmin(store, caller, markId));
    const mark = await lockMarkAsAdmin(store, caller, markId);
    if (mark.organization) await requireActive(store, mark.organization.id);
    const claimed = await store.markDomains.list(markId);
    if (claimed.some((one) => one.domain === domain)) {
      throw new RegistryError('CONFLICT', 'The Mark claims this domain already.');
    }
    if (claimed.length >= MAX_DOMAINS) {
      throw new RegistryError('CONFLICT', `A Mark can have up to ${MAX_DOMAINS} domains. Remove one first.`);
    }
    const id = randomUUID();
    await store.markDomains.insert({ id, markId, domain, claimedBy: caller.user.id });
    await appendMarkEvent(store, 'domain.claimed', mark, caller.user.id, { data: { domain } });
    return toMarkDomain(ports, mark, requireDomain(await store.markDomains.list(markId), domain));
  });
}

export async function listDomains(ports: Ports, caller: Caller, markId: string): Promise<MarkDomain[]> {
  const mark = await findMark(ports.store, markId);
  requireOwnOrganization(caller, mark.organization?.id);
  if (!(await mayWrite(ports.store, caller, mark))) {
    throw new RegistryError('FORBIDDEN', 'You may not write under this Mark.');
  }
  return (await ports.store.markDomains.list(markId)).map((stored) => toMarkDomain(ports, mark, stored));
}

export async function scheduleDomainCheck(ports: Ports, caller: Caller, markId: string, text: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    await lockMarkAsAdmin(store, caller, markId);
    const { id } = requireDomain(await store.markDomains.list(markId), normalizeDomain(text));
    await store.markDomains.scheduleCheck(id, MIN_CHECK_INTERVAL_MS);
  });
}

export async function removeDomain(ports: Ports, caller: Caller, markId: string, text: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    const mark = await lockMarkAsAdmin(store, caller, markId);
    const { id, domain } = requireDomain(await store.markDomains.list(markId), normalizeDomain(text));
    // A check that ends at the same time may end the period too.
    if (!(await store.markDomains.lock(id))) throw unknownDomainError();
    await store.markDomains.end(id, { at: ports.clock(), reason: 'removed', userId: caller.user.id });
    await appendMarkEvent(store, 'domain.removed', mark, caller.user.id, { data: { domain } });
  });
}

export async function recordDomainCheck(ports: Ports, { id }: LeasedDomain, result: DomainCheckResult): Promise<void> {
  await ports.store.transaction(async (store) => {
    const domain = await store.markDomains.lock(id);
    // Undefined: removed while it was checked.
    if (!domain) return;
    if ('method' in result) await recordSuccess(ports, store, domain, result.method);
    else await recordFailure(ports, store, domain, result.error);
  });
}

async function recordSuccess(
  ports: Ports,
  store: Store,
  domain: StoredDomain,
  method: NonNullable<StoredDomain['method']>,
): Promise<void> {
  const now = ports.clock();
  const jitterMs = (2 * Math.random() - 1) * JITTER_MS;
  await store.markDomains.recordCheck(domain.id, {
    method,
    verifiedAt: domain.verifiedAt ?? now,
    lastSuccessAt: now,
    failingSince: null,
    warnedAt: null,
    lastError: null,
    nextCheckAt: after(now, VERIFIED_INTERVAL_MS + jitterMs),
  });
  if (domain.verifiedAt !== null) return;
  await appendEvent(store, domain, 'domain.verified', { method });
  // Once for each Mark: a Mark that removes and claims a domain again and again must not cause mail each time.
  if (await store.markDomains.wasVerified(domain.domain, domain.markId)) return;
  for (const markId of await store.markDomains.listOtherMarks(domain.domain, domain.markId)) {
    await notifyAboutDomain(ports, store, {
      kind: 'verified-elsewhere',
      domain: domain.domain,
      markId,
      otherMarkId: domain.markId,
    });
  }
}

async function recordFailure(ports: Ports, store: Store, domain: StoredDomain, error: string): Promise<void> {
  const now = ports.clock();
  if (domain.verifiedAt === null) return recordPending(store, domain, error, now);

  const failing = { ...domain, failingSince: domain.failingSince ?? now };
  const isWarningDue = domain.warnedAt === null && now >= after(failing.failingSince, WARN_AFTER_MS);
  const warned = isWarningDue ? { ...failing, warnedAt: now } : failing;
  const about = { domain: domain.domain, markId: domain.markId };
  await store.markDomains.recordCheck(domain.id, { ...warned, lastError: error, nextCheckAt: after(now, RETRY_MS) });
  const lapsesAt = findLapse(warned);
  if (isWarningDue) {
    await appendEvent(store, domain, 'domain.failing');
    await notifyAboutDomain(ports, store, { kind: 'failing', ...about, lapsesAt: lapsesAt.toISOString() });
  } else if (now >= lapsesAt) {
    await store.markDomains.end(domain.id, { at: now, reason: 'lapsed' });
    await appendEvent(store, domain, 'domain.lapsed');
    await notifyAboutDomain(ports, store, { kind: 'lapsed', ...about });
  }
}

async function recordPending(store: Store, domain: StoredDomain, error: string, now: Date): Promise<void> {
  const { claimedAt } = domain;
  if (now >= after(claimedAt, PENDING_TTL_MS)) {
    await store.markDomains.end(domain.id, { at: now, reason: 'expired' });
    return appendEvent(store, domain, 'domain.expired');
  }
  const first = FIRST_CHECKS_MS.map((ms) => after(claimedAt, ms)).find((at) => at > now);
  await store.markDomains.recordCheck(domain.id, {
    ...domain,
    lastError: error,
    nextCheckAt: first ?? after(now, RETRY_MS),
  });
}

/** Never sooner than a day after the notice, which is late when the service was not running. */
function findLapse({ failingSince, warnedAt }: Pick<RecordedCheck, 'warnedAt'> & { failingSince: Date }): Date {
  const lapse = after(failingSince, GRACE_MS);
  const noticed = warnedAt && after(warnedAt, DAY_MS);
  return noticed && noticed > lapse ? noticed : lapse;
}

async function appendEvent(
  store: Store,
  { domain, markId }: StoredDomain,
  type: 'domain.verified' | 'domain.failing' | 'domain.lapsed' | 'domain.expired',
  details: { method?: string } = {},
): Promise<void> {
  await appendMarkEvent(store, type, await findMark(store, markId), undefined, { data: { domain, ...details } });
}

function requireDomain(domains: readonly StoredDomain[], domain: string | undefined): StoredDomain {
  const found = domains.find((one) => one.domain === domain);
  if (!found) throw unknownDomainError();
  return found;
}

function unknownDomainError(): RegistryError {
  return new RegistryError('NOT_FOUND', 'The Mark does not claim this domain.');
}

/**
 * What a domain may name the Mark by. Both, whatever its visibility is now: a record stays valid when that changes, and those
 * from before there were tokens name private Marks by their ids.
 */
export function listDomainTexts(
  { domainTokens }: Pick<Ports, 'domainTokens'>,
  { markId, domain }: Pick<StoredDomain, 'markId' | 'domain'>,
): string[] {
  return [markId, domainTokens.tokenOf(markId, domain)];
}

function toMarkDomain(
  { domainTokens }: Pick<Ports, 'domainTokens'>,
  { visibility }: Pick<Mark, 'visibility'>,
  stored: StoredDomain,
): MarkDomain {
  const { domain, markId, claimedAt, method, verifiedAt, lastSuccessAt, failingSince, warnedAt, lastError } = stored;
  const lapse = failingSince && findLapse({ failingSince, warnedAt });
  // Everyone can read what the domain publishes.
  const published = visibility === 'private' ? domainTokens.tokenOf(markId, domain) : markId;
  const end = verifiedAt === null ? after(claimedAt, PENDING_TTL_MS) : lapse;
  return {
    domain,
    status: verifiedAt === null ? 'pending' : failingSince === null ? 'verified' : 'failing',
    method,
    dnsRecord: { name: `${DOMAIN_RECORD_LABEL}.${domain}`, value: `mark=${published}` },
    file: { url: `https://${domain}${DOMAIN_FILE_PATH}`, content: JSON.stringify({ marks: [published] }) },
    since: verifiedAt?.toISOString() ?? null,
    lastChecked: lastSuccessAt?.toISOString() ?? null,
    lastError,
    nextCheckAt: stored.nextCheckAt.toISOString(),
    lapsesAt: end?.toISOString() ?? null,
    claimedAt: claimedAt.toISOString(),
  };
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
