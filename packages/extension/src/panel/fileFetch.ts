// Fetches the file that the user asked for: without cookies, with limits of size and time, and never from an address that was
// not named before.

import type { CheckRequest } from '../checkRequest.js';
import { classifyAddress, type RefusalReason } from '../fileAddress.js';

/** The most in which manifests are read; also what the service accepts by default. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** A file of that size takes as long with 7 Mbit/s. A server that sends slowly without an end is not waited for. */
export const MAX_FETCH_MS = 5 * 60_000;
/** Chromium moves larger parts of a file from memory to disk. */
const PART_BYTES = 4 * 1024 * 1024;
/** Accept header of Chromium for images: servers that choose a format by it choose the same. */
const IMAGE_ACCEPT = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

export type FetchFailure =
  | { readonly name: 'refused'; readonly reason: RefusalReason }
  /** Where it leads is not known before it is followed. */
  | { readonly name: 'redirect' }
  /** The host does not let others read the file, or there is no connection: browsers do not tell which. */
  | { readonly name: 'keptAway' }
  /** The extension may read everything at this host. */
  | { readonly name: 'unreachable' }
  /** Where the redirect leads cannot be read: browsers do not tell where that is. */
  | { readonly name: 'redirectKeptAway' }
  | { readonly name: 'redirectRefused'; readonly reason: RefusalReason }
  | { readonly name: 'status'; readonly status: number }
  | { readonly name: 'tooLarge' }
  | { readonly name: 'tooSlow' }
  | { readonly name: 'interrupted' }
  | { readonly name: 'badInline' };

export class FileFetchError extends Error {
  constructor(readonly failure: FetchFailure) {
    super(failure.name);
  }
}

export interface FetchedFile {
  readonly content: Blob;
  /** Where the bytes came from, after redirects; undefined for a file that was part of the page. */
  readonly address: URL | undefined;
  readonly isRedirected: boolean;
  /** Media type as the server calls it, without parameters; may be empty, or wrong. */
  readonly statedType: string;
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** `total` is undefined when the server does not tell. */
  readonly onProgress: (bytes: number, total: number | undefined) => void;
  /** After the user has agreed. */
  readonly followsRedirects?: boolean;
}

/** Throws {@link FileFetchError}, or the reason of `signal`. */
export async function fetchFile(request: CheckRequest, options: FetchOptions): Promise<FetchedFile> {
  const address = classifyAddress(request.url, request.pageUrl);
  if (address.kind === 'refused') throw new FileFetchError({ name: 'refused', reason: address.reason });
  const isInline = address.kind === 'inline';
  const timeout = AbortSignal.timeout(MAX_FETCH_MS);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    const response = await open(address.url, request, { ...options, signal }, isInline);
    const content = await readBody(response, options.onProgress);
    const statedType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const finalUrl = isInline ? undefined : new URL(response.url);
    return { content, address: finalUrl, isRedirected: response.redirected, statedType };
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted) throw new FileFetchError({ name: 'tooSlow' });
    throw error;
  }
}

async function open(
  url: URL,
  { item, pageUrl }: CheckRequest,
  { signal, followsRedirects = false }: FetchOptions,
  isInline: boolean,
): Promise<Response> {
  const response = await fetch(url, {
    ...(item === 'image' && { headers: { accept: IMAGE_ACCEPT } }),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    cache: 'no-store',
    redirect: followsRedirects ? 'follow' : 'manual',
    signal,
  }).catch(async (error: unknown) => {
    if (signal.aborted) throw error;
    if (isInline) throw new FileFetchError({ name: 'badInline' });
    if (followsRedirects) throw new FileFetchError({ name: 'redirectKeptAway' });
    const isAllowed = await chrome.permissions.contains({ origins: [permissionOf(url)] });
    throw new FileFetchError({ name: isAllowed ? 'unreachable' : 'keptAway' });
  });
  if (response.type === 'opaqueredirect') throw new FileFetchError({ name: 'redirect' });
  const end = classifyAddress(response.url, pageUrl);
  if (end.kind === 'refused') await refuse(response, { name: 'redirectRefused', reason: end.reason });
  if (!response.ok) await refuse(response, { name: 'status', status: response.status });
  return response;
}

/** Nothing of the body is read. */
async function refuse(response: Response, failure: FetchFailure): Promise<never> {
  await response.body?.cancel();
  throw new FileFetchError(failure);
}

async function readBody(response: Response, onProgress: FetchOptions['onProgress']): Promise<Blob> {
  const { body } = response;
  if (!body) return new Blob([]);
  // The length of a compressed response is not that of the file.
  const isCompressed = response.headers.has('content-encoding');
  const stated = Number(response.headers.get('content-length') ?? Number.NaN);
  const total = isCompressed || !Number.isSafeInteger(stated) ? undefined : stated;
  if (total !== undefined && total > MAX_FILE_BYTES) await refuse(response, { name: 'tooLarge' });
  const reader = body.getReader();
  const parts: Blob[] = [];
  let [chunks, chunkBytes, bytes]: [Uint8Array<ArrayBuffer>[], number, number] = [[], 0, 0];
  const closePart = () => {
    parts.push(new Blob(chunks));
    [chunks, chunkBytes] = [[], 0];
  };
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw error instanceof TypeError ? new FileFetchError({ name: 'interrupted' }) : error;
    });
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_FILE_BYTES) {
      await reader.cancel();
      throw new FileFetchError({ name: 'tooLarge' });
    }
    chunks.push(value);
    chunkBytes += value.length;
    if (chunkBytes >= PART_BYTES) closePart();
    onProgress(bytes, total);
  }
  closePart();
  return new Blob(parts);
}

/** The permission to read everything at the host of a file, whatever its port. */
function permissionOf({ protocol, hostname }: URL): string {
  return `${protocol}//${hostname}/*`;
}

export function askForHost(url: URL): Promise<boolean> {
  return chrome.permissions.request({ origins: [permissionOf(url)] });
}
