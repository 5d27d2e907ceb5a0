// The leaves of the public log: what it says about Artifacts, Marks and claims. Under a private Mark, a salted hash stands for
// all but the fingerprint.

import { createHash, randomBytes } from 'node:crypto';
import {
  type AiPreferences,
  type ArtifactMetadata,
  aiPreferencesOf,
  type Fingerprint,
  type LicenseKey,
  type Mark,
} from '@provenance-registry/core';
import {
  commitToTerms,
  commitToText,
  decodeUtf8,
  encodeAiPreferences,
  encodeLeaf,
  formatSalt,
  type Leaf,
  type LeafContent,
  type Opening,
} from '@provenance-registry/log';
import type { ClaimEntryType, Hex, NewLogEntry } from '../ports/index.js';

const NO_LICENSE: LicenseKey = 'NONE_SPECIFIED';

export interface LoggedRegistration {
  readonly kind: 'artifact' | 'rendition';
  readonly fingerprint: Fingerprint;
  /** Of the Artifact, for its signed copies too. */
  readonly artifactId: string;
  readonly markId: string;
  readonly isMarkPrivate: boolean;
  readonly metadata: Pick<ArtifactMetadata, 'licenseKey' | 'allowAiTraining'>;
  readonly aiPreferences: AiPreferences | null;
  /** SHA-256 of the published manifest. */
  readonly manifest: Hex;
  /** Of the metadata, as on chain. */
  readonly manifestHash: Hex;
  readonly createdAt: Date;
  /** Recorded before its leaf was. */
  readonly isImported?: boolean;
}

/** The leaf of an Artifact or a signed copy. */
export function registrationEntry(registration: LoggedRegistration): NewLogEntry {
  const { kind, fingerprint, artifactId, markId, metadata, aiPreferences } = registration;
  const terms = {
    mark: markId,
    ai: encodeAiPreferences(aiPreferencesOf({ allowAiTraining: metadata.allowAiTraining ?? null, aiPreferences })),
    license: metadata.licenseKey ?? NO_LICENSE,
  };
  const facts = {
    fingerprint,
    id: artifactId,
    manifest: registration.manifest,
    metadata: registration.manifestHash,
    ...formatTime({ time: registration.createdAt, isImported: registration.isImported ?? false }),
  };
  if (!registration.isMarkPrivate)
    return { ...formatEntry({ kind, content: { ...facts, ...terms } }), kind, fingerprint };
  const opening: Opening = { ...terms, salt: newSalt() };
  const hidden = commitToTerms(opening);
  return {
    ...formatEntry({ kind, content: { ...facts, hidden } }),
    kind,
    fingerprint,
    opening: { hidden, content: opening, markId },
  };
}

export function hashManifest(sidecar: Uint8Array): Hex {
  return sha256(sidecar);
}

/** When a leaf is made, or imported: then it says nothing of the time before. */
interface LeafTime {
  readonly time: Date;
  readonly isImported?: boolean;
}

/** The state of a public Mark. */
export function markEntry(
  { id, licenseKey, aiPreferences }: Pick<Mark, 'id' | 'licenseKey' | 'aiPreferences'>,
  visibility: Mark['visibility'],
  at: LeafTime,
): NewLogEntry {
  const ai = encodeAiPreferences(aiPreferences);
  return formatEntry({ kind: 'mark', content: { id, visibility, ai, license: licenseKey, ...formatTime(at) } });
}

/** Whether what an Artifact says about its content is public. */
export function contentEntry(fingerprint: Fingerprint, visibility: 'public' | 'private', at: LeafTime): NewLogEntry {
  return formatEntry({ kind: 'content', content: { fingerprint, visibility, ...formatTime(at) } });
}

export interface LoggedClaimStep extends LeafTime {
  readonly id: string;
  readonly fingerprint: Fingerprint;
  readonly step: 'claim' | ClaimEntryType;
  readonly text: string | null | undefined;
  /** Undefined: the operator. */
  readonly authorId: string | undefined;
  readonly evidence?: Uint8Array | null;
}

/** A step of a claim. Its text is not in the log, only a hash with a salt. */
export function claimEntry({ id, fingerprint, step, text, authorId, evidence, ...at }: LoggedClaimStep): NewLogEntry {
  const salt = newSalt();
  const textHash = text ? commitToText(text, salt) : undefined;
  const content: LeafContent<'claim'> = {
    id,
    fingerprint,
    step,
    ...(evidence && { evidence: sha256(evidence) }),
    ...(textHash && { textHash }),
    ...formatTime(at),
  };
  const entry = formatEntry({ kind: 'claim', content });
  if (textHash === undefined) return entry;
  const author = authorId === undefined ? {} : { userId: authorId };
  return { ...entry, opening: { hidden: textHash, content: { salt }, ...author } };
}

function formatEntry(leaf: Extract<Leaf, { kind: NewLogEntry['kind'] }>): NewLogEntry {
  return { kind: leaf.kind, leaf: decodeUtf8(encodeLeaf(leaf)) };
}

function formatTime({ time, isImported }: LeafTime) {
  return { time: time.toISOString(), ...(isImported && { imported: true as const }) };
}

function newSalt(): Hex {
  return formatSalt(randomBytes(32));
}

function sha256(bytes: Uint8Array): Hex {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`;
}
