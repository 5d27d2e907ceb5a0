// Batches of Artifacts: each item gets what it would have got alone, and the list of one's own Artifacts across Marks.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  expectConsistentStorage,
  getArtifact,
  newArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { startCuttingProxy } from '../support/cuttingProxy.js';

let service: Registry;
let owner: TestUser;
let markId: string;

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), BILLING: 'self-serve' });
  owner = await createUser(service, 'enterprise');
  markId = (await createMark(service, owner, { license: 'CC-BY-4.0' })).body.id;
});

interface Result {
  readonly status: number;
  readonly artifact?: { readonly id: string; readonly fingerprint: string };
  readonly code?: string;
}

function sendBatch({ token }: { token: string }, artifacts: unknown) {
  return call(service, 'POST', '/api/v1/artifacts/batch', { token, body: { artifacts } });
}

async function createBatch(caller: { token: string }, artifacts: unknown): Promise<Result[]> {
  const { status, body } = await sendBatch(caller, artifacts);
  expect(status).toBe(200);
  return body.results;
}

/** Counts statements about what a creation reads and writes. Those that are prepared are sent by name from the second time on. */
class Statements {
  count = 0;
  readonly #texts = new Map<string, string>();

  add(message: Buffer): void {
    const [name] = /statement_\d+/.exec(message.subarray(0, 32).toString('latin1')) ?? [];
    if (name === undefined) return;
    // The message that prepares it has its text.
    if (message.readUInt8(0) === 'P'.charCodeAt(0)) this.#texts.set(name, message.toString('latin1'));
    if (/\b(api_keys|organizations|marks|drafts|artifacts)\b/.test(this.#texts.get(name) ?? '')) this.count += 1;
  }
}

/** As many as are answered together: the first results are not sent before the last is registered. */
const PIECE = 500;

const countArtifacts = async () =>
  Number((await query<{ count: string }>(service.databaseUrl, 'select count(*) from artifacts'))[0]?.count);

describe('a batch', () => {
  it('answers in order, each as a call of its own', async () => {
    const stranger = await createUser(service, 'enterprise');
    const { body: strange } = await createMark(service, stranger);
    const [taken, first] = [newFingerprint(), newFingerprint()];
    expect((await createArtifact(service, owner, newArtifact({ markId, fingerprint: taken }))).status).toBe(201);
    const items: unknown[] = [
      newArtifact({ markId: markId.toUpperCase(), fingerprint: first, size: 5, authorshipStated: true }),
      newArtifact({ markId, fingerprint: taken }),
      newArtifact({ markId: randomUUID() }),
      newArtifact({ markId: strange.id }),
      newArtifact({ markId, fingerprint: '0xABC', size: -1 }),
      newArtifact({ markId, filename: undefined }),
      newArtifact({ markId, previousFingerprint: newFingerprint() }),
      newArtifact({ markId, idempotencyKey: '' }),
      newArtifact({ markId, previousFingerprint: taken }),
      newArtifact({ markId, authorshipStatd: true }),
    ];
    const results = await createBatch(owner, items);
    for (const [index, item] of items.entries()) {
      const { artifact, status, ...error } = results[index] ?? { status: 0 };
      if (status === 201) {
        const { body } = await getArtifact(service, owner, String(artifact?.fingerprint));
        // Their number is that of the moment.
        expect({ ...artifact, mark: { ...body.mark } }).toEqual({ ...body, log: { status: 'pending' } });
      } else if (index !== 7) {
        const alone = await createArtifact(service, owner, item);
        expect([index, status, error]).toEqual([index, alone.status, alone.body]);
      }
    }
    expect(results.map(({ status }) => status)).toEqual([201, 409, 404, 403, 400, 400, 400, 400, 201, 400]);
    expect(results[0]?.artifact).toMatchObject({ fingerprint: first, authorshipStated: true, metadata: { size: 5 } });
    expect(results[7]).toMatchObject({ problems: [{ path: '/idempotencyKey' }] });
    const others = await createBatch(owner, [null, 7, 'text', [], { markId }]);
    expect(others.map(({ status, code }) => [status, code])).toEqual(Array(5).fill([400, 'BAD_REQUEST']));
    await expectConsistentStorage(service);
  });

  it('keeps the order of items that depend on each other', async () => {
    const [fingerprint, later] = [newFingerprint(), newFingerprint()];
    const key = randomUUID();
    const item = { markId, fingerprint, filename: 'first.txt', idempotencyKey: key };
    const results = await createBatch(owner, [
      item,
      { ...item, idempotencyKey: undefined, filename: 'second.txt' },
      item,
      { ...item, fingerprint: newFingerprint() },
      newArtifact({ markId, fingerprint: later, previousFingerprint: fingerprint }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([201, 409, 201, 409, 201]);
    expect(results[0]?.artifact).toMatchObject({ metadata: { filename: 'first.txt' } });
    expect(results[2]).toEqual(results[0]);
    expect(results[3]).toMatchObject({ error: 'This idempotency key was used for another request.' });
    // The same keys as those of single calls.
    const { idempotencyKey: _, ...body } = item;
    expect((await createArtifact(service, owner, body, { key })).body).toEqual(results[0]?.artifact);
    expect(await createBatch(owner, [item])).toEqual(results.slice(0, 1));
  });

  it('registers all of its items once, also when it is sent twice at the same time', async () => {
    const items = Array.from({ length: 60 }, (_, index) =>
      newArtifact({ markId, filename: `${index}.jpg`, idempotencyKey: `${index} ${randomUUID()}` }),
    );
    const before = await countArtifacts();
    const [one, two] = await Promise.all([createBatch(owner, items), createBatch(owner, items)]);
    expect(one.map(({ artifact }) => artifact?.fingerprint)).toEqual(items.map(({ fingerprint }) => fingerprint));
    expect(two).toEqual(one);
    expect((await countArtifacts()) - before).toBe(60);
    await expectConsistentStorage(service);
  });

  it('shares its statements: they are few for hundreds of items', async () => {
    const statements = new Statements();
    const proxy = await startCuttingProxy(await createMigratedDatabase(), (message) => statements.add(message));
    const environment = { ...(await unreachableChain()), BILLING: 'self-serve', DATABASE_URL: proxy.url };
    const registry = await startRegistry(environment);
    const ada = await createUser(registry, 'enterprise');
    const organizationId = await createOrganization(registry, ada);
    const { body: mark } = await createMark(registry, ada, { organizationId });
    const { body: key } = await createApiKey(registry, ada, organizationId);
    const artifacts = Array.from({ length: 300 }, () => newArtifact({ markId: mark.id, idempotencyKey: randomUUID() }));
    const before = statements.count;
    const { body } = await call(registry, 'POST', '/api/v1/artifacts/batch', { token: key.token, body: { artifacts } });
    expect(body.results.map(({ status }: Result) => status)).toEqual(artifacts.map(() => 201));
    // Each of three slices needs seven, and background work looks at these tables now and then.
    expect(statements.count - before).toBeLessThan(60);
  });

  it('that is not a list of 1 to 1,000 items, or too large, is refused as a whole', async () => {
    const before = await countArtifacts();
    const valid = newArtifact({ markId });
    const large = Array.from({ length: 500 }, () => ({ ...valid, filename: 'x'.repeat(13_000) }));
    for (const [artifacts, expected] of [
      [undefined, [400, 'BAD_REQUEST']],
      [valid, [400, 'BAD_REQUEST']],
      [[], [400, 'BAD_REQUEST']],
      [Array.from({ length: 1_001 }, () => valid), [400, 'BAD_REQUEST']],
      [large, [413, 'PAYLOAD_TOO_LARGE']],
    ] as const) {
      expect(statusAndCode(await sendBatch(owner, artifacts))).toEqual(expected);
    }
    expect(await countArtifacts()).toBe(before);
  });

  it('with 1,000 of the longest names in ASCII is not too large', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) =>
      newArtifact({
        markId: randomUUID(),
        filename: `${index} `.padEnd(1_024, 'x'),
        mediaType: `text/${'x'.repeat(250)}`,
        idempotencyKey: 'k'.repeat(255),
      }),
    );
    const results = await createBatch(owner, items);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([404]));
  });

  it('reaches the limit of a tier exactly', async () => {
    const free = await createUser(service);
    const { body: mark } = await createMark(service, free);
    const items = () => Array.from({ length: 20 }, () => newArtifact({ markId: mark.id }));
    const batches = await Promise.all([createBatch(free, items()), createBatch(free, items())]);
    const statuses = batches.flat().map(({ status, code }) => `${status} ${code ?? ''}`);
    expect(statuses.filter((status) => status === '201 ')).toHaveLength(25);
    expect(statuses.filter((status) => status === '403 TIER_RESTRICTION')).toHaveLength(15);
    await expectConsistentStorage(service);
  });

  it('stops creating when its API key is revoked, and keeps what it has created', async () => {
    const organizationId = await createOrganization(service, owner);
    const { body: mark } = await createMark(service, owner, { organizationId });
    const { body: key } = await createApiKey(service, owner, organizationId);
    const items = Array.from({ length: PIECE }, () => newArtifact({ markId: mark.id }));
    const running = createBatch(key, items);
    const countOfMark = async () => {
      const rows = await query<{ count: string }>(
        service.databaseUrl,
        `select count(*) from artifacts where mark_id = '${mark.id}'`,
      );
      return Number(rows[0]?.count);
    };
    await expect.poll(countOfMark).toBeGreaterThan(0);
    const path = `/api/v1/api-keys/${key.id}?organizationId=${organizationId}`;
    expect((await call(service, 'DELETE', path, { token: owner.token })).status).toBe(204);
    const results = await running;
    const created = results.filter(({ status }) => status === 201);
    const refused = results.filter(({ status, code }) => status === 401 && code === 'UNAUTHORIZED');
    expect(refused.length).toBeGreaterThan(0);
    expect(created.length + refused.length).toBe(PIECE);
    expect(await countOfMark()).toBe(created.length);
    await expectConsistentStorage(service);
  });

  it('whose client goes away stops, and what was recorded is complete', async () => {
    const items = Array.from({ length: PIECE }, () => newArtifact({ markId }));
    const fingerprints = items.map(({ fingerprint }) => `\\x${fingerprint.slice(2)}`);
    const countSent = async () => {
      const rows = await query<{ count: string }>(
        service.databaseUrl,
        'select count(*) from artifacts where fingerprint = any($1::bytea[])',
        [fingerprints],
      );
      return Number(rows[0]?.count);
    };
    const client = new AbortController();
    const sent = fetch(`${service.url}/api/v1/artifacts/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ artifacts: items }),
      signal: client.signal,
    });
    await expect.poll(countSent).toBeGreaterThan(0);
    client.abort();
    await expect(sent).rejects.toThrow();
    // All creations in progress end their drafts.
    await expect.poll(() => query(service.databaseUrl, 'select * from drafts')).toEqual([]);
    expect(await countSent()).toBeLessThan(PIECE);
    await expectConsistentStorage(service);
  });
});

describe('a batch of lines', () => {
  async function sendLines(lines: readonly string[], { token } = owner) {
    const response = await fetch(`${service.url}/api/v1/artifacts/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    const text = await response.text();
    const isLines = response.headers.get('content-type') === 'application/x-ndjson';
    return {
      status: response.status,
      results: isLines
        ? text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    };
  }

  it('answers each line; one that is malformed gets its own error', async () => {
    const items = Array.from({ length: 4 }, (_, index) => newArtifact({ markId, filename: `line ${index}` }));
    const [first, second, third, fourth] = items.map((item) => JSON.stringify(item));
    const lines = [
      first,
      '{"markId":',
      second,
      '',
      'null',
      `{"filename": "${'x'.repeat(40_000)}"}`,
      third,
      first,
      fourth,
    ];
    const { status, results } = await sendLines(lines.map(String));
    expect([status, results.map((result) => result.status)]).toEqual([200, [201, 400, 201, 400, 413, 201, 409, 201]]);
    expect(results.flatMap(({ artifact }) => artifact?.fingerprint ?? [])).toEqual(
      items.map(({ fingerprint }) => fingerprint),
    );
    const marks = await call(service, 'GET', '/api/v1/marks', { token: owner.token });
    const { body: mark } = await call(service, 'GET', `/api/v1/marks/${markId}`, { token: owner.token });
    expect(marks.body).toContainEqual(mark);
  });

  it('has at most 1,000, and needs a token', async () => {
    const lines = Array.from({ length: 1_001 }, () => '{}');
    const { results } = await sendLines(lines);
    expect([results.length, results[999], results[1_000]]).toMatchObject([
      1_001,
      { status: 400 },
      { code: 'PAYLOAD_TOO_LARGE' },
    ]);
    expect((await sendLines(['{}'], { ...owner, token: 'none' })).status).toBe(401);
  });
});

describe("the list of one's own Artifacts", () => {
  const list = async ({ token }: { token: string }, search = '') => {
    const { status, body } = await call(service, 'GET', `/api/v1/artifacts${search}`, { token });
    expect([status, body.code]).toEqual([200, undefined]);
    return body;
  };
  const names = (page: { artifacts: { metadata: { filename: string } }[] }) =>
    page.artifacts.map(({ metadata }) => metadata.filename);

  let ada: TestUser;
  let bea: TestUser;
  let key: { token: string };
  let privateId: string;
  beforeAll(async () => {
    [ada, bea] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
    const organizationId = await createOrganization(service, ada);
    key = (await createApiKey(service, ada, organizationId)).body;
    const { body: own } = await createMark(service, ada, { visibility: 'private' });
    const { body: shared } = await createMark(service, ada, { organizationId });
    privateId = own.id;
    expect((await addMarkMember(service, ada, own.id, bea)).status).toBe(200);
    const { body: foreign } = await createMark(service, bea);
    const files: [string, string, string][] = [
      [own.id, 'Sunrise 100%.jpg', '2026-01-01T10:00:00Z'],
      [shared.id, 'ÉTÉ_1.png', '2026-01-02T10:00:00Z'],
      [own.id, 'e\u0301te\u0301 2.PNG', '2026-01-03T10:00:00.000001Z'],
      [shared.id, 'notes [draft].txt', '2026-01-03T10:00:00Z'],
      [foreign.id, 'of Bea.txt', '2026-01-04T10:00:00Z'],
    ];
    for (const [id, filename, at] of files) {
      const { body } = await createArtifact(
        service,
        id === foreign.id ? bea : ada,
        newArtifact({ markId: id, filename }),
      );
      await query(service.databaseUrl, 'update artifacts set created_at = $1 where id = $2', [at, body.id]);
    }
    await query(service.databaseUrl, "update artifacts set status = 2 where metadata ->> 'filename' like 'Sunrise%'");
  });

  it('has those of all Marks that the caller may register under, newest first', async () => {
    const all = ['e\u0301te\u0301 2.PNG', 'notes [draft].txt', 'ÉTÉ_1.png', 'Sunrise 100%.jpg'];
    expect(names(await list(ada))).toEqual(all);
    expect(names(await list(key))).toEqual(['notes [draft].txt', 'ÉTÉ_1.png']);
    expect(names(await list(bea))).toEqual(['of Bea.txt', 'e\u0301te\u0301 2.PNG', 'Sunrise 100%.jpg']);
    expect(await list(await createUser(service))).toEqual({ artifacts: [], nextCursor: null });
    const [newest] = (await list(ada)).artifacts;
    expect(newest).toEqual((await getArtifact(service, ada, newest.fingerprint)).body);
  });

  it.each<[string, string[]]>([
    ['newest', ['e\u0301te\u0301 2.PNG', 'notes [draft].txt', 'ÉTÉ_1.png', 'Sunrise 100%.jpg']],
    ['oldest', ['Sunrise 100%.jpg', 'ÉTÉ_1.png', 'notes [draft].txt', 'e\u0301te\u0301 2.PNG']],
    ['name', ['e\u0301te\u0301 2.PNG', 'notes [draft].txt', 'Sunrise 100%.jpg', 'ÉTÉ_1.png']],
  ])('has each once in the order %s, in pages of any size', async (sort, expected) => {
    for (const limit of [1, 3, 4]) {
      const paged: string[] = [];
      for (let search = `?sort=${sort}&limit=${limit}`; ; ) {
        const page = await list(ada, search);
        paged.push(...names(page));
        if (page.nextCursor === null) break;
        search = `?sort=${sort}&limit=${limit}&cursor=${page.nextCursor}`;
      }
      expect(paged).toEqual(expected);
    }
  });

  it.each<[string, string[]]>([
    ['name=sunrise', ['Sunrise 100%.jpg']],
    ['name=0%25', ['Sunrise 100%.jpg']],
    ['name=%25%25', []],
    ['name=_', ['ÉTÉ_1.png']],
    ['name=.PNG', ['e\u0301te\u0301 2.PNG', 'ÉTÉ_1.png']],
    ['name=[dRaft]', ['notes [draft].txt']],
    ['name=.*', []],
    ['name=\u00e9t\u00c9', ['e\u0301te\u0301 2.PNG', 'ÉTÉ_1.png']],
    ['name=e\u0301t', ['e\u0301te\u0301 2.PNG', 'ÉTÉ_1.png']],
    ['name=Bea', []],
    ['status=submitted', ['Sunrise 100%.jpg']],
    ['status=failed', []],
    ['from=2026-01-03', ['e\u0301te\u0301 2.PNG', 'notes [draft].txt']],
    ['from=2026-01-02T10:00:00Z&to=2026-01-03T10:00:00Z', ['ÉTÉ_1.png']],
    ['to=2026-01-01', []],
    ['kind=other', ['e\u0301te\u0301 2.PNG', 'notes [draft].txt', 'ÉTÉ_1.png', 'Sunrise 100%.jpg']],
    ['kind=image', []],
    ['sort=oldest&name=t', ['ÉTÉ_1.png', 'notes [draft].txt', 'e\u0301te\u0301 2.PNG']],
    ['name=n&status=pending&from=2026-01-03', ['e\u0301te\u0301 2.PNG', 'notes [draft].txt']],
  ])('finds by %s', async (search, expected) => {
    expect(names(await list(ada, `?${encodeURI(search).replaceAll('%25', '%')}`))).toEqual(expected);
  });

  it('of one Mark has none if the caller may not register under it', async () => {
    expect(names(await list(ada, `?markId=${privateId.toUpperCase()}`))).toHaveLength(2);
    expect(names(await list(bea, `?markId=${privateId}&name=sun`))).toEqual(['Sunrise 100%.jpg']);
    for (const other of [key, owner]) expect(names(await list(other, `?markId=${privateId}`))).toEqual([]);
  });

  it('refuses what is no time, no name or no cursor', async () => {
    for (const search of [
      'from=yesterday',
      'to=2026-02-30',
      'name=',
      'name=%00',
      'sort=size',
      'kind=picture',
      'limit=0',
      `cursor=${randomUUID()}`,
    ]) {
      const response = await call(service, 'GET', `/api/v1/artifacts?${search}`, { token: ada.token });
      expect([search, ...statusAndCode(response)]).toEqual([search, 400, 'BAD_REQUEST']);
    }
  });
});
