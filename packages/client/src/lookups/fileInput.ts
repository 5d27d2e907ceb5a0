// The file that a lookup or a verification is about.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { hashBlob } from '#hashing';
import { InvalidArgumentError } from '../errors.js';

/**
 * A file whose fingerprint is known already, such as from `hashFile` or `hashBlob`.
 * @example
 * ```ts
 * const file: HashedFile = { fingerprint, content: await readFile('sunrise.jpg') };
 * ```
 */
export interface HashedFile {
  readonly fingerprint: Fingerprint;
  readonly content?: Blob | Uint8Array | undefined;
}

/**
 * A file to look up or to verify: a fingerprint, the content, or both. In Node, `fs.openAsBlob` opens a file of any size.
 * @example
 * ```ts
 * const file: FileInput = await openAsBlob('sunrise.jpg');
 * const { match } = await lookUp(client, file);
 * ```
 */
export type FileInput = string | Blob | Uint8Array | HashedFile;

/** Hashes content whose fingerprint is not given. Rejects with InvalidArgumentError when a fingerprint is malformed. */
export async function identifyFile(file: FileInput, signal?: AbortSignal): Promise<HashedFile> {
  if (typeof file === 'string') return { fingerprint: requireFingerprint(file) };
  if ('fingerprint' in file) return { ...file, fingerprint: requireFingerprint(file.fingerprint) };
  const blob = file instanceof Blob ? file : new Blob([new Uint8Array(file)]);
  return { fingerprint: (await hashBlob(blob, { signal })).fingerprint, content: file };
}

export function requireFingerprint(text: string): Fingerprint {
  if (isFingerprint(text)) return text;
  throw new InvalidArgumentError(`${text} is not a fingerprint.`);
}
