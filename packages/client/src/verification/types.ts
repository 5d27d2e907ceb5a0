// The public result of a verification: a verdict, the facts with the evidence that carries them, and each source's check.

import type { Artifact, ArtifactStatus, ClaimSummary, Fingerprint, GalleryMark } from '@provenance-registry/core';
import type { Disclosure } from '../lookups/disclosure.js';
import type { EmbeddedManifest } from './embedded/embeddedManifest.js';
import type { ManifestIdentity } from './identity.js';

/**
 * Why a check is `contradicted` or `unavailable`, for programs.
 *
 * Unavailable: `NOT_CHECKED` (the source was not given), `SOURCE_UNAVAILABLE` (it could not be read), `SOURCE_MALFORMED`
 * (its response is not one that such a source gives), `NOT_PROVEN` (the bundle has no proof, or the block of its proof was
 * not compared; or only the service says that the file is a copy of the one that the manifest is for).
 *
 * Contradicted: `UNKNOWN_TO_SERVICE` (the service has no record, the chain has an entry), `NOT_ON_CHAIN` (the reverse),
 * `RECORD_MISSING` and `MANIFEST_MISSING` (the service does not have what it says it has), `FINGERPRINT_MISMATCH`,
 * `MANIFEST_ID_MISMATCH`, `RECORD_MISMATCH` (the service's record disagrees with itself), `METADATA_MISMATCH` (with the
 * hash on chain), `CLAIMS_MISMATCH` (with the signed manifest), `STATUS_MISMATCH`, `TIME_MISMATCH`, `SOURCE_MISMATCH`
 * (curated or public), `REGISTRANT_MISMATCH`, `TRANSACTION_MISMATCH`, `CHAIN_ID_MISMATCH`, `CONTRACT_MISMATCH`,
 * `BLOCK_MISMATCH`, `ENTRY_MISMATCH`, `NODE_MISMATCH` (two nodes disagree), `PROOF_INVALID`, `MANIFEST_INVALID`,
 * `MANIFEST_UNREADABLE`, `UNTRUSTED_SIGNER`, `RECEIPT_INVALID` (the receipt of the log does not hold), `LEAF_MISMATCH` (the
 * log has something else than another source), `ANCHOR_INVALID` (the anchor on chain is not of a tree with this leaf).
 * @example
 * ```ts
 * const isUntrusted = ({ code }: Check) => code === 'UNTRUSTED_SIGNER';
 * ```
 */
export type CheckCode = UnavailableCode | ProblemCode;

type UnavailableCode = 'NOT_CHECKED' | 'SOURCE_UNAVAILABLE' | 'SOURCE_MALFORMED' | 'NOT_PROVEN';

export type ProblemCode =
  | 'UNKNOWN_TO_SERVICE'
  | 'NOT_ON_CHAIN'
  | 'RECORD_MISSING'
  | 'MANIFEST_MISSING'
  | 'FINGERPRINT_MISMATCH'
  | 'MANIFEST_ID_MISMATCH'
  | 'RECORD_MISMATCH'
  | 'METADATA_MISMATCH'
  | 'CLAIMS_MISMATCH'
  | 'STATUS_MISMATCH'
  | 'TIME_MISMATCH'
  | 'SOURCE_MISMATCH'
  | 'REGISTRANT_MISMATCH'
  | 'TRANSACTION_MISMATCH'
  | 'CHAIN_ID_MISMATCH'
  | 'CONTRACT_MISMATCH'
  | 'BLOCK_MISMATCH'
  | 'ENTRY_MISMATCH'
  | 'NODE_MISMATCH'
  | 'PROOF_INVALID'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_UNREADABLE'
  | 'UNTRUSTED_SIGNER'
  | 'RECEIPT_INVALID'
  | 'LEAF_MISMATCH'
  | 'ANCHOR_INVALID';

