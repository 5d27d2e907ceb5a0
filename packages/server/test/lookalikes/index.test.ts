// The index of images against the table of their codes: exact results, and codes that arrive in any way.

import { imageParts, isLookalike } from '@provenance-registry/core';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { ImageHashQueries } from '../../src/database/queries/lookups/imageHashes.js';
import type { ImageHit, ImageQuery, ImageSearch } from '../../src/domain/ports/index.js';
import { ImageHashIndex, type ImageIndexOptions } from '../../src/lookalikes/imageIndex.js';
import { renderMetrics } from '../../src/monitoring/metrics.js';

const columns = ['p_hash', 'p_hash_center_90', 'p_hash_center_80', 'd_hash'] as const;
type Codes = { readonly [Column in (typeof columns)[number]]?: string | null };

let url: string;
let database: Database;
const opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  url = await createMigratedDatabase();
  database = openDatabase({ connectionString: url });
  const own = database;
  opened.unshift({ close: () => own.destroy() });
});

afterAll(async () => {
  for (const part of opened) await part.close();
});

/** As each process has one. */
async function openIndex(options: Partial<ImageIndexOptions> = {}): Promise<ImageHashIndex> {
  const intervals = { pollMs: 50, checkMs: 50 };
  const index = new ImageHashIndex({ source: new ImageHashQueries(database), log: () => {}, intervals, ...options });
  opened.unshift(index);
  await index.start();
  await expect.poll(() => find(index, randomCode())).toEqual([]);
  return index;
}

/** Sequences of the images with exactly this code; undefined while the index is unavailable. */
async function find(index: ImageHashIndex, pHash: string): Promise<number[] | undefined> {
  try {
    return (await index.search([{ pHash }], { maxDistance: 0, maxHits: 10 })).map(({ sequence }) => sequence);
  } catch (error) {
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    return undefined;
  }
}

const randomCode = () => `0x${randomBytes(8).toString('hex')}`;

function changeBits(code: string, count: number): string {
  let value = BigInt(code);
  for (let position = 0n; position < count; position += 1n) value ^= 1n << ((position * 5n) % 64n);
  return `0x${value.toString(16).padStart(16, '0')}`;
}

const insertion = `
  insert into image_codes (artifact_id, ${columns.join(', ')})
  select gen_random_uuid(), ${columns.map((column) => `image_code(${column})`).join(', ')}
  from json_to_recordset($1) as row (${columns.map((column) => `${column} text`).join(', ')})`;

/** Rows without Artifacts: the index reads nothing else. */
async function insertCodes(rows: readonly Codes[]): Promise<void> {
  const client = await connectWithoutConstraints();
  await client.query(insertion, [JSON.stringify(rows)]);
  await client.end();
}

async function connectWithoutConstraints(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  return client;
}

const readFaults = async (reason: string) =>
  Number(new RegExp(`^image_index_faults_total\\{reason="${reason}"\\} (\\d+)`, 'm').exec(await renderMetrics())?.[1]);

type Halves = readonly [number, number];

