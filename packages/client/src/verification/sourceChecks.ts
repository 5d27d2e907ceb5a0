// The check of each source: its state, what that proves and does not prove, and what the source states.

import type { Artifact } from '@provenance-registry/core';
import { Check as checkSchema } from 'typebox/schema';
import { chainCheck, logCheck, manifestCheck, provesNothing, registryCheck, skippedSources } from '../explanations.js';
import { GalleryMark } from '../recordSchemas.generated.js';
import { sanitize } from '../sanitize.js';
import { type Evidence, isRecordOnChain } from './contradictions.js';
import {
  type AnchorEvidence,
  bareManifestId,
  type ChainEvidence,
  evidenceOf,
  type LogEvidence,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
} from './evidence.js';
import { type CopyLink, isManifestUnlinked } from './signedCopies.js';
import type {
  AnchorDetails,
  ChainDetails,
  Check,
  LogDetails,
  ManifestDetails,
  Problem,
  RegistryDetails,
} from './types.js';

export function checkRegistry(evidence: Evidence, problem: Problem | undefined): Check<RegistryDetails> {
  const { registry } = evidence;
  const record = evidenceOf(registry);
  const details: RegistryDetails = record ? registryDetails(record) : {};
  if (problem) return contradicted(registryCheck.contradicted, problem, details);
  if (registry.kind === 'absent') return absent(registryCheck.absent, details);
  if (!record) return unavailable(registryCheck.unavailable, registry, details);
  if (record.isCopy) {
    const reason = skippedSources.BUNDLE;
    return { state: 'unavailable', proves: registryCheck.bundle, code: 'NOT_CHECKED', reason, details };
  }
  if (record.source === 'public') return absent(registryCheck.public(record.registeredBy), details);
  return { state: 'agrees', proves: registryCheck.agrees(record, isRecordOnChain(evidence)), details };
}

export function checkChain(
  { registry, chain, isBlockCompared }: Evidence,
  problem: Problem | undefined,
): Check<ChainDetails> {
  const evidence = evidenceOf(chain);
  const isHashConfirmed = evidence?.from === 'bundle' || isRecordOnChain({ registry, chain });
  const details: ChainDetails = evidence ? chainDetails(evidence, isHashConfirmed) : {};
  if (problem) return contradicted(chainCheck.contradicted, problem, details);
  if (chain.kind === 'absent') return absent(chainCheck.absent, details);
  if (!evidence) return unavailable(chainCheck.unavailable, chain, details);
  const { entry, registration, blockTime, chainId, isChainIdUnproven, isIndependent } = evidence;
  if (entry.source === 'public') return absent(chainCheck.public(entry.registeredBy), details);
  const { blockNumber: number = 0, blockHash: hash = '' } = registration ?? {};
  const isOnChain = evidence.from !== 'bundle' || isBlockCompared === true;
  const proves = chainCheck.confirmed({
    ...evidence,
    // The chain is otherwise the one on which the caller finds the block.
    chainId: isChainIdUnproven ? undefined : chainId,
    manifestId: entry.manifestId,
    block: registration && blockTime !== undefined ? { number, time: formatTime(blockTime), hash } : undefined,
    registrar: entry.registeredBy,
    isOnChain,
  });
  if (!isOnChain) {
    return { state: 'unavailable', proves, code: 'NOT_PROVEN', reason: skippedSources.BLOCK_NOT_COMPARED, details };
  }
  return { state: isIndependent ? 'confirmed' : 'agrees', proves, details };
}

export function checkManifest(
  evidence: Evidence,
  link: CopyLink | undefined,
  problem: Problem | undefined,
): Check<ManifestDetails> {
  const { manifest } = evidence;
  const signed = evidenceOf(manifest);
  const details: ManifestDetails = signed ? manifestDetails(signed) : {};
  if (problem) return contradicted(manifestCheck.contradicted, problem, details);
  if (manifest.kind === 'absent') return absent(manifestCheck.absent, details);
  if (!signed) return unavailable(manifestCheck.unavailable, manifest, details);
  if (isManifestUnlinked(evidence)) {
    const reason = manifestCheck.notLinked(signed.fingerprint);
    return { state: 'unavailable', proves: manifestCheck.contradicted, code: 'NOT_PROVEN', reason, details };
  }
  const copy = link && manifestCheck.copyOf(link.original, link.evidence);
  const isIndependent = signed.trustedBy === 'caller' && link?.isIndependent !== false;
  return { state: isIndependent ? 'confirmed' : 'agrees', proves: manifestCheck.confirmed(signed, copy), details };
}

