// The audit of the embedded default, while the service runs and while it is stopped.

import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { call, launchService, startEmbeddedService, temporaryFolder } from '../../../../test/support/service.js';
import { findServer } from '../../src/database/embedded/server.js';

it('The audit finds nothing while the service runs or is stopped, and changes nothing', async () => {
  const dataDir = await temporaryFolder();
  await chmod(dataDir, 0o755);
  const audit = async (...args: string[]) => {
    const run = await launchService({ DATA_DIR: dataDir }, ['audit', ...args]);
    await new Promise((resolve) => run.process.once('close', resolve));
    return { code: run.process.exitCode, ...run.output() };
  };
  const serverIn = () => findServer({ folder: join(dataDir, 'postgresql'), user: undefined });
  const service = await startEmbeddedService(dataDir);
  const owner = await createUser(service);
  const mark = await createMark(service, owner);
  const fingerprint = newFingerprint();
  await createArtifact(service, owner, { markId: mark.body.id, fingerprint, filename: 'a.jpg' });
  const status = async () => (await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, owner)).body.status;
  await expect.poll(status).toBe('submitted');

  const beside = await audit('--json');
  expect(beside.code).toBe(0);
  expect(JSON.parse(beside.log)).toEqual({
    summary: { walked: { artifacts: 1, files: 3, answers: 0, owners: 1 }, found: {}, repaired: 0, remaining: 0 },
  });
  expect((await call(service, 'GET', '/readyz')).status).toBe(200);

  await service.end();
  expect(await serverIn()).toBeUndefined();
  const stopped = await audit();
  expect([stopped.code, stopped.log]).toEqual([0, '']);
  expect(stopped.messages).toContain('Checked 1 Artifacts, 3 files, 0 idempotency records, 1 owners: no divergence.');
  expect(await serverIn()).toBeUndefined();

  // A copy of the folder is a complete backup.
  const elsewhere = await temporaryFolder();
  await chmod(elsewhere, 0o755);
  const copy = join(elsewhere, 'copy');
  await promisify(execFile)('cp', ['--archive', dataDir, copy]);
  const again = await startEmbeddedService(copy);
  const found = await call(again, 'GET', `/api/v1/artifacts/${fingerprint}`, owner);
  expect(found.body).toMatchObject({ fingerprint, status: 'submitted' });
});
