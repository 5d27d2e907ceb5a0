// Finds contradictions between sources, and attributes each to the source that cannot be right.

import { type Fingerprint, manifestHashOf } from '@provenance-registry/core';
import { safeText } from '../sanitize.js';
import type { CheckCode } from './checks.js';
import {
  type ChainEntry,
  type ChainEvidence,
  evidenceOf,
  isSameManifestId,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
} from './evidence.js';

export interface Evidence {
  readonly fingerprint: Fingerprint;
  readonly registry: SourceResult<RegistryEvidence>;
  readonly chain: SourceResult<ChainEvidence>;
  readonly manifest: SourceResult<ManifestEvidence>;
  /** Inconsistencies within the chain's evidence, or between it and a copy of it. */
  readonly chainProblems?: readonly Problem[];
  /** Whether the caller named the trusted signers. */
  readonly hasTrustAnchors: boolean;
}

export interface Problem {
  readonly code: CheckCode;
  readonly reason: string;
}

type Rule = readonly [isBroken: boolean | undefined, code: CheckCode, reason: string];

/** The id of the expected manifest: the immutable one on chain before the one from the service. */
export function expectedManifestId({ chain, registry }: Pick<Evidence, 'chain' | 'registry'>): string | undefined {
  const entry = evidenceOf(chain)?.entry;
  if (entry?.source === 'curated') return entry.manifestId;
  const record = evidenceOf(registry);
  return record?.source === 'public' ? undefined : record?.manifestId;
}

/** Why the service cannot be right; undefined when nothing contradicts it. */
export function findRegistryProblem(evidence: Evidence): Problem | undefined {
  const { registry, chain } = evidence;
  const record = evidenceOf(registry);
  if (record) {
    return firstProblem([
      ...compareWithChain(record, evidence),
      ...compareWithItself(record, evidence),
      ...compareWithManifest(record, evidence),
    ]);
  }
  const entry = evidenceOf(chain)?.entry;
  if (registry.kind !== 'absent' || entry?.source !== 'curated') return undefined;
  const reason = safeText`The service has no record of this file, but the chain has the manifest ${entry.manifestId} for it.`;
  return { code: 'UNKNOWN_TO_SERVICE', reason };
}

/** Why the manifest cannot be the one of this file. */
export function findManifestProblem(manifest: ManifestEvidence, evidence: Evidence): Problem | undefined {
  const { fingerprint, hasTrustAnchors } = evidence;
  const { failures, softBinding, label, signedBy, isTrusted } = manifest;
  const id = expectedManifestId(evidence);
  return firstProblem([
    [failures.length > 0, 'MANIFEST_INVALID', safeText`The manifest is not valid: ${failures.join(', ')}.`],
    [manifest.fingerprint === undefined, 'MANIFEST_INVALID', 'The manifest is not bound to a whole file.'],
    [
      manifest.fingerprint !== fingerprint,
      'FINGERPRINT_MISMATCH',
      safeText`The manifest is for another file: ${manifest.fingerprint}.`,
    ],
    [
      softBinding !== undefined && softBinding !== fingerprint,
      'FINGERPRINT_MISMATCH',
      safeText`The soft binding in the manifest is for another file: ${softBinding}.`,
    ],
    [
      id !== undefined && !isSameManifestId(label, id),
      'MANIFEST_ID_MISMATCH',
      safeText`The manifest should be ${id}, but it is ${label}.`,
    ],
    [
      hasTrustAnchors && !isTrusted,
      'UNTRUSTED_SIGNER',
      safeText`It was signed by "${signedBy}", which is not a signer that you trust.`,
    ],
  ]);
}

function firstProblem(rules: readonly Rule[]): Problem | undefined {
  const broken = rules.find(([isBroken]) => isBroken);
  return broken && { code: broken[1], reason: broken[2] };
}

/** Contradictions within the service's own statements. */
function compareWithItself({ manifestId, artifact, report }: RegistryEvidence, { fingerprint }: Evidence): Rule[] {
  const recordedMark = artifact?.metadata.mark;
  return [
    [
      artifact && artifact.fingerprint !== fingerprint,
      'FINGERPRINT_MISMATCH',
      'The service returned the record of another file.',
    ],
    [
      artifact && artifact.status !== 'failed' && !isSameManifestId(artifact.id, manifestId),
      'MANIFEST_ID_MISMATCH',
      safeText`The service names the manifest ${manifestId} in its lookup, but ${artifact?.id} in its record.`,
    ],
    [
      report && !isSameManifestId(report.label, manifestId),
      'MANIFEST_ID_MISMATCH',
      safeText`The service names the manifest ${manifestId}, but its report is about ${report?.label}.`,
    ],
    [
      report?.fingerprint !== undefined && report.fingerprint !== fingerprint,
      'FINGERPRINT_MISMATCH',
      safeText`The report published by the service is about another file: ${report?.fingerprint}.`,
    ],
    [
      recordedMark && recordedMark.id !== artifact.mark.id,
      'MARK_MISMATCH',
      safeText`The service shows the Mark ${artifact?.mark.id}, but its record names the Mark ${recordedMark?.id}.`,
    ],
  ];
}

