// What can be known of a file, source by source, before anything is compared.

import type { Artifact, Fingerprint } from '@provenance-registry/core';

export type Answer<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'nothing' }
  /** It was asked, and there is no answer. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It has answered, with something that cannot be so. */
  | { readonly kind: 'unfit'; readonly reason: string }
  /** It was not asked at all. */
  | { readonly kind: 'unasked'; readonly reason: string };

/** What a service says. */
export interface RegistryEvidence {
  /** Nobody was asked: it comes out of a bundle. */
  readonly isCopy?: boolean | undefined;
  readonly service: string;
  readonly manifestId: string;
  readonly endpoint?: string | undefined;
  /** Only when the service passes on what the chain has. */
  readonly source?: 'curated' | 'public' | undefined;
  readonly registeredBy?: string | undefined;
  /** The label and the soft binding in the report that the service has published, if there is one. */
  readonly report?: { readonly label: string; readonly fingerprint: Fingerprint | undefined } | undefined;
  /** As much of the record as whoever asks may see. */
  readonly artifact?: Artifact | undefined;
  /** Why the credential was of no use. */
  readonly refusal?: string | undefined;
}

export interface Registration {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** What the contract has. */
export interface ChainEntry {
  readonly source: 'curated' | 'public';
  readonly endpoints: readonly string[];
  readonly manifestId: string;
  readonly manifestHash: string;
  readonly registeredBy: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
}

export interface ChainEvidence extends Place {
  readonly isCopy?: boolean | undefined;
  readonly entry: ChainEntry;
  /** When the log could be searched. */
  readonly registration?: Registration | undefined;
}

export interface Place {
  readonly chainId: number;
  readonly address: string;
  /** The service's word, or one that the caller knows from elsewhere. */
  readonly addressFrom: 'caller' | 'service' | 'bundle';
}

/** What a signed manifest says, and what c2pa-rs says of it. */
export interface ManifestEvidence {
  readonly from: string;
  readonly label: string;
  /** The hash of the whole file that it was signed for; undefined when it has none of that kind. */
  readonly fingerprint: Fingerprint | undefined;
  readonly softBinding: Fingerprint | undefined;
  /** Everything that c2pa-rs found wrong, but for what a sidecar cannot have. */
  readonly failures: readonly string[];
  readonly isTrusted: boolean;
  readonly isTimestamped: boolean;
  readonly signedBy: string;
  readonly signedAt: string | undefined;
  readonly stated: Stated;
}

/** What people have stated about the file; undefined is what they have not. */
export interface Stated {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly markName?: string | undefined;
  readonly markId?: string | undefined;
  readonly licence?: string | undefined;
}

/** A manifest's id, bare or as its label. */
export function sameId(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

function bare(id: string): string {
  return id.replace(/^urn:c2pa:/, '').toLowerCase();
}
