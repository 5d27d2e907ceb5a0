// A copy of a public log and of the manifests that its leaves name: under the paths that they have at the registry, with an index
// from fingerprints to leaves. Nothing in a copy is trusted: readers check what they find against a signed checkpoint.

import { digestOf, type Fingerprint, fingerprintOf } from '@provenance-registry/core';
import { LogFormatError } from './errors.js';
import { formatTilePath, parseTilePath, type TilePosition } from './tree/tiles.js';

const LOG_FOLDER = 'log/';
const MANIFEST_FOLDER = 'api/c2pa/manifests/';
const INDEX_FOLDER = 'index/';

/** 4,096 files: 10 kB each with a million leaves, and 100 kB with ten million. */
const INDEX_DIGITS = 3;

const manifestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const indexName = /^[0-9a-f]{3}$/;

/** Paths below the address or the folder of a copy. */
export const copyPaths = {
  checkpoint: `${LOG_FOLDER}checkpoint`,
  /** What the registry said about itself: its roots, its contract, and the key of its log, signed. */
  identity: '.well-known/provenance-registry',
  tile: (position: TilePosition): string => `${LOG_FOLDER}${formatTilePath(position)}`,
  /** By the id in the leaf. */
  manifest: (id: string): string => `${MANIFEST_FOLDER}${id}`,
  index: (fingerprint: Fingerprint): string => `${INDEX_FOLDER}${fingerprint.slice(2, 2 + INDEX_DIGITS)}`,
} as const;

/** Whether a copy may have a file of that path. */
export function isCopyPath(path: string): boolean {
  if (path === copyPaths.checkpoint || path === copyPaths.identity) return true;
  if (path.startsWith(LOG_FOLDER)) return isTilePath(path.slice(LOG_FOLDER.length));
  if (path.startsWith(MANIFEST_FOLDER)) return manifestId.test(path.slice(MANIFEST_FOLDER.length));
  return path.startsWith(INDEX_FOLDER) && indexName.test(path.slice(INDEX_FOLDER.length));
}

function isTilePath(path: string): boolean {
  try {
    parseTilePath(path);
    return true;
  } catch (error) {
    if (error instanceof LogFormatError) return false;
    throw error;
  }
}

/** A leaf that registers a file. */
export interface IndexRecord {
  readonly fingerprint: Fingerprint;
  /** Of the leaf. */
  readonly index: number;
}

const FINGERPRINT_BYTES = 32;
const RECORD_BYTES = FINGERPRINT_BYTES + 8;

/** Each record: the 32 bytes of the fingerprint, and the index of the leaf in 8 bytes. Sorted, each once. */
export function encodeIndex(records: readonly IndexRecord[]): Uint8Array<ArrayBuffer> {
  const sorted = records.toSorted(compareRecords);
  const unique = sorted.filter((record, place) => place === 0 || compareRecords(record, sorted[place - 1]) !== 0);
  const bytes = new Uint8Array(unique.length * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [place, { fingerprint, index }] of unique.entries()) {
    bytes.set(digestOf(fingerprint), place * RECORD_BYTES);
    view.setBigUint64(place * RECORD_BYTES + FINGERPRINT_BYTES, BigInt(index));
  }
  return bytes;
}

function compareRecords(one: IndexRecord, other: IndexRecord | undefined): number {
  if (!other || one.fingerprint > other.fingerprint) return 1;
  return one.fingerprint < other.fingerprint ? -1 : one.index - other.index;
}

/** @throws LogFormatError unless it consists of whole records */
export function decodeIndex(bytes: Uint8Array): IndexRecord[] {
  if (bytes.length % RECORD_BYTES !== 0) throw new LogFormatError('The index of the copy is cut off.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / RECORD_BYTES }, (_, place) => {
    const start = place * RECORD_BYTES;
    const end = start + FINGERPRINT_BYTES;
    return { fingerprint: fingerprintOf(bytes.subarray(start, end)), index: Number(view.getBigUint64(end)) };
  });
}
