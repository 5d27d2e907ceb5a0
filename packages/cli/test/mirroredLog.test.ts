// Copies of a log, kept against sources that fail and lie, and against kills.

import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyPaths, encodeLeaf, formatVerifierKey, type NoteSigner } from '../../log/src/index.js';
import { createSigner } from '../../log/test/support/signers.js';
import { startSource } from './support/logSources.js';
import { Machine, main } from './support/machine.js';
import { PlantedLog } from './support/plantedLog.js';

const Failed = Type.Object({ error: Type.String() });
let machine: Machine;

/** Runs `log mirror --once`. */
async function copy(folder: string, ...options: readonly string[]) {
  const { code, result } = await machine.json(['log', 'mirror', folder, '--once', ...options]);
  return { code, result };
}

const pathOf = (...names: readonly string[]) => join(machine.home, ...names);

beforeAll(async () => {
  machine = await Machine.create();
});

const signer = createSigner('log.example', 'log', 'copied log');
const key = ['--log-key', formatVerifierKey(signer.key), '--log-only'];

function leafAt(index: number, salt: string): Uint8Array {
  const digest = createHash('sha256').update(`${salt} ${index}`).digest('hex');
  const hash: Fingerprint = `0x${digest}`;
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${digest.slice(12, 16)}-${digest.slice(16, 20)}-${digest.slice(20, 32)}`;
  const content = {
    fingerprint: hash,
    id,
    manifest: hash,
    metadata: hash,
    hidden: hash,
    time: new Date(index).toISOString(),
  };
  return encodeLeaf({ kind: 'artifact', content });
}

/** A log with so many leaves; with another salt, they are others. */
async function makeLog(count: number, salt = '', by: NoteSigner = signer): Promise<PlantedLog> {
  const log = new PlantedLog(by);
  await grow(log, count, salt);
  return log;
}

async function grow(log: PlantedLog, count: number, salt = ''): Promise<void> {
  const { size } = log.head;
  await log.publish(
    Array.from({ length: count }, (_, place) => leafAt(size + place, salt)),
    0,
  );
}

const fileOf = (log: PlantedLog, path: string) => log.files.get(path.replace(/^log\//, ''));
const serve = (log: PlantedLog) => startSource((path) => fileOf(log, path));

async function listLog(folder: string): Promise<string[]> {
  const names = await readdir(pathOf(folder, 'log'), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(pathOf(folder).length + 1));
}

/** The folder that the error names. */
function evidenceOf(result: unknown): string {
  const { error } = Value.Parse(Failed, result);
  return /the evidence is in (.+)\.$/.exec(error)?.[1] ?? '';
}

describe('a copy of a log', () => {
  it('has every file of it byte for byte, and grows with it until its tiles are complete', async () => {
    const log = await makeLog(300);
    const source = await serve(log);
    expect(await copy('grown', '--from', source.url, ...key)).toMatchObject({
      code: 0,
      result: { size: 300, manifests: null },
    });
    await grow(log, 900);
    expect(await copy('grown', '--from', source.url, ...key)).toMatchObject({ code: 0, result: { size: 1_200 } });
    expect(await copy('grown', '--from', source.url, ...key)).toMatchObject({ result: { size: 1_200 } });
    const names = await listLog('grown');
    for (const name of names)
      expect((await readFile(pathOf('grown', name))).equals(fileOf(log, name) ?? Buffer.of()), name).toBe(true);
    expect(names.filter((name) => name.includes('.p/')).toSorted()).toEqual([
      'log/tile/0/004.p/176',
      'log/tile/1/000.p/1',
      'log/tile/1/000.p/4',
      'log/tile/entries/004.p/176',
    ]);
    // Another copy, of the copy.
    expect(await copy('second', '--from', 'grown', ...key)).toMatchObject({ code: 0, result: { size: 1_200 } });
    // Without the incomplete tile of the earlier checkpoint.
    expect(names).toEqual(expect.arrayContaining(await listLog('second')));
  });

  it('is completed after a kill in the middle, without reading again what it has', async () => {
    const log = await makeLog(4_900);
    let stalled = () => {};
    const isStalled = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const slow = await startSource((path) => {
      if (!path.includes('entries/017')) return fileOf(log, path);
      stalled();
      return new Promise(() => {});
    });
    const running = machine.spawn(process.execPath, [
      main,
      'log',
      'mirror',
      'killed',
      '--once',
      '--from',
      slow.url,
      ...key,
    ]);
    await isStalled;
    // A second one on the same folder has to wait.
    const second = await machine.run(['log', 'mirror', 'killed', '--once', '--from', slow.url, ...key]);
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('copies into killed already')]);
    running.process.kill('SIGKILL');
    await running.end;
    expect(await listLog('killed')).not.toContain('log/checkpoint');
    const source = await serve(log);
    expect(await copy('killed', '--from', source.url, ...key)).toMatchObject({ code: 0, result: { size: 4_900 } });
    expect(source.read.filter((path) => /entries\/0(0\d|1[0-5])$/.test(path))).toEqual([]);
    expect(source.read).toContain('log/tile/entries/017');
  });

  it('refuses another history of any length, a changed file and another key, and keeps both sides as evidence', async () => {
    const log = await makeLog(300);
    await copy('loyal', '--from', (await serve(log)).url, ...key);
    const before = await readFile(pathOf('loyal', copyPaths.checkpoint), 'utf8');
    const longer = await makeLog(300, 'fork');
    await grow(longer, 50);
    const another = createSigner('log.example', 'log', 'another');
    const cases: readonly (readonly [PlantedLog, kind: string])[] = [
      [await makeLog(300, 'fork'), 'fork'],
      [await makeLog(299, 'fork'), 'fork'],
      [longer, 'fork'],
      [await makeLog(300, '', another), 'bad-checkpoint'],
    ];
    for (const [fork, kind] of cases) {
      const { code, result } = await copy('loyal', '--from', (await serve(fork)).url, ...key);
      const evidence = evidenceOf(result);
      expect([code, evidence]).toEqual([1, expect.stringContaining(`/evidence/${kind}-`)]);
      const names = (await readdir(evidence)).filter((name) => name.startsWith('checkpoint'));
      const saved = await Promise.all(names.map((name) => readFile(join(evidence, name), 'utf8')));
      const shown = Buffer.from(fork.files.get('checkpoint') ?? []).toString();
      expect(saved.toSorted()).toEqual((kind === 'fork' ? [before, shown] : [shown]).toSorted());
    }
    await grow(log, 300);
    for (const path of ['log/tile/entries/001', 'log/tile/0/001', 'log/tile/1/000.p/2']) {
      const changed = Buffer.from(fileOf(log, path) ?? []);
      changed.writeUInt8(changed.readUInt8(40) ^ 1, 40);
      const source = await startSource((name) => (name === path ? changed : fileOf(log, name)));
      const { code, result } = await copy('loyal', '--from', source.url, ...key);
      const evidence = evidenceOf(result);
      expect([code, evidence], path).toEqual([1, expect.stringContaining('/evidence/bad-file-')]);
      const served = path.slice('log/'.length).replaceAll('/', '_');
      expect((await readFile(join(evidence, served))).equals(changed), path).toBe(true);
    }
    expect(await readFile(pathOf('loyal', copyPaths.checkpoint), 'utf8')).toBe(before);
    // No source can make the copy give up what is right in it.
    await expect(stat(pathOf('loyal', 'damaged'))).rejects.toThrow('ENOENT');
    // Late, and no contradiction.
    const late = await makeLog(200);
    expect(await copy('loyal', '--from', (await serve(late)).url, ...key)).toMatchObject({
      code: 0,
      result: { size: 300 },
    });
    expect(await copy('loyal', '--from', (await serve(log)).url, ...key)).toMatchObject({
      code: 0,
      result: { size: 600 },
    });
  });

  it('restores what was removed or damaged in it, or says what is missing', async () => {
    const log = await makeLog(700);
    const source = await serve(log);
    await copy('worn', '--from', source.url, ...key);
    const index = copyPaths.index(`0x${createHash('sha256').update(' 5').digest('hex')}`);
    const records = await readFile(pathOf('worn', index));
    for (const name of ['log/tile/entries/001', 'log/tile/0/000', 'log/tile/0/002.p/188', index])
      await rm(pathOf('worn', name));
    const damaged = Buffer.from(fileOf(log, 'log/tile/entries/000') ?? []);
    damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
    await writeFile(pathOf('worn', 'log/tile/entries/000'), damaged);
    const { code, stderr } = await machine.run(['log', 'mirror', 'worn', '--once', '--from', source.url, ...key]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('damaged log/tile/entries/000')]);
    for (const name of await listLog('worn')) {
      expect((await readFile(pathOf('worn', name))).equals(fileOf(log, name) ?? Buffer.of()), name).toBe(true);
    }
    expect((await readFile(pathOf('worn', index))).equals(records)).toBe(true);
    await rm(pathOf('worn', 'log/tile/entries/001'));
    const gone = await startSource((path) => (path === 'log/tile/entries/001' ? undefined : fileOf(log, path)));
    const { result } = await copy('worn', '--from', gone.url, ...key);
    expect(result).toMatchObject({ error: expect.stringContaining('tile/entries/001'), code: 'SOURCE_UNUSABLE' });
  });
});
