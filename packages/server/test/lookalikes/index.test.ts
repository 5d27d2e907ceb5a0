// The index of images against the table of their codes: exact results, and codes that arrive in any way.

import { randomBytes } from 'node:crypto';
import { codeDistance, imageParts } from '@provenance-registry/core';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { imageCodeSource } from '../../src/database/queries/imageCodes.js';
import type { ImageHit, ImageQuestion, ImageSearch } from '../../src/domain/ports/index.js';
import { createImageIndex, type RunningImageIndex } from '../../src/lookalikes/imageIndex.js';

const columns = ['p_hash', 'p_hash_center_90', 'p_hash_center_80', 'd_hash'] as const;
type Codes = { readonly [Column in (typeof columns)[number]]: string | null };

let url: string;
let database: Database;
const opened: RunningImageIndex[] = [];

beforeAll(async () => {
  url = await createMigratedDatabase();
  database = openDatabase({ connectionString: url });
});

afterAll(async () => {
  for (const index of opened) await index.close();
  await database.destroy();
});

async function openIndex(): Promise<RunningImageIndex> {
  const index = createImageIndex({ source: imageCodeSource(database), log: () => {}, pollMs: 50 });
  opened.push(index);
  await index.start();
  await expect.poll(() => index.search([], { maxDistance: 0, maxHits: 1 }).catch(() => 'loading')).toEqual([]);
  return index;
}

const randomCode = () => `0x${randomBytes(8).toString('hex')}`;

function changeBits(code: string, count: number): string {
  let value = BigInt(code);
  const positions = new Set<bigint>();
  while (positions.size < count) positions.add(BigInt(Math.floor(Math.random() * 64)));
  for (const position of positions) value ^= 1n << position;
  return `0x${value.toString(16).padStart(16, '0')}`;
}

/** Rows without Artifacts: the index reads nothing else. */
async function insertCodes(rows: readonly Codes[]): Promise<void> {
  await withoutConstraints(
    `insert into image_codes (artifact_id, ${columns.join(', ')})
     select gen_random_uuid(), ${columns.map((column) => `image_code(${column})`).join(', ')}
     from json_to_recordset($1) as row (${columns.map((column) => `${column} text`).join(', ')})`,
    [JSON.stringify(rows)],
  );
}

async function withoutConstraints(text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(text, values);
  } finally {
    await client.end();
  }
}

async function readRows(): Promise<(Codes & { readonly sequence: number })[]> {
  const texts = columns.map((column) => `'0x' || encode(int8send(${column}), 'hex') as ${column}`).join(', ');
  return query(url, `select sequence::float8 as sequence, ${texts} from image_codes order by sequence`, []);
}

/** What a search must return. */
async function searchByHand(questions: readonly ImageQuestion[], { maxDistance, maxHits, after }: ImageSearch) {
  const hits = (await readRows()).flatMap((row) => {
    const [best] = questions
      .flatMap(({ pHash }, question) =>
        imageParts.flatMap((part, kind) => {
          const code = row[columns[kind] ?? 'p_hash'];
          return code === null ? [] : [{ question, part, distance: codeDistance(pHash, code) }];
        }),
      )
      .filter(({ distance }) => distance <= maxDistance)
      .toSorted((a, b) => a.distance - b.distance);
    if (!best) return [];
    const dHash = questions[best.question]?.dHash;
    const dDistance = dHash === undefined || row.d_hash === null ? undefined : codeDistance(dHash, row.d_hash);
    return [{ sequence: row.sequence, ...best, dDistance }];
  });
  const order = (hit: ImageHit) => hit.distance * 1e9 + hit.sequence;
  return hits
    .toSorted((a, b) => order(a) - order(b))
    .filter((hit) => after === undefined || order(hit) > order(after))
    .slice(0, maxHits);
}

it('finds exactly what a comparison of all codes finds, with several questions, parts and pages', async () => {
  const originals = Array.from({ length: 20 }, randomCode);
  const near = (code: string) => changeBits(code, Math.floor(Math.random() * 15));
  const rows = Array.from({ length: 2_000 }, (_, index): Codes => {
    const pHash = index % 4 === 0 ? near(originals[index % 20] ?? '') : randomCode();
    const center = () => (index % 3 === 0 ? null : index % 7 === 0 ? near(originals[index % 20] ?? '') : randomCode());
    const dHash = index % 5 === 0 ? null : randomCode();
    return { p_hash: pHash, p_hash_center_90: center(), p_hash_center_80: center(), d_hash: dHash };
  });
  await insertCodes(rows);
  const index = await openIndex();
  const asked = originals.map((pHash, position) => (position % 2 === 0 ? { pHash } : { pHash, dHash: randomCode() }));
  // Almost without bits: close to an empty place, which is no code.
  const questions = [...asked, { pHash: '0x0000000000000001' }];
  const pieces = [questions, ...questions.map((question) => [question]), questions.slice(0, 3), questions.slice(5, 11)];
  for (const maxDistance of Array.from({ length: 13 }, (_, distance) => distance)) {
    // At once, so that they share passes.
    const found = await Promise.all(pieces.map((some) => index.search(some, { maxDistance, maxHits: 10_000 })));
    for (const [position, some] of pieces.entries()) {
      expect(found[position]).toEqual(await searchByHand(some, { maxDistance, maxHits: 10_000 }));
    }
  }
  const all = await index.search(questions, { maxDistance: 12, maxHits: 10_000 });
  expect(all.length).toBeGreaterThan(300);
  const paged: ImageHit[] = [];
  for (let after: ImageHit | undefined; paged.length < all.length; after = paged.at(-1)) {
    paged.push(...(await index.search(questions, { maxDistance: 12, maxHits: 7, after })));
  }
  expect(paged).toEqual(all);
});
