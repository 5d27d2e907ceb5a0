// An upgrade of a database from before the log: everything that was there is imported before the first checkpoint.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeBundle, encodeUtf8, type Leaf, parseCheckpoint, parseLeaf, parseNote } from '@provenance-registry/log';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, newDataFolder, startService } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { hashManifest } from '../../src/domain/log/leaves.js';

const user = randomUUID();
const [open, secret] = [randomUUID(), randomUUID()];
const [first, second, hidden, failed, lost, copy] = Array.from({ length: 6 }, () => ({
  id: randomUUID(),
  fingerprint: newFingerprint(),
}));
const claim = randomUUID();

it('imports Marks, Artifacts, signed copies and claims, and says so, while new registrations wait', async () => {
  const databaseUrl = await createMigratedDatabase();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await fill(client);
  const dataDir = await newDataFolder();
  await mkdir(join(dataDir, 'public'));
  for (const one of [first, second, hidden])
    await writeFile(join(dataDir, `public/${one?.id}.c2pa`), `manifest ${one?.id}`);
  const service = await startService({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
  const owner = await createUser(service);
  const { body: mark } = await createMark(service, owner);
  const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId: mark.id }));
  const path = `/api/v1/public/artifacts/${artifact.fingerprint}/receipt?wait=50`;
  await waitUntil(async () => (await call(service, 'GET', path)).status === 200, 'the new Artifact is in the log');

  const leaves = await readLeaves(service.url);
  const time = expect.any(String);
  const imported = { imported: true, metadata: `0x${'05'.repeat(32)}` };
  const ai = [2, 2, 2, 2];
  const terms = { mark: open, ai, license: 'MIT' };
  const step = { id: claim, fingerprint: first?.fingerprint, imported: true, time };
  const manifestOf = (one: typeof first) => hashManifest(Buffer.from(`manifest ${one?.id}`));
  const created = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
  const fact = (one: typeof first, day: number, original = one) => ({
    ...imported,
    id: original?.id,
    fingerprint: one?.fingerprint,
    manifest: manifestOf(original),
    time: created(day),
  });
  expect(leaves.map((leaf) => leaf?.kind)).toEqual([
    ...['genesis', 'keys', 'mark', 'artifact', 'artifact', 'rendition', 'artifact', 'content', 'claim', 'claim'],
    ...['mark', 'artifact'],
  ]);
  expect(leaves.slice(2, 10).map((leaf) => leaf?.content)).toEqual([
    { id: open, visibility: 'public', ai, license: 'MIT', imported: true, time },
    { ...fact(first, 1), ...terms },
    { ...fact(second, 2), ...terms },
    { ...fact(copy, 3, first), ...terms },
    { ...fact(hidden, 4), hidden: expect.stringMatching(/^0x/) },
    { fingerprint: second?.fingerprint, visibility: 'private', imported: true, time },
    { ...step, step: 'claim', textHash: expect.stringMatching(/^0x/) },
    { ...step, step: 'withdrawal' },
  ]);
  for (const later of leaves.slice(10)) expect(later?.content).not.toHaveProperty('imported');
  const { body } = await call(service, 'GET', `/api/v1/public/artifacts/${copy?.fingerprint}/receipt`);
  expect(parseLeaf(encodeUtf8(body.leaf))).toEqual(leaves[5]);
  expect(service.output().log).toContain(`"artifactIds":["${lost?.id}"]`);
  await client.end();
});

async function readLeaves(url: string): Promise<(Leaf | undefined)[]> {
  const { size } = parseCheckpoint(parseNote(await (await fetch(`${url}/log/checkpoint`)).text()).text);
  const bundle = await fetch(`${url}/log/tile/entries/000.p/${size}`);
  return decodeBundle(new Uint8Array(await bundle.arrayBuffer()), size).map((entry) => parseLeaf(entry));
}

async function fill(client: pg.Client): Promise<void> {
  await client.query(`insert into users (id, name, email) values ($1, 'Ada', 'ada@example.com')`, [user]);
  for (const [id, visibility] of [
    [open, 'public'],
    [secret, 'private'],
  ]) {
    await client.query(
      `insert into marks (id, name, search_name, visibility, license, allow_ai_training, admin_id, owner_id, created_at)
       values ($1, 'Mark', 'mark', $2, 'MIT', false, $3, $3, '2026-01-01')`,
      [id, visibility, user],
    );
  }
  const metadata = { kind: 'other', licenseKey: 'MIT', allowAiTraining: false };
  const add = (one: typeof first, day: number, { markId = open, ...changes }: Record<string, string | null> = {}) =>
    client.query(
      `insert into artifacts (
         id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, status, error_reason, rendition_of,
         content_private
       ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[one?.id, markId, user, `2026-01-0${day}T00:00:00Z`, Buffer.from(one?.fingerprint.slice(2) ?? '', 'hex')],
        ...[Buffer.alloc(32, 5), changes['renditionOf'] ? { mediaType: 'image/png' } : metadata],
        ...[changes['error'] ? 3 : 2, changes['error'] ?? null, changes['renditionOf'] ?? null],
        changes['content'] === 'private',
      ],
    );
  await add(hidden, 4, { markId: secret });
  await add(first, 1);
  await add(second, 2, { content: 'private' });
  await add(failed, 1, { error: 'refused' });
  await add(lost, 1);
  await add(copy, 3, { renditionOf: first?.id ?? null });
  await client.query(
    `insert into claims (id, artifact_id, contested_mark_id, claimant_id, kind, statement, evidence_state, ended_as, created_at)
     values ($1, $2, $3, $4, 'statement', 'It is mine.', 'none', 'withdrawn', '2026-01-05')`,
    [claim, first?.id, open, user],
  );
  await client.query(
    `insert into claim_entries (claim_id, type, author_id, at) values ($1, 'withdrawal', $2, '2026-01-06')`,
    [claim, user],
  );
  // As the migration finds it: no row has a leaf.
  await client.query('delete from log_entries');
  const migration = await readFile(new URL('../../migrations/0040_public_log.sql', import.meta.url), 'utf8');
  await client.query(migration.slice(migration.indexOf('insert into log_import')));
}
