// The two stages of a lookup: own records, then the registries on chain; and lookups while a part is unavailable.

import { getAddress } from 'viem';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import { newFile, type TestFile, toTestFile } from '../../../../test/support/files.js';
import { createDatabase, createMigratedDatabase, query, startPostgres } from '../../../../test/support/postgres.js';
import { writePublicEntry } from '../../../../test/support/publicRegistry.js';
import { startRegistryChain } from '../../../../test/support/registryChain.js';
import { call, type Service, startService } from '../../../../test/support/service.js';
import { testWallet } from '../../../../test/support/wallets.js';
import { deleteRecords, lookUp, registerFile, sendRaw, waitUntilSubmitted } from '../support/resolution.js';

let service: Service;
let databaseUrl: string;
let rpcUrl: string;
let owner: TestUser;
let mark: { token: string; markId: string };
let api: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  service = await startService({ DATABASE_URL: databaseUrl });
  rpcUrl = (await call(service, 'GET', '/c2pa/contract')).body.rpcUrl;
  api = `${service.url}/api/c2pa`;
  owner = await createUser(service, 'creator');
  mark = await markOf(service, owner);
});

async function markOf(at: Service, { token }: { token: string }) {
  return { token, markId: String((await createMark(at, { token })).body.id) };
}

async function submitted(file: TestFile): Promise<string> {
  const id = await registerFile(service, mark, file);
  await waitUntilSubmitted(service, owner.token, file);
  return id;
}

/** A service with its own records that only reads the chain: its Artifacts stay pending. */
async function startReader(environment: Record<string, string> = {}): Promise<Service> {
  const { body } = await call(service, 'GET', '/c2pa/contract');
  return startService({ ROLE: 'api', RPC_URL: rpcUrl, REGISTRY_ADDRESS: body.address, ...environment });
}

/** The chain read has a deadline of a second: on a busy machine it may take another lookup. */
const shown = (at: Service, { value }: TestFile, more: Record<string, string> = {}) =>
  expect.poll(async () => (await lookUp(at, value, more)).body);

const shop = { endpoints: ['https://one.example/api', 'https://two.example/c2pa'], manifestId: 'urn:c2pa:shop-7' };

describe('the two stages of a lookup', () => {
  it('return only the own record, also if both registries on chain have the fingerprint', async () => {
    const file = newFile();
    await writePublicEntry(service, rpcUrl, file, shop);
    const manifestId = await submitted(file);
    const { body } = await lookUp(service, file.value);
    expect(body).toEqual({ matches: [{ manifestId, endpoint: api, similarityScore: 100 }] });
  });

  it('return the curated entry with its writer if there is no record, before a public one', async () => {
    const file = newFile();
    const stranger = await writePublicEntry(service, rpcUrl, file, shop);
    const manifestId = await submitted(file);
    await deleteRecords(databaseUrl, manifestId);
    await shown(service, file).toEqual({
      matches: [
        {
          manifestId,
          endpoint: api,
          similarityScore: 100,
          source: 'curated',
          registeredBy: expect.stringMatching(new RegExp(`^(?!${stranger})0x[0-9a-fA-F]{40}$`)),
        },
      ],
    });
  });

  it('return a public entry as one match per endpoint, up to maxResults', async () => {
    const file = newFile();
    const registeredBy = await writePublicEntry(service, rpcUrl, file, shop);
    const matches = shop.endpoints.map((endpoint) => ({
      manifestId: shop.manifestId,
      endpoint,
      similarityScore: 100,
      source: 'public',
      registeredBy,
    }));
    await shown(service, file).toEqual({ matches });
    await shown(service, file, { maxResults: '1' }).toEqual({ matches: matches.slice(0, 1) });
    const posted = async () => {
      const body = { alg: 'sha256', value: file.value };
      return (await call(service, 'POST', '/api/c2pa/matches/byBinding?maxResults=1', { body })).body;
    };
    await expect.poll(posted).toEqual({ matches: matches.slice(0, 1) });
    const sent = async () => {
      const content = { method: 'POST', body: file.bytes };
      return JSON.parse(String((await sendRaw(service, '/api/c2pa/matches/byContent?maxResults=1', content)).body));
    };
    await expect.poll(sent).toEqual({ matches: matches.slice(0, 1) });
  });

  it('return the earliest of several public entries', async () => {
    const file = newFile();
    const first = await writePublicEntry(service, rpcUrl, file, { ...shop, account: 2 });
    await writePublicEntry(service, rpcUrl, file, {
      endpoints: ['https://late.example'],
      manifestId: 'late',
      account: 3,
    });
    await shown(service, file).toMatchObject({ matches: [{ registeredBy: first }, { registeredBy: first }] });
  });

  it('return all endpoints of an entry', async () => {
    const file = newFile();
    const endpoints = Array.from({ length: 8 }, (_, index) => `https://mirror-${index}.example`);
    await writePublicEntry(service, rpcUrl, file, { endpoints, manifestId: 'many' });
    await shown(service, file).toMatchObject({ matches: endpoints.map((endpoint) => ({ endpoint })) });
  });

  it('ignore an entry whose endpoint is not a web URL', async () => {
    const file = newFile();
    await writePublicEntry(service, rpcUrl, file, { endpoints: ['javascript:alert(1)'], manifestId: 'x' });
    const { status, body } = await lookUp(service, file.value);
    expect([status, body]).toEqual([200, { matches: [] }]);
  });

  it('lead another service that shares only the chain to the one with the manifest', async () => {
    const file = newFile();
    const manifestId = await submitted(file);
    const reader = await startReader();
    await shown(reader, file).toMatchObject({ matches: [{ manifestId, endpoint: api, source: 'curated' }] });
    const found = await fetch(`${api}/manifests/${manifestId}`);
    expect(found.status).toBe(200);
  });
});