/**
 * What carries a fact: `chain`, metadata whose keccak-256 is the entry's `manifestHash`, or the entry itself;
 * `manifest`, the signed manifest; `log`, a leaf of the public log, or metadata whose hash it has; `service`, the service's word (in a bundle: its creator's word).
 * @example
 * ```ts
 * const isCarriedBy = ({ evidence }: Fact, kind: EvidenceKind) => evidence.includes(kind);
 * ```
 */
export type EvidenceKind = 'chain' | 'manifest' | 'log' | 'service';

/**
 * What is known about a file. `currentMarkName` is there only when the Mark was renamed since the registration.
 * `signedCopyOf` is the fingerprint of the registered file, if this one is a copy that the registry signed: the manifest
 * inside the file names it (`manifest`), or the entry of this file names the manifest of that one (`chain` and `manifest`
 * together). Mark, author, license and file name are those of the registered file. `fileSeen` is false when the service
 * received the fingerprint alone. `authorshipStated` is what the registrant stated, which the service does not check.
 * `data_mining`, `ai_inference`, `ai_training` and `ai_generative_training` are there if the registrant says something
 * about this use: `allowed`, `notAllowed`, or `constrained: ` and the conditions.
 * @example
 * ```ts
 * const shown: FactName[] = ['mark', 'author', 'license', 'allowAiTraining', 'since'];
 * ```
 */
export type FactName =
  | 'signedCopyOf'
  | 'mark'
  | 'markId'
  | 'currentMarkName'
  | 'author'
  | 'authorId'
  | 'license'
  | 'allowAiTraining'
  | 'data_mining'
  | 'ai_inference'
  | 'ai_training'
  | 'ai_generative_training'
  | 'since'
  | 'filename'
  | 'previousFingerprint'
  | 'fileSeen'
  | 'authorshipStated'
  | 'registrar';

/**
 * One fact and the evidence that carries it, strongest first. Only sources that the caller named or pinned carry facts:
 * what a contract or a signer says that the caller did not name is the service's word, `['service']`.
 * @example
 * ```ts
 * for (const { name, value, evidence } of facts) console.log(name, value, evidence.join(', '));
 * ```
 */
export interface Fact {
  readonly name: FactName;
  /** What the source states: sanitize texts before you show them. */
  readonly value: string | boolean | null;
  readonly evidence: readonly EvidenceKind[];
}

/**
 * A time that evidence carries: of a block whose hash was recomputed from its header, of an RFC 3161 time-stamp, of the block of
 * an `anchor` before which the public log had the file, or the service's word.
 * @example
 * ```ts
 * const independent = times.filter(({ isIndependent }: TimeEvidence) => isIndependent);
 * ```
 */
export interface TimeEvidence {
  readonly source: 'block' | 'timestamp' | 'anchor' | 'service';
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly isIndependent: boolean;
}

/**
 * A contradiction, attributed to the source that cannot be right.
 * @example
 * ```ts
 * for (const { source, code, reason } of problems) console.error(source, code, reason);
 * ```
 */
export interface Problem {
  readonly source: keyof Verification['checks'];
  readonly code: ProblemCode;
  /** A message for people. */
  readonly reason: string;
}

/**
 * Something to know that contradicts nothing.
 *
 * `STATUS_BEHIND` (the service does not count the registration as final yet), `TIMES_DIFFER` (by more than an hour),
 * `NODE_BEHIND` (one of several nodes), `BLOCK_UNKNOWN` (the node cannot show the block, so that its time is not
 * confirmed), `SIGNER_NOT_PUBLISHED` (the signer is not one that the service publishes), `IDENTITY_NOT_CONFIRMED` (the
 * manifest states an identity in the service's name that is not valid, or could not be checked), `REQUIRED` (a required
 * source does not confirm independently).
 * @example
 * ```ts
 * for (const { code, text } of notices) console.warn(code, text);
 * ```
 */
