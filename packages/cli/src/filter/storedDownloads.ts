// The downloads of a registry on this machine: fetched, checked, and searched. A file is used only after its hash was compared
// with the signed index.

import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AiPreferences,
  type DownloadIndex,
  digestOf,
  type Fingerprint,
  type FingerprintFilter,
  judgeDownloadAge,
  parseFilter,
  parsePiece,
  type SnapshotPiece,
} from '@provenance-registry/core';
import { CommandError, errorCode, FileError } from '../errors.js';
import { type IndexTrust, UntrustedDownloadsError, verifyIndex } from './signedIndex.js';

const INDEX_NAME = 'index.jws';
/** Bytes of the snapshot in memory at once: all of ten million fingerprints. */
const MAX_CACHED_BYTES = 400_000_000;
const downloadName = /^[0-9a-f]{64}\.(filter|snapshot)(\.partial)?$/;

interface DownloadFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

export interface UpdateResult {
  readonly index: DownloadIndex;
  /** The registry should have published newer ones by now. */
  readonly isOutOfDate: boolean;
  /** Those that were not there yet. */
  readonly files: number;
  readonly bytes: number;
}

export interface UpdateOptions {
  readonly folder: string;
  readonly trust: IndexTrust;
  readonly hasSnapshot: boolean;
  readonly allowsOlder: boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** Fetches what has changed. The previous downloads stay usable until the last file is complete. */
export async function updateDownloads(jws: string, options: UpdateOptions): Promise<UpdateResult> {
  const { folder, trust } = options;
  const index = verifyIndex(jws, trust);
  if (!options.allowsOlder) await requireNewer(index, folder, trust);
  await mkdir(folder, { recursive: true });
  let [files, bytes] = [0, 0];
  const wanted = listFiles(index, options.hasSnapshot);
  for (const file of wanted) {
    if (await isPresent(folder, file)) continue;
    await fetchFile(`${index.filesUrl}/${file.name}`, file, options);
    files += 1;
    bytes += file.size;
    options.onBytes(bytes);
  }
  await writeFile(join(folder, `${INDEX_NAME}.partial`), jws);
  await rename(join(folder, `${INDEX_NAME}.partial`), join(folder, INDEX_NAME));
  const names = new Set(listFiles(index, true).map(({ name }) => name));
  for (const name of await readdir(folder)) {
    if (downloadName.test(name) && !names.has(name)) await rm(join(folder, name), { force: true });
  }
  return { index, isOutOfDate: isOutOfDate(index, trust), files, bytes };
}

function isOutOfDate(index: DownloadIndex, { now }: IndexTrust): boolean {
  return judgeDownloadAge(index, now) !== 'current';
}

/** A server could hide what was registered since by serving an earlier index, whose signature is as good. */
async function requireNewer(index: DownloadIndex, folder: string, trust: IndexTrust): Promise<void> {
  const stored = await readStoredIndex(folder, trust).catch(() => undefined);
  if (!stored || stored.createdAt <= index.createdAt) return;
  throw new UntrustedDownloadsError(
    `the index is of ${index.createdAt}, older than the one of ${stored.createdAt} that you have; --allow-older accepts it`,
  );
}

function listFiles({ filter, pieces }: DownloadIndex, hasSnapshot: boolean): DownloadFile[] {
  return [
    { ...filter, name: `${filter.sha256}.filter` },
    ...(hasSnapshot ? pieces.map((piece) => ({ ...piece, name: `${piece.sha256}.snapshot` })) : []),
  ];
}

async function isPresent(folder: string, { name, size }: DownloadFile): Promise<boolean> {
  return (await stat(join(folder, name)).catch(() => undefined))?.size === size;
}

/** Never writes more than the stated size. */
async function fetchFile(url: string, { name, size, sha256 }: DownloadFile, options: UpdateOptions): Promise<void> {
  const path = join(options.folder, name);
  const response = await fetch(url, { signal: options.signal }).catch((error: unknown) => {
    throw new CommandError('UNREACHABLE', 3, `Could not fetch ${url}.`, { cause: error });
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new CommandError('UNREACHABLE', 3, `Could not fetch ${url}: status ${response.status}.`);
  }
  const file = await open(`${path}.partial`, 'w');
  const hash = createHash('sha256');
  let written = 0;
  try {
    for await (const chunk of response.body) {
      written += chunk.length;
      if (written > size) break;
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  if (written !== size || hash.digest('hex') !== sha256) {
    await rm(`${path}.partial`, { force: true });
    throw new UntrustedDownloadsError(`${url} is not the file that the index names`);
  }
  await rename(`${path}.partial`, path);
}

async function readStoredIndex(folder: string, trust: IndexTrust): Promise<DownloadIndex | undefined> {
  const jws = await readIfPresent(join(folder, INDEX_NAME));
  return jws && verifyIndex(jws.toString('utf8'), trust);
}

export interface StoredDownloads {
  readonly index: DownloadIndex;
  /** There should be newer ones by now: no result is definite. */
  readonly isOutOfDate: boolean;
  /** False: certainly not registered when the index was made. */
  mayContain(fingerprint: Fingerprint): boolean;
  /** Reads the snapshot; undefined if it is not registered. */
  find(fingerprint: Fingerprint): Promise<AiPreferences | undefined>;
}

/** Undefined if there are none yet. */
export async function openDownloads(folder: string, trust: IndexTrust): Promise<StoredDownloads | undefined> {
  const index = await readStoredIndex(folder, trust);
  if (!index) return undefined;
  const filter = await openFilter(folder, index);
  const pieces = new PieceCache(folder);
  return {
    index,
    isOutOfDate: isOutOfDate(index, trust),
    mayContain: (fingerprint) => filter.mayContain(digestOf(fingerprint)),
    async find(fingerprint) {
      const entry = findPiece(index.pieces, fingerprint);
      return entry && filter.mayContain(digestOf(fingerprint))
        ? (await pieces.open(entry)).find(digestOf(fingerprint))
        : undefined;
    },
  };
}

async function openFilter(folder: string, { filter }: DownloadIndex): Promise<FingerprintFilter> {
  const bytes = await readVerified(folder, { ...filter, name: `${filter.sha256}.filter` });
  const parsed = parseOrRefuse(() => parseFilter(bytes));
  if (parsed.count !== filter.count)
    throw new UntrustedDownloadsError('the filter has another count than the index says');
  return parsed;
}

type PieceEntry = DownloadIndex['pieces'][number];

/** The last piece that starts at or before the fingerprint, if it ends after it. */
function findPiece(pieces: readonly PieceEntry[], fingerprint: Fingerprint): PieceEntry | undefined {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.from ?? '') <= fingerprint) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low - 1];
  return piece && fingerprint <= piece.to ? piece : undefined;
}

/** The pieces that were used last. */
class PieceCache {
  readonly #pieces = new Map<string, { piece: SnapshotPiece; size: number }>();
  #bytes = 0;

