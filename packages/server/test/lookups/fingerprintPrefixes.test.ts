// Lists of registered fingerprints by prefix: what is in them, their pages, and what they keep back.

import type { FingerprintBucket, PrefixEntry } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode } from '../../../../test/support/accounts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call, type Service, startService } from '../../../../test/support/service.js';
import { testWallet } from '../../../../test/support/wallets.js';
import { addMirroredEntry, type MirroredEntry, setMirror } from '../support/mirror.js';
import { registerFile } from '../support/resolution.js';

type Fingerprint = `0x${string}`;

let databaseUrl: string;
let service: Service;
let token: string;
const marks = { public: '', private: '' };

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  // Without a worker and without a node: the mirror is what the tests make it.
  service = await startService({
    DATABASE_URL: databaseUrl,
    ROLE: 'api',
    RPC_URL: 'http://127.0.0.1:9',
    REGISTRY_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  });
  ({ token } = await createUser(service, 'creator'));
  for (const visibility of ['public', 'private'] as const) {
    marks[visibility] = String((await createMark(service, { token }, { visibility })).body.id);
  }
  await query(databaseUrl, "insert into chain_endpoints values (1, 0, '{https://curated.example/api/c2pa}')");
  await setMirror(databaseUrl);
});

/** With these first digits; the other ones are random, or all the same. */
function fingerprintWith(prefix: string, rest?: string): Fingerprint {
  const digits = rest?.repeat(64) ?? randomBytes(32).toString('hex');
  return `0x${prefix}${digits.slice(prefix.length)}`;
}

const list = (prefix: string, query: Record<string, string> = {}) =>
  call(service, 'GET', `/api/v1/public/fingerprints/${prefix}?${new URLSearchParams(query)}`);
const entriesOf = async (prefix: string, query?: Record<string, string>): Promise<PrefixEntry[]> =>
  (await list(prefix, query)).body.entries;

const register = (fingerprint: Fingerprint, visibility: keyof typeof marks = 'public') =>
  registerFile(service, { token, markId: marks[visibility] }, { fingerprint });

const publicEntry: MirroredEntry = {
  source: 2,
  manifestId: "urn:c2pa:it's",
  registeredBy: testWallet(0).address,
  endpoints: ['https://one.example'],
};
const curatedEntry: MirroredEntry = { ...publicEntry, source: 1, manifestId: 'a-curated-id', endpoints: null };

