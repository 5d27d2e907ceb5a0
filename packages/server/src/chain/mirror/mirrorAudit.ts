// Compares the mirror with the contract, for the audit.

import {
  findRegistrationLog,
  type JsonRpcClient,
  type RegistryEntry,
  readEntry,
  readRegistrationLogs,
  readRegistryEvents,
} from '@provenance-registry/chain-client';
import type {
  AuditedMirror,
  Hex,
  MirrorDifference,
  MirroredEntry,
  MirrorRows,
  ResolvedEntry,
} from '../../domain/ports/index.js';
import { isManifestId, isSafeWebAddress } from '../entryChecks.js';
import { readBlocks } from './blocks.js';
import { toEntries } from './entries.js';
import { readInBatches } from './readInBatches.js';

/** The contract is called once for each. */
const PAGE_SIZE = 200;

interface AuditedContract {
  readonly node: JsonRpcClient;
  readonly registry: Hex;
  /** It is not deployed yet. */
  readonly isEmpty: boolean;
}

export function createMirrorAudit({ node, registry, isEmpty }: AuditedContract, rows: MirrorRows): AuditedMirror {
  async function* listRegistrations(): AsyncGenerator<readonly Hex[]> {
    const range = isEmpty ? undefined : await rows.readRange();
    if (!range) return;
    let page: Hex[] = [];
    for (const source of ['curated', 'public'] as const) {
      for await (const { fingerprint } of readRegistrationLogs(node, registry, { ...range, source })) {
        page.push(fingerprint);
        if (page.length < PAGE_SIZE) continue;
        yield page;
        page = [];
      }
    }
    if (page.length > 0) yield page;
  }

  async function readFromLog(fingerprint: Hex, entry: RegistryEntry): Promise<MirroredEntry> {
    const log = await findRegistrationLog(node, registry, fingerprint, entry);
    if (!log) throw new Error(`no log of the registration of ${fingerprint} was found`);
    const { blockNumber } = log;
    const events = await readRegistryEvents(node, registry, { from: blockNumber, to: blockNumber });
    const own = events.filter((event) => event.kind === entry.source && event.fingerprint === fingerprint).slice(0, 1);
    const blocks = await readBlocks(node, new Set([blockNumber]));
    const { entries } = await toEntries({ node, registry, registrars: [] }, own, blocks);
    const [first] = entries;
    if (!first) throw new Error(`no log of the registration of ${fingerprint} was found`);
    return first;
  }

  return {
    listFingerprints: (...page) => rows.listFingerprints(...page),
    listRegistrations,
    async compare(fingerprints) {
      const mirrored = await rows.readResolved(fingerprints);
      const entries = await readInBatches(fingerprints, (fingerprint) => readEntry(node, registry, fingerprint));
      return fingerprints.flatMap((fingerprint, index): MirrorDifference[] => {
        const entry = entries[index];
        const [contract, mirror] = [entry && toResolved(entry), mirrored.get(fingerprint)];
        if (!contract) return mirror ? [{ fingerprint, problem: 'unknown' }] : [];
        if (!mirror) return [{ fingerprint, problem: 'missing' }];
        return isSame(contract, mirror) ? [] : [{ fingerprint, problem: 'different' }];
      });
    },
    async repair(fingerprint) {
      const entry = await readEntry(node, registry, fingerprint);
      await rows.replace(fingerprint, entry && (await readFromLog(fingerprint, entry)));
      return true;
    },
  };
}

/** Converts an entry to the form in which it is mirrored. */
function toResolved({
  source,
  manifestId,
  manifestHash,
  registeredBy,
  endpoints,
  timestamp,
}: RegistryEntry): ResolvedEntry {
  const safe = endpoints.filter(isSafeWebAddress);
  const isReturned = source === 'curated' || (safe.length > 0 && isManifestId(manifestId));
  return {
    source,
    manifestId: isReturned ? manifestId : null,
    manifestHash,
    registeredBy,
    endpoints: isReturned ? safe : [],
    timestamp,
  };
}

function isSame(one: ResolvedEntry, other: ResolvedEntry): boolean {
  return (
    one.source === other.source &&
    one.manifestId === other.manifestId &&
    one.manifestHash === other.manifestHash &&
    one.registeredBy.toLowerCase() === other.registeredBy.toLowerCase() &&
    one.timestamp === other.timestamp &&
    one.endpoints.join('\n') === other.endpoints.join('\n')
  );
}
