// Bulk lookups: what is shown of Artifacts, renditions and entries on chain, as JSON and as lines.

import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { createBrotliDecompress } from 'node:zlib';
import { LookupResult, linesMediaType } from '@provenance-registry/core';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../../test/support/domains.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';

const PATH = '/api/v1/public/lookups';
const writer = `0x${'a1'.repeat(20)}`;
const unspecified = { data_mining: null, ai_inference: null, ai_training: null, ai_generative_training: null };

let service: Registry;
let owner: TestUser;
let openMark: { id: string };
let secretMark: { id: string };

beforeAll(async () => {
  // Without a worker, which would take the entries below for those of another chain.
  service = await startRegistry(await unreachableChain());
  owner = await createUser(service, 'enterprise');
  openMark = (await createMark(service, owner, { name: 'Open', license: 'MIT', allowAiTraining: null })).body;
  secretMark = (await createMark(service, owner, { name: 'Clandestine', visibility: 'private' })).body;
  await setFresh(true);
});

const run = (sql: string, values: unknown[] = []) => query(service.databaseUrl, sql, values);

async function register(markId: string) {
  return (await createArtifact(service, owner, newArtifact({ markId }))).body;
}

async function setFresh(isFresh: boolean): Promise<void> {
  await run('delete from chain_mirror');
  await run(
    `insert into chain_mirror
       (chain_id, registry, first_block, mirrored_block, head_block, counted_block, checked_at)
     values (1, decode(repeat('00', 20), 'hex'), 0, 10, $1, 10, now() + interval '1 hour')`,
    [isFresh ? 12 : 13],
  );
}

async function addEntry(source: 1 | 2, manifestId: string | null, fingerprint = newFingerprint()) {
  await run(
    `insert into chain_entries
       (fingerprint, source, manifest_id, manifest_hash, registered_by, endpoints, block_number, log_index, registered_at)
     values (decode($1, 'hex'), $2, $3, decode(repeat('00', 32), 'hex'), decode($4, 'hex'), $5, 1, 0, '2026-01-02T03:04:05Z')`,
    [fingerprint.slice(2), source, manifestId, writer.slice(2), source === 2 ? ['https://one.example/api'] : null],
  );
  return fingerprint;
}

async function lookUp(...fingerprints: string[]) {
  const { status, body } = await call(service, 'POST', PATH, { body: { fingerprints } });
  expect([status, body.code]).toEqual([200, undefined]);
  for (const result of body.results) expect(Value.Errors(LookupResult, result)).toEqual([]);
  return body.results;
}