export interface Notice {
  readonly code:
    | 'STATUS_BEHIND'
    | 'TIMES_DIFFER'
    | 'NODE_BEHIND'
    | 'BLOCK_UNKNOWN'
    | 'SIGNER_NOT_PUBLISHED'
    | 'IDENTITY_NOT_CONFIRMED'
    | 'REQUIRED';
  readonly text: string;
}

/**
 * The result of checking one source.
 * @example
 * ```ts
 * const summarize = ({ state, proves, reason }: Check) => `${state}: ${reason ?? proves}`;
 * ```
 */
export interface Check<Details = RegistryDetails | ChainDetails | ManifestDetails | LogDetails> {
  /** `agrees`: nothing contradicts it, but it is the word of the service, or of the maker of a bundle. */
  readonly state: 'confirmed' | 'agrees' | 'contradicted' | 'absent' | 'unavailable';
  /** What this result proves and what it does not prove. */
  readonly proves: string;
  /** Set when the check is `contradicted` or `unavailable`. */
  readonly code?: CheckCode;
  /** The reason behind `code`, for people. */
  readonly reason?: string;
  /** What the source states: sanitize texts before you show them. Empty when the source has nothing. */
  readonly details: Details;
}

/**
 * The service's word about the file, apart from the facts. Fields that the service does not state are absent.
 * @example
 * ```ts
 * const { status }: RegistryDetails = checks.registry.details;
 * ```
 */
export interface RegistryDetails {
  readonly service?: string;
  readonly manifestId?: string;
  /** Set only when the service relays an entry from the chain. */
  readonly source?: 'curated' | 'public';
  /** The account that wrote the relayed entry. */
  readonly registeredBy?: string;
  /** Why the service did not accept the credential. */
  readonly refusal?: string;
  readonly status?: ArtifactStatus;
  readonly transactionHash?: string | null;
  /** The registered file of which the service says that this one is a signed copy. */
  readonly signedCopyOf?: Fingerprint;
  /** The signed copies of this file, according to the service. */
  readonly signedCopies?: readonly Fingerprint[];
  /** What tells the Mark from others with a similar name; absent if it is hidden. */
  readonly mark?: Pick<GalleryMark, 'createdAt' | 'artifactCount' | 'namesakeCount' | 'representedBy'>;
  /** Domains of the Mark that the service says are verified now; absent if the Mark is hidden. */
  readonly verifiedDomains?: Artifact['verifiedDomains'];
  /** Those that it says were verified when the file was registered. */
  readonly domainsAtRegistration?: Artifact['domainsAtRegistration'];
  /** Claims of other users to the file. The service checks their evidence, and could hide them. */
  readonly claims?: ClaimSummary;
}

/**
 * The contract's entry for the file.
 * @example
 * ```ts
 * const { blockNumber, blockHash }: ChainDetails = checks.chain.details;
 * ```
 */
export interface ChainDetails {
  /** Who named the node; a `bundle` has a proof instead. Only `caller` is independent of the service. */
  readonly from?: 'caller' | 'service' | 'bundle';
  readonly chainId?: number;
  /** The address of the contract. */
  readonly address?: string;
  /** Where the address comes from; only `caller` is independent of the service. */
  readonly addressFrom?: 'caller' | 'service' | 'bundle';
  readonly source?: 'curated' | 'public';
  readonly manifestId?: string;
  /** Present when the metadata that it is the hash of are known, or when it is proven. */
  readonly manifestHash?: string;
  /** The account that wrote the entry. */
  readonly registeredBy?: string;
  readonly transactionHash?: string;
  readonly blockNumber?: number;
  /** Recomputed from the block's header: compare it with any explorer of the chain. */
  readonly blockHash?: string;
  /** Time of the block, from its header (ISO 8601). */
  readonly blockTime?: string;
}

/**
 * The content of the signed manifest.
 * @example
 * ```ts
 * const { signedBy, signedAt }: ManifestDetails = checks.manifest.details;
 * ```
 */
