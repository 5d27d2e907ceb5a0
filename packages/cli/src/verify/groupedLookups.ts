// Sends the fingerprints of several files to the service in one request: those of all files that wait while a request is
// on its way. For `--direct`, where the service learns them anyway.

import { setImmediate } from 'node:timers/promises';
import {
  ApiError,
  type Fingerprint,
  type LookupResult,
  lookUpMany,
  type RegistryClient,
} from '@provenance-registry/client';

type FindByBinding = RegistryClient['findByBinding'];
type Matches = Awaited<ReturnType<FindByBinding>>;

interface Waiting {
  readonly fingerprint: Fingerprint;
  readonly resolve: (matches: Matches | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The same client, except that its lookups are grouped. */
export function groupLookups(client: RegistryClient): RegistryClient {
  let waiting: Waiting[] = [];
  let isSending = false;

  async function sendWaiting(): Promise<void> {
    // Whatever is ready in this turn of the event loop belongs to the group.
    for (await setImmediate(); waiting.length > 0; ) {
      const group = waiting;
      waiting = [];
      await settleGroup(group);
    }
    isSending = false;
  }

  async function settleGroup(group: readonly Waiting[]): Promise<void> {
    let settled = 0;
    try {
      const fingerprints = group.map(({ fingerprint }) => fingerprint);
      for await (const result of lookUpMany(client, fingerprints)) {
        group[settled]?.resolve(toMatches(result, client.baseUrl));
        settled += 1;
      }
    } catch (error) {
      // A service of an earlier version, or a busy one, may still respond to single lookups.
      for (const { resolve, reject } of group.slice(settled))
        error instanceof ApiError ? resolve(undefined) : reject(error);
    }
  }

  const findInGroup = (fingerprint: Fingerprint, signal: AbortSignal | undefined) =>
    new Promise<Matches | undefined>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      waiting.push({ fingerprint, resolve, reject });
      if (isSending) return;
      isSending = true;
      void sendWaiting();
    });

  return {
    ...client,
    async findByBinding(query, options) {
      const fingerprint = `0x${Buffer.from(query.value, 'base64').toString('hex')}` as const;
      return (await findInGroup(fingerprint, options?.signal)) ?? client.findByBinding(query, options);
    },
  };
}

/** Undefined if the mirror of the chain is behind: only a single lookup asks the node then. */
function toMatches(result: LookupResult, endpoint: string): Matches | undefined {
  const { match, manifestId, isChainKnown, source, registeredBy } = result;
  if (manifestId === undefined) return match === 'none' && isChainKnown ? { matches: [] } : undefined;
  const entry = { ...(source !== undefined && { source }), ...(registeredBy !== undefined && { registeredBy }) };
  return { matches: [{ manifestId, endpoint, similarityScore: 100, ...entry }] };
}
