// What cannot be true together. Each contradiction is told as a sentence, and blamed on the source that cannot be right.

import { type Fingerprint, manifestHashOf } from '@provenance-registry/core';
import { say } from '../sanitize.js';
import {
  type Answer,
  type ChainEntry,
  type ChainEvidence,
  type ManifestEvidence,
  type RegistryEvidence,
  sameId,
} from './evidence.js';

export interface Evidence {
  readonly fingerprint: Fingerprint;
  readonly registry: Answer<RegistryEvidence>;
  readonly chain: Answer<ChainEvidence>;
  readonly manifest: Answer<ManifestEvidence>;
  /** What is wrong with the chain's word by itself, or between it and a copy of it. */
  readonly chainFaults?: readonly string[];
  /** Whether the reader has said whose signatures count. */
  readonly hasTrustAnchors: boolean;
}

type Contradiction = readonly [contradicts: boolean | undefined, reason: string];

/** The id of the manifest that should be there: the chain's, which nobody can change, before the service's. */
export function expectedId({ chain, registry }: Pick<Evidence, 'chain' | 'registry'>): string | undefined {
  const entry = wordOf(chain)?.entry;
  if (entry?.source === 'curated') return entry.manifestId;
  const word = wordOf(registry);
  return word?.source === 'public' ? undefined : word?.manifestId;
}

export function wordOf<T>(answer: Answer<T>): T | undefined {
  return answer.kind === 'found' ? answer.value : undefined;
}

/** Why the service cannot be right; undefined when nothing speaks against it. */
export function againstRegistry(evidence: Evidence): string | undefined {
  const { registry, chain } = evidence;
  const word = wordOf(registry);
  if (word) return firstOf([...withChain(word, evidence), ...inside(word, evidence), ...withManifest(word, evidence)]);
  const entry = wordOf(chain)?.entry;
  if (registry.kind !== 'nothing' || entry?.source !== 'curated') return undefined;
  return say`The service says that it knows nothing about this file, and the chain has the manifest ${entry.manifestId} for it.`;
}

/** Why the manifest cannot be the one of this file. */
export function againstManifest(word: ManifestEvidence, evidence: Evidence): string | undefined {
  const { fingerprint, hasTrustAnchors } = evidence;
  const id = expectedId(evidence);
  return firstOf([
    [word.failures.length > 0, say`The manifest does not verify: ${word.failures.join(', ')}.`],
    [word.fingerprint === undefined, 'The manifest is not bound to the whole of a file.'],
    [word.fingerprint !== fingerprint, say`The manifest is about another file: ${word.fingerprint}.`],
    [
      word.softBinding !== undefined && word.softBinding !== fingerprint,
      say`The soft binding in the manifest is of another file: ${word.softBinding}.`,
    ],
    [id !== undefined && !sameId(word.label, id), say`This should be the manifest ${id}, and it is ${word.label}.`],
    [hasTrustAnchors && !word.isTrusted, say`"${word.signedBy}" signed it, who is not among those that you trust.`],
  ]);
}

function firstOf(contradictions: readonly Contradiction[]): string | undefined {
  return contradictions.find(([contradicts]) => contradicts)?.[1];
}

/** Between the things that the service itself says. */
function inside({ manifestId, artifact, report }: RegistryEvidence, { fingerprint }: Evidence): Contradiction[] {
  const recorded = artifact?.metadata.mark;
  return [
    [
      artifact && artifact.fingerprint !== fingerprint,
      'The service was asked about this file and gave the record of another one.',
    ],
    [
      artifact && artifact.status !== 'failed' && !sameId(artifact.id, manifestId),
      say`The service names the manifest ${manifestId} in public and ${artifact?.id} in its record.`,
    ],
    [
      report && !sameId(report.label, manifestId),
      say`The service names the manifest ${manifestId}, and its report is about ${report?.label}.`,
    ],
    [
      report?.fingerprint !== undefined && report.fingerprint !== fingerprint,
      say`The report that the service has published is about the file ${report?.fingerprint}.`,
    ],
    [
      recorded && recorded.id !== artifact.mark.id,
      say`The service shows the Mark ${artifact?.mark.id}, and its own record is of the Mark ${recorded?.id}.`,
    ],
  ];
}

