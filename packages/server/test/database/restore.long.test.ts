// The procedure of docs/operating.md: back up, restore elsewhere, recover, audit, continue.

import { execFile } from 'node:child_process';
import { cp, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, inject, it } from 'vitest';
import {
  addMember,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  type Fingerprint,
  fieldParts,
  filePart,
  fingerprintOf,
  newFingerprint,
  sendForm,
} from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call, newDataFolder, type Service, startService } from '../../../../test/support/service.js';
import { auditCommand } from '../../src/commands/audit.js';
import { logCommand } from '../../src/commands/log.js';
import { recoverCommand } from '../../src/commands/recover.js';
import { runServerCommand } from '../support/serverCommand.js';

const run = promisify(execFile);
/** The same before and after. */
const keys = {
  JWT_SECRET: randomBytes(32).toString('hex'),
  CHAIN_PRIVATE_KEY: `0x${randomBytes(32).toString('hex')}`,
};

async function registered(service: Service, owner: TestUser, markId: string): Promise<Fingerprint> {
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

async function embeddableImage(): Promise<Buffer> {
  const raw = { width: 8, height: 8, channels: 3 } as const;
  return sharp(randomBytes(8 * 8 * 3), { raw })
    .png()
    .toBuffer();
}

async function recover(settings: Record<string, string>, ...args: string[]) {
  const { code, log, messages } = await runServerCommand(recoverCommand, settings, '--json', ...args);
  const lines = log.trim().split('\n');
  expect(lines.at(-1), messages).toContain('summary');
  return { code, ...JSON.parse(lines.at(-1) ?? '{}').summary };
}

function register(service: Service, { token }: { token: string }, markId: string, fingerprint: Fingerprint) {
  return createArtifact(service, { token }, { markId, fingerprint, filename: 'photo.jpg' });
}

async function findMatches(service: Service, fingerprint: string) {
  const value = encodeURIComponent(Buffer.from(fingerprint.slice(2), 'hex').toString('base64'));
  const path = `/api/c2pa/matches/byBinding?alg=com.service.sha256&value=${value}`;
  return (await call(service, 'GET', path)).body.matches;
}

it('A dump and a copy of the files restore the registry elsewhere, and the recovery brings back what the dump lacks', async () => {
  const [oldUrl, newUrl] = [await createDatabase(inject('postgresUrl')), await createDatabase(inject('postgresUrl'))];
  const [oldDir, newDir] = [await newDataFolder(), await newDataFolder()];
  const CHAIN_PORT = String(await freePort());
  const old = await startService({ DATABASE_URL: oldUrl, DATA_DIR: oldDir, CHAIN_PORT, ...keys });
  const owner = await createUser(old, 'enterprise');
  const member = await createUser(old);
  const studio = await createOrganization(old, owner, 3);
  await addMember(old, owner, studio, member);
  const newMark = async (fields: Record<string, unknown>) => String((await createMark(old, owner, fields)).body.id);
  const markId = await newMark({ license: 'CC-BY-4.0', allowAiTraining: false });
  const privateMarkId = await newMark({ visibility: 'private' });
  const studioMarkId = await newMark({ organizationId: studio });
  const kept = [await registered(old, owner, markId), await registered(old, owner, markId)];

  const dump = join(newDir, 'registry.dump');
  await run('pg_dump', ['--format=custom', `--file=${dump}`, oldUrl]);
  const late = [
    { fingerprint: await registered(old, owner, markId), user: owner, markId },
    { fingerprint: await registered(old, owner, privateMarkId), user: owner, markId: privateMarkId },
    { fingerprint: await registered(old, member, studioMarkId), user: member, markId: studioMarkId },
  ];
  const image = await embeddableImage();
  const form = [...fieldParts({ markId }), filePart(image, 'signed.png')];
  const signed = await sendForm(old, owner, form, { path: '/api/c2pa/manifests', headers: { accept: 'image/*' } });
  expect(signed.status).toBe(201);
  const copy = fingerprintOf(signed.bytes);
  await expect
    .poll(async () => (await call(old, 'GET', `/api/v1/artifacts/${copy}`, owner)).body.renditions[0].status)
    .toBe('submitted');
  const newcomer = await createUser(old);
  const newcomersMark = String((await createMark(old, newcomer)).body.id);
  const lost = await registered(old, newcomer, newcomersMark);
  await cp(join(oldDir, 'public'), join(newDir, 'public'), { recursive: true });
  await age(join(newDir, 'public'));
  for (const name of ['keys', 'pseudonym-secret', 'public-log', 'log-key.pem'])
    await cp(join(oldDir, name), join(newDir, name), { recursive: true });
  await run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${newUrl}`, dump]);

  // The chain is not restored: here it is that of the old service.
  const contract = (await call(old, 'GET', '/c2pa/contract')).body;
  const settings = {
    DATABASE_URL: newUrl,
    DATA_DIR: newDir,
    BASE_URL: old.url,
    RPC_URL: contract.rpcUrl,
    REGISTRY_ADDRESS: contract.address,
    ...keys,
  };
  const restored = await startService(settings);
  await expect.poll(async () => (await findMatches(restored, lost)).length).toBe(1);
  // Whoever looks it up gets its manifest, and nobody can register it under another id.
  for (const fingerprint of [...late.map(({ fingerprint }) => fingerprint), copy, lost]) {
    const [match] = await findMatches(restored, fingerprint);
    expect(match).toMatchObject({ source: 'curated', endpoint: `${old.url}/api/c2pa` });
    const manifest = await fetch(`${restored.url}/api/c2pa/manifests/${match.manifestId}`, {
      headers: { accept: 'application/c2pa' },
    });
    expect(manifest.status).toBe(200);
    const again = await register(restored, owner, markId, fingerprint);
    expect([again.status, again.body.error]).toEqual([409, expect.stringContaining('on chain already')]);
  }
  expect(await audit(settings)).toMatchObject({ code: 1, found: { 'artifact-unknown': 15 } });

  const missing = { recoverable: 5, 'mark-lost': 1 };
  expect(await recover(settings, '--dry-run')).toMatchObject({ code: 1, found: missing });
  expect(await recover(settings)).toMatchObject({ code: 1, found: { recovered: 5, 'mark-lost': 1 } });
  expect(await recover(settings)).toMatchObject({ code: 1, found: { 'mark-lost': 1 } });

  // The log signs nothing until it has its leaves back; what was registered meanwhile follows them.
  const receipt = (fingerprint: string) =>
    call(restored, 'GET', `/api/v1/public/artifacts/${fingerprint}/receipt?wait=50`);
  await expect.poll(() => restored.output().log).toContain('"reason":"database-behind"');
  const logOf = (service: Service) => fetch(`${service.url}/log/checkpoint`).then((response) => response.text());
  const stoppedAt = await logOf(restored);
  const meanwhile = newFingerprint();
  expect((await register(restored, owner, markId, meanwhile)).body.log).toEqual({ status: 'pending' });
  expect((await call(restored, 'GET', `/api/v1/public/artifacts/${meanwhile}/receipt`)).status).toBe(404);
  expect(await logOf(restored)).toBe(stoppedAt);
  const recoverLog = (...args: string[]) => runServerCommand(logCommand, settings, 'recover', ...args);
  expect(await recoverLog('--dry-run')).toMatchObject({
    code: 0,
    messages: expect.stringMatching(/ 7 would be recovered/),
  });
  expect(await recoverLog()).toMatchObject({ code: 0, messages: expect.stringMatching(/ 7 recovered/) });
  expect(await recoverLog()).toMatchObject({ code: 0, messages: expect.stringContaining(' 0 recovered') });
  for (const fingerprint of [...kept, ...late.map((one) => one.fingerprint), copy, meanwhile]) {
    expect([fingerprint, (await receipt(fingerprint)).status]).toEqual([fingerprint, 200]);
  }

  for (const fingerprint of kept) expect(await statusOf(restored, owner, fingerprint)).toBe('submitted');
  for (const { fingerprint, user, markId } of late) {
    const [before, after] = await Promise.all(
      [old, restored].map(
        async (service) => (await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, user)).body,
      ),
    );
    expect(after).toMatchObject({
      id: before.id,
      status: 'submitted',
      transactionHash: before.transactionHash,
      mark: { id: markId },
      createdBy: { id: user.id },
      contentVisibility: 'private',
      // Manifests under a private Mark name nothing.
      ...(markId !== privateMarkId && {
        metadata: { licenseKey: before.metadata.licenseKey, author: before.metadata.author },
      }),
    });
    expect((await register(restored, owner, markId, fingerprint)).status).toBe(409);
  }
  const ofCopy = (await call(restored, 'GET', `/api/v1/artifacts/${copy}`, owner)).body;
  expect(ofCopy).toMatchObject({ mark: { id: markId }, renditions: [{ fingerprint: copy, status: 'submitted' }] });
  await registered(restored, owner, markId);

  // The files of the newcomer's Artifact are the operator's to keep or to remove.
  const found = { 'artifact-unknown': 3 };
  const end = { code: 1, found, remaining: 3, messages: expect.stringContaining('needs a prefix of its own') };
  expect(await audit(settings, '--repair')).toMatchObject(end);
});
