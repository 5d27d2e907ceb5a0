// The cost of a creation over HTTP: against c2pa-rs reading a sidecar back whose time-stamp is P-256, with an identity against
// one without, against signing alone in the same process, and against a minimal server that signs, writes three files and runs
// one statement, without authentication. And what a signed image adds to the creation of an image.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { digestOf, fingerprintOf } from '@provenance-registry/core';
import pg from 'pg';
import sharp from 'sharp';
import { createManifestWriter } from '../packages/server/dist/c2pa/manifest/manifestWriter.js';
import { createManifestReader } from '../packages/server/dist/c2pa/reading/manifestReader.js';
import { readerSettings } from '../packages/server/dist/c2pa/reading/readerSettings.js';
import { prepareSigning } from '../packages/server/dist/c2pa/signing/signingSetup.js';
import { createArtifact } from '../packages/server/dist/domain/artifacts/createArtifact.js';
import { report } from './report.mjs';
import { generateCreations, measureRounds, openRegistry } from './support.mjs';

const ROUNDS = 7;
const SECONDS = 3;
const IN_FLIGHT = 8;
/** Creations until JavaScript and WebAssembly are optimized. */
const WARM_UP = 1_500;
/** As many images of one user as may wait to be signed, and one more. */
const IMAGES_IN_FLIGHT = 4;
const IMAGES = 40;
/** Of a sidecar, in one round. */
const READS = 300;
/** Of the clock in /proc. */
const TICK_MS = 10;

/** @satisfies {import('../packages/server/dist/domain/ports/index.js').ManifestClaims} */
const claims = /** @type {const} */ ({
  allowAiTraining: false,
  author: { name: 'Ada Lovelace' },
  licenseKey: 'CC-BY-4.0',
});

// Its identity is a `did:web`, as on the Internet.
const registry = await openRegistry({ BASE_URL: 'https://registry.example', BILLING: 'operator' });
const { user, markId, token } = await registry.createUser();
const pool = new pg.Pool({ ...registry.address });
const identifiedMarkId = await createIdentifiedMark();
const minimal = await startMinimalServer();
const reader = await startSidecarReader();

const artifactsUrl = `${await registry.serve()}/api/v1/artifacts`;
const variants = {
  reading: readSidecars,
  signing: sign,
  creating: createOverHttp(artifactsUrl),
  identified: createOverHttp(artifactsUrl, identifiedMarkId),
  least: createOverHttp(minimal.url),
};
for (const run of Object.values(variants)) {
  for (let done = 0; done < WARM_UP; ) done += (await run()).count;
}
const rounds = await measureRounds(ROUNDS, variants);
report({
  what: 'creating an Artifact over HTTP, CPU',
  measured: formatCpu('creating'),
  against: `the least that a creation can be, ${formatCpu('least')}`,
  value: rounds.ratio('creating', 'least', 'cpuMs'),
  target: ['at most', 1.2],
});
report({
  what: 'the least that a creation can be: signed, three files, one statement, CPU',
  measured: formatCpu('least'),
  against: `c2pa-rs reading back a sidecar with a P-256 time-stamp, ${formatCpu('reading')}`,
  value: rounds.ratio('least', 'reading', 'cpuMs'),
});
report({
  what: 'creating an Artifact with an identity over HTTP, CPU',
  measured: formatCpu('identified'),
  against: `without, ${formatCpu('creating')}`,
  value: rounds.ratio('identified', 'creating', 'cpuMs'),
  target: ['at most', 1.25],
});
report({
  what: `creating Artifacts over HTTP, ${IN_FLIGHT} in flight`,
  measured: formatRate('creating'),
  against: `the least that a creation can be, ${formatRate('least')}`,
  value: rounds.ratio('creating', 'least', 'rate'),
  target: ['at least', 0.75],
});
report({
  what: 'the least that a creation can be: signed, three files, one statement',
  measured: formatRate('least'),
  against: `signing alone, ${formatRate('signing')}`,
  value: rounds.ratio('least', 'signing', 'rate'),
});
const photo = await createPhoto();
const ofImages = { plain: createImages(false), signed: createImages(true) };
for (const run of Object.values(ofImages)) await run();
const imageRounds = await measureRounds(ROUNDS, ofImages);
report({
  what: 'creating an Artifact of a photo and signing the photo, CPU',
  measured: `${imageRounds.median('signed', 'cpuMs').toFixed(1)} ms`,
  against: `without the signed photo, ${imageRounds.median('plain', 'cpuMs').toFixed(1)} ms`,
  value: imageRounds.ratio('signed', 'plain', 'cpuMs'),
  target: ['at most', 1.3],
});
await reader.terminate();
minimal.close();
await pool.end();
await registry.close();