function toHalves(code: string | bigint): Halves {
  const value = BigInt.asUintN(64, BigInt(code));
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** 65 without one of the codes. */
function distanceOf(a: Halves | undefined, b: Halves | undefined): number {
  return a && b ? countBits(a[0] ^ b[0]) + countBits(a[1] ^ b[1]) : 65;
}

/** What searches must return: every query is compared with every code of the table. */
async function compareAll(queries: readonly ImageQuery[]) {
  const rows = await query<{ sequence: number } & Record<string, string | null>>(
    url,
    `select sequence::float8 as sequence, ${columns.join(', ')} from image_codes order by sequence`,
  );
  const compared = queries.map(({ pHash, dHash }) => ({ p: toHalves(pHash), d: dHash && toHalves(dHash) }));
  const comparisons = rows.flatMap(({ sequence, ...row }) => {
    const [d, ...ofParts] = ['d_hash', ...columns].map((column) => (row[column] ? toHalves(row[column]) : undefined));
    return compared.flatMap((query, index) => {
      const dDistance = query.d && d ? distanceOf(query.d, d) : undefined;
      return imageParts.map((part, kind): ImageHit => {
        const distance = distanceOf(query.p, ofParts[kind]);
        return { sequence, query: index, part, distance, dDistance };
      });
    });
  });
  const order = (hit: ImageHit) => hit.distance * 1e9 + hit.sequence;
  // The best of each image, because sorting keeps the order of equal ones.
  const ordered = comparisons.filter(({ distance }) => distance <= 16).toSorted((a, b) => order(a) - order(b));
  return ({ maxDistance, maxHits, after }: ImageSearch) => {
    const found = new Map<number, ImageHit>();
    for (const hit of ordered) {
      const isMatch = isLookalike(hit.part, hit.distance, hit.dDistance, maxDistance);
      if (isMatch && !found.has(hit.sequence)) found.set(hit.sequence, hit);
    }
    return [...found.values()].filter((hit) => after === undefined || order(hit) > order(after)).slice(0, maxHits);
  };
}

describe('a search', () => {
  it('finds exactly what a comparison with all codes finds', async () => {
    const originals = Array.from({ length: 6 }, randomCode);
    const gradient = randomCode();
    const near = (index: number) => changeBits(originals[index % 6] ?? '', index % 17);
    const mixed = (index: number, period: number) => (index % period === 0 ? near(index) : randomCode());
    const rows = Array.from({ length: 1_000 }, (_, index): Codes => {
      const centers = index % 3 !== 0 && { p_hash_center_90: mixed(index, 7), p_hash_center_80: mixed(index + 1, 5) };
      const dHash = index % 2 === 0 ? changeBits(gradient, index % 31) : randomCode();
      return { p_hash: mixed(index, 4), ...centers, ...(index % 5 !== 0 && { d_hash: dHash }) };
    });
    await insertCodes(rows);
    const index = await openIndex();
    const queries: ImageQuery[] = [
      ...originals.map((pHash, position) => (position % 3 === 0 ? { pHash } : { pHash, dHash: gradient })),
      // Almost without bits: close to an empty place, which is no code.
      { pHash: '0x0000000000000001' },
    ];
    const groups = [queries, ...queries.map((query) => [query]), queries.slice(0, 2), queries.slice(2, 5)];
    const expected = await Promise.all(groups.map(compareAll));
    for (let maxDistance = 0; maxDistance <= 12; maxDistance += 1) {
      const search = { maxDistance, maxHits: 1_000 };
      // At once, so that they share passes.
      const found = await Promise.all(groups.map((group) => index.search(group, search)));
      expect(found).toEqual(expected.map((searchByHand) => searchByHand(search)));
    }
    const all = await index.search(queries, { maxDistance: 12, maxHits: 1_000 });
    expect(all.length).toBeGreaterThan(200);
    const paged: ImageHit[] = [];
    for (let after: ImageHit | undefined; paged.length < all.length; after = paged.at(-1)) {
      paged.push(...(await index.search(queries, { maxDistance: 12, maxHits: 7, after })));
    }
    expect(paged).toEqual(all);
  });

  it('finds the same in threads, with one image registered many times, and after a thread failed', async () => {
    const copied = randomCode();
    const client = await connectWithoutConstraints();
    // In 16 chunks, which are dealt to the threads.
    await client.query(
      `insert into image_codes (sequence, artifact_id, p_hash, p_hash_center_90) overriding system value
       select number * 331, gen_random_uuid(),
         case when number % 20 = 0 then image_code($1) when number > 1500 and number % 21 = 0 then image_code($2)
           else ('x' || md5(number::text))::bit(64)::bigint end,
         ('x' || md5('center' || number))::bit(64)::bigint
       from generate_series(1, 3000) number`,
      [copied, changeBits(copied, 5)],
    );
    await client.end();
    const source = new ImageHashQueries(database);
    let holdReading = async () => {};
    const index = await openIndex({
      source: {
        readRanges: (ranges) => source.readRanges(ranges),
        readChecksum: (range) => source.readChecksum(range),
        async readAfter(...page) {
          const codes = await source.readAfter(...page);
          await holdReading();
          return codes;
        },
      },
      threadFile: new URL('../support/failingImageHashWorker.mjs', import.meta.url),
    });
    const queries = [{ pHash: changeBits(copied, 3) }, { pHash: copied }, { pHash: randomCode() }] as const;
    const searchByHand = await compareAll(queries);
    const searches: ImageSearch[] = [
      { maxDistance: 8, maxHits: 100 },
      { maxDistance: 12, maxHits: 100, after: searchByHand({ maxDistance: 0, maxHits: 100 }).at(-1) },
    ];
    const expected = searches.map(searchByHand);
    expect(expected.map((hits) => hits.map(({ distance }) => distance))).toEqual([
      Array(100).fill(0),
      [...Array(50).fill(0), ...Array(50).fill(2)],
    ]);
    const searchIndex = () => Promise.all(searches.map((search) => index.search(queries, search)));
    expect(await searchIndex()).toEqual(expected);
    // The closest ones are in later chunks.
    const [query] = queries;
    const closest = { maxDistance: 8, maxHits: 5 };
    expect(await index.search([query], closest)).toEqual((await compareAll([query]))(closest));

    // The thread fails while the table is read.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await new Promise<void>((resolve) => {
      holdReading = () => {
        resolve();
        return released;
      };
    });
    holdReading = async () => {};
    const faults = await readFaults('thread');
    await index.search(queries, { maxDistance: 8, maxHits: 666 }).catch(() => {});
    // The next search finds out that a part of the codes is lost.
    const countFaults = async () => {
      await find(index, copied);
      return readFaults('thread');
    };
    await expect.poll(countFaults).toBe(faults + 1);
    release();
    // The index is unavailable, and never without the codes that are not read again yet.
    const counts: (number | undefined)[] = [];
    const countCopies = async () => {
      counts.push((await find(index, copied))?.length);
      return counts.at(-1);
    };
    await expect.poll(countCopies, { interval: 1 }).toBe(10);
    expect(counts.filter((count) => count !== undefined)).toEqual([10]);
    expect(await searchIndex()).toEqual(expected);
    expect(await readFaults('thread')).toBe(faults + 1);
  });
});

