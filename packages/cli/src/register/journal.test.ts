// The journal on disk.

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
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { type Journal, type JournalRecord, type JournalScope, openJournal } from './journal.js';

const scope: JournalScope = { url: 'https://registry.example', markId: randomUUID(), folder: '/photos' };

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

  async function open(changes: Partial<JournalScope> = {}): Promise<Journal> {
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
    for (const other of [name.toUpperCase(), name.slice(0, -1), `${name}x`, name.replace('\u0080', '\u0081')])
      expect([other, journal.get(other)]).toEqual([other, undefined]);
    expect(journal.findRegistered(`0x${'ab'.repeat(31)}ac`)).toBeUndefined();
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
    const lastDigit = scope.markId.endsWith('0') ? '1' : '0';
    for (const other of [
      ...[{ url: 'https://other.example' }, { url: 'https://registry.exampl' }, { url: 'http://registry.example' }],
      ...[{ markId: randomUUID() }, { markId: `${scope.markId.slice(0, -1)}${lastDigit}` }],
      ...[{ folder: '/photos/more' }, { folder: '/photo' }, { folder: '/Photos' }],
      // Where one part ends and the next begins counts.
      { markId: `${scope.markId}/`, folder: 'photos' },
    ]) {
      expect([other, (await open(other)).get('/a')]).toEqual([other, undefined]);
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
