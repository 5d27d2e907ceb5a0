// Asks the registries on chain whose a fingerprint is. A chain that is down costs nothing, one that is slow costs a
// second at most, and what strangers wrote into it is looked at before it is shown.

import { connectToNode, revertReason } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import type { PublicClient } from 'viem';
import type { ChainEntry, ChainRegistry, Hex } from '../domain/ports/index.js';

const DEADLINE_MS = 1_000;
/** An entry as the contract allows it takes 6,000 characters at most. More is a node that makes things up. */
const MAX_ENTRY_LENGTH = 16_384;
/** A hundred of the largest entries come together. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/**
 * So many failures in a row, and the chain is left alone for a while: first this long, which is longer than the deadline
 * so that nobody from before is still waiting, then twice as long each time.
 */
const FAILURES_UNTIL_REST = 3;
const SHORTEST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

/** The characters of RFC 3986: none that is invisible, turns text around, or means something to HTML. */
const uriForm = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;
/** As long as the contract lets them be. */
const MAX_MANIFEST_ID_LENGTH = 128;
const MAX_ENDPOINT_LENGTH = 256;

export interface ResolverOptions {
  readonly url: string;
  readonly registry: Hex;
  /** In milliseconds; it never goes back. */
  readonly clock?: () => number;
}

export function createResolver({ url, registry, clock = () => performance.now() }: ResolverOptions): ChainRegistry {
  const node = connectToNode({
    url,
    callMs: DEADLINE_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxResultLength: MAX_ENTRY_LENGTH,
  });
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
    if (shown.length === 0 || !isManifestId(manifestId)) return undefined;
    return { source: source === 1 ? 'curated' : 'public', endpoints: shown, manifestId, registeredBy };
  } catch (error) {
    if (revertReason(error) === 'ManifestNotFound') return undefined;
    throw error;
  }
}

function isManifestId(text: string): boolean {
  return text.length <= MAX_MANIFEST_ID_LENGTH && uriForm.test(text);
}

/** Without a name and password: they would be sent to whoever the writer of the entry has in mind. */
function isWebAddress(text: string): boolean {
  if (text.length > MAX_ENDPOINT_LENGTH || !uriForm.test(text)) return false;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Says whether the chain may be asked. After a rest one caller finds out for all. */
function createBreaker(clock: () => number) {
  let failures = 0;
  let restMs = 0;
  let restingUntil = 0;
  let probing = false;

  function rest(ms: number): void {
    restMs = ms;
    restingUntil = clock() + ms;
  }

  return {
    lets(): boolean {
      if (failures < FAILURES_UNTIL_REST) return true;
      if (probing || clock() < restingUntil) return false;
      probing = true;
      return true;
    },
    succeeded(): void {
      failures = 0;
      probing = false;
    },
    failed(): void {
      failures += 1;
      // Those that were under way when the rest began fail with it, a hundred at once maybe: that makes it no longer.
      if (failures === FAILURES_UNTIL_REST) rest(SHORTEST_REST_MS);
      else if (probing) rest(Math.min(2 * restMs, LONGEST_REST_MS));
      probing = false;
    },
  };
}