export function checkLog({ log }: Pick<Evidence, 'log'>, problem?: Problem): Check<LogDetails> {
  const logged = evidenceOf(log);
  const details: LogDetails = logged ? logDetails(logged) : {};
  if (problem) return contradicted(logCheck.contradicted, problem, details);
  if (log.kind === 'absent') return absent(log.reason ?? logCheck.absent, details);
  if (!logged) return unavailable(logCheck.unavailable, log, details);
  const { anchor } = details;
  const proves = logCheck.confirmed({ ...logged, keyStatedBy: logged.keyStatedBy?.displayName, anchor });
  return { state: logged.keyFrom === 'caller' ? 'confirmed' : 'agrees', proves, details };
}

function contradicted<D>(proves: string, { code, reason }: Problem, details: D): Check<D> {
  return { state: 'contradicted', proves, code, reason, details };
}

function absent<D>(proves: string, details: D): Check<D> {
  return { state: 'absent', proves, details };
}

function unavailable<D>(summary: string, result: SourceResult<unknown>, details: D): Check<D> {
  const reason = 'reason' in result ? sanitize(result.reason) : summary;
  const isMalformed = result.kind === 'failed' && result.isMalformed === true;
  const skippedCode = 'isUnproven' in result ? 'NOT_PROVEN' : 'NOT_CHECKED';
  const code = result.kind === 'skipped' ? skippedCode : isMalformed ? 'SOURCE_MALFORMED' : 'SOURCE_UNAVAILABLE';
  return { state: 'unavailable', proves: provesNothing(summary), code, reason, details };
}

function registryDetails({ artifact, registration, ...stated }: RegistryEvidence): RegistryDetails {
  const { service, manifestId, source, registeredBy, refusal, signedCopyOf } = stated;
  const record = registration && { status: registration.status, transactionHash: registration.transactionHash };
  const copies = signedCopyOf === undefined ? (artifact?.renditions ?? []) : [];
  const signedCopies = copies.length > 0 ? copies.map((copy) => copy.fingerprint) : undefined;
  const own = { service, manifestId, source, registeredBy, refusal, ...record, signedCopyOf, signedCopies };
  return omitUndefined({ ...own, ...(artifact && markDetails(artifact)), claims: artifact?.claims });
}

/**
 * A hidden Mark has no domains in the record either, which does not mean that it has none. The schema of an Artifact
 * accepts a Mark with any of the fields.
 */
function markDetails({ mark, verifiedDomains, domainsAtRegistration }: Artifact) {
  if (!checkSchema(GalleryMark, mark)) return {};
  const { createdAt, artifactCount, namesakeCount, representedBy } = mark;
  return { mark: { createdAt, artifactCount, namesakeCount, representedBy }, verifiedDomains, domainsAtRegistration };
}

/** Leaves out what nothing else confirms: the endpoints, and the hash of metadata that are not known. */
function chainDetails(evidence: ChainEvidence, isHashConfirmed: boolean): ChainDetails {
  const { from, address, addressFrom, entry, registration, blockTime } = evidence;
  const chainId = evidence.isChainIdUnproven ? undefined : evidence.chainId;
  const { source, manifestId, registeredBy } = entry;
  const manifestHash = isHashConfirmed ? entry.manifestHash : undefined;
  const block = { ...registration, ...(blockTime !== undefined && { blockTime: formatTime(blockTime) }) };
  return omitUndefined({
    from,
    chainId,
    address,
    addressFrom,
    source,
    manifestId,
    manifestHash,
    registeredBy,
    ...block,
  });
}

function manifestDetails({ label, from, signedBy, trustedBy, timestamp, identity }: ManifestEvidence): ManifestDetails {
  const manifestId = bareManifestId(label);
  return omitUndefined({
    manifestId,
    from,
    signedBy,
    signedAt: timestamp?.at,
    trustedBy,
    isTimestamped: !!timestamp,
    identity,
  });
}

function logDetails({ leaf, terms, cosignatures, anchor, ...evidence }: LogEvidence): LogDetails {
  const { origin, index, size, keyFrom, keyStatedBy } = evidence;
  const seen = cosignatures.map(({ name, time }) => ({ name, at: formatTime(time) }));
  return omitUndefined({
    origin,
    index,
    size,
    keyFrom,
    keyStatedBy: keyStatedBy?.displayName,
    manifestId: leaf.id,
    manifestDigest: leaf.manifest,
    loggedAt: leaf.time,
    isImported: leaf.imported,
    areTermsHidden: terms === undefined ? true : undefined,
    cosignatures: seen.length > 0 ? seen : undefined,
    anchor: anchorDetails(anchor && evidenceOf(anchor)),
  });
}

function anchorDetails(anchor: AnchorEvidence | undefined): AnchorDetails | undefined {
  if (!anchor) return undefined;
  const { address, addressFrom, chainId, size, blockNumber, blockHash, blockTime, isOnChain } = anchor;
  const known = chainId === undefined ? {} : { chainId };
  return { address, addressFrom, ...known, size, blockNumber, blockHash, blockTime: formatTime(blockTime), isOnChain };
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function omitUndefined<T extends object>(fields: T): Defined<T> {
  // Object.fromEntries loses the keys; only undefined values are dropped.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
