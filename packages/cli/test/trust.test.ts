// `trust` against the real service: comparing a fingerprint, pinning, and what verify gets from a pin.

import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { registryFingerprint, shortFingerprint, type TrustRoot } from '@provenance-registry/core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeRegistryCertificates } from '../../../test/support/certificates.js';
import { call, type Service, startService } from '../../../test/support/service.js';
import { createDeferred } from './support/deferred.js';
import { Machine } from './support/machine.js';
import { loadPinnedTrust } from './support/pinnedTrust.js';

const NAME = 'Example \u{1F4F7} Press';
/** However busy the machine is. */
const patient = ['--timeout', '120'];
const PATH = '/.well-known/provenance-registry';

let at: Awaited<ReturnType<typeof makeRegistryCertificates>>;
let service: Service;
let fingerprint: string;
let short: string;

beforeAll(async () => {
  at = await makeRegistryCertificates();
  service = await startService({
    REGISTRY_NAME: NAME,
    SIGNING_CERT_FILE: at('signer.pem'),
    SIGNING_KEY_FILE: at('signer.key'),
    SIGNING_ROOTS_FILE: at('root.pem'),
  });
  const { body } = await call(service, 'GET', PATH);
  fingerprint = registryFingerprint(body);
  short = shortFingerprint(fingerprint);
});

/** The same fingerprint but for one digit. */
function changeDigit(digits: string, position: number): string {
  return `${digits.slice(0, position)}${digits[position] === '0' ? '1' : '0'}${digits.slice(position + 1)}`;
}

