// `provenance register` sends many files in batches, and loses none when a response is lost.

import { beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../test/support/service.js';
import { countArtifacts, expectOneKeyEach, FaultyProxy, Registrant } from './support/registration.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

async function openProxy(): Promise<FaultyProxy> {
  const proxy = await FaultyProxy.open(service.url);
  proxy.acceptsBatches = true;
  return proxy;
}

const FILES = 24;

describe('a folder', () => {
  it('is sent in batches, the first files alone; copies and registered files are recognized', async () => {
    const proxy = await openProxy();
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('many', FILES);
    expect(await ada.register('many', '--concurrency', '1')).toMatchObject({
      code: 0,
      summary: { files: FILES, registered: FILES, sent: FILES, hashed: FILES },
    });
    expect(proxy.creations).toHaveLength(FILES);
    const single = proxy.creations.length - proxy.batches.reduce((sum, size) => sum + size, 0);
    expect(single + proxy.batches.length).toBeLessThan(FILES);
    // Without its journal, the service tells what is registered.
    const again = await ada.register('many', '--no-journal');
    expect(again).toMatchObject({ code: 0, summary: { yours: FILES, sent: FILES } });
    const bea = (await Registrant.create(service.url)).via(proxy.url);
    const others = await bea.machine.with({ HOME: ada.machine.home }).json(['register', `${ada.machine.home}/many`]);
    expect(others).toMatchObject({ code: 1, result: { summary: { others: FILES, sent: FILES } } });
  });

  it('whose batches lose their responses is registered once', async () => {
    const proxy = await openProxy();
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('lost', FILES);
    let lost = 0;
    proxy.decideFault = () => {
      if (proxy.batches.length === 0 || lost >= 3) return 'none';
      lost += 1;
      return 'drop-response';
    };
    expect(await ada.register('lost', '--concurrency', '2')).toMatchObject({
      code: 0,
      summary: { registered: FILES, sent: FILES, failed: 0 },
    });
    expect([lost, await countArtifacts(ada)]).toEqual([3, FILES]);
    expectOneKeyEach(proxy.creations);
    expect(proxy.creations.length).toBeGreaterThan(FILES);
  });
});
