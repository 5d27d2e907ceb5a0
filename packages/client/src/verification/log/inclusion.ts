// Builds proofs of inclusion from the published tiles of a log.

import {
  copyPaths,
  decodeTile,
  HashTile,
  portableHasher,
  proveInclusion,
  TILE_WIDTH,
  type TilePosition,
} from '@provenance-registry/log';
import { InvalidResponseError } from '../../errors.js';
import { mirrorTexts } from '../../explanations.js';
import type { MirrorSource } from '../mirror/source.js';

/** Nothing is checked here: the root of the tree, known from elsewhere, shows whether the proof is right. */
export function readInclusion(
  source: MirrorSource,
  { index, size }: { readonly index: number; readonly size: number },
  signal: AbortSignal | undefined,
): Promise<Uint8Array[]> {
  const readHashes = async (tile: TilePosition) =>
    new HashTile(await readTile(source, tile, decodeTile, signal), portableHasher);
  return proveInclusion({ size, readTile: readHashes, hasher: portableHasher }, index);
}

/** A copy that grew meanwhile may have the complete one alone. */
export async function readTile(
  source: MirrorSource,
  position: TilePosition,
  decode: typeof decodeTile,
  signal: AbortSignal | undefined,
): Promise<Uint8Array[]> {
  const bytes = await source.readFile(copyPaths.tile(position), signal);
  if (bytes) return decode(bytes, position.width);
  const complete = await requireFile(source, copyPaths.tile({ ...position, width: TILE_WIDTH }), signal);
  return decode(complete, TILE_WIDTH).slice(0, position.width);
}

export async function requireFile(
  source: MirrorSource,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = await source.readFile(path, signal);
  if (!bytes) throw new InvalidResponseError(mirrorTexts.missing(path));
  return bytes;
}
