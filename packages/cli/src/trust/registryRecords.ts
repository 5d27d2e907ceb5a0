// Records of registries: what a registry said when it was pinned or first contacted, and what has changed since.

import { X509Certificate } from 'node:crypto';
import {
  type LogIdentity,
  type RegistryIdentity,
  registryFingerprint,
  shortFingerprint,
} from '@provenance-registry/core';
import type { RegistryRecord } from '../configSchema.js';
import { formatRoots, hasCrossCertificate, parseRoot, parseRoots, type Root } from './certificates.js';

/** What a registry says about its roots, by the certificates themselves. */
export interface IdentityRoots {
  readonly signerRoots: readonly Root[];
  /** Roots of authorities that are another party than the registry. */
  readonly timestampRoots: readonly Root[];
  readonly ownTimestampRoots: readonly Root[];
}

export type RecordComparison =
  | { readonly state: 'same' }
  /** The known roots vouch for every new one. */
  | { readonly state: 'renewed'; readonly record: RegistryRecord; readonly changes: readonly string[] }
  | { readonly state: 'changed'; readonly differences: readonly string[] };

/** Throws if a root is not exactly one certificate. */
function parseIdentityRoots({ signerRoots, timestampRoots }: RegistryIdentity): IdentityRoots {
  const signers = signerRoots.map(({ pem }) => parseRoot(pem));
  const stamps = timestampRoots.map(({ pem, isBuiltIn }) => ({ root: parseRoot(pem), isBuiltIn }));
  // Whatever the registry says: an authority under its own root is no other party.
  const isOwn = ({ root, isBuiltIn }: (typeof stamps)[number]) => isBuiltIn || includes(signers, root);
  return {
    signerRoots: signers,
    timestampRoots: stamps.filter((stamp) => !isOwn(stamp)).map(({ root }) => root),
    ownTimestampRoots: stamps.filter(isOwn).map(({ root }) => root),
  };
}

export async function createRecord(
  identity: RegistryIdentity,
  chainId: number,
  addedAt: string,
): Promise<RegistryRecord> {
  const log = await readLog(identity);
  return toRecord({ ...identity, chainId }, parseIdentityRoots(identity), { addedAt, ...log });
}

/** What of a log is kept: its keys, and the contract that anchors it. */
type KnownLog = Pick<RegistryRecord, 'logKeys' | 'logContract'>;

/** What it states about its log, if one of its roots vouches for it. */
async function readLog({ log, signerRoots }: RegistryIdentity): Promise<KnownLog | undefined> {
  if (!log) return undefined;
  const { readLogIdentity } = await import('@provenance-registry/client');
  const rootsPem = signerRoots.map(({ pem }) => pem).join('\n');
  const identity = await readLogIdentity(log.jws, rootsPem);
  return identity && describeLog(identity);
}

function keepLog({ logKeys, logContract }: KnownLog): KnownLog {
  return { ...(logKeys && { logKeys }), ...(logContract !== undefined && { logContract }) };
}

function describeLog(identity: Pick<LogIdentity, 'policy' | 'contract'>): KnownLog {
  const logKeys = listLogKeys(identity);
  const { contract } = identity;
  return { logKeys, ...(contract && { logContract: contract.address }) };
}

function toRecord(
  identity: RegistryIdentity & { chainId: number },
  roots: IdentityRoots,
  kept: KnownLog & Pick<RegistryRecord, 'addedAt' | 'witnesses'>,
): RegistryRecord {
  return {
    name: identity.name,
    chainId: identity.chainId,
    contract: identity.contract,
    signerRootsPem: formatRoots(roots.signerRoots),
    timestampRootsPem: formatRoots(roots.timestampRoots),
    ownTimestampRootsPem: formatRoots(roots.ownTimestampRoots),
    fingerprint: registryFingerprint(identity),
    ...kept,
  };
}

export function parseRecordRoots(record: RegistryRecord): IdentityRoots {
  return {
    signerRoots: parseRoots(record.signerRootsPem),
    timestampRoots: parseRoots(record.timestampRootsPem),
    ownTimestampRoots: parseRoots(record.ownTimestampRootsPem),
  };
}

