// Roles, pause, endpoints, and the transfer of the admin role.

import { type Hex, zeroAddress } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { contentRegistryAbi, contentRegistryBytecode } from '../src/index.js';
import {
  ADMIN_DELAY,
  argumentsOf,
  DEFAULT_ADMIN_ROLE,
  endpoint,
  query,
  type Registry,
  random,
  registration,
  revertOf,
  role,
  startRegistry,
  uuidText,
} from './support/registry.js';

let registry: Registry;
beforeEach(async () => {
  registry = await startRegistry();
});

const unauthorized = (account: string, neededRole: string) => ({
  name: 'AccessControlUnauthorizedAccount',
  args: [account, neededRole],
});

describe('a new registry', () => {
  it('gives the admin and the registrar their roles, and no other account any', async () => {
    const { admin, registrar, alice } = registry.accounts;
    expect(await registry.read.defaultAdmin()).toBe(admin);
    expect(await registry.read.defaultAdminDelay()).toBe(ADMIN_DELAY);
    const roles = [DEFAULT_ADMIN_ROLE, role('PAUSER'), role('ENDPOINT'), role('REGISTRAR')];
    const held = (account: typeof admin) => Promise.all(roles.map((name) => registry.read.hasRole([name, account])));
    expect(await held(admin)).toEqual([true, true, true, false]);
    expect(await held(registrar)).toEqual([false, false, false, true]);
    expect(await held(alice)).toEqual([false, false, false, false]);
    expect(await registry.read.curatedCount()).toBe(0n);
    expect(await registry.read.paused()).toBe(false);
  });

  it('names its roles by the hash of their names', async () => {
    expect(await registry.read.REGISTRAR_ROLE()).toBe(role('REGISTRAR'));
    expect(await registry.read.PAUSER_ROLE()).toBe(role('PAUSER'));
    expect(await registry.read.ENDPOINT_ROLE()).toBe(role('ENDPOINT'));
  });

  it('cannot be deployed without an admin or without endpoints', async () => {
    const { admin, registrar } = registry.accounts;
    const deploy = (owner: typeof admin, endpoints: string[]) =>
      registry.evm.as(registry.accounts.admin).deployContract({
        abi: contentRegistryAbi,
        bytecode: contentRegistryBytecode,
        args: [owner, 0, registrar, endpoints],
      });
    await expect(deploy(zeroAddress, [endpoint])).rejects.toThrow();
    await expect(deploy(admin, [])).rejects.toThrow();
    await expect(deploy(admin, [''])).rejects.toThrow();
    await expect(deploy(admin, [endpoint])).resolves.toMatch(/^0x/);
  });
});

describe('the curated registry', () => {
  it('is closed to everyone without the role, the admin included', async () => {
    for (const [name, account] of Object.entries(registry.accounts)) {
      if (name === 'registrar') continue;
      const as = registry.as(account);
      const refused = unauthorized(account, role('REGISTRAR'));
      expect(await revertOf(as.write.registerManifest(argumentsOf(registration())))).toEqual(refused);
      expect(await revertOf(as.write.registerManifests([[registration()]]))).toEqual(refused);
      expect(await revertOf(as.write.registerManifests([[]]))).toEqual(refused);
    }
    expect(await registry.read.curatedCount()).toBe(0n);
  });

  it('is open to accounts while the admin has granted them the role', async () => {
    const { alice, registrar } = registry.accounts;
    await registry.admin.write.grantRole([role('REGISTRAR'), alice]);
    await registry.alice.write.registerManifest(argumentsOf(registration()));
    await registry.admin.write.revokeRole([role('REGISTRAR'), alice]);
    expect(await revertOf(registry.alice.write.registerManifest(argumentsOf(registration())))).toEqual(
      unauthorized(alice, role('REGISTRAR')),
    );
    await registry.registrar.write.renounceRole([role('REGISTRAR'), registrar]);
    expect(await revertOf(registry.registrar.write.registerManifest(argumentsOf(registration())))).toEqual(
      unauthorized(registrar, role('REGISTRAR')),
    );
  });

  it('keeps the writer of an entry after that account lost the role and got it back', async () => {
    const { alice, registrar } = registry.accounts;
    const [first, second, third, fourth] = [registration(), registration(), registration(), registration()];
    await registry.registrar.write.registerManifest(argumentsOf(first));
    await registry.admin.write.grantRole([role('REGISTRAR'), alice]);
    await registry.admin.write.grantRole([role('REGISTRAR'), alice]);
    await registry.alice.write.registerManifest(argumentsOf(second));
    await registry.admin.write.revokeRole([role('REGISTRAR'), registrar]);
    await registry.admin.write.revokeRole([role('REGISTRAR'), alice]);
    await registry.admin.write.grantRole([role('REGISTRAR'), registrar]);
    await registry.registrar.write.registerManifest(argumentsOf(third));
    await registry.admin.write.grantRole([role('REGISTRAR'), alice]);
    await registry.alice.write.registerManifest(argumentsOf(fourth));
    const writers = [];
    for (const { fingerprint } of [first, second, third, fourth]) {
      writers.push((await registry.read.resolveByBindingDetailed([fingerprint]))[4]);
    }
    expect(writers).toEqual([registrar, alice, registrar, alice]);
  });

  it('has roles that only the admin grants and revokes', async () => {
    const { alice, registrar } = registry.accounts;
    for (const account of [alice, registrar]) {
      const as = registry.as(account);
      const refused = unauthorized(account, DEFAULT_ADMIN_ROLE);
      expect(await revertOf(as.write.grantRole([role('REGISTRAR'), alice]))).toEqual(refused);
      expect(await revertOf(as.write.revokeRole([role('REGISTRAR'), registrar]))).toEqual(refused);
    }
  });
});