/** About a megabyte, as cameras write them for the web. */
function createPhoto() {
  const [width, height] = [1_600, 1_200];
  const pixels = Buffer.alloc(width * height * 3, randomBytes(65_521));
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** @param {boolean} embed */
function createImages(embed) {
  return async () => {
    const before = await readCpuMs();
    let left = IMAGES;
    await Promise.all(
      Array.from({ length: IMAGES_IN_FLIGHT }, async () => {
        for (; left > 0; ) {
          left -= 1;
          await createImage(embed);
        }
      }),
    );
    return { cpuMs: ((await readCpuMs()) - before) / IMAGES };
  };
}

/** Each differs in its comment. @param {boolean} embed */
async function createImage(embed) {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 38]), Buffer.from(randomUUID())]);
  const bytes = Buffer.concat([photo.subarray(0, 2), comment, photo.subarray(2)]);
  const digest = createHash('sha256').update(bytes).digest();
  const caller = { user, keyId: undefined, keyOrganizationId: undefined, keyScope: null, session: undefined };
  const { image } = await createArtifact(registry.ports, caller, {
    markId,
    fingerprint: fingerprintOf(digest),
    filename: 'photo.jpg',
    file: { digest, bytes, size: bytes.length, isWhole: true, wasEvicted: false },
    embed,
  });
  if (embed !== (image !== undefined)) throw new Error('the response is not the requested one');
}

/** Of this process and its workers, without the database. */
async function readCpuMs() {
  const { user, system } = process.cpuUsage();
  let ms = (user + system) / 1000;
  for (const thread of await readdir('/proc/self/task')) {
    const children = await readFile(`/proc/self/task/${thread}/children`, 'utf8').catch(() => '');
    for (const pid of children.split(' ').filter(Boolean)) {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [, , , , , , , , , , , userTicks, systemTicks] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isWorker = stat.includes('(node)') || stat.includes('(MainThread)');
      if (isWorker) ms += (Number(userTicks) + Number(systemTicks)) * TICK_MS;
    }
  }
  return ms;
}

/** @param {keyof typeof variants} name */
function formatRate(name) {
  const [rate, cpuMs] = [rounds.median(name, 'rate'), rounds.median(name, 'cpuMs')];
  return `${rate.toFixed(0)}/s (${cpuMs.toFixed(1)} ms CPU of the process)`;
}

/** @param {keyof typeof variants} name */
function formatCpu(name) {
  return `${rounds.median(name, 'cpuMs').toFixed(1)} ms`;
}

/** @param {string} url */
function createOverHttp(url, mark = markId) {
  return () => generateCreations(url, { connections: IN_FLIGHT, seconds: SECONDS, token, markId: mark });
}

/** A Mark with a verified domain, which the manifests of its Artifacts state. */
async function createIdentifiedMark() {
  const id = randomUUID();
  await registry.ports.store.marks.insert({
    id,
    name: 'Ada Lovelace Photography',
    visibility: 'public',
    license: 'CC-BY-4.0',
    allowAiTraining: false,
    aiPreferences: null,
    adminId: user.id,
    owner: { userId: user.id },
  });
  await pool.query(
    `insert into mark_domains (id, mark_id, domain, claimed_by, method, verified_at, last_success_at, next_check_at)
      values ($1, $2, 'ada.example', $3, 'dns', now(), now(), now() + interval '1 day')`,
    [randomUUID(), id, user.id],
  );
  return id;
}

/** Of a sidecar as a creation makes it, but with a time-stamp of the authority that is for clients. */
async function startSidecarReader() {
  const { dataDir } = registry;
  const prepared = await prepareSigning({
    dataDir,
    version: '0',
    source: undefined,
    timestampUrls: [],
    clock: () => new Date(),
  });
  const { signing, authority, trustAnchorsPem } = prepared;
  if (!authority) throw new Error('there is no built-in time-stamp authority');
  const manifestReader = await createManifestReader(trustAnchorsPem, { maxWorkers: 1 });
  const writer = createManifestWriter({ ...signing, timestamper: authority.timestamps }, manifestReader);
  const { sidecar } = await writer.create({
    client: 'bench',
    artifactId: randomUUID(),
    fingerprint: randomBytes(32),
    title: 'photo.jpg',
    claims: { ...claims, mark: { id: markId, name: 'Ada Lovelace Photography' } },
  });
  await manifestReader.close();
  const workerData = { sidecar, settings: readerSettings(trustAnchorsPem) };
  return new Worker(new URL('./sidecarReader.mjs', import.meta.url), { workerData });
}

async function readSidecars() {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  reader.postMessage(READS);
  await once(reader, 'message');
  const { user, system } = process.cpuUsage(before);
  const rate = (READS / (performance.now() - startedAt)) * 1000;
  return { rate, count: READS, cpuMs: (user + system) / 1000 / READS };
}

async function startMinimalServer() {
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
    close: () => server.close(),
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
