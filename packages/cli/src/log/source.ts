// Where published files of a log are read: below an address of the web, or in a folder. Sizes and times are limited, and what
// fails in passing is tried again.

import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MirrorSource } from '@provenance-registry/client';
import type { Context } from '../context.js';
import { CommandError, errorCode, FileError, systemReason, UsageError } from '../errors.js';
import { text } from '../text.js';

export interface LogSource {
  /** As messages name it. */
  readonly address: string;
  /** Undefined: there is no such file. Rejects with SourceError when that could not be found out. */
  readonly read: (path: string, maxBytes: number) => Promise<Uint8Array | undefined>;
}

/** A source cannot be used for now. */
export class SourceError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super('SOURCE_UNUSABLE', 3, message, options);
  }
}

/** Many times the largest manifest. */
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** For one request; the largest file has a megabyte. */
const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
/** A registry has manifests as JSON under the same address. */
const ACCEPT = 'application/c2pa, */*;q=0.1';
const passingStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const missingStatuses = new Set([404, 410]);

export interface LogSourceOptions {
  /** Relative folders are in it. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly onRetry?: (reason: string, delayMs: number) => void;
}

export function sourceOptions({ cwd, signal, printHint }: Context): LogSourceOptions {
  const onRetry = (reason: string, delayMs: number) =>
    printHint(text`${reason} Trying again in ${Math.ceil(delayMs / 1_000)} s`);
  return { cwd, signal, onRetry };
}

/** A copy of a log and its manifests, in the form of the SDK. */
export function openMirrorSource(context: Context, place: string): MirrorSource {
  const options = sourceOptions(context);
  return {
    name: place,
    readFile: (path, signal = context.signal) =>
      openLogSource(place, { ...options, signal }).read(path, MAX_MANIFEST_BYTES),
  };
}

/** Opens an address that begins with http:// or https://, or a folder. Reads nothing yet. */
export function openLogSource(address: string, options: LogSourceOptions): LogSource {
  if (!/^https?:\/\//i.test(address)) return openFolder(address, resolve(options.cwd, address));
  if (!URL.canParse(address)) throw new UsageError(`'${address}' is not an address.`);
  const base = address.replace(/\/*$/, '/');
  return { address, read: (path, maxBytes) => readUrl(new URL(path, base).href, maxBytes, options) };
}

/** The log of a registry or of a mirror, at its address or in its folder. */
export function openLog(place: string, options: LogSourceOptions): LogSource {
  const address = /^https?:\/\//i.test(place) ? `${place.replace(/\/*$/, '')}/log` : join(place, 'log');
  return openLogSource(address, options);
}

function openFolder(address: string, folder: string): LogSource {
  return {
    address,
    async read(path, maxBytes) {
      const name = join(folder, path);
      try {
        const file = await open(name);
        try {
          if ((await file.stat()).size > maxBytes) throw tooLongError(name, maxBytes);
          return await file.readFile();
        } finally {
          await file.close();
        }
      } catch (error) {
        const code = errorCode(error);
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
        throw error instanceof CommandError ? error : new SourceError(new FileError(name, error).message);
      }
    },
  };
}

async function readUrl(url: string, maxBytes: number, options: LogSourceOptions): Promise<Uint8Array | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(url, maxBytes, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof PassingError) || attempt === MAX_ATTEMPTS) throw error;
      const delayMs = Math.min(Math.max(FIRST_DELAY_MS * 2 ** (attempt - 1), error.retryAfterMs), MAX_DELAY_MS);
      options.onRetry?.(error.message, delayMs);
      await sleep(delayMs, undefined, { signal: options.signal });
    }
  }
}

/** May succeed when it is tried again. */
class PassingError extends SourceError {
  constructor(
    message: string,
    readonly retryAfterMs: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

async function request(url: string, maxBytes: number, { signal }: LogSourceOptions): Promise<Uint8Array | undefined> {
  try {
    const response = await fetch(url, {
      headers: { accept: ACCEPT },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (response.ok) return await readBody(response, url, maxBytes);
    await response.body?.cancel();
    const { status } = response;
    if (missingStatuses.has(status)) return undefined;
    const message = `${url}: status ${status}.`;
    if (!passingStatuses.has(status)) throw new SourceError(message);
    throw new PassingError(message, 1_000 * (Number(response.headers.get('retry-after')) || 0));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new PassingError(`${url}: ${describeFailure(cause)}.`, 0, { cause });
  }
}

/** Counts what arrives after it was decompressed. */
async function readBody(response: Response, url: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLongError(url, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLongError(name: string, maxBytes: number): SourceError {
  return new SourceError(`${name} has more than ${maxBytes} bytes.`);
}

function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no response in ${TIMEOUT_MS / 1_000} s`;
  // That of fetch has the reason in its cause.
  return systemReason(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
