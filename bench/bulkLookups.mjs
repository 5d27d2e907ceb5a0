// Bulk lookups as lines: how long a hundred thousand take, and how much memory a million need. Of four fingerprints, two
// have an Artifact, one an entry that others wrote on chain, and one nothing.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { linesMediaType } from '@provenance-registry/core';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { BulkLookupQueries } from '../packages/server/dist/database/queries/lookups/bulkLookups.js';
import { report } from './report.mjs';
import {
  createFilledDatabase,
  fillMirror,
  insertMark,
  median,
  openRegistry,
  readMegabytes,
  runSql,
} from './support.mjs';

const FILLED = 100_000;
const ROUNDS = 3;
const LINES_PER_PIECE = 1_000;
const SAMPLE_MS = 50;

const [, , url, count] = process.argv;
if (url !== undefined) await lookUp(url, Number(count));
else await measure();

async function measure() {
  const registry = await openRegistry();
  const address = await createFilledDatabase(registry.address, 'bulk', FILLED);
  await fillMirror(address, FILLED + 1, 2 * FILLED);
  const database = openDatabase(address);
  const { markId } = await insertMark(database);
  // Without the trigger that keeps Artifacts as they are.
  await runSql(address, `set session_replication_role = replica; update artifacts set mark_id = '${markId}'`);
  await runSql(address, 'vacuum analyze artifacts');
  const { store } = registry.ports;
  const service = await registry.serve({ store: { ...store, bulkLookups: new BulkLookupQueries(database) } });

  const seconds = [];
  const peaks = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { duration, peak } = await measureLookup(service, 100_000);
    seconds.push(duration);
    peaks.push(peak);
  }
  const ofTenth = median(seconds);
  report({
    what: 'bulk lookup of 100,000 fingerprints as lines, seconds',
    measured: `${ofTenth.toFixed(1)} s (${Math.round(100_000 / ofTenth)}/s)`,
    value: ofTenth,
    target: ['at most', 5],
  });
  const million = await measureLookup(service, 1_000_000);
  const moreMemory = million.peak - Math.max(...peaks);
  report({
    what: 'memory for a bulk lookup of 1,000,000, MB more than for 100,000',
    measured: `${Math.round(moreMemory)} MB, in ${million.duration.toFixed(0)} s`,
    value: moreMemory,
    target: ['at most', 64],
  });

  await database.destroy();
  await registry.close();
}

/** By a client in another process: seconds, and the most memory of this one. @param {string} service @param {number} lines */
async function measureLookup(service, lines) {
  let peak = 0;
  const timer = setInterval(async () => {
    peak = Math.max(peak, await readMegabytes(process.pid, 'VmRSS'));
  }, SAMPLE_MS);
  const start = performance.now();
  await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), service, String(lines)]);
  const duration = (performance.now() - start) / 1000;
  clearInterval(timer);
  return { duration, peak };
}

/** Sends the lines and reads the results at the same time. @param {string} service @param {number} lines */
async function lookUp(service, lines) {
  const request = openRequest(`${service}/api/v1/public/lookups`, {
    method: 'POST',
    headers: { 'content-type': linesMediaType },
  });
  /** @type {Promise<{ results: number, matches: number }>} */
  const counted = new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', async (response) => {
      let results = 0;
      let matches = 0;
      for await (const text of response.setEncoding('latin1')) {
        results += text.split('\n').length - 1;
        matches += text.split('"manifestId"').length - 1;
      }
      resolve({ results, matches });
    });
  });
  await pipeline(Readable.from(generateLines(lines)), request);
  const { results, matches } = await counted;
  if (results !== lines || matches < 0.74 * lines || matches > 0.76 * lines) {
    throw new Error(`${results} results with ${matches} matches for ${lines} lines`);
  }
}

/** @param {number} count */
function* generateLines(count) {
  for (let sent = 0; sent < count; sent += LINES_PER_PIECE) {
    let text = '';
    for (let index = sent; index < sent + LINES_PER_PIECE; index += 1) {
      // Artifacts have the numbers up to FILLED, entries on chain the next ones.
      const number = 1 + (index % FILLED) + ([0, 0, FILLED, 2 * FILLED][index % 4] ?? 0);
      text += `"0x${createHash('sha256').update(String(number)).digest('hex')}"\n`;
    }
    yield text;
  }
}
