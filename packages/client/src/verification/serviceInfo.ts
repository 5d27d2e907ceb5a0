// What the service says about itself: its contract, its node, its root certificates, its DID and its log. All of it is the service's
// word.

import type { RegistryIdentity } from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import { ApiError } from '../errors.js';
import { acceptIssuer } from './identity.js';
import { extractCertificates, type RootSet } from './rootSet.js';

export interface ServiceInfo {
  /** Undefined in a copy, whose word the contract would be. */
  readonly contract?: StatedContract;
  /** Undefined when the service publishes none. */
  readonly roots: RootSet | undefined;
  /** The DID by which it signs identities; undefined when it has none. */
  readonly issuer: string | undefined;
  /** What it states about its public log, as a JWS; undefined when it has none. */
  readonly logStatement: string | undefined;
}

export interface StatedContract {
  readonly address: string;
  readonly chainId?: number | undefined;
  readonly rpcUrl?: string | undefined;
}

/** It hardly ever changes, and a folder of files would ask for it again and again. */
const CACHE_MS = 60_000;

const cache = new WeakMap<RegistryClient, { readonly readAt: number; readonly info: Promise<ServiceInfo> }>();

export function readServiceInfo(client: RegistryClient, signal: AbortSignal | undefined): Promise<ServiceInfo> {
  const cached = cache.get(client);
  if (cached && performance.now() - cached.readAt < CACHE_MS) return cached.info;
  const info = fetchServiceInfo(client, signal).catch((error: unknown) => {
    cache.delete(client);
    throw error;
  });
  cache.set(client, { readAt: performance.now(), info });
  return info;
}

async function fetchServiceInfo(client: RegistryClient, signal: AbortSignal | undefined): Promise<ServiceInfo> {
  const [{ address, chainId, rpcUrl }, identity, issuer] = await Promise.all([
    client.getContract({ signal }),
    fetchIdentity(client, signal),
    fetchIssuer(client, signal),
  ]);
  const described = identity ? describeIdentity(identity) : { roots: undefined, logStatement: undefined };
  return { ...described, contract: { address, chainId, rpcUrl }, issuer };
}

/** Of what a registry publishes about itself. */
export function describeIdentity({ signerRoots, timestampRoots, log }: RegistryIdentity): ServiceInfo {
  const roots = { signer: joinPem(signerRoots), timestamp: joinPem(timestampRoots) };
  return { roots, issuer: undefined, logStatement: log?.jws };
}

/** Services before version 0.3 do not publish who they are. */
async function fetchIdentity(
  client: RegistryClient,
  signal: AbortSignal | undefined,
): Promise<RegistryIdentity | undefined> {
  try {
    return await client.getRegistryIdentity({ signal });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Nothing else depends on it. */
async function fetchIssuer(client: RegistryClient, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return acceptIssuer((await client.getDidDocument({ signal })).id, client.baseUrl);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

function joinPem(roots: readonly { readonly pem: string }[]): string {
  return extractCertificates(roots.map(({ pem }) => pem).join('\n'));
}
