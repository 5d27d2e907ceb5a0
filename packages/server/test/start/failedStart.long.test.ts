// A start that fails leaves no process running.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { findServer } from '../../src/database/embedded/server.js';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
const nodeModules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

/** A copy of the installed service, beside which no web pages were built. */
async function installWithoutPages(): Promise<string> {
  const folder = await temporaryFolder();
  const server = join(folder, 'packages/server');
  await mkdir(server, { recursive: true });
  for (const name of ['bundle', 'fonts', 'migrations', 'package.json']) {
    await cp(join(packageFolder, name), join(server, name), { recursive: true });
  }
  await symlink(nodeModules, join(folder, 'node_modules'));
  return join(server, 'bundle/main.js');
}

it('A service whose pages were never built exits with code 1 and stops its embedded database', async () => {
  const main = await installWithoutPages();
  const dataDir = await temporaryFolder();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      CHAIN_PORT: String(await freePort()),
    },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  const folder = join(dataDir, 'postgresql');
  expect(existsSync(join(folder, 'data/PG_VERSION'))).toBe(true);
  expect(await findServer({ folder })).toBeUndefined();
});