describe('a list', () => {
  it('has Artifacts, with their public Marks on request, and private ones as bare entries', async () => {
    const [shown, hidden, failed] = [fingerprintWith('aa00'), fingerprintWith('aa00'), fingerprintWith('aa00')];
    const [shownId, hiddenId] = [await register(shown), await register(hidden, 'private')];
    const failedId = await register(failed);
    await query(databaseUrl, "update artifacts set status = 3, error_reason = 'no money' where id = $1", [failedId]);
    for (const details of [{}, { markId: marks.public }]) {
      const entries = [
        { fingerprint: shown, manifestId: shownId, ...details },
        { fingerprint: hidden, manifestId: hiddenId },
      ];
      const { status, body } = await list('aa00', 'markId' in details ? { marks: 'true' } : {});
      expect([status, body]).toEqual([
        200,
        {
          prefix: 'aa00',
          digits: 4,
          isChainKnown: true,
          entries: entries.sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
          nextCursor: null,
        },
      ]);
    }
  });

  it('has renditions with the id of their Artifact', async () => {
    const [original, rendition] = [fingerprintWith('aa01', '1'), fingerprintWith('aa01', '2')];
    const manifestId = await register(original);
    await query(
      databaseUrl,
      `insert into artifacts (id, rendition_of, mark_id, created_by, fingerprint, manifest_hash, metadata)
       select gen_random_uuid(), id, mark_id, created_by, $2, manifest_hash, '{"mediaType": "image/png"}'
       from artifacts where id = $1`,
      [manifestId, Buffer.from(rendition.slice(2), 'hex')],
    );
    expect(await entriesOf('aa01')).toEqual([original, rendition].map((fingerprint) => ({ fingerprint, manifestId })));
  });

  it('follows a Mark that becomes private', async () => {
    const fingerprint = fingerprintWith('aa02');
    const { body } = await createMark(service, { token });
    await registerFile(service, { token, markId: String(body.id) }, { fingerprint });
    expect(await entriesOf('aa02', { marks: 'true' })).toMatchObject([{ markId: body.id }]);
    await call(service, 'PUT', `/api/v1/marks/${body.id}`, { token, body: { visibility: 'private' } });
    expect(Object.keys((await entriesOf('aa02', { marks: 'true' }))[0] ?? {})).toEqual(['fingerprint', 'manifestId']);
  });

  const chainCases: [string, readonly MirroredEntry[], object[]][] = [
    ['a public entry', [publicEntry], [{ manifestId: publicEntry.manifestId, source: 'public' }]],
    ['the curated one of two', [publicEntry, curatedEntry], [{ manifestId: 'a-curated-id', source: 'curated' }]],
    ['no entry that is not safe', [{ ...publicEntry, manifestId: null, endpoints: [] }], []],
    ['no public one behind a curated one that is not safe', [publicEntry, { ...curatedEntry, manifestId: null }], []],
  ];
  it.each(chainCases)('has, of the chain, %s', async (name, entries, expected) => {
    const fingerprint = fingerprintWith(`bb0${chainCases.findIndex(([other]) => other === name)}`);
    for (const entry of entries) await addMirroredEntry(databaseUrl, { fingerprint }, entry);
    expect(await entriesOf(fingerprint.slice(2, 6))).toEqual(expected.map((entry) => ({ fingerprint, ...entry })));
  });

  it('has a fingerprint once: the Artifact, not its entries on chain', async () => {
    const fingerprint = fingerprintWith('bb10');
    await addMirroredEntry(databaseUrl, { fingerprint }, publicEntry);
    const manifestId = await register(fingerprint);
    await addMirroredEntry(databaseUrl, { fingerprint }, curatedEntry);
    expect(await entriesOf('bb10')).toEqual([{ fingerprint, manifestId }]);
  });

  it.each(['cc0d', 'cc0de', 'cc0def', 'cc0def9', 'cc0def98', 'ffff', 'fffffff', '00000'])(
    'of %s has all below it and nothing else',
    async (prefix) => {
      const [first, last] = [fingerprintWith(prefix, '0'), fingerprintWith(prefix, 'f')];
      // Zero stands for nothing and cannot be registered.
      const inside = [/^0x0+$/.test(first) ? fingerprintWith(`${prefix}0`, '1') : first, last];
      const before = (BigInt(first) - 1n).toString(16).padStart(64, '0');
      const after = (BigInt(last) + 1n).toString(16).padStart(64, '0');
      const outside = [before, after].filter((digits) => digits.length === 64 && !digits.startsWith('-'));
      for (const fingerprint of [...inside, ...outside.map((digits): Fingerprint => `0x${digits}`)]) {
        await addMirroredEntry(databaseUrl, { fingerprint }, publicEntry).catch(() => {});
      }
      const found = (await entriesOf(prefix)).map(({ fingerprint }) => fingerprint);
      expect(found).toEqual(expect.arrayContaining(inside));
      expect(found.filter((fingerprint) => !fingerprint.startsWith(`0x${prefix}`))).toEqual([]);
    },
  );

  it('says whether the chain is known', async () => {
    await setMirror(databaseUrl, { blocksBehind: 3 });
    expect((await list('dd00')).body.isChainKnown).toBe(false);
    await setMirror(databaseUrl);
    expect((await list('dd00')).body.isChainKnown).toBe(true);
  });

  it('announces more digits as the registry grows', async () => {
    const digitsWith = async (table: string, rows: number) => {
      await query(databaseUrl, 'update pg_class set reltuples = $2 where relname = $1', [table, rows]);
      return (await list('dd01')).body.digits;
    };
    expect(await digitsWith('artifacts', 128 * 16 ** 5 - 1_000)).toBe(4);
    expect(await digitsWith('artifacts', 128 * 16 ** 5)).toBe(5);
    expect(await digitsWith('chain_entries', 128 * 16 ** 7)).toBe(7);
    await query(databaseUrl, "update pg_class set reltuples = -1 where relname in ('artifacts', 'chain_entries')");
    expect((await list('dd01')).body.digits).toBe(4);
  });
});

