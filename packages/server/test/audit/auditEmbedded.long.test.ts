// The commands beside the service on the embedded default, while the service runs and while it is stopped.

import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import {
  call,
  newDataFolder,
  type ServiceProcess,
  startEmbeddedService,
  temporaryFolder,
} from '../../../../test/support/service.js';
import { auditCommand } from '../../src/commands/audit.js';
import type { Command } from '../../src/commands/command.js';
import { mirrorCommand } from '../../src/commands/mirror.js';
import { resetPasswordCommand } from '../../src/commands/resetPassword.js';
import { findServer } from '../../src/database/embedded/server.js';
import { runServerCommand } from '../support/serverCommand.js';

it('The audit finds nothing, the mirror can be rebuilt and reset links work, while the service runs or is stopped', async () => {
  const dataDir = await newDataFolder();
  await chmod(dataDir, 0o755);
  const settings = { DATA_DIR: dataDir, BASE_URL: 'http://localhost:8080', CHAIN_PORT: String(await freePort()) };
  const run = (command: Command, ...args: string[]) => runServerCommand(command, settings, ...args);
  const resetPassword = async (link: string, on: ServiceProcess) => {
    const [, token] = /^http:\/\/localhost:8080\/reset-password#(\S+)\n$/.exec(link) ?? [];
    const body = { token, newPassword: 'staple battery horse' };
    return (await call(on, 'POST', '/api/v1/auth/password-reset/confirm', { body })).status;
  };
  const serverIn = () => findServer({ folder: join(dataDir, 'postgresql') });
  const service = await startEmbeddedService(dataDir);
  const owner = await createUser(service);
  const logIn = (on: ServiceProcess, password: string, totpCode?: string) =>
    call(on, 'POST', '/api/v1/auth/login', { body: { email: owner.email, password, totpCode } });
  const mark = await createMark(service, owner);
  const fingerprint = newFingerprint();
  await createArtifact(service, owner, { markId: mark.body.id, fingerprint, filename: 'a.jpg' });
  const read = async () => (await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, owner)).body;
  // With its entry as soon as that is mirrored; blocks of anchors may come before it or after it.
  await expect.poll(read).toMatchObject({ status: 'submitted', chainEntry: { blockNumber: expect.any(Number) } });
  const mirror = async () => (await call(service, 'GET', '/api/c2pa/services/status')).body.mirror;
  await expect.poll(mirror).toMatchObject({ isFresh: true });

  const beside = await run(auditCommand, '--json');
  expect(beside.code).toBe(0);
  expect(JSON.parse(beside.log)).toEqual({
    summary: {
      walked: { artifacts: 1, files: 3, answers: 0, mirrored: 1, registrations: 1, owners: 1 },
      found: {},
      repaired: 0,
      remaining: 0,
    },
  });
  expect((await call(service, 'GET', '/readyz')).status).toBe(200);
  const fresh = expect.stringMatching(/^The mirror is fresh: block (\d+) of \1, confirmed at .*Z\.\n$/);
  expect(await run(mirrorCommand)).toMatchObject({ code: 0, log: fresh });
  expect(await run(mirrorCommand, '--rebuild')).toMatchObject({ code: 0, log: fresh });

  await enableTotp(service, owner.token, 'correct horse battery');
  expect((await logIn(service, 'correct horse battery')).body.code).toBe('TOTP_REQUIRED');
  const link = await run(resetPasswordCommand, owner.email.toUpperCase(), '--remove-second-factor');
  expect(link).toMatchObject({
    code: 0,
    messages: expect.stringMatching(/^The link is valid until .*Z and works once\.\nThe second factor is removed\.\n$/),
  });
  const withoutCode = await logIn(service, 'correct horse battery');
  expect([withoutCode.status, withoutCode.body.user?.hasTotp]).toEqual([200, false]);
  expect(await resetPassword(link.log, service)).toBe(204);
  expect(await resetPassword(link.log, service)).toBe(404);
  expect((await call(service, 'GET', '/api/v1/me', owner)).status).toBe(401);
  const unknown = await run(resetPasswordCommand, 'unknown@example.com');
  expect(unknown).toMatchObject({ code: 1, log: '', messages: 'No account with a password has this address.\n' });

  const [recoveryCode] = await enableTotp(
    service,
    (await logIn(service, 'staple battery horse')).body.token,
    'staple battery horse',
  );
  await service.end();
  expect(await serverIn()).toBeUndefined();
  const stopped = await run(auditCommand);
  expect([stopped.code, stopped.log]).toEqual([0, '']);
  expect(stopped.messages).toContain(
    'Checked 1 Artifacts, 3 files, 0 idempotency records, 1 mirrored entries, 1 registrations on chain, 1 owners: no divergence.',
  );
  expect(await serverIn()).toBeUndefined();

  expect(await run(mirrorCommand, '--rebuild')).toMatchObject({ code: 0, log: fresh });
  expect(await serverIn()).toBeUndefined();

  const linkOfStopped = await run(resetPasswordCommand, owner.email);
  expect(linkOfStopped.code).toBe(0);
  expect(await serverIn()).toBeUndefined();

  // A copy of the folder is a complete backup.
  const elsewhere = await temporaryFolder();
  await chmod(elsewhere, 0o755);
  const copy = join(elsewhere, 'copy');
  await promisify(execFile)('cp', ['--archive', dataDir, copy]);
  const again = await startEmbeddedService(copy);
  expect(await resetPassword(linkOfStopped.log, again)).toBe(204);
  // Without --remove-second-factor it stays.
  expect((await logIn(again, 'staple battery horse')).body.code).toBe('TOTP_REQUIRED');
  const { token } = (await logIn(again, 'staple battery horse', recoveryCode)).body;
  const found = await call(again, 'GET', `/api/v1/artifacts/${fingerprint}`, { token });
  expect(found.body).toMatchObject({ fingerprint, status: 'submitted' });
});

/** Returns the recovery codes. */
async function enableTotp(service: ServiceProcess, token: string, password: string): Promise<string[]> {
  const { secret } = (await call(service, 'POST', '/api/v1/me/totp', { token, body: { password } })).body;
  const code = new TOTP({ secret }).generate();
  const { body } = await call(service, 'POST', '/api/v1/me/totp/confirm', { token, body: { code } });
  return body.recoveryCodes;
}
