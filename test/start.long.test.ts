// `npm start`, in a clone where everything has been set up before.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePort } from './support/ports.js';
import { call, temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));

it('npm start installs nothing twice, becomes ready, and ends with the signal that npm gets', async () => {
  const port = await freePort();
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      CHAIN_PORT: String(await freePort()),
      DATA_DIR: await temporaryFolder(),
    },
  });
  let written = '';
  const ready = new Promise<void>((resolve, reject) => {
    npm.once('close', () => reject(new Error(written)));
    const read = (chunk: Buffer) => {
      written += chunk;
      if (written.includes('is ready')) resolve();
    };
    npm.stdout.on('data', read);
    npm.stderr.on('data', read);
  });
  await ready;
  expect(written).not.toContain('Installing');
  expect((await call({ url: `http://127.0.0.1:${port}` }, 'GET', '/readyz')).status).toBe(200);
  const ended = once(npm, 'close');
  npm.kill('SIGTERM');
  await ended;
  expect(written).toContain('"msg":"stopping"');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});
