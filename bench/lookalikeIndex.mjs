// The index of images: how fast it is read, its memory, and how fast it answers, with ten million images that have all codes.
// A question is one code in one orientation, which is compared with three codes of each image. Takes some 3 GB of disk.

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { imageParts, largestPDistance } from '../packages/core/dist/index.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { ImageHashQueries } from '../packages/server/dist/database/queries/lookups/imageHashes.js';
import { ImageHashIndex } from '../packages/server/dist/lookalikes/imageIndex.js';
import { report } from './report.mjs';
import { createFilledDatabase, generateLoad, lookupUrl, measureRounds, openRegistry, runSql } from './support.mjs';

/** @typedef {import('../packages/server/dist/lookalikes/imageIndex.js').ImageHashIndex} Index */

const { values } = parseArgs({ options: { images: { type: 'string', default: '10000000' } } });
const IMAGES = Number(values.images);
/** Three times as many, from which a hundred million are extrapolated. */
const MORE_IMAGES = 3 * IMAGES;
const KINDS = 4;
const QUESTIONS = 300;
const WARM_UPS = 20;
const CONCURRENCY = 16;
const SECONDS = 5;
const ROUNDS = 5;
const CONNECTIONS = 32;
const MAX_DISTANCE = 8;
/** Images that are found: codes at known distances from a code that is asked for. */
const PLANTED = 1_000;
/** As many Artifacts are looked up by their exact fingerprints, and shown by questions over HTTP. */
const ARTIFACTS = 100_000;

const registry = await openRegistry();
const address = await createFilledDatabase(registry.address, 'image_codes_bench', ARTIFACTS);
await fillCodes(1, IMAGES);
const database = openDatabase(address, 60_000);
const source = new ImageHashQueries(database);

const before = readMemory();
const index = createIndex();
const readSeconds = await loadIndex(index);
const bytes = (readMemory() - before) / (IMAGES * KINDS);
const million = (/** @type {number} */ count) => `${count / 1e6} million images`;
report({
  what: `index of images, restart with ${million(IMAGES)}, s`,
  measured: `${readSeconds.toFixed(1)} s`,
  value: readSeconds,
  target: ['at most', 30],
});
report({
  what: 'index of images, memory of the process for each code, bytes',
  measured: bytes.toFixed(2),
  value: bytes,
  target: ['at most', 9],
});

const recall = await measureRecall();
report({ what: 'index of images, recall against a comparison in SQL', ...recall, target: ['at least', 1] });

const single = await measureSingle(index);
report({
  what: `one question, ${million(IMAGES)}, p95, ms`,
  measured: `median ${single.median.toFixed(1)} ms, p95 ${single.p95.toFixed(1)} ms`,
  value: single.p95,
  target: ['at most', 25],
});
const rate = await measureRate(index, 1);
report({
  what: `questions at once (${CONCURRENCY}), ${million(IMAGES)}, a second`,
  measured: `${rate.toFixed(0)}/s`,
  value: rate,
  target: ['at least', 100],
});
const rateOfEight = await measureRate(index, 8);
report({
  what: 'the same, eight orientations in each request',
  measured: `${rateOfEight.toFixed(0)} requests/s`,
  against: `single questions, ${rate.toFixed(0)}/s`,
  value: (8 * rateOfEight) / rate,
});

await measureOverHttp();
await index.close();

await fillCodes(IMAGES + 1, MORE_IMAGES);
const larger = createIndex();
const largerSeconds = await loadIndex(larger);
const ofLarger = await measureSingle(larger);
/** The part of the time that grows with the images. */
const perMillion = (ofLarger.p95 - single.p95) / ((MORE_IMAGES - IMAGES) / 1e6);
const extrapolated = ofLarger.p95 + perMillion * (100 - MORE_IMAGES / 1e6);
report({
  what: `one question, ${million(MORE_IMAGES)}, p95, ms`,
  measured: `median ${ofLarger.median.toFixed(1)} ms, p95 ${ofLarger.p95.toFixed(1)} ms; read in ${largerSeconds.toFixed(0)} s`,
  value: ofLarger.p95,
});
report({
  what: 'one question, 100 million images, p95, ms, extrapolated',
  measured: `${extrapolated.toFixed(0)} ms`,
  value: extrapolated,
});
await larger.close();
await database.destroy();
await registry.close();

/** Without garbage. */
function readMemory() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().rss;
}

function createIndex() {
  return new ImageHashIndex({ source, log: () => {} });
}

