// The journal of a run, how files use it, and how a run waits out an outage of the service.

import { randomUUID } from 'node:crypto';
import {
  appendFile,
  type FileHandle,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileRegistrar } from '../src/register/fileRegistrar.js';
import {
  createMemoryJournal,
  type Journal,
  JournalError,
  type JournalRecord,
  openJournal,
} from '../src/register/journal.js';
import { createOutageRetry } from '../src/register/outageRetry.js';
import type { RegistrationApi } from '../src/register/registrationApi.js';
import { RunStats } from '../src/register/stats.js';
import { RunStoppedError, StopController } from '../src/register/stopController.js';
import { readFileIdentity } from '../src/register/walk.js';

const scope = { url: 'https://registry.example', markId: randomUUID(), folder: '/photos' };

describe('the journal', () => {
  let folder: string;
  const opened: Journal[] = [];
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'journal-')), 'state');
  });
  afterEach(async () => {
    for (const journal of opened.splice(0)) await journal.close();
    await rm(join(folder, '..'), { recursive: true });
  });

  async function open(changes: Partial<typeof scope> = {}): Promise<Journal> {
    const journal = await openJournal(folder, { ...scope, ...changes }, { readsOwnWrites: false });
    opened.push(journal);
    return journal;
  }

  async function reopen(): Promise<Journal> {
    await opened.pop()?.close();
    return open();
  }

  async function journalPath(): Promise<string> {
    const [name = ''] = await readdir(folder);
    return join(folder, name);
  }

  function createRecord(changes: Partial<JournalRecord> = {}): JournalRecord {
    const identity = { size: 5, mtimeNs: 1_794_740_075_563_294_355n, ino: 2n ** 63n };
    return { identity, fingerprint: `0x${'ab'.repeat(32)}`, idempotencyKey: randomUUID(), ...changes };
  }

  it('returns the records that were appended, for names of any bytes', async () => {
    const [name, record] = [
      '/photos/a\u00ff\n"\u0080.jpg',
      createRecord({ registered: { id: randomUUID(), submitted: true } }),
    ];
    (await open()).append(name, record);
    const journal = await reopen();
    expect(journal.get(name)).toEqual(record);
    expect(journal.findRegistered(record.fingerprint)).toEqual(record.registered);
    expect(journal.get('/photos/other')).toBeUndefined();
  });

  it('returns the last record of a file', async () => {
    const journal = await open();
    for (const key of ['first', 'second']) journal.append('/a', createRecord({ idempotencyKey: key }));
    expect((await reopen()).get('/a')?.idempotencyKey).toBe('second');
  });

  it('drops the incomplete line that a crash left, and appends after the complete ones', async () => {
    (await open()).append('/a', createRecord({ idempotencyKey: 'whole' }));
    await opened.pop()?.close();
    const [before, line] = [await readFile(await journalPath(), 'utf8'), JSON.stringify({ path: '/b' }).slice(0, -3)];
    await appendFile(await journalPath(), line);
    (await open()).append('/c', createRecord({ idempotencyKey: 'next' }));
    const journal = await reopen();
    expect(journal.get('/a')?.idempotencyKey).toBe('whole');
    expect(journal.get('/c')?.idempotencyKey).toBe('next');
    expect((await readFile(await journalPath(), 'utf8')).startsWith(before)).toBe(true);
  });

  it('ignores lines that are not records', async () => {
    await open();
    await appendFile(await journalPath(), '\n[]\nnull\n{"path":"/a","size":"5"}\n{]\n');
    (await reopen()).append('/a', createRecord());
    expect((await reopen()).get('/a')).toBeDefined();
  });

  it('belongs to one service, one Mark and one folder', async () => {
    (await open()).append('/a', createRecord());
    for (const other of [{ url: 'https://other.example' }, { markId: randomUUID() }, { folder: '/photos/more' }]) {
      expect((await open(other)).get('/a')).toBeUndefined();
    }
  });

  it('is used by one run at a time', async () => {
    const journal = await open();
    await expect(open()).rejects.toThrow('Another run is already registering /photos under this Mark');
    await journal.close();
    opened.length = 0;
    await open();
  });

  it('can only be read by its owner', async () => {
    await open();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(await journalPath())).mode & 0o777).toBe(0o600);
  });

  it('is on disk when a sync resolves; records appended meanwhile are part of the next sync', async () => {
    const journal = await open();
    const [onSync, handle] = [vi.fn(), await openFile(await journalPath())];
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    const datasync = vi.spyOn(prototype, 'datasync').mockImplementation(async () => {
      onSync(await readFile(await journalPath(), 'utf8'));
    });
    for (const key of ['first', 'second', 'third']) {
      journal.append('/a', createRecord({ idempotencyKey: key }));
      const synced = journal.sync();
      if (key !== 'second') await synced;
    }
    datasync.mockRestore();
    await handle.close();
    expect(onSync.mock.calls.map(([text]) => text.includes('first'))).toEqual([true, true]);
    expect(onSync.mock.calls.map(([text]) => text.includes('third'))).toEqual([false, true]);
  });

  it('fails for good after one failed disk write', async () => {
    const [journal, handle] = [await open(), await openFile(folder)];
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    const datasync = vi.spyOn(prototype, 'datasync').mockRejectedValueOnce(new Error('input/output error'));
    journal.append('/a', createRecord());
    await expect(journal.sync()).rejects.toThrow(/^Cannot write the journal .*: input\/output error/);
    datasync.mockRestore();
    await handle.close();
    expect(() => journal.append('/b', createRecord())).toThrow(/^Cannot write the journal .*: input\/output error/);
    await expect(journal.sync()).rejects.toThrow(/^Cannot write the journal .*: input\/output error/);
  });

  it('that cannot be created is reported', async () => {
    await writeFile(folder, 'a file where a folder should be');
    await expect(open()).rejects.toThrow(/^Cannot write the journal /);
  });
});

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

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
    const registrar = createFileRegistrar({
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

describe('a service that does not respond', () => {
  const unreachable = new ServiceUnreachableError('createArtifact failed after 5 attempts: connect ECONNREFUSED.');

  /** Each probe takes the next result; after the last one the service is reachable. */
  function createRetry(probeResults: boolean[], maxOutageMs?: number) {
    const notices: string[] = [];
    const stopController = new StopController();
    const withOutageRetry = createOutageRetry({
      stopController,
      isReachable: async () => probeResults.shift() ?? true,
      notify: (message) => notices.push(message),
      ...(maxOutageMs && { maxOutageMs }),
    });
    return { withOutageRetry, stopController, notices };
  }

  /** A request that fails this many times, then returns the number of attempts. */
  function createRequest(failures: number, error: Error = unreachable) {
    let attempts = 0;
    return async () => {
      attempts += 1;
      if (attempts <= failures) throw error;
      return attempts;
    };
  }

  it('makes all requests wait, and gets them again when it is back', async () => {
    const { withOutageRetry, notices } = createRetry([false, false, true]);
    const requests = [createRequest(1), createRequest(1), createRequest(1)];
    expect(await Promise.all(requests.map((request) => withOutageRetry(request)))).toEqual([2, 2, 2]);
    expect(notices).toEqual([
      'The service is not responding. Waiting until it is available again; no progress is lost.',
      'The service is available again.',
    ]);
  });

  it('gets no requests while it is being probed', async () => {
    const [probeStarted, probe] = [createDeferred<void>(), createDeferred<boolean>()];
    const isReachable = () => {
      probeStarted.resolve();
      return probe.promise;
    };
    const stopController = new StopController();
    const withOutageRetry = createOutageRetry({ stopController, isReachable, notify: () => {} });
    const sent: string[] = [];
    const first = withOutageRetry(createRequest(1));
    await probeStarted.promise;
    const second = withOutageRetry(async () => sent.push('second'));
    await setImmediate();
    expect(sent).toEqual([]);
    probe.resolve(true);
    await expect(first).rejects.toBe(unreachable);
    await second;
    expect(sent).toEqual(['second']);
  });

  it('to one request alone fails its file, and no other request waits', async () => {
    const { withOutageRetry, stopController, notices } = createRetry([true]);
    await expect(withOutageRetry(createRequest(1))).rejects.toBe(unreachable);
    expect(await withOutageRetry(createRequest(0))).toBe(1);
    expect([notices, stopController.reason]).toEqual([[], undefined]);
  });

  it('stops the run when the outage lasts too long', async () => {
    const { withOutageRetry, stopController } = createRetry(Array(100).fill(false), 1);
    await expect(withOutageRetry(createRequest(1))).rejects.toBeInstanceOf(RunStoppedError);
    expect(stopController.reason).toMatchObject({ code: 'UNREACHABLE', exitCode: 3 });
  });

  it('stops the run when it is reachable but fails one request after the other', async () => {
    const { withOutageRetry, stopController } = createRetry([]);
    const invalidResponse = new InvalidResponseError('The answer to createArtifact is not JSON.');
    for (let file = 1; file < 20; file += 1)
      await expect(withOutageRetry(createRequest(1, invalidResponse))).rejects.toBe(invalidResponse);
    expect(stopController.reason).toBeUndefined();
    await expect(withOutageRetry(createRequest(1))).rejects.toBe(unreachable);
    expect(stopController.reason).toMatchObject({ code: 'UNREACHABLE', exitCode: 3 });
    await expect(withOutageRetry(createRequest(0))).rejects.toBeInstanceOf(RunStoppedError);
  });

  it('starts counting failures again after a response', async () => {
    const { withOutageRetry, stopController } = createRetry([]);
    for (let file = 1; file < 60; file += 1) {
      if (file % 19 === 0) await withOutageRetry(createRequest(0));
      else await expect(withOutageRetry(createRequest(1))).rejects.toBe(unreachable);
    }
    expect(stopController.reason).toBeUndefined();
  });
});
