// What a creation costs beyond its signatures: Artifacts made over HTTP, with everything that belongs to them, against
// signing alone in the same process.

import { randomBytes, randomUUID } from 'node:crypto';
import { report } from './report.mjs';
import { load, median, openParts } from './support.mjs';

const ROUNDS = 7;
const SECONDS = 1.5;
const IN_FLIGHT = 8;
/** Until then the verifier's WebAssembly is still being optimised. */
const WARM_UP = 400;

const parts = await openParts();
const withoutChain = await openParts({ withChain: false });

const ways = {
  signing: sign,
  creating: await creator(parts),
  withoutChain: await creator(withoutChain),
};
/** @typedef {keyof typeof ways} Way */
const names = /** @type {Way[]} */ (Object.keys(ways));
for (const name of names) {
  for (let done = 0; done < WARM_UP; ) done += (await ways[name](SECONDS)).count;
}

/** @type {Record<Way, { rate: number, cpuMs: number }[]>} */
const rounds = { signing: [], creating: [], withoutChain: [] };
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
  what: 'the same without a chain in the process',
  measured: shown('withoutChain'),
  against: `signing alone, ${shown('signing')}`,
  value: ratio('withoutChain'),
});
await parts.close();
await withoutChain.close();

/** @param {Way} name */
function shown(name) {
  const [rate, cpuMs] = [median(rounds[name].map(({ rate }) => rate)), median(rounds[name].map(({ cpuMs }) => cpuMs))];
  return `${rate.toFixed(0)}/s (${cpuMs.toFixed(1)} ms CPU of the process)`;
}

/** @param {Way} name */
function ratio(name) {
  return median(rounds[name].map(({ rate }, round) => rate / (rounds.signing[round]?.rate ?? 0)));
}

/** @param {typeof parts} service */
async function creator(service) {
  const { markId, token } = await service.person();
  const url = `${await service.serve()}/api/v1/artifacts`;
  const body = { markId, fingerprint: '{fingerprint}', filename: 'photo.jpg' };
  return (/** @type {number} */ seconds) => load(url, { connections: IN_FLIGHT, seconds, token, body });
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
          facts: { allowAiTraining: false, author: { name: 'Ada Lovelace' }, licenseKey: 'CC-BY-4.0' },
        });
      }
    }),
  );
  const rate = (count / (performance.now() - began)) * 1000;
  const { user, system } = process.cpuUsage(before);
  return { rate, count, cpuMs: (user + system) / 1000 / count };
}