export interface ManifestDetails {
  readonly manifestId?: string;
  /** The service, endpoint, file or bundle that the manifest was read from. */
  readonly from?: string;
  readonly signedBy?: string;
  /** The time in the manifest's time-stamp. */
  readonly signedAt?: string;
  /** Who named the root that the signer's certificate leads to; only `caller` is independent of the service. */
  readonly trustedBy?: 'caller' | 'service';
  /** Whether a trusted time-stamp authority confirms `signedAt`. */
  readonly isTimestamped?: boolean;
  /** What the service had verified about the Mark when it signed the manifest. */
  readonly identity?: ManifestIdentity;
}

/**
 * What the public log has for the file.
 * @example
 * ```ts
 * const { origin, index }: LogDetails = checks.log.details;
 * ```
 */
export interface LogDetails {
  /** The name of the log: host and path of its address. */
  readonly origin?: string;
  /** The place of the leaf in the log, from 0. */
  readonly index?: number;
  /** The number of leaves that the checkpoint of the receipt covers. */
  readonly size?: number;
  /** Who vouches for the key of the log; only `caller` is independent of the service. */
  readonly keyFrom?: 'caller' | 'service';
  /** Who stated the key under roots that the caller named: the name in the signer's certificate. */
  readonly keyStatedBy?: string;
  readonly manifestId?: string;
  /** SHA-256 of the signed manifest, according to the leaf. */
  readonly manifestDigest?: string;
  /** When the service wrote the leaf, by its own clock (ISO 8601). */
  readonly loggedAt?: string;
  /** Recorded before the log began: no checkpoint is as old as the registration. */
  readonly isImported?: boolean;
  /** Whether the leaf hides Mark, license and AI preferences, and nothing opened it. */
  readonly areTermsHidden?: boolean;
  /** The witnesses that signed the checkpoint, and when, by their own clocks (ISO 8601). */
  readonly cosignatures?: readonly { readonly name: string; readonly at: string }[];
  /** The anchor on chain that covers the leaf: the log had it before that block. `times` says whether that is proven. */
  readonly anchor?: AnchorDetails;
}

/**
 * An anchor of the public log on chain.
 * @example
 * ```ts
 * const { blockNumber, isOnChain }: Partial<AnchorDetails> = checks.log.details.anchor ?? {};
 * ```
 */
export interface AnchorDetails {
  /** The contract that anchors the log. */
  readonly address: string;
  /** Where the address comes from; only `caller` is independent of the maker of a bundle. */
  readonly addressFrom: 'caller' | 'bundle';
  /** Absent when nothing but a bundle names it. */
  readonly chainId?: number;
  /** The number of leaves that were anchored. */
  readonly size: number;
  readonly blockNumber: number;
  /** Recomputed from the block's header: compare it with any explorer of the chain. */
  readonly blockHash: string;
  /** Time of the block, from its header (ISO 8601). */
  readonly blockTime: string;
  /** A node that the caller named has the block, or the caller compared its hash. */
  readonly isOnChain: boolean;
}

/**
 * `verified`: exactly these bytes have an entry of their own, and it, the Mark and the license were proven by a source that
 * the caller named or pinned; every fact that was not has the evidence `service`. `consistent`: nothing contradicts, but
 * something of that rests on the service's word. `contradicted`: two sources disagree, or the file is not of the Mark that
 * the caller expects. `unknown`: no available source has anything about the file. `incomplete`: it could not be determined,
 * or a source that the caller named could not be used.
 *
 * In place of `verified` and `consistent`, by the service's word: `contested`, when another user contests the registration
 * with older evidence that the service checked; `superseded`, when the Mark's admin conceded the file to another Mark.
 * `independentSources` tells whether the registration itself is confirmed independently.
 * @example
 * ```ts
 * const isFinal = (verdict: Verdict) => verdict !== 'incomplete';
 * ```
 */
