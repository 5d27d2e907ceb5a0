// The curated registry: registering one, registering many, and what the log and the reads say of it.

import { encodeAbiParameters, type Hex, keccak256, parseEventLogs, stringToBytes } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentRegistryAbi } from '../src/index.js';
import {
  argumentsOf,
  endpoint,
  query,
  type Registry,
  random,
  registration,
  revertOf,
  startRegistry,
  uuidText,
} from './support/registry.js';

const ZERO: Hex = `0x${'00'.repeat(32)}`;
const ZERO_ID: Hex = `0x${'00'.repeat(16)}`;

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
});

const logsOf = async (hash: Hex) =>
  parseEventLogs({ abi: contentRegistryAbi, logs: (await registry.receipt(hash)).logs });

describe('registering one manifest', () => {
  it('makes it resolvable with everything that was registered', async () => {
    const r = registration();
    const hash = await registry.registrar.write.registerManifest(argumentsOf(r));
    const { blockNumber } = await registry.receipt(hash);
    const { timestamp } = await registry.evm.reader.getBlock({ blockNumber });

    expect(await registry.read.resolveByBindingDetailed([r.fingerprint])).toEqual([
      1,
      [endpoint],
      uuidText(r.manifestId),
      r.manifestHash,
      registry.accounts.registrar,
      timestamp,
    ]);
    expect(JSON.parse(await registry.read.getManifestByBinding([query(r.fingerprint)]))).toEqual({
      endpoints: [endpoint],
      manifestId: uuidText(r.manifestId),
    });
  });

  it('emits two events with the described topics and data', async () => {
    const r = registration();
    const { logs } = await registry.receipt(await registry.registrar.write.registerManifest(argumentsOf(r)));
    expect(logs.map(({ address, topics, data }) => ({ address, topics, data }))).toEqual([
      {
        address: registry.address,
        topics: [keccak256(stringToBytes('SoftBindingRegistered(bytes32,string[],string)')), r.fingerprint],
        data: encodeAbiParameters([{ type: 'string[]' }, { type: 'string' }], [[endpoint], uuidText(r.manifestId)]),
      },
      {
        address: registry.address,
        topics: [
          keccak256(stringToBytes('ManifestRegistered(bytes32,bytes,bytes32)')),
          r.fingerprint,
          keccak256(r.userIdHash),
        ],
        data: r.manifestHash,
      },
    ]);
  });

  it("can be found by the user's id alone", async () => {
    const [mine, other] = [registration(), registration()];
    await registry.registrar.write.registerManifests([[mine, other]]);
    const found = await registry.evm.reader.getContractEvents({
      address: registry.address,
      abi: contentRegistryAbi,
      eventName: 'ManifestRegistered',
      args: { userIdHash: mine.userIdHash },
      fromBlock: 0n,
    });
    expect(found.map(({ args }) => args.fingerprint)).toEqual([mine.fingerprint]);
  });

  it('reverts when the fingerprint is registered, and the entry stays', async () => {
    const first = registration();
    await registry.registrar.write.registerManifest(argumentsOf(first));
    const before = await registry.read.resolveByBindingDetailed([first.fingerprint]);
    const second = { ...registration(), fingerprint: first.fingerprint };
    expect(await revertOf(registry.registrar.write.registerManifest(argumentsOf(second)))).toEqual({
      name: 'AlreadyRegistered',
      args: [first.fingerprint],
    });
    expect(await registry.read.resolveByBindingDetailed([first.fingerprint])).toEqual(before);
  });

  it('reverts without a fingerprint or an id', async () => {
    const r = registration();
    const noFingerprint = argumentsOf({ ...r, fingerprint: ZERO });
    const noId = argumentsOf({ ...r, manifestId: ZERO_ID });
    expect(await revertOf(registry.registrar.write.registerManifest(noFingerprint))).toMatchObject({
      name: 'ZeroFingerprint',
    });
    expect(await revertOf(registry.registrar.write.registerManifest(noId))).toMatchObject({ name: 'ZeroManifestId' });
  });

  it('allows a manifest hash and a user of zeros', async () => {
    const r = { ...registration(), manifestHash: ZERO, userIdHash: ZERO };
    await registry.registrar.write.registerManifest(argumentsOf(r));
    expect((await registry.read.resolveByBindingDetailed([r.fingerprint]))[3]).toBe(ZERO);
    expect(await revertOf(registry.registrar.write.registerManifest(argumentsOf(r)))).toMatchObject({
      name: 'AlreadyRegistered',
    });
  });
});