async function sendLines(lines: readonly string[]) {
  const headers = { 'content-type': linesMediaType };
  const response = await fetch(service.url + PATH, { method: 'POST', headers, body: lines.join('\n') });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, linesMediaType]);
  return (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a bulk lookup', () => {
  it('shows an Artifact of a public Mark with Mark, domain, license, preferences and time', async () => {
    const { id, fingerprint, createdAt } = await register(openMark.id);
    const license = { name: 'MIT License', url: 'https://spdx.org/licenses/MIT.html' };
    const facts = { fingerprint, match: 'artifact', manifestId: id, registeredAt: createdAt };
    const details = { license, licenseKey: 'MIT', aiPreferences: unspecified, contested: false, supersededBy: null };
    expect(await lookUp(fingerprint)).toEqual([{ ...facts, mark: { id: openMark.id, name: 'Open' }, ...details }]);

    const { id: otherId } = (await createMark(service, owner, { name: 'Before', allowAiTraining: false })).body;
    const other = await register(otherId);
    await addVerifiedDomain(service, otherId, 'later.example');
    await addVerifiedDomain(service, otherId, 'first.example', { since: new Date('2026-01-01') });
    await call(service, 'PUT', `/api/v1/marks/${otherId}`, {
      token: owner.token,
      body: { name: 'After', license: 'MIT' },
    });
    const notAllowed = { use: 'notAllowed' };
    expect(await lookUp(other.fingerprint)).toMatchObject([
      {
        mark: { id: otherId, name: 'After', nameAtRegistration: 'Before' },
        verifiedDomain: 'first.example',
        licenseKey: 'NONE_SPECIFIED',
        aiPreferences: { ai_training: notAllowed, ai_generative_training: notAllowed },
      },
    ]);
  });

  it('shows nothing but the manifest id of a private Mark, and no failed Artifact', async () => {
    const { id, fingerprint } = await register(secretMark.id);
    const failed = await register(openMark.id);
    await run("update artifacts set status = 3, error_reason = 'gone' where id = $1", [failed.id]);
    expect(await lookUp(fingerprint, failed.fingerprint)).toEqual([
      { fingerprint, match: 'artifact', manifestId: id },
      { fingerprint: failed.fingerprint, match: 'none', isChainKnown: true },
    ]);
  });

  it('finds renditions, and shows whether the Artifact is contested and whom it was conceded to', async () => {
    const { id, fingerprint } = await register(openMark.id);
    const rendition = newFingerprint();
    await run(
      `insert into artifacts (id, rendition_of, mark_id, created_by, fingerprint, manifest_hash, metadata)
       select gen_random_uuid(), id, mark_id, created_by, decode($2, 'hex'), manifest_hash, '{"mediaType":"image/png"}'
       from artifacts where id = $1`,
      [id, rendition.slice(2)],
    );
    const addClaim = (endedAs: string | null, markId: string | null) =>
      run(
        `insert into claims (id, artifact_id, contested_mark_id, claimant_id, mark_id, kind, statement, evidence_state,
           evidence_time, ended_as)
         select gen_random_uuid(), id, mark_id, created_by, $3, 'timestamp', 'Mine.', 'checked', now(), $2
         from artifacts where id = $1`,
        [id, endedAs, markId],
      );
    await addClaim(null, null);
    const found = { manifestId: id, contested: true, supersededBy: null };
    expect(await lookUp(fingerprint, rendition)).toMatchObject([
      { ...found, fingerprint },
      { ...found, fingerprint: rendition },
    ]);
    await addClaim('superseded', secretMark.id);
    const supersededBy = { id: secretMark.id, name: 'Private Mark' };
    expect(await lookUp(fingerprint)).toMatchObject([{ contested: true, supersededBy }]);
  });

  it('shows the entry on chain that counts, and says when the mirror of the chain is behind', async () => {
    await run("insert into chain_endpoints values (1, 0, '{https://old.example}'), (2, 0, '{https://new.example}')");
    const both = await addEntry(2, 'public-id');
    await addEntry(1, 'curated-id', both);
    const publicOnly = await addEntry(2, 'other-id');
    const unsafe = await addEntry(2, null);
    const own = await register(openMark.id);
    await addEntry(2, 'stranger', own.fingerprint);
    const none = newFingerprint();
    const onChain = { match: 'chain', registeredAt: '2026-01-02T03:04:05.000Z', registeredBy: expect.any(String) };
    const found = [
      {
        ...onChain,
        fingerprint: both,
        manifestId: 'curated-id',
        source: 'curated',
        endpoints: ['https://new.example'],
      },
      {
        ...onChain,
        fingerprint: publicOnly,
        manifestId: 'other-id',
        source: 'public',
        endpoints: ['https://one.example/api'],
      },
    ];
    const results = await lookUp(none, both, publicOnly, unsafe, own.fingerprint);
    expect(results.slice(0, 4)).toEqual([
      { fingerprint: none, match: 'none', isChainKnown: true },
      ...found,
      { fingerprint: unsafe, match: 'none', isChainKnown: true },
    ]);
    expect(results[1].registeredBy.toLowerCase()).toBe(writer);
    expect(results[4]).toMatchObject({ match: 'artifact', manifestId: own.id });
    await setFresh(false);
    expect(await lookUp(none, both)).toEqual([{ fingerprint: none, match: 'none', isChainKnown: false }, found[0]]);
    await setFresh(true);
  });

  it('answers lines and JSON alike, in the order asked, and each malformed line with its error', async () => {
    const { fingerprint } = await register(openMark.id);
    const wanted = Array.from({ length: 1_100 }, (_, index) => (index % 100 === 0 ? fingerprint : newFingerprint()));
    const asJson = await lookUp(...wanted);
    expect(asJson.map((result: LookupResult) => result.fingerprint)).toEqual(wanted);
    const lines = wanted.map((text, index) => JSON.stringify(index % 2 === 0 ? text : { fingerprint: text }));
    expect(await sendLines(lines)).toEqual(asJson);
    const malformed = [
      fingerprint.toUpperCase(),
      fingerprint.slice(2),
      7,
      [fingerprint],
      {},
      { fingerprint, file: 1 },
    ].map((value) => JSON.stringify(value));
    const mixed = await sendLines([
      ...lines.slice(0, 600),
      ...malformed,
      '{"fingerprint":',
      '"x"'.repeat(500),
      ...lines,
    ]);
    expect(mixed.slice(0, 600)).toEqual(asJson.slice(0, 600));
    expect(mixed.slice(600, 608).map(({ line, code, error }) => [line, code, typeof error])).toEqual(
      Array.from({ length: 8 }, (_, index) => [
        601 + index,
        index === 7 ? 'PAYLOAD_TOO_LARGE' : 'BAD_REQUEST',
        'string',
      ]),
    );
    expect(mixed.slice(608)).toEqual(asJson);
  });

  it('refuses JSON that is not a list of at most 10,000 fingerprints', async () => {
    const fingerprints = Array.from({ length: 10_000 }, () => newFingerprint());
    expect(await lookUp(...fingerprints)).toHaveLength(10_000);
    for (const body of [
      { fingerprints: [...fingerprints, newFingerprint()] },
      { fingerprints: [newFingerprint(), 'AB'.repeat(32)] },
      { fingerprints: newFingerprint() },
      {},
    ]) {
      expect(statusAndCode(await call(service, 'POST', PATH, { body }))).toEqual([400, 'BAD_REQUEST']);
    }
  });
});

