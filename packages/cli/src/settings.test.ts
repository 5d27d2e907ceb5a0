import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Values } from './options.js';
import { readSettings } from './settings.js';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'provenance-settings-'));
  await mkdir(join(home, 'provenance'));
});
afterAll(() => rm(home, { recursive: true }));

const read = async (values: Values, variables: Record<string, string> = {}, profile: object = {}) => {
  const config = { profiles: { default: profile } };
  await writeFile(join(home, 'provenance', 'config.json'), JSON.stringify(config), { mode: 0o600 });
  return readSettings(values, { XDG_CONFIG_HOME: home, ...variables }, home);
};

const [one, two] = ['http://one.example', 'http://two.example'];

describe('nodes of the chain', () => {
  it.each<[string, Values, Record<string, string>, object, unknown]>([
    ['none', {}, {}, {}, undefined],
    ['one flag', { rpcUrl: [one] }, {}, {}, { value: [one], from: '--rpc-url' }],
    ['several flags', { rpcUrl: [one, two] }, {}, {}, { value: [one, two], from: '--rpc-url' }],
    [
      'flags before the environment',
      { rpcUrl: [one] },
      { PROVENANCE_RPC_URL: two },
      {},
      { value: [one], from: '--rpc-url' },
    ],
    [
      'a variable with spaces and commas',
      {},
      { PROVENANCE_RPC_URL: ` ${one}, ${two} ` },
      { rpcUrl: one },
      { value: [one, two], from: 'PROVENANCE_RPC_URL' },
    ],
    ['one in the profile', {}, {}, { rpcUrl: one }, { value: [one], from: 'profile default' }],
    ['a list in the profile', {}, {}, { rpcUrl: [one, two] }, { value: [one, two], from: 'profile default' }],
  ])('are read from %s', async (_, values, variables, profile, expected) => {
    expect((await read(values, variables, profile)).rpcUrl).toEqual(expected);
  });

  it('are each checked', async () => {
    await expect(read({ rpcUrl: [one, 'ftp://two.example'] })).rejects.toThrow(
      "--rpc-url: 'ftp://two.example' is not an http or https URL.",
    );
    await expect(read({}, { PROVENANCE_RPC_URL: `${one} two` })).rejects.toThrow(
      "PROVENANCE_RPC_URL: 'two' is not a URL.",
    );
  });
});

describe('the chain id', () => {
  it('is a whole number', async () => {
    expect((await read({ chainId: '1' })).chainId).toEqual({ value: '1', from: '--chain-id' });
    for (const value of ['0', '-1', '1.5', '0x1', '1e3', '9'.repeat(16)]) {
      await expect(read({ chainId: value })).rejects.toThrow(`--chain-id: '${value}' is not a chain id`);
    }
  });
});
