// Reads the public log from its published files and checks what it reads: signatures, the tree, the newest leaves.

import { ApiError, type RegistryClient, readLogIdentity } from '@provenance-registry/client';
import type { PublishedAnchor } from '@provenance-registry/core';
import {
  decodeBundle,
  decodeTile,
  formatPolicy,
  formatTilePath,
  HashTile,
  isIncluded,
  type Leaf,
  type LogPolicy,
  LogProofError,
  parseLeaf,
  parsePolicy,
  portableHasher,
  proveInclusion,
  TILE_WIDTH,
  type TilePosition,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from '@provenance-registry/log';
import { type OwnSources, toVerifyOptions } from '../verify/ownSources.js';

export interface PublicLog {
  readonly checkpoint: VerifiedCheckpoint;
  /** As the log published it. */
  readonly note: string;
  readonly key: string;
  /** Who vouches for the key. */
  readonly keyFrom: 'caller' | 'service';
  /** Those that the registry names. */
  readonly witnesses: readonly WitnessState[];
  /** The last one that the service knows, by its word. */
  readonly anchor: PublishedAnchor | undefined;
  /** The newest first. Undefined leaves are of a kind that is not known here. */
  readonly newest: readonly { readonly index: number; readonly leaf: Leaf | undefined }[];
  /** How many leaves there were when, oldest first, by the times in some of them. */
  readonly growth: readonly GrowthPoint[];
}

export interface WitnessState {
  readonly name: string;
  /** When it signed the checkpoint, by its own clock (ISO 8601); undefined if it has not. */
  readonly signedAt: string | undefined;
}

export interface GrowthPoint {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly size: number;
}

const NEWEST_COUNT = 10;
/** Enough for a line; each costs one request. */
const SAMPLE_COUNT = 24;
const LENGTH_BYTES = 2;

/**
 * Undefined if the registry has no log yet.
 * @throws LogProofError if the log contradicts itself, or its key is not vouched for
 */
export async function readPublicLog(
  client: RegistryClient,
  own: OwnSources,
  signal: AbortSignal,
): Promise<PublicLog | undefined> {
  const keys = await findKeys(client, own, signal);
  if (!keys) return undefined;
  const note = new TextDecoder().decode(await readFile('checkpoint', signal, 'no-cache'));
  const checkpoint = await verifyCheckpoint(note, keys.policy);
  const [newest, growth, anchor] = await Promise.all([
    readNewest(checkpoint, signal),
    readGrowth(checkpoint, signal),
    readLastAnchor(client, signal),
  ]);
  const witnesses = listWitnesses(keys.policy, checkpoint);
  return { checkpoint, note, key: keys.key, keyFrom: keys.from, witnesses, anchor, newest, growth };
}

async function readLastAnchor(client: RegistryClient, signal: AbortSignal): Promise<PublishedAnchor | undefined> {
  try {
    return await client.getLastAnchor({ signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function listWitnesses({ witnesses }: LogPolicy, { cosignatures }: VerifiedCheckpoint): WitnessState[] {
  return witnesses.map(({ key: { name } }) => {
    const time = cosignatures.find((cosignature) => cosignature.name === name)?.time;
    return { name, signedAt: time === undefined ? undefined : new Date(time * 1_000).toISOString() };
  });
}

async function findKeys(client: RegistryClient, own: OwnSources, signal: AbortSignal) {
  const { logKeys: [ownKey] = [], trustAnchorsPem } = toVerifyOptions(own);
  if (ownKey !== undefined) {
    return {
      policy: parsePolicy(formatPolicy([ownKey])),
      key: ownKey,
      from: 'caller',
    } as const;
  }
  const { log, signerRoots } = await client.getRegistryIdentity({ signal });
  if (!log) return undefined;
  const servicePem = signerRoots.map(({ pem }) => pem).join('\n');
  for (const [from, rootsPem] of [['caller', trustAnchorsPem] as const, ['service', servicePem] as const]) {
    const identity = rootsPem === undefined ? undefined : await readLogIdentity(log.jws, rootsPem);
    // How many witnesses have to sign is the registry's own rule: those that have are shown.
    if (identity) return { policy: { ...parsePolicy(identity.policy), quorum: undefined }, key: identity.vkey, from };
  }
  throw new LogProofError('No root of this registry vouches for the key of its log.');
}

/** With the proof of each that it is in the tree of the checkpoint. */
async function readNewest(checkpoint: VerifiedCheckpoint, signal: AbortSignal): Promise<PublicLog['newest']> {
  const { size } = checkpoint;
  const count = Math.min(NEWEST_COUNT, size);
  const indexes = Array.from({ length: count }, (_, place) => size - 1 - place);
  const bundles = new Map<number, Promise<Uint8Array[]>>();
  const readEntry = async (index: number) => {
    const number = Math.floor(index / TILE_WIDTH);
    const reading = bundles.get(number) ?? readBundle(number, size, signal);
    bundles.set(number, reading);
    const entry = (await reading)[index % TILE_WIDTH];
    if (!entry) throw new LogProofError('A bundle has fewer leaves than the log.');
    return entry;
  };
  const tiles = new Map<string, Promise<HashTile>>();
  const readTile = (position: TilePosition) => {
    const path = formatTilePath(position);
    const reading =
      tiles.get(path) ??
      readFile(path, signal).then((bytes) => new HashTile(decodeTile(bytes, position.width), portableHasher));
    tiles.set(path, reading);
    return reading;
  };
  return Promise.all(
    indexes.map(async (index) => {
      const entry = await readEntry(index);
      const hashes = await proveInclusion({ size, readTile, hasher: portableHasher }, index);
      if (!isIncluded(portableHasher.hashLeaf(entry), { index, hashes }, checkpoint)) {
        throw new LogProofError(`Leaf ${index} is not in the tree of the checkpoint.`);
      }
      return { index, leaf: parseLeaf(entry) };
    }),
  );
}

async function readBundle(number: number, size: number, signal: AbortSignal): Promise<Uint8Array[]> {
  const position = bundleAt(number, size);
  return decodeBundle(await readFile(formatTilePath(position), signal), position.width);
}

function bundleAt(number: number, size: number) {
  return { level: 'entries', index: number, width: Math.min(TILE_WIDTH, size - number * TILE_WIDTH) } as const;
}

/** By every leaf of a small log, and by the first ones of some bundles of a large one. */
async function readGrowth({ size }: VerifiedCheckpoint, signal: AbortSignal): Promise<GrowthPoint[]> {
  const bundleCount = Math.ceil(size / TILE_WIDTH);
  if (bundleCount === 0) return [];
  const last = bundleCount - 1;
  const sampleCount = Math.min(SAMPLE_COUNT, last);
  const numbers = Array.from({ length: sampleCount }, (_, place) => Math.floor((place * last) / sampleCount));
  const [samples, newest] = await Promise.all([
    Promise.all(numbers.map(async (number) => [number * TILE_WIDTH, await readFirst(number, size, signal)] as const)),
    readBundle(last, size, signal),
  ]);
  const tail = newest.map((entry, place) => [last * TILE_WIDTH + place, entry] as const);
  return toGrowth([...samples, ...tail]);
}

/** The beginning of the log has its own time, but imported leaves those of their registrations. */
function toGrowth(entries: readonly (readonly [index: number, entry: Uint8Array])[]): GrowthPoint[] {
  let latest = 0;
  return entries.flatMap(([index, entry]) => {
    const leaf = parseLeaf(entry);
    const time = leaf && leaf.kind !== 'genesis' ? Date.parse(leaf.content.time) : 0;
    if (time < latest || time === 0) return [];
    latest = time;
    return [{ time, size: index + 1 }];
  });
}

/** Stops reading after the first entry: a bundle may have a hundred kilobytes. */
async function readFirst(number: number, size: number, signal: AbortSignal): Promise<Uint8Array> {
  const { body } = await request(formatTilePath(bundleAt(number, size)), signal);
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let entry: Uint8Array | undefined;
  while (reader && !entry) {
    const { value, done } = await reader.read();
    if (done) break;
    chunks.push(new Uint8Array(value));
    entry = findFirst(new Uint8Array(await new Blob(chunks).arrayBuffer()));
  }
  await reader?.cancel();
  if (!entry) throw new LogProofError('A bundle has no leaf.');
  return entry;
}

/** Undefined if there is not all of it. */
function findFirst(bytes: Uint8Array<ArrayBuffer>): Uint8Array | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + new DataView(bytes.buffer).getUint16(0);
  return bytes.length < end ? undefined : bytes.subarray(LENGTH_BYTES, end);
}

async function readFile(path: string, signal: AbortSignal, cache?: RequestCache): Promise<Uint8Array> {
  const response = await request(path, signal, cache);
  return new Uint8Array(await response.arrayBuffer());
}

async function request(path: string, signal: AbortSignal, cache?: RequestCache): Promise<Response> {
  const response = await fetch(`/log/${path}`, { signal, ...(cache && { cache }) });
  if (!response.ok) throw new LogProofError(`The log does not have ${path}.`);
  return response;
}