describe('codes', () => {
  it('are found by all processes, whenever they are committed', async () => {
    const [first, second] = [await openIndex(), await openIndex()];
    const [early, late, open] = [randomCode(), randomCode(), randomCode()];
    const client = await connectWithoutConstraints();
    await client.query('begin');
    await client.query(insertion, [JSON.stringify([{ p_hash: open }])]);
    await insertCodes([{ p_hash: early }, { p_hash: late }]);
    for (const index of [first, second]) {
      await expect.poll(() => find(index, early)).toEqual([2]);
      expect(await find(index, open)).toEqual([]);
    }
    await client.query('commit');
    await client.end();
    for (const index of [first, second]) await expect.poll(() => find(index, open)).toEqual([1]);
    const restarted = await openIndex();
    expect(await Promise.all([open, early, late].map((code) => find(restarted, code)))).toEqual([[1], [2], [3]]);
  });

  it('are found in an index that could not read the table for a while, and searched for meanwhile', async () => {
    const [before, meanwhile] = [randomCode(), randomCode()];
    await insertCodes([{ p_hash: before }]);
    const index = await openIndex();
    const name = new URL(url).pathname.slice(1);
    const server = inject('postgresUrl');
    const client = await connectWithoutConstraints();
    await query(server, `alter database ${name} allow_connections false`);
    await query(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'provenance-registry'`,
      [name],
    );
    await client.query(insertion, [JSON.stringify([{ p_hash: meanwhile }])]);
    await client.end();
    expect(await find(index, before)).toEqual([1]);
    expect(await find(index, meanwhile)).toEqual([]);
    await query(server, `alter database ${name} allow_connections true`);
    await expect.poll(() => find(index, meanwhile)).toEqual([2]);
  });

  it('that were changed in the table are noticed by their checksums, and read again', async () => {
    const [changed, removed, kept, value] = [randomCode(), randomCode(), randomCode(), randomCode()];
    await insertCodes([{ p_hash: changed }, { p_hash: removed }, { p_hash: kept, d_hash: randomCode() }]);
    const index = await openIndex();
    expect(await find(index, changed)).toEqual([1]);
    const faults = await readFaults('differs');
    const client = await connectWithoutConstraints();
    await client.query('update image_codes set p_hash = image_code($1) where sequence = 1', [value]);
    await client.query('delete from image_codes where sequence = 2');
    await client.end();
    await expect.poll(() => find(index, value)).toEqual([1]);
    expect(await Promise.all([changed, removed, kept].map((code) => find(index, code)))).toEqual([[], [], [3]]);
    expect(await readFaults('differs')).toBeGreaterThan(faults);
  });
});
