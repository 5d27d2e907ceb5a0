// Signed downloads: what is in them, that they are signed and served, and that one worker at a time makes them.

import { createHash, verify, X509Certificate } from 'node:crypto';
import { type DownloadIndex, digestOf, fillAiPreferences, parseFilter, parsePiece } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  type Fingerprint,
  newArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
} from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { openDatabase } from '../../src/database/connection.js';
import { DownloadQueries } from '../../src/database/queries/lookups/downloads.js';

let service: Registry;
let owner: TestUser;
let [publicMark, privateMark] = ['', ''];

beforeAll(async () => {
  service = await startRegistry({ DOWNLOADS_SECONDS: '1' });
  owner = await createUser(service, 'enterprise');
  publicMark = (await createMark(service, owner, { allowAiTraining: false })).body.id;
  privateMark = (await createMark(service, owner, { allowAiTraining: false, visibility: 'private' })).body.id;
});

const rows = <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  query<Row>(service.databaseUrl, sql, values);

async function register(markId: string): Promise<Fingerprint> {
  const artifact = newArtifact({ markId });
  expect((await createArtifact(service, owner, artifact)).status).toBe(201);
  return artifact.fingerprint;
}

async function readFile(name: string): Promise<Buffer> {
  const response = await fetch(`${service.url}/cdn/${name}`);
  expect([name, response.status]).toEqual([name, 200]);
  return Buffer.from(await response.arrayBuffer());
}

/** The first version whose making began after this call. */
async function nextVersion(): Promise<{ index: DownloadIndex; jws: string }> {
  const now = new Date().toISOString();
  let body: { index: DownloadIndex; jws: string } | undefined;
  await waitUntil(async () => {
    const response = await call(service, 'GET', '/api/v1/public/downloads');
    body = response.body;
    return response.status === 200 && response.body.index.createdAt >= now;
  }, 'a version is published');
  if (!body) throw new Error('no version');
  return body;
}

/** What the files of a version say about a fingerprint. */
async function ask(index: DownloadIndex, fingerprint: Fingerprint) {
  const filter = parseFilter(await readFile(`${index.filter.sha256}.filter`));
  const entry = index.pieces.find(({ from, to }) => from <= fingerprint && fingerprint <= to);
  const piece = entry && parsePiece(await readFile(`${entry.sha256}.snapshot`));
  return { mayContain: filter.mayContain(digestOf(fingerprint)), preferences: piece?.find(digestOf(fingerprint)) };
}

const notAllowed = fillAiPreferences(() => ({ use: 'notAllowed' }));
const nothing = fillAiPreferences(() => null);

