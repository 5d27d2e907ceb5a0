// What each source says about a file, before the sources are compared.

import type {
  AiPreferences,
  Artifact,
  ArtifactMetadata,
  Fingerprint,
  PublishedAnchor,
} from '@provenance-registry/core';
import type { Cosignature, LeafContent, Opening } from '@provenance-registry/log';
import { InvalidResponseError } from '../errors.js';
import { noResponse } from '../explanations.js';
import type { FileRegistration } from '../fileRegistration.js';
import { linkSignals } from '../signals.js';
import type { ManifestIdentity } from './identity.js';
import type { Notice, ProblemCode } from './types.js';

/** The result of reading one source. */
export type SourceResult<T> =
  | { readonly kind: 'found'; readonly value: T }
  /** The source has nothing about the file. `reason`: what exactly has nothing. */
  | { readonly kind: 'absent'; readonly reason?: string }
  /** The source could not be read. `isMalformed`: it responded, but not as such a source does. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isMalformed?: boolean }
  /** The source returned something that contradicts itself or what the caller knows. */
  | { readonly kind: 'invalid'; readonly code: ProblemCode; readonly reason: string }
  /** The source was not read. */
  | { readonly kind: 'skipped'; readonly reason: string; readonly isUnproven?: boolean };

export function evidenceOf<T>(result: SourceResult<T>): T | undefined {
  return result.kind === 'found' ? result.value : undefined;
}

export function skip(reason: string): SourceResult<never> {
  return { kind: 'skipped', reason };
}

/** A bundle has no proof of it. */
export function skipUnproven(reason: string): SourceResult<never> {
  return { kind: 'skipped', reason, isUnproven: true };
}

/** Reads a source; any failure except an abort by the caller becomes a result. */
export async function tryRead<T>(
  signal: AbortSignal | undefined,
  read: () => Promise<SourceResult<T>>,
): Promise<SourceResult<T>> {
  try {
    return await read();
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', reason, ...(error instanceof InvalidResponseError && { isMalformed: true }) };
  }
}

/** Reads a source within a time limit; a source that takes longer has failed. */
export async function tryReadWithin<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<SourceResult<T>>,
): Promise<SourceResult<T>> {
  const { signal, abort, release } = linkSignals(caller);
  const timer = setTimeout(() => abort(new Error(noResponse(timeoutMs / 1000))), timeoutMs);
  try {
    return await tryRead(caller, () => read(signal));
  } finally {
    clearTimeout(timer);
    release();
  }
}

export interface RegistryEvidence {
  /** Taken from a bundle instead of the service. */
  readonly isCopy?: boolean | undefined;
  readonly service: string;
  readonly manifestId: string;
  /** Set only when the service relays an entry from the chain. */
  readonly source?: 'curated' | 'public' | undefined;
  readonly registeredBy?: string | undefined;
  /** The record, as far as the caller may see it; bundles have only its metadata. */
  readonly artifact?: Artifact | undefined;
  /** What the service says about the registration of this very file, which may be a signed copy of the Artifact's. */
  readonly registration?: FileRegistration | undefined;
  /** The registered file of which the record says that this one is a signed copy. */
  readonly signedCopyOf?: Fingerprint | undefined;
  /** Those of the record. */
  readonly metadata?: ArtifactMetadata | undefined;
  /** Why the service did not accept the credential. */
  readonly refusal?: string | undefined;
}

