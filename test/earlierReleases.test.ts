// What earlier releases wrote is read by this one: databases with idempotency records, journals of the command, bundles and
// signed downloads. The files are in `fixtures/releases`.

import { cp, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openJournal } from '../packages/cli/src/register/journal.js';
import { toBytePath } from '../packages/cli/src/walk/paths.js';
import { Machine } from '../packages/cli/test/support/machine.js';
import { parseBundle, verifyBundle } from '../packages/client/src/index.js';
import { createEarlierDatabase } from './support/postgres.js';
import { call, type Service, startService, temporaryFolder } from './support/service.js';

const { setQuickPasswords }: { setQuickPasswords(isQuick: boolean): void } = createRequire(import.meta.url)(
  './support/quickPasswords.cjs',
);

const folder = fileURLToPath(new URL('fixtures/releases/', import.meta.url));
const releases = (await readdir(folder, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const SUNRISE = '0xe9f2a0186210e30a516d12b001717fc17b1887acad69faf5c2141067f3f6b094';

const readText = (release: string, file: string) => readFile(join(folder, release, file), 'utf8');

interface Requests {
  readonly firstMissingMigration: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly requests: readonly {
    readonly path: string;
    readonly key: string;
    readonly body: Record<string, unknown>;
    readonly response: Record<string, unknown>;
  }[];
}

async function readRequests(release: string): Promise<Requests> {
  return JSON.parse(await readText(release, 'requests.json'));
}

/** Starts the service of today on the database of that release. */
async function startUpgraded(release: string): Promise<Service> {
  const { firstMissingMigration } = await readRequests(release);
  const DATABASE_URL = await createEarlierDatabase(inject('postgresUrl'), firstMissingMigration);
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query(await readText(release, 'database.sql'));
  await client.end();
  const service = await startService({ DATABASE_URL });
  // Their passwords were not hashed quickly.
  setQuickPasswords(false);
  return service;
}

describe.each(releases)('what release %s wrote', (release) => {
  it('answers retries with their idempotency keys, lets its users log in and its API keys in', async () => {
    const service = await startUpgraded(release);
    const { email, password, apiKey, requests } = await readRequests(release);
    const login = await call(service, 'POST', '/api/v1/auth/login', { body: { email, password } });
    expect(login.status).toBe(200);
    const { token } = login.body;
    expect((await call(service, 'GET', '/api/v1/marks', { token: apiKey })).status).toBe(200);
    expect(requests.length).toBeGreaterThan(1);
    for (const { path, key, body, response } of requests) {
      const headers = { 'idempotency-key': key };
      const retry = await call(service, 'POST', path, { token, body, headers });
      expect([retry.status, retry.body.error]).toEqual([201, undefined]);
      const { id, fingerprint, metadata, c2paAssets, createdAt } = response;
      expect(retry.body).toMatchObject({ id, fingerprint, metadata, createdAt });
      expect(retry.body.c2paAssets).toMatchObject({ assetId: (c2paAssets as { assetId: string }).assetId });
      const other = await call(service, 'POST', path, { token, body: { ...body, filename: 'other.jpg' }, headers });
      expect([other.status, other.body.code]).toEqual([409, 'CONFLICT']);
      expect((await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, { token })).body.id).toBe(id);
    }
  });

  it('continues its journals: each file with its key and its Artifact', async () => {
    const journals = await temporaryFolder();
    await cp(join(folder, release, 'journal'), journals, { recursive: true });
    const [name = ''] = await readdir(journals);
    const [header = '', ...lines] = (await readFile(join(journals, name), 'utf8')).trim().split('\n');
    const { url, markId, folder: registered } = JSON.parse(header);
    const journal = await openJournal(
      journals,
      { url, markId, folder: toBytePath(registered) },
      { readsOwnWrites: false },
    );
    // The last record of a path counts.
    const last = new Map(lines.map((line) => JSON.parse(line)).map((record) => [record.path, record]));
    expect(last.size).toBeGreaterThan(1);
    for (const [path, { key, fingerprint, registered: artifact, size }] of last) {
      expect(journal.get(toBytePath(path))).toMatchObject({
        fingerprint,
        idempotencyKey: key,
        registered: artifact,
        identity: { size },
      });
    }
    await journal.close();
    expect(await readdir(journals)).toEqual([name]);
  });

  it('verifies its bundles', async () => {
    const bundle = parseBundle(JSON.parse(await readText(release, 'bundle.json')));
    const trustAnchorsPem = await readText(release, 'roots.pem');
    const { verdict, facts } = await verifyBundle(bundle, { fingerprint: SUNRISE, trustAnchorsPem });
    const author = facts.find(({ name }) => name === 'author');
    expect([verdict, author?.value, author?.evidence]).toEqual(['verified', 'Ada Lovelace', ['manifest']]);
  });
});

describe('signed downloads', () => {
  const withDownloads: string[] = [];
  afterAll(() => expect(withDownloads).toContain('before-0.3.0'));

  it.each(releases)('of release %s are read, whether or not they are out of date', async (release) => {
    if (!(await readdir(join(folder, release))).includes('downloads')) return;
    withDownloads.push(release);
    const downloads = await temporaryFolder();
    await cp(join(folder, release, 'downloads'), downloads, { recursive: true });
    const machine = await Machine.create({ PROVENANCE_URL: 'http://127.0.0.1:9012' });
    const options = ['--exact', '--folder', downloads, '--trust-anchors', join(folder, release, 'roots.pem')];
    const { code, stdout } = await machine.run(['file', 'filter', ...options], `${SUNRISE}\n`);
    expect([0, 3]).toContain(code);
    expect(stdout).toMatch(new RegExp(`^${SUNRISE} registered data_mining=notAllowed`));
  });
});