  constructor(readonly folder: string) {}

  async open(entry: PieceEntry): Promise<SnapshotPiece> {
    const { sha256, size, count } = entry;
    const known = this.#pieces.get(sha256);
    if (known) {
      this.#pieces.delete(sha256);
      this.#pieces.set(sha256, known);
      return known.piece;
    }
    const bytes = await readVerified(this.folder, { ...entry, name: `${sha256}.snapshot` });
    const piece = parseOrRefuse(() => parsePiece(bytes));
    if (piece.count !== count) throw new UntrustedDownloadsError('a piece has another count than the index says');
    this.#pieces.set(sha256, { piece, size });
    this.#bytes += size;
    for (const [oldest, { size: oldSize }] of this.#pieces) {
      if (this.#bytes <= MAX_CACHED_BYTES || oldest === sha256) break;
      this.#pieces.delete(oldest);
      this.#bytes -= oldSize;
    }
    return piece;
  }
}

function parseOrRefuse<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UntrustedDownloadsError(error instanceof Error ? error.message : String(error));
  }
}

/** Also against a disk that has changed it since. */
async function readVerified(folder: string, { name, size, sha256 }: DownloadFile): Promise<Buffer> {
  const path = join(folder, name);
  const bytes = await readIfPresent(path);
  if (!bytes) {
    const option = name.endsWith('.snapshot') ? ' --exact' : '';
    throw new CommandError('NO_DOWNLOADS', 3, `${name} is missing: run 'provenance file filter --update${option}'.`);
  }
  if (bytes.length !== size || createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new UntrustedDownloadsError(`${path} is not the file that the index names`);
  }
  return bytes;
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new FileError(path, error);
  }
}