function compareWithChain(record: RegistryEvidence, { chain }: Evidence): Rule[] {
  const { artifact, source } = record;
  const onChain = evidenceOf(chain);
  const isRegistered = artifact?.status === 'submitted';
  if (chain.kind === 'absent') {
    const reason = 'The service says that this file is registered on chain, but the contract has no entry for it.';
    return [[isRegistered || source !== undefined, 'NOT_ON_CHAIN', reason]];
  }
  if (!onChain) return [];
  // A public entry by another account says nothing about the service's own registration.
  if (onChain.entry.source === 'public' && source === undefined) {
    const reason =
      'The service says that it registered this file on chain, but the curated registry has no entry for it.';
    return [[isRegistered, 'NOT_ON_CHAIN', reason]];
  }
  return compareWithEntry(record, onChain);
}

function compareWithEntry(
  { manifestId, artifact, source, registeredBy }: RegistryEvidence,
  { entry, registration }: ChainEvidence,
): Rule[] {
  // Before `submitted`, another transaction may still replace the one on record.
  const transactionHash = artifact?.status === 'submitted' ? artifact.transactionHash : null;
  return [
    [
      !isSameManifestId(entry.manifestId, manifestId),
      'MANIFEST_ID_MISMATCH',
      safeText`The service names the manifest ${manifestId}, but the chain has ${entry.manifestId}.`,
    ],
    [
      source !== undefined && source !== entry.source,
      'SOURCE_MISMATCH',
      safeText`The service says that the entry on chain is ${source}, but it is ${entry.source}.`,
    ],
    [
      registeredBy !== undefined && registeredBy.toLowerCase() !== entry.registeredBy.toLowerCase(),
      'REGISTRANT_MISMATCH',
      safeText`The service says that ${registeredBy} wrote the entry on chain, but it was ${entry.registeredBy}.`,
    ],
    [
      matchesMetadataHash(entry, artifact) === false,
      'METADATA_MISMATCH',
      'The record that the service shows (author, Mark, license, filename, …) does not match the hash on chain.',
    ],
    [
      registration && transactionHash !== null && registration.transactionHash !== transactionHash,
      'TRANSACTION_MISMATCH',
      safeText`The service says that the transaction ${transactionHash} registered this file, but it was ${registration?.transactionHash}.`,
    ],
  ];
}

/** Undefined when it cannot be checked: callers who may not see all metadata do not see the filename. */
function matchesMetadataHash(
  { manifestHash }: ChainEntry,
  artifact: RegistryEvidence['artifact'],
): boolean | undefined {
  if (artifact?.metadata.filename === undefined) return undefined;
  return manifestHashOf(artifact.metadata) === manifestHash;
}

/** Whether the record that the service shows matches the hash on chain. */
export function isRecordOnChain({ registry, chain }: Pick<Evidence, 'registry' | 'chain'>): boolean {
  const entry = evidenceOf(chain)?.entry;
  return entry?.source === 'curated' && matchesMetadataHash(entry, evidenceOf(registry)?.artifact) === true;
}

/** The claims in a valid manifest were copied from the record when it was signed. */
function compareWithManifest({ artifact }: RegistryEvidence, evidence: Evidence): Rule[] {
  const manifest = evidenceOf(evidence.manifest);
  if (!artifact || !manifest || findManifestProblem(manifest, evidence)) return [];
  const { claims } = manifest;
  const { author, mark, license } = artifact.metadata;
  const pairs = [
    ['Mark', mark?.id, claims.markId],
    ['name of the Mark', mark?.name, claims.markName],
    ['author', author?.name, claims.author],
    ['license', license?.name, claims.license],
  ] as const;
  return pairs.map(([name, recorded, signed]) => [
    recorded !== undefined && signed !== undefined && recorded !== signed,
    'CLAIMS_MISMATCH',
    safeText`The service says that the ${name} is "${recorded}", but the signed manifest says "${signed}".`,
  ]);
}
