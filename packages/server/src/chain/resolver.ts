// Looks fingerprints up in the registries on chain. An unavailable chain costs nothing, a slow one a second at most, and
// untrusted entries are validated before they are returned.

import { createJsonRpcClient, type JsonRpcClient, readEntry } from '@provenance-registry/chain-client';
import type { ChainEntry, ChainRegistry, Hex } from '../domain/ports/index.js';
import { isManifestId, isSafeWebAddress } from './entryChecks.js';

const LOOKUP_TIMEOUT_MS = 1_000;
/** The largest entry that the contract accepts has 6,000 characters. */
const MAX_ENTRY_LENGTH = 16_384;
/** A full batch of the largest entries. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** The circuit opens after this many failures in a row, */
const FAILURES_UNTIL_OPEN = 3;
/** for this long at first, which is longer than the timeout: no earlier lookup is pending then; */
const MIN_OPEN_MS = 2_000;
/** then for twice as long after each failed probe, up to this. */
const MAX_OPEN_MS = 60_000;

export interface ResolverOptions {
  readonly url: string;
  readonly registry: Hex;
  /** Monotonic, in milliseconds. */
  readonly clock?: () => number;
}

export interface Resolver extends ChainRegistry {
  /** The node failed repeatedly, and is not asked for a while. */
  isBreakerOpen(): boolean;
}

export function createResolver({ url, registry, clock = () => performance.now() }: ResolverOptions): Resolver {
  const node = createJsonRpcClient({
    url,
    timeoutMs: LOOKUP_TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    maxResultLength: MAX_ENTRY_LENGTH,
  });
  const breaker = createCircuitBreaker(clock);
  const pending = new Map<Hex, Promise<ChainEntry | undefined>>();

  async function lookUp(fingerprint: Hex): Promise<ChainEntry | undefined> {
    try {
      const entry = await readSafeEntry(node, registry, fingerprint);
      breaker.recordSuccess();
      return entry;
    } catch {
      breaker.recordFailure();
      return undefined;
    } finally {
      pending.delete(fingerprint);
    }
  }

  return {
    async resolve(fingerprint) {
      const shared = pending.get(fingerprint);
      if (shared) return shared;
      if (!breaker.admit()) return undefined;
      const lookup = lookUp(fingerprint);
      pending.set(fingerprint, lookup);
      return lookup;
    },
    isBreakerOpen: () => breaker.isOpen(),
  };
}

async function readSafeEntry(node: JsonRpcClient, registry: Hex, fingerprint: Hex): Promise<ChainEntry | undefined> {
  const entry = await readEntry(node, registry, fingerprint);
  if (!entry || !isManifestId(entry.manifestId)) return undefined;
  const endpoints = entry.endpoints.filter(isSafeWebAddress);
  if (endpoints.length === 0) return undefined;
  return { source: entry.source, endpoints, manifestId: entry.manifestId, registeredBy: entry.registeredBy };
}

function createCircuitBreaker(clock: () => number) {
  let failures = 0;
  let openMs = 0;
  let openUntil = 0;
  let isProbing = false;

  function open(ms: number): void {
    openMs = ms;
    openUntil = clock() + ms;
  }

  return {
    isOpen: () => failures >= FAILURES_UNTIL_OPEN,
    /** False while the circuit is open. Once its time has passed, one lookup is admitted as a probe. */
    admit(): boolean {
      if (failures < FAILURES_UNTIL_OPEN) return true;
      if (isProbing || clock() < openUntil) return false;
      isProbing = true;
      return true;
    },
    recordSuccess(): void {
      failures = 0;
      isProbing = false;
    },
    recordFailure(): void {
      failures += 1;
      // Lookups that were pending when the circuit opened fail too, and do not prolong it.
      if (failures === FAILURES_UNTIL_OPEN) open(MIN_OPEN_MS);
      else if (isProbing) open(Math.min(2 * openMs, MAX_OPEN_MS));
      isProbing = false;
    },
  };
}
