// What each source says about a file, before the sources are compared.

import type { Artifact, Fingerprint } from '@provenance-registry/core';

/** The result of reading one source. */
export type SourceResult<T> =
  | { readonly kind: 'found'; readonly value: T }
  /** The source has nothing about the file. */
  | { readonly kind: 'absent' }
  /** The source could not be read. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The source returned something that cannot be valid. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The source was not read. */
  | { readonly kind: 'skipped'; readonly reason: string };

export function evidenceOf<T>(result: SourceResult<T>): T | undefined {
  return result.kind === 'found' ? result.value : undefined;
}

export function skip(reason: string): SourceResult<never> {
  return { kind: 'skipped', reason };
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
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

export interface RegistryEvidence {
  /** Taken from a bundle instead of the service. */
  readonly isCopy?: boolean | undefined;
  readonly service: string;
  readonly manifestId: string;
  readonly endpoint?: string | undefined;
  /** Set only when the service relays an entry from the chain. */
  readonly source?: 'curated' | 'public' | undefined;
  readonly registeredBy?: string | undefined;
  /** Label and soft binding of the published report, if there is one. */
  readonly report?: { readonly label: string; readonly fingerprint: Fingerprint | undefined } | undefined;
  /** The record, as far as the caller may see it. */
  readonly artifact?: Artifact | undefined;
  /** Why the service did not accept the credential. */
  readonly refusal?: string | undefined;
}

export interface Registration {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** An entry in the contract. */
export interface ChainEntry {
  readonly source: 'curated' | 'public';
  readonly endpoints: readonly string[];
  readonly manifestId: string;
  readonly manifestHash: string;
  readonly registeredBy: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
}

export interface ChainEvidence {
  /** Taken from a bundle instead of a node. */
  readonly isCopy?: boolean | undefined;
  readonly chainId: number;
  readonly address: string;
  readonly addressFrom: 'caller' | 'service' | 'bundle';
  readonly entry: ChainEntry;
  /** Present when the node could search its logs. */
  readonly registration?: Registration | undefined;
}

/** The content of a signed manifest and its validation by c2pa-rs. */
export interface ManifestEvidence {
  readonly from: string;
  readonly label: string;
  /** The whole-file hash that was signed; undefined when the manifest has none. */
  readonly fingerprint: Fingerprint | undefined;
  readonly softBinding: Fingerprint | undefined;
  /** Validation failures, except those that every sidecar has. */
  readonly failures: readonly string[];
  readonly isTrusted: boolean;
  readonly isTimestamped: boolean;
  readonly signedBy: string;
  readonly signedAt: string | undefined;
  readonly claims: ManifestClaims;
}

/** Statements of the registrant in the manifest. */
export type ManifestClaims = Readonly<
  Partial<Record<'title' | 'author' | 'markName' | 'markId' | 'license', string | undefined>>
>;

/** Compares manifest ids, bare or as labels. */
export function isSameManifestId(one: string, other: string): boolean {
  return bareId(one) === bareId(other);
}

function bareId(id: string): string {
  return id.replace(/^urn:c2pa:/, '').toLowerCase();
}
