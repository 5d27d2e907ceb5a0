// As with ssh: a registry is shown and remembered at first contact, and a change later is an alarm that nothing silences.

import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, type Service, startService } from '../../../test/support/service.js';
import { IDENTITY_PATH, type IdentityFault, identityFaults, startIdentityFront } from './support/identityFront.js';
import { Machine } from './support/machine.js';
import { Registrant } from './support/registration.js';

/** However busy the machine is. */
const patient = ['--timeout', '120'];
/** For requests that get no answer, or only failures that are repeated: nothing else is waited for. */
const hasty = ['--timeout', '1'];
/** For a verification whose registry never says who it is, and answers everything else. */
const bounded = ['--timeout', '5'];
const CONTENT = 'a photo of first contact';

let service: Service;
/** Logged in by a variable, with a registered photo.jpg and another file. */
let ada: Registrant;
let fingerprint: string;
let short: string;
let node: readonly string[];
let contract: string;

beforeAll(async () => {
  service = await startService({ REGISTRY_NAME: 'Example Press' });
  fingerprint = registryFingerprint((await call(service, 'GET', IDENTITY_PATH)).body);
  short = shortFingerprint(fingerprint);
  ada = await Registrant.create(service.url);
  await ada.machine.file('photo.jpg', CONTENT);
  await ada.machine.file('new.jpg', 'a file that is not registered');
  await ada.machine.run(['register', 'photo.jpg', '--wait', ...patient]);
  const { rpcUrl = '', address } = await ada.client.getContract();
  node = ['--rpc-url', rpcUrl];
  contract = address;
});

/** A machine that has met no registry yet, at a front of the service. */
async function arrive() {
  const front = await startIdentityFront(service.url);
  const machine = await Machine.create({ PROVENANCE_URL: front.url, PROVENANCE_TOKEN: ada.token });
  await machine.file('photo.jpg', CONTENT);
  await machine.file('new.jpg', 'a file that is not registered');
  return { front, machine };
}

const listKnown = async (machine: Machine) => (await machine.json(['config', 'trust', 'list'])).result;
const paths = (requests: readonly { path: string }[]) => requests.map(({ path }) => path);
const firstContact = (url: string) =>
  `provenance: First contact with ${url}: fingerprint ${short}, remembered, not compared\n`;