describe('registering many manifests', () => {
  it('does for each of them what registering it alone does', async () => {
    const batch = Array.from({ length: 7 }, registration);
    const logs = await logsOf(await registry.registrar.write.registerManifests([batch]));
    expect(logs.map(({ eventName, args }) => ({ eventName, args }))).toEqual(
      batch.flatMap((r) => [
        {
          eventName: 'SoftBindingRegistered',
          args: { fingerprint: r.fingerprint, endpoints: [endpoint], manifestId: uuidText(r.manifestId) },
        },
        {
          eventName: 'ManifestRegistered',
          args: { fingerprint: r.fingerprint, userIdHash: keccak256(r.userIdHash), manifestHash: r.manifestHash },
        },
      ]),
    );
    for (const r of batch) {
      expect(await registry.read.resolveByBindingDetailed([r.fingerprint])).toEqual([
        1,
        [endpoint],
        uuidText(r.manifestId),
        r.manifestHash,
        registry.accounts.registrar,
        expect.any(BigInt),
      ]);
    }
  });

  it('skips registered fingerprints, so that a batch can be sent again', async () => {
    const [known, fresh] = [registration(), registration()];
    await registry.registrar.write.registerManifest(argumentsOf(known));
    const before = await registry.read.resolveByBindingDetailed([known.fingerprint]);
    const batch = [{ ...registration(), fingerprint: known.fingerprint }, fresh];

    const account = registry.accounts.registrar;
    const { result } = await registry.registrar.simulate.registerManifests([batch], { account });
    expect(result).toBe(1n);
    const logs = await logsOf(await registry.registrar.write.registerManifests([batch]));
    expect(logs.map(({ args }) => 'fingerprint' in args && args.fingerprint)).toEqual([
      fresh.fingerprint,
      fresh.fingerprint,
    ]);
    expect(await registry.read.resolveByBindingDetailed([known.fingerprint])).toEqual(before);
    expect(await logsOf(await registry.registrar.write.registerManifests([batch]))).toEqual([]);
  });

  it('keeps the first of two that have the same fingerprint', async () => {
    const first = registration();
    const second = { ...registration(), fingerprint: first.fingerprint };
    await registry.registrar.write.registerManifests([[first, second]]);
    expect((await registry.read.resolveByBindingDetailed([first.fingerprint]))[2]).toBe(uuidText(first.manifestId));
  });

  it('registers none when one of them has no fingerprint or no id', async () => {
    const good = registration();
    const noFingerprint = { ...registration(), fingerprint: ZERO };
    const noId = { ...registration(), manifestId: ZERO_ID };
    expect(await revertOf(registry.registrar.write.registerManifests([[good, noFingerprint]]))).toMatchObject({
      name: 'ZeroFingerprint',
    });
    expect(await revertOf(registry.registrar.write.registerManifests([[good, noId]]))).toMatchObject({
      name: 'ZeroManifestId',
    });
    expect(await registry.read.curatedManifestIds([[good.fingerprint]])).toEqual([ZERO_ID]);
  });

  it('accepts an empty list', async () => {
    expect(await logsOf(await registry.registrar.write.registerManifests([[]]))).toEqual([]);
  });
});

describe('reading', () => {
  it('a fingerprint that is not registered reverts with ManifestNotFound', async () => {
    const fingerprint = random(32);
    const refused = { name: 'ManifestNotFound', args: [fingerprint] };
    expect(await revertOf(registry.read.resolveByBindingDetailed([fingerprint]))).toEqual(refused);
    expect(await revertOf(registry.read.getManifestByBinding([query(fingerprint)]))).toEqual(refused);
  });

  it('many ids at once gives zero for those without an entry', async () => {
    const [a, b] = [registration(), registration()];
    await registry.registrar.write.registerManifests([[a, b]]);
    const fingerprints = [b.fingerprint, random(32), a.fingerprint, b.fingerprint];
    expect(await registry.read.curatedManifestIds([fingerprints])).toEqual([
      b.manifestId,
      ZERO_ID,
      a.manifestId,
      b.manifestId,
    ]);
    expect(await registry.read.curatedManifestIds([[]])).toEqual([]);
  });

  it('the number of entries counts each once', async () => {
    const before = await registry.read.curatedCount();
    const [a, b, c] = [registration(), registration(), registration()];
    await registry.registrar.write.registerManifest(argumentsOf(a));
    await registry.registrar.write.registerManifests([[a, b, c, b]]);
    expect(await registry.read.curatedCount()).toBe(before + 3n);
  });
});