describe('a role', () => {
  const calls = {
    REGISTRAR: () => registry.alice.write.registerManifest(argumentsOf(registration())),
    PAUSER: () => registry.alice.write.pause(),
    ENDPOINT: () => registry.alice.write.setEndpoints([['https://x.example']]),
  };
  const names = Object.keys(calls) as (keyof typeof calls)[];

  it.each(names)('permits its own call and no other: %s', async (held) => {
    const { alice, bob } = registry.accounts;
    await registry.admin.write.grantRole([role(held), alice]);
    for (const name of names.filter((one) => one !== held)) {
      expect(await revertOf(calls[name]())).toEqual(unauthorized(alice, role(name)));
    }
    const adminOnly = unauthorized(alice, DEFAULT_ADMIN_ROLE);
    expect(await revertOf(registry.alice.write.unpause())).toEqual(adminOnly);
    expect(await revertOf(registry.alice.write.grantRole([role(held), bob]))).toEqual(adminOnly);
    expect(await revertOf(calls[held]())).toBeUndefined();
  });

  it.each(names)(
    'of nearly the same id, or of an account with nearly the same address, permits nothing: %s',
    async (name) => {
      const { alice } = registry.accounts;
      for (const position of [2, 33, 65])
        await registry.admin.write.grantRole([changeDigit(role(name), position), alice]);
      for (const position of [2, 21, 41])
        await registry.admin.write.grantRole([role(name), changeDigit(alice, position)]);
      expect(await registry.read.hasRole([role(name), alice])).toBe(false);
      expect(await revertOf(calls[name]())).toEqual(unauthorized(alice, role(name)));
    },
  );
});

/** Another hexadecimal digit at that position. */
function changeDigit(text: Hex, position: number): Hex {
  const digit = text[position] === '1' ? '2' : '1';
  return `0x${text.slice(2, position)}${digit}${text.slice(position + 1)}`.toLowerCase() as Hex;
}

it('an entry is found by its own fingerprint, and by none that differs in one digit', async () => {
  const r = registration();
  await registry.registrar.write.registerManifest(argumentsOf(r));
  for (const position of [2, 33, 65]) {
    const other = changeDigit(r.fingerprint, position);
    expect(await revertOf(registry.read.resolveByBindingDetailed([other]))).toMatchObject({ name: 'ManifestNotFound' });
    expect(await revertOf(registry.read.getManifestByBinding([query(other)]))).toMatchObject({
      name: 'ManifestNotFound',
    });
  }
  expect((await registry.read.resolveByBindingDetailed([r.fingerprint]))[3]).toBe(r.manifestHash);
});

describe('a pause', () => {
  it('stops every write', async () => {
    await registry.admin.write.pause();
    const writes = [
      () => registry.registrar.write.registerManifest(argumentsOf(registration())),
      () => registry.registrar.write.registerManifests([[registration()]]),
      () => registry.registrar.write.registerManifests([[]]),
      () => registry.alice.write.registerPublicManifest([random(32), ['https://x.example'], 'id', random(32)]),
      () => registry.admin.write.setEndpoints([['https://x.example']]),
    ];
    for (const write of writes) expect(await revertOf(write())).toMatchObject({ name: 'EnforcedPause' });
  });

  it('stops no read', async () => {
    const r = registration();
    const open = random(32);
    await registry.registrar.write.registerManifest(argumentsOf(r));
    await registry.alice.write.registerPublicManifest([open, ['https://x.example'], 'id', random(32)]);
    const readAll = () =>
      Promise.all([
        registry.read.resolveByBindingDetailed([r.fingerprint]),
        registry.read.resolveByBindingDetailed([open]),
        registry.read.getManifestByBinding([query(r.fingerprint)]),
        registry.read.curatedManifestIds([[r.fingerprint, open]]),
        registry.read.curatedCount(),
        registry.read.publicEntries([open, 0n, 10n]),
        registry.read.publicEntryCount([open]),
        registry.read.endpoints(),
        registry.read.describe(),
        registry.read.c2paSpecVersion(),
        registry.read.supportedAlgorithms(),
        registry.read.getContractMetadata(),
      ]);
    const before = await readAll();
    await registry.admin.write.pause();
    expect(await registry.read.paused()).toBe(true);
    expect(await readAll()).toEqual(before);
  });

  it('is started by pausers and ended by the admin only', async () => {
    const { alice, bob, registrar } = registry.accounts;
    await registry.admin.write.grantRole([role('PAUSER'), alice]);
    expect(await revertOf(registry.bob.write.pause())).toEqual(unauthorized(bob, role('PAUSER')));
    expect(await revertOf(registry.registrar.write.pause())).toEqual(unauthorized(registrar, role('PAUSER')));
    await registry.alice.write.pause();
    expect(await revertOf(registry.alice.write.unpause())).toEqual(unauthorized(alice, DEFAULT_ADMIN_ROLE));
    await registry.admin.write.revokeRole([role('PAUSER'), alice]);
    await registry.admin.write.unpause();
    await registry.registrar.write.registerManifest(argumentsOf(registration()));
    expect(await revertOf(registry.alice.write.pause())).toEqual(unauthorized(alice, role('PAUSER')));
  });

  it('neither loses nor changes the number of entries', async () => {
    await registry.registrar.write.registerManifests([[registration(), registration()]]);
    await registry.admin.write.pause();
    await registry.admin.write.unpause();
    await registry.registrar.write.registerManifest(argumentsOf(registration()));
    expect(await registry.read.curatedCount()).toBe(3n);
  });
});

