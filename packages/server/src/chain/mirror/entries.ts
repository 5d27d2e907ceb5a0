// Turns the registry's events into mirrored entries. Events do not say who wrote a curated entry, nor the hash of a public
// one: those are in the transaction, or in the contract when another contract made the call.

import {
  decodePublicRegistration,
  InvalidResultError,
  type JsonRpcClient,
  type RegistryEvent,
  readEntry,
  readPublicEntries,
  readTransaction,
} from '@provenance-registry/chain-client';
import type { Hex, MirroredEntry, MirroredSpan } from '../../domain/ports/index.js';
import { isManifestId, isSafeWebAddress } from '../entryChecks.js';
import type { Blocks } from './blocks.js';
import { readInBatches } from './readInBatches.js';

type CuratedEvent = Extract<RegistryEvent, { kind: 'curated' }>;
type PublicEvent = Extract<RegistryEvent, { kind: 'public' }>;

export interface EntrySource {
  readonly node: JsonRpcClient;
  readonly registry: Hex;
  /** Registrars of the blocks before. */
  readonly registrars: readonly Hex[];
}

const PUBLIC_PAGE_SIZE = 25;

export async function toEntries(
  { node, registry, registrars: earlier }: EntrySource,
  events: readonly RegistryEvent[],
  blocks: Blocks,
): Promise<Pick<MirroredSpan, 'entries' | 'endpoints' | 'registrars'>> {
  const registrars = events.filter((event) => event.kind === 'registrar');
  const accounts = new Set([...earlier, ...registrars.map(({ account }) => account)]);
  const [onlyRegistrar] = accounts.size === 1 ? accounts : [];
  const registrations = events.filter((event) => event.kind === 'curated' || event.kind === 'public');
  const needsTransaction = registrations.filter(({ kind }) => kind === 'public' || onlyRegistrar === undefined);
  const transactions = await readTransactions(needsTransaction.map(({ transactionHash }) => transactionHash));

  type Transaction = NonNullable<Awaited<ReturnType<typeof readTransaction>>>;

  /** Those that call the registry itself: their sender is the one that the contract sees. */
  async function readTransactions(hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, Transaction>> {
    const found = await readInBatches([...new Set(hashes)], async (hash) => {
      const transaction = await readTransaction(node, hash);
      return transaction?.to?.toLowerCase() === registry ? ([[hash, transaction]] as const) : [];
    });
    return new Map(found.flat());
  }

  async function findWriter({ fingerprint, transactionHash }: CuratedEvent): Promise<Hex> {
    const sender = onlyRegistrar ?? transactions.get(transactionHash)?.from;
    if (sender !== undefined) return sender;
    const entry = await readEntry(node, registry, fingerprint);
    if (entry?.source === 'curated') return entry.registeredBy;
    throw new InvalidResultError('the node does not have an entry that it has logged');
  }

  async function findHash({ fingerprint, registeredBy, transactionHash }: PublicEvent): Promise<Hex> {
    const { from, input } = transactions.get(transactionHash) ?? {};
    const call = input && from?.toLowerCase() === registeredBy ? decodePublicRegistration(input) : undefined;
    if (call?.fingerprint === fingerprint) return call.manifestHash;
    for (let offset = 0; ; offset += PUBLIC_PAGE_SIZE) {
      const page = await readPublicEntries(node, registry, fingerprint, { offset, limit: PUBLIC_PAGE_SIZE });
      const entry = page.find((item) => item.registeredBy.toLowerCase() === registeredBy);
      if (entry) return entry.manifestHash;
      if (page.length < PUBLIC_PAGE_SIZE) {
        throw new InvalidResultError('the node does not have an entry that it has logged');
      }
    }
  }

  async function toEntry(event: CuratedEvent | PublicEvent): Promise<MirroredEntry> {
    const { fingerprint, blockNumber, logIndex } = event;
    const position = { fingerprint, blockNumber, logIndex, timestamp: timeOf(blockNumber) };
    if (event.kind === 'curated') {
      return {
        ...position,
        source: 'curated',
        manifestId: isManifestId(event.manifestId) ? event.manifestId : null,
        manifestHash: event.manifestHash,
        registeredBy: await findWriter(event),
        endpoints: null,
      };
    }
    const endpoints = event.endpoints.filter(isSafeWebAddress);
    const isSafe = endpoints.length > 0 && isManifestId(event.manifestId);
    return {
      ...position,
      source: 'public',
      manifestId: isSafe ? event.manifestId : null,
      manifestHash: await findHash(event),
      registeredBy: event.registeredBy,
      endpoints: isSafe ? endpoints : [],
    };
  }

  function timeOf(blockNumber: bigint): number {
    const block = blocks.get(blockNumber);
    if (!block) throw new InvalidResultError(`the node does not have block ${blockNumber}`);
    return block.timestamp;
  }

  return {
    entries: await readInBatches(registrations, toEntry),
    endpoints: events
      .filter((event) => event.kind === 'endpoints')
      .map((event) => ({ ...event, endpoints: event.endpoints.filter(isSafeWebAddress) })),
    registrars,
  };
}
