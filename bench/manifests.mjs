// The cost of signing: all three files of an Artifact against the least that it can be, which is the reference implementation
// reading the sidecar back, drawing the card, two signatures and two time-stamps; with and without an identity; two threads
// against one, beside two threads that only read; and the delay of the event loop.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { initSync } from '@contentauth/c2pa-wasm';
import { drawCard } from '../packages/server/dist/c2pa/card/card.js';
import { createManifestWriter } from '../packages/server/dist/c2pa/manifest/manifestWriter.js';
import { createManifestReader } from '../packages/server/dist/c2pa/reading/manifestReader.js';
import { readerSettings } from '../packages/server/dist/c2pa/reading/readerSettings.js';
import { readManifest } from '../packages/server/dist/c2pa/reading/readManifest.js';
import { readC2paRs } from '../packages/server/dist/c2pa/reading/wasm.js';
import { createIdentityIssuer, generateIssuerKey } from '../packages/server/dist/c2pa/signing/identityIssuer.js';
import { prepareSigning } from '../packages/server/dist/c2pa/signing/signingSetup.js';
import { report } from './report.mjs';
import { createFolder, median } from './support.mjs';

/** Short alternating rounds, so that other load on the machine affects both sides alike. */
const COUNT = 80;
const ROUNDS = 15;
/** Creations until the verifier's WebAssembly is optimized. */
const WARM_UP = 500;
/** Of what two threads gain that only read: the rest of a creation is in the main thread, which shares their cores. */
const READERS_SHARE = 0.9;

const dataDir = await createFolder();
const { signing: unidentified, trustAnchorsPem } = await prepareSigning({
  dataDir,
  version: '0',
  source: undefined,
  timestampUrls: [],
  clock: () => new Date(),
});
const issuer = createIdentityIssuer({
  keysPem: generateIssuerKey(),
  baseUrl: 'https://registry.example',
  name: 'Example registry',
});
const signing = { ...unidentified, issuer };
const readers = {
  one: await createManifestReader(trustAnchorsPem, { issuer, maxWorkers: 1 }),
  two: await createManifestReader(trustAnchorsPem, { issuer, maxWorkers: 2 }),
};
const engines = { one: createManifestWriter(signing, readers.one), two: createManifestWriter(signing, readers.two) };

/** @type {{ domain: string, method: 'dns', since: Date }[]} */
const domains = [{ domain: 'ada.example', method: 'dns', since: new Date('2026-01-01') }];

/** @param {keyof typeof engines} name */
const create =
  (name, statements = {}) =>
  () =>
    engines[name].create({
      client: 'ada',
      artifactId: randomUUID(),
      fingerprint: randomBytes(32),
      title: 'photo.jpg',
      claims: { allowAiTraining: false, author: { name: 'Ada' }, licenseKey: 'CC-BY-4.0' },
      ...statements,
    });
const { sidecar, card } = await create('one')();
// In this process, whose CPU time is measured.
initSync({ module: readC2paRs() });
const createWithIdentity = create('one', { identity: { domains } });
const settings = readerSettings(trustAnchorsPem, issuer);
const readBack = () => readManifest('application/c2pa', sidecar, settings);
const createLeast = async () => {
  await Promise.all([signBytes(), signBytes()]);
  drawCard(`0x${randomBytes(32).toString('hex')}`);
  await readBack();
};
const threads = [1, 2].map(
  () => new Worker(new URL('./sidecarReader.mjs', import.meta.url), { workerData: { sidecar, settings } }),
);

// Nothing should be compiled during the measurement.
for (const warmUp of [create('one'), createWithIdentity, create('two'), createLeast]) await measure(8, WARM_UP, warmUp);
await readInThreads(threads, WARM_UP);

