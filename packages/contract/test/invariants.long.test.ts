// Random histories, several accounts at once, against a model of the registry in a few lines of plain TypeScript: every call
// must end as the model says, and in the end every read must show what the model holds.

import fc from 'fast-check';
import { type Address, type Hex, pad, toHex } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { type Evm, startEvm } from './support/evm.js';
import { deployRegistry, endpoint, query, type Registry, revertOf, role, uuidText } from './support/registry.js';

const accounts = ['admin', 'registrar', 'alice', 'bob', 'carol'] as const;
type Person = (typeof accounts)[number];

const roles = ['REGISTRAR', 'PAUSER', 'ENDPOINT'] as const;
type Role = (typeof roles)[number];

interface Item {
  fingerprint: Hex;
  manifestId: Hex;
  manifestHash: Hex;
  userIdHash: Hex;
}

type Call =
  | { do: 'register'; item: Item }
  | { do: 'registerMany'; items: Item[] }
  | { do: 'registerPublic'; fingerprint: Hex; endpoints: string[]; manifestId: string; manifestHash: Hex }
  | { do: 'setEndpoints'; endpoints: string[] }
  | { do: 'pause' | 'unpause' }
  | { do: 'grant' | 'revoke'; role: Role; to: Person }
  | { do: 'renounce'; role: Role };

interface Entry {
  endpoints?: string[];
  manifestId: string;
  manifestHash: Hex;
  by: Person;
  timestamp: bigint;
}

/** The registry as it should be. A call gives the name of the error, or nothing and has happened. */
class Model {
  readonly curated = new Map<Hex, Entry>();
  readonly open = new Map<Hex, Entry[]>();
  readonly holders: Record<Role, Set<Person>> = {
    REGISTRAR: new Set(['registrar']),
    PAUSER: new Set(['admin']),
    ENDPOINT: new Set(['admin']),
  };
  endpoints = [endpoint];
  paused = false;

  apply(by: Person, call: Call, timestamp: bigint): string | undefined {
    switch (call.do) {
      case 'register':
      case 'registerMany':
        return this.register(by, call.do === 'register' ? [call.item] : call.items, call.do, timestamp);
      case 'registerPublic':
        return this.registerPublic(by, call, timestamp);
      case 'setEndpoints':
        if (!this.holders.ENDPOINT.has(by)) return 'AccessControlUnauthorizedAccount';
        if (this.paused) return 'EnforcedPause';
        this.endpoints = call.endpoints;
        return undefined;
      case 'pause':
      case 'unpause':
        return this.switchTo(call.do === 'pause', by);
      case 'renounce':
        this.holders[call.role].delete(by);
        return undefined;
      default:
        if (by !== 'admin') return 'AccessControlUnauthorizedAccount';
        this.holders[call.role][call.do === 'grant' ? 'add' : 'delete'](call.to);
        return undefined;
    }
  }

  private register(by: Person, items: Item[], how: 'register' | 'registerMany', timestamp: bigint) {
    if (this.paused) return 'EnforcedPause';
    if (!this.holders.REGISTRAR.has(by)) return 'AccessControlUnauthorizedAccount';
    for (const { fingerprint, manifestId, manifestHash } of items) {
      if (this.curated.has(fingerprint)) {
        if (how === 'register') return 'AlreadyRegistered';
        continue;
      }
      this.curated.set(fingerprint, { manifestId: uuidText(manifestId), manifestHash, by, timestamp });
    }
    return undefined;
  }

  private registerPublic(by: Person, call: Call & { do: 'registerPublic' }, timestamp: bigint) {
    if (this.paused) return 'EnforcedPause';
    const entries = this.open.get(call.fingerprint) ?? [];
    if (entries.some((entry) => entry.by === by)) return 'AlreadyRegistered';
    const { endpoints, manifestId, manifestHash } = call;
    this.open.set(call.fingerprint, [...entries, { endpoints, manifestId, manifestHash, by, timestamp }]);
    return undefined;
  }

  private switchTo(paused: boolean, by: Person) {
    if (paused ? !this.holders.PAUSER.has(by) : by !== 'admin') return 'AccessControlUnauthorizedAccount';
    if (this.paused === paused) return paused ? 'EnforcedPause' : 'ExpectedPause';
    this.paused = paused;
    return undefined;
  }
}

/** Few fingerprints, so that accounts get in each other's way. */
const FINGERPRINTS = Array.from({ length: 5 }, (_, i): Hex => pad(toHex(i + 1)));

// A failing history is worth shortening, the bytes in it are not.
const hex = (length: number) =>
  fc.noShrink(fc.uint8Array({ minLength: length, maxLength: length }).map((bytes): Hex => toHex(bytes)));
const ids = hex(16).filter((id) => BigInt(id) !== 0n);
const fingerprints = fc.constantFrom(...FINGERPRINTS);
const items = fc.record({ fingerprint: fingerprints, manifestId: ids, manifestHash: hex(32), userIdHash: hex(32) });
const endpointLists = fc.noShrink(fc.array(fc.webUrl({ size: 'small' }), { minLength: 1, maxLength: 3 }));

const calls: fc.Arbitrary<Call> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('register' as const), item: items }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('registerMany' as const), items: fc.array(items) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('registerPublic' as const),
      fingerprint: fingerprints,
      endpoints: endpointLists,
      manifestId: fc.string({ minLength: 1, maxLength: 40 }),
      manifestHash: hex(32),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('setEndpoints' as const), endpoints: endpointLists }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unpause' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('grant' as const, 'revoke' as const),
      role: fc.constantFrom(...roles),
      to: fc.constantFrom(...accounts),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renounce' as const), role: fc.constantFrom(...roles) }) },
);

