// How a file uses the journal and the service.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { createDeferred } from '../../test/support/deferred.js';
import { readFileIdentity } from '../walk/walk.js';
import { FileRegistrar } from './fileRegistrar.js';
import { createMemoryJournal, type Journal, JournalError, type JournalRecord } from './journal.js';
import type { RegistrationApi } from './registrationApi.js';
import { RunStats } from './stats.js';
import { StopController } from './stopController.js';

describe('a file in progress', () => {
  let path: string;
  let copy: string;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'journal-'));
    [path, copy] = [join(folder, 'file'), join(folder, 'copy')];
    for (const file of [path, copy]) await writeFile(file, 'content');
  });
  afterEach(() => rm(join(path, '..'), { recursive: true }));

  const rejectCall = () => Promise.reject(new Error('unexpected call'));

  async function addFiles(parts: { journal: Journal; api: Partial<RegistrationApi>; wait: boolean }, files = [path]) {
    const stats = new RunStats(
      () => true,
      () => {},
    );
    const registrar = new FileRegistrar({
      ...parts,
      api: { register: rejectCall, lookUp: rejectCall, waitForChain: rejectCall, ...parts.api },
      stopController: new StopController(),
      stats,
      concurrency: 1,
      dryRun: false,
      versions: false,
    });
    for (const file of files) {
      await registrar.add({ kind: 'file', path: file, displayPath: file, identity: await readFileIdentity(file) });
    }
    return { stats, drained: registrar.drain() };
  }

  it('is not sent before its record is on disk', async () => {
    const [appended, synced] = [createDeferred<JournalRecord>(), createDeferred<void>()];
    const sent: JournalRecord[] = [];
    const journal: Journal = {
      ...createMemoryJournal({ readsOwnWrites: false }),
      append: (_, record) => appended.resolve(record),
      sync: () => synced.promise,
    };
    const api: Partial<RegistrationApi> = {
      async register(_, record) {
        sent.push(record);
        return { outcome: 'refused' };
      },
    };
    const { drained } = await addFiles({ journal, api, wait: false });
    const record = await appended.promise;
    await setImmediate();
    expect(sent).toEqual([]);
    synced.resolve();
    await drained;
    expect(sent).toEqual([record]);
  });

  it('is sent once for all its copies', async () => {
    let sent = 0;
    const api: Partial<RegistrationApi> = {
      async register() {
        sent += 1;
        return { outcome: 'registered', artifactId: randomUUID(), status: 'pending' };
      },
    };
    // Both continue at the same moment.
    const synced = createDeferred<void>();
    const journal = { ...createMemoryJournal({ readsOwnWrites: false }), sync: () => synced.promise };
    const { stats, drained } = await addFiles({ journal, api, wait: false }, [path, copy]);
    await vi.waitUntil(() => stats.hashed === 2);
    synced.resolve();
    await drained;
    expect([sent, stats.retained.map(({ outcome }) => outcome).sort()]).toEqual([1, ['registered', 'yours']]);
  });

  it('that is registered is reported even if the journal fails, also with --wait', async () => {
    const api: Partial<RegistrationApi> = {
      register: async () => ({ outcome: 'registered', artifactId: randomUUID(), status: 'pending' }),
      waitForChain: async (_, result) => result,
    };
    for (const wait of [false, true]) {
      const journal: Journal = {
        ...createMemoryJournal({ readsOwnWrites: false }),
        append(_, { registered }) {
          if (registered) throw new JournalError('journal', new Error('no space left on device'));
        },
      };
      const { stats, drained } = await addFiles({ journal, api, wait });
      await drained;
      expect([stats.counts.registered, stats.remaining]).toEqual([1, 0]);
    }
  });

  it('that fails on chain is refused, and gets a new idempotency key', async () => {
    const journal = createMemoryJournal({ readsOwnWrites: true });
    const keys: string[] = [];
    const api: Partial<RegistrationApi> = {
      async register(_, { idempotencyKey }) {
        keys.push(idempotencyKey);
        return { outcome: 'registered', artifactId: randomUUID(), status: 'pending' };
      },
      waitForChain: async (_, result) => ({ ...result, outcome: 'refused', status: 'failed', reason: 'Paused.' }),
    };
    const { stats, drained } = await addFiles({ journal, api, wait: true });
    await drained;
    expect(stats.retained).toMatchObject([{ outcome: 'refused', status: 'failed', reason: 'Paused.' }]);
    expect(journal.get(path)).toMatchObject({ registered: undefined });
    await (await addFiles({ journal, api, wait: true })).drained;
    expect([keys.length, new Set(keys).size, stats.hashed]).toEqual([2, 2, 1]);
  });
});
