// The cost of a creation over HTTP beyond its signatures: against signing alone in the same process, and against a minimal
// server that signs, writes three files and runs one statement, without authentication.

import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { digestOf } from '@provenance-registry/core';
import pg from 'pg';
import { report } from './report.mjs';
import { generateCreations, measureRounds, openRegistry } from './support.mjs';

const ROUNDS = 7;
const SECONDS = 3;
const IN_FLIGHT = 8;
/** Creations until JavaScript and WebAssembly are optimized. */
const WARM_UP = 1_500;

/** @satisfies {import('../packages/server/dist/domain/ports/index.js').ManifestClaims} */
const claims = /** @type {const} */ ({
  allowAiTraining: false,
  author: { name: 'Ada Lovelace' },
  licenseKey: 'CC-BY-4.0',
});

const registry = await openRegistry();
const { user, markId, token } = await registry.createUser();
const minimal = await startMinimalServer();

const variants = {
  signing: sign,
  creating: createOverHttp(`${await registry.serve()}/api/v1/artifacts`),
  least: createOverHttp(minimal.url),
};
for (const run of Object.values(variants)) {
  for (let done = 0; done < WARM_UP; ) done += (await run()).count;
}
const rounds = await measureRounds(ROUNDS, variants);
report({
  what: `creating Artifacts over HTTP, ${IN_FLIGHT} in flight`,
  measured: formatRate('creating'),
  against: `signing alone, ${formatRate('signing')}`,
  value: rounds.ratio('creating', 'signing', 'rate'),
  target: ['at least', 0.7],
});
report({
  what: 'the least that a creation can be: signed, three files, one statement',
  measured: formatRate('least'),
  against: `signing alone, ${formatRate('signing')}`,
  value: rounds.ratio('least', 'signing', 'rate'),
});
await minimal.close();
await registry.close();

/** @param {keyof typeof variants} name */
function formatRate(name) {
  const [rate, cpuMs] = [rounds.median(name, 'rate'), rounds.median(name, 'cpuMs')];
  return `${rate.toFixed(0)}/s (${cpuMs.toFixed(1)} ms CPU of the process)`;
}

/** @param {string} url */
function createOverHttp(url) {
  return () => generateCreations(url, { connections: IN_FLIGHT, seconds: SECONDS, token, markId });
}

async function startMinimalServer() {
  const pool = new pg.Pool({ ...registry.address });
  const statement = {
    name: 'bare',
    text: `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
      values ($1, $2, $3, $4, $4, '{}')`,
  };
  const server = createServer(async (request, response) => {
    const { fingerprint, filename } = JSON.parse(await text(request));
    const [id, digest] = [randomUUID(), digestOf(fingerprint)];
    const files = await registry.ports.manifests.create({
      client: 'bench',
      artifactId: id,
      fingerprint: digest,
      title: filename,
      claims,
    });
    await Promise.all(Object.entries(files).map(([name, bytes]) => writeDurably(`${id}.${name}`, bytes)));
    await pool.query({ ...statement, values: [id, markId, user.id, digest] });
    const created = JSON.stringify({ id, fingerprint, filename });
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': created.length }).end(created);
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
async function writeDurably(name, bytes) {
  const file = await open(join(registry.dataDir, name), 'wx');
  await file.writeFile(bytes);
  await file.datasync();
  await file.close();
}

async function sign() {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const deadline = startedAt + SECONDS * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (; performance.now() < deadline; count += 1) {
        await registry.ports.manifests.create({
          client: 'bench',
          artifactId: randomUUID(),
          fingerprint: randomBytes(32),
          title: 'photo.jpg',
          claims,
        });
      }
    }),
  );
  const rate = (count / (performance.now() - startedAt)) * 1000;
  const { user, system } = process.cpuUsage(before);
  return { rate, count, cpuMs: (user + system) / 1000 / count };
}