export type Verdict =
  | 'verified'
  | 'consistent'
  | 'contested'
  | 'superseded'
  | 'contradicted'
  | 'unknown'
  | 'incomplete';

/**
 * Why a verification is not `verified`, in one sentence.
 *
 * Incomplete: `SOURCE_UNUSABLE` (a source that the caller named), `SOURCES_UNAVAILABLE` (of those that could tell),
 * `REQUIRED` (a required source does not confirm), `MARK_HIDDEN` (whether it is the expected Mark), `REGISTRY_NOT_CHECKED`
 * (whether the registry is the one that is pinned). Consistent: `NOTHING_NAMED` (all of it comes from one party),
 * `CONTRACT_NOT_NAMED`, `BLOCK_NOT_COMPARED` (of a bundle), `REGISTRANT_NOT_PROVEN` (Mark, author or license are the
 * service's word), `REGISTRATION_FAILED` (according to the service, after what confirms it), `NO_OWN_ENTRY` (the file is a copy or
 * the card of a registered one). `CONTRADICTED`, `UNEXPECTED_MARK`, `REGISTRY_CHANGED`, `UNKNOWN`, `CONTESTED` and `SUPERSEDED` are of the verdicts of that kind.
 * @example
 * ```ts
 * const isFixable = ({ code }: Reason) => code === 'NOTHING_NAMED' || code === 'CONTRACT_NOT_NAMED';
 * ```
 */
export interface Reason {
  readonly code:
    | 'SOURCE_UNUSABLE'
    | 'SOURCES_UNAVAILABLE'
    | 'REQUIRED'
    | 'MARK_HIDDEN'
    | 'REGISTRY_NOT_CHECKED'
    | 'NOTHING_NAMED'
    | 'CONTRACT_NOT_NAMED'
    | 'BLOCK_NOT_COMPARED'
    | 'REGISTRANT_NOT_PROVEN'
    | 'REGISTRATION_FAILED'
    | 'NO_OWN_ENTRY'
    | 'CONTRADICTED'
    | 'UNEXPECTED_MARK'
    | 'REGISTRY_CHANGED'
    | 'UNKNOWN'
    | 'CONTESTED'
    | 'SUPERSEDED';
  readonly text: string;
}

/**
 * The result of {@link verify} and {@link verifyBundle}.
 * @example
 * ```ts
 * const { verdict, facts, problems }: Verification = await verify(fingerprint, { client });
 * if (verdict === 'contradicted') for (const { code } of problems) console.log(code);
 * ```
 */
export interface Verification {
  readonly fingerprint: Fingerprint;
  readonly verdict: Verdict;
  /** The sources that confirm and that the caller obtained elsewhere than from the service. */
  readonly independentSources: readonly IndependentSource[];
  readonly facts: readonly Fact[];
  readonly times: readonly TimeEvidence[];
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
  /** Why it is not `verified`; absent when it is. */
  readonly reason?: Reason;
  /** What the service was told; absent when it got no request, or did not respond. */
  readonly disclosure?: Disclosure;
  readonly checks: {
    readonly registry: Check<RegistryDetails>;
    readonly chain: Check<ChainDetails>;
    readonly manifest: Check<ManifestDetails>;
    readonly log: Check<LogDetails>;
  };
  /** The manifest inside the file, of any signer; absent when there is none, or the content was not given. */
  readonly embedded?: EmbeddedManifest;
  /** The registered file of which this file is a copy that the registry signed, or the card. */
  readonly signedCopyOf?: Fingerprint;
  /**
   * True when nothing is known about the file itself, as with a card: everything but `fingerprint` and `embedded` is about
   * the file in `signedCopyOf`.
   */
  readonly isAboutOriginal?: true;
}

/**
 * A source that can be independent of the service.
 * @example
 * ```ts
 * const require: IndependentSource[] = ['chain', 'manifest', 'log'];
 * ```
 */
export type IndependentSource = 'chain' | 'manifest' | 'log';
