// Searches for look-alikes of files: with perceptual hashes that are computed here, or with the file if the user says so.

import { openAsBlob } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { LookalikeSearch, LookalikeSearchOptions, RegistryClient } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import type { Context } from '../context.js';
import { CommandError, orFileError } from '../errors.js';
import type { ReadableInput } from '../inputs/run.js';

export interface SearchOptions extends LookalikeSearchOptions {
  readonly sendFile?: boolean;
}

/** Largest file; the SDK computes no perceptual hashes of larger ones. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

export type Content =
  | { readonly path: string | Buffer }
  | { readonly handle: FileHandle }
  | { readonly bytes: Buffer<ArrayBuffer> };

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
  { sendFile = false, ...options }: SearchOptions,
): Promise<LookalikeSearch> {
  const { searchLookalikes } = await import('@provenance-registry/client');
  const query = sendFile
    ? { fingerprint, content: await openFile(name, content) }
    : { fingerprint, hashes: await computeHashes(name, content) };
  return send(name, () => searchLookalikes(client, query, options));
}

async function computeHashes(name: string, content: Content) {
  const { computePerceptualHashes } = await import('../perceptualHashes/computePerceptualHashes.js');
  const file = 'bytes' in content ? content.bytes : 'handle' in content ? content.handle : content;
  return orFileError(name, computePerceptualHashes(file, { forSearch: true }));
}

async function openFile(name: string, content: Content): Promise<Blob> {
  if ('bytes' in content) return new Blob([content.bytes]);
  if ('handle' in content) return new Blob([await orFileError(name, content.handle.readFile())]);
  return orFileError(name, openAsBlob(content.path));
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
