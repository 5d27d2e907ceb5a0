// What a run remembers: on the disk for the next one, and in memory about a service that is away.

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
import { createRegistrar } from '../src/register/fileRegistrar.js';
import { forgetfulJournal, type Journal, JournalProblem, type Kept, openJournal } from '../src/register/journal.js';
import { createPatience } from '../src/register/outageRetry.js';
import type { Sender } from '../src/register/registrationApi.js';
import { Tally } from '../src/register/stats.js';
import { Brake, Halted } from '../src/register/stopController.js';
import { identify } from '../src/register/walk.js';

const subject = { url: 'https://registry.example', markId: randomUUID(), folder: '/photos' };

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

  async function open(about: Partial<typeof subject> = {}): Promise<Journal> {
    const journal = await openJournal(folder, { ...subject, ...about }, { looksAgain: false });
    opened.push(journal);
    return journal;
  }

  async function reopen(): Promise<Journal> {
    await opened.pop()?.close();
    return open();
  }

  async function path(): Promise<string> {
    const [name = ''] = await readdir(folder);
    return join(folder, name);
  }

  function kept(changes: Partial<Kept> = {}): Kept {
    const identity = { size: 5, mtimeNs: 1_794_740_075_563_294_355n, ino: 2n ** 63n };
    return { identity, fingerprint: `0x${'ab'.repeat(32)}`, key: randomUUID(), ...changes };
  }

  it('gives back what it was given, for names of any bytes', async () => {
    const [name, record] = [
      '/photos/a\u00ff\n"\u0080.jpg',
      kept({ registered: { id: randomUUID(), submitted: true } }),
    ];
    (await open()).keep(name, record);
    const journal = await reopen();
    expect(journal.get(name)).toEqual(record);
    expect(journal.registeredAs(record.fingerprint)).toEqual(record.registered);
    expect(journal.get('/photos/other')).toBeUndefined();
  });

  it('knows the last thing that it was told of a file', async () => {
    const journal = await open();
    for (const key of ['first', 'second']) journal.keep('/a', kept({ key }));
    expect((await reopen()).get('/a')?.key).toBe('second');
  });

  it('passes over what a crash left of a line, and goes on behind the whole ones', async () => {
    (await open()).keep('/a', kept({ key: 'whole' }));
    await opened.pop()?.close();
    const [before, line] = [await readFile(await path(), 'utf8'), JSON.stringify({ path: '/b' }).slice(0, -3)];
    await appendFile(await path(), line);
    (await open()).keep('/c', kept({ key: 'next' }));
    const journal = await reopen();
    expect(journal.get('/a')?.key).toBe('whole');
    expect(journal.get('/c')?.key).toBe('next');
    expect((await readFile(await path(), 'utf8')).startsWith(before)).toBe(true);
  });

  it('passes over whole lines that are no records', async () => {
    await open();
    await appendFile(await path(), '\n[]\nnull\n{"path":"/a","size":"5"}\n{]\n');
    (await reopen()).keep('/a', kept());
    expect((await reopen()).get('/a')).toBeDefined();
  });

  it('is for one service, one Mark and one folder', async () => {
    (await open()).keep('/a', kept());
    for (const other of [{ url: 'https://other.example' }, { markId: randomUUID() }, { folder: '/photos/more' }]) {
      expect((await open(other)).get('/a')).toBeUndefined();
    }
  });

  it('is for one run at a time', async () => {
    const journal = await open();
    await expect(open()).rejects.toThrow('Another run is registering /photos under this Mark');
    await journal.close();
    opened.length = 0;
    await open();
  });

  it('can be read by nobody else', async () => {
    await open();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(await path())).mode & 0o777).toBe(0o600);
  });

  it('is on the disk when it says so: what came in the meantime goes with the next time', async () => {
    const journal = await open();
    const [syncs, handles] = [vi.fn(), await openFile(await path())];
    const prototype: FileHandle = Object.getPrototypeOf(handles);
    const datasync = vi.spyOn(prototype, 'datasync').mockImplementation(async () => {
      syncs(await readFile(await path(), 'utf8'));
    });
    for (const key of ['first', 'second', 'third']) {
      journal.keep('/a', kept({ key }));
      const synced = journal.sync();
      if (key !== 'second') await synced;
    }
    datasync.mockRestore();
    await handles.close();
    expect(syncs.mock.calls.map(([text]) => text.includes('first'))).toEqual([true, true]);
    expect(syncs.mock.calls.map(([text]) => text.includes('third'))).toEqual([false, true]);
  });

  it('that the disk has not taken once fails for good', async () => {
    const [journal, handles] = [await open(), await openFile(folder)];
    const prototype: FileHandle = Object.getPrototypeOf(handles);
    const datasync = vi.spyOn(prototype, 'datasync').mockRejectedValueOnce(new Error('input/output error'));
    journal.keep('/a', kept());
    await expect(journal.sync()).rejects.toThrow('cannot be written: input/output error');
    datasync.mockRestore();
    await handles.close();
    expect(() => journal.keep('/b', kept())).toThrow('cannot be written: input/output error');
    await expect(journal.sync()).rejects.toThrow('cannot be written: input/output error');
  });

  it('that cannot be made says so', async () => {
    await writeFile(folder, 'a file where a folder should be');
    await expect(open()).rejects.toThrow(/^The journal .* cannot be written/);
  });
});

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('a file on its way', () => {
  let path: string;
  let copy: string;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'journal-'));
    [path, copy] = [join(folder, 'file'), join(folder, 'copy')];
    for (const file of [path, copy]) await writeFile(file, 'content');
  });
  afterEach(() => rm(join(path, '..'), { recursive: true }));

  const notAsked = () => Promise.reject(new Error('not asked'));

  /** Takes the file; answers with what there is to know when it has come to its end. */
  async function take(parts: { journal: Journal; sender: Partial<Sender>; wait: boolean }, files = [path]) {
    const tally = new Tally(
      () => true,
      () => {},
    );
    const registrar = createRegistrar({
      ...parts,
      sender: { register: notAsked, check: notAsked, settle: notAsked, ...parts.sender },
      brake: new Brake(),
      tally,
      concurrency: 1,
      dryRun: false,
      versions: false,
    });
    for (const file of files) {
      await registrar.take({ kind: 'file', path: file, shown: file, identity: await identify(file) });
    }
    return { tally, finished: registrar.finish() };
  }

  it('is not sent before the journal has it on the disk', async () => {
    const [asked, written] = [deferred<Kept>(), deferred<void>()];
    const sent: Kept[] = [];
    const journal: Journal = {
      ...forgetfulJournal({ looksAgain: false }),
      keep: (_, kept) => asked.resolve(kept),
      sync: () => written.promise,
    };
    const sender: Partial<Sender> = {
      async register(_, kept) {
        sent.push(kept);
        return { outcome: 'refused' };
      },
    };
    const { finished } = await take({ journal, sender, wait: false });
    const kept = await asked.promise;
    await setImmediate();
    expect(sent).toEqual([]);
    written.resolve();
    await finished;
    expect(sent).toEqual([kept]);
  });

  it('answers for its copies, whenever they come', async () => {
    let sent = 0;
    const sender: Partial<Sender> = {
      async register() {
        sent += 1;
        return { outcome: 'registered', artifactId: randomUUID(), status: 'pending' };
      },
    };
    // All of them hear from the journal in the same moment.
    const written = deferred<void>();
    const journal = { ...forgetfulJournal({ looksAgain: false }), sync: () => written.promise };
    const { tally, finished } = await take({ journal, sender, wait: false }, [path, copy]);
    await vi.waitUntil(() => tally.hashed === 2);
    written.resolve();
    await finished;
    expect([sent, tally.kept.map(({ outcome }) => outcome).sort()]).toEqual([1, ['registered', 'yours']]);
  });

  it('that is registered is told of although the journal fails, also while it is waited for', async () => {
    const sender: Partial<Sender> = {
      register: async () => ({ outcome: 'registered', artifactId: randomUUID(), status: 'pending' }),
      settle: async (_, answer) => answer,
    };
    for (const wait of [false, true]) {
      const journal: Journal = {
        ...forgetfulJournal({ looksAgain: false }),
        keep(_, { registered }) {
          if (registered) throw new JournalProblem('the journal', new Error('the disk is full'));
        },
      };
      const { tally, finished } = await take({ journal, sender, wait });
      await finished;
      expect([tally.counts.registered, tally.left]).toEqual([1, 0]);
    }
  });

  it('that the chain does not take is refused, and gets another key for the next time', async () => {
    const journal = forgetfulJournal({ looksAgain: true });
    const keys: string[] = [];
    const sender: Partial<Sender> = {
      async register(_, { key }) {
        keys.push(key);
        return { outcome: 'registered', artifactId: randomUUID(), status: 'pending' };
      },
      settle: async (_, answer) => ({ ...answer, outcome: 'refused', status: 'failed', reason: 'Paused.' }),
    };
    const { tally, finished } = await take({ journal, sender, wait: true });
    await finished;
    expect(tally.kept).toMatchObject([{ outcome: 'refused', status: 'failed', reason: 'Paused.' }]);
    expect(journal.get(path)).toMatchObject({ registered: undefined });
    await (await take({ journal, sender, wait: true })).finished;
    expect([keys.length, new Set(keys).size, tally.hashed]).toEqual([2, 2, 1]);
  });
});