export interface Registration {
  readonly transactionHash?: string | undefined;
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** An entry in the contract. */
export interface ChainEntry {
  readonly source: 'curated' | 'public';
  readonly endpoints: readonly string[];
  readonly manifestId: string;
  readonly manifestHash: string;
  /** Absent in bundles: the proof does not have it. */
  readonly registeredBy?: string | undefined;
}

/** What cannot be right about a source. */
export interface Inconsistency {
  readonly code: ProblemCode;
  readonly reason: string;
}

export interface ChainEvidence {
  /** Who named the node; a bundle has a proof instead. */
  readonly from: 'caller' | 'service' | 'bundle';
  /** The caller named the contract, and the node or the hash of the block. */
  readonly isIndependent: boolean;
  readonly chainId: number;
  /** A bundle's: neither the caller nor a node named it, and the proof does not have it. */
  readonly isChainIdUnproven?: boolean | undefined;
  readonly address: string;
  readonly addressFrom: 'caller' | 'service' | 'bundle';
  readonly entry: ChainEntry;
  /** Absent when the node cannot search its logs. */
  readonly registration?: Registration | undefined;
  /** Time of the block, from a header whose hash was recomputed, in seconds since 1970. */
  readonly blockTime?: number | undefined;
  readonly problems: readonly Inconsistency[];
  readonly notices: readonly Notice[];
  /** Why a node that the caller named could not be used. */
  readonly unusableNode?: string | undefined;
}

/** The content of a signed manifest and its validation by c2pa-rs. */
export interface ManifestEvidence {
  readonly from: string;
  readonly label: string;
  /** SHA-256 of the signed manifest. */
  readonly digest: Fingerprint;
  /** The whole-file hash that was signed; undefined when the manifest has none. */
  readonly fingerprint: Fingerprint | undefined;
  readonly softBinding: Fingerprint | undefined;
  /** Validation failures, except those that every sidecar has. */
  readonly failures: readonly string[];
  /** Who named the root that the signer's certificate leads to. */
  readonly trustedBy: 'caller' | 'service' | undefined;
  readonly signedBy: string;
  /** The name in the certificate of the signer: {@link Signer}. Undefined if it cannot be read. */
  readonly signer: string | undefined;
  readonly timestamp: ManifestTimestamp | undefined;
  /** When the certificate of the signer began. */
  readonly certifiedSince?: Date | undefined;
  readonly claims: ManifestClaims;
  /** Confirmed by the credential in the manifest. */
  readonly identity?: ManifestIdentity;
  /** The manifest states one in the service's name, which is not valid or could not be checked. */
  readonly isIdentityUnconfirmed?: boolean;
}

/** By the certificate. */
export interface Signer {
  /** For people. Untrusted text. */
  readonly displayName: string;
  /** The whole name in DER, as hexadecimal digits: an authority vouches for it, and a new certificate has the same. */
  readonly subject: string;
}

/** A leaf of the public log, whose receipt holds under the keys of the log. */
export interface LogEvidence {
  readonly from: string;
  /** `caller`: the caller named the keys, or roots that vouch for them. */
  readonly keyFrom: 'caller' | 'service';
  /** Who stated the keys under roots that the caller named; undefined if the caller or the service named them. */
  readonly keyStatedBy: Signer | undefined;
  /** Name of the log. */
  readonly origin: string;
  readonly index: number;
  /** Number of leaves that the checkpoint covers. */
  readonly size: number;
  readonly cosignatures: readonly Cosignature[];
  /** `rendition`: of a signed copy, whose leaf names the manifest of the registered file. */
  readonly kind: 'artifact' | 'rendition';
  readonly leaf: LeafContent<'artifact'>;
  /** Mark, AI preferences and license; undefined if the leaf hides them and nothing opens it. */
  readonly terms: Omit<Opening, 'salt'> | undefined;
  readonly leafHash: Uint8Array;
  /** The contract of the anchors, if the keys are stated under roots that the caller named. */
  readonly statedContract: string | undefined;
  /** The anchor that the service names. */
  readonly statedAnchor: PublishedAnchor | undefined;
  /** Undefined when there is none to check. */
  readonly anchor?: SourceResult<AnchorEvidence>;
}

/** An anchor of the log on chain whose tree has the leaf. */
export interface AnchorEvidence {
  readonly address: string;
  /** `caller`: the caller named the contract, or roots that vouch for it. */
  readonly addressFrom: 'caller' | 'bundle';
  /** Undefined when only the maker of a bundle names it. */
  readonly chainId: number | undefined;
  /** Number of leaves of the tree. */
  readonly size: number;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** In seconds since 1970. */
  readonly blockTime: number;
  /** The caller's nodes have the block, or the caller compared its hash. */
  readonly isOnChain: boolean;
  readonly problems: readonly Inconsistency[];
  /** Why a node that the caller named could not be used. */
  readonly unusableNode?: string | undefined;
}

/** Whether an anchor proves when the leaf was in the log, independently of service and maker. */
export function isAnchorIndependent({ keyFrom, anchor }: Pick<LogEvidence, 'keyFrom' | 'anchor'>): boolean {
  const found = anchor && evidenceOf(anchor);
  return keyFrom === 'caller' && found?.addressFrom === 'caller' && found.isOnChain;
}

/** A valid time-stamp of an authority whose root the caller or the service named. */
export interface ManifestTimestamp {
  readonly at: string;
  /** The authority's root was named by the caller, and is not one of the signer's. */
  readonly isIndependent: boolean;
}

/** Statements of the registrant in the manifest. */
export interface ManifestClaims {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly markName?: string | undefined;
  readonly markId?: string | undefined;
  readonly license?: string | undefined;
  readonly licenseUrl?: string | undefined;
  /** Undefined when the manifest says nothing about it. */
  readonly allowAiTraining?: boolean | undefined;
  /** Undefined when the manifest says nothing about any use. */
  readonly aiPreferences?: AiPreferences | undefined;
  /** The file that the parent's manifest was signed for. */
  readonly previousFingerprint?: Fingerprint | undefined;
}

/** Compares manifest ids, bare or as labels. */
export function isSameManifestId(one: string, other: string): boolean {
  return bareManifestId(one) === bareManifestId(other);
}

export function bareManifestId(id: string): string {
  return id.replace(/^urn:c2pa:/, '').toLowerCase();
}
