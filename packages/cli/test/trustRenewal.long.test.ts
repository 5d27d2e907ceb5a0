// What happens when a pinned registry changes its roots, and when another one takes its address.

import { readFile } from 'node:fs/promises';
import { registryFingerprint } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { createMark, createUser } from '../../../test/support/accounts.js';
import { createArtifact, newArtifact } from '../../../test/support/artifacts.js';
import { makeRegistryCertificates } from '../../../test/support/certificates.js';
import { freePort } from '../../../test/support/ports.js';
import { createMigratedDatabase } from '../../../test/support/postgres.js';
import { call, newDataFolder, startService } from '../../../test/support/service.js';
import { Machine } from './support/machine.js';
import { loadPinnedTrust } from './support/pinnedTrust.js';

const NAME = 'Example Press';
const PATH = '/.well-known/provenance-registry';
/** However busy the machine is. */
const patient = ['--timeout', '120'];

async function listPins(machine: Machine): Promise<object[]> {
  const { result } = await machine.json(['config', 'trust', 'list']);
  return Array.isArray(result) ? result : [];
}

it('a pinned registry may renew a root with a cross-certificate; another registry at its address is an alarm', async () => {
  const at = await makeRegistryCertificates();
  /** A later start with the same is the same registry. */
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    DATA_DIR: await newDataFolder(),
    PORT: String(await freePort()),
    REGISTRY_NAME: NAME,
    SIGNING_CERT_FILE: at('signer.pem'),
    SIGNING_KEY_FILE: at('signer.key'),
    SIGNING_ROOTS_FILE: at('root.pem'),
  };
  let service = await startService(settings);
  const fingerprint = registryFingerprint((await call(service, 'GET', PATH)).body);
  const machine = await Machine.create({ PROVENANCE_URL: service.url });
  const owner = await createUser(service);
  const { body: mark } = await createMark(service, owner);
  const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId: mark.id }));
  const file = String(artifact.fingerprint);
  await machine.run(['file', 'status', '--wait', file]);
  await call(service, 'GET', `/api/v1/public/artifacts/${file}/receipt?wait=20`);
  await machine.run(['config', 'trust', 'add', service.url, '--expect', fingerprint]);
  /** Has compared nothing. */
  const visitor = await Machine.create({ PROVENANCE_URL: service.url });
  await visitor.run(['lookup', file, ...patient]);
  const [before] = await listPins(machine);
  expect(await machine.json(['verify', file, ...patient])).toMatchObject({
    code: 0,
    result: [{ verdict: 'verified', independentSources: ['manifest', 'log'] }],
  });

  await service.end();
  service = await startService({ ...settings, SIGNING_ROOTS_FILE: at('roots.pem') });
  const renewed = await machine.run(['verify', file, ...patient]);
  expect([renewed.code, renewed.stderr]).toEqual([
    0,
    expect.stringContaining('new signer root "O=Example Press, CN=Registry root 2"'),
  ]);
  const { body } = await call(service, 'GET', PATH);
  const [after] = await listPins(machine);
  expect(after).toEqual({ ...before, fingerprint: registryFingerprint(body), signerRoots: expect.any(Array) });
  const renewedVisit = await visitor.run(['lookup', file, ...patient]);
  expect([renewedVisit.code, renewedVisit.stderr]).toEqual([0, expect.stringContaining('new signer root')]);
  expect(await visitor.run(['lookup', file, ...patient])).toMatchObject({ code: 0, stderr: '' });
  const again = await machine.run(['verify', file, ...patient]);
  expect([again.code, again.stderr]).toEqual([0, '']);

  await service.end();
  service = await startService({ PORT: settings.PORT, REGISTRY_NAME: NAME });
  const other = (await call(service, 'GET', PATH)).body;
  const { code, stderr } = await machine.run(['verify', file, ...patient]);
  expect(code).toBe(1);
  for (const part of [
    `${service.url} is not the registry "${NAME}" that you pinned on `,
    `its contract is ${other.contract}, not ${body.contract}`,
    'no known root has signed its signer root "CN=Development authority',
  ]) {
    expect(stderr).toContain(part);
  }
  expect(await visitor.json(['lookup', file, ...patient])).toMatchObject({
    code: 1,
    result: { code: 'REGISTRY_CHANGED' },
  });
  // The pin stays, and verify still relies on it.
  const roots = (await readFile(at('root.pem'), 'utf8')) + (await readFile(at('root2.pem'), 'utf8'));
  expect(await loadPinnedTrust(machine, service.url)).toMatchObject({
    chain: { address: body.contract },
    trustAnchorsPem: roots,
  });
  expect(await listPins(machine)).toEqual([after]);

  await service.end();
  expect((await loadPinnedTrust(machine, service.url)).check.failure?.reason).toContain('getRegistryIdentity failed');
});
