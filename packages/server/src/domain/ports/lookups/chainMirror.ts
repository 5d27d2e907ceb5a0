// Port for the mirror: the copy of the registry contract's entries in the database, which lookups read.

import type { Hex, Lease } from '../artifacts/chain.js';

/** Time since the node confirmed the mirror, within which it answers lookups alone. */
export const MIRROR_FRESH_MS = 30_000;
/** Blocks that the mirror may be behind the newest one that the node has shown, to answer lookups alone. */
export const MIRROR_MAX_BLOCKS_BEHIND = 2;

/** How far the mirror is, as any process can tell. */
export interface MirrorProgress {
  readonly mirroredBlock: number;
  readonly headBlock: number;
  /** When the node last confirmed it; null while it is known to be incomplete. */
  readonly checkedAt: Date | null;
  readonly isFresh: boolean;
}

export interface MirrorReader {
  /** Undefined before a worker has started it. */
  readProgress(): Promise<MirrorProgress | undefined>;
}

export interface MirroredRegistry {
  readonly chainId: number;
  readonly registry: Hex;
  /** Block that the contract was created in. */
  readonly firstBlock: bigint;
}

/** What the worker continues from. */
export interface MirrorState extends MirroredRegistry {
  /** All events up to this block are mirrored. */
  readonly mirroredBlock: bigint;
  /** Undefined before the first block. */
  readonly mirroredHash: Hex | undefined;
  readonly curatedCount: bigint;
  /** The last block at which the contract had as many curated entries. */
  readonly countedBlock: bigint;
  /** All accounts that could ever write the curated registry. */
  readonly registrars: readonly Hex[];
}

export interface MirroredBlock {
  readonly number: bigint;
  readonly hash: Hex;
}

interface LogPosition {
  readonly blockNumber: bigint;
  readonly logIndex: number;
}

export interface MirroredEntry extends LogPosition {
  readonly fingerprint: Hex;
  readonly source: 'curated' | 'public';
  /** Null when the writer stated an id or endpoints that are not returned. */
  readonly manifestId: string | null;
  readonly manifestHash: Hex;
  readonly registeredBy: Hex;
  /** Safe endpoints of a public entry; null for a curated one. */
  readonly endpoints: readonly string[] | null;
  /** Time of the block, in seconds since 1970. */
  readonly timestamp: number;
}

/** What the contract logged after the mirrored block, up to and including `block`. */
export interface MirroredSpan {
  readonly block: MirroredBlock;
  readonly headBlock: bigint;
  readonly entries: readonly MirroredEntry[];
  readonly endpoints: readonly (LogPosition & { readonly endpoints: readonly string[] })[];
  readonly registrars: readonly (LogPosition & { readonly account: Hex })[];
}

/**
 * Only the holder of the lease changes the mirror. Every change throws `LeaseLostError`, and changes nothing, when another
 * process has taken the lease or changed the mirror since `state` was read.
 */
export interface MirrorStore extends MirrorReader {
  acquireLease(lease: Lease): Promise<boolean>;
  releaseLease(lease: Lease): Promise<void>;
  /** Undefined before the first start, and when the mirror is that of another registry. */
  readState(registry: Pick<MirroredRegistry, 'chainId' | 'registry'>): Promise<MirrorState | undefined>;
  /** Empties the mirror and starts over with this registry. */
  start(lease: Lease, registry: MirroredRegistry): Promise<void>;
  /** Stored blocks at or below this one, newest first. */
  listBlocks(from: bigint, limit: number): Promise<MirroredBlock[]>;
  /** Those of the positions that need no entry: the fingerprint has this one or an earlier one. */
  findKnown(
    positions: readonly Pick<MirroredEntry, 'fingerprint' | 'source' | 'blockNumber' | 'logIndex'>[],
  ): Promise<ReadonlySet<number>>;
  /** An entry replaces a later one of its fingerprint. */
  append(lease: Lease, state: MirrorState, span: MirroredSpan): Promise<MirrorState>;
  /** Removes everything above the last stored block at or below this one, and returns the state of that block. */
  rollBack(lease: Lease, state: MirrorState, block: bigint): Promise<MirrorState>;
  /** Reads from that stored block again, without removing anything. The mirror is not fresh until then. */
  rescan(lease: Lease, state: MirrorState, block: bigint): Promise<MirrorState>;
  /** The node has shown this newest block, and it is not mirrored yet. */
  showHead(lease: Lease, state: MirrorState, headBlock: bigint): Promise<void>;
  /** The node confirms the mirrored block as its newest one, and the number of curated entries there. */
  confirm(lease: Lease, state: MirrorState): Promise<MirrorState>;
  /** Empties the mirror, whichever process holds the lease: that one starts over. */
  clear(): Promise<void>;
}

/** What the contract's `resolveByBindingDetailed` says of a fingerprint, as far as it is returned. */
export interface ResolvedEntry extends Omit<MirroredEntry, 'fingerprint' | 'blockNumber' | 'logIndex' | 'endpoints'> {
  readonly endpoints: readonly string[];
}

/** Mirrored entries as they are, for the audit. */
export interface MirrorRows {
  /** The blocks that are mirrored, both included. */
  readRange(): Promise<{ readonly from: bigint; readonly to: bigint } | undefined>;
  /** Lists fingerprints in their order, after this one. */
  listFingerprints(after: Hex | undefined, limit: number): Promise<Hex[]>;
  readResolved(fingerprints: readonly Hex[]): Promise<ReadonlyMap<Hex, ResolvedEntry>>;
  /** Replaces the mirrored entries; without an entry, removes them. */
  replace(fingerprint: Hex, entry: MirroredEntry | undefined): Promise<void>;
}

export interface MirrorDifference {
  readonly fingerprint: Hex;
  readonly problem: 'missing' | 'unknown' | 'different';
}

/** The mirror beside the contract. Throws when the node does not respond. */
export interface AuditedMirror {
  listFingerprints(after: Hex | undefined, limit: number): Promise<Hex[]>;
  /** The fingerprints in the contract's log, up to the mirrored block. */
  listRegistrations(): AsyncIterable<readonly Hex[]>;
  compare(fingerprints: readonly Hex[]): Promise<MirrorDifference[]>;
  /** Mirrors the fingerprint again. */
  repair(fingerprint: Hex): Promise<boolean>;
}