describe('a version of the downloads', () => {
  it('has every fingerprint with what its Artifact states, and of private Marks the bare fingerprint', async () => {
    const [stated, hidden, failed, onChain, unusable] = [
      await register(publicMark),
      await register(privateMark),
      newFingerprint(),
      newFingerprint(),
      newFingerprint(),
    ];
    const rendition = newFingerprint();
    await rows(
      `insert into artifacts (id, rendition_of, mark_id, created_by, fingerprint, manifest_hash, metadata)
       select gen_random_uuid(), id, mark_id, created_by, $2, manifest_hash, '{}' from artifacts where fingerprint = $1`,
      [digestOf(stated), digestOf(rendition)],
    );
    // Not registered before: the chain would have it.
    await rows(
      `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata, status, error_reason)
       select gen_random_uuid(), mark_id, created_by, $2, manifest_hash, metadata, 3, 'refused'
       from artifacts where fingerprint = $1`,
      [digestOf(stated), digestOf(failed)],
    );
    await rows(
      `insert into chain_entries
         (fingerprint, source, manifest_id, manifest_hash, registered_by, block_number, log_index, registered_at)
       select fingerprint, 2, manifest_id, sha256(''), substr(sha256(''), 1, 20), 0, 0, now()
       from (values ($1::bytea, 'one'), ($2, 'two'), ($3, null)) as entry (fingerprint, manifest_id)`,
      [digestOf(onChain), digestOf(stated), digestOf(unusable)],
    );
    const { index } = await nextVersion();
    const answers = await Promise.all([stated, rendition, hidden, onChain].map((one) => ask(index, one)));
    expect(answers).toEqual([
      { mayContain: true, preferences: notAllowed },
      { mayContain: true, preferences: notAllowed },
      { mayContain: true, preferences: nothing },
      { mayContain: true, preferences: nothing },
    ]);
    expect((await ask(index, failed)).preferences).toBeUndefined();
    expect((await ask(index, unusable)).preferences).toBeUndefined();
    expect(index.filter.count).toBe(index.pieces.reduce((sum, { count }) => sum + count, 0));
  });

  it('is listed in an index that a signer root of the registry vouches for', async () => {
    const { index, jws } = await nextVersion();
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(payload)).toEqual(index);
    const { alg, typ, x5c } = decode(header);
    expect([alg, typ]).toEqual(['EdDSA', 'provenance-downloads+json']);
    const [leaf] = x5c.map((der: string) => new X509Certificate(Buffer.from(der, 'base64')));
    const signed = Buffer.from(`${header}.${payload}`);
    expect(verify(null, signed, leaf.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const { signerRoots, url, chainId, contract } = (await call(service, 'GET', '/.well-known/provenance-registry'))
      .body;
    expect(leaf.verify(new X509Certificate(signerRoots[0].pem).publicKey)).toBe(true);
    expect(index).toMatchObject({ registry: url, filesUrl: `${url}/cdn`, chain: { chainId, contract } });
    // Twice the interval, so that clients that fetch each version have one that is not out of date.
    expect(Date.parse(index.nextAt ?? '') - Date.parse(index.createdAt)).toBe(2_000);
  });

  it('has files that are what their names and the index say, cacheable for good', async () => {
    await register(publicMark);
    const { index } = await nextVersion();
    const files = [
      { ...index.filter, name: `${index.filter.sha256}.filter` },
      ...index.pieces.map((piece) => ({ ...piece, name: `${piece.sha256}.snapshot` })),
    ];
    for (const { name, sha256, size } of files) {
      const bytes = await readFile(name);
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([size, sha256]);
    }
    const url = `${service.url}/cdn/${index.filter.sha256}.filter`;
    const { headers } = await fetch(url);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-length')).toBe(String(index.filter.size));
    expect((await fetch(url, { headers: { 'if-none-match': `"${index.filter.sha256}"` } })).status).toBe(304);
    expect((await fetch(url.replace(/.{9}\.filter/, '00000000f.filter'))).status).toBe(404);
    const path = '/api/v1/public/downloads';
    const etag = (await call(service, 'GET', path)).headers.get('etag') ?? '';
    expect([200, 304]).toContain((await call(service, 'GET', path, { headers: { 'if-none-match': etag } })).status);
  });

  it('keeps the pieces that have not changed, and loses unused files after a day', async () => {
    const before = (await nextVersion()).index;
    const fingerprint = await register(publicMark);
    const after = (await nextVersion()).index;
    const isOther = (range: { from: string }) => range.from.slice(0, 4) !== fingerprint.slice(0, 4);
    expect(after.pieces.filter(isOther)).toEqual(before.pieces.filter(isOther));
    const old = `${before.filter.sha256}.filter`;
    await readFile(old);
    await rows("update download_files set unused_since = unused_since - interval '25 hours' where name = $1", [old]);
    await waitUntil(async () => (await fetch(`${service.url}/cdn/${old}`)).status === 404, 'it is removed');
    await readFile(`${(await nextVersion()).index.filter.sha256}.filter`);
  });
});

describe('workers', () => {
  it('take turns: each version has one, until it finishes or its time is over', async () => {
    const database = openDatabase({ connectionString: await createMigratedDatabase() });
    const records = new DownloadQueries(database);
    const [one, other] = [randomUUID(), randomUUID()];
    expect(await records.acquireBuildLease(one, 3_600_000, 60_000)).toBe(false);
    const turns = await Promise.all([one, other].map((holder) => records.acquireBuildLease(holder, 0, 60_000)));
    expect(turns.toSorted()).toEqual([false, true]);
    const [winner, loser] = turns[0] ? [one, other] : [other, one];
    expect(await records.extendTurn(loser, 60_000)).toBe(false);
    // The time of the first is over: whatever it does from then on has no effect.
    expect(await records.extendTurn(winner, -1)).toBe(true);
    expect(await records.acquireBuildLease(loser, 0, 60_000)).toBe(true);
    expect(await records.finish(winner, { jws: 'late', names: [] })).toBe(false);
    await records.addFile('used');
    await records.addFile('unused');
    expect(await records.finish(loser, { jws: 'in time', names: ['used'] })).toBe(true);
    expect(await records.listUnused(-1_000)).toEqual(['unused']);
    expect(await records.extendTurn(loser, 60_000)).toBe(false);
    await database.destroy();
  });

  it('read all fingerprints page by page, in order', async () => {
    const database = openDatabase({ connectionString: service.databaseUrl });
    const records = new DownloadQueries(database);
    const found: string[] = [];
    for (let after: Buffer | undefined; ; ) {
      const page = (await records.listFingerprints(after, 2)).flatMap(({ fingerprints }) =>
        Array.from({ length: fingerprints.length / 32 }, (_, index) =>
          Buffer.from(fingerprints.subarray(32 * index, 32 * index + 32)).toString('hex'),
        ),
      );
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(2);
      found.push(...page.toSorted());
      after = Buffer.from(found.at(-1) ?? '', 'hex');
    }
    const all = await rows<{ hex: string }>(
      `select encode(fingerprint, 'hex') as hex from artifacts where error_reason is null
       union select encode(fingerprint, 'hex') from chain_entries where manifest_id is not null order by 1`,
    );
    expect(found).toEqual(all.map(({ hex }) => hex));
    await database.destroy();
  });
});
