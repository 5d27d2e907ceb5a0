// The cost of registering in batches: Artifacts created by calls of a thousand, against signing alone in the same process.
// `node bench/batchRegistration.mjs send URL TOKEN MARK` is the client: it sends one batch and prints the created Artifacts.

import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { report } from './report.mjs';
import { measureRounds, openRegistry } from './support.mjs';

const ROUNDS = 7;
const BATCH = 1_000;
const IN_FLIGHT = 8;
const SIGNATURES = 400;
/** Batches until JavaScript and WebAssembly are optimized. */
const WARM_UP = 2;

const [mode, ...args] = process.argv.slice(2);
await (mode === 'send' ? sendBatch(...args) : measure());

async function measure() {
  const registry = await openRegistry();
  const { markId, token } = await registry.createUser();
  const url = `${await registry.serve()}/api/v1/artifacts/batch`;
  const variants = { signing: () => sign(registry), batches: () => register(url, token, markId) };
  for (let done = 0; done < WARM_UP; done += 1) {
    for (const run of Object.values(variants)) await run();
  }
  const rounds = await measureRounds(ROUNDS, variants);
  report({
    what: `registering ${BATCH} fingerprints in one call`,
    measured: `${rounds.median('batches', 'rate').toFixed(0)}/s`,
    against: `signing alone, ${rounds.median('signing', 'rate').toFixed(0)}/s`,
    value: rounds.ratio('batches', 'signing', 'rate'),
    target: ['at least', 0.95],
  });
  await registry.close();
}

/** @param {Awaited<ReturnType<typeof openRegistry>>} registry */
async function sign({ ports }) {
  const startedAt = performance.now();
  let left = SIGNATURES;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (; left > 0; ) {
        left -= 1;
        await ports.manifests.create({
          client: 'bench',
          artifactId: randomUUID(),
          fingerprint: randomBytes(32),
          title: 'photo.jpg',
          claims: { allowAiTraining: false, author: { name: 'Ada Lovelace' }, licenseKey: 'CC-BY-4.0' },
        });
      }
    }),
  );
  return { rate: (SIGNATURES / (performance.now() - startedAt)) * 1000 };
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
