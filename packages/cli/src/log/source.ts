// Where published files of a log are read: below an address of the web, or in a folder. Sizes and times are limited, and what
// fails in passing is tried again.

import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, errorCode, FileError, systemReason, UsageError } from '../errors.js';

export interface LogSource {
  /** As messages name it. */
  readonly address: string;
  /** Undefined: there is no such file. Rejects with CommandError when that could not be found out. */
  readonly read: (path: string, maxBytes: number) => Promise<Uint8Array | undefined>;
}

/** For one request; the largest file has a megabyte. */
const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
const passingStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const missingStatuses = new Set([404, 410]);

export interface LogSourceOptions {
  /** Relative folders are in it. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What an address should rather respond with, if it has several forms of a file. */
  readonly accept?: string;
  readonly onRetry?: (reason: string, delayMs: number) => void;
}

/** Opens an address that begins with http:// or https://, or a folder. Reads nothing yet. */
export function openLogSource(address: string, options: LogSourceOptions): LogSource {
  if (!/^https?:\/\//i.test(address)) return openFolder(address, resolve(options.cwd, address));
  if (!URL.canParse(address)) throw new UsageError(`'${address}' is not an address.`);
  const base = address.replace(/\/*$/, '/');
  return { address, read: (path, maxBytes) => readUrl(new URL(path, base).href, maxBytes, options) };
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
        throw error instanceof CommandError ? error : new FileError(name, error);
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
class PassingError extends CommandError {
  constructor(
    message: string,
    readonly retryAfterMs: number,
    options?: ErrorOptions,
  ) {
    super('UNREACHABLE', 3, message, options);
  }
}

async function request(
  url: string,
  maxBytes: number,
  { signal, accept = '*/*' }: LogSourceOptions,
): Promise<Uint8Array | undefined> {
  try {
    const response = await fetch(url, {
      headers: { accept },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (response.ok) return await readBody(response, url, maxBytes);
    await response.body?.cancel();
    const { status } = response;
    if (missingStatuses.has(status)) return undefined;
    const message = `${url}: status ${status}.`;
    if (!passingStatuses.has(status)) throw new CommandError('UNREACHABLE', 3, message);
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

function tooLongError(name: string, maxBytes: number): CommandError {
  return new CommandError('INVALID_FILE', 3, `${name} has more than ${maxBytes} bytes.`);
}

function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no response in ${TIMEOUT_MS / 1_000} s`;
  // That of fetch has the reason in its cause.
  return systemReason(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
