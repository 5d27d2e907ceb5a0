// No byte of the log tells a name, a text, an address, a user or a perceptual hash.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMark, createOrganization, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, newFingerprint, startRegistry } from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { actOnClaim, contest, statement } from '../support/claims.js';

it('The log has no name, text, address, user id, perceptual hash or private Mark of anyone', async () => {
  const service = await startRegistry();
  const users = await Promise.all([
    createUser(service, 'enterprise'),
    createUser(service, 'enterprise'),
    createUser(service),
  ]);
  const [owner, other, claimant] = users;
  const studio = await createOrganization(service, owner, 3, 'Quite Secret Studio');
  const hashes = { pHash: '0x0123456789abcdef', dHash: '0x89abcdef01234567' };
  const filename = 'unpublished-novel.png';
  const fingerprints: string[] = [];
  const hidden: string[] = [studio];
  for (const [user, fields] of [
    [owner, { name: 'Open Ada', visibility: 'public' }],
    [owner, { name: 'Hidden Ada', visibility: 'private' }],
    [other, { name: 'Open Bea', visibility: 'public', license: 'MIT' }],
    [owner, { name: 'Hidden Studio', visibility: 'private', organizationId: studio }],
  ] as const) {
    const { body: mark } = await createMark(service, user, fields);
    if (fields.visibility === 'private') hidden.push(mark.id);
    for (let count = 0; count < 5; count += 1) {
      const fingerprint = newFingerprint();
      const artifact = newArtifact({
        markId: mark.id,
        fingerprint,
        filename,
        size: 123_454_321,
        mediaType: 'image/png',
      });
      expect(
        (await createArtifact(service, user, { ...artifact, ...(fields.visibility === 'public' && hashes) })).status,
      ).toBe(201);
      fingerprints.push(fingerprint);
    }
    await call(service, 'PUT', `/api/v1/marks/${mark.id}`, {
      token: user.token,
      body: { name: `${fields.name} again` },
    });
  }
  const claim = (await contest(service, claimant, fingerprints[0] ?? '')).body;
  await actOnClaim(service, owner, claim.id, 'answers', { text: 'It is not so, says the owner.' });
  await call(service, 'PUT', `/api/v1/artifacts/${fingerprints[1]}/visibility`, {
    token: owner.token,
    body: { contentVisibility: 'private' },
  });
  const isDone = async () => {
    const [row] = await query<{ waiting: string }>(
      service.databaseUrl,
      'select count(*) as waiting from log_entries where leaf_index is null',
    );
    const { body } = await call(service, 'GET', `/api/v1/public/artifacts/${fingerprints.at(-1)}/receipt`);
    return row?.waiting === '0' && body.receipt !== undefined;
  };
  await waitUntil(isDone, 'all leaves are published');

  const folder = join(service.dataDir, 'public-log');
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  // A draft becomes one of the others at any moment.
  const entries = all.filter((one) => one.isFile() && !one.name.endsWith('.draft'));
  const bytes = await Promise.all(entries.map((entry) => readFile(join(entry.parentPath, entry.name))));
  const log = Buffer.concat(bytes).toString('latin1').toLowerCase();
  for (const fingerprint of fingerprints) expect(log).toContain(fingerprint);
  const markNames = ['Open Ada', 'Hidden Ada', 'Open Bea', 'Hidden Studio', 'Quite Secret Studio'];
  const texts = [filename, '123454321', 'image/png', statement.slice(0, 20), 'It is not so', 'says the owner'];
  const people = users.flatMap(({ id, name, email }) => [id, name, email, email.split('@')[0] ?? '']);
  const perceptual = Object.values(hashes).flatMap((hash) => [hash, hash.slice(2)]);
  for (const secret of [...markNames, ...texts, ...people, ...perceptual, ...hidden, '127.0.0.1', 'localhost']) {
    if (service.url.includes(secret)) continue;
    expect([secret, log.includes(secret.toLowerCase())]).toEqual([secret, false]);
  }
  // Nor as bytes.
  const raw = Buffer.concat(bytes);
  for (const id of [...users.map((user) => user.id), ...hidden]) {
    expect(raw.includes(Buffer.from(id.replaceAll('-', ''), 'hex'))).toBe(false);
  }
});