describe('a service that does not answer', () => {
  const away = new ServiceUnreachableError('createArtifact failed after 5 attempts: connect ECONNREFUSED.');

  /** Asks with a service that is there, or not, at each look. */
  function patience(looks: boolean[], limitMs?: number) {
    const said: string[] = [];
    const brake = new Brake();
    const isThere = async () => looks.shift() ?? true;
    const ask = createPatience({ brake, isThere, say: (message) => said.push(message), ...(limitMs && { limitMs }) });
    return { ask, brake, said };
  }

  /** Fails so often, then answers. */
  function failing(times: number, error: Error = away) {
    let asked = 0;
    return async () => {
      asked += 1;
      if (asked <= times) throw error;
      return asked;
    };
  }

  it('makes everybody wait, and is asked again when it is back', async () => {
    const { ask, said } = patience([false, false, true]);
    expect(await Promise.all([ask(failing(1)), ask(failing(1)), ask(failing(1))])).toEqual([2, 2, 2]);
    expect(said).toEqual([
      'The service does not answer. Waiting until it is back; nothing is lost meanwhile.',
      'The service is back.',
    ]);
  });

  it('is not asked for anything while somebody finds out whether it is there', async () => {
    const [looks, look] = [deferred<void>(), deferred<boolean>()];
    const isThere = () => {
      looks.resolve();
      return look.promise;
    };
    const ask = createPatience({ brake: new Brake(), isThere, say: () => {} });
    const asked: string[] = [];
    const first = ask(failing(1));
    await looks.promise;
    const second = ask(async () => asked.push('second'));
    await setImmediate();
    expect(asked).toEqual([]);
    look.resolve(true);
    await expect(first).rejects.toBe(away);
    await second;
    expect(asked).toEqual(['second']);
  });

  it('for one file alone fails that file, and nobody waits', async () => {
    const { ask, brake, said } = patience([true]);
    await expect(ask(failing(1))).rejects.toBe(away);
    expect(await ask(failing(0))).toBe(1);
    expect([said, brake.stop]).toEqual([[], undefined]);
  });

  it('ends the run when it stays away', async () => {
    const { ask, brake } = patience(Array(100).fill(false), 1);
    await expect(ask(failing(1))).rejects.toBeInstanceOf(Halted);
    expect(brake.stop).toMatchObject({ code: 'UNREACHABLE', exitCode: 3 });
  });

  it('and ends the run when it is there, and fails one file after the other', async () => {
    const { ask, brake } = patience([]);
    const nonsense = new InvalidResponseError('The answer to createArtifact is not JSON.');
    for (let file = 1; file < 20; file += 1) await expect(ask(failing(1, nonsense))).rejects.toBe(nonsense);
    expect(brake.stop).toBeUndefined();
    await expect(ask(failing(1))).rejects.toBe(away);
    expect(brake.stop).toMatchObject({ code: 'UNREACHABLE', exitCode: 3 });
    await expect(ask(failing(0))).rejects.toBeInstanceOf(Halted);
  });

  it('is forgiven by the next answer', async () => {
    const { ask, brake } = patience([]);
    for (let file = 1; file < 60; file += 1) {
      if (file % 19 === 0) await ask(failing(0));
      else await expect(ask(failing(1))).rejects.toBe(away);
    }
    expect(brake.stop).toBeUndefined();
  });
});