function withChain(word: RegistryEvidence, { chain }: Evidence): Contradiction[] {
  const { artifact, source } = word;
  const onChain = wordOf(chain);
  const isRegistered = artifact?.status === 'submitted';
  if (chain.kind === 'nothing') {
    const reason = 'The service says that this file is registered on chain, and the contract has no entry of it.';
    return [[isRegistered || source !== undefined, reason]];
  }
  if (!onChain) return [];
  // What a stranger wrote says nothing about what the service has of its own.
  if (onChain.entry.source === 'public' && source === undefined) {
    const reason =
      'The service says that it has registered this file on chain, and the curated registry has no entry of it.';
    return [[isRegistered, reason]];
  }
  return withEntry(word, onChain);
}

function withEntry(
  { manifestId, artifact, source, registeredBy }: RegistryEvidence,
  word: ChainEvidence,
): Contradiction[] {
  const { entry, registration } = word;
  // Until then it is the hash of a transaction that another one may have replaced.
  const transactionHash = artifact?.status === 'submitted' ? artifact.transactionHash : null;
  return [
    [
      !sameId(entry.manifestId, manifestId),
      say`The service names the manifest ${manifestId}, and the chain has ${entry.manifestId}.`,
    ],
    [
      source !== undefined && source !== entry.source,
      say`The service says that the entry on chain is ${source}, and it is ${entry.source}.`,
    ],
    [
      registeredBy !== undefined && registeredBy.toLowerCase() !== entry.registeredBy.toLowerCase(),
      say`The service says that ${registeredBy} wrote the entry on chain, and it was ${entry.registeredBy}.`,
    ],
    [
      hasRecordOf(entry, artifact) === false,
      'The record that the service shows (author, Mark, licence, name of the file …) is not the one whose hash is on chain.',
    ],
    [
      registration && transactionHash !== null && registration.transactionHash !== transactionHash,
      say`The service says that the transaction ${transactionHash} registered this file, and it was ${registration?.transactionHash}.`,
    ],
  ];
}

/** Undefined where it cannot be told: from those who may not see everything, the name of the file is hidden before all else. */
function hasRecordOf({ manifestHash }: ChainEntry, artifact: RegistryEvidence['artifact']): boolean | undefined {
  if (artifact?.metadata.filename === undefined) return undefined;
  return manifestHashOf(artifact.metadata) === manifestHash;
}

/** The record that the service shows is the one whose hash is on chain. */
export function isRecordOnChain({ registry, chain }: Pick<Evidence, 'registry' | 'chain'>): boolean {
  const onChain = wordOf(chain);
  return onChain?.entry.source === 'curated' && hasRecordOf(onChain.entry, wordOf(registry)?.artifact) === true;
}

/** What the manifest states, if it stands, was in the record when it was signed. */
function withManifest({ artifact }: RegistryEvidence, evidence: Evidence): Contradiction[] {
  const manifest = wordOf(evidence.manifest);
  if (!artifact || !manifest || againstManifest(manifest, evidence) !== undefined) return [];
  const signed = manifest.stated;
  const { author, mark, license } = artifact.metadata;
  const pairs = [
    ['Mark', mark?.id, signed.markId],
    ['name of the Mark', mark?.name, signed.markName],
    ['author', author?.name, signed.author],
    ['licence', license?.name, signed.licence],
  ] as const;
  return pairs.map(([what, said, stated]) => [
    said !== undefined && stated !== undefined && said !== stated,
    say`The service says that the ${what} is "${said}", and the signed manifest says "${stated}".`,
  ]);
}
