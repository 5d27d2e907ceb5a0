// Whether a file is a signed copy of a registered one, and what carries that: the service's word alone proves nothing.

import type { Fingerprint } from '@provenance-registry/core';
import type { EmbeddedManifest } from './embedded/embeddedManifest.js';
import {
  type ChainEvidence,
  evidenceOf,
  isSameManifestId,
  type LogEvidence,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
} from './evidence.js';
import type { EvidenceKind } from './types.js';

/** What was found in the content of the file, if it was read. */
export interface ReadContent {
  readonly embedded: EmbeddedManifest | undefined;
}

export interface CopyEvidence {
  readonly fingerprint: Fingerprint;
  readonly registry: SourceResult<RegistryEvidence>;
  readonly chain: SourceResult<ChainEvidence>;
  readonly manifest: SourceResult<ManifestEvidence>;
  readonly log: SourceResult<LogEvidence>;
  readonly content?: ReadContent | undefined;
}

/** How the manifest of the registered file speaks for its copy. */
export interface CopyLink {
  readonly original: Fingerprint;
  /**
   * `manifest`: the one inside the file names the original. `chain` and `manifest`, or `log` and `manifest`: the entry or the
   * leaf of the copy has the manifest.
   */
  readonly evidence: readonly EvidenceKind[];
  readonly isIndependent: boolean;
}

/**
 * The registered file of which this one is a copy, if a source says so: the service, the manifest inside the file, or the
 * entry on chain or the leaf of a copy, which then have the manifest of another file. A record that does not say so says that it is none.
 */
export function findOriginal(evidence: CopyEvidence): Fingerprint | undefined {
  const { fingerprint, registry, chain, manifest, content } = evidence;
  const record = evidenceOf(registry);
  if (record?.artifact || record?.isCopy) return record.signedCopyOf;
  if (content && !isUnreadable(content)) return namedOriginal(content);
  const signed = evidenceOf(manifest);
  const entry = evidenceOf(chain)?.entry;
  // Anyone can make a manifest with this id; a signer that the caller trusts makes one.
  const isNamedOnChain =
    signed?.trustedBy === 'caller' && entry?.source === 'curated' && isSameManifestId(entry.manifestId, signed.label);
  const isNamedInLog = signed !== undefined && findLoggedCopy(evidence, signed) !== undefined;
  return (isNamedOnChain || isNamedInLog) && signed.fingerprint !== fingerprint ? signed.fingerprint : undefined;
}

/** Undefined when the manifest is not for the original, or nothing but the service's word connects the file with it. */
export function findCopyLink(evidence: CopyEvidence): CopyLink | undefined {
  const { fingerprint, chain, manifest, content } = evidence;
  const original = findOriginal(evidence);
  const signed = evidenceOf(manifest);
  if (original === undefined || original === fingerprint || signed?.fingerprint !== original) return undefined;
  const { embedded } = content ?? {};
  if (embedded?.signedCopyOf === original && embedded.trustedBy === 'caller') {
    return { original, evidence: ['manifest'], isIndependent: true };
  }
  const onChain = evidenceOf(chain);
  const isOnChain =
    onChain?.entry.source === 'curated' &&
    onChain.problems.length === 0 &&
    isSameManifestId(onChain.entry.manifestId, signed.label);
  const logged = findLoggedCopy(evidence, signed);
  const links: CopyLink[] = [
    ...(isOnChain
      ? [{ original, evidence: ['chain', 'manifest'] as const, isIndependent: onChain.isIndependent }]
      : []),
    ...(logged
      ? [{ original, evidence: ['log', 'manifest'] as const, isIndependent: logged.keyFrom === 'caller' }]
      : []),
  ];
  const link = links.find(({ isIndependent }) => isIndependent) ?? links[0];
  if (link) return link;
  if (embedded?.signedCopyOf !== original) return undefined;
  return { original, evidence: ['manifest'], isIndependent: false };
}

/** The leaf that has this file as a copy, with this manifest. */
function findLoggedCopy({ fingerprint, log }: CopyEvidence, signed: ManifestEvidence): LogEvidence | undefined {
  const logged = evidenceOf(log);
  const isCopy = logged?.kind === 'rendition' && logged.leaf.fingerprint === fingerprint;
  return isCopy && logged.leaf.manifest === signed.digest ? logged : undefined;
}

/** The manifest is for another file, and only the service says that this one is a copy of it. */
export function isManifestUnlinked(evidence: CopyEvidence): boolean {
  const signed = evidenceOf(evidence.manifest);
  return signed !== undefined && signed.fingerprint !== evidence.fingerprint && !findCopyLink(evidence);
}

/** The service has such a manifest in every copy that it signs; one that cannot be read proves neither. */
export function isMissingInContent(content: ReadContent | undefined, original: Fingerprint): boolean {
  return content !== undefined && !isUnreadable(content) && namedOriginal(content) !== original;
}

function isUnreadable({ embedded }: ReadContent): boolean {
  return embedded?.state === 'unreadable';
}

/** Accepts any signer: whether the signer is trusted decides what it proves. */
function namedOriginal({ embedded }: ReadContent): Fingerprint | undefined {
  return embedded?.state === 'intact' ? embedded.softBinding?.fingerprint : undefined;
}