/** Those who may do something come up more often than those who may not. */
const actors = fc.constantFrom(...accounts, 'admin' as const, 'registrar' as const, 'registrar' as const);
const histories = fc.array(fc.record({ by: actors, call: calls }), { minLength: 5, maxLength: 40, size: 'max' });

function send(registry: Registry, by: Person, call: Call): Promise<Hex> {
  const { write } = registry[by];
  switch (call.do) {
    case 'register': {
      const { fingerprint, manifestId, manifestHash, userIdHash } = call.item;
      return write.registerManifest([fingerprint, manifestId, manifestHash, userIdHash]);
    }
    case 'registerMany':
      return write.registerManifests([call.items]);
    case 'registerPublic':
      return write.registerPublicManifest([call.fingerprint, call.endpoints, call.manifestId, call.manifestHash]);
    case 'setEndpoints':
      return write.setEndpoints([call.endpoints]);
    case 'pause':
      return write.pause();
    case 'unpause':
      return write.unpause();
    case 'grant':
      return write.grantRole([role(call.role), registry.accounts[call.to]]);
    case 'revoke':
      return write.revokeRole([role(call.role), registry.accounts[call.to]]);
    default:
      return write.renounceRole([role(call.role), registry.accounts[by]]);
  }
}

async function expectReadsOf(registry: Registry, model: Model): Promise<void> {
  const { read } = registry;
  const addressOf = (person: Person): Address => registry.accounts[person];
  const curated = FINGERPRINTS.map((fingerprint) => model.curated.get(fingerprint));
  expect(await read.endpoints()).toEqual(model.endpoints);
  expect(await read.paused()).toBe(model.paused);
  expect(await read.curatedCount()).toBe(BigInt(model.curated.size));
  expect((await read.curatedManifestIds([FINGERPRINTS])).map(uuidText)).toEqual(
    curated.map((entry) => entry?.manifestId ?? '00000000-0000-0000-0000-000000000000'),
  );
  for (const fingerprint of FINGERPRINTS) {
    const chosen = model.curated.get(fingerprint);
    const open = model.open.get(fingerprint) ?? [];
    const entry = chosen ?? open[0];
    const resolved = read.resolveByBindingDetailed([fingerprint]);
    if (!entry) expect(await revertOf(resolved)).toEqual({ name: 'ManifestNotFound', args: [fingerprint] });
    else {
      expect(await resolved).toEqual([
        chosen ? 1 : 2,
        entry.endpoints ?? model.endpoints,
        entry.manifestId,
        entry.manifestHash,
        addressOf(entry.by),
        entry.timestamp,
      ]);
    }
    const looked = read.getManifestByBinding([query(fingerprint)]);
    if (!chosen) expect(await revertOf(looked)).toEqual({ name: 'ManifestNotFound', args: [fingerprint] });
    else expect(JSON.parse(await looked)).toEqual({ endpoints: model.endpoints, manifestId: chosen.manifestId });
    expect(await read.publicEntryCount([fingerprint])).toBe(BigInt(open.length));
    expect(await read.publicEntries([fingerprint, 0n, 100n])).toEqual(
      open.map(({ by, ...rest }) => ({ ...rest, registeredBy: addressOf(by) })),
    );
  }
}

/** Ends a test that hangs; making a failing history shorter takes minutes on a busy machine. */
const HANG_TIMEOUT_MS = 3_600_000;

let evm: Evm;
beforeAll(async () => {
  evm = await startEvm();
});

it(
  'after any sequence of calls, the registry holds the expected entries and no others',
  async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const registry = await deployRegistry(evm);
        const model = new Model();
        let { timestamp } = await evm.reader.getBlock();
        for (const { by, call } of history) {
          timestamp += 10n;
          await evm.clock.setNextBlockTimestamp({ timestamp });
          const refused = await revertOf(send(registry, by, call));
          expect(refused?.name).toBe(model.apply(by, call, timestamp));
        }
        await expectReadsOf(registry, model);
      }),
      { numRuns: 60 },
    );
  },
  HANG_TIMEOUT_MS,
);

it(
  'in every history, a pause stops every write until it ends, and no read',
  async () => {
    await fc.assert(
      fc.asyncProperty(histories, histories, async (before, during) => {
        const registry = await deployRegistry(evm);
        const model = new Model();
        const { timestamp } = await evm.reader.getBlock();
        for (const [i, { by, call }] of before.entries()) {
          const time = timestamp + 10n * BigInt(i + 1);
          await evm.clock.setNextBlockTimestamp({ timestamp: time });
          await revertOf(send(registry, by, call));
          model.apply(by, call, time);
        }
        if (!model.paused) {
          await registry.admin.write.grantRole([role('PAUSER'), registry.accounts.admin]);
          await registry.admin.write.pause();
          model.paused = true;
        }
        for (const { by, call } of during) {
          if (['register', 'registerMany', 'registerPublic', 'setEndpoints'].includes(call.do)) {
            expect(await revertOf(send(registry, by, call))).toBeDefined();
          }
        }
        await expectReadsOf(registry, model);
      }),
      { numRuns: 15 },
    );
  },
  HANG_TIMEOUT_MS,
);
