// `trust` against the real service: comparing a fingerprint, pinning, and what happens when the registry changes its roots.

import { readFile, stat } from 'node:fs/promises';
import { registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, type Service, startService } from '../../../test/support/service.js';
import { Machine } from './support/machine.js';

let service: Service;
let fingerprint: string;
let short: string;

beforeAll(async () => {
  service = await startService({ REGISTRY_NAME: 'Example \u{1F4F7} Press' });
  const { body } = await call(service, 'GET', '/.well-known/provenance-registry');
  fingerprint = registryFingerprint(body);
  short = shortFingerprint(fingerprint);
});

describe('trust add', () => {
  it('in a terminal shows what the registry says, and pins it when the typed fingerprint is the same', async () => {
    const machine = await Machine.create();
    const running = machine.terminal(`provenance trust add ${service.url}/`);
    await running.waitForOutput('Type the fingerprint that you got from another source: ');
    const shown = running.output();
    const { body } = await call(service, 'GET', '/.well-known/provenance-registry');
    for (const part of [
      service.url,
      'Example \u{1F4F7} Press',
      '31337',
      body.contract,
      'CN=Development authority, O=Provenance registry',
      shortFingerprint(body.signerRoots[0].sha256),
      "(the registry's own authority)",
      short,
    ]) {
      expect(shown).toContain(part);
    }
    running.type(`${short.toUpperCase()}\r`);
    const { code, stdout } = await running.end;
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`Pinned Example \u{1F4F7} Press at ${service.url} (profile`),
    ]);
    const { result } = await machine.json(['trust', 'list']);
    const root = { subject: 'CN=Development authority, O=Provenance registry', sha256: body.signerRoots[0].sha256 };
    expect(result).toEqual([
      {
        url: service.url,
        name: 'Example \u{1F4F7} Press',
        chainId: 31_337,
        contract: body.contract,
        signerRoots: [root],
        timestampRoots: [{ ...root, isIndependent: false }],
        fingerprint,
        addedAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await stat(machine.config)).mode & 0o777).toBe(0o600);
  });

  it('in a terminal refuses another fingerprint, and pins nothing', async () => {
    const machine = await Machine.create();
    const running = machine.terminal(`provenance trust add ${service.url}`);
    await running.waitForOutput('from another source: ');
    running.type(`${'0'.repeat(24)}\r`);
    const { code, stdout } = await running.end;
    expect([code, stdout]).toEqual([1, expect.stringContaining('nothing was pinned')]);
    expect((await machine.json(['trust', 'list'])).result).toEqual([]);
  });

  it.each<[string, (full: string) => string]>([
    ['the short form', (full) => shortFingerprint(full)],
    ['the full form', (full) => full],
    ['a prefix in between', (full) => full.slice(0, 30)],
    ['colons and capitals', (full) => (full.toUpperCase().match(/../g) ?? []).join(':')],
    ['0x', (full) => `0x${full}`],
  ])('--expect takes %s', async (_, form) => {
    const machine = await Machine.create();
    const { code, result } = await machine.json(['trust', 'add', service.url, '--expect', form(fingerprint)]);
    expect([code, result]).toEqual([0, expect.objectContaining({ profile: 'default', url: service.url, fingerprint })]);
  });

  it.each<[string, (full: string) => string, number, string]>([
    ['another one', (full) => `${full.slice(0, 63)}${full.endsWith('0') ? '1' : '0'}`, 1, 'FINGERPRINT_MISMATCH'],
    ['another short one', () => '0'.repeat(24), 1, 'FINGERPRINT_MISMATCH'],
    ['too few digits', (full) => full.slice(0, 23), 2, 'WRONG_USE'],
    ['nothing', () => '', 2, 'WRONG_USE'],
    ['too many digits', (full) => `${full}0`, 2, 'WRONG_USE'],
    ['other characters', (full) => `${full.slice(0, 40)}g`, 2, 'WRONG_USE'],
  ])('--expect refuses %s and pins nothing', async (_, form, code, error) => {
    const machine = await Machine.create();
    const refused = await machine.json(['trust', 'add', service.url, '--expect', form(fingerprint)]);
    expect(refused).toEqual({ code, result: { error: expect.any(String), code: error } });
    expect((await machine.json(['trust', 'list'])).result).toEqual([]);
  });

  it('without a terminal and without --expect exits with 2 and says what is missing', async () => {
    const machine = await Machine.create();
    const { code, stderr } = await machine.run(['trust', 'add', service.url], `${fingerprint}\n`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--expect FINGERPRINT')]);
  });
});

describe('pins', () => {
  it('belong to a profile and a URL, and can be removed', async () => {
    const machine = await Machine.create();
    const add = (...args: string[]) => machine.run(['trust', 'add', service.url, '--expect', fingerprint, ...args]);
    await add();
    await add('--profile', 'work');
    const list = async (...args: string[]) => (await machine.run(['trust', 'list', ...args])).stdout;
    expect(await list()).toMatch(new RegExp(`^${service.url} +Example . Press +31337 +${short} +\\d{4}-`, 'mu'));
    const removed = await machine.json(['trust', 'remove', `${service.url}/`]);
    expect(removed).toEqual({ code: 0, result: { profile: 'default', url: service.url } });
    expect(await list()).toBe('');
    expect(await list('--profile', 'work')).toContain(short);
    const again = await machine.json(['trust', 'remove', service.url]);
    expect(again).toMatchObject({ code: 1, result: { code: 'NOT_FOUND' } });
    expect(JSON.parse(await readFile(machine.config, 'utf8'))).toMatchObject({ profiles: { default: { pins: {} } } });
  });
});