/** Compares what a registry says now with its record. */
export async function compareRecord(
  record: RegistryRecord,
  identity: RegistryIdentity,
  now: Date,
): Promise<RecordComparison> {
  // A registry that cannot reach its chain does not state the id.
  const current = { ...identity, chainId: identity.chainId ?? record.chainId };
  let roots: IdentityRoots;
  let crossCertificates: X509Certificate[];
  try {
    if (registryFingerprint(current) === record.fingerprint && isSameLog(record, identity)) return { state: 'same' };
    roots = parseIdentityRoots(current);
    crossCertificates = identity.crossCertificates.map((pem) => new X509Certificate(pem));
  } catch {
    return { state: 'changed', differences: ['it publishes a certificate that cannot be read'] };
  }
  const knownLog = keepLog(record);
  const log = isSameLog(record, identity) ? knownLog : await readLog(identity);
  const known = parseRecordRoots(record);
  const isVouchedFor = (root: Root, by: readonly Root[]) =>
    by.some((older) => hasCrossCertificate(older, root, crossCertificates, now));
  const isKnown = (root: Root, by: readonly Root[]) => includes(by, root) || isVouchedFor(root, by);

  const knownStamps = [...known.timestampRoots, ...known.ownTimestampRoots];
  const stamps = [...roots.timestampRoots, ...roots.ownTimestampRoots];
  const differences = [
    ...compareChain(record, current),
    ...(roots.signerRoots.length === 0 && known.signerRoots.length > 0 ? ['it publishes no signer root'] : []),
    ...roots.signerRoots.filter((root) => !isKnown(root, known.signerRoots)).map(describeNew('signer')),
    ...stamps.filter((root) => !isKnown(root, knownStamps)).map(describeNew('time-stamp')),
    ...(log ? [] : ['no root vouches for the key of its log']),
  ];
  if (differences.length > 0 || !log) return { state: 'changed', differences };

  // Only another party vouches for another party, and a root never becomes one later.
  const isOther = (root: Root) => isKnown(root, known.timestampRoots) && includes(roots.timestampRoots, root);
  const next = {
    signerRoots: roots.signerRoots,
    timestampRoots: stamps.filter(isOther),
    ownTimestampRoots: stamps.filter((root) => !isOther(root)),
  };
  const changes = [
    ...listChanges('signer', known.signerRoots, next.signerRoots),
    ...listChanges('time-stamp', knownStamps, stamps),
    ...listLogChanges(record, log),
  ];
  // What is signed about the log may be what is known, although what stands beside it is not.
  if (changes.length === 0) return { state: 'same' };
  const { addedAt, witnesses } = record;
  const kept = { addedAt, ...knownLog, ...log, ...(witnesses && { witnesses }) };
  return { state: 'renewed', record: toRecord(current, next, kept), changes };
}

/** A process of an earlier release, or one that has just started, states no log: that takes no key back. */
function isSameLog({ logKeys = [], logContract }: RegistryRecord, { log }: RegistryIdentity): boolean {
  if (log === undefined) return true;
  // A process that has not reached its chain yet states no contract.
  const { logKeys: stated = [], logContract: contract = logContract } = describeLog(log);
  return stated.join() === logKeys.join() && contract === logContract;
}

function* compareChain(
  record: RegistryRecord,
  { chainId, contract }: Pick<RegistryRecord, 'chainId' | 'contract'>,
): Generator<string> {
  if (chainId !== record.chainId) yield `its chain is ${chainId}, not ${record.chainId}`;
  if (contract.toLowerCase() !== record.contract.toLowerCase())
    yield `its contract is ${contract}, not ${record.contract}`;
}

function describeNew(kind: string) {
  return (root: Root) => `no known root has signed its ${kind} root ${describeRoot(root)}`;
}

function listChanges(kind: string, before: readonly Root[], after: readonly Root[]): string[] {
  return [
    ...after.filter((root) => !includes(before, root)).map((root) => `new ${kind} root ${describeRoot(root)}`),
    ...before.filter((root) => !includes(after, root)).map((root) => `${kind} root ${describeRoot(root)} was removed`),
  ];
}

function* listLogChanges(record: KnownLog, { logKeys = [], logContract }: KnownLog): Generator<string> {
  const { logKeys: known = [] } = record;
  for (const key of logKeys) if (!known.includes(key)) yield `new key of its log ${key}`;
  for (const key of known) if (!logKeys.includes(key)) yield `key of its log ${key} was removed`;
  if (logContract !== undefined && logContract !== record.logContract) yield `its log is anchored in ${logContract}`;
}

function describeRoot({ subject, sha256 }: Root): string {
  return `"${subject}" (${shortFingerprint(sha256)})`;
}

function includes(roots: readonly Root[], { sha256 }: Root): boolean {
  return roots.some((root) => root.sha256 === sha256);
}

/** The current one first; the policy has them with what their registry says of witnesses. */
function listLogKeys({ policy }: Pick<LogIdentity, 'policy'>): string[] {
  return policy.split('\n').flatMap((line) => /^log (\S+)$/.exec(line)?.[1] ?? []);
}