describe('an Artifact', () => {
  let reader: Service;
  let readerMark: typeof mark;
  let url: string;
  beforeAll(async () => {
    url = await createDatabase(inject('postgresUrl'));
    reader = await startReader({ DATABASE_URL: url });
    readerMark = await markOf(reader, await createUser(reader, 'creator'));
  });
  const get = (id: string, accept: string) => sendRaw(reader, `/api/c2pa/manifests/${id}`, { headers: { accept } });

  it('that is pending is found, but its manifest only after that state', async () => {
    const file = newFile();
    const id = await registerFile(reader, readerMark, file);
    expect((await lookUp(reader, file.value)).body.matches).toEqual([
      { manifestId: id, endpoint: `${reader.url}/api/c2pa`, similarityScore: 100 },
    ]);
    for (const accept of ['*/*', 'application/c2pa']) {
      const { status, headers, body } = await get(id, accept);
      const error = 'The manifest is not available yet: the Artifact is pending.';
      expect([status, headers['retry-after'], JSON.parse(String(body))]).toEqual([
        404,
        '2',
        { error, code: 'NOT_FOUND' },
      ]);
    }
    // Submitting, submitted, confirmed.
    for (const status of [1, 2, 4]) {
      await query(url, 'update artifacts set status = $1 where id = $2', [status, id]);
      for (const accept of ['*/*', 'application/c2pa']) expect((await get(id, accept)).status).toBe(200);
    }
  });

  it('that has failed is not found, and its fingerprint can be registered again', async () => {
    const file = newFile();
    const id = await registerFile(reader, readerMark, file);
    await query(url, "update artifacts set status = 3, error_reason = 'no money' where id = $1", [id]);
    expect((await lookUp(reader, file.value)).body).toEqual({ matches: [] });
    for (const accept of ['*/*', 'application/c2pa']) {
      const { status, headers } = await get(id, accept);
      expect([status, headers['retry-after']]).toEqual([404, undefined]);
    }
    const again = await registerFile(reader, readerMark, file);
    expect((await lookUp(reader, file.value)).body.matches).toMatchObject([{ manifestId: again }]);
  });

  it('that has failed leaves the lookup to the chain', async () => {
    const file = newFile();
    const id = await registerFile(reader, readerMark, file);
    await query(url, "update artifacts set status = 3, error_reason = 'no money' where id = $1", [id]);
    await writePublicEntry(service, rpcUrl, file, shop);
    await shown(reader, file).toMatchObject({ matches: [{ source: 'public' }, { source: 'public' }] });
  });
});

describe('while a part is unavailable', () => {
  it('a missing chain does not affect own records or slow lookups, and the status reports it', async () => {
    const chain = await startRegistryChain();
    const reader = await startService({ ROLE: 'api', RPC_URL: chain.url, REGISTRY_ADDRESS: chain.registry });
    const onChain = newFile();
    await chain.registerPublic(testWallet(0), onChain.fingerprint, shop.endpoints, shop.manifestId);
    const own = newFile();
    const ownId = await registerFile(reader, await markOf(reader, await createUser(reader)), own);
    await shown(reader, onChain).toMatchObject({ matches: [{ source: 'public' }, { source: 'public' }] });
    const health = () => call(reader, 'GET', '/api/c2pa/services/status');
    await expect.poll(async () => (await health()).body.status).toBe('ok');

    chain.misbehave((response) => response.destroy());
    const callsBefore = chain.requests.length;
    for (let asked = 0; asked < 20; asked += 1) {
      const answer = await lookUp(reader, onChain.value);
      expect([answer.status, answer.body]).toEqual([200, { matches: [] }]);
    }
    // Lookups do not wait for a node that has failed several times.
    expect(chain.requests.length - callsBefore).toBeLessThan(20);
    expect((await lookUp(reader, own.value)).body.matches[0].manifestId).toBe(ownId);
    const status = await health();
    expect([status.status, status.body.status]).toEqual([200, 'degraded']);
    expect((await call(reader, 'GET', '/c2pa/contract')).body.address).toBe(getAddress(chain.registry));
  });

  it('a missing database is reported, and lookups return 503 with Retry-After, to pages too', async () => {
    const postgres = await startPostgres();
    try {
      const alone = await startReader({ DATABASE_URL: await createDatabase(postgres.url) });
      await postgres.stop('SIGKILL');
      const status = await call(alone, 'GET', '/api/c2pa/services/status');
      expect([status.status, status.body.status]).toEqual([200, 'down']);
      const answer = await lookUp(alone, toTestFile(Buffer.from('x')).value);
      expect(statusAndCode(answer)).toEqual([503, 'UNAVAILABLE']);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    } finally {
      await postgres.remove();
    }
  });
});
