// Asks the registries on chain whose a fingerprint is. A chain that is down costs nothing, one that is slow costs a
// second at most, and what strangers wrote into it is looked at before it is shown.

import { contentRegistryAbi } from '@provenance-registry/contract';
import { BaseError, type PublicClient } from 'viem';
import type { ChainEntry, ChainRegistry, Hex } from '../registry/ports.js';
import { connectToNode, refusalOf } from './node.js';

const DEADLINE_MS = 1_000;
/** The contract lets an entry have a few kilobytes; a hundred of them may come together. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** So many failures in a row, and the chain is left alone for a while: first this long, then twice as long each time. */
const FAILURES_UNTIL_REST = 3;
const SHORTEST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

const MAX_ENDPOINT_LENGTH = 2_048;
/** Printable ASCII without spaces: what URNs and UUIDs are made of. */
const manifestIdForm = /^[!-~]{1,256}$/;

export interface ResolverOptions {
  readonly url: string;
  readonly registry: Hex;
  readonly deadlineMs?: number;
  readonly clock?: () => number;
}

export function createResolver(options: ResolverOptions): ChainRegistry {
  const { url, registry, deadlineMs = DEADLINE_MS, clock = Date.now } = options;
  const node = connectToNode({ url, callMs: deadlineMs, maxAnswerBytes: MAX_ANSWER_BYTES });
  const breaker = createBreaker(clock);
  const underWay = new Map<Hex, Promise<ChainEntry | undefined>>();

  async function ask(fingerprint: Hex): Promise<ChainEntry | undefined> {
    try {
      const entry = await readEntry(node, registry, fingerprint);
      breaker.succeeded();
      return entry;
    } catch {
      breaker.failed();
      return undefined;
    } finally {
      underWay.delete(fingerprint);
    }
  }

  return {
    async resolve(fingerprint) {
      const shared = underWay.get(fingerprint);
      if (shared) return shared;
      if (!breaker.lets()) return undefined;
      const answer = ask(fingerprint);
      underWay.set(fingerprint, answer);
      return answer;
    },
  };
}

async function readEntry(node: PublicClient, registry: Hex, fingerprint: Hex): Promise<ChainEntry | undefined> {
  try {
    const [source, endpoints, manifestId, , registeredBy] = await node.readContract({
      address: registry,
      abi: contentRegistryAbi,
      functionName: 'resolveByBindingDetailed',
      args: [fingerprint],
    });
    const shown = endpoints.filter(isWebAddress);
    if (shown.length === 0 || !manifestIdForm.test(manifestId)) return undefined;
    return { source: source === 1 ? 'curated' : 'public', endpoints: shown, manifestId, registeredBy };
  } catch (error) {
    if (refusalOf(error) === 'ManifestNotFound') return undefined;
    // Text that is no text, lengths that lead nowhere: the node is well, and the entry is worth nothing.
    if (error instanceof BaseError && error.walk((cause) => cause instanceof RangeError) !== null) return undefined;
    throw error;
  }
}

function isWebAddress(text: string): boolean {
  if (text.length > MAX_ENDPOINT_LENGTH || !/^https?:\/\/[!-~]+$/i.test(text)) return false;
  return URL.canParse(text);
}

/** Says whether the chain may be asked. After a rest one caller finds out for all. */
function createBreaker(clock: () => number) {
  let failures = 0;
  let restingUntil = 0;
  let restMs = SHORTEST_REST_MS;
  return {
    lets(): boolean {
      if (failures < FAILURES_UNTIL_REST) return true;
      if (clock() < restingUntil) return false;
      restingUntil = clock() + restMs;
      return true;
    },
    succeeded(): void {
      failures = 0;
      restMs = SHORTEST_REST_MS;
    },
    failed(): void {
      failures += 1;
      if (failures < FAILURES_UNTIL_REST) return;
      restingUntil = clock() + restMs;
      restMs = Math.min(2 * restMs, LONGEST_REST_MS);
    },
  };
}
