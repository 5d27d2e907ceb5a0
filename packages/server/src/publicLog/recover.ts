// Brings back from the published files what the database lost: after a restored backup, the sequencer stops until then.

import {
  appendEntries,
  decodeBundle,
  decodeTile,
  decodeUtf8,
  encodeBundle,
  encodeUtf8,
  formatPolicy,
  formatTilePath,
  type Leaf,
  LogProofError,
  type NoteSigner,
  parseLeaf,
  parsePolicy,
  parseTilePath,
  readEdge,
  TILE_WIDTH,
  type TileFile,
  type TilePosition,
  type TreeEdge,
  type TreeHead,
  verifyCheckpoint,
} from '@provenance-registry/log';
import type { Lease, LogFiles, LogKeys, LogSequence, SequencedLeaf } from '../domain/ports/index.js';
import { treeHasher } from './hasher.js';
import { describeSigner } from './keys.js';
import { newestOf } from './release.js';
import { LogStoppedError } from './stops.js';

/** Of one transaction: a multiple of what a bundle has. */
const PAGE_SIZE = 5_120;

export interface RecoveryOptions {
  readonly records: LogSequence;
  readonly files: LogFiles;
  readonly lease: Lease;
  /** Those of the key file, for the log of that name; the database may lack the newest. */
  readonly readSigners: (origin: string) => Promise<readonly NoteSigner[]>;
  readonly isDryRun: boolean;
  readonly onProgress: (size: number) => Promise<void>;
}

export interface LogRecovery {
  /** Leaves that the database lacked. */
  readonly recovered: number;
  /** Files that were written for a tree that the database lost before it was signed, and are replaced. */
  readonly replaced: readonly string[];
  readonly size: number;
}

/** Throws LogStoppedError if the database and the published files contradict each other. */
export async function recoverLog(options: RecoveryOptions): Promise<LogRecovery> {
  const { records, files, readSigners } = options;
  const stored = newestOf(await files.readCheckpoint(), await files.readCheckpoint('signed-checkpoint'));
  const head = await records.readHead();
  if (!stored) return { recovered: 0, replaced: [], size: head.size };
  const [origin = ''] = stored.text.split('\n');
  const known = await records.listKeys();
  const vkeys = [...known.map(({ vkey }) => vkey), ...(await readSigners(origin)).map(describeSigner)];
  const policy = parsePolicy(formatPolicy([...new Set(vkeys)]));
  const checkpoint = await verifyCheckpoint(stored.text, policy);
  if (head.size >= checkpoint.size)
    return { recovered: 0, replaced: await replaceUnsigned(options, checkpoint), size: head.size };
  let edge = await openEdge(files, head, checkpoint);
  while (edge.size < checkpoint.size) {
    const leaves = await readLeaves(
      files,
      edge.size,
      Math.min(checkpoint.size, edge.size + PAGE_SIZE),
      checkpoint.size,
    );
    const next = appendEntries(edge, leaves.map(encodeUtf8), treeHasher).edge;
    if (!options.isDryRun) await restore(options, origin, edge, next, leaves);
    await options.onProgress(next.size);
    edge = next;
  }
  if (Buffer.compare(edge.root, checkpoint.root) !== 0) throw contradiction();
  return { recovered: checkpoint.size - head.size, replaced: [], size: edge.size };
}

/** The edge of the tree that the database has, from the files of the larger one that is published. */
async function openEdge(files: LogFiles, head: TreeHead, published: TreeHead): Promise<TreeEdge> {
  const readFile = async (path: string) => {
    const position = parseTilePath(path);
    const actual = positionIn(published.size, position);
    const bytes = await readTile(files, actual);
    return position.level === 'entries'
      ? encodeBundle(decodeBundle(bytes, actual.width).slice(0, position.width))
      : Buffer.concat(decodeTile(bytes, actual.width).slice(0, position.width));
  };
  return readEdge(head, readFile, treeHasher).catch((error: unknown) => {
    throw error instanceof LogProofError ? contradiction() : error;
  });
}

/** The file that has these hashes or leaves in a tree of that size. */
function positionIn(size: number, { level, index }: TilePosition): TilePosition {
  const hashes = level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level);
  return { level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) };
}

async function readTile(files: LogFiles, position: TilePosition): Promise<Uint8Array> {
  const path = formatTilePath(position);
  const bytes = await files.read(path);
  if (!bytes) throw new LogStoppedError('foreign-file', `the published file ${path} is missing`);
  return bytes;
}

async function readLeaves(files: LogFiles, from: number, to: number, size: number): Promise<string[]> {
  const first = Math.floor(from / TILE_WIDTH);
  const leaves: string[] = [];
  for (let index = first; index * TILE_WIDTH < to; index += 1) {
    const position = positionIn(size, { level: 'entries', index, width: TILE_WIDTH });
    leaves.push(...decodeBundle(await readTile(files, position), position.width).map(decodeUtf8));
  }
  return leaves.slice(from - first * TILE_WIDTH, to - first * TILE_WIDTH);
}

async function restore(
  { records, lease }: RecoveryOptions,
  origin: string,
  from: TreeEdge,
  to: TreeEdge,
  texts: readonly string[],
): Promise<void> {
  const parsed = texts.map((leaf) => ({ leaf, content: parseLeaf(encodeUtf8(leaf)) }));
  const keys = parsed.flatMap(({ content }): LogKeys[] =>
    content?.kind === 'keys' ? [{ vkey: content.content.log, signers: content.content.signers }] : [],
  );
  const leaves = parsed.map(({ leaf, content }): SequencedLeaf => describe(leaf, content));
  const isRestored = await records.restore(lease, { from, to, leaves, origin }, keys);
  if (!isRestored) throw new Error('the head of the log has changed meanwhile');
}

function describe(leaf: string, content: Leaf | undefined): SequencedLeaf {
  if (!content) throw new LogStoppedError('diverged', 'a leaf is of a kind that this release does not know');
  const { kind } = content;
  if (kind !== 'artifact' && kind !== 'rendition') return { kind, leaf };
  return { kind, leaf, fingerprint: content.content.fingerprint };
}

/**
 * Replaces files beyond the published tree that are not those of the database: they are of a head that was lost with its
 * database before it was signed.
 */
async function replaceUnsigned({ records, files, isDryRun }: RecoveryOptions, published: TreeHead): Promise<string[]> {
  const head = await records.readHead();
  const others: TileFile[] = [];
  let edge = await openEdge(files, published, published);
  while (edge.size < head.size) {
    const leaves = await records.readLeaves(edge.size, Math.min(head.size, edge.size + PAGE_SIZE));
    if (leaves.length === 0) throw contradiction();
    const appended = appendEntries(edge, leaves.map(encodeUtf8), treeHasher);
    for (const file of appended.files) {
      const existing = await files.read(file.path);
      if (existing && Buffer.compare(existing, file.bytes) !== 0) others.push(file);
    }
    edge = appended.edge;
  }
  if (Buffer.compare(edge.root, head.root) !== 0) throw contradiction();
  if (!isDryRun) for (const file of others) await files.replace(file);
  return others.map(({ path }) => path);
}

function contradiction(): LogStoppedError {
  return new LogStoppedError(
    'diverged',
    'the leaves of the database are not those of the published files: the database is of another log, or went on by itself',
  );
}
