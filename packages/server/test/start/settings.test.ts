// Invalid settings and --help on the command line.

import { once } from 'node:events';
import { expect, it } from 'vitest';
import { launchService, startService } from '../../../../test/support/service.js';
import { secretSettings, settings } from '../../src/config.js';

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
  const first = await startService();
  const { port } = new URL(first.url);
  await expect(startService({ PORT: port })).rejects.toThrow(`PORT ${port} is in use`);
});

it('--help explains every setting', async () => {
  const service = await launchService({}, ['--help']);
  const [code] = await once(service.process, 'close');
  expect(code).toBe(0);
  const names = [...Object.keys(settings), ...secretSettings.map((name) => `${name}_FILE`)];
  for (const name of names) expect(service.output().log).toMatch(new RegExp(`^ +${name}$`, 'm'));
});
