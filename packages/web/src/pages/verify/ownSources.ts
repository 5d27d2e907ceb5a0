// The visitor's own sources for verification: nodes of the chain, contract, roots and the key of the log from elsewhere than from this service.
// Kept in localStorage; the service is not told.

import type { VerifyOptions } from '@provenance-registry/client';
import * as texts from '#texts/lookups/ownSources';
import { createStore, useStore } from '../../store.js';
import { fetchFromNode } from './nodeFetch.js';

const STORAGE_KEY = 'provenance-own-sources';
const MAX_NODES = 5;

/** Sources as the visitor typed them. */
export interface OwnSources {
  /** One node on each line. */
  readonly nodes: string;
  readonly contract: string;
  readonly chainId: string;
  /** PEM. */
  readonly roots: string;
  /** Verifier key of the public log. */
  readonly logKey: string;
  /** The contract that anchors it. */
  readonly logContract: string;
}

const NONE: OwnSources = { nodes: '', contract: '', chainId: '', roots: '', logKey: '', logContract: '' };

export function useOwnSources(): OwnSources {
  return useStore(sources);
}

export function hasOwnSources(own: OwnSources): boolean {
  return Object.values(own).some((text) => text !== '');
}

export function saveOwnSources(own: OwnSources): void {
  try {
    if (hasOwnSources(own)) localStorage.setItem(STORAGE_KEY, JSON.stringify(own));
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // Blocked or full: they stay in memory, for this page.
  }
  sources.set(own);
}

export function clearOwnSources(): void {
  saveOwnSources(NONE);
}

/** What the SDK takes as obtained elsewhere than from the service. */
export function toVerifyOptions({
  nodes,
  contract,
  chainId,
  roots,
  logKey,
  logContract,
}: OwnSources): Omit<VerifyOptions, 'client'> {
  const rpcUrl = listLines(nodes);
  return {
    chain: {
      rpcUrl: rpcUrl.length > 0 ? rpcUrl : undefined,
      address: contract === '' ? undefined : contract,
      chainId: chainId === '' ? undefined : Number(chainId),
      fetch: rpcUrl.length > 0 ? fetchFromNode : undefined,
    },
    trustAnchorsPem: roots === '' ? undefined : roots,
    logKeys: logKey === '' ? undefined : [logKey],
    logContract: logContract === '' ? undefined : logContract,
  };
}

/** What is wrong with each field, as a sentence; undefined when it is valid. All may be empty. */
export const ownSourceValidators = {
  nodes: (text: string) => {
    const lines = listLines(text);
    if (lines.length > MAX_NODES) return texts.tooManyNodes(MAX_NODES);
    return lines.map(validateNode).find((problem) => problem !== undefined);
  },
  contract: validateContract,
  chainId: (text: string) => (text.trim() === '' || /^[1-9]\d{0,14}$/.test(text.trim()) ? undefined : texts.badChainId),
  roots: (text: string) => (text.trim() === '' || isPem(text) ? undefined : texts.badRoots),
  logKey: (text: string) =>
    text.trim() === '' || /^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/.test(text.trim()) ? undefined : texts.badLogKey,
  logContract: validateContract,
} satisfies Record<keyof OwnSources, (text: string) => string | undefined>;

function validateContract(text: string): string | undefined {
  return text.trim() === '' || /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? undefined : texts.badContract;
}

function listLines(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

function validateNode(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return texts.badNode(text);
  }
  const isLocal = ['localhost', '127.0.0.1'].includes(url.hostname);
  if (location.protocol === 'https:' && url.protocol === 'http:' && !isLocal) {
    return texts.unencryptedNode(text);
  }
  return undefined;
}

/** DER of a certificate starts with a sequence of more than 255 bytes. */
function isPem(text: string): boolean {
  const [first, ...others] = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return (
    first !== undefined &&
    [first, ...others].every((pem) => /^-----BEGIN CERTIFICATE-----\s*MI[A-Za-z0-9+/=\s]+-/.test(pem))
  );
}

function readStored(): OwnSources {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    const fields: Partial<Record<keyof OwnSources, unknown>> =
      typeof stored === 'object' && stored !== null ? stored : {};
    const read = (name: keyof OwnSources) => {
      const text = fields[name];
      return typeof text === 'string' && ownSourceValidators[name](text) === undefined ? text : '';
    };
    const [nodes, contract, chainId] = [read('nodes'), read('contract'), read('chainId')];
    const [logKey, logContract] = [read('logKey'), read('logContract')];
    return { nodes, contract, chainId, roots: read('roots'), logKey, logContract };
  } catch {
    return NONE;
  }
}

const sources = createStore<OwnSources>(readStored());
/** Whether the form is open. */
export const isFormOpen = createStore(false);

/** Earlier versions told the service, and every other service on this host, the nodes by a cookie. */
function deleteFormerCookie(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP
  document.cookie = 'provenance-nodes=; path=/; max-age=0';
}

deleteFormerCookie();