describe('the endpoints', () => {
  it('change for all curated entries at once, and for no public one', async () => {
    const r = registration();
    const open = random(32);
    await registry.registrar.write.registerManifest(argumentsOf(r));
    await registry.alice.write.registerPublicManifest([open, ['https://x.example'], 'id', random(32)]);
    for (const list of [['https://a.example', 'https://b.example', 'https://c.example'], ['https://d.example']]) {
      const hash = await registry.admin.write.setEndpoints([list]);
      const [changed] = await registry.evm.reader.getContractEvents({
        address: registry.address,
        abi: contentRegistryAbi,
        eventName: 'EndpointsChanged',
        blockHash: (await registry.receipt(hash)).blockHash,
      });
      expect(changed?.args.endpoints).toEqual(list);
      expect(await registry.read.endpoints()).toEqual(list);
      expect((await registry.read.resolveByBindingDetailed([r.fingerprint]))[1]).toEqual(list);
      expect(JSON.parse(await registry.read.getManifestByBinding([query(r.fingerprint)]))).toEqual({
        endpoints: list,
        manifestId: uuidText(r.manifestId),
      });
      expect((await registry.read.resolveByBindingDetailed([open]))[1]).toEqual(['https://x.example']);
    }
  });

  it('of later registrations are in their events', async () => {
    const list = ['https://a.example/a-rather-long-path/that-needs-more-than-one-word', 'b'];
    await registry.admin.write.setEndpoints([list]);
    const r = registration();
    const hash = await registry.registrar.write.registerManifest(argumentsOf(r));
    const [event] = await registry.evm.reader.getContractEvents({
      address: registry.address,
      abi: contentRegistryAbi,
      eventName: 'SoftBindingRegistered',
      blockHash: (await registry.receipt(hash)).blockHash,
    });
    expect(event?.args).toEqual({ fingerprint: r.fingerprint, endpoints: list, manifestId: uuidText(r.manifestId) });
  });

  it('are changed by their own role only, and within bounds', async () => {
    const { alice, registrar } = registry.accounts;
    expect(await revertOf(registry.registrar.write.setEndpoints([['x']]))).toEqual(
      unauthorized(registrar, role('ENDPOINT')),
    );
    await registry.admin.write.grantRole([role('ENDPOINT'), alice]);
    await registry.alice.write.setEndpoints([['x']]);
    expect(await revertOf(registry.alice.write.setEndpoints([[]]))).toMatchObject({ name: 'InvalidEndpointCount' });
    expect(await revertOf(registry.alice.write.setEndpoints([['x', '']]))).toMatchObject({
      name: 'InvalidEndpointLength',
    });
    expect(await registry.read.endpoints()).toEqual(['x']);
  });
});

describe('the admin', () => {
  it('is replaced in two steps and only after the delay', async () => {
    const { admin, alice } = registry.accounts;
    expect(await revertOf(registry.admin.write.grantRole([DEFAULT_ADMIN_ROLE, alice]))).toMatchObject({
      name: 'AccessControlEnforcedDefaultAdminRules',
    });
    await registry.admin.write.beginDefaultAdminTransfer([alice]);
    expect(await revertOf(registry.alice.write.acceptDefaultAdminTransfer())).toMatchObject({
      name: 'AccessControlEnforcedDefaultAdminDelay',
    });
    await registry.evm.clock.increaseTime({ seconds: ADMIN_DELAY + 1 });
    await registry.alice.write.acceptDefaultAdminTransfer();
    expect(await registry.read.defaultAdmin()).toBe(alice);
    expect(await revertOf(registry.admin.write.unpause())).toEqual(unauthorized(admin, DEFAULT_ADMIN_ROLE));
  });
});
