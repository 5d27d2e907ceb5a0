// Reads the published log: checkpoint, tiles and leaves, and makes receipts of them.

import { RegistryError } from '@provenance-registry/core';
import {
  decodeBundle,
  decodeTile,
  decodeUtf8,
  formatReceipt,
  formatTilePath,
  HashTile,
  isQuorum,
  parseCheckpoint,
  parseNote,
  proveInclusion,
  TILE_WIDTH,
  type TilePosition,
} from '@provenance-registry/log';
import type { LogFiles, PublicLog } from '../domain/ports/index.js';
import { treeHasher } from './hasher.js';
import { findWitnesses, type WitnessPolicy } from './witnesses.js';

/** Requests of this time share one look at the checkpoint. */
const CHECKPOINT_MS = 100;
/** Tiles and bundles of the newest leaves, and those above them; a tile has 8 kB, a bundle 100 kB. */
const MAX_KEPT_TILES = 1_000;
const MAX_KEPT_BUNDLES = 50;

interface ReadCheckpoint {
  readonly size: number;
  readonly note: string;
  /** Undefined: the log has no witnesses. */
  readonly isWitnessed: boolean | undefined;
}

export function createLogReader(
  files: Pick<LogFiles, 'read' | 'readCheckpoint'>,
  witnesses?: WitnessPolicy,
): Pick<PublicLog, 'readReceipt'> {
  const readTile = keepRecent(
    MAX_KEPT_TILES,
    async (position: TilePosition) => new HashTile(decodeTile(await readFile(position), position.width), treeHasher),
  );
  const readBundle = keepRecent(MAX_KEPT_BUNDLES, async (position: TilePosition) =>
    decodeBundle(await readFile(position), position.width),
  );
  let latest: { readonly at: number; readonly checkpoint: Promise<ReadCheckpoint | undefined> } | undefined;

  async function readFile(position: TilePosition): Promise<Uint8Array> {
    const bytes = await files.read(formatTilePath(position));
    if (!bytes) throw new RegistryError('UNAVAILABLE', 'A file of the log is missing.');
    return bytes;
  }

  function readCheckpoint(): Promise<ReadCheckpoint | undefined> {
    const now = Date.now();
    if (latest && now - latest.at < CHECKPOINT_MS) return latest.checkpoint;
    const earlier = latest?.checkpoint;
    const checkpoint = files.readCheckpoint().then(async (stored) => {
      if (!stored) return undefined;
      const known = await earlier?.catch(() => undefined);
      return known?.note === stored.text ? known : describe(stored.text);
    });
    latest = { at: now, checkpoint };
    return checkpoint;
  }

  async function describe(note: string): Promise<ReadCheckpoint> {
    const { size } = parseCheckpoint(parseNote(note).text);
    if (!witnesses) return { size, note, isWitnessed: undefined };
    const keys = witnesses.witnesses.map(({ key }) => key);
    return { size, note, isWitnessed: isQuorum(witnesses.quorum, await findWitnesses(note, keys)) };
  }

  async function readLeaf(index: number, size: number): Promise<string> {
    const bundle = Math.floor(index / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, size - bundle * TILE_WIDTH);
    const leaf = (await readBundle({ level: 'entries', index: bundle, width }))[index % TILE_WIDTH];
    if (!leaf) throw new Error('a bundle has fewer leaves than its path says');
    return decodeUtf8(leaf);
  }

  return {
    async readReceipt(index) {
      const checkpoint = await readCheckpoint();
      if (!checkpoint || checkpoint.size <= index) return undefined;
      const { size, note, isWitnessed } = checkpoint;
      const [hashes, leaf] = await Promise.all([
        proveInclusion({ size, readTile, hasher: treeHasher }, index),
        readLeaf(index, size),
      ]);
      const receipt = formatReceipt({ index, hashes, checkpoint: note });
      return { receipt, leaf, ...(isWitnessed !== undefined && { witnessed: isWitnessed }) };
    },
  };
}

/** Keeps what was read last: published files never change. */
function keepRecent<T>(maxKept: number, read: (position: TilePosition) => Promise<T>) {
  const kept = new Map<string, Promise<T>>();
  return (position: TilePosition): Promise<T> => {
    const path = formatTilePath(position);
    const value = kept.get(path) ?? read(position);
    // Moves to the end, the youngest.
    kept.delete(path);
    kept.set(path, value);
    value.catch(() => kept.delete(path));
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