/** Returns the seconds until it answers. @param {Index} opened */
async function loadIndex(opened) {
  const startedAt = performance.now();
  await opened.start();
  for (;;) {
    try {
      await opened.search([{ pHash: randomCode() }], { maxDistance: 0, maxHits: 1 });
      return (performance.now() - startedAt) / 1000;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** @param {Index} opened */
async function measureSingle(opened) {
  /** @type {number[]} */
  const times = [];
  for (let asked = 0; asked < QUESTIONS + WARM_UPS; asked += 1) {
    const startedAt = performance.now();
    await opened.search([{ pHash: randomCode() }], { maxDistance: MAX_DISTANCE, maxHits: 50 });
    if (asked >= WARM_UPS) times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.floor(share * times.length)] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

/** Searches a second, each for that many codes. @param {Index} opened @param {number} codes */
async function measureRate(opened, codes) {
  let searches = 0;
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > SECONDS * 1000;
  const client = async () => {
    for (; !isOver(); searches += 1) {
      const questions = Array.from({ length: codes }, () => ({ pHash: randomCode() }));
      await opened.search(questions, { maxDistance: MAX_DISTANCE, maxHits: 50 });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  return searches / ((performance.now() - startedAt) / 1000);
}

/** Asks for planted codes, and for random ones, and compares with PostgreSQL's own `bit_count`. */
async function measureRecall() {
  const codes = [plantedCode(0), plantedCode(1), randomCode()];
  const client = new pg.Client(address);
  await client.connect();
  const columns = ['p_hash', 'p_hash_center_90', 'p_hash_center_80'];
  const distances = imageParts.map((part) => Math.min(MAX_DISTANCE, largestPDistance(part, MAX_DISTANCE)));
  let [expected, found] = [0, 0];
  for (const pHash of codes) {
    const { rows } = await client.query(
      `select sequence::float8 as sequence from image_codes
       where ${columns.map((column, place) => `bit_count((${column} # image_code($1))::bit(64)) <= $${place + 2}`).join(' or ')}`,
      [pHash, ...distances],
    );
    const hits = await index.search([{ pHash }], { maxDistance: MAX_DISTANCE, maxHits: 10_000 });
    const sequences = new Set(hits.map(({ sequence }) => sequence));
    expected += rows.length;
    found += rows.filter(({ sequence }) => sequences.has(sequence)).length;
    if (sequences.size > rows.length) throw new Error('the index found more than there is');
  }
  await client.end();
  return { measured: `${found} of ${expected} images that SQL finds`, value: found / expected };
}

/** Questions over HTTP, and exact lookups with and without an index in the process. */
async function measureOverHttp() {
  const { store } = registry.ports;
  const imageIndex = { search: index.search };
  const withIndex = await registry.serve({
    store: { ...store, imageHashes: new ImageHashQueries(database) },
    imageIndex,
  });
  const body = { codes: [{ pHash: randomCode() }] };
  const asked = await generateLoad(`${withIndex}/api/v1/public/lookalikes`, {
    connections: 4,
    seconds: SECONDS,
    body,
  });
  report({
    what: `questions over HTTP, ${million(IMAGES)}, a second`,
    measured: `${asked.rate.toFixed(0)}/s`,
    value: asked.rate,
    target: ['at least', 100],
  });
  const without = await registry.serve();
  const lookUp = (/** @type {string} */ url) => () =>
    generateLoad(lookupUrl(url, 1, ARTIFACTS), { connections: CONNECTIONS, seconds: 1.5 });
  const rounds = await measureRounds(ROUNDS, { with: lookUp(withIndex), without: lookUp(without) });
  report({
    what: 'exact lookups, with the index in the process',
    measured: `${rounds.median('with', 'rate').toFixed(0)}/s`,
    against: `without, ${rounds.median('without', 'rate').toFixed(0)}/s`,
    value: rounds.ratio('with', 'without', 'rate'),
    target: ['at least', 0.95],
  });
}

function randomCode() {
  return `0x${randomBytes(8).toString('hex')}`;
}

/** @param {number} number */
function plantedCode(number) {
  return `0x${(0x5ca1ab1e0ddba11n + BigInt(number)).toString(16).padStart(16, '0')}`;
}

/**
 * Random codes, as those of all-different images would be; every so often one near a planted code.
 * @param {number} from
 * @param {number} to
 */
async function fillCodes(from, to) {
  const random = (/** @type {number} */ seed) => `hashint8extended(number, ${seed})`;
  await runSql(
    address,
    `set session_replication_role = replica;
     insert into image_codes (artifact_id, p_hash, d_hash, p_hash_center_90, p_hash_center_80)
     select lpad(to_hex(number), 32, '0')::uuid,
       case when number % ${Math.floor(IMAGES / PLANTED)} = 0
         then image_code('${plantedCode(0)}') # ((1::bigint << (number % 23)::int) - 1) else ${random(1)} end,
       ${random(2)}, ${random(3)}, ${random(4)}
     from generate_series(${from}::bigint, ${to}) number`,
  );
  await runSql(address, 'vacuum analyze image_codes');
  await runSql(address, 'checkpoint');
}
