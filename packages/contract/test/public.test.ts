// The public registry: open to everyone, bounded, and always second to the curated one.

import { encodeAbiParameters, type Hex, keccak256, pad, stringToBytes } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  argumentsOf,
  query,
  type Registry,
  random,
  registration,
  revertOf,
  startRegistry,
  uuidText,
} from './support/registry.js';

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
});

const endpoints = ['https://alice.example/api', 'https://mirror.example/api'];
const id = 'urn:c2pa:9f4a0e4c-0d2f-4d4a-9a53-0f1f6a3f0b11';

async function timestampOf(hash: Hex): Promise<bigint> {
  const { blockNumber } = await registry.receipt(hash);
  return (await registry.evm.reader.getBlock({ blockNumber })).timestamp;
}

describe('a public registration', () => {
  it('can be made by anyone and is resolved with its writer', async () => {
    const [fingerprint, manifestHash] = [random(32), random(32)];
    const hash = await registry.alice.write.registerPublicManifest([fingerprint, endpoints, id, manifestHash]);
    expect(await registry.read.resolveByBindingDetailed([fingerprint])).toEqual([
      2,
      endpoints,
      id,
      manifestHash,
      registry.accounts.alice,
      await timestampOf(hash),
    ]);
  });

  it('emits its own event with the described topics and data', async () => {
    const fingerprint = random(32);
    const hash = await registry.alice.write.registerPublicManifest([fingerprint, endpoints, id, random(32)]);
    const { logs } = await registry.receipt(hash);
    expect(logs.map(({ address, topics, data }) => ({ address, topics, data }))).toEqual([
      {
        address: registry.address,
        topics: [
          keccak256(stringToBytes('PublicSoftBindingRegistered(bytes32,address,string[],string)')),
          fingerprint,
          pad(registry.accounts.alice).toLowerCase(),
        ],
        data: encodeAbiParameters([{ type: 'string[]' }, { type: 'string' }], [endpoints, id]),
      },
    ]);
  });

  it('reverts a second time from the same writer, whatever its content', async () => {
    const fingerprint = random(32);
    await registry.alice.write.registerPublicManifest([fingerprint, endpoints, id, random(32)]);
    const again = registry.alice.write.registerPublicManifest([
      fingerprint,
      ['https://x.example'],
      'other',
      random(32),
    ]);
    expect(await revertOf(again)).toEqual({ name: 'AlreadyRegistered', args: [fingerprint] });
    expect(await registry.read.publicEntryCount([fingerprint])).toBe(1n);
  });

  it('is resolved if it is the earliest; later ones of others are listed', async () => {
    const fingerprint = random(32);
    const writers = [registry.bob, registry.alice, registry.carol, registry.registrar];
    const addresses = [
      registry.accounts.bob,
      registry.accounts.alice,
      registry.accounts.carol,
      registry.accounts.registrar,
    ];
    const expected = [];
    for (const [i, writer] of writers.entries()) {
      const entry = { endpoints: [`https://${i}.example`], manifestId: `id ${i}`, manifestHash: random(32) };
      const hash = await writer.write.registerPublicManifest([
        fingerprint,
        entry.endpoints,
        entry.manifestId,
        entry.manifestHash,
      ]);
      expected.push({ ...entry, registeredBy: addresses[i], timestamp: await timestampOf(hash) });
    }
    expect((await registry.read.resolveByBindingDetailed([fingerprint])).slice(1, 5)).toEqual([
      ['https://0.example'],
      'id 0',
      expected[0]?.manifestHash,
      registry.accounts.bob,
    ]);
    const page = (offset: bigint, limit: bigint) => registry.read.publicEntries([fingerprint, offset, limit]);
    expect(await registry.read.publicEntryCount([fingerprint])).toBe(4n);
    expect(await page(0n, 10n)).toEqual(expected);
    expect(await page(0n, 3n)).toEqual(expected.slice(0, 3));
    expect(await page(3n, 3n)).toEqual(expected.slice(3));
    expect(await page(1n, 2n ** 256n - 1n)).toEqual(expected.slice(1));
    expect(await page(2n ** 256n - 1n, 2n ** 256n - 1n)).toEqual([]);
    expect(await page(4n, 1n)).toEqual([]);
    expect(await page(1n, 0n)).toEqual([]);
  });

  it('does not show in the curated registry', async () => {
    const fingerprint = random(32);
    const count = await registry.read.curatedCount();
    await registry.registrar.write.registerPublicManifest([fingerprint, endpoints, id, random(32)]);
    expect(await revertOf(registry.read.getManifestByBinding([query(fingerprint)]))).toEqual({
      name: 'ManifestNotFound',
      args: [fingerprint],
    });
    expect(await registry.read.curatedManifestIds([[fingerprint]])).toEqual([`0x${'00'.repeat(16)}`]);
    expect(await registry.read.curatedCount()).toBe(count);
  });

  it('comes after a curated one, made before or after it', async () => {
    const [early, late] = [registration(), registration()];
    await registry.registrar.write.registerManifest(argumentsOf(early));
    await registry.alice.write.registerPublicManifest([early.fingerprint, endpoints, id, random(32)]);
    await registry.alice.write.registerPublicManifest([late.fingerprint, endpoints, id, random(32)]);
    await registry.registrar.write.registerManifest(argumentsOf(late));
    for (const r of [early, late]) {
      const [source, , manifestId] = await registry.read.resolveByBindingDetailed([r.fingerprint]);
      expect([source, manifestId]).toEqual([1, uuidText(r.manifestId)]);
      expect(await registry.read.publicEntryCount([r.fingerprint])).toBe(1n);
    }
  });
});

