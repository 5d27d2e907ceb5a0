// What a creation costs beyond its signatures: Artifacts made over HTTP, with everything that belongs to them, against
// signing alone in the same process. And what is the least that it could cost: a server that only signs, writes three files
// and sends one statement, and asks nobody who they are.

import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { digestOf } from '@provenance-registry/core';
import pg from 'pg';
import { report } from './report.mjs';
import { load, median, openParts } from './support.mjs';

const ROUNDS = 7;
const SECONDS = 3;
const IN_FLIGHT = 8;
/** Until then code is still being optimised, the verifier's WebAssembly and ours: a service is slow for its first seconds. */
const WARM_UP = 1_500;

/** @satisfies {import('../packages/server/dist/domain/ports/index.js').StatedFacts} */
const facts = /** @type {const} */ ({
  allowAiTraining: false,
  author: { name: 'Ada Lovelace' },
  licenseKey: 'CC-BY-4.0',
});

const parts = await openParts();
const person = await parts.person();
const bare = await openBare();

const ways = {
  signing: sign,
  creating: creator(`${await parts.serve()}/api/v1/artifacts`),
  least: creator(bare.url),
};
/** @typedef {keyof typeof ways} Way */
const names = /** @type {Way[]} */ (Object.keys(ways));
for (const name of names) {
  for (let done = 0; done < WARM_UP; ) done += (await ways[name](SECONDS)).count;
}

/** @type {Record<Way, { rate: number, cpuMs: number }[]>} */
const rounds = { signing: [], creating: [], least: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of names) rounds[name].push(await ways[name](SECONDS));
}
report({
  what: `creating Artifacts over HTTP, ${IN_FLIGHT} in flight`,
  measured: shown('creating'),
  against: `signing alone, ${shown('signing')}`,
  value: ratio('creating'),
  target: ['at least', 0.7],
});
report({
  what: 'the least that a creation can be: signed, three files, one statement',
  measured: shown('least'),
  against: `signing alone, ${shown('signing')}`,
  value: ratio('least'),
});
await bare.close();
await parts.close();

/** @param {Way} name */
function shown(name) {
  const [rate, cpuMs] = [median(rounds[name].map(({ rate }) => rate)), median(rounds[name].map(({ cpuMs }) => cpuMs))];
  return `${rate.toFixed(0)}/s (${cpuMs.toFixed(1)} ms CPU of the process)`;
}

/** @param {Way} name */
function ratio(name) {
  return median(rounds[name].map(({ rate }, round) => rate / (rounds.signing[round]?.rate ?? 0)));
}

/** @param {string} url */
function creator(url) {
  const { markId, token } = person;
  const body = { markId, fingerprint: '{fingerprint}', filename: 'photo.jpg' };
  return (/** @type {number} */ seconds) => load(url, { connections: IN_FLIGHT, seconds, token, body });
}

async function openBare() {
  const pool = new pg.Pool({ ...parts.address });
  const statement = {
    name: 'bare',
    text: `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
      values ($1, $2, $3, $4, $4, '{}')`,
  };
  const server = createServer(async (request, response) => {
    const { fingerprint, filename } = JSON.parse(await text(request));
    const [id, digest] = [randomUUID(), digestOf(fingerprint)];
    const files = await parts.ports.manifests.create({ artifactId: id, fingerprint: digest, title: filename, facts });
    await Promise.all(Object.entries(files).map(([name, bytes]) => write(`${id}.${name}`, bytes)));
    await pool.query({ ...statement, values: [id, person.markId, person.user.id, digest] });
    const answer = JSON.stringify({ id, fingerprint, filename });
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async close() {
      server.close();
      await pool.end();
    },
  };
}

/** @param {string} name @param {Uint8Array} bytes */
async function write(name, bytes) {
  const file = await open(join(parts.dataDir, name), 'wx');
  await file.writeFile(bytes);
  await file.datasync();
  await file.close();
}

/** @param {number} seconds */
async function sign(seconds) {
  const before = process.cpuUsage();
  const began = performance.now();
  const deadline = began + seconds * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (; performance.now() < deadline; count += 1) {
        await parts.ports.manifests.create({
          artifactId: randomUUID(),
          fingerprint: randomBytes(32),
          title: 'photo.jpg',
          facts,
        });
      }
    }),
  );
  const rate = (count / (performance.now() - began)) * 1000;
  const { user, system } = process.cpuUsage(before);
  return { rate, count, cpuMs: (user + system) / 1000 / count };
}
