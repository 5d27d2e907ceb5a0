// Invalid settings and --help on the command line.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { launchService, startServiceProcess, temporaryFolder } from '../../../../test/support/service.js';
import { describeData } from '../../src/commands/describeData.js';
import { loadConfig } from '../../src/config/config.js';
import { secretSettings, settings } from '../../src/config/settings.js';

it('Invalid settings end the start with exit code 2 and one line for each problem', async () => {
  const service = await launchService({ PORT: 'eighty', ROLE: 'boss', JWT_SECRET: 'hush' });
  const [code] = await once(service.process, 'close');
  expect(code).toBe(2);
  const { messages, log } = service.output();
  expect(messages.trim().split('\n')).toEqual([
    'PORT: "eighty" is not a whole number from 1 to 65535',
    'JWT_SECRET: shorter than 32 characters',
    'ROLE: "boss" is not one of all, api, worker',
  ]);
  expect(log).toBe('');
});

it('A port that is in use is named in the message', async () => {
  const first = await startServiceProcess();
  const { port } = new URL(first.url);
  await expect(startServiceProcess({ PORT: port })).rejects.toThrow(`PORT ${port} is in use`);
});

it('--help explains every setting', async () => {
  const service = await launchService({}, ['--help']);
  const [code] = await once(service.process, 'close');
  expect(code).toBe(0);
  const names = [...Object.keys(settings), ...secretSettings.map((name) => `${name}_FILE`)];
  for (const name of names) expect(service.output().log).toMatch(new RegExp(`^ +${name}$`, 'm'));
});

it('--version prints the version of the package', async () => {
  const service = await launchService({}, ['--version']);
  const [code] = await once(service.process, 'close');
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect([code, service.output().log]).toEqual([0, `${version}\n`]);
});

it.each([
  [['--help'], 0, /Exit codes: 0 the link is printed; 1 no account/],
  [[], 2, /reset-password needs one address/],
  [['a@example.com', 'b@example.com'], 2, /reset-password needs one address/],
  [['--force', 'a@example.com'], 2, /Unknown option '--force'/],
  [['a@example.com'], 2, /has no jwt-secret, and JWT_SECRET is not set/],
])('reset-password %j ends with exit code %d', async (args, code, output) => {
  const command = await launchService({ DATA_DIR: await temporaryFolder() }, ['reset-password', ...args]);
  const [exitCode] = await once(command.process, 'close');
  expect(exitCode).toBe(code);
  const { log, messages } = command.output();
  expect(log + messages).toMatch(output);
});

it('A started service names every place of its data, and no password', () => {
  const external = {
    DATA_DIR: '/tmp',
    DATABASE_URL: 'postgres://user:hidden@db.example:6432/registry',
    STORAGE_URL: 's3://files/registry',
    RPC_URL: 'https://user:hidden@node.example/v2/hidden',
    REGISTRY_ADDRESS: `0x${'11'.repeat(20)}`,
    CHAIN_PRIVATE_KEY: `0x${'22'.repeat(32)}`,
  };
  const places = [
    ['Database', 'registry at db.example:6432'],
    ['Files', 's3://files/registry'],
    ['Chain', 'node at node.example'],
  ];
  expect(describeData(loadConfig(external))).toEqual([['Data folder', '/tmp (keys)'], ...places]);
  const withKeys = {
    ...external,
    JWT_SECRET: 'a secret of thirty-two characters or more',
    TSA_URL: 'https://tsa.example',
    SIGNING_CERT_FILE: fileURLToPath(import.meta.url),
    SIGNING_KEY_FILE: fileURLToPath(import.meta.url),
    IDENTITY_KEY_FILE: fileURLToPath(import.meta.url),
    LOG_KEY_FILE: fileURLToPath(import.meta.url),
    DOCUMENT_CERT_FILE: fileURLToPath(import.meta.url),
    DOCUMENT_KEY_FILE: fileURLToPath(import.meta.url),
  };
  expect(describeData(loadConfig(withKeys))).toEqual(places);
});
