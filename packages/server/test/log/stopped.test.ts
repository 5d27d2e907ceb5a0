// A log that must not sign: the operator is told, registrations go on, and their receipts wait.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeUtf8, formatPolicy, parsePolicy, verifyReceipt } from '@provenance-registry/log';
import { expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, restartRegistry, startRegistry } from '../../../../test/support/artifacts.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { logCommand } from '../../src/commands/log.js';
import { generateLogKey } from '../../src/publicLog/keys.js';
import { runServerCommand } from '../support/serverCommand.js';

it('A stopped log is named by log, metric and pending receipts, and goes on by itself when the reason is gone', async () => {
  const service = await startRegistry();
  const owner = await createUser(service);
  const { body: mark } = await createMark(service, owner);
  const register = async () => (await createArtifact(service, owner, newArtifact({ markId: mark.id }))).body;
  const receiptOf = (fingerprint: string, wait = 50) =>
    call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}/receipt?wait=${wait}`);
  const first = await register();
  expect((await receiptOf(first.fingerprint)).status).toBe(200);

  const path = join(service.dataDir, 'public-log/checkpoint');
  const checkpoint = await readFile(path, 'utf8');
  await writeFile(path, checkpoint.replaceAll('/log', '/other'));
  const second = await register();
  const isStopped = () => service.output().log.includes('"reason":"foreign-checkpoint"');
  await waitUntil(isStopped, 'the log has stopped');
  expect(service.output().log).toContain('public log: nothing is signed, because ');
  expect((await call(service, 'GET', '/metrics')).body).toContain('log_stopped{reason="foreign-checkpoint"} 1');
  const third = await register();
  for (const { log, fingerprint } of [second, third]) {
    const { status, headers } = await receiptOf(fingerprint, 0);
    expect([log, status, headers.get('retry-after')]).toEqual([{ status: 'pending' }, 404, '1']);
  }
  expect(await readFile(path, 'utf8')).toContain('/other');

  await writeFile(path, checkpoint);
  for (const { fingerprint } of [first, second, third]) expect((await receiptOf(fingerprint)).status).toBe(200);
  expect((await call(service, 'GET', '/metrics')).body).toContain('log_stopped{reason="foreign-checkpoint"} 0');
  expect(service.output().log).toContain('public log: the sequencer works again');
});

it('A log whose key is lost goes on with one that `log recover --new-key` accepts, without a restart', async () => {
  const { settings, dataDir, ...first } = await startRegistry();
  const owner = await createUser(first);
  const { body: mark } = await createMark(first, owner);
  await first.end();
  await writeFile(join(dataDir, 'log-key.pem'), generateLogKey());
  const service = await restartRegistry(settings);
  const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId: mark.id }));
  await waitUntil(() => service.output().log.includes('"reason":"key"'), 'the log has stopped');

  const { code, messages } = await runServerCommand(logCommand, settings, 'recover', '--new-key');
  const [, vkey = ''] = /The log goes on with the key (\S+)\. Tell clients\./.exec(messages) ?? [];
  expect([code, vkey]).toEqual([0, expect.stringContaining('/log+')]);
  const path = `/api/v1/public/artifacts/${artifact.fingerprint}/receipt?wait=50`;
  const { status, body } = await call(service, 'GET', path);
  expect(status).toBe(200);
  const policy = parsePolicy(formatPolicy([vkey]));
  await verifyReceipt(body.receipt, encodeUtf8(body.leaf), policy);
});
