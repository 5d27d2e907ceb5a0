// The cost of registering in batches: Artifacts created by calls of a thousand, against signing alone in the same process, and
// against the least that a batch can be: signing, publishing and inserting them, a hundred at a time, and nothing else.
// `node bench/batchRegistration.mjs send URL TOKEN MARK` is the client: it sends one batch and prints the created Artifacts.

import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { report } from './report.mjs';
import { measureRounds, openRegistry } from './support.mjs';

const ROUNDS = 7;
const BATCH = 1_000;
const IN_FLIGHT = 8;
const SIGNATURES = 400;
/** What the least batch publishes and inserts together, and how many of these are in progress, as in the service. */
const SLICE = 100;
const SLICES_IN_FLIGHT = 2;
/** Batches until JavaScript and WebAssembly are optimized. */
const WARM_UP = 2;

const [mode, ...args] = process.argv.slice(2);
await (mode === 'send' ? sendBatch(...args) : measure());

async function measure() {
  const registry = await openRegistry();
  const { user, markId, token } = await registry.createUser();
  const pool = new pg.Pool({ ...registry.address });
  const url = `${await registry.serve()}/api/v1/artifacts/batch`;
  const variants = {
    signing: () => measureRate(SIGNATURES, () => sign(registry)),
    least: () => measureRate(BATCH, () => registerLeast(registry, pool, [markId, user.id])),
    batches: () => register(url, token, markId),
  };
  for (let done = 0; done < WARM_UP; done += 1) {
    for (const run of Object.values(variants)) await run();
  }
  const rounds = await measureRounds(ROUNDS, variants);
  const rate = (/** @type {keyof typeof variants} */ name) => `${rounds.median(name, 'rate').toFixed(0)}/s`;
  report({
    what: `registering ${BATCH} fingerprints in one call`,
    measured: rate('batches'),
    against: `the least that a batch can be, ${rate('least')}`,
    value: rounds.ratio('batches', 'least', 'rate'),
    target: ['at least', 0.75],
  });
  report({
    what: `the least that a batch can be: signed, three files, a statement for ${SLICE}`,
    measured: rate('least'),
    against: `signing alone, ${rate('signing')}`,
    value: rounds.ratio('least', 'signing', 'rate'),
  });
  await pool.end();
  await registry.close();
}

/** @param {number} count @param {() => Promise<void>} work */
async function measureRate(count, work) {
  const startedAt = performance.now();
  await work();
  return { rate: (count / (performance.now() - startedAt)) * 1000 };
}

/** @param {number} inFlight @param {number} times @param {() => Promise<unknown>} work */
async function repeat(inFlight, times, work) {
  let left = times;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (; left > 0; ) {
        left -= 1;
        await work();
      }
    }),
  );
}

/** @typedef {Awaited<ReturnType<typeof openRegistry>>} Registry */

/** @param {Registry} registry */
function sign(registry) {
  return repeat(IN_FLIGHT, SIGNATURES, () => createManifest(registry, randomUUID(), randomBytes(32)));
}

/** @param {Registry} registry @param {string} artifactId @param {Uint8Array} fingerprint */
function createManifest({ ports }, artifactId, fingerprint) {
  return ports.manifests.create({
    client: 'bench',
    artifactId,
    fingerprint,
    title: 'photo.jpg',
    claims: { allowAiTraining: false, author: { name: 'Ada Lovelace' }, licenseKey: 'CC-BY-4.0' },
  });
}

/** @param {Registry} registry @param {pg.Pool} pool @param {string[]} owner */
function registerLeast(registry, pool, owner) {
  return repeat(SLICES_IN_FLIGHT, BATCH / SLICE, async () => {
    const artifacts = Array.from({ length: SLICE }, () => ({ id: randomUUID(), fingerprint: randomBytes(32) }));
    const publications = await Promise.all(
      artifacts.map(async ({ id, fingerprint }) => {
        const { sidecar, report, card } = await createManifest(registry, id, fingerprint);
        return { [`${id}.c2pa`]: sidecar, [`${id}.json`]: report, [`${id}.png`]: card };
      }),
    );
    await Promise.all(publications.map((files) => registry.ports.files.publish(files)));
    await pool.query(
      `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
       select id, $1, $2, fingerprint, fingerprint, '{}' from unnest($3::uuid[], $4::bytea[]) as input (id, fingerprint)`,
      [...owner, artifacts.map(({ id }) => id), artifacts.map(({ fingerprint }) => fingerprint)],
    );
  });
}

/** From another process. @param {string} url @param {string} token @param {string} markId */
async function register(url, token, markId) {
  const program = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'send', url, token, markId]);
  return { rate: Number(stdout) };
}

/** Prints the rate: the start of this process does not count. */
async function sendBatch(url = '', token = '', markId = '') {
  const artifacts = Array.from({ length: BATCH }, () => ({
    markId,
    fingerprint: `0x${randomBytes(32).toString('hex')}`,
    filename: 'photo.jpg',
  }));
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ artifacts }),
  });
  const { results } = /** @type {{ results: { status: number }[] }} */ (await response.json());
  const created = results.filter(({ status }) => status === 201).length;
  if (created !== BATCH) throw new Error(`${created} of ${BATCH} were created`);
  console.log((BATCH / (performance.now() - startedAt)) * 1000);
}