describe('a registry at first contact', () => {
  it('is shown in one line and remembered, which makes nothing verified, and is nothing to talk about afterwards', async () => {
    const { front, machine } = await arrive();
    expect((await machine.run(['hash', 'photo.jpg'])).stderr).toBe('');
    expect(front.takeRequests()).toEqual([]);
    const met = await machine.run(['verify', 'photo.jpg', ...patient]);
    expect([met.code, met.stderr]).toEqual([4, firstContact(front.url)]);
    // The request is one that verification makes anyway.
    expect(paths(front.takeRequests()).filter((path) => path === IDENTITY_PATH)).toHaveLength(1);
    const again = await machine.run(['verify', 'photo.jpg', ...patient]);
    expect([again.code, again.stderr]).toEqual([4, '']);
    expect(paths(front.takeRequests()).filter((path) => path === IDENTITY_PATH)).toHaveLength(1);
    expect(await machine.run(['lookup', 'photo.jpg', ...patient])).toMatchObject({ code: 0, stderr: '' });
    expect(await listKnown(machine)).toMatchObject([{ url: front.url, fingerprint, isCompared: false }]);
    expect((await machine.run(['config', 'trust', 'list'])).stdout).toMatch(new RegExp(` ${short} .* remembered\\n$`));
  });

  it('of another command is shown before anything is sent, also with --json and in another profile', async () => {
    const { front, machine } = await arrive();
    const met = await machine.run(['mark', 'list', '--json', ...patient]);
    expect([met.code, met.stderr]).toEqual([0, firstContact(front.url)]);
    const [first, ...others] = front.takeRequests();
    expect(first).toEqual({ path: IDENTITY_PATH, hasCredential: false });
    expect(others).toEqual([{ path: '/api/v1/marks', hasCredential: true }]);
    expect((await machine.run(['mark', 'list', '--profile', 'work', ...patient])).stderr).not.toContain(
      'First contact',
    );
  });

  it('is turned into a pin by trust add, and forgotten by trust remove', async () => {
    const { front, machine } = await arrive();
    await machine.run(['lookup', 'photo.jpg', ...patient]);
    const added = await machine.run(['config', 'trust', 'add', front.url, '--expect', short]);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(await listKnown(machine)).toMatchObject([{ url: front.url, fingerprint, isCompared: true }]);
    expect(JSON.parse(await readFile(machine.config, 'utf8')).profiles.default.remembered).toEqual({});
    expect(await machine.run(['verify', 'photo.jpg', ...patient])).toMatchObject({ code: 0, stderr: '' });
    await machine.run(['config', 'trust', 'remove', front.url]);
    expect(await listKnown(machine)).toEqual([]);
    expect((await machine.run(['lookup', 'photo.jpg', ...patient])).stderr).toBe(firstContact(front.url));
    await machine.run(['config', 'trust', 'remove', front.url]);
    expect(await listKnown(machine)).toEqual([]);
  });

  it('that cannot be saved is told, and nothing fails', async () => {
    const { front, machine } = await arrive();
    // The folder of the configuration is a link that leads nowhere.
    await mkdir(join(machine.home, '.config'));
    await symlink('nowhere', join(machine.home, '.config/provenance'));
    const { code, stderr } = await machine.run(['lookup', 'photo.jpg', ...patient]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^provenance: First contact .* not remembered: .*config\.json/),
    ]);
    expect(paths(front.takeRequests())[0]).toBe(IDENTITY_PATH);
  });

  it('that does not say who it is gets its request nevertheless, and a note says so', async () => {
    const { front, machine } = await arrive();
    front.setIdentity('is not found');
    const { code, stderr } = await machine.run(['lookup', 'photo.jpg', ...patient]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${front.url} does not say who it is`)]);
    expect(await listKnown(machine)).toEqual([]);
  });
});

describe('a registry that has changed since first contact', () => {
  it('is an alarm: verify says contradicted, and no other command sends anything', async () => {
    const { front, machine } = await arrive();
    await machine.run(['lookup', 'photo.jpg', ...patient]);
    front.setIdentity({ contract: `0x${'1'.repeat(40)}` });
    const { code, result } = await machine.json(['verify', 'photo.jpg', ...patient]);
    expect([code, result]).toMatchObject([
      1,
      [{ verdict: 'contradicted', facts: [], reason: { code: 'REGISTRY_CHANGED' } }],
    ]);
    const alarm = `${front.url} is not the registry "Example Press" that is known here since `;
    expect(result).toMatchObject([{ alarm: expect.stringContaining(alarm) }]);
    front.takeRequests();
    const password = 'correct horse battery\n';
    for (const [args, input] of [
      [['lookup', 'photo.jpg']],
      [['register', 'new.jpg', '--mark', ada.markId]],
      [['mark', 'list']],
      [['login', '--email', 'ada@example.com'], password],
      [['login', '--with-token'], `${ada.token}\n`],
      [['login', '--profile', 'work', '--with-token'], `${ada.token}\n`],
    ] as const) {
      const refused = await machine.json([...args, ...patient], input);
      expect([args, refused]).toMatchObject([args, { code: 1, result: { code: 'REGISTRY_CHANGED' } }]);
    }
    const sent = front.takeRequests();
    expect(new Set(paths(sent))).toEqual(new Set([IDENTITY_PATH]));
    expect(sent.some(({ hasCredential }) => hasCredential)).toBe(false);
    const { stderr } = await machine.run(['lookup', 'photo.jpg', ...patient]);
    expect(stderr).toContain(`'provenance config trust add ${front.url}'`);
  });
});

describe('an alarm cannot be silenced', () => {
  it.each(['pinned', 'remembered'] as const)('of a %s registry whose identity cannot be read', async (state) => {
    const sources = state === 'pinned' ? node : [...node, '--contract', contract];
    const verify = ['verify', 'photo.jpg', ...sources];
    const results = identityFaults.map(async (fault) => {
      const { front, machine } = await arrive();
      if (state === 'pinned') await machine.run(['config', 'trust', 'add', front.url, '--expect', fingerprint]);
      else await machine.run(['lookup', 'photo.jpg', ...patient]);
      front.setIdentity(fault);
      const { code, stdout } = await machine.run([...verify, ...(fault === 'is not answered' ? bounded : patient)]);
      front.takeRequests();
      const refusals = await Promise.all(
        [
          ['lookup', 'photo.jpg'],
          ['register', 'new.jpg'],
        ].map(async (args) => {
          const { code, result } = await machine.json([...args, ...(isRepeated(fault) ? hasty : patient)]);
          return [code, result];
        }),
      );
      const sent = new Set(paths(front.takeRequests()));
      front.setIdentity('honest');
      const later = await machine.run([...verify, ...patient]);
      return { fault, verified: [code, stdout.split('\n')[0]], refusals, sent: [...sent], later: later.code };
    });
    for (const { fault, ...result } of await Promise.all(results)) {
      const refusal = { error: expect.any(String), code: expect.stringMatching(expectedCodes(fault)) };
      expect({ fault, ...result }).toEqual({
        fault,
        verified: [3, expect.stringMatching(/^photo\.jpg: could not check: Whether this is still the registry/)],
        refusals: [
          [3, refusal],
          [3, refusal],
        ],
        sent: [IDENTITY_PATH],
        later: 0,
      });
    }
  });

  it('and a registry that is gone leaves a named node and the pinned contract, which are enough', async () => {
    const { front, machine } = await arrive();
    await machine.run(['config', 'trust', 'add', front.url, '--expect', fingerprint]);
    front.close();
    const { code, result } = await machine.json(['verify', 'photo.jpg', ...node]);
    expect([code, result]).toMatchObject([
      0,
      [{ verdict: 'verified', checks: { registry: { state: 'unavailable' }, chain: { state: 'confirmed' } } }],
    ]);
  });
});

function expectedCodes(fault: IdentityFault): RegExp {
  return isRepeated(fault) ? /^UNREACHABLE$/ : /^REGISTRY_NOT_CHECKED$/;
}

function isRepeated(fault: IdentityFault): boolean {
  return ['fails', 'is not answered', 'is cut off'].includes(fault);
}
