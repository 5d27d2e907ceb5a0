// The registry that the user has chosen and confirmed, and whether it is still the same.

import { createClient, InvalidResponseError, type RegistryClient } from '@provenance-registry/client';
import { type RegistryIdentity, registryFingerprint } from '@provenance-registry/core';
import { isPrivateHost } from './fileAddress.js';

export interface RegistryPin {
  readonly baseUrl: string;
  /** Name of the registry when it was confirmed. */
  readonly name: string;
  /** 64 hex digits: see docs/trust.md. */
  readonly fingerprint: string;
}

const KEY = 'registry';
/** Time limit of one call with all its attempts: the user waits for it. */
const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 2;

export async function readPin(): Promise<RegistryPin | undefined> {
  const { [KEY]: stored } = await chrome.storage.local.get(KEY);
  return isPin(stored) ? stored : undefined;
}

export function savePin(pin: RegistryPin): Promise<void> {
  return chrome.storage.local.set({ [KEY]: pin });
}

export function removePin(): Promise<void> {
  return chrome.storage.local.remove(KEY);
}

/** Calls `listener` when the registry is chosen, changed or removed. */
export function watchPin(listener: () => void): void {
  chrome.storage.onChanged.addListener((changes, area) => {
    if (area === 'local' && KEY in changes) listener();
  });
}

export function connect({ baseUrl }: Pick<RegistryPin, 'baseUrl'>): RegistryClient {
  return createClient({ baseUrl, timeoutMs: TIMEOUT_MS, maxAttempts: MAX_ATTEMPTS });
}

/** Who the registry says that it is, with its fingerprint, computed from the certificates. */
export async function readIdentity(
  client: RegistryClient,
  signal?: AbortSignal,
): Promise<{ identity: RegistryIdentity; fingerprint: string }> {
  const identity = await client.getRegistryIdentity({ signal });
  try {
    return { identity, fingerprint: registryFingerprint(identity) };
  } catch {
    throw new InvalidResponseError('A root of the registry is not exactly one certificate.');
  }
}

/** The base URL that the user typed; undefined if it is not one, or others could read and change what is sent there. */
export function parseBaseUrl(text: string): string | undefined {
  const trimmed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.username !== '' || url.password !== '') return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateHost(url.hostname));
  return isSafe ? `${url.origin}${url.pathname.replace(/\/+$/, '')}` : undefined;
}

function isPin(value: unknown): value is RegistryPin {
  if (typeof value !== 'object' || value === null) return false;
  const { baseUrl, name, fingerprint }: Partial<Record<keyof RegistryPin, unknown>> = value;
  return (
    typeof baseUrl === 'string' &&
    parseBaseUrl(baseUrl) === baseUrl &&
    typeof name === 'string' &&
    typeof fingerprint === 'string' &&
    /^[0-9a-f]{64}$/.test(fingerprint)
  );
}
