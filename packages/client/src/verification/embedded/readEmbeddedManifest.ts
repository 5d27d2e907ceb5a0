// The C2PA manifest inside a file: of any signer, read without any network but that to the service.

import type { RegistryClient } from '../../client.js';
import { unreadableManifests } from '../../explanations.js';
import { readCallerRoots, type VerifyOptions } from '../options.js';
import type { RootSet } from '../rootSet.js';
import { readServiceInfo } from '../serviceInfo.js';
import type { EmbeddedManifest } from './embeddedManifest.js';
import { type EmbeddedReadJob, mayHaveManifest, unreadable } from './reader.js';

/** Largest file, the same as the service accepts by default. All of it is in memory twice. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A file of that size takes a few seconds, on a slow machine some more; crafted files can take hours. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * How {@link readEmbeddedManifest} reads.
 * @example
 * ```ts
 * const options: EmbeddedReadOptions = { trustAnchorsPem: await readFile('roots.pem', 'utf8') };
 * ```
 */
export interface EmbeddedReadOptions extends Pick<VerifyOptions, 'embeddedReader' | 'c2paWasmUrl'> {
  /** A service whose signed copies are recognized by the roots that it publishes: `trustedBy` is `service` then. */
  readonly client?: RegistryClient | undefined;
  /** Roots of signers that you obtained elsewhere, as PEM. */
  readonly trustAnchorsPem?: string | undefined;
  /** Roots of time-stamp authorities. Default: those of signers. */
  readonly timestampAnchorsPem?: string | undefined;
  /** The time after which browsers give up. Default: one minute. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the C2PA manifest inside a file, of any signer, and compares it with the bytes of the file. The format is detected
 * by the first bytes. Nothing is loaded from a network but from the service of `client`: a file that only refers to a manifest
 * elsewhere is `unreadable`.
 *
 * Browsers read in a worker, with a time limit. Node reads in the calling thread, which a crafted file can keep busy for
 * very long: pass an `embeddedReader` that runs in a worker thread of your own for untrusted files.
 * @returns undefined when the file has no manifest
 * @example
 * ```ts
 * const embedded = await readEmbeddedManifest(file, { trustAnchorsPem });
 * console.log(embedded?.state, embedded?.signer?.name, embedded?.trustedBy);
 * ```
 */
export async function readEmbeddedManifest(
  content: Blob | Uint8Array,
  options: EmbeddedReadOptions = {},
): Promise<EmbeddedManifest | undefined> {
  const embedded = await readWithRoots(content, { roots: readCallerRoots(options) ?? NO_ROOTS }, options);
  const original = embedded?.softBinding?.fingerprint;
  if (embedded?.state !== 'intact' || original === undefined) return embedded;
  if (embedded.trustedBy === 'caller') return { ...embedded, signedCopyOf: original };
  const { client, signal } = options;
  const { roots, issuer } = (client && (await tryReadServiceInfo(client, signal))) ?? {};
  const read = roots && (await readWithRoots(content, { roots, issuer }, options));
  if (read?.trustedBy === undefined) return embedded;
  return {
    ...embedded,
    ...(read.identity && { identity: read.identity }),
    trustedBy: 'service',
    ...(!embedded.timestamp && read.timestamp && { timestamp: { ...read.timestamp, trustedBy: 'service' } }),
    signedCopyOf: original,
  };
}

const NO_ROOTS: RootSet = { signer: '', timestamp: '' };

async function readWithRoots(
  content: Blob | Uint8Array,
  trust: Pick<EmbeddedReadJob, 'roots' | 'issuer'>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, embeddedReader, c2paWasmUrl: wasmUrl, signal }: EmbeddedReadOptions,
): Promise<EmbeddedManifest | undefined> {
  signal?.throwIfAborted();
  if ((content instanceof Blob ? content.size : content.length) > MAX_BYTES) {
    return unreadable(unreadableManifests.TOO_LARGE(MAX_BYTES / 1024 ** 2));
  }
  if (!(await mayHaveManifest(content))) return undefined;
  const read = embeddedReader ?? (await import('#embeddedReader')).runEmbeddedRead;
  return read({ content, wasmUrl, ...trust }, { timeoutMs, signal });
}

/** Undefined when the service does not tell: then its copies are not recognized. */
async function tryReadServiceInfo(client: RegistryClient, signal: AbortSignal | undefined) {
  try {
    return await readServiceInfo(client, signal);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