describe('a bucket that was filled on purpose', () => {
  /** Inserts fingerprints that end in these numbers. */
  const fill = (table: 'own' | 'chain' | 'unsafe', prefix: string, from: number, to: number) =>
    query(
      databaseUrl,
      table === 'own'
        ? `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
           select gen_random_uuid(), marks.id, admin_id, decode(rpad($1, 56, '0') || lpad(to_hex(n), 8, '0'), 'hex'), sha256(''), '{}'
           from marks, generate_series($2::int, $3::int) n where marks.id = '${marks.public}'`
        : `insert into chain_entries
             (fingerprint, source, manifest_id, manifest_hash, registered_by, endpoints, block_number, log_index, registered_at)
           select decode(rpad($1, 56, '0') || lpad(to_hex(n), 8, '0'), 'hex'), 2, ${table === 'chain' ? "'x'" : 'null'}, sha256(''),
             substring(sha256('') for 20), '{https://x.example}', 1, n, now()
           from generate_series($2::int, $3::int) n`,
      [prefix, from, to],
    );

  // biome-ignore format: a table
  const cases: [string, string, Parameters<typeof fill>[]][] = [
    ['of Artifacts', 'ee01', [['own', 'ee01', 1, 5_000]]],
    ['on chain', 'ee02', [['chain', 'ee02', 1, 9_000]]],
    ['of both', 'ee03', [['own', 'ee03', 1_000, 6_500], ['chain', 'ee03', 1, 5_500]]],
    ['of few Artifacts behind many on chain', 'ee04', [['own', 'ee04', 8_990, 9_010], ['chain', 'ee04', 1, 9_000]]],
    ['with entries that are not returned', 'ee05', [['unsafe', 'ee05', 1, 9_000], ['own', 'ee05', 4_000, 9_001]]],
    ['with entries before and after those', 'ee07', [['unsafe', 'ee07', 1, 4_096], ['chain', 'ee07', 4_097, 4_200], ['own', 'ee07', 4_300, 4_310]]],
    ['up to a page', 'ee06', [['own', 'ee06', 1, 4_096]]],
  ];
  it.each(cases)('(%s) is listed in pages, each entry once', async (_, prefix, parts) => {
    const expected = new Set<Fingerprint>();
    for (const [table, , from, to] of parts) {
      await fill(table, prefix, from, to);
      for (let n = from; n <= to && table !== 'unsafe'; n += 1) {
        expected.add(`0x${prefix.padEnd(56, '0')}${n.toString(16).padStart(8, '0')}`);
      }
    }
    const pages: FingerprintBucket[] = [];
    for (let cursor: string | undefined, isLast = false; !isLast; ) {
      const { status, body } = await list(prefix, cursor === undefined ? {} : { cursor });
      expect(status).toBe(200);
      pages.push(body);
      cursor = body.nextCursor;
      isLast = body.nextCursor === null;
    }
    expect(Math.max(...pages.map(({ entries }) => entries.length))).toBeLessThanOrEqual(4_096);
    const found = pages.flatMap(({ entries }) => entries.map(({ fingerprint }) => fingerprint));
    expect(found).toEqual([...expected].sort());
  });
});

describe('caches and logs', () => {
  it('may keep a list for ten seconds, and revalidate it by its ETag', async () => {
    const fingerprint = fingerprintWith('ab12');
    await register(fingerprint);
    const path = '/api/v1/public/fingerprints/ab12';
    const first = await call(service, 'GET', path);
    const etag = first.headers.get('etag') ?? '';
    expect([first.headers.get('cache-control'), etag]).toEqual(['public, max-age=10', expect.stringMatching(/^"/)]);
    const headers = { 'if-none-match': etag };
    const again = await call(service, 'GET', path, { headers });
    expect([again.status, again.headers.get('cache-control'), again.body]).toEqual([304, 'public, max-age=10', '']);
    await register(fingerprintWith('ab12'));
    expect((await call(service, 'GET', path, { headers })).status).toBe(200);
  });

  it('get neither the fingerprint of the question nor its prefix', async () => {
    const requestId = 'asked-for-a-prefix';
    const url = `${service.url}/api/v1/public/fingerprints/ab34?cursor=${fingerprintWith('ab34', '5')}`;
    await fetch(url, { headers: { 'x-request-id': requestId } });
    await expect.poll(() => service.output().log).toContain(requestId);
    expect(service.output().log).not.toMatch(/fingerprints\/ab34|ab3455/);
    const { body: metrics } = await call(service, 'GET', '/metrics');
    expect(metrics).toContain('/api/v1/public/fingerprints/:prefix');
    expect(metrics).not.toContain('ab34');
  });
});

it.each<[string, Record<string, string>?]>([
  ['abc'],
  ['abcdef012'],
  ['ABCD'],
  ['0xabcd'],
  ['wxyz'],
  ['ab%20d'],
  ['abcd', { cursor: '0xabcd' }],
  ['abcd', { cursor: fingerprintWith('abce') }],
  ['abcd', { marks: 'maybe' }],
])('a list of %s %j is refused', async (prefix, query) => {
  expect(statusAndCode(await list(prefix, query))).toEqual([400, 'BAD_REQUEST']);
});