/** @type {Record<'creation' | 'identified' | 'identityRatio' | 'least' | 'cpuRatio' | 'one' | 'two' | 'threadsRatio' | 'readersRatio' | 'delay', number>[]} */
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const creation = await measure(2, COUNT, create('one'));
  const identified = await measure(2, COUNT, createWithIdentity);
  const least = await measure(2, COUNT, createLeast);
  const one = await measure(8, COUNT, create('one'));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const two = await measure(8, COUNT, create('two'));
  delay.disable();
  const readers = [await readInThreads(threads.slice(1), COUNT), await readInThreads(threads, COUNT)];
  rounds.push({
    creation: creation.cpuMs,
    identified: identified.cpuMs,
    identityRatio: identified.cpuMs / creation.cpuMs,
    least: least.cpuMs,
    cpuRatio: creation.cpuMs / least.cpuMs,
    one: one.perSecond,
    two: two.perSecond,
    threadsRatio: two.perSecond / one.perSecond,
    readersRatio: (readers[1] ?? 0) / (readers[0] ?? 0),
    delay: delay.percentile(99) / 1e6,
  });
}
const drawing = await measure(1, 200, async () => drawCard(`0x${randomBytes(32).toString('hex')}`));
const memory = await measureLargeFileMemory();

/** @param {keyof (typeof rounds)[number]} name */
const medianOf = (name) => median(rounds.map((round) => round[name]));
report({
  what: 'signing: the three files of an Artifact, CPU',
  measured: `${medianOf('creation').toFixed(1)} ms`,
  against: `read back, drawn, signed and stamped alone, ${medianOf('least').toFixed(1)} ms`,
  value: medianOf('cpuRatio'),
  target: ['at most', 1.25],
});
report({
  what: 'signing with an identity, CPU',
  measured: `${medianOf('identified').toFixed(1)} ms`,
  against: `without, ${medianOf('creation').toFixed(1)} ms`,
  value: medianOf('identityRatio'),
  target: ['at most', 1.25],
});
report({
  what: 'signing with two threads',
  measured: `${medianOf('two').toFixed(0)}/s`,
  against: `with one, ${medianOf('one').toFixed(0)}/s`,
  value: medianOf('threadsRatio'),
  target: ['at least', Number((READERS_SHARE * medianOf('readersRatio')).toFixed(2))],
});
report({
  what: 'the most that two threads can do here: reading sidecars and nothing else',
  measured: `${medianOf('readersRatio').toFixed(2)} times as many as one`,
  value: medianOf('readersRatio'),
});
report({
  what: 'event-loop delay while signing, 99th percentile, ms',
  measured: `${medianOf('delay').toFixed(1)} ms`,
  value: medianOf('delay'),
  target: ['at most', 50],
});
report({
  what: 'drawing a card, CPU, ms',
  measured: `${drawing.cpuMs.toFixed(1)} ms`,
  value: drawing.cpuMs,
  target: ['at most', 3],
});
report({ what: 'a signed card, bytes', measured: `${card.length}`, value: card.length, target: ['at most', 8192] });
report({
  what: 'memory for signing a file of 200 MB, MB above idle',
  measured: `${memory.toFixed(0)} MB`,
  value: memory,
  target: ['at most', 64],
});

await Promise.all([readers.one.close(), readers.two.close(), ...threads.map((thread) => thread.terminate())]);
await rm(dataDir, { recursive: true });

/** What a manifest needs of keys: a signature, and a time-stamp of it. */
async function signBytes() {
  await unidentified.timestamper.stamp(await unidentified.signer.sign(randomBytes(512)));
}

/** Returns sidecars per second. @param {readonly Worker[]} readers @param {number} count of each */
async function readInThreads(readers, count) {
  const startedAt = performance.now();
  await Promise.all(
    readers.map((reader) => {
      reader.postMessage(count);
      return once(reader, 'message');
    }),
  );
  return (count * readers.length * 1000) / (performance.now() - startedAt);
}

/** @param {number} concurrency @param {number} count @param {() => Promise<unknown>} work */
async function measure(concurrency, count, work) {
  let left = count;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (; left > 0; left -= 1) await work();
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000 / count, perSecond: (count / (performance.now() - startedAt)) * 1000 };
}

/** Hashes a stream, then signs its digest. Returns the additional memory in MB. */
async function measureLargeFileMemory() {
  const idle = process.memoryUsage().rss;
  const chunk = randomBytes(65_536);
  const hash = createHash('sha256');
  let peak = idle;
  for (let sent = 0; sent < 200 * 1024 * 1024; sent += chunk.length) {
    hash.update(chunk);
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const digest = hash.digest();
  await engines.two.create({
    client: 'ada',
    artifactId: randomUUID(),
    fingerprint: digest,
    digest,
    claims: { allowAiTraining: null },
  });
  return (Math.max(peak, process.memoryUsage.rss()) - idle) / 1024 / 1024;
}
