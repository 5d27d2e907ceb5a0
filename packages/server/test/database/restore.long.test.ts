// The procedure of docs/operating.md: back up, restore elsewhere, audit, continue.

import { execFile } from 'node:child_process';
import { cp, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { createArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call, newDataFolder, type Service, startService } from '../../../../test/support/service.js';
import { auditCommand } from '../../src/commands/audit.js';
import { runServerCommand } from '../support/serverCommand.js';

const run = promisify(execFile);
/** The same before and after. */
const keys = {
  JWT_SECRET: randomBytes(32).toString('hex'),
  CHAIN_PRIVATE_KEY: `0x${randomBytes(32).toString('hex')}`,
};

async function registered(service: Service, owner: TestUser, markId: string): Promise<string> {
  const fingerprint = newFingerprint();
  await createArtifact(service, owner, { markId, fingerprint, filename: 'photo.jpg' });
  await expect.poll(() => statusOf(service, owner, fingerprint)).toBe('submitted');
  return fingerprint;
}

async function statusOf(service: Service, owner: TestUser, fingerprint: string): Promise<unknown> {
  return (await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, owner)).body.status;
}

async function audit(settings: Record<string, string>, ...args: string[]) {
  const { code, log, messages } = await runServerCommand(auditCommand, settings, '--json', ...args);
  const lines = log.trim().split('\n');
  expect(lines.at(-1), messages).toContain('summary');
  return { code, messages, ...JSON.parse(lines.at(-1) ?? '{}').summary };
}

/** Makes the backup look a day old. */
async function age(folder: string): Promise<void> {
  const yesterday = new Date(Date.now() - 86_400_000);
  for (const name of await readdir(folder)) await utimes(join(folder, name), yesterday, yesterday);
}

it('A dump and a copy of the files restore the registry elsewhere, and the audit reports what the dump lacks', async () => {
  const [oldUrl, newUrl] = [await createDatabase(inject('postgresUrl')), await createDatabase(inject('postgresUrl'))];
  const [oldDir, newDir] = [await newDataFolder(), await newDataFolder()];
  const CHAIN_PORT = String(await freePort());
  const old = await startService({ DATABASE_URL: oldUrl, DATA_DIR: oldDir, CHAIN_PORT, ...keys });
  const owner = await createUser(old);
  const { id: markId } = (await createMark(old, owner)).body;
  const kept = [await registered(old, owner, markId), await registered(old, owner, markId)];

  const dump = join(newDir, 'registry.dump');
  await run('pg_dump', ['--format=custom', `--file=${dump}`, oldUrl]);
  const late = await registered(old, owner, markId);
  await cp(join(oldDir, 'public'), join(newDir, 'public'), { recursive: true });
  await age(join(newDir, 'public'));
  await cp(join(oldDir, 'keys'), join(newDir, 'keys'), { recursive: true });
  await run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${newUrl}`, dump]);

  // The chain is not restored: here it is that of the old service.
  const contract = (await call(old, 'GET', '/c2pa/contract')).body;
  const settings = {
    DATABASE_URL: newUrl,
    DATA_DIR: newDir,
    RPC_URL: contract.rpcUrl,
    REGISTRY_ADDRESS: contract.address,
    ...keys,
  };
  // The files of an Artifact that the backup does not have are the operator's to remove.
  const lost = {
    code: 1,
    found: { 'artifact-unknown': 3 },
    repaired: 0,
    remaining: 3,
    messages: expect.stringContaining('needs a prefix of its own'),
  };
  expect(await audit(settings)).toMatchObject(lost);
  expect(await audit(settings, '--repair')).toMatchObject(lost);

  const restored = await startService(settings);
  for (const fingerprint of kept) expect(await statusOf(restored, owner, fingerprint)).toBe('submitted');
  expect((await call(restored, 'GET', `/api/v1/artifacts/${late}`, owner)).status).toBe(404);
  await registered(restored, owner, markId);
  const end = { code: 1, found: { 'artifact-unknown': 3 }, walked: { artifacts: 3, files: 12 } };
  expect(await audit(settings)).toMatchObject(end);
});
