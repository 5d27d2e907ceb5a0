// The mirror of the registry contract: what it holds equals what the contract says, field by field.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { totalCalls } from '../support/faultyNode.js';
import { curatedCall, type MirrorSetup, newFingerprint, openMirrorSetup } from '../support/mirrors.js';

let world: MirrorSetup;
beforeEach(async () => {
  world = await openMirrorSetup();
});
afterEach(() => world.close());

/** A contract that forwards its calls to the registry: the events do not name their writer then. */
const forwarderTo = (registry: string) => `36600060003760006000366000600073${registry.slice(2).toLowerCase()}5af100`;

it('holds what the contract had before it started, and what is added later', async () => {
  await world.registerCurated(3);
  await world.registerPublic();
  world.start();
  await world.expectMirrored();
  await world.registerCurated(2);
  await world.registerPublic();
  await world.expectMirrored();
  expect(await world.rows()).toHaveLength(7);
});

it('prefers curated entries, and of public ones the earliest', async () => {
  const [other, third] = [await world.fundedAccount(), await world.fundedAccount()];
  const fingerprint = await world.registerPublic({ account: other });
  await world.registerPublic({ fingerprint, endpoints: ['https://late.example'], manifestId: 'late' });
  world.start();
  await world.expectMirrored();
  await world.registerPublic({ fingerprint, endpoints: ['https://later.example'], account: third });
  const [curated] = await world.registerCurated(1);
  await world.registerPublic({ fingerprint: curated ?? '0x' });
  await world.expectMirrored();
});

it('names the writer and the hash of entries that were made through other contracts and by several registrars', async () => {
  const { chain } = world;
  const second = await world.fundedAccount();
  const forwarder = await world.deploy(forwarderTo(chain.registry));
  await world.registerCurated(1);
  await world.registerPublic({ to: forwarder });
  world.start();
  await world.expectMirrored();
  await chain.setRegistrar(true, second.address);
  await chain.setRegistrar(true, forwarder);
  const [bySecond, byForwarder] = [newFingerprint(), newFingerprint()];
  await world.send(second, curatedCall([bySecond]));
  await world.send(chain.writer, curatedCall([byForwarder]), forwarder);
  await world.registerCurated(2);
  await world.registerPublic({ fingerprint: bySecond });
  await world.registerPublic({ fingerprint: byForwarder });
  await world.expectMirrored();
});

it('follows changes of the endpoints of curated entries', async () => {
  await world.registerCurated(1);
  world.start();
  await world.expectMirrored();
  await world.chain.setEndpoints(['https://moved.example/api/c2pa']);
  await world.expectMirrored();
});

it('keeps entries with unsafe ids and endpoints, and returns nothing of them', async () => {
  await world.registerPublic({ manifestId: 'right‮to-left' });
  await world.registerPublic({ endpoints: ['javascript:alert(1)', 'https://user:password@host.example'] });
  await world.registerPublic({ endpoints: ['data:text/html,x', 'https://safe.example'] });
  world.start();
  await waitUntil(async () => (await world.progress())?.isFresh === true, 'the mirror is fresh');
  const rows = await world.rows();
  expect(rows.map(({ manifest_id: id, endpoints }) => [id, endpoints])).toEqual(
    expect.arrayContaining([
      [null, []],
      [null, []],
      ['urn:c2pa:shop-7', ['https://safe.example']],
    ]),
  );
});

it('starts at the block of the contract, continues where it stopped, and asks once a poll when nothing happens', async () => {
  const { chain } = world;
  await world.registerCurated(1);
  const ranges: unknown[] = [];
  chain.node.tamper = (method, result, [filter]) => {
    if (method === 'eth_getLogs') ranges.push(filter);
    return result;
  };
  const first = world.start({ isIndexedLate: false });
  await world.expectMirrored();
  await first.stop();
  expect(ranges[0]).toMatchObject({ fromBlock: '0x1', toBlock: '0x1' });
  await world.registerCurated(1);
  ranges.length = 0;
  world.start({ isIndexedLate: false });
  await world.expectMirrored();
  expect(ranges).toMatchObject([{ fromBlock: '0x3', toBlock: '0x3' }]);

  const checkedAt = async () => (await world.progress())?.checkedAt?.getTime() ?? 0;
  chain.node.calls.clear();
  const before = await checkedAt();
  await waitUntil(async () => (await checkedAt()) > before, 'it is confirmed again');
  await waitUntil(() => totalCalls(chain.node) > 3, 'it has polled');
  expect([...chain.node.calls.keys()]).toEqual(['eth_getBlockByNumber']);
});

it('starts over with another contract', async () => {
  await world.registerCurated(2);
  const mirror = world.start();
  await world.expectMirrored();
  await mirror.stop();
  const before = await world.rows();
  await world.query(`update chain_mirror set registry = decode(repeat('11', 20), 'hex'), checked_at = null`);
  world.start();
  await world.expectMirrored();
  expect(await world.rows()).toEqual(before);
});