describe('public reads', () => {
  it('have an entity tag, and are 304 until they change', async () => {
    const { fingerprint } = await register(openMark.id);
    const paths = [
      `/api/v1/public/artifacts/${fingerprint}`,
      `/api/v1/public/artifacts/${fingerprint}/claims`,
      `/api/v1/public/marks/${openMark.id}`,
      `/api/v1/public/marks/${openMark.id}/artifacts`,
      '/api/v1/gallery/marks',
      '/c2pa/contract',
    ];
    const read = (path: string, headers = {}) => call(service, 'GET', path, { headers });
    const tags = await Promise.all(paths.map(async (path) => (await read(path)).headers.get('etag') ?? ''));
    const readAgain = () =>
      Promise.all(
        paths.map(async (path, index) => {
          const { status, headers } = await read(path, { 'if-none-match': tags[index] });
          return [status, headers.get('cache-control')];
        }),
      );
    expect(await readAgain()).toEqual(paths.map(() => [304, 'public, no-cache']));
    await call(service, 'PUT', `/api/v1/marks/${openMark.id}`, { token: owner.token, body: { license: 'CC0-1.0' } });
    expect((await readAgain()).map(([status]) => status)).toEqual([200, 304, 200, 200, 200, 304]);
    const missing = await read(`/api/v1/public/artifacts/${newFingerprint()}`, { 'if-none-match': '*' });
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('are compressed as they arrive if they are lines', async () => {
    const headers = { 'content-type': linesMediaType, 'accept-encoding': 'br' };
    const request = openRequest(service.url + PATH, { method: 'POST', headers });
    request.write(`"${newFingerprint()}"\n`);
    const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['content-encoding']).toBe('br');
    const lines = response.pipe(createBrotliDecompress()).setEncoding('utf8');
    // The first result arrives although the request is not complete.
    expect(JSON.parse((await once(lines, 'data'))[0])).toMatchObject({ match: 'none' });
    request.end(`"${newFingerprint()}"\n`);
    expect(JSON.parse(await text(lines))).toMatchObject({ match: 'none' });
  });
});