describe('trust add', () => {
  it('in a terminal shows what the registry says, and pins it when the typed fingerprint is the same', async () => {
    const machine = await Machine.create();
    await expect.poll(async () => (await call(service, 'GET', PATH)).body.log).toBeDefined();
    const running = machine.start(['config', 'trust', 'add', `${service.url}/`], { isTerminal: true });
    await running.waitForOutput('Type the fingerprint that you got from another source: ');
    const shown = running.output();
    const { body } = await call(service, 'GET', PATH);
    for (const part of [
      service.url,
      NAME,
      '31337',
      body.contract,
      'O=Example Press, CN=Registry root 1',
      shortFingerprint(body.signerRoots[0].sha256),
      'CN=Development authority, O=Provenance registry',
      shortFingerprint(body.timestampRoots[0].sha256),
      "(the registry's own authority)",
      short,
    ]) {
      expect(shown).toContain(part);
    }
    running.type(`${short.toUpperCase()}\r`);
    const { code, stdout } = await running.end;
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Pinned ${NAME} at ${service.url} (profile`)]);
    const { result } = await machine.json(['config', 'trust', 'list']);
    const describe = ({ subject, sha256 }: TrustRoot) => ({ subject, sha256 });
    expect(result).toEqual([
      {
        url: service.url,
        name: NAME,
        chainId: 31_337,
        contract: body.contract,
        signerRoots: body.signerRoots.map(describe),
        timestampRoots: [{ ...describe(body.timestampRoots[0]), isIndependent: false }],
        logKeys: body.log ? [body.log.vkey] : [],
        logContract: null,
        witnesses: [],
        fingerprint,
        addedAt: expect.stringMatching(/Z$/),
        isCompared: true,
      },
    ]);
    expect((await stat(machine.config)).mode & 0o777).toBe(0o600);
  });

  it('in a terminal refuses another fingerprint, and pins nothing', async () => {
    const machine = await Machine.create();
    const running = machine.start(['config', 'trust', 'add', service.url], { isTerminal: true });
    await running.waitForOutput('from another source: ');
    running.type(`${changeDigit(fingerprint.slice(0, 24), 23)}\r`);
    const { code, stdout } = await running.end;
    expect([code, stdout]).toEqual([1, expect.stringContaining('nothing was pinned')]);
    expect((await machine.json(['config', 'trust', 'list'])).result).toEqual([]);
  });

  it('in a script takes the fingerprint from --expect', async () => {
    const machine = await Machine.create();
    const withColons = (fingerprint.toUpperCase().match(/../g) ?? []).join(':');
    const { code, result } = await machine.json(['config', 'trust', 'add', service.url, '--expect', withColons]);
    expect([code, result]).toEqual([0, expect.objectContaining({ profile: 'default', url: service.url, fingerprint })]);
  });

  it.each<[string, (full: string) => string, number, string]>([
    ['one with another last digit', (full) => changeDigit(full, 63), 1, 'FINGERPRINT_MISMATCH'],
    ['one with another first digit', (full) => changeDigit(full, 0), 1, 'FINGERPRINT_MISMATCH'],
    ['a short one with another last digit', (full) => changeDigit(full.slice(0, 24), 23), 1, 'FINGERPRINT_MISMATCH'],
    ['one without its first digit', (full) => full.slice(1), 1, 'FINGERPRINT_MISMATCH'],
    ['one with a digit more', (full) => `${full}0`, 2, 'WRONG_USE'],
    ['too few digits', (full) => full.slice(0, 23), 2, 'WRONG_USE'],
  ])('in a script refuses %s and pins nothing', async (_, form, code, error) => {
    const machine = await Machine.create();
    const refused = await machine.json(['config', 'trust', 'add', service.url, '--expect', form(fingerprint)]);
    expect(refused).toEqual({ code, result: { error: expect.any(String), code: error } });
    expect((await machine.json(['config', 'trust', 'list'])).result).toEqual([]);
  });

  it('without a terminal and without --expect exits with 2 and says what is missing', async () => {
    const machine = await Machine.create();
    const { code, stderr } = await machine.run(['config', 'trust', 'add', service.url], `${fingerprint}\n`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--expect FINGERPRINT')]);
  });
});

describe('pins', () => {
  it('belong to a profile and a URL, and can be removed', async () => {
    const machine = await Machine.create();
    const add = (...args: string[]) =>
      machine.run(['config', 'trust', 'add', service.url, '--expect', fingerprint, ...args]);
    await add();
    await add('--profile', 'work');
    const list = async (...args: string[]) => (await machine.run(['config', 'trust', 'list', ...args])).stdout;
    expect(await list()).toMatch(new RegExp(`^${service.url} +Example . Press +31337 +${short} +\\d{4}-`, 'mu'));
    const removed = await machine.json(['config', 'trust', 'remove', `${service.url}/`]);
    expect(removed).toEqual({ code: 0, result: { profile: 'default', url: service.url } });
    expect(await list()).toBe('');
    expect(await list('--profile', 'work')).toContain(short);
    const again = await machine.json(['config', 'trust', 'remove', service.url]);
    expect(again).toMatchObject({ code: 1, result: { code: 'NOT_FOUND' } });
    expect(JSON.parse(await readFile(machine.config, 'utf8'))).toMatchObject({ profiles: { default: { pins: {} } } });
  });
});

describe('a pinned registry', () => {
  it('gives verify its chain, contract and roots, and its own authority is no independent clock', async () => {
    const machine = await Machine.create();
    await machine.run(['config', 'trust', 'add', service.url, '--expect', fingerprint]);
    const { body } = await call(service, 'GET', PATH);
    const [root] = body.signerRoots;
    expect(await loadPinnedTrust(machine, service.url)).toEqual({
      chain: { rpcUrl: undefined, address: body.contract, chainId: 31_337 },
      trustAnchorsPem: root.pem,
      timestampAnchorsPem: '',
      logKeys: body.log && [body.log.vkey],
      check: {},
    });
    const explicit = {
      rpcUrl: ['http://one.example', 'http://two.example'],
      chainId: '5',
      contract: `0x${'1'.repeat(40)}`,
      trustAnchors: at('root2.pem'),
    };
    const logKey = 'registry.example/log+92940712+AS8hCaL4nFuwLFYf1R0m93lMwe1ctXz7Tvgx3X/lchMX';
    const logContract = `0x${'2'.repeat(40)}`;
    expect(await loadPinnedTrust(machine, service.url, { ...explicit, logKey, logContract })).toEqual({
      chain: { rpcUrl: explicit.rpcUrl, address: explicit.contract, chainId: 5 },
      trustAnchorsPem: await readFile(at('root2.pem'), 'utf8'),
      timestampAnchorsPem: undefined,
      logKeys: [logKey],
      logContract,
      check: {},
    });
    // Without a pin nothing counts as obtained elsewhere.
    expect(await loadPinnedTrust(await Machine.create(), service.url)).toEqual({
      chain: { rpcUrl: undefined, address: undefined, chainId: undefined },
      trustAnchorsPem: undefined,
      timestampAnchorsPem: undefined,
      logKeys: undefined,
      check: {},
    });
  });

  it('that says only during the verification that it is another one is an alarm, too', async () => {
    const { body: identity } = await call(service, 'GET', PATH);
    const begun = createDeferred<void>();
    let isImpostor = false;
    const server = createServer(async ({ url = '' }, response) => {
      if (url === PATH) {
        if (isImpostor) await begun.promise;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ ...identity, ...(isImpostor && { chainId: 5 }) }));
        return;
      }
      begun.resolve();
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const machine = (await Machine.create()).with({ PROVENANCE_URL: url });
    await machine.run(['config', 'trust', 'add', url, '--expect', fingerprint]);
    isImpostor = true;
    const { result } = await machine.json([
      'verify',
      `0x${'1'.repeat(64)}`,
      '--rpc-url',
      'http://127.0.0.1:1',
      ...patient,
    ]);
    expect(result).toMatchObject([{ alarm: expect.stringContaining('its chain is 5, not 31337') }]);
  });
});
