// The sequencer of the public log on a real database and a real store, with faults before and after each step.

import { createPrivateKey, hash } from 'node:crypto';
import { createTreeHasher } from '@provenance-registry/log';
import { sql } from 'kysely';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { byteArray } from '../../src/database/bytes.js';
import type { Database } from '../../src/database/connection.js';
import type { LogFiles, LogSequence } from '../../src/domain/ports/index.js';
import { createLogSigners } from '../../src/publicLog/keys.js';
import { Sequencer, type SequencerOptions } from '../../src/publicLog/sequencer.js';
import { newLogEntry } from './logEntries.js';

export const ORIGIN = 'registry.example/log';
/** Of this test alone. */
export const logKeyPem = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJx6aBrfAVmz0TbbBS6NtUQ1jLv4R3cNJYC0AfDzFvY5
-----END PRIVATE KEY-----
`;

/** The process has ended in the middle of its work. */
export class KilledError extends Error {}

/** What a round of a sequencer without witnesses does, in any order. */
export const sequencerSteps = [
  'readCheckpoint',
  'readHead',
  'listKeys',
  'listPending',
  'advance',
  'readLeaves',
  'writeOnce',
  'whileLocked',
  'replaceCheckpoint',
] as const;

/** Called before and after each step of a sequencer; throws to let it fail there. */
export type FaultPoint = (step: string, when: 'before' | 'after') => void | Promise<void>;

export function openSequencer(
  records: LogSequence,
  files: LogFiles,
  { fault = () => {}, witnesses, ...changes }: Partial<SequencerOptions> & { readonly fault?: FaultPoint } = {},
): Sequencer {
  const lease = { name: 'public-log', holder: randomUUID(), ms: 60_000 };
  return new Sequencer({
    records: withFaults(records, fault),
    files: withFaults(files, fault),
    sources: { files: { read: async () => Buffer.from('manifest') }, clock: () => new Date(), onLost: () => {} },
    lease,
    origin: ORIGIN,
    openSigners: async (origin) => createLogSigners(origin, [createPrivateKey(logKeyPem)]),
    registry: async () => ({ chain: 31_337, contract: `0x${'11'.repeat(20)}`, since: new Date(0), signers: [] }),
    ...(witnesses && {
      witnesses: {
        collect: (...asked) => withFaults(witnesses, fault).collect(...asked),
        isQuorum: (signatures) => witnesses.isQuorum(signatures),
      },
    }),
    ...changes,
  });
}

/** The object with a fault point before and after each call of its methods. */
function withFaults<T extends object>(target: T, fault: FaultPoint): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        await fault(String(name), 'before');
        const result: unknown = await Reflect.apply(member, object, args);
        await fault(String(name), 'after');
        return result;
      };
    },
  });
}

/** Writes leaves as registrations do. Returns them. */
export async function addLeaves(database: Database, count: number): Promise<string[]> {
  const entries = Array.from({ length: count }, () => newLogEntry(newFingerprint()));
  await sql`
    insert into log_entries (kind, leaf, fingerprint) select 'artifact', leaf, fingerprint
    from unnest(
      ${entries.map(({ leaf }) => leaf)}::text[],
      ${byteArray(entries.map(({ fingerprint = '0x' }) => fingerprint.slice(2)))}::bytea[]
    ) as added (leaf, fingerprint)`.execute(database);
  return entries.map(({ leaf }) => leaf);
}

export const testHasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));
