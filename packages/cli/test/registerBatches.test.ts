// `provenance register` sends many files in batches, and loses none when a run is killed, or a response is lost, or the
// service ends in the middle of a batch.

import { beforeAll, describe, expect, it } from 'vitest';
import { listPublishedFiles, type Registry, restartRegistry, startRegistry } from '../../../test/support/artifacts.js';
import { freePort } from '../../../test/support/ports.js';
import { query } from '../../../test/support/postgres.js';
import { type Creation, FaultyProxy, Registrant } from './support/registration.js';

let service: Registry;
beforeAll(async () => {
  service = await startRegistry({ PORT: String(await freePort()) });
});

async function openProxy(): Promise<FaultyProxy> {
  const proxy = await FaultyProxy.open(service.url);
  proxy.acceptsBatches = true;
  return proxy;
}

function countKeys(creations: readonly Creation[]): number {
  return new Set(creations.map(({ fingerprint, key }) => `${fingerprint} ${key}`)).size;
}

async function countArtifacts({ markId }: Registrant): Promise<number> {
  const rows = await query(service.databaseUrl, 'select 1 from artifacts where mark_id = $1', [markId]);
  return rows.length;
}

describe('a folder', () => {
  it('is sent in batches, the first files alone; copies and registered files are recognized', async () => {
    const proxy = await openProxy();
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('many', 40);
    expect(await ada.register('many', '--concurrency', '1')).toMatchObject({
      code: 0,
      summary: { files: 40, registered: 40, sent: 40, hashed: 40 },
    });
    expect(proxy.creations).toHaveLength(40);
    const single = proxy.creations.length - proxy.batches.reduce((sum, size) => sum + size, 0);
    expect(single + proxy.batches.length).toBeLessThan(40);
    // Without its journal, the service tells what is registered.
    const again = await ada.register('many', '--no-journal');
    expect(again).toMatchObject({ code: 0, summary: { yours: 40, sent: 40 } });
    const bea = (await Registrant.create(service.url)).via(proxy.url);
    const others = await bea.machine.with({ HOME: ada.machine.home }).json(['register', `${ada.machine.home}/many`]);
    expect(others).toMatchObject({ code: 1, result: { summary: { others: 40, sent: 40 } } });
  });

  it('whose batches lose their responses is registered once', async () => {
    const proxy = await openProxy();
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('lost', 40);
    let lost = 0;
    proxy.decideFault = () => {
      if (proxy.batches.length === 0 || lost >= 3) return 'none';
      lost += 1;
      return 'drop-response';
    };
    expect(await ada.register('lost', '--concurrency', '2')).toMatchObject({
      code: 0,
      summary: { registered: 40, sent: 40, failed: 0 },
    });
    expect([lost, countKeys(proxy.creations), await countArtifacts(ada)]).toEqual([3, 40, 40]);
    expect(proxy.creations.length).toBeGreaterThan(40);
  });

  it('whose run is killed while a batch is pending is continued with the same keys', async () => {
    const proxy = await openProxy();
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
    expect([countKeys(proxy.creations), await countArtifacts(ada)]).toEqual([60, 60]);
  });
});

describe('a service', () => {
  it('that is killed in the middle of a batch has each file whole or not at all, and gets the rest', async () => {
    const proxy = await openProxy();
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('unlucky', 40);
    const registering = ada.register('unlucky', '--concurrency', '1');
    // The batch is under way when the first of its files is recorded.
    await proxy.waitUntil(() => proxy.batches.length > 0);
    const sent = proxy.creations.slice(-2).map(({ fingerprint }) => `\\x${fingerprint.slice(2)}`);
    const isUnderWay = async () =>
      (await query(service.databaseUrl, 'select 1 from artifacts where fingerprint = any($1::bytea[])', [sent])).length;
    await expect.poll(isUnderWay, { interval: 2 }).toBeGreaterThan(0);
    await service.end('SIGKILL');
    service = await restartRegistry(service.settings);
    const { code, stopped, summary } = await registering;
    expect([code, stopped, summary]).toMatchObject([0, null, { registered: 40, failed: 0, left: 0, sent: 40 }]);
    expect([countKeys(proxy.creations), await countArtifacts(ada)]).toEqual([40, 40]);
    const published = new Set(await listPublishedFiles(service));
    const rows = await query<{ id: string }>(service.databaseUrl, 'select id from artifacts');
    const names = rows.flatMap(({ id }) => ['c2pa', 'json', 'png'].map((extension) => `${id}.${extension}`));
    expect(names.filter((name) => !published.has(name))).toEqual([]);
  });
});
