// `provenance register` loses no file, and registers none twice, when its process or that of the service is killed.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listPublishedFiles } from '../../../test/support/artifacts.js';
import { freePort } from '../../../test/support/ports.js';
import { createMigratedDatabase, query } from '../../../test/support/postgres.js';
import { newDataFolder, type Service, startService, startServiceProcess } from '../../../test/support/service.js';
import { countArtifacts, expectOneKeyEach, FaultyProxy, Registrant } from './support/registration.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

async function openProxy(url: string): Promise<FaultyProxy> {
  const proxy = await FaultyProxy.open(url);
  proxy.acceptsBatches = true;
  return proxy;
}

/** Whether each fingerprint in the journal is registered. */
async function readJournal(ada: Registrant): Promise<Map<string, boolean>> {
  const folder = join(ada.machine.home, '.local/state/provenance/register');
  const [name = ''] = await readdir(folder);
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n').slice(1, -1);
  const records: { fingerprint: string; registered?: object }[] = lines.map((line) => JSON.parse(line));
  return new Map(records.map(({ fingerprint, registered }) => [fingerprint, registered !== undefined]));
}

describe('a killed run', () => {
  it('is continued without hashing a file or sending an answered request again', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('killed', 44);
    // Every fifth request is held.
    proxy.decideFault = () => (proxy.creations.length % 5 === 0 ? 'hold' : 'none');
    const running = ada.machine.spawn('bash', ['-c', 'exec provenance register killed']);
    // The run cannot finish: eight held requests use up its concurrency.
    const countRegistered = async () =>
      [...(await readJournal(ada)).values()].filter((isRegistered) => isRegistered).length;
    await expect.poll(countRegistered).toBeGreaterThanOrEqual(20);
    running.process.kill('SIGKILL');
    await running.end;
    const journal = await readJournal(ada);
    const firstRun = [...proxy.creations];
    proxy.decideFault = () => 'none';

    const { code, summary } = await ada.register('killed');
    expect([code, (summary['registered'] ?? 0) + (summary['yours'] ?? 0)]).toEqual([0, 44]);
    expect(summary).toMatchObject({ hashed: 44 - journal.size, fromJournal: journal.size });
    const registered = [...journal].filter(([, isRegistered]) => isRegistered).map(([fingerprint]) => fingerprint);
    expect(registered.length).toBeGreaterThanOrEqual(20);
    expect(summary['sent']).toBe(44 - registered.length);
    expectOneKeyEach(proxy.creations);
    const secondRun = proxy.creations.slice(firstRun.length).map(({ fingerprint }) => fingerprint);
    expect(secondRun.filter((fingerprint) => registered.includes(fingerprint))).toEqual([]);
    // Everything that was sent was in the journal before.
    for (const { fingerprint } of firstRun) expect(journal.has(fingerprint)).toBe(true);
    const { artifacts } = await ada.client.listArtifacts({ markId: ada.markId, limit: 200 });
    expect(artifacts).toHaveLength(44);
  });

  it('releases the lock of its journal', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('locked', 2);
    proxy.decideFault = () => 'hold';
    const running = ada.machine.spawn('bash', ['-c', 'exec provenance register locked']);
    await proxy.waitUntil((creations) => creations.length === 2);
    const second = await ada.machine.run(['register', 'locked']);
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('Another run is already registering')]);
    running.process.kill('SIGKILL');
    await running.end;
    proxy.decideFault = () => 'none';
    expect((await ada.register('locked')).summary).toMatchObject({ registered: 2, hashed: 0 });
  });

  it('is continued with the same keys while a batch is pending', async () => {
    const proxy = await openProxy(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('killed', 60);
    proxy.decideFault = () => (proxy.batches.length >= 2 ? 'hold' : 'none');
    const running = ada.machine.spawn('bash', ['-c', 'exec provenance register --concurrency 1 killed']);
    await proxy.waitUntil(() => proxy.batches.length === 2);
    running.process.kill('SIGKILL');
    await running.end;
    proxy.decideFault = () => 'none';
    // What the killed run had sent is registered now.
    proxy.release();
    const { code, summary } = await ada.register('killed');
    expect([code, (summary['registered'] ?? 0) + (summary['yours'] ?? 0)]).toEqual([0, 60]);
    expectOneKeyEach(proxy.creations);
    expect(await countArtifacts(ada)).toBe(60);
  });
});

describe('a service that is killed twice during a run', () => {
  const FILES = 40;
  const TIMEOUT_MS = 600_000;

  it(
    'has each file whole or not at all, and gets the rest once',
    async () => {
      const settings = {
        PORT: String(await freePort()),
        CHAIN_PORT: String(await freePort()),
        DATA_DIR: await newDataFolder(),
        DATABASE_URL: await createMigratedDatabase(),
      };
      let mortal = await startServiceProcess(settings);
      const proxy = await openProxy(mortal.url);
      const ada = await Registrant.create(mortal.url);
      await ada.createFolder('unlucky', FILES);
      const registering = ada.via(proxy.url).register('unlucky', '--concurrency', '1');
      // The batch is under way when the first of its files is recorded.
      await proxy.waitUntil(() => proxy.batches.length > 0);
      const sent = proxy.creations.slice(-2).map(({ fingerprint }) => `\\x${fingerprint.slice(2)}`);
      const isUnderWay = async () =>
        (await query(settings.DATABASE_URL, 'select 1 from artifacts where fingerprint = any($1::bytea[])', [sent]))
          .length;
      await expect.poll(isUnderWay, { interval: 2 }).toBeGreaterThan(0);
      await mortal.end('SIGKILL');
      const batches = proxy.batches.length;
      mortal = await startServiceProcess(settings);
      // Its response was lost, so it is sent again.
      await proxy.waitUntil(() => proxy.batches.length > batches);
      await mortal.end('SIGKILL');
      await startServiceProcess(settings);
      const { code, stopped, summary } = await registering;
      expect([code, stopped, summary]).toMatchObject([
        0,
        null,
        { files: FILES, registered: FILES, failed: 0, refused: 0, left: 0, sent: FILES },
      ]);
      expectOneKeyEach(proxy.creations);
      expect(await countArtifacts(ada)).toBe(FILES);
      const published = new Set(await listPublishedFiles({ dataDir: settings.DATA_DIR }));
      const rows = await query<{ id: string }>(settings.DATABASE_URL, 'select id from artifacts');
      const names = rows.flatMap(({ id }) => ['c2pa', 'json', 'png'].map((extension) => `${id}.${extension}`));
      expect(names.filter((name) => !published.has(name))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
