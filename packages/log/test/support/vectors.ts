// What Tessera and x/mod computed; `README.md` in the folder above says how, and what the entries are.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { decodeHash, HASH_BYTES } from '../../src/encoding.js';
import {
  createTreeHasher,
  decodeTile,
  formatPolicy,
  HashTile,
  parsePolicy,
  type TiledTree,
  type TilePosition,
} from '../../src/index.js';
import { formatTilePath, TILE_WIDTH } from '../../src/tree/tiles.js';

const Hash = Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' });
const Numbers = Type.Array(Type.Integer());
const Vectors = Type.Object({
  keys: Type.Record(Type.String(), Type.String()),
  roots: Type.Array(Type.Tuple([Type.Integer(), Hash])),
  files: Type.Record(Type.String(), Hash),
  hashes: Type.Array(Hash),
  inclusion: Type.Array(Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer(), Numbers])),
  consistency: Type.Array(Type.Tuple([Type.Integer(), Type.Integer(), Numbers, Numbers])),
  checkpoint: Type.String(),
  notes: Type.Array(Type.Object({ note: Type.String(), keys: Type.Array(Type.String()) })),
  checkpoints: Type.Array(Type.String()),
  receipts: Type.Array(Type.Object({ index: Type.Integer(), receipt: Type.String() })),
});

const file = gunzipSync(readFileSync(new URL('../vectors.json.gz', import.meta.url)));
export const vectors = Value.Parse(Vectors, JSON.parse(file.toString()));

export const VECTOR_SIZE = 100_000;

/** As a service hashes. */
export const nodeHasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));

export function vectorEntry(index: number): Uint8Array {
  return new TextEncoder().encode(`vector entry ${index}\n${'x'.repeat((index * 7919) % 401)}`);
}

/** The hash of that number in `hashes`. */
export function vectorHash(number: number): Uint8Array {
  return decodeHash(vectors.hashes[number] ?? '');
}

/** The key of that name, as text. */
export function vectorKey(name: string): string {
  const key = vectors.keys[name];
  if (key === undefined) throw new Error(`no key ${name}`);
  return key;
}

/** Opens trees of any size up to that of the files: the beginning of a tile is the tile of a smaller tree. */
export function createTreeOpener(files: ReadonlyMap<string, Uint8Array>): (size: number) => TiledTree {
  const opened = new Map<string, HashTile>();
  const openTile = (position: TilePosition) => {
    const complete = formatTilePath({ ...position, width: TILE_WIDTH });
    const path = files.has(complete)
      ? complete
      : [...files.keys()].findLast((name) => name.startsWith(`${complete}.p/`));
    const bytes = files.get(path ?? '')?.subarray(0, position.width * HASH_BYTES) ?? new Uint8Array();
    return new HashTile(decodeTile(bytes, position.width), nodeHasher);
  };
  const readTile = async (position: TilePosition) => {
    const path = formatTilePath(position);
    const tile = opened.get(path) ?? openTile(position);
    opened.set(path, tile);
    return tile;
  };
  return (size) => ({ size, readTile, hasher: nodeHasher });
}

/** All three witnesses have to sign. */
export const vectorPolicy = parsePolicy(
  formatPolicy([vectorKey('log')], ['witness1', 'witness2', 'witness3'].map(vectorKey)),
);
