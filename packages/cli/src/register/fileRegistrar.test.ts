// How a file uses the journal and the service.

import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { createDeferred } from '../../test/support/deferred.js';
import { openRealFile } from '../walk/openFile.js';
import { FileRegistrar, type FileRegistrarOptions } from './fileRegistrar.js';
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

  const rejectCall = () => Promise.reject(new Error('unexpected call'));

  type Parts = Pick<FileRegistrarOptions, 'journal' | 'computeCodes'> & {
    api: Partial<RegistrationApi>;
    wait: boolean;
  };

  /** @param swap happens after the files were found, and before they are read */
  async function addFiles(parts: Parts, files = [path], swap = async () => {}) {
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
    const found = await Promise.all(
      files.map(async (file) => {
        const { handle, identity } = await openRealFile(file);
        await handle.close();
        return { kind: 'file', path: file, displayPath: file, identity } as const;
      }),
    );
    await swap();
    for (const file of found) await registrar.add(file);
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

  /** Another file takes its place: by a link, or by a link in place of its folder. */
  const swaps: Record<string, () => Promise<unknown>> = {
    'a link': async () => {
      await rename(path, `${path}-away`);
      await symlink(await writeSecret(), path);
    },
    'a link in place of its folder': async () => {
      const secret = await writeSecret();
      await rename(join(path, '..'), `${join(path, '..')}-away`);
      await symlink(join(secret, '..'), join(path, '..'));
    },
  };
  afterEach(async () => {
    await rm(join(path, '..'), { recursive: true, force: true });
    await rm(`${join(path, '..')}-away`, { recursive: true, force: true });
  });

  /** With the same name and size, in a folder of its own. */
  async function writeSecret(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'secret-'));
    await writeFile(join(folder, 'file'), 'secrets');
    return join(folder, 'file');
  }

  it.each(Object.entries(swaps))('that %s has replaced since it was found is not read', async (_, swap) => {
    const journal = createMemoryJournal({ readsOwnWrites: true });
    const { stats, drained } = await addFiles(
      { journal, api: {}, wait: false },
      [path],
      async () => void (await swap()),
    );
    await drained;
    const reason = 'the file changed while it was being read';
    expect(stats.retained).toMatchObject([{ outcome: 'failed', reason }]);
    expect([...journal.records()]).toEqual([]);
  });

  it.each(Object.entries(swaps))('has codes of what was opened, and is not sent if %s replaces it', async (_, swap) => {
    const journal = createMemoryJournal({ readsOwnWrites: true });
    const read: string[] = [];
    const computeCodes: Parts['computeCodes'] = async (handle) => {
      await swap();
      expect(await readFile(path, 'utf8')).toBe('secrets');
      read.push(await handle.readFile('utf8'));
      return {};
    };
    const { stats, drained } = await addFiles({ journal, api: {}, wait: false, computeCodes });
    await drained;
    expect(read).toEqual(['content']);
    expect(stats.retained).toMatchObject([{ outcome: 'failed' }]);
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
