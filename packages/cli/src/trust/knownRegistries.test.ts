import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RegistryRecord } from '../configSchema.js';
import {
  findKnownRegistry,
  forgetRegistry,
  listKnownRegistries,
  pinRecord,
  readKnownRegistry,
  rememberRecord,
} from './knownRegistries.js';

const URL = 'https://registry.example';
const record = (fingerprint: string): RegistryRecord => ({
  name: 'Example',
  chainId: 1,
  contract: '0x',
  signerRootsPem: '',
  timestampRootsPem: '',
  ownTimestampRootsPem: '',
  fingerprint,
  addedAt: '2026-01-01T00:00:00.000Z',
});

let env: { XDG_CONFIG_HOME: string };
let folder: string;
beforeAll(async () => {
  env = { XDG_CONFIG_HOME: await mkdtemp(join(tmpdir(), 'provenance-known-')) };
  folder = join(env.XDG_CONFIG_HOME, 'provenance');
  await mkdir(folder);
});
beforeEach(() => rm(join(folder, 'config.json'), { force: true }));
afterAll(() => rm(env.XDG_CONFIG_HOME, { recursive: true }));

const fingerprintOf = async (profile: string, url = URL) => {
  const known = await readKnownRegistry(env, profile, url);
  return known && [known.record.fingerprint, known.isCompared];
};

describe('a known registry', () => {
  it('is the one of the URL, whatever its form', () => {
    const config = { profiles: { default: { pins: { [URL]: record('pin') } } } };
    const find = (url: string) => findKnownRegistry(config, 'default', url)?.record.fingerprint;
    for (const url of [URL, 'https://REGISTRY.example:443/']) expect(find(url)).toBe('pin');
    const others = ['http://registry.example', 'https://registry.example:8443', 'https://registry.example/other'];
    const nearMisses = ['https://registry.exampl', 'https://registry.example.org', 'https://registry.exampIe.'];
    for (const url of [...others, ...nearMisses]) expect([url, find(url)]).toEqual([url, undefined]);
  });

  it('is remembered once, and a later contact does not replace what is remembered', async () => {
    expect(await fingerprintOf('default')).toBeUndefined();
    expect(await rememberRecord(env, 'default', URL, record('first'))).toBeUndefined();
    await rememberRecord(env, 'default', URL, record('later'));
    expect(await fingerprintOf('default')).toEqual(['first', false]);
  });

  it('of another profile is known too, and counts as compared only where it is pinned', async () => {
    await pinRecord(env, 'work', URL, record('pinned'));
    expect(await fingerprintOf('work')).toEqual(['pinned', true]);
    expect(await fingerprintOf('default')).toEqual(['pinned', false]);
  });

  it('that is pinned is no longer a remembered one, and is forgotten completely', async () => {
    await rememberRecord(env, 'default', URL, record('first'));
    await rememberRecord(env, 'work', 'https://other.example', record('other'));
    await pinRecord(env, 'default', URL, record('pinned'));
    const list = async () => (await listKnownRegistries(env, 'default')).map(([url, known]) => [url, known.isCompared]);
    expect(await list()).toEqual([
      [URL, true],
      ['https://other.example', false],
    ]);
    expect([await forgetRegistry(env, 'default', URL), await forgetRegistry(env, 'default', URL)]).toEqual([
      true,
      false,
    ]);
    expect(await forgetRegistry(env, 'default', 'https://other.example')).toBe(true);
    expect(await list()).toEqual([]);
  });

  it('in a configuration that is damaged is reported, not ignored', async () => {
    const profiles = { default: { remembered: { [URL]: { name: 'Example' } } } };
    await writeFile(join(folder, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    await expect(fingerprintOf('default')).rejects.toThrow('config.json: profiles.default.remembered');
  });

  it('that cannot be saved is told, and changes nothing', async () => {
    await rememberRecord(env, 'default', URL, record('first'));
    const before = await readFile(join(folder, 'config.json'), 'utf8');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'not a folder');
    try {
      expect(await rememberRecord(env, 'default', 'https://other.example', record('x'))).toMatch(/config\.json/);
    } finally {
      await rm(folder);
      await mkdir(folder);
      await writeFile(join(folder, 'config.json'), before);
      await chmod(join(folder, 'config.json'), 0o600);
    }
  });
});
