// Searches for look-alikes of files: with codes that are computed here, or with the file if the user says so.

import { openAsBlob } from 'node:fs';
import type { MissingCodes, RegistryClient } from '@provenance-registry/client';
import type { Fingerprint, Lookalike } from '@provenance-registry/core';
import type { Context } from '../context.js';
import { CommandError, FileError, UsageError } from '../errors.js';
import type { ReadableInput } from '../inputs/run.js';

/** `isSameFile`: it is registered with this very fingerprint. */
export type FoundLookalike = Lookalike & { readonly isSameFile: boolean };

export interface LookalikeResult {
  /** What the service was sent. */
  readonly sent: 'codes' | 'file' | 'nothing';
  readonly lookalikes: readonly FoundLookalike[];
  /** Why there were no codes to search with. */
  readonly missing?: MissingCodes;
}

export interface SearchOptions {
  readonly maxDistance?: number | undefined;
  readonly limit?: number | undefined;
  readonly sendFile?: boolean;
}

/** Largest file; the SDK computes no perceptual hashes of larger ones. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Throws UsageError when a number is out of its range. */
export async function checkSearchOptions(
  { maxDistance, limit }: SearchOptions,
  helpPath: readonly string[],
): Promise<void> {
  const { LARGEST_MAX_DISTANCE, MAX_LOOKALIKES } = await import('@provenance-registry/core');
  if (maxDistance !== undefined && (maxDistance < 0 || maxDistance > LARGEST_MAX_DISTANCE))
    throw new UsageError(`--max-distance must be a number from 0 to ${LARGEST_MAX_DISTANCE}.`, helpPath);
  if (limit !== undefined && (limit < 1 || limit > MAX_LOOKALIKES))
    throw new UsageError(`--limit must be a number from 1 to ${MAX_LOOKALIKES}.`, helpPath);
}

export type Content = { readonly path: string | Buffer } | { readonly bytes: Buffer<ArrayBuffer> };

/** Standard input is read into memory. Rejects with CommandError if it is too large. */
export async function readContent({ stdin }: Pick<Context, 'stdin'>, input: ReadableInput): Promise<Content> {
  if (input.kind === 'file') return { path: input.path };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_FILE_BYTES) throw new CommandError('FILE_PROBLEM', 3, `${input.name}: larger than 32 MiB.`);
    chunks.push(bytes);
  }
  return { bytes: Buffer.concat(chunks) };
}

/** Rejects with CommandError when the file cannot be read, or the service does not respond. */
export async function findLookalikes(
  client: RegistryClient,
  { name, content, fingerprint }: { name: string; content: Content; fingerprint: Fingerprint },
  { sendFile = false, maxDistance, limit }: SearchOptions,
): Promise<LookalikeResult> {
  const toResult = (sent: LookalikeResult['sent'], lookalikes: readonly Lookalike[]): LookalikeResult => ({
    sent,
    lookalikes: lookalikes.map((found) => ({ ...found, isSameFile: found.fingerprint === fingerprint })),
  });
  if (sendFile) {
    const file = await openFile(name, content);
    const { MAX_QUERY_BYTES } = await import('@provenance-registry/core');
    if (file.size > MAX_QUERY_BYTES) return { sent: 'nothing', lookalikes: [], missing: 'too-large' };
    const { lookalikes, codes, chromaprint } = await send(name, () =>
      client.findLookalikes({ file, maxDistance, limit }),
    );
    const result = toResult('file', lookalikes);
    return codes.length > 0 || chromaprint !== undefined ? result : { ...result, missing: 'featureless' };
  }
  const { questions, chromaprint, missing } = await computeSearchCodes(name, content);
  if (missing !== undefined) return { sent: 'nothing', lookalikes: [], missing };
  const codes = questions && [...questions];
  const { lookalikes } = await send(name, () => client.findLookalikes({ codes, chromaprint, maxDistance, limit }));
  return toResult('codes', lookalikes);
}

async function computeSearchCodes(name: string, content: Content) {
  const { computeCodes } = await import('../codes/computeCodes.js');
  const file = 'bytes' in content ? content.bytes : toCodesFile(content.path);
  try {
    return await computeCodes(file, { questions: true });
  } catch (error) {
    throw new FileError(name, error);
  }
}

function toCodesFile(path: string | Buffer): string | { readonly path: Buffer } {
  return typeof path === 'string' ? path : { path };
}

async function openFile(name: string, content: Content): Promise<Blob> {
  try {
    return 'bytes' in content ? new Blob([content.bytes]) : await openAsBlob(content.path);
  } catch (error) {
    throw new FileError(name, error);
  }
}

/** Makes every failure to get a response an unknown result: exit code 3, whatever the reason. */
async function send<T>(name: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { ApiError } = await import('@provenance-registry/client');
    if (!(error instanceof ApiError)) throw error;
    throw new CommandError(error.code, 3, `${name}: ${error.message}`, { cause: error });
  }
}