describe('the bounds of a public registration', () => {
  const send = (fingerprint: Hex, list: string[], manifestId: string) =>
    revertOf(registry.alice.write.registerPublicManifest([fingerprint, list, manifestId, random(32)]));

  it('allow the largest one', async () => {
    const fingerprint = random(32);
    const list = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(256));
    expect(await send(fingerprint, list, 'i'.repeat(128))).toBeUndefined();
    expect((await registry.read.resolveByBindingDetailed([fingerprint])).slice(1, 3)).toEqual([list, 'i'.repeat(128)]);
  });

  it.each([
    ['no endpoint', [], 'id', { name: 'InvalidEndpointCount', args: [0n] }],
    ['nine endpoints', Array(9).fill('e'), 'id', { name: 'InvalidEndpointCount', args: [9n] }],
    ['an empty endpoint', ['e', ''], 'id', { name: 'InvalidEndpointLength', args: [1n, 0n] }],
    ['an endpoint of 257 bytes', ['e'.repeat(257)], 'id', { name: 'InvalidEndpointLength', args: [0n, 257n] }],
    ['an endpoint of 257 bytes in 129 characters', [`e${'é'.repeat(128)}`], 'id', { args: [0n, 257n] }],
    ['no id', ['e'], '', { name: 'InvalidManifestIdLength', args: [0n] }],
    ['an id of 129 bytes', ['e'], 'i'.repeat(129), { name: 'InvalidManifestIdLength', args: [129n] }],
  ])('refuse %s', async (_, list, manifestId, refused) => {
    expect(await send(random(32), list, manifestId)).toMatchObject(refused);
  });

  it('refuse a fingerprint of zeros', async () => {
    expect(await send(pad('0x'), ['e'], 'id')).toMatchObject({ name: 'ZeroFingerprint' });
  });

  it('are constants of the contract', async () => {
    expect(await registry.read.MAX_ENDPOINTS()).toBe(8n);
    expect(await registry.read.MAX_ENDPOINT_LENGTH()).toBe(256n);
    expect(await registry.read.MAX_MANIFEST_ID_LENGTH()).toBe(128n);
  });
});
